"""Computes rankings, for the stage that ranks and for the gates that check it.

The score of a candidate is the sum of the points for its reasons. Points are whole numbers, so the
order is the same on every machine; equal scores are ordered by id. The weights were chosen by
tripbed: what a query asks for (`ASKED`) counts more than a place's general merits, so queries with
different wishes have different candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.taxonomy import Term
from schemas.word_lists import Lists

_LISTS = Lists("schemas")


def _first_last(months: str) -> tuple[int, int]:
    first, last = months.split("-")
    return int(first), int(last)


#: Roles of a mention that speak for a place.
LIKED_ROLES = ("visited", "recommended")
#: What a day too many or too few costs against a full context score of one.
DAY_PENALTY = 0.15
#: How well a trajectory fits a pace that its text does not name but its stops show.
PACE_FIT = 0.5

#: Families whose plans are to keep to the candidates of their query: they are all that it knows.
#: Queries of the others have them as advice, beside everything else in the city.
LISTED_FAMILIES = ("tprag", "tripscore")

#: Why a place is a candidate: code, in Chinese, in English.
REASONS = tuple(Term(code, zh, en) for code, zh, en in _LISTS.table("candidate_reasons"))
#: The reasons that answer what this query asks for, not any.
ASKED = frozenset({"named", "category", "wished", "beside", "type", "name", "told", "season"})

#: Points of a place that the query names,
NAMED = 4500
#: of one of its category, or of a type that it wishes for,
OF_KIND = 3000
#: of a type or name that suits its season, festival, travellers or pace: for each of the levels 1
#: to 3 of the lists `fitting_types` and `fitting_names`, each,
OF_LEVEL = 60
#: and by the better of the two for each level, where they come near to its category, but the tables
#: place it in another or in none;
NEAR_KIND = 500
#: and for each of these levels, where its name or another type says a type that the query wishes
#: for. What the tables do not give that type is near to it, if it has so many points of renown.
OF_WISH_LEVEL, NEAR_KNOWN = 200, 100
#: that a fact calls best in its season.
OF_SEASON = 200
#: With n documents, or routes, of some kind a place has MOST * n // (n + HALF) points: half of the
#: most with HALF, and ever less for one more. Documents that tell of it in the query's context;
TOLD_MOST, TOLD_HALF = 240, 1
#: routes of the query that stop there;
STOP_MOST, STOP_HALF = 200, 1
#: documents found for the query that visit or recommend it;
FOUND_MOST, FOUND_HALF = 150, 3
#: all independent documents of the city that do.
POPULAR_MOST, POPULAR_HALF = 400, 2
#: Points of a place for the row of its table, where the order tells what is visited: half of the
#: most with so many rows before it.
LISTED_MOST, LISTED_HALF = 400, 40
#: A place with fewer points of these two kinds is little known. One that is little known is no
#: candidate if its kind is nothing to travel for, or if it is rated below so many tenths; one that
#: is both needs twice as many.
LITTLE_KNOWN, POOR_BELOW = 230, 43
#: A piece of a sight is a sight of its own if it has so many hundredths of its renown.
OWN_RENOWN = 85
#: Candidates of one narrow kind, such as beaches or theatres, and of kinds of which each is much
#: the same trip.
OF_ALIKE, OF_SAME = 3, 2
#: What it costs a place of the category or type asked for that no document likes and that has fewer
#: points than these for its row: a well-known sight that comes near may stand before it.
OBSCURE, OBSCURE_BELOW = -1200, 100
#: And what it costs where neither its name nor another type says what is wished for, on this level:
#: it stays behind well-known sights.
UNPROVEN, PROVEN_LEVEL = -3000, 3
#: What it costs to be a piece of, or another name for, a sight that may be a candidate: a stop of
#: the query's routes that is one stays, behind all others.
PIECE = -6000
#: What a poor rating costs a place of the category or type asked for, which is then behind what
#: comes near to it (below so many tenths it is no candidate), and what any fault costs a stop of
#: the routes.
POOR, POOR_LEAST = -4000, 36
#: Points of a rating, for each tenth above this many tenths.
RATED_ABOVE, RATED_EACH = 35, 10
#: Points of a grade, and of what the tables call a landmark of the city.
GRADED = {"AAA": 50, "AAAA": 100, "AAAAA": 150}
LANDMARK = 100
#: A place in the city's middle has this many points, more where there are few days, and half of
#: them at the distance (in metres) of a trip of so many days, and of a longer or an unknown one.
NEAR_MOST, NEAR_MOST_SHORT = 200, {1: 800, 2: 500}
NEAR_HALF_M = {1: 4_000, 2: 5_000, 3: 10_000, 4: 15_000}
NEAR_HALF_LONG_M, NEAR_HALF_UNKNOWN_M = 25_000, 15_000
#: Metres to the middle beyond which nothing is a candidate of so short a trip, but stops of its
#: routes and what it names.
REACH_M = {1: 25_000, 2: 80_000, 3: 150_000}
#: What has so many points of renown is worth any way, where there are so many days.
FAR_RENOWN, FAR_DAYS = 500, 3
#: Nor is anything beyond the first distance a candidate of a trip with children, with the old, or
#: at a slow pace; up to the second what is worth the way.
GENTLE_M, GENTLE_FAR_M = 50_000, 80_000
#: Metres to the middle beyond which a place of a wished type that is little known stays behind
#: well-known sights.
FAR_M = 50_000
#: Points of a place within so many metres of one that the query wants to be near: the first for
#: each, the second halved at the last distance.
BESIDE, BESIDE_MORE, BESIDE_M, BESIDE_HALF_M = 2_000, 2_000, 6_000, 2_000
#: Points of a stay of at most so many minutes, where the pace is tight.
SHORT_STAY, SHORT_STAY_MIN = 100, 120

#: Candidates for a day of the trip, between the bounds of the profile; and the days of a trip
#: whose length is not given.
PER_DAY, USUAL_DAYS = 10, 4
#: In hundredths of a query's candidates: those of the category, a type or a name that it asks for,
#: or else those that suit its season, festival, travellers or pace (the city's best known suit
#: many),
OF_KIND_SHARE, SUITING_SHARE = 75, 60
#: and places of the tables that none of its documents names; as far as there are so many.
TABLE_SHARE = 25
#: Candidates of each type that a query wishes for, as far as there are so many.
OF_EACH_TYPE = 5

#: How well a type (or `category:` and a category) suits a constraint, by kind and code: -1 not.
FITTING_TYPES = {
    (kind, code, of): int(level) for kind, code, of, level in _LISTS.table("fitting_types")
}
#: How well a word in a name suits a constraint; `$` after it where the name must end with it.
FITTING_NAMES = {
    (kind, code, word): int(level) for kind, code, word, level in _LISTS.table("fitting_names")
}

#: Wishes for a type that say the same as a constraint.
SAME_WISH = {("type", "family_friendly"): ("traveller", "parent_child")}

#: Months of festivals, about.
FESTIVAL_MONTHS = {
    "spring_festival": (1, 2), "qingming": (4,), "labor_day": (5,), "dragon_boat": (6,),
    "mid_autumn": (9,), "national_day": (10,),
}  # fmt: skip
#: First and last month in which places with a word in their name are open, north of the equator,
#: and the same from so many degrees of latitude on.
OPEN_MONTHS = {
    word: (_first_last(months), _first_last(north))
    for word, months, north in _LISTS.table("open_months")
}
COLD_LATITUDE = 33

_IN_ENGLISH = {term.code: term.en for term in REASONS}


def share(n: NDArray[np.int64], most: int, half: int) -> NDArray[np.int64]:
    """Compute points for ``n`` documents or routes: ``half`` of them earn half of ``most``, and
    each further one adds less.
    """
    return most * n // (n + half)


def in_words(reasons: Iterable[Mapping[str, Any]] | None) -> str:
    """Write a candidate's reasons in English with their points, strongest first; "" if unknown."""
    ordered = sorted(reasons or (), key=lambda reason: -reason["points"])
    return ", ".join(f"{_IN_ENGLISH[reason['code']]} ({reason['points']})" for reason in ordered)
