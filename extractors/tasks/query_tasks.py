"""Tasks on queries: the standard behind seed queries, new queries, and sub-queries to search with.

After TP-RAG, section 3.2 and appendix A.1: a query names a city, perhaps a number of days and one
constraint; sub-queries look for places, for routes, or for the facts of one place.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from extractors.tasks.prompting import asked, numbered, one_line, read_as, rows
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


def stated(text: str) -> set[tuple[str, str]]:
    """Constraints (kind, code) whose words a text holds."""
    return {
        (kind, term.code)
        for kind, terms in CONSTRAINTS.items()
        for term in terms
        if any(locate(word, text) for word in words_of(term))
    }


def words_of(term: Term) -> tuple[str, ...]:
    """All words for a constraint."""
    return (term.zh, term.en, *term.words)


class SeedQueries(BaseModel):
    """Example queries."""

    model_config = _FROZEN
    queries: tuple[str, ...] = Field(min_length=1)


class Element(BaseModel):
    """One element that a query may have, and the words for it."""

    model_config = _FROZEN
    name: str = Field(min_length=1, max_length=40)
    words: tuple[str, ...]


class Standard(BaseModel):
    """What queries are made of."""

    model_config = _FROZEN
    elements: tuple[Element, ...] = ()


class QueryStandard:
    """The elements of seed queries; every word must stand in one of them."""

    name = "query_standard"
    version = 1
    input_model = SeedQueries
    output_model = Standard

    def prompt(self, item: SeedQueries) -> list[dict[str, str]]:
        """Chat messages."""
        rules = (
            "The document lists travel queries. Find what they are made of: the elements (such as "
            "destination, trip length, season, company, interest, pace) and, for each, every word "
            'of the queries that fills it. Answer: {"elements": [{"name": .., "words": [..]}]}.'
        )
        return asked(rules, numbered(item.queries))

    def parse(self, raw: dict[str, Any], item: SeedQueries) -> Standard:
        """Read a raw answer; raises ValueError."""
        return read_as(Standard, {"elements": rows(raw, "elements")})

    def check(self, item: SeedQueries, output: Standard) -> Grounded[Standard]:
        """Keep the words that stand in a query, and the elements that have one."""
        kept: list[Element] = []
        missing: list[Ungrounded] = []
        for element in output.elements:
            good = tuple(w for w in element.words if any(locate(w, q) for q in item.queries))
            missing += [
                Ungrounded(what=f"{element.name}: {word}", why="stands in no seed query")
                for word in element.words if word not in good
            ]  # fmt: skip
            if good:
                kept.append(element.model_copy(update={"words": tuple(dict.fromkeys(good))}))
        return Grounded(output=Standard(elements=tuple(kept)), ungrounded=tuple(missing))


class QueryRequest(BaseModel):
    """What the wanted queries must say: all of this and no more."""

    model_config = _FROZEN
    city_zh: str
    city_en: str
    constraint_kind: str = "generic"
    constraint_code: str | None = None
    n_days: int | None = Field(default=None, ge=1, le=10)
    lang: Literal["zh", "en"] = "zh"
    number: int = Field(default=1, ge=1, le=20)

    @property
    def term(self) -> Term | None:
        """The constraint's entry of the taxonomy."""
        terms = CONSTRAINTS.get(self.constraint_kind, ())
        return next((term for term in terms if term.code == self.constraint_code), None)


class WrittenText(BaseModel):
    """One text of an answer."""

    model_config = _FROZEN
    text: str = Field(min_length=1, max_length=LONGEST_QUERY)


class WrittenQueries(BaseModel):
    """Queries that say what was asked for."""

    model_config = _FROZEN
    queries: tuple[WrittenText, ...] = ()


class QueryWriting:
    """Natural queries for a city, with the constraint and the days asked for and no others."""

    name = "query_writing"
    version = 1
    input_model = QueryRequest
    output_model = WrittenQueries

    def prompt(self, item: QueryRequest) -> list[dict[str, str]]:
        """Chat messages."""
        rules = (
            "Write short travel queries as people type them into a search engine, each in other "
            "words. Each names the city, the trip length if one is given, and the constraint if "
            'one is given, and nothing else. Answer: {"queries": [..]}.'
        )
        term = item.term
        wish = f"{term.zh} / {term.en}" if term else "none"
        data = (
            f"Queries wanted: {item.number}, in {'Chinese' if item.lang == 'zh' else 'English'}\n"
            f"City: {item.city_zh} / {item.city_en}\nDays: {item.n_days or 'not given'}\n"
            f"Constraint: {wish}"
        )
        return asked(rules, data)

    def parse(self, raw: dict[str, Any], item: QueryRequest) -> WrittenQueries:
        """Read a raw answer; raises ValueError."""
        return read_as(WrittenQueries, {"queries": texts(raw, "queries")})

    def check(self, item: QueryRequest, output: WrittenQueries) -> Grounded[WrittenQueries]:
        """Keep the queries that say all that was asked for and nothing more."""
        kept, missing = [], []
        for query in _distinct(output.queries):
            problem = self._problem(item, query.text)
            if problem:
                missing.append(Ungrounded(what=query.text, why=problem))
            else:
                kept.append(query)
        return Grounded(
            output=WrittenQueries(queries=tuple(kept[: item.number])), ungrounded=tuple(missing)
        )

    def _problem(self, item: QueryRequest, text: str) -> str | None:
        if not (locate(item.city_zh, text) or locate(item.city_en, text)):
            return "does not name the city"
        if days_in(text) != ({item.n_days} if item.n_days else set()):
            return "states other days than were asked for"
        wanted = {(item.constraint_kind, item.term.code)} if item.term else set()
        said = stated(text)
        if not wanted <= said:
            return "leaves out the constraint"
        return "states a constraint that was not asked for" if said - wanted else None


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
        return asked(rules, data)

    def parse(self, raw: dict[str, Any], item: RewriteRequest) -> SubQueries:
        """Read a raw answer; raises ValueError."""
        return read_as(SubQueries, {"sub_queries": texts(raw, "sub_queries")})

    def check(self, item: RewriteRequest, output: SubQueries) -> Grounded[SubQueries]:
        """Keep what names the city (and the place) and adds neither days nor a constraint."""
        days, wishes = days_in(item.query), stated(item.query)
        kept, missing = [], []
        for found in _distinct(output.sub_queries):
            problem = None
            if not (locate(item.city_zh, found.text) or locate(item.city_en, found.text)):
                problem = "does not name the city"
            elif item.poi and not locate(item.poi, found.text):
                problem = "does not name the place"
            elif days_in(found.text) - days:
                problem = "states days that the query does not"
            elif stated(found.text.replace(item.poi or "\0", " ")) - wishes:
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
