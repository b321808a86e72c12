"""Contains geocoders with a common interface, which convert names to coordinates and coordinates to
names.

Each answer includes its source.
"""

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
