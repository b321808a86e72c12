"""Label pairs of place names: the same place, different places, or a place and its part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal, TypedDict

from geocoding.containment import weighed
from geocoding.lexicon import AREA
from geocoding.names import NameReader, PlaceName
from geocoding.pairs import Verdict, compare
from schemas.cities import City, UnknownCityError, find_city
from schemas.geo import distance_m

Label = Literal["same", "different", "parent-of"]


#: Up to this confidence it is open which of two is the whole; then it is the first, as asked.
_UNSURE_WHOLE = 0.6
#: So close (metres) a smaller kind of place is a part whatever else is weighed.
_AT_ITS_POINT_M = 40.0
#: Confidence that a second name from which the first goes on is its short form.
_SHORT_NAME = 0.65


class PairLabel(TypedDict):
    """The label of one pair: ``parent-of`` means that name_a contains name_b."""

    label: Label
    score: float
    why: str


def match_pairs(rows: Iterable[Mapping[str, str]]) -> list[PairLabel]:
    """Label pairs with the columns city, name_a, name_b, lat_a, lon_a, lat_b, lon_b.

    ``city`` may be ``a;b``: name_a in the first, name_b in the second. Coordinates are
    degrees, both in one system; they may be empty. An unknown city's name is not stripped.
    Raises ValueError for a coordinate that is no number.
    """
    return [_label(row) for row in rows]


def _label(row: Mapping[str, str]) -> PairLabel:
    cities = [part.strip() for part in (row.get("city") or "").split(";")]
    readers = [reader_of(city) for city in cities]
    distance = distance_of(row)
    a, b = readers[0].read(row["name_a"]), readers[-1].read(row["name_b"])
    verdict = _as_asked(a, b, distance, compare(a, b, distance))
    if len(set(cities)) > 1 and (distance is None or distance > 1_000):
        verdict = Verdict("different", 0.98, "two cities")
    label: Label = "different" if verdict.label == "part-of" else verdict.label
    if verdict.label == "part-of" and verdict.score <= _UNSURE_WHOLE:
        label = "parent-of"
    return {"label": label, "score": round(verdict.score, 3), "why": verdict.why}


def _as_asked(a: PlaceName, b: PlaceName, distance_m: float | None, verdict: Verdict) -> Verdict:
    """The verdict on a pair that somebody wrote down, the whole first.

    Where names say nothing, kinds and distance are weighed. A second name that the first goes
    on from, without a point of its own, is the first one's short name.
    """
    if verdict.guess and distance_m is not None:
        if verdict.label == "parent-of" and distance_m <= _AT_ITS_POINT_M:
            return verdict
        return weighed(a, b, distance_m)
    if verdict.label == "different" and distance_m is None and _is_in_area(a, b):
        return Verdict("parent-of", 0.5, "a smaller sight asked of an area", guess=True)
    if verdict.label == "part-of" and distance_m is None and not a.tail:
        return Verdict("same", _SHORT_NAME, f"{verdict.why}; short for it")
    return verdict


def _is_in_area(a: PlaceName, b: PlaceName) -> bool:
    """Whether the first is named as a scenic area and the second a sight of a smaller kind."""
    is_area = a.kind is not None and a.kind.code in ("scenic", "resort")
    return is_area and not a.tail and b.kind is not None and b.scale < AREA


@lru_cache(maxsize=1_000)
def reader_of(city: str) -> NameReader:
    """Reader of the names of a city; one that knows no city name where it is not known."""
    found: City | None
    try:
        found = find_city(city) if city else None
    except UnknownCityError:
        found = None
    return NameReader.of(found)


def distance_of(row: Mapping[str, str]) -> float | None:
    """Distance of a pair's points in metres; None where one is missing."""
    texts = [(row.get(column) or "").strip() for column in ("lat_a", "lon_a", "lat_b", "lon_b")]
    if not all(texts):
        return None
    lat_a, lon_a, lat_b, lon_b = map(float, texts)
    return float(distance_m(lat_a, lon_a, lat_b, lon_b))
