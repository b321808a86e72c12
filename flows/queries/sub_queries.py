"""Sub-queries by an engine, beside those by rules. Equal queries are asked for once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from extractors.tasks.query_tasks import RewriteRequest, SubQueryRewriting
from flows.models.engines import engine_named
from flows.settings.environment import Settings
from queries.sub_queries import rewritten
from schemas.cities import City
from schemas.rows import SubQueriesRow
from schemas.tasks import Engine, Unanswered
from sources.web.providers.base import Answers, ApiAnswer, ApiRequest

Row = dict[str, Any]


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
    """Rows of sub-queries that an engine writes, in both purposes, after the ranks of the rules.

    What it wrote is kept beside the answers of the providers, so that ``offline`` asks nobody. A
    query without a usable answer keeps the sub-queries of the rules alone.
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
