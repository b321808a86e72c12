"""Plan the triptailor queries, which ask for round trips with weekdays, interests and cuisines.

The queries follow those of TripTailor, as described in TourPlanner, appendix D.1. The number of
days, the weekdays and the budget are hard constraints. A plan should include all interests and
cuisines in the query if time allows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from queries.drawing import deal, pick
from queries.grounding import Destination, Origin
from queries.journeys import modest_cents, origins_for
from queries.phrases import tags_en, tags_zh
from queries.plausible import Traveller, apart, likely
from queries.rows import Distinct, Row, assign_splits, pair_of_cities, query_row
from queries.settings import PlanningError, SplitSettings, TripTailorSettings
from queries.wording import WishPhrase, budget_en, budget_zh, request_en, request_zh
from schemas.taxonomy import TRIPTAILOR_CUISINES

Plan = dict[str, Any]
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WEEKDAYS_ZH = "一二三四五六日"
PARTS = {"early morning": "清晨", "late morning": "上午", "afternoon": "下午", "evening": "晚上"}
_PARTS_EN = {
    "early morning": "early on {day} morning", "late morning": "late on {day} morning",
    "afternoon": "on {day} afternoon", "evening": "on {day} evening",
}  # fmt: skip
INTENSITIES = ("relaxed", "moderate", "packed")


def plan(
    places: Sequence[Destination],
    settings: TripTailorSettings,
    splits: SplitSettings = SplitSettings(),
    prefix: str = "triptailor-",
) -> list[Row]:
    """Plan queries, balanced across destinations, days and weekdays.

    Raises PlanningError if no destination can be reached.
    """
    reachable = [place for place in places if place.offer.origins]
    if not reachable:
        raise PlanningError(
            ("queries", "cities"),
            "no destination can be reached from another city: give at least two cities",
        )
    count = settings.queries
    destinations = deal(reachable, count, prefix, "destinations")
    days = deal(settings.days, count, prefix, "days")
    weekdays = deal(range(7), count, prefix, "weekdays")
    rows: list[Row] = []
    drawn = Distinct()
    for number, place in enumerate(destinations):
        uid = f"R{number + 1:05d}"
        origin = pick(origins_for(place.city, place.offer, days[number]), prefix + uid, "origin")
        make = partial(
            _row, uid=uid, place=place, origin=origin, days=days[number], weekday=weekdays[number]
        )
        rows += drawn.draw(make, prefix, ("queries", "triptailor", "queries"))
    assign_splits(rows, pair_of_cities, splits, [place.city for place in places])
    return rows


def cuisines_of(place: Destination) -> tuple[str, ...]:
    """Return the published cuisines that the city has, or all of them if there are no tables, but
    never the vague cuisine ``other``.
    """
    known = set(place.offer.cuisines)
    return tuple(
        term.zh
        for term in TRIPTAILOR_CUISINES
        if term.code != "other" and (place.tables is not place.offer or known & set(term.words))
    )


def _row(
    prefix: str, uid: str, place: Destination, origin: Origin, days: int, weekday: int
) -> list[Row]:
    seed = prefix + uid
    alone = Traveller((1, 0, 0), also=frozenset({"undated"}))
    types, cuisines = likely(place.offer.types, alone), likely(cuisines_of(place), alone)
    out, back = _parts(days)
    # A short trip has fewer wishes.
    most = 2 if days < 4 else 3
    structure: Plan = {
        "uid": uid,
        "start_city": origin.city.slug,
        "target_city": place.city.slug,
        "days": days,
        "departure_day": WEEKDAYS[weekday],
        "departure_part": pick(out, seed, "out"),
        "return_day": WEEKDAYS[(weekday + days - 1) % 7],
        "return_part": pick(back, seed, "back"),
        "budget": _budget(seed, place, origin, days),
        "interests": apart(types, pick(range(1, most + 1), seed, "i"), seed, "interests"),
        "cuisines": apart(cuisines, pick(range(1, most + 1), seed, "c"), seed, "cuisines"),
        "intensity": pick(INTENSITIES, seed, "intensity"),
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
        text_zh(
            structure,
            origin.city.name_zh or origin.city.name_en,
            place.city.name_zh or place.city.name_en,
            seed,
        ),
        text_en(structure, origin.city.name_en, place.city.name_en, seed),
    )
    return [query_row(
        seed, place.city, "triptailor", "intensity", structure["intensity"], days, texts, structure,
        f"{days}d/{structure['departure_day']}", place.status(lacking),
    )]  # fmt: skip


def _parts(days: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the possible parts of the day for departure and for return.

    A short trip leaves early in the day and returns late in the day.
    """
    parts = tuple(PARTS)
    if days <= 2:
        return parts[:2], parts[2:]
    return (parts[:3], parts[2:]) if days == 3 else (parts, parts[1:])


def _budget(seed: str, place: Destination, origin: Origin, days: int) -> int:
    """Draw a budget per person in yuan, from 1.25 to 3 times the cost of a modest trip.

    The budget is rounded up to a multiple of 100.
    """
    modest = modest_cents(place.city, place.offer, origin, days, 1)
    return (modest * pick(range(5, 13), seed, "budget") // 4 + 9_999) // 10_000 * 100


def text_zh(structure: Plan, start: str, target: str, seed: str) -> str:
    """Write the request in Chinese."""

    def moment(side: str) -> str:
        day = _WEEKDAYS_ZH[WEEKDAYS.index(structure[f"{side}_day"])]
        week = pick(("周", "星期"), seed, "week")
        return f"{week}{day}{PARTS[structure[f'{side}_part']]}"

    filled = {
        "start": start, "target": target, "days": structure["days"], "out": moment("departure"),
        "back": moment("return"), "budget": budget_zh(structure["budget"], seed),
    }  # fmt: skip
    interests = tags_zh("attractions", structure["interests"], seed, avoided=False)
    cuisines = tags_zh("kitchen", structure["cuisines"], seed, avoided=False)
    return request_zh(
        "triptailor", filled, _wishes(structure, interests, cuisines), seed, alone=True
    )


def text_en(structure: Plan, start: str, target: str, seed: str) -> str:
    """Write the request in English."""

    def moment(side: str) -> str:
        return _PARTS_EN[structure[f"{side}_part"]].format(day=structure[f"{side}_day"])

    filled = {
        "start": start, "target": target, "days": structure["days"], "out": moment("departure"),
        "back": moment("return"), "budget": budget_en(structure["budget"], seed, alone=True),
    }  # fmt: skip
    interests = tags_en("attractions", structure["interests"], seed, avoided=False)
    cuisines = tags_en("kitchen", structure["cuisines"], seed, avoided=False)
    return request_en(
        "triptailor", filled, _wishes(structure, interests, cuisines), seed, alone=True
    )


def _wishes(
    structure: Plan, interests: Mapping[str, str], cuisines: Mapping[str, str]
) -> list[WishPhrase]:
    wishes = [WishPhrase(f"intensity/{structure['intensity']}", "level", {})]
    if structure["interests"]:
        wishes.append(WishPhrase("attraction_type", "wish", interests))
    if structure["cuisines"]:
        wishes.append(WishPhrase("cuisine", "wish", cuisines))
    return wishes
