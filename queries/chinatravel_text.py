"""Texts of the chinatravel family: a trip, its constraints and objectives as a person asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from queries.drawing import pick
from queries.wording import EN, sentence_en, sentence_zh, who_en, who_zh
from schemas.values import clock_text
from schemas.word_lists import Lists

Plan = Mapping[str, Any]

_OPEN_ZH = (
    "当前位置{start}，{who}想去{target}玩{days}天", "{who}打算从{start}去{target}玩{days}天",
    "从{start}出发到{target}，{days}天，{who}", "人在{start}，{who}计划去{target}待{days}天",
    "{who}住在{start}，想到{target}玩{days}天",
)  # fmt: skip
_OPEN_EN = (
    "current location: {start}. {want} to visit {target} for {days} days",
    "{want} to travel from {start} to {target} for {days} days",
    "a {days}-day trip to {target} for {who}, departing from {start}",
    "from {start} to {target}, {days} days, {who}",
)


def _forms(name: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """Forms of a table by kind and mode."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for kind, mode, form in Lists("queries").table(name):
        found[kind, mode] = (*found.get((kind, mode), ()), form)
    return found


#: Forms by kind and mode; {v} is the values, {n} the amount.
_ZH = _forms("chinatravel_forms_zh")
_EN = _forms("chinatravel_forms_en")
_WORDS_EN = EN | {
    "单人间": "single room", "大床房": "king room", "双床房": "double-bed room", "家庭房": "family room",
    "地铁": "metro", "打车": "taxi", "步行": "walking",
}  # fmt: skip
_GOALS_ZH = {
    "attractions": ("希望景点越多越好",), "transport_time": ("路上的时间越少越好",),
    "restaurant_time": ("去餐厅的路越短越好",), "food_share": ("花在吃上的比例越高越好",),
    "hotel_cost": ("住宿越便宜越好",), "near": ("行程离「{v}」越近越好",),
}  # fmt: skip
_GOALS_EN = {
    "attractions": ("as many attractions as possible",),
    "transport_time": ("as little time on the way as possible",),
    "restaurant_time": ("the way to restaurants as short as possible",),
    "food_share": ("as large a share on food as possible",),
    "hotel_cost": ("as cheap a place to sleep as possible",), "near": ("as close to “{v}” as possible",),
}  # fmt: skip


def text_zh(plan: Plan, start: str, target: str, prefix: str) -> str:
    """The request in Chinese."""
    seed = prefix + plan["uid"]
    opening = pick(_OPEN_ZH, seed, "form").format(
        who=who_zh(_party(plan), seed), start=start, target=target, days=plan["days"]
    )
    wishes = [_clause(c, _ZH, seed, "、".join(c["values"])) for c in plan["constraints"]]
    goals = [
        pick(_GOALS_ZH[g["name"]], seed, "goal").format(v=g["value"]) for g in plan["objectives"]
    ]
    return sentence_zh(opening, [*wishes, *goals], seed)


def text_en(plan: Plan, start: str, target: str, prefix: str) -> str:
    """The request in English; names of places stay Chinese, as the tables have them."""
    seed = prefix + plan["uid"]
    want, who = who_en(_party(plan), seed)
    opening = pick(_OPEN_EN, seed, "form_en").format(
        want=want, who=who, start=start, target=target, days=plan["days"]
    )
    wishes = []
    for constraint in plan["constraints"]:
        values = constraint["values"]
        if constraint["kind"].endswith("_name"):
            joined = "、".join(values)
        else:
            words = EN if constraint["kind"] == "hotel_feature" else _WORDS_EN
            joined = " and ".join(words.get(v, v) for v in values)
        wishes.append(_clause(constraint, _EN, seed, joined))
    goals = [
        pick(_GOALS_EN[g["name"]], seed, "goal").format(v=g["value"]) for g in plan["objectives"]
    ]
    return sentence_en(opening, [*wishes, *goals], seed)


def _clause(
    constraint: Mapping[str, Any], forms: dict[tuple[str, str], tuple[str, ...]], seed: str, values: str
) -> str:  # fmt: skip
    kind, amount = constraint["kind"], constraint["amount"]
    shown = clock_text(amount) if kind == "time" else amount
    return pick(forms[kind, constraint["mode"]], seed, kind, values).format(v=values, n=shown)


def _party(plan: Plan) -> tuple[int, int, int]:
    party = plan["people_composition"]
    return (party["adults"], party["children"], party["seniors"])
