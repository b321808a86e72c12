"""Texts of the chinatravel family: a trip with constraints and objectives, as people ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from queries.phrases import either_zh, list_en, list_zh, tags_en, tags_zh
from queries.traveleval_text import ways_en, ways_zh
from queries.wording import (
    WishPhrase,
    few_en,
    fill_party,
    money_en,
    money_zh,
    request_en,
    request_zh,
    who_zh,
)
from schemas.values import clock_text

Plan = Mapping[str, Any]
Constraint = Mapping[str, Any]

#: Category of phrases of each kind whose values are tags.
_CATEGORIES = {
    "attraction_type": "attractions", "cuisine": "diet", "hotel_feature": "accommodations",
}  # fmt: skip
_ROOMS_EN = {
    "单人间": "single room",
    "大床房": "king room",
    "双床房": "twin room",
    "家庭房": "family room",
}


def text_zh(plan: Plan, start: str, target: str, prefix: str) -> str:
    """The request in Chinese."""
    seed, party = prefix + plan["uid"], _party(plan)
    filled = {"who": who_zh(party, seed), "start": start, "target": target, "days": plan["days"]}
    wishes = [_wish_zh(c, seed) for c in plan["constraints"]]
    wishes += [_goal(g, f"「{g['value']}」") for g in plan["objectives"]]
    return request_zh("chinatravel", filled, wishes, seed, alone=sum(party) == 1)


def text_en(plan: Plan, start: str, target: str, prefix: str) -> str:
    """The request in English; a place whose English name is not known keeps the Chinese one."""
    names_en = plan.get("names_en", {})
    seed, party = prefix + plan["uid"], _party(plan)
    filled = {
        **fill_party(party, seed), "start": start, "target": target,
        "days": plan["days"],
    }  # fmt: skip
    wishes = [_wish_en(c, seed, names_en) for c in plan["constraints"]]
    wishes += [_goal(g, f"“{names_en.get(g['value'], g['value'])}”") for g in plan["objectives"]]
    return request_en("chinatravel", filled, wishes, seed, alone=sum(party) == 1)


def _wish_zh(constraint: Constraint, seed: str) -> WishPhrase:
    kind, values = constraint["kind"], constraint["values"]
    mode = "avoid" if constraint["mode"] == "none" else str(constraint["mode"])
    if kind in _CATEGORIES:
        return WishPhrase(
            kind, mode, tags_zh(_CATEGORIES[kind], values, seed, avoided=mode == "avoid")
        )
    if kind.endswith("_name"):
        names = [f"「{value}」" for value in values]
        each = "各" if len(names) > 1 else ""
        return WishPhrase(kind, mode, {"and": list_zh(names), "or": either_zh(names), "each": each})
    if kind == "transport":
        return WishPhrase(kind, "wish", {"and": ways_zh(values)})
    if kind == "rooms":
        return WishPhrase(kind, mode, {"n": str(constraint["amount"]), "and": values[0]})
    if kind == "budget":
        return WishPhrase(kind, mode, {"n": money_zh(constraint["amount"], seed)})
    if kind == "city_transport":
        return WishPhrase(f"{kind}/{values[0]}", mode, {})
    return WishPhrase(kind, mode, {"n": clock_text(constraint["amount"])})


def _wish_en(constraint: Constraint, seed: str, names_en: Mapping[str, str]) -> WishPhrase:
    kind, values = constraint["kind"], constraint["values"]
    mode = "avoid" if constraint["mode"] == "none" else str(constraint["mode"])
    if kind in _CATEGORIES:
        return WishPhrase(
            kind, mode, tags_en(_CATEGORIES[kind], values, seed, avoided=mode == "avoid")
        )
    if kind.endswith("_name"):
        names = [f"“{names_en.get(value, value)}”" for value in values]
        meal = "a meal" if len(names) == 1 else "meals"
        said = {"and": list_en(names, "and"), "or": list_en(names, "or"), "meal": meal}
        return WishPhrase(kind, mode, said)
    if kind == "transport":
        return WishPhrase(kind, "wish", {"and": ways_en(values)})
    if kind == "rooms":
        number = constraint["amount"]
        rooms = _ROOMS_EN[values[0]] + ("s" if number > 1 else "")
        return WishPhrase(kind, mode, {"n": few_en(number), "and": rooms})
    if kind == "budget":
        return WishPhrase(kind, mode, {"n": money_en(constraint["amount"], seed)})
    if kind == "city_transport":
        return WishPhrase(f"{kind}/{values[0]}", mode, {})
    return WishPhrase(kind, mode, {"n": clock_text(constraint["amount"])})


def _goal(goal: Constraint, place: str) -> WishPhrase:
    return WishPhrase(f"goal/{goal['name']}", "goal", {"and": place})


def _party(plan: Plan) -> tuple[int, int, int]:
    party = plan["people_composition"]
    return (party["adults"], party["children"], party["seniors"])
