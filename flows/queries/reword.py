"""Rewords the texts of planned queries with an engine, and checks that the meaning is kept.

The rules write the first text; the engine says the same in other words. A wording counts only if
the audit's reader recovers the whole plan from it; if not, the engine is asked once more. If that
fails too, the last wording stays in the row, so that the audit sets the query aside.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

from extractors.tasks.query_tasks import QueryRewording, RewordingRequest
from queries.audit.rows import TEXT_RULES, audit_rows
from schemas.cities import City
from schemas.tasks import Engine, Unanswered

Row = dict[str, Any]
WRITERS = ("rules", "openai")
_ANSWERS = 2
_SHOWN_EVERY = 100
_TEXTS: tuple[tuple[str, Literal["zh", "en"]], ...] = (("text_zh", "zh"), ("text_en", "en"))


def reword(
    family: str, rows: Sequence[Row], cities: Sequence[City], engine: Engine
) -> dict[str, int]:
    """Reword both texts of each row in place; counts of texts by what became of them.

    ``first`` and ``second`` read back from the first or second answer, ``unread`` from neither;
    ``unanswered`` have no usable answer. Both of the last are kept from the result by the audit,
    an unanswered text because it is empty.
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
    """The first wording that reads back, and in which answer it stood."""
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
    """Whether the audit recovers the plan from one text of a row."""
    broken = audit_rows(family, [row], cities)
    return not any(broken[rule] for rule in TEXT_RULES.get((family, column), (column,)))
