"""Rate each place in a city for one query, with points for each reason.

``schemas.ranking`` contains the weights and their explanations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from schemas import ranking
from schemas.ranking import USUAL_DAYS
from schemas.seasons import season_months
from schemas.taxonomy import codes
from validators.candidates.asked import QueryDemand
from validators.candidates.kinds import Counts, Marks
from validators.candidates.places import NOWHERE_M, CandidatePlaces

_CODES = codes(ranking.REASONS)
_ASKED = tuple(code for code in _CODES if code in ranking.ASKED)


@dataclass(frozen=True)
class QueryFindings:
    """What was found for a query: its documents, and the stops of its trajectories by document."""

    stops: Sequence[tuple[str, Sequence[str]]] = ()
    documents: Sequence[str] = ()


@dataclass(frozen=True)
class Scores:
    """The points of each place, in the order of the reasons, and the places that may be
    candidates.
    """

    points: Counts
    is_stop: Marks
    is_found: Marks
    may_be: Marks

    @property
    def total(self) -> Counts:
        """The score of each place."""
        total: Counts = self.points.sum(axis=0)
        return total

    @property
    def is_behind(self) -> Marks:
        """The places that match the query so poorly that well known sights rank above them."""
        poor, obscure = (self.points[_CODES.index(code)] for code in ("poor", "obscure"))
        return np.asarray((poor < 0) | (obscure <= ranking.UNPROVEN), np.bool_)

    def fits(self, asked: QueryDemand) -> Marks:
        """Return the places that match the query's category or, if it has none, its types and
        names.
        """
        if asked.category:
            answers: tuple[str, ...] = ("category",)
        else:
            is_said = asked.wished or asked.named or asked.beside
            answers = ("named", "wished", "beside") if is_said else _ASKED
        return np.asarray(self.points[[_CODES.index(c) for c in answers]].any(axis=0), np.bool_)

    def reasons(self, at: int) -> list[dict[str, object]]:
        """Return the reasons for a place with their points, in the order of the vocabulary."""
        given = self.points[:, at].tolist()
        return [{"code": code, "points": n} for code, n in zip(_CODES, given, strict=True) if n]


def score_places(
    places: CandidatePlaces, asked: QueryDemand, found: QueryFindings, without: str | None = None
) -> Scores:
    """Return the points of every place; ``without`` is a document to ignore."""
    n_liked = places.n_liked - places.count(places.liked, filter(None, [without]), None)
    n_stops = _stops(places, found, without)
    n_found = places.count(places.liked, sorted(set(found.documents)), without)
    answers, wish_type, wish_name = _answers(places, asked, n_liked)
    wish_level = np.where(answers, ranking.OF_WISH_LEVEL, ranking.NEAR_KIND)
    by_type, by_name, is_shut = _suits(places, asked, wish_name > 1)
    level = ranking.NEAR_KIND if asked.category else ranking.OF_LEVEL
    rows = {
        "named": ranking.NAMED * places.mark_called(asked.named) if asked.named else None,
        "category": ranking.OF_KIND * places.of_category(asked.category)
        if asked.category
        else None,
        "wished": ranking.OF_KIND * answers if asked.wished else None,
        "beside": _beside(places, asked),
        "type": level * by_type + wish_level * wish_type,
        "name": level * by_name + wish_level * wish_name,
        "told": ranking.share(
            _count_told(places, asked, without), ranking.TOLD_MOST, ranking.TOLD_HALF
        ),
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
    }
    known = places.is_of_table | (n_liked > 0)
    unwanted = _any(places, asked.excluded) | places.mark_called(asked.names_excluded)
    named, is_stop = places.mark_called(asked.named), n_stops > 0
    faults = _faults(places, n_liked)
    is_poor = (
        answers & (faults == 1) & (places.rating_tenths >= ranking.POOR_LEAST) & ~places.is_plain
    )
    rows["obscure"] = _obscure(places, asked, n_liked, wish_type + wish_name) * (answers & ~is_poor)
    rows["poor"] = ranking.POOR * (is_poor | ((faults > 0) & is_stop & ~named))
    may_be = known & ~unwanted & ~is_shut & _open(places, asked) & ((faults == 0) | is_poor)
    may_be &= _within_reach(places, asked, n_liked)
    nothing = np.zeros(len(places.ids), np.int64)
    points = {
        code: nothing if row is None else np.asarray(row, np.int64) for code, row in rows.items()
    }
    is_piece = _pieces(places, may_be, answers, sum(points.values(), nothing)) & ~named
    points["piece"] = np.asarray(ranking.PIECE * is_piece, np.int64)
    return Scores(
        np.array([points[code] for code in _CODES]),
        is_stop,
        n_found > 0,
        (may_be & ~is_piece) | is_stop | named,
    )


def _answers(
    places: CandidatePlaces, asked: QueryDemand, n_liked: Counts
) -> tuple[Marks, Counts, Counts]:
    """Return the places that match, and how well their types and names match the wanted types.

    A place whose name contradicts a type does not match. A well known place that has a different
    type in the tables does not match either, but its types and name are rated too, so that such
    places can fill the list.
    """
    found, by_type, by_name = (np.zeros(len(places.ids), np.int64) for _ in range(3))
    if asked.category:
        return places.of_category(asked.category), by_type, by_name
    is_known = _renown(places, n_liked) >= ranking.NEAR_KNOWN
    for code in asked.wished:
        of_type, of_name, is_of = places.of_wish(code)
        level = of_type + of_name
        says = is_of | (is_known & (level >= ranking.PROVEN_LEVEL) & (found == 0))
        better = (says & (level > by_type + by_name)) | (is_of & (level >= 0) & (found == 0))
        found |= is_of & (level >= 0)
        by_type, by_name = np.where(better, of_type, by_type), np.where(better, of_name, by_name)
    return found > 0, by_type, by_name


def _obscure(places: CandidatePlaces, asked: QueryDemand, n_liked: Counts, level: Counts) -> Counts:
    """Return the points that a matching place loses because it is little known.

    A place loses more points if it is far away, or if its name and other types do not match the
    query. A place loses fewer points if the query asks for hidden places.
    """
    listed = places.listed_points
    is_obscure = (listed > 0) & (listed < ranking.OBSCURE_BELOW) & (n_liked == 0)
    if asked.category:
        return np.asarray(ranking.OBSCURE * is_obscure, np.int64)
    is_said = (level >= ranking.PROVEN_LEVEL) | ("hidden_gem" in asked.wished)
    is_far = (places.away_m > ranking.FAR_M) & (places.away_m < NOWHERE_M)
    is_far &= _renown(places, n_liked) < ranking.LITTLE_KNOWN
    cost = np.where(is_said & ~is_far, ranking.OBSCURE, ranking.UNPROVEN)
    return np.asarray(cost * (is_obscure | is_far), np.int64)


def _beside(places: CandidatePlaces, asked: QueryDemand) -> Counts | None:
    """Return points for nearness to the query's places, or None if the query names no places."""
    if not asked.beside:
        return None
    away = places.metres_from(asked.beside)
    half = ranking.BESIDE_HALF_M
    points = ranking.BESIDE + ranking.BESIDE_MORE * half // (half + away)
    return np.where(away <= ranking.BESIDE_M, points, 0)


def _within_reach(places: CandidatePlaces, asked: QueryDemand, n_liked: Counts) -> Marks:
    """Return the places that are close enough for the length of the trip and for the party."""
    away = places.away_m
    is_worth = _renown(places, n_liked) >= ranking.FAR_RENOWN
    is_worth &= (asked.n_days or USUAL_DAYS) >= ranking.FAR_DAYS
    found = is_worth | (away <= ranking.REACH_M.get(asked.n_days or 0, NOWHERE_M))
    if asked.is_gentle:
        found &= away <= np.where(is_worth, ranking.GENTLE_FAR_M, ranking.GENTLE_M)
    return np.asarray(found | (away == NOWHERE_M), np.bool_)


def _renown(places: CandidatePlaces, n_liked: Counts) -> Counts:
    return ranking.share(n_liked, ranking.POPULAR_MOST, ranking.POPULAR_HALF) + places.listed_points


def _faults(places: CandidatePlaces, n_liked: Counts) -> Counts:
    """Count the faults of each little known place, such as a poor rating or an unattractive kind.

    The number is 0 for a well known place, and for a place without faults.
    """
    renown = _renown(places, n_liked)
    rated = places.rating_tenths
    faults = (
        ((rated > 0) & (rated < ranking.POOR_BELOW)).astype(np.int64)
        + places.is_plain
        + places.is_work
    )
    return np.where(renown >= ranking.LITTLE_KNOWN * faults, 0, faults)


def _pieces(places: CandidatePlaces, may_be: Marks, answers: Marks, total: Counts) -> Marks:
    """Return the places that are left out because another place represents the same sight.

    The place with the highest score represents the sight, but a hall never represents its palace. A
    museum in a park remains a candidate of its own if the museum matches the query but the park
    does not. The result also contains each area that has a lower score than a sight inside it.
    """
    every = np.arange(len(total))
    group = np.where(places.whole >= 0, places.whole, every)
    is_hall = places.is_hall & (places.whole >= 0)
    order = np.lexsort((every, -total, is_hall, group))
    order = order[may_be[order]]
    groups, first = np.unique(group[order], return_index=True)
    stands = np.isin(every, order[first])
    found = ~stands & ~(places.is_own & answers & ~answers[group]) & np.isin(group, groups)
    for area, inside in places.areas.items():
        found[area] |= bool((inside & may_be & (total > total[area])).any())
    return np.asarray(found, np.bool_)


def _any(places: CandidatePlaces, types: Iterable[str]) -> Marks:
    nowhere = np.zeros(len(places.ids), np.bool_)
    of_types = [places.of_type(code) for code in types]
    return np.asarray(np.any([nowhere, *of_types], axis=0), np.bool_)


def _stops(places: CandidatePlaces, found: QueryFindings, without: str | None) -> Counts:
    """Return the number of trajectories that stop at each place."""
    n = np.zeros(len(places.ids), np.int64)
    for doc_id, stops in found.stops:
        if doc_id != without:
            n[[places.at[poi] for poi in sorted(set(stops)) if poi in places.at]] += 1
    return n


def _suits(
    places: CandidatePlaces, asked: QueryDemand, is_said: Marks
) -> tuple[Counts, Counts, Marks]:
    """Return the levels of each place's types and name, summed over all contexts, and the excluded
    places.

    The pace of the trip does not exclude a place that matches a wish in the query.
    """
    by_type, by_name = (np.zeros(len(places.ids), np.int64) for _ in range(2))
    is_shut = np.zeros(len(places.ids), np.bool_)
    for wish in asked.contexts:
        of_type, of_name = places.levels(wish)
        by_type += np.maximum(of_type, 0)
        by_name += np.maximum(of_name, 0)
        is_shut |= ((of_type < 0) | (of_name < 0)) & ~(is_said & (wish[0] == "compactness"))
    if asked.category:
        # A place of another category, or of none, may still be close to this category.
        other = ~places.of_category(asked.category)
        near = ("poi_category", asked.category)
        other &= places.levels(near)[1] >= 0
        by_type, by_name = (np.maximum(level, 0) * other for level in places.levels(near))
        by_type, by_name = by_type * (by_type > by_name), by_name * (by_name >= by_type)
    return by_type, by_name, is_shut


def _count_told(places: CandidatePlaces, asked: QueryDemand, without: str | None) -> Counts:
    """Return the number of documents that tag each place in one of the query's contexts."""
    by_context = (places.told.get(context, {}) for context in asked.contexts)
    return sum(
        (places.count(told, told, without) for told in by_context),
        np.zeros(len(places.ids), np.int64),
    )


def _in_season(places: CandidatePlaces, asked: QueryDemand) -> Marks:
    nowhere = np.zeros(len(places.ids), np.bool_)
    seasons = [places.seasons[code] for code in asked.seasons]
    return np.asarray(np.any([nowhere, *seasons], axis=0), np.bool_)


def _open(places: CandidatePlaces, asked: QueryDemand) -> Marks:
    in_seasons = [
        places.open_in(code) & places.in_months(season_months(code, places.lat))
        for code in asked.seasons
    ]
    return np.asarray(np.all([places.in_months(asked.months), *in_seasons], axis=0), np.bool_)


def _near(places: CandidatePlaces, asked: QueryDemand) -> Counts:
    if asked.n_days is None:
        half = ranking.NEAR_HALF_UNKNOWN_M
    else:
        half = ranking.NEAR_HALF_M.get(asked.n_days, ranking.NEAR_HALF_LONG_M)
    most = ranking.NEAR_MOST_SHORT.get(asked.n_days or 0, ranking.NEAR_MOST)
    return most * half // (half + places.away_m)
