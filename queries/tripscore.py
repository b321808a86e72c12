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
from queries.rows import Distinct, Row, assign_splits, held_out, query_row
from queries.settings import PlanError, SplitSettings, TripScoreSettings
from queries.wording import join_en, join_zh, sentence_en, sentence_zh

Plan = dict[str, Any]
#: Chinese and English words of each level; the codes are those of TripScore, table 2.
BUDGETS = {"economy": ("经济实惠", "budget-friendly"), "moderate": ("中等价位", "mid-range"), "luxury": ("高端舒适", "luxury")}  # fmt: skip
PACES = {"relaxed": ("轻松", "relaxed"), "moderate": ("适中", "moderate"), "compact": ("紧凑", "compact")}  # fmt: skip
EFFORTS = {"light": ("轻度", "light"), "moderate": ("中度", "moderate"), "strenuous": ("高强度", "strenuous")}  # fmt: skip

_OPEN_ZH = (
    "想去{where}玩{days}天", "计划到{where}旅行，一共{days}天", "打算去{where}待{days}天",
    "帮忙规划一次{days}天的旅行，目的地{where}", "有{days}天假期，想去{where}走走",
)  # fmt: skip
_OPEN_EN = (
    "I want to visit {where} for {days} days", "plan a {days}-day trip to {where}",
    "we have {days} days to explore {where}", "looking for a {days}-day itinerary, destinations: {where}",
)  # fmt: skip
_FORMS_ZH = {
    "budget": ("消费{v}", "花费档次{v}就好", "价位希望{v}"), "pacing": ("节奏{v}", "行程节奏要{v}", "安排的节奏{v}些"),
    "effort": ("体力消耗{v}", "运动量{v}", "步行等体力活动{v}"),
}  # fmt: skip
_FORMS_EN = {
    "budget": ("spending: {v}", "a {v} spending level"), "pacing": ("at a {v} pace", "pacing: {v}"),
    "effort": ("{v} physical effort", "physical effort: {v}"),
}  # fmt: skip
_TYPES_ZH = ("喜欢{v}", "对{v}感兴趣", "主要想看{v}")
_TYPES_EN = ("interested in {v}", "seeing {v}", "we love sights of the kind {v}")


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
    structure: Plan = {
        "uid": uid,
        "destinations": [place.city.slug for place in places],
        "days": days,
        "budget": pick(tuple(BUDGETS), seed, "budget"),
        "pacing": pick(tuple(PACES), seed, "pacing"),
        "attraction_types": sample(types, min(pick((1, 2), seed, "n"), len(types)), seed, "types"),
        "physical_effort": pick(tuple(EFFORTS), seed, "effort"),
    }
    names_zh = "、".join(place.city.name_zh or place.city.name_en for place in places)
    names_en = ", then ".join(place.city.name_en for place in places)
    texts = (
        _text(structure, names_zh, seed, zh=True),
        _text(structure, names_en, seed, zh=False),
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


def _text(structure: Plan, where: str, seed: str, *, zh: bool) -> str:
    language = 0 if zh else 1
    opening = pick(_OPEN_ZH if zh else _OPEN_EN, seed, "form", str(zh))
    forms = _FORMS_ZH if zh else _FORMS_EN
    levels = (
        ("budget", BUDGETS[structure["budget"]]),
        ("pacing", PACES[structure["pacing"]]),
        ("effort", EFFORTS[structure["physical_effort"]]),
    )
    wishes = [
        pick(forms[name], seed, name, str(zh)).format(v=words[language]) for name, words in levels
    ]
    types = structure["attraction_types"]
    if types:
        form = pick(_TYPES_ZH if zh else _TYPES_EN, seed, "types", str(zh))
        wishes.append(form.format(v=(join_zh if zh else join_en)(types)))
    sentence = sentence_zh if zh else sentence_en
    return sentence(opening.format(where=where, days=structure["days"]), wishes, seed)
