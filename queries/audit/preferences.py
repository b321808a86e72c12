"""Audit tripscore and triptailor queries independently of their planners."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from queries.audit.reading import CityNames, read_request
from queries.audit.repeats import Repeats, find_leaks
from queries.audit.tags import clauses, tags_of
from schemas.taxonomy import BASE_TYPES, TREND_TYPES, TRIPTAILOR_CUISINES
from schemas.word_lists import Lists

_LISTS = Lists("queries.audit")

Plan = Mapping[str, Any]
#: A row to audit: structure, Chinese text, English text, split.
Audited = tuple[Plan, str, str, str | None]

#: For each preference, patterns of a clause with the level that such a clause asks for.
_LEVELS: dict[str, tuple[tuple[re.Pattern[str], str], ...]] = {
    name: tuple(
        (re.compile(words), level) for of, level, words in _LISTS.table("levels") if of == name
    )
    for name in ("budget", "pacing", "physical_effort", "intensity")
}
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_PARTS = {
    "清晨": "early morning",
    "一大早": "early morning",
    "一早": "early morning",
    "上午": "late morning",
    "下午": "afternoon",
    "晚上": "evening",
    "傍晚": "evening",
}
_MOMENT = re.compile(
    rf"(?:周|星期)(?P<zh>[一二三四五六日天])(?P<zp>{'|'.join(_PARTS)})"
    rf"|(?:(?P<when>early|late)(?: on)? )?(?P<en>{'|'.join(_WEEKDAYS)})"
    r" (?:(?P<then>early|late) )?(?P<ep>morning|afternoon|evening)"
)
_CUISINES = {
    form: tag for tag, written in _LISTS.table("kitchen_words") for form in written.split("|")
}
_CUISINE = re.compile("|".join(map(re.escape, sorted(_CUISINES, key=lambda c: (-len(c), c)))))
_TYPES = frozenset(term.zh for term in (*BASE_TYPES, *TREND_TYPES))
_KITCHEN = frozenset(term.zh for term in TRIPTAILOR_CUISINES)


def read_level(text: str, name: str) -> str | None:
    """Return the level that a text asks for in a preference, such as ``pacing``.

    Returns None if the text names no level, or more than one level.
    """
    parts = [part.lower() for part in clauses(re.sub(r":\s", " ", text))]
    found = {level for part in parts for words, level in _LEVELS[name] if words.search(part)}
    return found.pop() if len(found) == 1 else None


def _codes(name: str) -> set[str]:
    """Return the codes of all levels of a preference."""
    return {level for _, level in _LEVELS[name]}


def read_types(text: str) -> list[str]:
    """Return the attraction types that a text names, in order."""
    found = [
        tag for c in clauses(text) for category, tag in tags_of(c) if category == "attractions"
    ]
    return list(dict.fromkeys(found))


def read_cuisines(text: str) -> list[str]:
    """Return the published cuisines that a text names, in order.

    Clauses that name an attraction type are ignored.
    """
    parts = [part.lower() for part in clauses(re.sub(r":\s", " ", text))]
    return [
        _CUISINES[match[0]]
        for part in parts
        if not any(category == "attractions" for category, _ in tags_of(part))
        for match in _CUISINE.finditer(part)
    ]


def read_moments(text: str) -> list[tuple[str, str]]:
    """Return the weekdays in a text, with their parts of the day, in order."""
    found = []
    for match in _MOMENT.finditer(text):
        if match["zh"]:
            found.append(
                (
                    _WEEKDAYS["一二三四五六日".find(match["zh"].replace("天", "日"))],
                    _PARTS[match["zp"]],
                )
            )
        else:
            side = match["when"] or match["then"]
            part = f"{side} morning" if match["ep"] == "morning" and side else match["ep"]
            found.append((match["en"], part))
    return found


def tripscore_says(text: str, plan: Plan, cities: CityNames) -> bool:
    """Check whether a text contains everything in its tripscore query."""
    read = read_request(text, cities)
    targets = (read.start, *read.targets) if read.start else read.targets
    return (
        read.days == plan["days"]
        and list(targets) == list(plan["destinations"])
        and set(read_types(text)) == set(plan["attraction_types"])
        and all(read_level(text, n) == plan[n] for n in ("budget", "pacing", "physical_effort"))
    )


def triptailor_says(text: str, plan: Plan, cities: CityNames) -> bool:
    """Check whether a text contains everything in its triptailor query."""
    read = read_request(text, cities)
    moments = [(plan[f"{side}_day"], plan[f"{side}_part"]) for side in ("departure", "return")]
    return (
        (read.days, read.start, read.targets[:1], read.budget)
        == (plan["days"], plan["start_city"], (plan["target_city"],), plan["budget"])
        and read_moments(text) == moments
        and set(read_types(text)) == set(plan["interests"])
        and set(read_cuisines(text)) == set(plan["cuisines"])
        and read_level(text, "intensity") == plan["intensity"]
    )


_TRIPSCORE: dict[str, Callable[[Plan], bool]] = {
    "destinations": lambda p: (
        bool(p["destinations"]) and len(set(p["destinations"])) == len(p["destinations"])
    ),
    "days": lambda p: p["days"] >= max(1, len(p["destinations"])),
    "levels": lambda p: all(p[n] in _codes(n) for n in ("budget", "pacing", "physical_effort")),
    "tags": lambda p: set(p["attraction_types"]) <= _TYPES,
}
_TRIPTAILOR: dict[str, Callable[[Plan], bool]] = {
    "cities_differ": lambda p: p["start_city"] != p["target_city"],
    "days": lambda p: p["days"] >= 1,
    "weekdays": lambda p: (
        (_WEEKDAYS.index(p["departure_day"]) + p["days"] - 1) % 7
        == _WEEKDAYS.index(p["return_day"])
    ),
    "parts": lambda p: {p["departure_part"], p["return_part"]} <= set(_PARTS.values()),
    "budget": lambda p: p["budget"] > 0,
    "levels": lambda p: p["intensity"] in _codes("intensity"),
    "tags": lambda p: set(p["interests"]) <= _TYPES and set(p["cuisines"]) <= _KITCHEN,
}
FAMILIES: dict[
    str, tuple[dict[str, Callable[[Plan], bool]], Callable[[str, Plan, CityNames], bool]]
] = {
    "tripscore": (_TRIPSCORE, tripscore_says),
    "triptailor": (_TRIPTAILOR, triptailor_says),
}
FILE_RULES = (
    "duplicate_uid",
    "duplicate_text",
    "duplicate_structure",
    "text_zh",
    "text_en",
    "split_leak",
)


def audit_plans(family: str, rows: Sequence[Audited], cities: CityNames) -> dict[str, list[str]]:
    """Return, for each of the family's rules, the ids of the queries that break the rule."""
    rules, says = FAMILIES[family]
    broken: dict[str, list[str]] = {rule: [] for rule in (*rules, *FILE_RULES)}
    seen = Repeats()
    for plan, zh, en, _ in rows:
        uid = str(plan["uid"])
        untrue = [rule for rule, keeps in rules.items() if not keeps(plan)]
        texts = {"text_zh": zh, "text_en": en}
        unsaid = [column for column, text in texts.items() if not says(text, plan, cities)]
        for rule in (*untrue, *seen.of(plan, zh), *unsaid):
            broken[rule].append(uid)
    broken["split_leak"] = find_leaks((str(p["uid"]), _unit(p), split) for p, _, _, split in rows)
    return broken


def _unit(plan: Plan) -> tuple[str, ...]:
    if "destinations" in plan:
        return (*sorted(plan["destinations"]), str(plan["days"]))
    return (plan["start_city"], plan["target_city"])
