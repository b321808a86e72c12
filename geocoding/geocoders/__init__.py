"""Geocoders behind one protocol: names to coordinates, each answer with its origin."""

from geocoding.geocoders.base import (
    Geocoder,
    GeocoderAnswer,
    GeocoderQuestion,
    GeocoderReply,
    Outcome,
)
from geocoding.geocoders.cache import ask_all

__all__ = [
    "Geocoder",
    "GeocoderAnswer",
    "GeocoderQuestion",
    "GeocoderReply",
    "Outcome",
    "ask_all",
]
