"""Write the texts of queries in TravelEval's format, in Chinese and English."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from queries.phrases import tags_en, tags_zh
from queries.wording import (
    WishPhrase,
    budget_en,
    budget_zh,
    dates_en,
    dates_zh,
    fill_party,
    request_en,
    request_zh,
    who_zh,
)
from schemas.money import YUAN

Plan = Mapping[str, Any]
#: The kind of wish for each category.
_KINDS = {
    "transportation": "transport", "accommodations": "hotel_feature", "diet": "cuisine",
    "attractions": "attraction_type", "rhythm": "rhythm",
}  # fmt: skip
_SIDES = (("preferences", "wish"), ("constraints", "avoid"))
_WAYS_EN = {"高铁": "high-speed train", "飞机": "plane"}


def text_zh(plan: Plan, start: str, target: str) -> str:
    """Write the request in Chinese. Raises KeyError if the query lacks a field."""
    seed, party = plan["uid"], party_of(plan)
    filled = {
        "who": who_zh(party, seed),
        "when": dates_zh(*_dates(plan), seed),
        "start": start,
        "target": target,
        "days": plan["days"],
        "budget": budget_zh(plan["budget"], seed, plan.get("currency", YUAN)),
    }
    found = wishes(plan, ways_zh, tags_zh)
    return request_zh("traveleval", filled, found, seed, alone=sum(party) == 1)


def text_en(plan: Plan, start: str, target: str) -> str:
    """Write the request in English."""
    seed, party = plan["uid"], party_of(plan)
    alone = sum(party) == 1
    filled = {
        **fill_party(party, seed), "start": start, "target": target,
        "days": plan["days"], "dates": dates_en(*_dates(plan), seed),
        "budget": budget_en(plan["budget"], seed, plan.get("currency", YUAN), alone=alone),
    }  # fmt: skip
    found = wishes(plan, ways_en, tags_en)
    return request_en("traveleval", filled, found, seed, alone=alone)


def wishes(
    plan: Plan, ways: Callable[[Sequence[str]], str], said: Callable[..., dict[str, str]]
) -> list[WishPhrase]:
    """Return the wishes and the exclusions in each category as phrases."""
    found = []
    for category, kind in _KINDS.items():
        for side, mode in _SIDES:
            tags = plan[category].get(side)
            if not tags:
                continue
            if category == "rhythm":
                found += [WishPhrase(f"rhythm/{tag}", mode, {}) for tag in tags]
            elif category == "transportation":
                found.append(WishPhrase(kind, mode, {"and": ways(tags)}))
            else:
                values = said(category, tags, plan["uid"], avoided=mode == "avoid")
                found.append(WishPhrase(kind, mode, values))
    return found


def ways_en(tags: Sequence[str]) -> str:
    """Return an English phrase for the ways to travel."""
    return " or ".join(_WAYS_EN[tag] for tag in tags)


def ways_zh(tags: Sequence[str]) -> str:
    """Return a Chinese phrase for the ways to travel."""
    return "或者".join(tags)


def _dates(plan: Plan) -> tuple[dt.date, dt.date]:
    first, last = plan["dates"].split(" to ")
    return dt.date.fromisoformat(first), dt.date.fromisoformat(last)


def party_of(plan: Plan) -> tuple[int, int, int]:
    """Return the numbers of adults, children and seniors in a query."""
    party = plan["people_composition"]
    return (party["adults"], party["children"], party["seniors"])
