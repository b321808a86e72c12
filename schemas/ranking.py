"""Defines the points by which candidates are ranked.

The stage that ranks candidates and the gates that check the ranking both use the same values. The
score of a candidate is the sum of the points for its reasons. Points are whole numbers, so the
order is the same on every machine; equal scores are ordered by id. The weights are defined by
tripbed and do not come from a benchmark. Reasons that match the query (`ASKED`) earn more points
than the general quality of a place, so that queries with different wishes have different
candidates.
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


#: Roles of a mention that count in favour of a place.
LIKED_ROLES = ("visited", "recommended")
#: Each day that a trajectory has too many or too few reduces its score by this much. A context
#: that fits completely adds 1.
DAY_PENALTY = 0.15
#: Context score of a trajectory whose stops show the pace although its text does not name it.
PACE_FIT = 0.5

#: Families whose plans may use only the candidates of the query. In all other families, candidates
#: are advice, and a plan may use any place in the city.
LISTED_FAMILIES = ("tprag", "tripscore")

#: Reasons why a place is a candidate: code, Chinese text and English text.
REASONS = tuple(Term(code, zh, en) for code, zh, en in _LISTS.table("candidate_reasons"))
#: Reasons that depend on what the query asks for.
ASKED = frozenset({"named", "category", "wished", "beside", "type", "name", "told", "season"})

#: Points for a place that the query names.
NAMED = 4500
#: Points for a place that has the category, or one of the types, that the query asks for.
OF_KIND = 3000
#: Points for a place whose type or name suits the season, festival, travellers or pace of the
#: query. The lists `fitting_types` and `fitting_names` give levels 1 to 3, and each level counts.
OF_LEVEL = 60
#: Points per level (the better of the two lists counts) for a place that is close to the category
#: asked for, although the tables give another category or none.
NEAR_KIND = 500
#: Points per level for a place whose name or other type indicates a type that the query wishes for.
#: A place without that type in the tables counts as close to it if it has at least NEAR_KNOWN
#: points for how well known it is.
OF_WISH_LEVEL, NEAR_KNOWN = 200, 100
#: Points for a place that a fact recommends for the season of the query.
OF_SEASON = 200
#: For n documents or routes, a place gets MOST * n // (n + HALF) points: half of MOST for HALF of
#: them, and less for each further one. These are for documents about it in the query's context.
TOLD_MOST, TOLD_HALF = 240, 1
#: The same for routes of the query that stop at the place.
STOP_MOST, STOP_HALF = 200, 1
#: The same for documents found for the query in which the place is visited or recommended.
FOUND_MOST, FOUND_HALF = 150, 3
#: The same for all independent documents about the city in which it is visited or recommended.
POPULAR_MOST, POPULAR_HALF = 400, 2
#: Points for the position of the place in its table, if the table is ordered by popularity. A place
#: with LISTED_HALF rows before it gets half of the points.
LISTED_MOST, LISTED_HALF = 400, 40
#: A place that has fewer points than this for popularity and position is little known. A little
#: known place is not a candidate if its type is not worth a trip, or if its rating is below
#: POOR_BELOW tenths. If both apply, it needs twice as many points.
LITTLE_KNOWN, POOR_BELOW = 230, 43
#: A part of a sight counts as a sight of its own if it has this percentage of the sight's points.
OWN_RENOWN = 85
#: Highest number of candidates of one narrow type, such as beaches or theatres, and of a type whose
#: places all offer the same experience.
OF_ALIKE, OF_SAME = 3, 2
#: Points subtracted from a place of the category or type asked for that no document visits or
#: recommends and that has fewer than OBSCURE_BELOW points for its position in the table. A
#: well-known sight that is close to the category or type may then rank before it.
OBSCURE, OBSCURE_BELOW = -1200, 100
#: Points subtracted from such a place if neither its name nor another type confirms the wish at
#: PROVEN_LEVEL. It then ranks after well-known sights.
UNPROVEN, PROVEN_LEVEL = -3000, 3
#: Points subtracted from a place that is a part of, or another name for, a sight that may be a
#: candidate itself. If it is a stop of the query's routes, it remains a candidate, but ranks last.
PIECE = -6000
#: Points subtracted from a place of the category or type asked for because of a poor rating, and
#: from a stop of the routes because of any fault. Below POOR_LEAST tenths, a place is not a
#: candidate.
POOR, POOR_LEAST = -4000, 36
#: Points for a rating, for each tenth above RATED_ABOVE tenths.
RATED_ABOVE, RATED_EACH = 35, 10
#: Points for a grade, and for a place that the tables call a landmark of the city.
GRADED = {"AAA": 50, "AAAA": 100, "AAAAA": 150}
LANDMARK = 100
#: Points for a place in the centre of the city; short trips give more. At the distance (in metres)
#: that is given for the number of days, a place gets half of the points.
NEAR_MOST, NEAR_MOST_SHORT = 200, {1: 800, 2: 500}
NEAR_HALF_M = {1: 4_000, 2: 5_000, 3: 10_000, 4: 15_000}
NEAR_HALF_LONG_M, NEAR_HALF_UNKNOWN_M = 25_000, 15_000
#: Largest distance from the centre (in metres) of a candidate, by the number of days. It does not
#: apply to stops of the query's routes and to places that the query names.
REACH_M = {1: 25_000, 2: 80_000, 3: 150_000}
#: A place with this many points for how well known it is may be at any distance if the trip has at
#: least FAR_DAYS days.
FAR_RENOWN, FAR_DAYS = 500, 3
#: Largest distances from the centre (in metres) for a trip with children, with old people, or at a
#: slow pace. The second one applies to places that are well known enough for a long way.
GENTLE_M, GENTLE_FAR_M = 50_000, 80_000
#: Beyond this distance from the centre (in metres), a little known place of a type that the query
#: wishes for ranks after well-known sights.
FAR_M = 50_000
#: Points for a place within BESIDE_M metres of a place that the query wants to be near. Each gets
#: BESIDE points, and up to BESIDE_MORE in addition, of which half remain at BESIDE_HALF_M metres.
BESIDE, BESIDE_MORE, BESIDE_M, BESIDE_HALF_M = 2_000, 2_000, 6_000, 2_000
#: Points for a place where a visit takes at most SHORT_STAY_MIN minutes, if the pace is tight.
SHORT_STAY, SHORT_STAY_MIN = 100, 120

#: Number of candidates for each day of the trip, within the limits of the profile, and the number
#: of days that is assumed if the query does not give it.
PER_DAY, USUAL_DAYS = 10, 4
#: Percentage of a query's candidates that should have the category, a type or a name that it asks
#: for; otherwise, the percentage that should suit its season, festival, travellers or pace.
OF_KIND_SHARE, SUITING_SHARE = 75, 60
#: Percentage of places from the tables that no document of the query names, if there are enough.
TABLE_SHARE = 25
#: Number of candidates for each type that a query wishes for, if there are enough.
OF_EACH_TYPE = 5

#: How well a type (or `category:` and a category) suits a constraint, which is given by its kind
#: and code. The level -1 means that it does not suit.
FITTING_TYPES = {
    (kind, code, of): int(level) for kind, code, of, level in _LISTS.table("fitting_types")
}
#: How well a word in a name suits a constraint. A `$` after the word means that the name must end
#: with it.
FITTING_NAMES = {
    (kind, code, word): int(level) for kind, code, word, level in _LISTS.table("fitting_names")
}

#: Wishes for a type that mean the same as a constraint.
SAME_WISH = {("type", "family_friendly"): ("traveller", "parent_child")}

#: Months in which festivals usually take place.
FESTIVAL_MONTHS = {
    "spring_festival": (1, 2), "qingming": (4,), "labor_day": (5,), "dragon_boat": (6,),
    "mid_autumn": (9,), "national_day": (10,),
}  # fmt: skip
#: First and last month in which places with this word in their name are open, north of the equator.
#: The second pair applies from COLD_LATITUDE degrees of latitude on.
OPEN_MONTHS = {
    word: (_first_last(months), _first_last(north))
    for word, months, north in _LISTS.table("open_months")
}
COLD_LATITUDE = 33

_IN_ENGLISH = {term.code: term.en for term in REASONS}


def share(n: NDArray[np.int64], most: int, half: int) -> NDArray[np.int64]:
    """Compute the points that a candidate gets for ``n`` documents or routes.

    ``half`` documents or routes earn half of ``most`` points, and each additional one adds less
    than the one before.
    """
    return most * n // (n + half)


def in_words(reasons: Iterable[Mapping[str, Any]] | None) -> str:
    """List a candidate's reasons and points in English, most points first ("" if it has none)."""
    ordered = sorted(reasons or (), key=lambda reason: -reason["points"])
    return ", ".join(f"{_IN_ENGLISH[reason['code']]} ({reason['points']})" for reason in ordered)
