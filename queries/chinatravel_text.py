"""Write the texts of chinatravel queries, which request a trip with constraints and objectives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from queries.phrases import either_zh, list_en, list_zh, tags_en, tags_zh
from queries.traveleval_text import party_of, ways_en, ways_zh
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

#: The category of phrases for each kind of constraint whose values are tags.
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
    """Write the request in Chinese."""
    seed, party = prefix + plan["uid"], party_of(plan)
    filled = {"who": who_zh(party, seed), "start": start, "target": target, "days": plan["days"]}
    wishes = [_wish(c, _say_zh(c, seed)) for c in plan["constraints"]]
    wishes += [_goal(g, f"「{g['value']}」") for g in plan["objectives"]]
    return request_zh("chinatravel", filled, wishes, seed, alone=sum(party) == 1)


def text_en(plan: Plan, start: str, target: str, prefix: str) -> str:
    """Write the request in English; a place without an English name keeps its Chinese name."""
    names_en = plan.get("names_en", {})
    seed, party = prefix + plan["uid"], party_of(plan)
    filled = {
        **fill_party(party, seed), "start": start, "target": target,
        "days": plan["days"],
    }  # fmt: skip
    wishes = [_wish(c, _say_en(c, seed, names_en)) for c in plan["constraints"]]
    wishes += [_goal(g, f"“{names_en.get(g['value'], g['value'])}”") for g in plan["objectives"]]
    return request_en("chinatravel", filled, wishes, seed, alone=sum(party) == 1)


def _wish(constraint: Constraint, said: Mapping[str, str]) -> WishPhrase:
    kind = constraint["kind"]
    if kind == "city_transport":
        return WishPhrase(f"{kind}/{constraint['values'][0]}", _mode(constraint), said)
    return WishPhrase(kind, "wish" if kind == "transport" else _mode(constraint), said)


def _mode(constraint: Constraint) -> str:
    return "avoid" if constraint["mode"] == "none" else str(constraint["mode"])


def _say_zh(constraint: Constraint, seed: str) -> dict[str, str]:
    kind, values, amount = (constraint[name] for name in ("kind", "values", "amount"))
    if kind in _CATEGORIES:
        avoided = constraint["mode"] == "none"
        return tags_zh(_CATEGORIES[kind], values, seed, avoided=avoided)
    if kind.endswith("_name"):
        names = [f"「{value}」" for value in values]
        each = "各" if len(names) > 1 else ""
        return {"and": list_zh(names), "or": either_zh(names), "each": each}
    match kind:
        case "transport":
            return {"and": ways_zh(values)}
        case "rooms":
            return {"n": str(amount), "and": values[0]}
        case "budget":
            return {"n": money_zh(amount, seed)}
        case "time":
            return {"n": clock_text(amount)}
        case _:
            return {}


def _say_en(constraint: Constraint, seed: str, names_en: Mapping[str, str]) -> dict[str, str]:
    kind, values, amount = (constraint[name] for name in ("kind", "values", "amount"))
    if kind in _CATEGORIES:
        avoided = constraint["mode"] == "none"
        return tags_en(_CATEGORIES[kind], values, seed, avoided=avoided)
    if kind.endswith("_name"):
        names = [f"“{names_en.get(value, value)}”" for value in values]
        meal = "a meal" if len(names) == 1 else "meals"
        return {"and": list_en(names, "and"), "or": list_en(names, "or"), "meal": meal}
    match kind:
        case "transport":
            return {"and": ways_en(values)}
        case "rooms":
            rooms = _ROOMS_EN[values[0]] + ("s" if amount > 1 else "")
            return {"n": few_en(amount), "and": rooms}
        case "budget":
            return {"n": money_en(amount, seed)}
        case "time":
            return {"n": clock_text(amount)}
        case _:
            return {}


def _goal(goal: Constraint, place: str) -> WishPhrase:
    return WishPhrase(f"goal/{goal['name']}", "goal", {"and": place})
