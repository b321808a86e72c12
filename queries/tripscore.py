"""Plan the queries in the tripscore family, which have destinations, a number of days and four
preferences.

The family follows TripScore, section 3.3. Each destination has the trip lengths that people request
most often. A query has preferences for budget, pacing, attraction types and physical effort. A plan
should include at least one of the attraction types. All preferences are soft; the order of
destinations and the number of days are hard constraints. A query does not name an origin. A query
about a city without tables is marked ``ungrounded``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from queries.drawing import deal, largest_remainder, pick, sample, shuffle
from queries.grounding import Destination
from queries.phrases import tags_en, tags_zh
from queries.plausible import Traveller, apart, likely
from queries.rows import Distinct, Row, assign_splits, query_row
from queries.settings import PlanningError, SplitSettings, TripScoreSettings
from queries.wording import WishPhrase, request_en, request_zh
from schemas.geo import geodesic_m

Plan = dict[str, Any]
#: Levels of each preference (TripScore, table 2).
BUDGETS = ("economy", "moderate", "luxury")
PACES = ("relaxed", "moderate", "compact")
EFFORTS = ("light", "moderate", "strenuous")
#: Least number of days per destination if a trip has several and is long enough.
_CITY_DAYS = 2
#: Number of nearest destinations among which further ones are chosen.
_NEAREST = 2
_UNLIKE = {("relaxed", "strenuous"), ("compact", "light")}


def plan(
    places: Sequence[Destination],
    settings: TripScoreSettings,
    splits: SplitSettings = SplitSettings(),
    prefix: str = "tripscore-",
    durations: Mapping[str, Sequence[int]] | None = None,
) -> list[Row]:
    """Plan queries, balanced across the destinations and their trip lengths.

    ``durations`` maps city ids to trip lengths, most frequent first; only the first five are used.
    Cities that are not in ``durations`` get the trip lengths from the settings. Raises
    PlanningError if there is no destination.
    """
    if not places:
        raise PlanningError(("queries", "cities"), "no destination is set: give at least one city")
    count = settings.queries
    destinations = deal(places, count, prefix, "destinations")
    lengths = _lengths(destinations, settings, durations or {})
    several = _several(lengths, len(places), settings, prefix)
    rows: list[Row] = []
    drawn = Distinct()
    for number, place in enumerate(destinations):
        uid, days = f"S{number + 1:05d}", lengths[number]
        others = _neighbours(place, places) if several[number] else []
        more = sample(others, min(several[number], max(0, days - 1)), prefix, uid, "more")
        route = [place, *shuffle(more, prefix, uid)]
        make = partial(_row, uid=uid, places=route, days=days)
        rows += drawn.draw(make, prefix, ("queries", "tripscore", "queries"))
    assign_splits(rows, _unit_of, splits, [place.city for place in places])
    return rows


def _unit_of(row: Row) -> tuple[str, ...]:
    """Return the destinations and days of a query; as in the paper, queries with the same
    destinations and days share a split.
    """
    structure = json.loads(row["structure"])
    return (*sorted(structure["destinations"]), str(structure["days"]))


def _lengths(
    destinations: Sequence[Destination],
    settings: TripScoreSettings,
    durations: Mapping[str, Sequence[int]],
) -> list[int]:
    """Return the number of days for each query, using its destination's trip lengths in turn."""
    seen: Counter[str] = Counter()
    found = []
    for place in destinations:
        city_id = place.city.city_id
        own = durations.get(city_id, settings.durations)[:5]
        found.append(own[seen[city_id] % len(own)])
        seen[city_id] += 1
    return found


def _several(
    lengths: Sequence[int], cities: int, settings: TripScoreSettings, prefix: str
) -> list[int]:
    """Return the number of further destinations for each query; only the given share of queries has
    any.

    Longer trips are the first to get further destinations; a long trip gets two further
    destinations instead of one.
    """
    share = settings.several_share if cities > 1 else 0.0
    few = largest_remainder(len(lengths), (share, 1 - share))[0] if lengths else 0
    # Trips with at least two days for each destination are preferred.
    order = shuffle(range(len(lengths)), prefix, "several")
    chosen = sorted(order, key=lambda number: -min(lengths[number], 2 * _CITY_DAYS))[:few]
    found = [0] * len(lengths)
    for number in chosen:
        found[number] = min(2, max(1, lengths[number] // _CITY_DAYS - 1), cities - 1)
    return found


def _neighbours(place: Destination, places: Sequence[Destination]) -> list[Destination]:
    """Return the nearest other destinations, because travellers do not go far for only a day or
    two.
    """
    city = place.city
    others = [other for other in places if other is not place]
    ranked = sorted(others, key=lambda p: geodesic_m(city.lat, city.lon, p.city.lat, p.city.lon))
    return ranked[:_NEAREST]


def _row(prefix: str, uid: str, places: Sequence[Destination], days: int) -> list[Row]:
    seed = prefix + uid
    first = places[0]
    shared = [t for t in first.offer.types if all(t in p.offer.types for p in places)]
    types = shared or first.offer.types
    pacing = pick(PACES, seed, "pacing")
    # A relaxed trip is not strenuous, and a packed trip takes effort.
    efforts = [effort for effort in EFFORTS if (pacing, effort) not in _UNLIKE]
    party = (1, 0, 0) if _alone(seed) else pick(((2, 0, 0), (2, 1, 0)), seed, "party")
    active = likely(types, Traveller(party, also=frozenset({"undated", "strenuous"})))
    if not active and "strenuous" in efforts:
        efforts.remove("strenuous")
    effort = pick(efforts, seed, "effort")
    if effort == "strenuous":
        types = active
    else:
        types = likely(types, Traveller(party, also=frozenset({"undated"}))) or types
    structure: Plan = {
        "uid": uid,
        "destinations": [place.city.slug for place in places],
        "days": days,
        "budget": pick(BUDGETS, seed, "budget"),
        "pacing": pacing,
        "attraction_types": apart(types, pick((1, 2), seed, "n"), seed, "types"),
        "physical_effort": effort,
    }
    cities = [place.city for place in places]
    texts = (
        text_zh(structure, [city.name_zh or city.name_en for city in cities], seed),
        text_en(structure, [city.name_en for city in cities], seed),
    )
    lacking = [t for t in structure["attraction_types"] if all(p.lacks([t]) for p in places)]
    if lacking:
        structure["ungrounded"] = lacking
    status = "kept" if all(p.grounded for p in places) and not lacking else "ungrounded"
    stratum = f"{len(places)}c/{days}d"
    return [query_row(
        seed, first.city, "tripscore", "pacing", structure["pacing"], days, texts, structure,
        stratum, status,
    )]  # fmt: skip


def text_zh(structure: Plan, route: Sequence[str], seed: str) -> str:
    """Write the request in Chinese."""
    where = "、".join(route)
    types = tags_zh("attractions", structure["attraction_types"], seed, avoided=False)
    filled = {"where": where, "days": structure["days"]}
    return request_zh(
        _opening(route, structure), filled, _wishes(structure, types), seed, alone=_alone(seed)
    )


def text_en(structure: Plan, route: Sequence[str], seed: str) -> str:
    """Write the request in English."""
    *before, last = route
    where = " and ".join((", ".join(before), last)) if before else last
    types = tags_en("attractions", structure["attraction_types"], seed, avoided=False)
    filled = {"where": where, "days": structure["days"]}
    return request_en(
        _opening(route, structure), filled, _wishes(structure, types), seed, alone=_alone(seed)
    )


def _opening(route: Sequence[str], structure: Plan) -> str:
    if len(route) > 1:
        return "tripscore_route"
    return "tripscore_day" if structure["days"] == 1 else "tripscore"


def _alone(seed: str) -> bool:
    """Decide at random whether a person travels alone, and thus writes "I" or "we" in the text."""
    return pick((True, False), seed, "alone")


def _wishes(structure: Plan, types: Mapping[str, str]) -> list[WishPhrase]:
    levels = ("budget", "pacing", "physical_effort")
    wishes = [WishPhrase(f"{name}/{structure[name]}", "level", {}) for name in levels]
    if structure["attraction_types"]:
        wishes.append(WishPhrase("attraction_type", "wish", types))
    return wishes
