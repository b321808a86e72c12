"""The triptailor family: a round trip by weekday and part of day, with interests and cuisines.

After TripTailor's queries as TourPlanner, appendix D.1, describes them. The days, weekdays and
the budget are hard; interests and cuisines mean all of those named, as far as time allows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from queries.drawing import deal, pick, sample
from queries.grounding import Offer, Origin, Place
from queries.rows import Distinct, Row, assign_splits, held_out, query_row
from queries.settings import PlanError, SplitSettings, TripTailorSettings
from queries.traveleval import least_cents
from queries.wording import budget_en, budget_zh, join_en, join_zh, sentence_en, sentence_zh
from schemas.taxonomy import TRIPTAILOR_CUISINES

Plan = dict[str, Any]
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WEEKDAYS_ZH = "一二三四五六日"
PARTS = {"early morning": "清晨", "late morning": "上午", "afternoon": "下午", "evening": "晚上"}
INTENSITIES = {"relaxed": "轻松", "moderate": "适中", "packed": "紧凑"}
_CUISINES_EN = {term.zh: term.en for term in TRIPTAILOR_CUISINES}

_OPEN_ZH = (
    "我想从{start}去{target}玩{days}天，{out}出发，{back}返回，{budget}",
    "计划一次{days}天的旅行，从{start}到{target}，{out}动身，{back}回来，{budget}",
    "人在{start}，打算去{target}待{days}天，{out}走，{back}回程，{budget}",
)
_OPEN_EN = (
    "I am looking for a {days}-day trip from {start} to {target}, departing on {out} and returning on {back}, {budget}",
    "a {days}-day trip to {target}, leaving from {start}, departing on {out}, returning on {back}, {budget}",
    "I'd like to travel from {start} to {target} for {days} days, setting out on {out}, returning on {back}, {budget}",
)
_CLAUSES_ZH = {
    "interests": ("想逛{v}", "对{v}感兴趣", "主要看{v}"), "cuisines": ("想吃{v}", "美食想尝{v}", "吃的方面要有{v}"),
    "intensity": ("行程强度{v}", "强度要{v}", "安排强度{v}为宜"),
}  # fmt: skip
_CLAUSES_EN = {
    "interests": ("seeing {v}", "interested in {v}"), "cuisines": ("eating {v}", "food: {v}"),
    "intensity": ("{v} in intensity", "intensity: {v}"),
}  # fmt: skip


def plan(
    places: Sequence[Place],
    settings: TripTailorSettings,
    splits: SplitSettings | None = None,
    prefix: str = "triptailor-",
) -> list[Row]:
    """Queries balanced over destinations, days and weekdays.

    Raises PlanError where no destination can be reached.
    """
    reachable = [place for place in places if place.offer.origins]
    if not reachable:
        raise PlanError(
            ("queries", "cities"), "no city can be reached from another: name two or more"
        )
    count = settings.queries
    destinations = deal(reachable, count, prefix, "destinations")
    days = deal(settings.days, count, prefix, "days")
    weekdays = deal(range(7), count, prefix, "weekdays")
    rows: list[Row] = []
    drawn = Distinct()
    for number, place in enumerate(destinations):
        uid = f"R{number + 1:05d}"
        origin = pick(place.offer.origins, prefix + uid, "origin")
        make = partial(
            _row, uid=uid, place=place, origin=origin, days=days[number], weekday=weekdays[number]
        )
        rows += drawn.draw(make, prefix, ("queries", "triptailor", "queries"))
    ids = held_out([place.city for place in places], splits or SplitSettings())
    assign_splits(rows, _unit_of, splits or SplitSettings(), ids)
    return rows


def _unit_of(row: Row) -> tuple[str, ...]:
    structure = json.loads(row["structure"])
    return (structure["start_city"], structure["target_city"])


def cuisines_of(place: Place) -> tuple[str, ...]:
    """Cuisines of the published list that the city has; without tables all but the vague one."""
    known = set(place.offer.cuisines)
    return tuple(
        term.zh
        for term in TRIPTAILOR_CUISINES
        if term.code != "other" and (place.tables is not place.offer or known & set(term.words))
    )


def _row(prefix: str, uid: str, place: Place, origin: Origin, days: int, weekday: int) -> list[Row]:
    seed = prefix + uid
    types, cuisines = place.offer.types, cuisines_of(place)
    parts = tuple(PARTS)
    structure: Plan = {
        "uid": uid,
        "start_city": origin.city.slug,
        "target_city": place.city.slug,
        "days": days,
        "departure_day": WEEKDAYS[weekday],
        "departure_part": pick(parts, seed, "out"),
        "return_day": WEEKDAYS[(weekday + days - 1) % 7],
        "return_part": pick(parts[1:], seed, "back"),
        "budget": _budget(seed, place.offer, origin, days),
        "interests": sample(types, min(pick((1, 2, 3), seed, "i"), len(types)), seed, "interests"),
        "cuisines": sample(
            cuisines, min(pick((1, 2, 3), seed, "c"), len(cuisines)), seed, "cuisines"
        ),
        "intensity": pick(tuple(INTENSITIES), seed, "intensity"),
    }
    held = {
        term.zh
        for term in TRIPTAILOR_CUISINES
        if place.tables and set(place.tables.cuisines) & set(term.words)
    }
    lacking = place.lacks(structure["interests"])
    lacking += [zh for zh in structure["cuisines"] if zh not in held]
    if lacking:
        structure["ungrounded"] = lacking
    texts = (
        _text_zh(structure, origin.city.name_zh or origin.city.name_en, place.city.name_zh or place.city.name_en, seed),
        _text_en(structure, origin.city.name_en, place.city.name_en, seed),
    )  # fmt: skip
    return [query_row(
        seed, place.city, "triptailor", "intensity", structure["intensity"], days, texts, structure,
        f"{days}d/{structure['departure_day']}", place.status(lacking),
    )]  # fmt: skip


def _budget(seed: str, offer: Offer, origin: Origin, days: int) -> int:
    """Yuan for one person, up to the next hundred: one to three times the cheapest trip."""
    least = max(least_cents(offer, origin.round_trip_cents, days, 1), days * 40_000)
    return (least * pick(range(4, 13), seed, "budget") // 4 + 9_999) // 10_000 * 100


def _text_zh(structure: Plan, start: str, target: str, seed: str) -> str:
    def moment(side: str) -> str:
        day = _WEEKDAYS_ZH[WEEKDAYS.index(structure[f"{side}_day"])]
        return f"{pick(('周', '星期'), seed, side)}{day}{PARTS[structure[f'{side}_part']]}"

    opening = pick(_OPEN_ZH, seed, "form").format(
        start=start, target=target, days=structure["days"], out=moment("departure"),
        back=moment("return"), budget=budget_zh(structure["budget"], seed),
    )  # fmt: skip
    values = {
        "interests": join_zh(structure["interests"]), "cuisines": join_zh(structure["cuisines"]),
        "intensity": INTENSITIES[structure["intensity"]],
    }  # fmt: skip
    return sentence_zh(opening, _wishes(values, _CLAUSES_ZH, seed), seed)


def _text_en(structure: Plan, start: str, target: str, seed: str) -> str:
    opening = pick(_OPEN_EN, seed, "form_en").format(
        start=start, target=target, days=structure["days"],
        out=f"{structure['departure_day']} {structure['departure_part']}",
        back=f"{structure['return_day']} {structure['return_part']}",
        budget=budget_en(structure["budget"], seed),
    )  # fmt: skip
    values = {
        "interests": join_en(structure["interests"]),
        "cuisines": " and ".join(_CUISINES_EN[zh] for zh in structure["cuisines"]),
        "intensity": structure["intensity"],
    }
    return sentence_en(opening, _wishes(values, _CLAUSES_EN, seed), seed)


def _wishes(values: dict[str, str], forms: Mapping[str, Sequence[str]], seed: str) -> list[str]:
    return [
        pick(forms[name], seed, name).format(v=value) for name, value in values.items() if value
    ]
