"""Defines tasks that write sub-queries for searching and tasks that reword requests.

As in TP-RAG, section 3.2 and appendix A.1, a query names a city, sometimes a number of days, and
one constraint. Sub-queries look for places, for routes, or for the facts about one place. A
rewording adds nothing to its request and leaves nothing out.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Literal

from pydantic import BaseModel, Field

from extractors.tasks.prompting import one_line, read_as, sift, write_messages
from extractors.text import fold, locate
from schemas.tasks import Grounded
from schemas.taxonomy import CONSTRAINTS, Term

Purpose = Literal["poi", "route", "inquiry"]
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
    """Return the numbers of days in a text, whether in digits or in words."""
    words = [(match[1] or match[2]).lower() for match in _DAYS.finditer(text)]
    return {
        int(word) if word.isdigit() else _HAN_DIGITS.get(word) or _EN_DIGITS[word] for word in words
    }


def find_stated(text: str, asked: Collection[tuple[str, str]] = ()) -> set[tuple[str, str]]:
    """Return the constraints (kind, code) whose words occur in a text.

    Words that also belong to a constraint in ``asked`` count only for that constraint. For example,
    "Golden Week" is one holiday in China and another in Japan.
    """
    terms = [(kind, term) for kind, terms in CONSTRAINTS.items() for term in terms]
    own = {word for kind, term in terms if (kind, term.code) in asked for word in words_of(term)}
    return {
        (kind, term.code)
        for kind, term in terms
        if any(word not in own and locate(word, text) for word in words_of(term))
    }


def words_of(term: Term) -> tuple[str, ...]:
    """Return all words for a constraint."""
    return (term.zh, term.en, *term.words)


class WrittenText(BaseModel, frozen=True):
    """One text in an answer."""

    text: str = Field(min_length=1, max_length=LONGEST_QUERY)


class RewriteRequest(BaseModel, frozen=True):
    """A query to rewrite for searching, and the number of rewrites to return."""

    query: str = Field(min_length=1)
    city_zh: str
    city_en: str
    purpose: Purpose
    poi: str | None = Field(default=None, description="the place of an inquiry")
    number: int = Field(default=3, ge=1, le=10)


class SubQueries(BaseModel, frozen=True):
    """All sub-queries for one purpose."""

    sub_queries: tuple[WrittenText, ...] = ()


_WANTED = {
    "poi": "documents that recommend attractions",
    "route": "travel guides and journals that tell a route day by day",
    "inquiry": "current opening hours, prices, best time and advice about the one place",
}


class SubQueryRewriting:
    """Writes sub-queries for places, routes or one place, without changing the meaning of the
    query.
    """

    name = "sub_query_rewriting"
    version = 1
    input_model = RewriteRequest
    output_model = SubQueries

    def prompt(self, item: RewriteRequest) -> list[dict[str, str]]:
        """Return the chat messages."""
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
        """Read a raw answer. Raises ValueError if the answer has the wrong form."""
        return read_as(SubQueries, {"sub_queries": texts(raw, "sub_queries")})

    def check(self, item: RewriteRequest, output: SubQueries) -> Grounded[SubQueries]:
        """Keep sub-queries that name the city and the place, if any, without new days or
        constraints.
        """
        kept, aside = sift(
            (found, found.text, _sub_query_problem(found.text, item))
            for found in _distinct(output.sub_queries)
        )
        return Grounded(output=SubQueries(sub_queries=kept[: item.number]), ungrounded=aside)


def _sub_query_problem(text: str, item: RewriteRequest) -> str | None:
    if not (locate(item.city_zh, text) or locate(item.city_en, text)):
        return "does not name the city"
    if item.poi and not locate(item.poi, text):
        return "does not name the place"
    if days_in(text) - days_in(item.query):
        return "states days that the query does not"
    wishes = find_stated(item.query)
    if find_stated(text.replace(item.poi or "\0", " "), wishes) - wishes:
        return "states a constraint that the query does not"
    return None


def texts(raw: dict[str, Any], key: str) -> list[dict[str, str]]:
    """Return a list of texts as objects for models. Raises ValueError for any other value."""
    found = raw.get(key)
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise ValueError(f"{key!r} is not a list of texts")
    return [{"text": one_line(text)} for text in found]


def _distinct(found: tuple[WrittenText, ...]) -> list[WrittenText]:
    return list({fold(query.text): query for query in reversed(found)}.values())[::-1]


LONGEST_REQUEST = 600
#: Amounts, years and names of places are kept as they are; small numbers may become words.
_KEPT = re.compile(r"\d{3,}|[「“][^」”]+[」”]")
_HAN = re.compile(r"[\u4e00-\u9fff]")


class RewordingRequest(BaseModel, frozen=True):
    """A request to reword, and the number of wordings to return."""

    text: str = Field(min_length=1, max_length=LONGEST_REQUEST)
    lang: Literal["zh", "en"]
    number: int = Field(default=3, ge=1, le=10)
    refused: tuple[str, ...] = Field(
        default=(), description="wordings from which a reader did not recover the request"
    )


class Wording(BaseModel, frozen=True):
    """One wording of a request."""

    text: str = Field(min_length=1, max_length=LONGEST_REQUEST)


class Wordings(BaseModel, frozen=True):
    """All wordings of one request."""

    texts: tuple[Wording, ...] = ()


class QueryRewording:
    """Rewords a request; each wording must contain every amount, date and name in the request."""

    name = "query_rewording"
    version = 1
    input_model = RewordingRequest
    output_model = Wordings

    def prompt(self, item: RewordingRequest) -> list[dict[str, str]]:
        """Return the chat messages."""
        rules = (
            "Reword a travel request as different people would write it. Keep its language and "
            "everything it says: cities, number of days, dates, who travels, money, and every wish "
            "and refusal in its own words; keep one wish to a clause. Add nothing. "
            'Answer: {"texts": [..]}.'
        )
        missed = "".join(f"\nNot clear enough: {one_line(text)}" for text in item.refused)
        return write_messages(
            rules, f"Wordings wanted: {item.number}{missed}\nRequest: {item.text}"
        )

    def parse(self, raw: dict[str, Any], item: RewordingRequest) -> Wordings:
        """Read a raw answer. Raises ValueError if the answer has the wrong form."""
        return read_as(Wordings, {"texts": texts(raw, "texts")})

    def check(self, item: RewordingRequest, output: Wordings) -> Grounded[Wordings]:
        """Keep the wordings that contain exactly the amounts and names in the request."""
        kept, aside = sift(
            (one, one.text, _wording_problem(one.text, item))
            for one in {fold(found.text): found for found in output.texts}.values()
        )
        return Grounded(output=Wordings(texts=kept[: item.number]), ungrounded=aside)


def _wording_problem(text: str, item: RewordingRequest) -> str | None:
    if sorted(_KEPT.findall(text)) != sorted(_KEPT.findall(item.text)):
        return "other amounts, dates or names"
    is_chinese = bool(_HAN.search(_KEPT.sub("", text)))
    return "another language" if is_chinese != (item.lang == "zh") else None
