"""The interface of every geocoder, and the possible outcomes of a question.

| outcome | meaning | cached | what to do |
|---|---|---|---|
| found | one place answers the question | yes | take it |
| ambiguous | several places do, none is chosen | yes | review |
| nothing | no place does | yes | stays unresolved |
| quota | the account's limit is reached | no | ask again later; nothing more is sent |
| denied | key, signature or address is refused | no | mend the settings |
| outage | no answer, also after retries | no | ask again later |
| malformed | an answer that cannot be read | no | ask again later |

Coordinates of an answer are WGS 84; ``datum_original`` is the system of the provider.
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
#: Outcomes that hold for good and are kept.
LASTING: frozenset[Outcome] = frozenset({"found", "ambiguous", "nothing"})
#: A wrong order of coordinates is believed only when the right one comes so close to the city,
#: and the wrong one does not (metres).
SWAP_M = 300_000.0
#: Confidence from which an answer's name is the name asked for.
ACCEPTED = 0.75
#: Answers this close together (metres) are one place.
ONE_PLACE_M = 300.0


@dataclass(frozen=True)
class GeocoderQuestion:
    """A name to be found in a city; ``city_only`` excludes answers of other cities."""

    name: str
    city: City | None = None
    city_only: bool = True


@dataclass(frozen=True)
class PlacePoint:
    """A point (WGS 84) whose surroundings are asked for."""

    lat: float
    lon: float


@dataclass(frozen=True)
class GeocoderAnswer:
    """One place. ``score`` is the confidence in the name, 0 to 1; ``note`` what was mended."""

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
    """What became of one question. ``answers`` are sorted, best first."""

    outcome: Outcome
    answers: tuple[GeocoderAnswer, ...] = ()
    message: str = ""
    asked_on: str | None = None  # ISO date; None where the outcome is not kept

    @property
    def best(self) -> GeocoderAnswer | None:
        """The answer, where there is exactly one to take."""
        return self.answers[0] if self.outcome == "found" else None


class Geocoder(Protocol):
    """Answers questions. Never raises for what a provider does: the reply says it."""

    @property
    def name(self) -> str:
        """Short name of the provider; part of every cache key."""

    def search(self, question: GeocoderQuestion) -> GeocoderReply:
        """Places of a name."""

    def reverse(self, point: PlacePoint) -> GeocoderReply:
        """What stands at a point."""


def place_answer(
    lat: float, lon: float, datum: Datum, city: City | None
) -> tuple[float, float, str | None] | None:
    """A provider's coordinates as WGS 84 with what was mended; None for no place on the globe.

    Latitude and longitude in each other's place are put right where only that comes near the
    city, or where only that is on the globe.
    """
    note = None
    if _is_swapped(lat, lon, city):
        lat, lon, note = lon, lat, "latitude and longitude stood in each other's place"
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
    """The reply to a question from what a provider offers: never guessed between two places.

    Answers whose name is not the one asked for are left out; those that lie together count as
    one place. Names that are equal in every letter go before those that only mean the same.
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
