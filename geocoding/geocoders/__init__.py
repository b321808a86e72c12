"""Geocoders with one interface: names to coordinates and back, each answer with its origin."""

from geocoding.geocoders.base import (
    Geocoder,
    GeocoderAnswer,
    GeocoderQuestion,
    GeocoderReply,
    Outcome,
    PlacePoint,
)
from geocoding.geocoders.cache import ask_all

__all__ = [
    "Geocoder",
    "GeocoderAnswer",
    "GeocoderQuestion",
    "GeocoderReply",
    "Outcome",
    "PlacePoint",
    "ask_all",
]
