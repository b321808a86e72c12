"""Rewrite a query, using fixed rules, into sub-queries for places, routes and inquiries.

The three kinds of sub-queries come from TP-RAG, section 3.2. The id of a sub-query depends only on
its purpose and text, so equal sub-queries of different queries share one search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from queries.home import asks_in_chinese
from schemas.cities import City
from schemas.ids import digest
from schemas.rows import SubQueriesRow
from schemas.taxonomy import CONSTRAINTS, Term

_SYNONYMS = 4
#: Search words that follow the city, the constraint and, for a route, the days. A query has Chinese
#: sub-queries and an English one, or the same number in English only.
_ZH = {
    "poi": ("必去景点推荐", "景点 门票 开放时间"),
    "route": ("旅游攻略 行程安排 路线", "游记 第一天 第二天"),
}
_EN = {
    "poi": ("attractions things to see", "must-see sights", "sights tickets opening hours"),
    "route": (
        "itinerary day 1 day 2",
        "travel guide itinerary",
        "trip report first day second day",
    ),
}
_PURPOSES = ("poi", "route")
#: Number of sub-queries that the rules write for each purpose.
_BY_RULES = 3


def _term(kind: str, code: str | None) -> Term | None:
    return next((t for t in CONSTRAINTS.get(kind, ()) if t.code == code), None)


def _words(term: Term | None, *, ascii_words: bool) -> list[str]:
    """Return the constraint and a few synonyms, because documents often use different words."""
    if term is None:
        return []
    others = [word for word in term.words if word.isascii() == ascii_words]
    own = term.en.removeprefix("the ") if ascii_words else term.zh
    return [own, *others[:_SYNONYMS]]


def _sub_query(
    query: Mapping[str, Any], purpose: str, rank: int, text: str, lang: str
) -> SubQueriesRow:
    return {
        "query_id": query["query_id"],
        "city_id": query["city_id"],
        "purpose": purpose,
        "rank": rank,
        "sub_query_id": f"sq_{digest(purpose, text)}",
        "text": text,
        "lang": lang,
    }


def sub_queries(query: Mapping[str, Any], city: City) -> list[SubQueriesRow]:
    """Return the sub-queries for places and routes, in the languages of the city's documents."""
    rows = []
    for purpose in _PURPOSES:
        texts: list[tuple[str, str]] = []
        if asks_in_chinese(city, query["family"]):
            texts += [(_zh(query, city, purpose, words), "zh") for words in _ZH[purpose]]
        wanted = _EN[purpose][: _BY_RULES - len(texts)]
        texts += [(_en(query, city, purpose, words), "en") for words in wanted]
        rows += [
            _sub_query(query, purpose, rank, text, lang)
            for rank, (text, lang) in enumerate(texts, 1)
        ]
    return rows


def _zh(query: Mapping[str, Any], city: City, purpose: str, words: str) -> str:
    days = f"{query['n_days']}日游" if purpose == "route" and query["n_days"] else None
    own = _words(_term(query["constraint_kind"], query["constraint_code"]), ascii_words=False)
    return " ".join(filter(None, [city.name_zh or city.name_en, *own, days, words]))


def _en(query: Mapping[str, Any], city: City, purpose: str, words: str) -> str:
    days = f"{query['n_days']} day" if purpose == "route" and query["n_days"] else None
    own = _words(_term(query["constraint_kind"], query["constraint_code"]), ascii_words=True)
    return " ".join(filter(None, [city.name_en, *own, days, words]))


def rewritten(query: Mapping[str, Any], purpose: str, texts: Sequence[str]) -> list[SubQueriesRow]:
    """Return rows for sub-queries written by an engine, ranked after those from the rules."""
    return [
        _sub_query(query, purpose, rank, text, "en" if text.isascii() else "zh")
        for rank, text in enumerate(texts, _BY_RULES + 1)
    ]


def inquiries(query: Mapping[str, Any], city: City, names: Sequence[str]) -> list[SubQueriesRow]:
    """Return an inquiry about the opening hours and tickets of each named place, in order.

    If the query has a season or holiday, the inquiry also mentions the season or holiday.
    """
    term = _term(query["constraint_kind"], query["constraint_code"])
    if term and query["constraint_kind"] not in ("season", "holiday"):
        term = None
    if asks_in_chinese(city, query["family"]):
        place, lang = city.name_zh or city.name_en, "zh"
        when = term.zh if term else None
        words = "开放时间 门票 游玩"
    else:
        place, lang = city.name_en, "en"
        when = term.en.removeprefix("the ") if term else None
        words = "opening hours tickets visit"
    return [
        _sub_query(query, "inquiry", rank, " ".join(filter(None, [place, name, when, words])), lang)
        for rank, name in enumerate(names, 1)
    ]
