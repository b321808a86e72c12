"""Contains geocoders with a common interface, which convert names into coordinates and coordinates
into names.

Each answer states its source.
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
