"""Labels pairs of place names: the same place, different places, or a place and its part.

A model's answer about a pair may change a doubtful verdict.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import Literal, TypedDict

from geocoding.asked import AskedPair, as_asked, as_listed, share_of_other_names
from geocoding.names import NameReader, PlaceName
from geocoding.pairs import NameVerdict, compare
from geocoding.verdicts import same_unless_far
from schemas.cities import UnknownCityError, find_city
from schemas.geo import distance_m

Label = Literal["same", "different", "parent-of"]


#: Up to this confidence it is open which of two is the whole; then the first one is, as listed.
_UNSURE_WHOLE = 0.6
#: Texts for unknown coordinates.
_MISSING = frozenset({"", "nan", "null", "none", "n/a", "na"})
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_LINK = re.compile(r"!?\[([^\[\]]+)\]\([^()\s]*\)")
Said = Literal["same", "part", "different"]
#: Verdicts with at least this confidence are not reviewed by a model; its answers get this one.
SURE = 0.9


class PairLabel(TypedDict):
    """The label of one pair; ``parent-of`` means that the place ``name_a`` contains the place
    ``name_b``.
    """

    label: Label
    score: float
    why: str


def match_pairs(rows: Iterable[Mapping[str, str]], *, alone: bool = False) -> list[PairLabel]:
    """Label pairs with the columns ``city``, ``name_a``, ``name_b``, ``lat_a``, ``lon_a``,
    ``lat_b`` and ``lon_b``.

    ``city`` may be ``a;b``, which means that ``name_a`` is in the first city and ``name_b`` is in
    the second. Coordinates are in degrees, in the same system for both places. Coordinates may be
    missing. Latitude and longitude are swapped if the given latitude can only be a longitude. The
    name of an unknown city is not removed from the names of places. If the names mean the same
    place in most of the pairs that have only one point, this counts as evidence for those of these
    pairs whose names are inconclusive. With ``alone``, each pair is labelled without regard to the
    other pairs. Raises ValueError if a coordinate is not a number of degrees.
    """
    pairs = [_make_asked(row) for row in rows]
    share = 0.0 if alone else share_of_other_names(pairs)
    return [_label(as_listed(pair, share)) for pair in pairs]


def read_pair(row: Mapping[str, str]) -> tuple[PlaceName, PlaceName, float | None]:
    """Return both names, parsed with the help of their cities, and the distance between the places
    in metres.
    """
    readers = [reader_of(city) for city in _cities_of(row)]
    a, b = readers[0].read(plain_name(row["name_a"])), readers[-1].read(plain_name(row["name_b"]))
    return a, b, distance_of(row)


def _cities_of(row: Mapping[str, str]) -> list[str]:
    return [part.strip() for part in (row.get("city") or "").split(";")]


def _make_asked(row: Mapping[str, str]) -> AskedPair:
    a, b, distance = read_pair(row)
    verdict = as_asked(a, b, distance, compare(a, b, distance))
    one_city = len(set(_cities_of(row))) == 1
    if not one_city and (distance is None or distance > 1_000):
        verdict = NameVerdict("different", 0.98, "two cities")
    return AskedPair(verdict, one_city and a.lang == b.lang == "zh" and _has_one_point(row))


def _has_one_point(row: Mapping[str, str]) -> bool:
    a, b = points_of(row)
    return (a is None) != (b is None)


def _label(verdict: NameVerdict) -> PairLabel:
    label: Label = "parent-of" if verdict.label == "part-of" else verdict.label
    if is_second_whole(verdict):
        label = "different"
    return {"label": label, "score": round(verdict.score, 3), "why": verdict.why}


def is_second_whole(verdict: NameVerdict) -> bool:
    """Check whether the second place certainly contains the first."""
    return verdict.label == "part-of" and verdict.score > _UNSURE_WHOLE


@lru_cache(maxsize=1_000)
def reader_of(city: str) -> NameReader:
    """Return the reader for names in a city; if the city is unknown, the reader does not remove the
    city's name.
    """
    try:
        return NameReader.of(find_city(city) if city else None)
    except UnknownCityError:
        return NameReader.of(None)


@dataclass(frozen=True)
class MatchPoint:
    """A point in degrees. ``turned`` is True if the longitude came first."""

    lat: float
    lon: float
    turned: bool = False


def points_of(row: Mapping[str, str]) -> tuple[MatchPoint | None, MatchPoint | None]:
    """Return the points of a pair; a point is None if a coordinate is missing.

    Raises ValueError, with a message that explains the error, if a coordinate is not a number of
    degrees.
    """
    return _point_of(row, "a"), _point_of(row, "b")


def distance_of(row: Mapping[str, str]) -> float | None:
    """Return the distance between the points of a pair in metres, or None if a point is missing.

    Raises ValueError if a coordinate is not a number of degrees.
    """
    a, b = points_of(row)
    return None if a is None or b is None else float(distance_m(a.lat, a.lon, b.lat, b.lon))


def _point_of(row: Mapping[str, str], name: str) -> MatchPoint | None:
    texts = {key: (row.get(key) or "").strip() for key in (f"lat_{name}", f"lon_{name}")}
    if any(text.lower() in _MISSING for text in texts.values()):
        return None
    degrees = [_degrees(key, text) for key, text in texts.items()]
    lat, lon = degrees
    if abs(lat) > 90 >= abs(lon):
        lat, lon = lon, lat
    if abs(lat) > 90 or abs(lon) > 180:
        told = ", ".join(f"{key} {text}" for key, text in texts.items())
        raise ValueError(f"{told} is not a point on Earth: give degrees, or leave the cells empty")
    return MatchPoint(lat, lon, turned=lat != degrees[0])


def _degrees(column: str, text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise ValueError(
            f"{column} is {text!r}, not a number of degrees: correct it or leave the cell empty"
        )
    return found


def plain_name(text: str) -> str:
    """Return a name without the markup of web pages and Markdown."""
    text = _LINK.sub(r"\1", _TAG.sub("", unescape(text)))
    return text.strip(" \t*_`~") or text


def is_doubtful(label: PairLabel) -> bool:
    """Check whether knowledge from outside the rules could change a verdict."""
    return label["score"] < SURE


def take_answer(row: Mapping[str, str], said: Said, why: str) -> PairLabel | None:
    """Return the verdict based on a model's answer, or None if the points contradict the answer.

    The model's answer does not show which of the two places contains the other. If the rules can
    decide which place contains the other, they do; otherwise, the first place is taken to contain
    the second.
    """
    a, b, distance = read_pair(row)
    if said == "same" and same_unless_far(a, b, distance, SURE, why).label != "same":
        return None
    if said != "part":
        return {"label": said, "score": SURE, "why": why}
    turned = is_second_whole(compare(a, b, distance))
    return {"label": "different" if turned else "parent-of", "score": SURE, "why": why}
