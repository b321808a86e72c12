"""Words of requests that several families share: who travels, when, with how much money."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

from queries.drawing import pick, shuffled
from schemas.money import YUAN
from schemas.taxonomy import BASE_TYPES, CUISINES, HOTEL_FEATURES, TREND_TYPES

Party = tuple[int, int, int]
_MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]  # fmt: skip
_ONE_DAY = re.compile(r"\b1 days\b")
_ZH_PEOPLE = dict(enumerate("两三四五六七八九十", 2))
_REGIONAL = ("菜", "料理")

#: English words of a published Chinese tag.
EN = {term.zh: term.en for term in (*HOTEL_FEATURES, *TREND_TYPES, *BASE_TYPES)}
EN |= {t.zh: f"{t.en} cuisine" if t.zh.endswith(_REGIONAL) else t.en for t in CUISINES}
EN |= {
    "高铁": "high-speed train", "飞机": "plane", "慢游": "slow", "特种兵式": "special-forces-style",
}  # fmt: skip


def who_zh(party: Party, seed: str) -> str:
    """The party in Chinese, every kind counted."""
    if party == (1, 0, 0):
        return pick(("我一个人", "我自己一个人", "我独自一人"), seed, "who")
    counted = "".join(f"{n}{name}" for n, name in zip(party, "大小老", strict=True) if n)
    names = ("位成人", "个孩子", "位老人")
    spelled = "、".join(f"{n}{name}" for n, name in zip(party, names, strict=True) if n)
    people = sum(party)
    forms = (
        f"我们{people}个人（{counted}）", f"一行{people}人（{counted}）", f"我们{spelled}",
        f"我们{_ZH_PEOPLE.get(people, str(people))}个人（{spelled}）",
    )  # fmt: skip
    return pick(forms, seed, "who")


def who_en(party: Party, seed: str) -> tuple[str, str]:
    """The party in English as (subject with verb stem ``want``, plain phrase)."""
    if party == (1, 0, 0):
        return pick((("I want", "just me, travelling alone"), ("I'd like", "one adult, solo")), seed, "who_en")  # fmt: skip
    names = (("adult", "adults"), ("child", "children"), ("senior", "seniors"))
    counted = ", ".join(f"{n} {name[n > 1]}" for n, name in zip(party, names, strict=True) if n)
    people = sum(party)
    forms = (
        (f"We ({counted}) want", f"a party of {people} ({counted})"),
        (f"Our group of {people} ({counted}) would like", f"{counted}"),
    )
    return pick(forms, seed, "who_en")


def budget_zh(budget: int, seed: str, currency: str = YUAN) -> str:
    """The budget in Chinese; other money than yuan by its code (ISO 4217)."""
    unit = "元" if currency == YUAN else f" {currency} "
    forms = (
        f"总预算{budget}{unit}", f"预算{budget}{unit}", f"全部花费控制在{budget}{unit}以内",
        f"总共花费不超过{budget}{unit}", f"预算一共{budget}{unit}", f"最多花{budget}{unit}",
    )  # fmt: skip
    return pick(forms, seed, "budget").strip()


def budget_en(budget: int, seed: str, currency: str = YUAN) -> str:
    """The budget in English; other money than yuan by its code (ISO 4217)."""
    if currency != YUAN:
        abroad = (
            f"on a budget of {budget} {currency}", f"with a total budget of {budget} {currency}",
            f"spending no more than {budget} {currency} in all", f"with {budget} {currency} to spend",
        )  # fmt: skip
        return pick(abroad, seed, "budget_en")
    forms = (
        f"on a budget of {budget} RMB", f"with a total budget of {budget} RMB",
        f"spending no more than {budget} yuan in all", f"with {budget} CNY to spend",
        f"for at most {budget} RMB altogether",
    )  # fmt: skip
    return pick(forms, seed, "budget_en")


def dates_zh(first: dt.date, last: dt.date, seed: str) -> str:
    """Both days in Chinese."""
    a, b = (f"{d.year}年{d.month}月{d.day}日" for d in (first, last))
    return pick((f"{a}到{b}", f"{a}至{b}", f"{first}到{last}", f"{a}—{b}"), seed, "dates")


def dates_en(first: dt.date, last: dt.date, seed: str) -> str:
    """Both days in English."""
    a, b = (f"{d.day} {_MONTHS[d.month - 1]} {d.year}" for d in (first, last))
    return pick((f"{a} to {b}", f"{first} to {last}", f"{a} until {b}", f"between {a} and {b}"), seed, "dates_en")  # fmt: skip


def join_zh(tags: Sequence[str]) -> str:
    """Tags as a Chinese list."""
    return "、".join(tags)


def join_en(tags: Sequence[str]) -> str:
    """Tags as an English list."""
    return " and ".join(EN.get(tag, tag) for tag in tags)


def sentence_zh(opening: str, wishes: Sequence[str], seed: str) -> str:
    """Opening and wishes as one request, the wishes in an order of their own."""
    closing = pick(
        ("", "", "请帮我们规划一下", "麻烦给个行程安排", "有合适的路线吗", "谢谢"), seed, "closing"
    )
    parts = [opening, *shuffled(wishes, seed, "order"), *([closing] if closing else [])]
    return "，".join(parts) + ("？" if closing.endswith("吗") else "。")


def sentence_en(opening: str, wishes: Sequence[str], seed: str) -> str:
    """The same in English."""
    closing = pick(("", "", "Please plan it for us", "Could you suggest an itinerary", "Thanks in advance"), seed, "closing_en")  # fmt: skip
    text = "; ".join([opening[0].upper() + opening[1:], *shuffled(wishes, seed, "order_en")]) + "."
    text = _ONE_DAY.sub("1 day", text)
    if not closing:
        return text
    return f"{text} {closing}{'?' if closing.startswith('Could') else '.'}"
