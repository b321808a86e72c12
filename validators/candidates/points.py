"""What speaks for each place of a city, for one query: points by reason.

The weights and their reasons stand in ``schemas.ranking``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from schemas import ranking
from schemas.taxonomy import codes
from validators.candidates.asked import Asked
from validators.candidates.places import Counts, Marks, Places

_CODES = codes(ranking.REASONS)
_ASKED = tuple(code for code in _CODES if code in ranking.ASKED)


@dataclass(frozen=True)
class Found:
    """What was found for a query: stops of each of its trajectories by document, and documents."""

    stops: Sequence[tuple[str, Sequence[str]]] = ()
    documents: Sequence[str] = ()


@dataclass(frozen=True)
class Scores:
    """Points of each place by reason, in the order of the reasons, and who may be a candidate."""

    points: Counts
    is_stop: Marks
    is_found: Marks
    may_be: Marks

    @property
    def total(self) -> Counts:
        """The score of each place."""
        total: Counts = self.points.sum(axis=0)
        return total

    def fits(self, asked: Asked) -> Marks:
        """Places that answer what a query asks for: its category, or types and names, where it does."""
        if asked.category:
            answers: tuple[str, ...] = ("category",)
        else:
            answers = ("named", "wished") if asked.wished or asked.named else _ASKED
        return np.asarray(self.points[[_CODES.index(c) for c in answers]].any(axis=0), np.bool_)

    def reasons(self, at: int) -> list[dict[str, object]]:
        """The reasons for a place with their points, in the order of the vocabulary."""
        given = self.points[:, at].tolist()
        return [{"code": code, "points": n} for code, n in zip(_CODES, given, strict=True) if n]


def scored(places: Places, asked: Asked, found: Found, without: str | None = None) -> Scores:
    """The points of every place; ``without`` is a document of which nothing is to be known."""
    n_liked = places.n_liked - places.count(places.liked, filter(None, [without]), None)
    n_stops = _stops(places, found, without)
    n_found = places.count(places.liked, sorted(set(found.documents)), without)
    by_type, by_name, is_shut = _suits(places, asked)
    level = ranking.NEAR_KIND if asked.category else ranking.OF_LEVEL
    rows = {
        "named": ranking.NAMED * places.called(asked.named) if asked.named else None,
        "category": ranking.OF_KIND * places.of_category(asked.category) if asked.category else None,
        "wished": ranking.OF_KIND * _any(places, asked.wished),
        "type": level * by_type,
        "name": level * by_name,
        "told": ranking.share(_told(places, asked, without), ranking.TOLD_MOST, ranking.TOLD_HALF),
        "season": ranking.OF_SEASON * _in_season(places, asked),
        "stop": ranking.share(n_stops, ranking.STOP_MOST, ranking.STOP_HALF),
        "found": ranking.share(n_found, ranking.FOUND_MOST, ranking.FOUND_HALF),
        "popular": ranking.share(n_liked, ranking.POPULAR_MOST, ranking.POPULAR_HALF),
        "listed": places.listed_points,
        "rated": ranking.RATED_EACH * np.maximum(places.rating_tenths - ranking.RATED_ABOVE, 0),
        "graded": places.grade_points,
        "landmark": ranking.LANDMARK * places.of_type("city_landmark"),
        "near": _near(places, asked),
        "short": ranking.SHORT_STAY * places.is_short if asked.is_tight else None,
    }  # fmt: skip
    known = places.is_of_table | (n_liked > 0)
    unwanted = _any(places, asked.excluded) | places.called(asked.names_excluded)
    named = places.called(asked.named)
    may_be = known & ~unwanted & ~is_shut & _open(places, asked)
    may_be &= _is_worth(places, n_liked)
    piece = _is_piece(places, asked, may_be) & ~named
    rows["piece"] = ranking.PIECE * piece
    nothing = np.zeros(len(places.ids), np.int64)
    points = [
        nothing if rows[code] is None else np.asarray(rows[code], np.int64) for code in _CODES
    ]
    is_stop = n_stops > 0
    return Scores(np.array(points), is_stop, n_found > 0, (may_be & ~piece) | is_stop | named)


def _is_worth(places: Places, n_liked: Counts) -> Marks:
    """Places as well known as they must be: poorly rated ones, and kinds that nobody travels for."""
    renown = ranking.share(n_liked, ranking.POPULAR_MOST, ranking.POPULAR_HALF) + places.listed_points
    rated = places.rating_tenths
    is_poor = (rated > 0) & (rated < ranking.POOR_BELOW)
    faults = is_poor.astype(np.int64) + places.is_plain
    return np.asarray(renown >= ranking.LITTLE_KNOWN * faults, np.bool_)


def _is_piece(places: Places, asked: Asked, may_be: Marks) -> Marks:
    """Pieces and other names of what may be a candidate itself; not a museum in a park, say, that
    answers what is asked for when the park does not."""
    whole = places.whole
    answers = _any(places, asked.wished)
    if asked.category:
        answers = places.of_category(asked.category)
    is_better = places.is_own & answers & ~answers[whole]
    return np.asarray((whole >= 0) & may_be[whole] & ~is_better, np.bool_)


def _any(places: Places, types: Iterable[str]) -> Marks:
    found = np.zeros(len(places.ids), np.bool_)
    for code in sorted(types):
        found |= places.of_type(code)
    return found


def _stops(places: Places, found: Found, without: str | None) -> Counts:
    """How many routes stop at each place."""
    n = np.zeros(len(places.ids), np.int64)
    for doc_id, stops in found.stops:
        if doc_id != without:
            n[[places.at[poi] for poi in sorted(set(stops)) if poi in places.at]] += 1
    return n


def _suits(places: Places, asked: Asked) -> tuple[Counts, Counts, Marks]:
    """Levels of types and names, added over all that is asked for, and the places shut out."""
    by_type, by_name = (np.zeros(len(places.ids), np.int64) for _ in range(2))
    is_shut = np.zeros(len(places.ids), np.bool_)
    for wish in asked.contexts:
        of_type, of_name = places.levels(wish)
        by_type += np.maximum(of_type, 0)
        by_name += np.maximum(of_name, 0)
        is_shut |= (of_type < 0) | (of_name < 0)
    if asked.category:
        # What the tables place in another category, or in none, may come near to it all the same.
        other = ~places.of_category(asked.category)
        near = ("poi_category", asked.category)
        other &= places.levels(near)[1] >= 0
        by_type, by_name = (np.maximum(level, 0) * other for level in places.levels(near))
        by_type, by_name = by_type * (by_type > by_name), by_name * (by_name >= by_type)
    return by_type, by_name, is_shut


def _told(places: Places, asked: Asked, without: str | None) -> Counts:
    """Documents that tell of each place in a context that is asked for."""
    n = np.zeros(len(places.ids), np.int64)
    for context in asked.contexts:
        by_document: Mapping[str, Counts] = places.told.get(context, {})
        n += places.count(by_document, by_document, without)
    return n


def _in_season(places: Places, asked: Asked) -> Marks:
    found = np.zeros(len(places.ids), np.bool_)
    for kind, code in asked.contexts:
        if kind == "season":
            found |= places.seasons[code]
    return found


def _open(places: Places, asked: Asked) -> Marks:
    found = np.ones(len(places.ids), np.bool_)
    for kind, code in asked.contexts:
        if kind == "season":
            found &= places.open_in(code)
    return found


def _near(places: Places, asked: Asked) -> Counts:
    if asked.n_days is None:
        half = ranking.NEAR_HALF_UNKNOWN_M
    else:
        half = ranking.NEAR_HALF_M.get(asked.n_days, ranking.NEAR_HALF_LONG_M)
    most = ranking.NEAR_MOST_SHORT.get(asked.n_days or 0, ranking.NEAR_MOST)
    return most * half // (half + places.away_m)
