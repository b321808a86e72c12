"""Reads wishes and exclusions from a request: published tags, clause by clause.

A clause wishes for its tags unless it holds a word of refusal. Written against the published
tag sets, not against our writers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from schemas.taxonomy import BASE_TYPES, CUISINES, HOTEL_FEATURES, TREND_TYPES

CATEGORIES = ("transportation", "accommodations", "diet", "attractions", "rhythm")
_CLAUSE = re.compile(r"[，。；！？：,;.!?:\n]+")
_REFUSAL = re.compile(r"不|别|避开|拒绝|排除|\b(?:no|not|avoid(?:ing)?|skip(?:ping)?|without|never)\b|n't", re.IGNORECASE)  # fmt: skip
_PLACES_CUE = re.compile(r"hotel|stay|room|lodging|住|酒店", re.IGNORECASE)


def _vocabulary() -> dict[str, dict[str, str]]:
    """Written form, lower case, to the tag of each category that writes it so."""
    words: dict[str, dict[str, str]] = {}

    def add(form: str, category: str, tag: str) -> None:
        words.setdefault(form.lower(), {})[category] = tag

    for term in HOTEL_FEATURES:
        add(term.zh, "accommodations", term.zh)
        add(term.en, "accommodations", term.zh)
    for term in CUISINES:
        regional = term.zh.endswith(("菜", "料理"))
        add(term.zh, "diet", term.zh)
        add(f"{term.en} cuisine" if regional else term.en, "diet", term.zh)
    for term in (*BASE_TYPES, *TREND_TYPES):
        add(term.zh, "attractions", term.zh)
        add(term.en, "attractions", term.zh)
    journey = (
        ("高铁", "high-speed train"),
        ("飞机", "plane"),
        ("自驾", "self-driving"),
        ("骑行", "cycling"),
    )
    for tag, english in journey:
        add(tag, "transportation", tag)
        add(english, "transportation", tag)
    for tag, english in (("慢游", "slow"), ("特种兵式", "special-forces-style")):
        add(tag, "rhythm", tag)
        add(english, "rhythm", tag)
    return words


_WORDS = _vocabulary()
_FORMS = sorted(_WORDS, key=lambda form: (-len(form), form))
#: Without IGNORECASE and look-behind, so that the engine can skip to the first letters.
_TAG = re.compile("|".join(re.escape(f) + ("(?![a-z])" if f.isascii() else "") for f in _FORMS))


def _mentions(clause: str) -> Iterator[re.Match[str]]:
    """Whole-word mentions of tags in a clause in lower case."""
    for match in _TAG.finditer(clause):
        before = clause[match.start() - 1] if match.start() else " "
        if not (match[0].isascii() and before.isascii() and before.isalpha()):
            yield match


def clauses(text: str) -> Iterable[str]:
    """Parts of a request between marks."""
    return (part for part in _CLAUSE.split(text) if part.strip())


def without_tags(text: str) -> str:
    """A text in lower case with a mark in place of each tag; runs of tags become one mark."""
    blank = _TAG.sub("◇", text.lower())
    return re.sub(r"◇(?:(?:、| and )◇)+", "◇", blank)


def refuses(clause: str) -> bool:
    """Whether a clause says what is not wanted."""
    return bool(_REFUSAL.search(_TAG.sub("", clause.lower())))


def tags_of(clause: str) -> list[tuple[str, str]]:
    """Category and tag of each tag named in a clause, in order."""
    found = []
    for match in _mentions(clause.lower()):
        meanings = _WORDS[match[0]]
        category = next(iter(meanings))
        if len(meanings) > 1:
            about_hotels = bool(_PLACES_CUE.search(clause))
            category = "accommodations" if about_hotels else "attractions"
        found.append((category, meanings[category]))
    return found


def read_wishes(text: str) -> dict[str, dict[str, set[str]]]:
    """Wishes and exclusions by category; categories that the text does not name are left out."""
    found: dict[str, dict[str, set[str]]] = {}
    for clause in clauses(text):
        side = "constraints" if refuses(clause) else "preferences"
        for category, tag in tags_of(clause):
            sides = found.setdefault(category, {"preferences": set(), "constraints": set()})
            sides[side].add(tag)
    return found
