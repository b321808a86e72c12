"""Let an engine reword the texts of queries and write more sub-queries.

The rules write the first text, and the engine rewords this text. A wording is used only if the
audit can recover the whole query from it. If the audit cannot recover the query, the engine writes
a second wording. If the second wording also fails, it stays in the row, and the audit sets the
query aside.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

from extractors.tasks.query_tasks import (
    QueryRewording,
    RewordingRequest,
    RewriteRequest,
    SubQueryRewriting,
)
from flows.models.engines import engine_named
from flows.settings.environment import Settings
from queries.audit.rows import TEXT_RULES, audit_rows
from queries.sub_queries import rewritten
from schemas.cities import City
from schemas.rows import SubQueriesRow
from schemas.tasks import Engine, Unanswered
from sources.web.providers.base import Answers, ApiAnswer, ApiRequest

Row = dict[str, Any]
WRITERS = ("rules", "openai")
_ANSWERS = 2
_SHOWN_EVERY = 100
_TEXTS: tuple[tuple[str, Literal["zh", "en"]], ...] = (("text_zh", "zh"), ("text_en", "en"))


def reword(
    family: str, rows: Sequence[Row], cities: Sequence[City], engine: Engine
) -> dict[str, int]:
    """Reword both texts of each row in place, and count the texts by outcome.

    The outcomes ``first`` and ``second`` mean that the query was recovered from the first or the
    second answer. ``unread`` means that the query could not be recovered from either answer.
    ``unanswered`` means that there was no usable answer, so the text is empty. The audit sets aside
    queries with the last two outcomes.
    """
    counts = dict.fromkeys(("first", "second", "unread", "unanswered"), 0)
    jobs = [(row, column, lang) for row in rows for column, lang in _TEXTS]
    with ThreadPoolExecutor(int(getattr(engine, "concurrency", 1))) as pool:
        found = pool.map(
            lambda job: _reword_row(family, job[0], job[1], job[2], cities, engine), jobs
        )
        for number, ((row, column, _), (text, outcome)) in enumerate(
            zip(jobs, found, strict=True), 1
        ):
            row[column] = text
            counts[outcome] += 1
            if number % _SHOWN_EVERY == 0:
                sys.stderr.write(f"{family}: {number} of {len(jobs)} texts\n")
    return counts


def _reword_row(
    family: str,
    row: Row,
    column: str,
    lang: Literal["zh", "en"],
    cities: Sequence[City],
    engine: Engine,
) -> tuple[str, str]:
    """Return the first wording that allows the query to be recovered, and the outcome."""
    tried: list[str] = []
    for outcome in ("first", "second")[:_ANSWERS]:
        item = RewordingRequest(text=row[column], lang=lang, refused=tuple(tried))
        try:
            answer = engine.run(QueryRewording(), item)
        except Unanswered:
            continue
        for wording in answer.output.texts:
            if reads_back(family, {**row, column: wording.text}, column, cities):
                return wording.text, outcome
            tried.append(wording.text)
    return (tried[-1], "unread") if tried else ("", "unanswered")


def reads_back(family: str, row: Row, column: str, cities: Sequence[City]) -> bool:
    """Check whether the audit can recover the query from one of the texts in a row."""
    broken = audit_rows(family, [row], cities)
    return not any(broken[rule] for rule in TEXT_RULES.get((family, column), (column,)))


def rewrite(
    queries: Sequence[Row],
    city: City,
    engine: str,
    settings: Settings,
    answers: Answers,
    *,
    offline: bool,
    run_id: str | None = None,
) -> list[SubQueriesRow]:
    """Return an engine's sub-queries for both purposes, ranked below those from the rules.

    The engine's answers are kept beside the answers from the search providers. If ``offline`` is
    set, only the stored answers are used. If the engine gives no usable answer for a query, the
    query has only the sub-queries that the rules generate.
    """
    task, rows = SubQueryRewriting(), list[SubQueriesRow]()
    for query in queries:
        for purpose in ("poi", "route"):
            item = RewriteRequest(
                query=query["text_zh"] or query["text_en"],
                city_zh=city.name_zh or city.name_en,
                city_en=city.name_en,
                purpose=purpose,
            )
            params = {"item": item.model_dump_json(), "version": str(task.version)}
            request = ApiRequest("GET", "rewrite:", params)
            kept = answers.get(engine, request)
            if kept is None and not offline:
                kept = ApiAnswer(200, {}, _ask(engine_named(engine, settings, run_id), task, item))
                if kept.data is not None:
                    answers.put(engine, request, kept)
            rows += rewritten(query, purpose, (kept.data if kept else None) or [])
    return rows


def _ask(engine: Engine, task: SubQueryRewriting, item: RewriteRequest) -> list[str] | None:
    try:
        found = engine.run(task, item)
    except Unanswered:
        return None
    return [query.text for query in found.output.sub_queries]
