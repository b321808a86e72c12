"""Defines the interface of all geocoders, and the possible outcomes of a question.

| outcome | meaning | cached | what to do |
|---|---|---|---|
| found | one place answers the question | yes | use it |
| ambiguous | several places answer the question; none is chosen | yes | review |
| nothing | no place answers the question | yes | stays unresolved |
| quota | the account's limit is reached | no | ask again later; nothing more is sent |
| denied | key, signature or address is refused | no | correct the settings |
| outage | no answer, even after retries | no | ask again later |
| malformed | the answer cannot be read | no | ask again later |

Coordinates in an answer are WGS 84; ``datum_original`` is the system that the provider uses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from geocoding.names import NameReader
from geocoding.pairs import compare
from schemas.cities import City
from schemas.geo import Datum, distance_m, to_wgs84
from schemas.mainland import MAINLAND

Outcome = Literal["found", "ambiguous", "nothing", "quota", "denied", "outage", "malformed"]
#: Outcomes that do not change and are cached.
LASTING: frozenset[Outcome] = frozenset({"found", "ambiguous", "nothing"})
#: Coordinates are swapped only if the swapped point is within this distance of the city (metres)
#: and the original point is not.
SWAP_M = 300_000.0
#: The lowest confidence that an answer's name is the one asked for.
ACCEPTED = 0.75
#: Answers within this distance (metres) are one place.
ONE_PLACE_M = 300.0


@dataclass(frozen=True)
class GeocoderQuestion:
    """A name to find in a city; ``city_only`` excludes places in other cities."""

    name: str
    city: City | None = None
    city_only: bool = True


@dataclass(frozen=True)
class PlacePoint:
    """A point (WGS 84) whose address and surroundings are requested."""

    lat: float
    lon: float


@dataclass(frozen=True)
class GeocoderAnswer:
    """A place that a geocoder found.

    ``score`` is the confidence in the name (0 to 1); ``note`` lists the corrections that were made.
    """

    name: str
    lat: float
    lon: float
    datum_original: Datum
    provider: str
    provider_id: str | None = None
    address: str | None = None
    city: str | None = None
    category: str | None = None
    score: float = 1.0
    note: str | None = None


@dataclass(frozen=True)
class GeocoderReply:
    """The outcome of one question to a geocoder. ``answers`` are sorted, best first."""

    outcome: Outcome
    answers: tuple[GeocoderAnswer, ...] = ()
    message: str = ""
    asked_on: str | None = None  # ISO date; None if the outcome is not cached

    @property
    def best(self) -> GeocoderAnswer | None:
        """Return the best answer if exactly one place fits, or else None."""
        return self.answers[0] if self.outcome == "found" else None


class Geocoder(Protocol):
    """The interface of geocoders.

    If a provider fails, no error is raised; instead, the reply contains the error.
    """

    @property
    def name(self) -> str:
        """Return the short name of the provider, which is part of every cache key."""

    def search(self, question: GeocoderQuestion) -> GeocoderReply:
        """Return the places that have the requested name."""

    def reverse(self, point: PlacePoint) -> GeocoderReply:
        """Return the address of a point and the places around it."""


def place_answer(
    lat: float, lon: float, datum: Datum, city: City | None
) -> tuple[float, float, str | None] | None:
    """Return a provider's coordinates in WGS 84 and a note on any correction, or None if the point
    is not on the globe.

    Latitude and longitude are swapped if only the swapped point is near the city, or only the
    swapped point is on the globe.
    """
    note = None
    if _is_swapped(lat, lon, city):
        lat, lon, note = lon, lat, "latitude and longitude were swapped"
    if not _on_globe(lat, lon) or (lat, lon) == (0.0, 0.0):
        return None
    mainland = city is None or city.country_code == MAINLAND
    return (*to_wgs84(lat, lon, datum, mainland=mainland), note)


def _on_globe(lat: float, lon: float) -> bool:
    return math.isfinite(lat) and math.isfinite(lon) and abs(lat) <= 90 and abs(lon) <= 180


def _is_swapped(lat: float, lon: float, city: City | None) -> bool:
    if not _on_globe(lon, lat):
        return False
    if city is None:
        return not _on_globe(lat, lon)
    if not _on_globe(lat, lon):
        return _away_m(city, lon, lat) <= SWAP_M
    return _away_m(city, lat, lon) > SWAP_M >= _away_m(city, lon, lat)


def _away_m(city: City, lat: float, lon: float) -> float:
    return float(distance_m(city.lat, city.lon, lat, lon))


def judge_answers(question: GeocoderQuestion, answers: Sequence[GeocoderAnswer]) -> GeocoderReply:
    """Return the reply to a question, based on a provider's answers; do not guess between two
    places.

    Answers with a different name are left out. Answers that are close together count as one place.
    An answer with exactly the requested name takes precedence over answers whose names are only
    equivalent.
    """
    reader = NameReader.of(question.city)
    asked = reader.read(question.name)
    scored = []
    for answer in answers:
        verdict = compare(asked, reader.read(answer.name))
        if verdict.label == "same" and verdict.score >= ACCEPTED:
            scored.append(replace(answer, score=round(verdict.score, 3)))
    scored.sort(key=lambda a: (-a.score, a.name, a.provider_id or "", a.lat, a.lon))
    if not scored:
        return GeocoderReply("nothing", message=f"{len(answers)} answers, none of this name")
    best = [a for a in scored if a.score >= scored[0].score - 0.03]
    if any(distance_m(best[0].lat, best[0].lon, a.lat, a.lon) > ONE_PLACE_M for a in best[1:]):
        return GeocoderReply("ambiguous", tuple(scored), f"{len(best)} places answer to the name")
    return GeocoderReply("found", tuple(scored))
