"""Audit tprag queries with a grammar that is independent of their planner.

A Chinese text written by tripbed may have the published form, or may express the same content in
other words. A line from another source must have the published form. The result lists, for each
rule, the ids of the queries or lines that break the rule.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from queries.audit.reading import number
from queries.audit.repeats import find_leaks
from schemas.word_lists import Lists

_LISTS = Lists("queries.audit")

_CONSTRAINTS = {text: (kind, code) for text, kind, code in _LISTS.table("tprag_constraints")}
#: Words that name a constraint in a free text, by language, longest first.
_FREE = {
    lang: sorted(
        ((word, kind, code) for words, kind, code in rows for word in words.split("|")),
        key=lambda entry: (-len(entry[0]), entry[0]),
    )
    for lang, rows in (
        ("zh", _LISTS.table("tprag_words_zh")),
        ("en", _LISTS.table("tprag_words_en")),
    )
}
_FREE_WORD = {
    lang: re.compile(
        "|".join(
            re.escape(word) if lang == "zh" else rf"\b{re.escape(word)}s?\b"
            for word, _, _ in entries
        )
    )
    for lang, entries in _FREE.items()
}
_MEANING = {
    lang: {word: (kind, code) for word, kind, code in entries} for lang, entries in _FREE.items()
}
_NUMBERS_EN = "one|two|three|four|five|six|seven|eight|nine|ten"
_FREE_DAYS = {
    "zh": re.compile(r"(\d+|[一两二三四五六七八九十])\s*[日天]"),
    "en": re.compile(rf"\b(\d+|{_NUMBERS_EN})[- ]days?\b"),
}
RULES = (
    "fields", "form", "city", "constraint", "days", "text_en", "duplicate", "split_leak",
)  # fmt: skip
LINE_RULES = ("form", "city", "duplicate", "gap")
_FORM = re.compile(
    rf"^(?P<city>.+?)(?P<constraint>{'|'.join(_CONSTRAINTS)})?(?:(?P<days>[一二三四五六七八九十])日游|旅游)$"
)


@dataclass(frozen=True)
class ParsedQuery:
    """The city, the constraint and the number of days found in the text of a query."""

    city: str
    constraint_kind: str
    constraint_code: str | None
    n_days: int | None


def parse(text: str) -> ParsedQuery | None:
    """Parse a Chinese query. Returns None if the query does not have the published form."""
    match = _FORM.match(text.strip())
    if not match:
        return None
    kind, code = _CONSTRAINTS.get(match["constraint"] or "", ("generic", None))
    return ParsedQuery(match["city"], kind, code, number(match["days"]) if match["days"] else None)


def read(text: str, city: str, lang: str) -> ParsedQuery | None:
    """Read a query about a known city in any wording.

    Returns None if the text does not name the city, or gives more than one constraint or number of
    days.
    """
    text, city = text.lower(), city.lower()
    if not city or city not in text:
        return None
    rest = text.replace(city, "\0")
    meanings = _MEANING[lang]
    named = {
        meanings.get(w) or meanings[w.removesuffix("s")] for w in _FREE_WORD[lang].findall(rest)
    }
    numbers = {number(found) for found in _FREE_DAYS[lang].findall(rest)}
    if len(named) > 1 or len(numbers) > 1:
        return None
    kind, code = named.pop() if named else ("generic", None)
    return ParsedQuery(city, kind, code, numbers.pop() if numbers else None)


def audit(
    queries: Iterable[Mapping[str, Any]], city_names: Mapping[str, tuple[str, str]]
) -> dict[str, list[str]]:
    """Return, for each rule, the ids of the queries that break the rule.

    The list for a rule that no query breaks is empty. ``queries`` are rows of the table
    ``queries``. ``city_names`` maps city ids to the Chinese and English names that the texts must
    contain.
    """
    broken: dict[str, list[str]] = {rule: [] for rule in RULES}
    seen: set[str] = set()
    rows = sorted(queries, key=lambda row: str(row["query_id"]))
    for row in rows:
        for rule in _broken_alone(row, city_names.get(row["city_id"])):
            broken[rule].append(row["query_id"])
        if row["text_zh"] in seen:
            broken["duplicate"].append(row["query_id"])
        seen.add(row["text_zh"])
    broken["split_leak"] = find_leaks(
        (row["query_id"], (row["city_id"], row["constraint_code"]), row["split"]) for row in rows
    )
    return broken


def _broken_alone(row: Mapping[str, Any], names: tuple[str, str] | None) -> Iterator[str]:
    zh, en = names or (None, None)
    constraint = (row["constraint_kind"], row["constraint_code"])
    structure = json.loads(row["structure"])
    told = (
        structure.get("city"),
        structure.get("constraint_kind"),
        structure.get("constraint"),
        structure.get("days"),
    )
    if told != (row["city_id"], *constraint, row["n_days"]):
        yield "fields"
    asked = (*constraint, row["n_days"])
    if read(row["text_en"], en or "", "en") != ParsedQuery((en or "").lower(), *asked):
        yield "text_en"
    parsed = parse(row["text_zh"])
    if parsed is None or parsed.city != zh:
        # A model may have rewritten the text, but it must still contain everything.
        if read(row["text_zh"], zh or "", "zh") == ParsedQuery((zh or "").lower(), *asked):
            return
        if parsed is None:
            yield "form"
            return
    if parsed.city != zh:
        yield "city"
    if (parsed.constraint_kind, parsed.constraint_code) != constraint:
        yield "constraint"
    if parsed.n_days != row["n_days"]:
        yield "days"


def audit_lines(
    lines: Iterable[tuple[str, str]], known: Callable[[str], bool]
) -> dict[str, list[str]]:
    """Return, for each rule, the ids of lines from other sources that break the rule.

    Lines are (id, text). The rules concern the form, the city, duplicates and gaps. A gap is a
    combination of constraint and number of days for which this city has no query, although a
    different city in the file has one. A gap is reported under the id of the city that lacks the
    query.
    """
    broken: dict[str, list[str]] = {rule: [] for rule in LINE_RULES}
    seen: set[str] = set()
    cells: dict[str, set[tuple[str | None, int | None]]] = defaultdict(set)
    is_known = cache(known)
    for line_id, text in lines:
        if text in seen:
            broken["duplicate"].append(line_id)
        seen.add(text)
        parsed = parse(text)
        if parsed is None:
            broken["form"].append(line_id)
            continue
        if not is_known(parsed.city):
            broken["city"].append(line_id)
        cells[parsed.city].add((parsed.constraint_code, parsed.n_days))
    every = set().union(*cells.values()) if cells else set()
    broken["gap"] = [
        f"{city} {code or 'generic'} {days or 'any'}"
        for city in sorted(cells)
        for code, days in sorted(every - cells[city], key=str)
    ]
    return broken
