"""Geocoders behind one protocol: names to coordinates and back, each answer with its origin."""

from geocoding.geocoders.base import Answer, Geocoder, Outcome, Point, Question, Reply
from geocoding.geocoders.batch import ask_all

__all__ = ["Answer", "Geocoder", "Outcome", "Point", "Question", "Reply", "ask_all"]
