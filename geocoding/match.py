"""Label pairs of place names: the same place, different places, or a place and its part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal, TypedDict

from geocoding.asked import Asked, as_asked, as_listed, share_of_other_names
from geocoding.names import NameReader
from geocoding.pairs import Verdict, compare
from schemas.cities import City, UnknownCityError, find_city
from schemas.geo import distance_m

Label = Literal["same", "different", "parent-of"]


#: Up to this confidence it is open which of two is the whole; then it is the first, as asked.
_UNSURE_WHOLE = 0.6


class PairLabel(TypedDict):
    """The label of one pair: ``parent-of`` means that name_a contains name_b."""

    label: Label
    score: float
    why: str


def match_pairs(rows: Iterable[Mapping[str, str]], *, alone: bool = False) -> list[PairLabel]:
    """Label pairs with the columns city, name_a, name_b, lat_a, lon_a, lat_b, lon_b.

    ``city`` may be ``a;b``: name_a in the first, name_b in the second. Coordinates are
    degrees, both in one system; they may be empty. An unknown city's name is not stripped.
    A list that mostly asks of other names (pairs with one point) is believed to do so where
    names say nothing; ``alone`` judges every pair by itself.
    Raises ValueError for a coordinate that is no number.
    """
    pairs = [_asked(row) for row in rows]
    share = 0.0 if alone else share_of_other_names(pairs)
    return [_label(as_listed(pair, share)) for pair in pairs]


def _asked(row: Mapping[str, str]) -> Asked:
    cities = [part.strip() for part in (row.get("city") or "").split(";")]
    readers = [reader_of(city) for city in cities]
    distance = distance_of(row)
    a, b = readers[0].read(row["name_a"]), readers[-1].read(row["name_b"])
    verdict = as_asked(a, b, distance, compare(a, b, distance))
    one_city = len(set(cities)) == 1
    if not one_city and (distance is None or distance > 1_000):
        verdict = Verdict("different", 0.98, "two cities")
    return Asked(verdict, one_city and a.lang == b.lang == "zh" and _has_one_point(row))


def _has_one_point(row: Mapping[str, str]) -> bool:
    points = [bool((row.get(f"lat_{name}") or "").strip()) for name in "ab"]
    return points[0] != points[1]


def _label(verdict: Verdict) -> PairLabel:
    label: Label = "different" if verdict.label == "part-of" else verdict.label
    if verdict.label == "part-of" and verdict.score <= _UNSURE_WHOLE:
        label = "parent-of"
    return {"label": label, "score": round(verdict.score, 3), "why": verdict.why}


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
