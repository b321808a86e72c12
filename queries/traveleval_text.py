"""Texts of the traveleval family from its plans, in Chinese and English."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from queries.drawing import pick
from queries.wording import (
    budget_en,
    budget_zh,
    dates_en,
    dates_zh,
    join_en,
    join_zh,
    sentence_en,
    sentence_zh,
    who_en,
    who_zh,
)
from schemas.money import YUAN

Plan = Mapping[str, Any]
Forms = Mapping[str, Sequence[str]]

_OPEN_ZH = (
    "{who}想{when}从{start}去{target}玩{days}天，{budget}",
    "{who}打算{when}从{start}出发到{target}，一共{days}天，{budget}",
    "计划{when}从{start}到{target}{days}日游，{who}，{budget}",
    "{start}出发，目的地{target}，{when}，共{days}天，{who}，{budget}",
    "想安排{target}{days}天的行程，{who}，{when}从{start}走，{budget}",
    "最近在计划去{target}玩{days}天，{when}，从{start}动身，{who}，{budget}",
    "{when}有{days}天时间，{who}想从{start}去{target}看看，{budget}",
    "人在{start}，{who}准备去{target}待{days}天，时间是{when}，{budget}",
)
_OPEN_EN = (
    "{want} to travel from {start} to {target} for {days} days, {when}, {budget}",
    "{want} to go from {start} to {target}, {when}, {days} days in all, {budget}",
    "from {start} to {target}, {days} days, {when}: {who}, {budget}",
    "a {days}-day trip to {target} for {who}, leaving from {start}, {when}, {budget}",
    "{want} to spend {days} days in {target}, {when}, setting off from {start}, {budget}",
    "we need a plan for {days} days in {target}: {who}, departing from {start}, {when}, {budget}",
)
LIKE_ZH: Forms = {
    "transportation": ("往返坐{tags}", "希望坐{tags}", "来回都坐{tags}", "交通选{tags}"),
    "accommodations": ("住的地方要有{tags}", "酒店希望有{tags}", "住宿偏好{tags}", "想住{tags}"),
    "diet": ("想吃{tags}", "爱吃{tags}", "饮食偏好{tags}", "想尝尝{tags}"),
    "attractions": ("想看{tags}", "主要逛{tags}", "景点偏好{tags}", "对{tags}感兴趣"),
    "rhythm": ("节奏要{tags}", "喜欢{tags}", "行程按{tags}来"),
}  # fmt: skip
AVOID_ZH: Forms = {
    "transportation": ("不坐{tags}", "不要{tags}"),
    "accommodations": ("不住带{tags}的", "住宿不要{tags}", "酒店别有{tags}"),
    "diet": ("不吃{tags}", "别安排{tags}", "吃饭避开{tags}"),
    "attractions": ("不去{tags}", "景点避开{tags}", "不想看{tags}"),
}  # fmt: skip
LIKE_EN: Forms = {
    "transportation": ("going by {tags}", "{tags} both ways", "travelling by {tags}"),
    "accommodations": ("a hotel with {tags}", "staying somewhere with {tags}", "our hotel should offer {tags}"),
    "diet": ("eating {tags}", "we would like to taste {tags}", "food: {tags}"),
    "attractions": ("seeing {tags}", "we love sights of the kind {tags}", "visiting {tags}"),
    "rhythm": ("at a {tags} pace", "the pace should be {tags}"),
}  # fmt: skip
AVOID_EN: Forms = {
    "transportation": ("no {tags}",),
    "accommodations": ("no hotel with {tags}", "avoid hotels with {tags}"),
    "diet": ("no {tags} at meals", "avoid eating {tags}"),
    "attractions": ("not seeing {tags}", "skip sights of the kind {tags}"),
}  # fmt: skip


def text_zh(plan: Plan, start: str, target: str) -> str:
    """The request in Chinese. Raises KeyError for a plan without its fields."""
    seed = plan["uid"]
    first, last = _dates(plan)
    opening = pick(_OPEN_ZH, seed, "form").format(
        who=who_zh(_party(plan), seed), when=dates_zh(first, last, seed), start=start,
        target=target, days=plan["days"], budget=budget_zh(plan["budget"], seed, plan.get("currency", YUAN)),
    )  # fmt: skip
    return sentence_zh(opening, wishes(plan, LIKE_ZH, AVOID_ZH, zh=True), seed)


def text_en(plan: Plan, start: str, target: str) -> str:
    """The request in English."""
    seed = plan["uid"]
    first, last = _dates(plan)
    want, who = who_en(_party(plan), seed)
    opening = pick(_OPEN_EN, seed, "form_en").format(
        want=want, who=who, when=dates_en(first, last, seed), start=start, target=target,
        days=plan["days"], budget=budget_en(plan["budget"], seed, plan.get("currency", YUAN)),
    )  # fmt: skip
    return sentence_en(opening, wishes(plan, LIKE_EN, AVOID_EN, zh=False), seed)


def wishes(plan: Plan, like: Forms, avoid: Forms, *, zh: bool) -> list[str]:
    """A clause for what is wished for and one for what is not, of each category."""
    found = []
    for category, forms in like.items():
        asked = plan[category]
        for side, words in (("preferences", forms), ("constraints", avoid.get(category, ()))):
            tags = asked.get(side)
            if tags:
                form = pick(words, plan["uid"], category, side, str(zh))
                found.append(form.format(tags=(join_zh if zh else join_en)(tags)))
    return found


def _dates(plan: Plan) -> tuple[dt.date, dt.date]:
    first, last = plan["dates"].split(" to ")
    return dt.date.fromisoformat(first), dt.date.fromisoformat(last)


def _party(plan: Plan) -> tuple[int, int, int]:
    party = plan["people_composition"]
    return (party["adults"], party["children"], party["seniors"])
