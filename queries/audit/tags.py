"""Read the wishes and exclusions in a request, clause by clause.

A clause asks for the published tags that it contains, unless one of its words expresses a refusal.
The rules are independent of the modules that write requests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from schemas.word_lists import Lists

CATEGORIES = ("transportation", "accommodations", "diet", "attractions", "rhythm")
_LISTS = Lists("queries.audit")
_CLAUSE = re.compile(r"[，。；！？：,;.!?:\n]+")
_REFUSAL = re.compile(
    r"不(?!错)|(?<![特个])别(?!墅)|避开|拒绝|排除|没兴趣|[去吃住]过"
    r"|\b(?:no|not|avoid(?:ing)?|skip(?:ping)?|without|never|already (?:seen|eaten|stayed)"
    r"|other than)\b|n't|n’t"
    r"|\bleave\b.{0,80}\bout\b",
    re.IGNORECASE,
)
_PLACES_CUE = re.compile(r"hotel|stay|room|lodging|住|酒店", re.IGNORECASE)
_AMOUNT = re.compile(r"(?<=\d)[,，](?=\d{3}(?!\d))")
_WAN = re.compile(r"(\d+(?:\.\d+)?)\s*万")


def _vocabulary() -> dict[str, dict[str, str]]:
    """Map each word or phrase, in lower case, to the tags that it can mean, by category."""
    words: dict[str, dict[str, str]] = {}
    for category, tag, written in _LISTS.table("tag_words"):
        for form in written.split("|"):
            words.setdefault(form, {})[category] = tag
    return words


_WORDS = _vocabulary()
_FORMS = sorted(_WORDS, key=lambda form: (-len(form), form))
#: The pattern has no IGNORECASE and no look-behind, which would make the search slow.
_TAG = re.compile(
    "|".join(f"{re.escape(f)}{'s?(?![a-zé])' if f[0].isascii() else ''}" for f in _FORMS)
)  # fmt: skip
#: A comma of a list and the words that may follow before the next tag: articles, verbs such as
#: "visit", and phrases about hotels.
_LIST_COMMA = re.compile(
    r",\s+(?=(?:(?:and|or|an?|the|some|visit|see|go|to|try|enjoy|explore|discover|experience) )*"
    r"(?:hotels? (?:with|in|that|where|known)? ?(?:[a-z']+ ){0,3})?"
    rf"(?:{_TAG.pattern}))"
)


def _mentions(clause: str) -> Iterator[re.Match[str]]:
    """Yield each tag mentioned in a lower-case clause; only whole words count."""
    for match in _TAG.finditer(clause):
        before = clause[match.start() - 1] if match.start() else " "
        if not (match[0][0].isascii() and before.isascii() and before.isalpha()):
            yield match


def _meanings(written: str) -> dict[str, str]:
    """Return the tags that a mention can mean, by category; plurals are treated as singulars."""
    return _WORDS.get(written) or _WORDS[written.removesuffix("s")]


def plain_amounts(text: str) -> str:
    """Return a text with amounts in plain digits (6,000 becomes 6000, and 1.2万 becomes 12000)."""
    text = _AMOUNT.sub("", text)
    return _WAN.sub(lambda match: str(round(float(match[1]) * 10_000)), text)


@lru_cache(maxsize=16)
def clauses(text: str) -> tuple[str, ...]:
    """Split a request at punctuation marks, except at commas within an English list of tags."""
    text = plain_amounts(text)
    if "," in text:
        text = _LIST_COMMA.sub(" & ", text.lower())
    return tuple(part for part in _CLAUSE.split(text) if part.strip())


def without_tags(text: str) -> str:
    """Return a text in lower case with a placeholder for each tag or list of tags."""
    blank = _TAG.sub("◇", text.lower())
    return re.sub(r"◇(?:(?:、|和|或者|,? and |,? or |, )(?:an? )?◇)+", "◇", blank)


def refuses(clause: str) -> bool:
    """Check whether a clause is about things that the traveller does not want."""
    return bool(_REFUSAL.search(_TAG.sub("", clause.lower())))


def tags_of(clause: str) -> list[tuple[str, str]]:
    """Return the category and the tag of each mention in a clause, in order."""
    found = []
    for match in _mentions(clause.lower()):
        meanings = _meanings(match[0])
        category = next(iter(meanings))
        if len(meanings) > 1:
            about_hotels = bool(_PLACES_CUE.search(clause))
            category = "accommodations" if about_hotels else "attractions"
        found.append((category, meanings[category]))
    return found


def read_wishes(text: str) -> dict[str, dict[str, set[str]]]:
    """Return the wishes and exclusions in a text, grouped by category."""
    found: dict[str, dict[str, set[str]]] = {}
    for clause in clauses(text):
        side = "constraints" if refuses(clause) else "preferences"
        for category, tag in tags_of(clause):
            sides = found.setdefault(category, {"preferences": set(), "constraints": set()})
            sides[side].add(tag)
    return found
