"""Runs the stage ``tagging``: tags of candidates in the contexts of their queries.

It runs after the answers to inquiries; facts from these answers count like those of any document.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages import asked_tags
from flows.pipeline.stages.asked_tags import TagAnswers, ask_tags
from flows.pipeline.stages.base import (
    Job,
    Output,
    Stage,
    Upstream,
    only,
    quarantine_row,
    stage_count,
    tables,
)
from flows.pipeline.stages.context_tags import gather_known
from schemas import frames as inner
from schemas.arrow import frame, polars_schema_of
from schemas.cities import City
from schemas.dates import date_documents
from schemas.rows import QuarantineRow

Row = dict[str, Any]


def compute(job: Job, upstream: Upstream) -> Frames:
    """Return hours, arrival, stay and description of a city's candidates, with evidence."""
    city = job.own_city
    told = [only(upstream, stage) for stage in ("tags", "answers")]
    told = [frames for frames in told if "poi_facts" in frames]
    dated = date_documents(only(upstream, "documents")["documents"])
    known = gather_known(
        city,
        upstream,
        pl.concat([frames["poi_facts"] for frames in told]),
        pl.concat([frames["evidence"] for frames in told]).to_dicts(),
        dict(dated.select("doc_id", "stated_on").iter_rows()),
    )
    found = ask_tags(job, known, _collect_names(only(upstream, "feedback")))
    ungrounded = _list_ungrounded(city, found)
    n_rows, n_aside = len(found.tags.rows), len(ungrounded)
    counted = stage_count(
        city, "tagging", "context_tags", rows_in=n_rows + n_aside, kept=n_rows, quarantined=n_aside
    )
    return {
        "context_tags": frame("context_tags", found.tags.rows),
        "untagged": _list_untagged(found),
        "evidence": frame("evidence", found.tags.evidence.values()),
        "quarantine": frame("quarantine", ungrounded),
        "stage_counts": frame("stage_counts", [counted]),
    }


def _collect_names(feedback: Frames) -> dict[str, tuple[str, ...]]:
    """Return all names of each place, its own name first."""
    found = {
        row["poi_id"]: [name for name in (row["name_zh"], row["name_en"]) if name]
        for row in feedback["pois"].select("poi_id", "name_zh", "name_en").to_dicts()
    }
    for poi_id, alias in (
        feedback["poi_aliases"].select("poi_id", "alias").sort("alias").iter_rows()
    ):
        found.setdefault(poi_id, []).append(alias)
    return {poi_id: tuple(dict.fromkeys(names)) for poi_id, names in found.items() if names}


def _list_ungrounded(city: City, asked: TagAnswers) -> list[QuarantineRow]:
    """Return a model's claims about places in contexts that lack evidence, each claim once."""
    rows = (
        quarantine_row(
            city, "tagging", "context_tags", "/".join(key), "ungrounded", f"{what}: {why}",
            {"what": what, "why": why},
        )
        for key, what, why in asked.aside
    )  # fmt: skip
    return list({row["quarantine_id"]: row for row in rows}.values())


def _list_untagged(asked: TagAnswers) -> pl.DataFrame:
    rows = [(*key, why) for key, why in sorted(asked.unanswered.items())]
    return pl.DataFrame(rows, schema=polars_schema_of(inner.UNTAGGED), orient="row")


STAGE = Stage(
    "tagging",
    2,
    compute,
    {
        **tables("context_tags", "evidence", "quarantine", "stage_counts"),
        "untagged": Output(inner.UNTAGGED),
    },
    settings=asked_tags.settings_of,
    providers=asked_tags.services,
    is_finished=lambda rows: not rows.get("untagged"),
)
