"""Texts of the traveleval family from its plans, in Chinese and English."""

from __future__ import annotations

from typing import Any

from schemas.ids import digest
from schemas.taxonomy import BASE_TYPES, CUISINES, HOTEL_FEATURES, TREND_TYPES

Plan = dict[str, Any]

_EN = {term.zh: term.en for term in (*HOTEL_FEATURES, *CUISINES, *TREND_TYPES, *BASE_TYPES)}
_EN |= {
    "高铁": "high-speed train",
    "飞机": "plane",
    "慢游": "slow",
    "特种兵式": "special-forces-style",
}

_OPEN_ZH = (
    "{who}想{when}从{start}去{target}玩{days}天，总预算{budget}元",
    "{who}打算{when}从{start}出发到{target}，一共{days}天，预算{budget}元",
    "计划{when}从{start}到{target}{days}日游，{who}，全部花费控制在{budget}元",
)
_OPEN_EN = (
    "{who} would like to travel from {start} to {target} for {days} days, {when}, on a total budget of {budget} RMB",
    "From {start} to {target}, {days} days, {when}: {who}, with {budget} RMB in all",
    "Please plan {days} days in {target} for {who}, leaving from {start}, {when}, for no more than {budget} RMB",
)
_LIKE_ZH = {
    "transportation": "往返坐{tags}", "accommodations": "住的地方要有{tags}", "diet": "想吃{tags}",
    "attractions": "想看{tags}", "rhythm": "节奏要{tags}",
}  # fmt: skip
_AVOID_ZH = {"accommodations": "不住带{tags}的", "diet": "不吃{tags}", "attractions": "不去{tags}"}
_LIKE_EN = {
    "transportation": "going by {tags}", "accommodations": "a hotel with {tags}", "diet": "eating {tags}",
    "attractions": "seeing {tags}", "rhythm": "at a {tags} pace",
}  # fmt: skip
_AVOID_EN = {
    "accommodations": "no hotel with {tags}",
    "diet": "no {tags} food",
    "attractions": "no {tags}",
}


def _form(forms: tuple[str, ...], plan: Plan) -> str:
    return forms[int(digest(plan["uid"], "form"), 16) % len(forms)]


def text_zh(plan: Plan, start: str, target: str) -> str:
    """The request in Chinese."""
    first, last = plan["dates"].split(" to ")
    opening = _form(_OPEN_ZH, plan).format(
        who=_who_zh(plan["people_composition"]), when=f"{_date_zh(first)}到{_date_zh(last)}",
        start=start, target=target, days=plan["days"], budget=plan["budget"],
    )  # fmt: skip
    wishes = _wishes(plan, _LIKE_ZH, _AVOID_ZH, "、".join)
    return "，".join([opening, *wishes]) + "。"


def text_en(plan: Plan, start: str, target: str) -> str:
    """The request in English."""
    first, last = plan["dates"].split(" to ")
    opening = _form(_OPEN_EN, plan).format(
        who=_who_en(plan["people_composition"]), when=f"{first} to {last}", start=start,
        target=target, days=plan["days"], budget=plan["budget"],
    )  # fmt: skip
    wishes = _wishes(plan, _LIKE_EN, _AVOID_EN, lambda tags: " and ".join(_EN[t] for t in tags))
    text = opening[0].upper() + opening[1:]
    return "; ".join([text, *wishes]) + "."


def _wishes(plan: Plan, like: dict[str, str], avoid: dict[str, str], join: Any) -> list[str]:
    found = []
    for category, form in like.items():
        wanted = plan[category]
        if wanted.get("preferences"):
            found.append(form.format(tags=join(wanted["preferences"])))
        if wanted.get("constraints"):
            found.append(avoid[category].format(tags=join(wanted["constraints"])))
    return found


def _who_zh(party: dict[str, int]) -> str:
    parts = [
        f"{party[kind]}位{name}"
        for kind, name in (("adults", "成人"), ("children", "儿童"), ("seniors", "老人"))
        if party[kind]
    ]
    return (
        "我一个人"
        if party == {"adults": 1, "children": 0, "seniors": 0}
        else "我们" + "".join(parts)
    )


def _who_en(party: dict[str, int]) -> str:
    names = {
        "adults": ("adult", "adults"),
        "children": ("child", "children"),
        "seniors": ("senior", "seniors"),
    }
    parts = [f"{n} {names[kind][n > 1]}" for kind, n in party.items() if n]
    return "a party of " + ", ".join(parts)


def _date_zh(iso: str) -> str:
    year, month, day = iso.split("-")
    return f"{year}年{int(month)}月{int(day)}日"
