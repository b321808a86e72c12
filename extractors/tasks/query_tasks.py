"""Tasks on queries: the standard behind seed queries, new queries, and sub-queries to search with.

After TP-RAG, section 3.2 and appendix A.1: a query names a city, sometimes a number of days, and
one constraint; sub-queries look for places, for routes, or for the facts of one place.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from extractors.tasks.prompting import one_line, read_as, write_messages
from extractors.text import fold, locate
from schemas.tasks import Grounded, Ungrounded
from schemas.taxonomy import CONSTRAINTS, Term

Purpose = Literal["poi", "route", "inquiry"]
_FROZEN = ConfigDict(frozen=True)
_HAN_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九十")} | {"两": 2}
_EN_DIGITS = {
    w: n for n, w in enumerate(("one", "two", "three", "four", "five", "six", "seven"), 1)
}
_DAYS = re.compile(
    r"(\d{1,2}|[一二两三四五六七八九十])\s*(?:日|天)(?!内)|"
    r"\b(\d{1,2}|one|two|three|four|five|six|seven)[\s-]*days?\b", re.IGNORECASE,
)  # fmt: skip
LONGEST_QUERY = 120


def days_in(text: str) -> set[int]:
    """Numbers of days that a text states, in digits or words."""
    found = set()
    for match in _DAYS.finditer(text):
        word = (match[1] or match[2]).lower()
        found.add(int(word) if word.isdigit() else _HAN_DIGITS.get(word) or _EN_DIGITS[word])
    return found


def find_stated(text: str, asked: Collection[tuple[str, str]] = ()) -> set[tuple[str, str]]:
    """Constraints (kind, code) whose words a text holds; words that those ``asked`` have too are
    theirs (Golden Week is one in China and another in Japan)."""
    terms = [(kind, term) for kind, terms in CONSTRAINTS.items() for term in terms]
    own = {word for kind, term in terms if (kind, term.code) in asked for word in words_of(term)}
    return {
        (kind, term.code)
        for kind, term in terms
        if any(word not in own and locate(word, text) for word in words_of(term))
    }


def words_of(term: Term) -> tuple[str, ...]:
    """All words for a constraint."""
    return (term.zh, term.en, *term.words)


class WrittenText(BaseModel):
    """One text of an answer."""

    model_config = _FROZEN
    text: str = Field(min_length=1, max_length=LONGEST_QUERY)


class RewriteRequest(BaseModel):
    """A query to be searched for, and how many ways."""

    model_config = _FROZEN
    query: str = Field(min_length=1)
    city_zh: str
    city_en: str
    purpose: Purpose
    poi: str | None = Field(default=None, description="the place of an inquiry")
    number: int = Field(default=3, ge=1, le=10)


class SubQueries(BaseModel):
    """Sub-queries of one purpose."""

    model_config = _FROZEN
    sub_queries: tuple[WrittenText, ...] = ()


_WANTED = {
    "poi": "documents that recommend attractions",
    "route": "travel guides and journals that tell a route day by day",
    "inquiry": "current opening hours, prices, best time and advice about the one place",
}


class SubQueryRewriting:
    """Sub-queries for places, routes or one place, which keep the meaning of the query."""

    name = "sub_query_rewriting"
    version = 1
    input_model = RewriteRequest
    output_model = SubQueries

    def prompt(self, item: RewriteRequest) -> list[dict[str, str]]:
        """Chat messages."""
        rules = (
            "Rewrite a travel query into different search-engine queries. Keep its meaning: its "
            "city, days and wish, nothing added. Each names the city, and the place if one is "
            'given. Answer: {"sub_queries": [..]}.'
        )
        place = f"\nPlace: {item.poi}" if item.poi else ""
        data = (
            f"To be found: {_WANTED[item.purpose]}\nNumber wanted: {item.number}\n"
            f"City: {item.city_zh} / {item.city_en}{place}\nQuery: {one_line(item.query)}"
        )
        return write_messages(rules, data)

    def parse(self, raw: dict[str, Any], item: RewriteRequest) -> SubQueries:
        """Read a raw answer; raises ValueError."""
        return read_as(SubQueries, {"sub_queries": texts(raw, "sub_queries")})

    def check(self, item: RewriteRequest, output: SubQueries) -> Grounded[SubQueries]:
        """Keep what names the city (and the place) and adds neither days nor a constraint."""
        days, wishes = days_in(item.query), find_stated(item.query)
        kept, missing = [], []
        for found in _distinct(output.sub_queries):
            problem = None
            if not (locate(item.city_zh, found.text) or locate(item.city_en, found.text)):
                problem = "does not name the city"
            elif item.poi and not locate(item.poi, found.text):
                problem = "does not name the place"
            elif days_in(found.text) - days:
                problem = "states days that the query does not"
            elif find_stated(found.text.replace(item.poi or "\0", " "), wishes) - wishes:
                problem = "states a constraint that the query does not"
            if problem:
                missing.append(Ungrounded(what=found.text, why=problem))
            else:
                kept.append(found)
        return Grounded(
            output=SubQueries(sub_queries=tuple(kept[: item.number])), ungrounded=tuple(missing)
        )


def texts(raw: dict[str, Any], key: str) -> list[dict[str, str]]:
    """A list of texts, as models hold them; raises ValueError when it is none."""
    found = raw.get(key)
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise ValueError(f"{key!r} is not a list of texts")
    return [{"text": one_line(text)} for text in found]


def _distinct(found: tuple[WrittenText, ...]) -> list[WrittenText]:
    return list({fold(query.text): query for query in reversed(found)}.values())[::-1]
