"""Sub-queries of an engine are asked once, kept, and read offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from extractors.tasks.query_tasks import SubQueries, WrittenText
from flows.queries import reword as rewriting
from flows.settings.environment import NO_SETTINGS
from queries.sub_queries import sub_queries
from schemas.cities import find_city
from schemas.tasks import Grounded, Unanswered
from sources.web.providers.base import Answers

QUERY = {
    "query_id": "q1", "city_id": "c1", "text_zh": "杭州三日游", "constraint_kind": "generic",
    "constraint_code": None, "n_days": 3, "family": "tprag",
}  # fmt: skip


class Writer:
    """An engine that counts, and fails for routes."""

    name = "openai"

    def __init__(self) -> None:
        self.asked = 0

    def run(self, task: Any, item: Any) -> Grounded[SubQueries]:
        self.asked += 1
        if item.purpose == "route":
            raise Unanswered("no answer")
        texts = ("杭州 三日 景点", "Hangzhou sights")
        return Grounded(output=SubQueries(sub_queries=tuple(WrittenText(text=t) for t in texts)))


def test_what_an_engine_wrote_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer, city, answers = Writer(), find_city("杭州"), Answers(tmp_path)
    monkeypatch.setattr(rewriting, "engine_named", lambda name, settings, run_id: writer)
    first = rewriting.rewrite([QUERY], city, "openai", NO_SETTINGS, answers, offline=False)
    assert [(row["purpose"], row["rank"], row["lang"]) for row in first] == [
        ("poi", 4, "zh"),
        ("poi", 5, "en"),
    ]
    by_rules = {(row["purpose"], row["rank"]) for row in sub_queries(QUERY, city)}
    assert by_rules.isdisjoint({(row["purpose"], row["rank"]) for row in first})
    assert writer.asked == 2
    twin = {**QUERY, "query_id": "q2"}
    again = rewriting.rewrite([twin], city, "openai", NO_SETTINGS, answers, offline=True)
    assert [row["sub_query_id"] for row in again] == [row["sub_query_id"] for row in first]
    assert writer.asked == 2
    rewriting.rewrite([QUERY], city, "openai", NO_SETTINGS, answers, offline=False)
    assert writer.asked == 3, "only what had no answer is asked again"
