"""The tripscore family: destinations, days and four preferences, without an origin.

After TripScore, section 3.3: each destination with the durations asked for most often, and a
preference of budget, pacing, attraction types and physical effort. Several attraction types mean
any of them; no preference is hard, the destinations' order and the days are. Cities without
tables give queries marked ``ungrounded``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from queries.drawing import deal, largest_remainder, pick, sample, shuffled
from queries.grounding import Place
from queries.phrases import tags_en, tags_zh
from queries.plausible import Traveller, apart, likely
from queries.rows import Distinct, Row, assign_splits, held_out, query_row
from queries.settings import PlanError, SplitSettings, TripScoreSettings
from queries.wording import Wish, request_en, request_zh

Plan = dict[str, Any]
#: Levels of each preference (TripScore, table 2).
BUDGETS = ("economy", "moderate", "luxury")
PACES = ("relaxed", "moderate", "compact")
EFFORTS = ("light", "moderate", "strenuous")
_UNLIKE = {("relaxed", "strenuous"), ("compact", "light")}


def plan(
    places: Sequence[Place],
    settings: TripScoreSettings,
    splits: SplitSettings | None = None,
    prefix: str = "tripscore-",
    durations: Mapping[str, Sequence[int]] | None = None,
) -> list[Row]:
    """Queries balanced over destinations and their durations.

    ``durations`` gives a city id its five most frequent durations, most frequent first; other
    cities have those of the settings. Raises PlanError where there is no destination.
    """
    if not places:
        raise PlanError(("queries", "cities"), "no destination: name at least one city")
    count = settings.queries
    several = _several(count, len(places), settings, prefix)
    destinations = deal(places, count, prefix, "destinations")
    seen: dict[str, int] = {}
    rows: list[Row] = []
    drawn = Distinct()
    for number, place in enumerate(destinations):
        uid = f"S{number + 1:05d}"
        city_id = place.city.city_id
        lengths = (durations or {}).get(city_id, settings.durations)[:5]
        days = lengths[seen.get(city_id, 0) % len(lengths)]
        seen[city_id] = seen.get(city_id, 0) + 1
        others = [p for p in places if p is not place]
        more = sample(
            others, min(several[number], len(others), max(0, days - 1)), prefix, uid, "more"
        )
        route = [place, *shuffled(more, prefix, uid)]
        make = partial(_row, uid=uid, places=route, days=days)
        rows += drawn.draw(make, prefix, ("queries", "tripscore", "queries"))
    ids = held_out([place.city for place in places], splits or SplitSettings())
    assign_splits(rows, _unit_of, splits or SplitSettings(), ids)
    return rows


def _unit_of(row: Row) -> tuple[str, ...]:
    return tuple(sorted(json.loads(row["structure"])["destinations"]))


def _several(count: int, cities: int, settings: TripScoreSettings, prefix: str) -> list[int]:
    """Further destinations of each query: an exact share has one or two more."""
    share = settings.several_share if cities > 1 else 0.0
    few = largest_remainder(count, (share, 1 - share))[0] if count else 0
    return shuffled([1 + i % 2 if i < few else 0 for i in range(count)], prefix, "several")


def _row(prefix: str, uid: str, places: Sequence[Place], days: int) -> list[Row]:
    seed = prefix + uid
    first = places[0]
    shared = [t for t in first.offer.types if all(t in p.offer.types for p in places)]
    types = shared or first.offer.types
    if _alone(seed):
        types = likely(types, Traveller((1, 0, 0)))
    pacing = pick(PACES, seed, "pacing")
    # A relaxed trip is not strenuous, nor a packed one light.
    efforts = [effort for effort in EFFORTS if (pacing, effort) not in _UNLIKE]
    structure: Plan = {
        "uid": uid,
        "destinations": [place.city.slug for place in places],
        "days": days,
        "budget": pick(BUDGETS, seed, "budget"),
        "pacing": pacing,
        "attraction_types": apart(types, pick((1, 2), seed, "n"), seed, "types"),
        "physical_effort": pick(efforts, seed, "effort"),
    }
    texts = (text_zh(structure, route_zh(places), seed), text_en(structure, route_en(places), seed))
    lacking = [t for t in structure["attraction_types"] if all(p.lacks([t]) for p in places)]
    if lacking:
        structure["ungrounded"] = lacking
    status = "kept" if all(p.grounded for p in places) and not lacking else "ungrounded"
    stratum = f"{len(places)}c/{days}d"
    return [query_row(
        seed, first.city, "tripscore", "pacing", structure["pacing"], days, texts, structure,
        stratum, status,
    )]  # fmt: skip


def route_zh(places: Sequence[Place]) -> list[str]:
    """Chinese names of the destinations, in order."""
    return [place.city.name_zh or place.city.name_en for place in places]


def route_en(places: Sequence[Place]) -> list[str]:
    """English names of the destinations, in order."""
    return [place.city.name_en for place in places]


def text_zh(structure: Plan, route: Sequence[str], seed: str) -> str:
    """The request in Chinese."""
    where = pick(("、", "，再去"), seed, "route").join(route)
    types = tags_zh("attractions", structure["attraction_types"], seed, avoided=False)
    filled = {"where": where, "days": structure["days"]}
    return request_zh("tripscore", filled, _wishes(structure, types), seed, alone=_alone(seed))


def text_en(structure: Plan, route: Sequence[str], seed: str) -> str:
    """The request in English."""
    *before, last = route
    where = " and then ".join((", then ".join(before), last)) if before else last
    types = tags_en("attractions", structure["attraction_types"], seed, avoided=False)
    filled = {"where": where, "days": structure["days"]}
    return request_en("tripscore", filled, _wishes(structure, types), seed, alone=_alone(seed))


def _alone(seed: str) -> bool:
    """Whether one person writes for themselves; the family does not say how many travel."""
    return pick((True, False), seed, "alone")


def _wishes(structure: Plan, types: Mapping[str, str]) -> list[Wish]:
    levels = ("budget", "pacing", "physical_effort")
    wishes = [Wish(f"{name}/{structure[name]}", "level", {}) for name in levels]
    if structure["attraction_types"]:
        wishes.append(Wish("attraction_type", "wish", types))
    return wishes
