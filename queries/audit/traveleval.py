"""Audit the texts of traveleval queries against the rules in table A1 and appendix C of TravelEval.

The audit is independent of the planner. The audit can also read files from other sources, in which
city names may be in Chinese or pinyin.
"""

from __future__ import annotations

import datetime as dt
import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from queries.audit.reading import CityNames, read_request
from queries.audit.repeats import Repeats, find_leaks
from queries.audit.tags import CATEGORIES, read_wishes
from schemas.money import price_scale
from schemas.taxonomy import BASE_TYPES, CUISINES, HOTEL_FEATURES, TREND_TYPES

Plan = Mapping[str, Any]
Tags = Mapping[str, frozenset[str]]

#: The tags in the published prompt (appendix C), by category.
PROMPT_TAGS: Tags = MappingProxyType(
    {
        "transportation": frozenset({"飞机", "高铁", "自驾", "骑行"}),
        "accommodations": frozenset(term.zh for term in HOTEL_FEATURES),
        "diet": frozenset(term.zh for term in CUISINES),
        "attractions": frozenset(term.zh for term in (*BASE_TYPES, *TREND_TYPES)),
        "rhythm": frozenset({"慢游", "特种兵式"}),
    }
)
#: The tags in the configuration of the published code, which has two more paces than the prompt.
REPO_TAGS: Tags = MappingProxyType(
    {**PROMPT_TAGS, "rhythm": frozenset({"慢游", "特种兵式", "亲子家庭游", "普通"})}
)
#: Number of queries of group A by difficulty, and of groups of B, for 2 to 7 days (table A1).
DAYS_TABLE = {
    "easy": (20, 30, 40, 40, 30, 40),
    "medium": (40, 60, 80, 80, 60, 80),
    "hard": (40, 60, 80, 80, 60, 80),
    "group": (5, 8, 10, 10, 8, 9),
}
_CLASSES = ((100, 500, 500), (500, 1000, 1200), (1000, 5000, 2000))
_DUOS = {(2, 0, 0), (1, 1, 0), (1, 0, 1)}
_UID = re.compile(r"^(?:T\d{4,}|G\d{2,}-[123])$")
_FAMILY = {"亲子友好", "家庭房", "自营亲子房", "亲子主题房", "儿童俱乐部", "儿童乐园", "儿童泳池"}
_NOT_FOR_CHILDREN = {"情侣房", "酒吧/酒馆", "行政酒廊"}
_CORE = (
    "start_city",
    "target_city",
    "days",
    "people_number",
    "people_composition",
    "budget",
    "dates",
)
_BOUNDS = {"easy": (0, 0), "medium": (1, 2), "hard": (3, 4)}


@dataclass(frozen=True)
class AuditedQuery:
    """A query to audit; ``group`` is None for queries in group A."""

    uid: str
    plan: Plan
    text_zh: str
    text_en: str
    group: str | None = None
    split: str | None = None


def active(plan: Plan) -> list[str]:
    """Return the categories in which a query has a wish or an exclusion."""
    return [c for c in CATEGORIES if side(plan, c, "preferences") or side(plan, c, "constraints")]


def side(plan: Plan, category: str, name: str) -> frozenset[str]:
    """Return the tags in a category that a query wishes for, or those that it excludes."""
    return frozenset((plan.get(category) or {}).get(name) or ())


def _fields(plan: Plan) -> bool:
    """Check whether a query has all fields, with values of the right types."""
    if not all(key in plan for key in ("uid", "tag", *_CORE, *CATEGORIES)):
        return False
    numbers = [plan[key] for key in ("days", "people_number", "budget")]
    party = plan["people_composition"]
    if not isinstance(party, Mapping) or not all(
        type(n) is int for n in (*numbers, *party.values())
    ):
        return False
    sides = [plan[category] or {} for category in CATEGORIES]
    return all(
        isinstance(one, Mapping) and all(isinstance(tags, list | None) for tags in one.values())
        for one in sides
    )


def _party_of(plan: Plan) -> tuple[int, int, int]:
    party = plan["people_composition"]
    return (party.get("adults", 0), party.get("children", 0), party.get("seniors", 0))


def _party_fits(plan: Plan) -> bool:
    adults, children, seniors = party = _party_of(plan)
    if sum(party) != plan["people_number"] or not 1 <= plan["people_number"] <= 6:
        return False
    if sum(party) == 2 and party not in _DUOS:
        return False
    return adults >= 1 and 0 <= children <= 3 and 0 <= seniors <= 2


def _scale(plan: Plan) -> float | None:
    """Return how many units of the query's currency equal one yuan; None if the rate is unknown."""
    return price_scale(str(plan.get("currency", "CNY")))


def _steps(scale: float) -> tuple[int, int]:
    """Return the rounding steps for budgets below 10,000 yuan and for budgets of 10,000 yuan or
    more.
    """
    return max(1, round(500 * scale)), max(1, round(2_000 * scale))


def _is_rounded(plan: Plan) -> bool:
    budget, scale = plan["budget"], _scale(plan)
    if scale is None:
        return False
    small, large = _steps(scale)
    return bool(budget > 0 and budget % (small if budget < 10_000 * scale else large) == 0)


def _reachable(plan: Plan) -> bool:
    """Check whether some budget class and a daily cost that is a whole number lead to this budget
    after rounding.
    """
    budget, people, days = plan["budget"], plan["people_number"], plan["days"]
    scale = _scale(plan)
    if people < 1 or days < 1 or scale is None:
        return False
    limit = round(10_000 * scale)
    windows = []
    for step, first, last in zip(_steps(scale), (0, limit), (limit - 1, math.inf), strict=True):
        if budget % step == 0:
            least, most = budget - step // 2, budget + step - step // 2 - 1
            windows.append((max(least, first), min(most, last)))
    for low, high, journey in ([round(amount * scale) for amount in row] for row in _CLASSES):
        for least, most in windows:
            first = max(low, math.ceil((least / people - journey) / days))
            last = min(high, math.floor((most / people - journey) / days))
            if first <= last:
                return True
    return False


def _dates_match(plan: Plan) -> bool:
    try:
        first, last = (dt.date.fromisoformat(part) for part in str(plan["dates"]).split(" to "))
    except ValueError:
        return False
    return (last - first).days + 1 == int(plan["days"])


def _counts_match(plan: Plan) -> bool:
    low, high = _BOUNDS.get(plan["tag"], (1, 0))
    return low <= len(active(plan)) <= high


def _medium_tags(plan: Plan) -> bool:
    return plan["tag"] != "medium" or all(
        1 <= len(side(plan, c, "preferences")) <= 2 for c in active(plan)
    )


def _exclusions_match(plan: Plan) -> bool:
    excluded = sum(len(side(plan, c, "constraints")) for c in CATEGORIES)
    return excluded >= 1 if plan["tag"] == "hard" else excluded == 0


def _no_contradiction(plan: Plan) -> bool:
    return not any(side(plan, c, "preferences") & side(plan, c, "constraints") for c in CATEGORIES)


def _fits_party(plan: Plan) -> bool:
    """Check whether wishes suit the party (no packed trip with seniors, no bars with children)."""
    _, children, seniors = _party_of(plan)
    if (children or seniors) and "特种兵式" in side(plan, "rhythm", "preferences"):
        return False
    if seniors and "慢游" in side(plan, "rhythm", "constraints"):
        return False
    wished = frozenset().union(*(side(plan, c, "preferences") for c in CATEGORIES))
    refused = frozenset().union(*(side(plan, c, "constraints") for c in CATEGORIES))
    return not children or not (wished & _NOT_FOR_CHILDREN or refused & _FAMILY)


RULES: dict[str, Callable[[Plan], bool]] = {
    "fields": _fields,
    "uid": lambda plan: bool(_UID.match(str(plan["uid"]))),
    "cities_differ": lambda plan: plan["start_city"] != plan["target_city"],
    "party": _party_fits,
    "budget_rounding": _is_rounded,
    "budget_class": _reachable,
    "dates": _dates_match,
    "days": lambda plan: 2 <= plan["days"] <= 7,
    "categories": _counts_match,
    "medium_tags": _medium_tags,
    "exclusions": _exclusions_match,
    "contradiction": _no_contradiction,
    "party_fit": _fits_party,
}
FILE_RULES = (
    "tags", "known_city", "duplicate_uid", "duplicate_text", "duplicate_structure", "group_core",
    "group_progress",
    "days_table", "journey", "text_zh", "text_en", "split_leak",
)  # fmt: skip


@dataclass(frozen=True)
class AuditContext:
    """The data against which queries are checked.

    If ``strict`` is true, texts must also contain the dates, the party and the tags, as tripbed's
    own texts do. ``journeys`` maps each pair of cities to the ways to travel between them that the
    tables contain. If there are no tables, ``journeys`` is None.
    """

    cities: CityNames
    tags: Tags = field(default_factory=lambda: PROMPT_TAGS)
    days_table: Mapping[str, Sequence[int]] | None = None
    journeys: Mapping[tuple[str, str], frozenset[str]] | None = None
    strict: bool = False


def audit_items(items: Iterable[AuditedQuery], check: AuditContext) -> dict[str, list[str]]:
    """Return, for each rule, a list of the ids of queries that break it; the list may be empty."""
    broken: dict[str, list[str]] = {rule: [] for rule in (*RULES, *FILE_RULES)}
    whole: list[AuditedQuery] = []
    seen = Repeats()
    for item in items:
        repeated = seen.of({**item.plan, "uid": item.uid}, item.text_zh)
        if _fields(item.plan):
            whole.append(item)
            found = [*_broken_alone(item, check), *repeated]
        else:
            found = ["fields", *(rule for rule in repeated if rule != "duplicate_structure")]
        for rule in found:
            broken[rule].append(item.uid)
    _audit_groups(whole, broken)
    broken["days_table"] = _off_table(whole, check.days_table or {})
    broken["split_leak"] = find_leaks(
        (item.uid, (item.plan["start_city"], item.plan["target_city"]), item.split)
        for item in whole
    )
    return broken


def _broken_alone(item: AuditedQuery, check: AuditContext) -> Iterable[str]:
    plan = item.plan
    yield from (rule for rule, keeps in RULES.items() if not keeps(plan))
    if any(
        (side(plan, c, "preferences") | side(plan, c, "constraints")) - check.tags[c]
        for c in CATEGORIES
    ):
        yield "tags"
    start, target = (check.cities.keys.get(str(plan[k]).lower()) for k in _CORE[:2])
    if start is None or target is None:
        yield "known_city"
    elif check.journeys is not None:
        ways = check.journeys.get((start, target), frozenset())
        wished = side(plan, "transportation", "preferences") & {"飞机", "高铁"}
        if not ways or (wished and not wished & ways):
            yield "journey"
    for column, text in (("text_zh", item.text_zh), ("text_en", item.text_en)):
        if not says(text, plan, check):
            yield column


def says(text: str, plan: Plan, check: AuditContext) -> bool:
    """Check whether a text contains its query's days, people, cities and budget.

    In a strict audit, the text must also contain the dates, the party and the wishes.
    """
    read = read_request(text, check.cities)
    keys = check.cities.keys
    ends = [keys.get(str(plan[k]).lower()) for k in _CORE[:2]]
    same = (
        read.days == plan["days"]
        and read.people == plan["people_number"]
        and read.budget == plan["budget"]
        and read.currency == plan.get("currency", "CNY")
        and [read.start, *read.targets[:1]] == ends
    )
    if not same or not check.strict:
        return same
    if read.dates is None or f"{read.dates[0]} to {read.dates[1]}" != plan["dates"]:
        return False
    lone = read.party is None and _party_of(plan) == (1, 0, 0)
    return (lone or read.party == _party_of(plan)) and _same_wishes(text, plan)


def _same_wishes(text: str, plan: Plan) -> bool:
    found = read_wishes(text)
    empty: dict[str, set[str]] = {"preferences": set(), "constraints": set()}
    return all(
        found.get(c, empty)[name] == side(plan, c, name)
        for c in CATEGORIES
        for name in ("preferences", "constraints")
    )


def _audit_groups(items: Sequence[AuditedQuery], broken: dict[str, list[str]]) -> None:
    groups: dict[str, list[AuditedQuery]] = defaultdict(list)
    for item in items:
        if item.group is not None:
            groups[item.group].append(item)
    for group in sorted(groups):
        members = sorted(groups[group], key=lambda item: item.uid)
        cores = {str([item.plan[key] for key in _CORE]) for item in members}
        if len(cores) > 1:
            broken["group_core"].append(group)
        if [item.plan["tag"] for item in members] != ["easy", "medium", "hard"] or not _gains(
            members
        ):
            broken["group_progress"].append(group)


def _gains(members: Sequence[AuditedQuery]) -> bool:
    """Check whether each query in a group keeps the wishes and exclusions of the previous query."""
    return all(
        side(a.plan, c, name) <= side(b.plan, c, name)
        for a, b in itertools.pairwise(members)
        for c in CATEGORIES
        for name in ("preferences", "constraints")
    )


def _off_table(items: Sequence[AuditedQuery], table: Mapping[str, Sequence[int]]) -> list[str]:
    """Return a message for each stratum whose number of queries differs from the number in the
    table.
    """
    counts = Counter(
        ("group" if item.group else item.plan["tag"], item.plan["days"])
        for item in items
        if item.group is None or item.plan["tag"] == "easy"
    )
    present = {name for name, _ in counts}
    return [
        f"{name}/{days}d: {counts[name, days]} instead of {quota}"
        for name, quotas in table.items()
        if name in present
        for days, quota in zip(range(2, 8), quotas, strict=True)
        if counts[name, days] != quota
    ]
