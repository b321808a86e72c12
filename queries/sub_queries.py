"""Rule rewriting of a query into sub-queries for places, routes and inquiries.

A sub-query is keyed by its purpose and text, so that two queries which ask the same share the
search (TP-RAG, section 3.2, asks for the three kinds).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.cities import City
from schemas.ids import digest
from schemas.taxonomy import CONSTRAINTS, Term

_SYNONYMS = 4
_POI_WORDS = ("必去景点推荐", "景点 门票 开放时间")
_ROUTE_WORDS = ("旅游攻略 行程安排 路线", "游记 第一天 第二天")


def _term(kind: str, code: str | None) -> Term | None:
    return next((t for t in CONSTRAINTS.get(kind, ()) if t.code == code), None)


def _words(term: Term | None, *, ascii_words: bool) -> list[str]:
    """The constraint and a few other words for it: documents rarely use the query's own."""
    if term is None:
        return []
    others = [word for word in term.words if word.isascii() == ascii_words]
    return [term.en if ascii_words else term.zh, *others[:_SYNONYMS]]


def _sub_query(
    query: Mapping[str, Any], purpose: str, rank: int, text: str, lang: str
) -> dict[str, Any]:
    return {
        "query_id": query["query_id"],
        "city_id": query["city_id"],
        "purpose": purpose,
        "rank": rank,
        "sub_query_id": f"sq_{digest(purpose, text)}",
        "text": text,
        "lang": lang,
    }


def sub_queries(query: Mapping[str, Any], city: City) -> list[dict[str, Any]]:
    """Sub-queries for places and routes of one query, in both languages."""
    term = _term(query["constraint_kind"], query["constraint_code"])
    zh = " ".join([city.name_zh or city.name_en, *_words(term, ascii_words=False)])
    en = " ".join([city.name_en, *_words(term, ascii_words=True)])
    days = query["n_days"]
    texts: list[tuple[str, str, str]] = [("poi", f"{zh} {words}", "zh") for words in _POI_WORDS]
    texts.append(("poi", f"{en} attractions things to see", "en"))
    day_zh = f" {days}日游" if days else ""
    day_en = f"{days} day " if days else ""
    texts += [("route", f"{zh}{day_zh} {words}", "zh") for words in _ROUTE_WORDS]
    texts.append(("route", f"{en} {day_en}itinerary day 1 day 2", "en"))
    ranks: dict[str, int] = {}
    rows = []
    for purpose, text, lang in texts:
        ranks[purpose] = ranks.get(purpose, 0) + 1
        rows.append(_sub_query(query, purpose, ranks[purpose], text, lang))
    return rows


def rewritten(query: Mapping[str, Any], purpose: str, texts: Sequence[str]) -> list[dict[str, Any]]:
    """Rows of sub-queries that an engine wrote; their ranks follow those of the rules."""
    after = len(_POI_WORDS if purpose == "poi" else _ROUTE_WORDS) + 1
    return [
        _sub_query(query, purpose, rank, text, "en" if text.isascii() else "zh")
        for rank, text in enumerate(texts, after + 1)
    ]


def inquiries(query: Mapping[str, Any], city: City, names: Sequence[str]) -> list[dict[str, Any]]:
    """One inquiry for each named place, in their order: its hours and visiting in the query's
    context."""
    term = _term(query["constraint_kind"], query["constraint_code"])
    context = f" {term.zh}" if term and query["constraint_kind"] in ("season", "holiday") else ""
    place = city.name_zh or city.name_en
    return [
        _sub_query(query, "inquiry", rank, f"{place} {name}{context} 开放时间 门票 游玩", "zh")
        for rank, name in enumerate(names, 1)
    ]
