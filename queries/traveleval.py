"""The traveleval family, group A: structured requests between two cities, by difficulty.

Rules and quotas follow TravelEval, table A1 and appendix C. A tag is only asked for where the
destination's tables can meet it, and a budget is never below the cheapest journey, room and
meals. Every draw is a hash of the query's id and of what is drawn, so equal inputs give equal
queries.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any, TypeVar

import polars as pl

from queries.grounding import Offer, Origin
from queries.traveleval_text import text_en, text_zh
from schemas.arrow import frame
from schemas.cities import City
from schemas.ids import canonical_json, digest

T = TypeVar("T")
Plan = dict[str, Any]

#: Queries of one of ten destinations by days 2 to 7: a tenth of the published quotas (table A1).
QUOTAS: dict[str, tuple[int, ...]] = {
    "easy": (2, 3, 4, 4, 3, 4),
    "medium": (4, 6, 8, 8, 6, 8),
    "hard": (4, 6, 8, 8, 6, 8),
}
CATEGORIES = ("transportation", "accommodations", "diet", "attractions", "rhythm")
#: Categories whose tags a hard query may exclude.
EXCLUDABLE = ("accommodations", "diet", "attractions")
#: Cost a person and day, and of the journey, in yuan, by class (appendix C, rule III).
CLASSES = {"economy": (100, 500, 500), "medium": (500, 1000, 1200), "high": (1000, 5000, 2000)}
_DUOS = ((2, 0, 0), (1, 1, 0), (1, 0, 1))
_FIRST_DAY, _DAYS_TO_CHOOSE = dt.date(2026, 3, 2), 240
_MEALS_A_DAY = 2


def plan_queries(city: City, offer: Offer) -> pl.DataFrame:
    """Queries to a city as rows of the table ``queries``; none where no origin connects."""
    if not offer.origins:
        return frame("queries", [])
    rows = []
    for difficulty, quotas in QUOTAS.items():
        for n_days, quota in zip(range(2, 8), quotas, strict=True):
            for number in range(1, quota + 1):
                query_id = f"traveleval-{city.slug}-{difficulty}-{n_days}d-{number:02d}"
                rows.append(_row(query_id, city, offer, difficulty, n_days))
    return frame("queries", rows)


def _pick(options: Sequence[T], *seed: str) -> T:
    return options[int(digest(*seed, length=12), 16) % len(options)]


def _sample(options: Sequence[T], count: int, *seed: str) -> list[T]:
    """``count`` different options in their own order, chosen by hash."""
    ranked = sorted(range(len(options)), key=lambda i: digest(*seed, str(i)))
    return [options[i] for i in sorted(ranked[:count])]


def _row(query_id: str, city: City, offer: Offer, difficulty: str, n_days: int) -> Plan:
    origin = _pick(offer.origins, query_id, "origin")
    party = _party(query_id)
    start = _FIRST_DAY + dt.timedelta(days=_pick(range(_DAYS_TO_CHOOSE), query_id, "date"))
    plan: Plan = {
        "uid": query_id,
        "tag": difficulty,
        "start_city": origin.city.slug,
        "target_city": city.slug,
        "days": n_days,
        "people_number": sum(party),
        "people_composition": dict(zip(("adults", "children", "seniors"), party, strict=True)),
        "budget": _budget(query_id, offer, origin, difficulty, n_days, sum(party)),
        "dates": f"{start} to {start + dt.timedelta(days=n_days - 1)}",
        **_preferences(query_id, offer, origin, difficulty, party),
    }
    names = (origin.city, city)
    return {
        "query_id": query_id,
        "city_id": city.city_id,
        "family": "traveleval",
        "constraint_kind": "difficulty",
        "constraint_code": difficulty,
        "n_days": n_days,
        "text_zh": text_zh(plan, *(c.name_zh or c.name_en for c in names)),
        "text_en": text_en(plan, *(c.name_en for c in names)),
        "structure": canonical_json(plan),
        "stratum": f"{difficulty}/{n_days}d",
        "split": _pick(("train",) * 7 + ("validation",) + ("test",) * 2, query_id, "split"),
        "status": "kept",
        "n_trajectories": 0,
        "n_candidates": 0,
    }


def _party(query_id: str) -> tuple[int, int, int]:
    """Adults, children, seniors: at least one adult, at most 3 children and 2 seniors."""
    people = _pick(range(1, 7), query_id, "people")
    if people == 1:
        return (1, 0, 0)
    if people == 2:
        return _pick(_DUOS, query_id, "duo")
    groups = [
        (people - children - seniors, children, seniors)
        for children in range(4)
        for seniors in range(3)
        if people - children - seniors >= 1
    ]
    return _pick(groups, query_id, "group")


def _budget(
    query_id: str, offer: Offer, origin: Origin, difficulty: str, n_days: int, people: int
) -> int:
    """Yuan for the whole party: (m · days + n) · people, rounded as the rules say.

    Half of the hard queries are of the economy class. The daily cost m is drawn again until
    the budget covers journey, rooms and meals; the dearest class always does.
    """
    names = sorted(CLASSES)
    economy = difficulty == "hard" and _pick((True, False), query_id, "economy")
    first = "economy" if economy else _pick(names, query_id, "class")
    order = [first, *(name for name in ("economy", "medium", "high") if name != first)]
    least = _least_cents(offer, origin, n_days, people) / 100
    for name in order:
        low, high, journey = CLASSES[name]
        for draw in range(8):
            daily = _pick(range(low, high + 1, 10), query_id, "daily", name, str(draw))
            budget = rounded((daily * n_days + journey) * people)
            if budget >= least:
                return budget
    return rounded((CLASSES["high"][1] * n_days + CLASSES["high"][2]) * people)


def rounded(budget: int) -> int:
    """Nearest 500 yuan below 10,000, nearest 2,000 from there on."""
    step = 500 if budget < 10_000 else 2_000
    return (budget + step // 2) // step * step


def _least_cents(offer: Offer, origin: Origin, n_days: int, people: int) -> int:
    rooms = (people + 1) // 2 * (n_days - 1) * offer.room_cents
    meals = people * n_days * _MEALS_A_DAY * offer.meal_cents
    return origin.round_trip_cents * people + rooms + meals


def _preferences(
    query_id: str, offer: Offer, origin: Origin, difficulty: str, party: tuple[int, int, int]
) -> dict[str, dict[str, list[str]]]:
    """Wishes and exclusions by category: none, 1 to 2 or 3 to 4 categories."""
    found: dict[str, dict[str, list[str]]] = {category: {} for category in CATEGORIES}
    if difficulty == "easy":
        return found
    tags = _tags(offer, origin, party)
    usable = [category for category in CATEGORIES if tags[category]]
    sizes = (1, 2) if difficulty == "medium" else (3, 4)
    count = min(_pick(sizes, query_id, "categories"), len(usable))
    chosen = _sample(usable, count, query_id, "which")
    if difficulty == "hard" and not any(len(tags[c]) > 2 for c in chosen if c in EXCLUDABLE):
        chosen = [max(EXCLUDABLE, key=lambda c: len(tags[c])), *chosen[1:]]
    for category in chosen:
        most = 1 if category in ("transportation", "rhythm") else 2
        number = min(_pick(range(1, most + 1), query_id, "n", category), len(tags[category]))
        wishes = _sample(tags[category], number, query_id, "tags", category)
        found[category] = {"preferences": wishes, "constraints": []}
    if difficulty == "hard":
        _exclude(query_id, found, chosen, tags)
    return found


def _tags(offer: Offer, origin: Origin, party: tuple[int, int, int]) -> dict[str, tuple[str, ...]]:
    """Tags that the tables can meet and that fit the party."""
    _, children, seniors = party
    journey = [tag for tag, ok in (("高铁", origin.by_train), ("飞机", origin.by_flight)) if ok]
    return {
        "transportation": tuple(journey),
        "accommodations": offer.features,
        "diet": offer.cuisines,
        "attractions": offer.types,
        "rhythm": ("慢游",) if seniors or children else ("慢游", "特种兵式"),
    }


def _exclude(
    query_id: str,
    found: dict[str, dict[str, list[str]]],
    chosen: Sequence[str],
    tags: dict[str, tuple[str, ...]],
) -> None:
    """One exclusion or two, of tags that the query does not wish for."""
    options = [
        (category, tag)
        for category in chosen
        if category in EXCLUDABLE
        for tag in tags[category]
        if tag not in found[category]["preferences"]
    ]
    for category, tag in _sample(options, _pick((1, 2), query_id, "exclusions"), query_id, "not"):
        found[category]["constraints"].append(tag)
