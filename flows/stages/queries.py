"""Stage queries: the plan of a city, with text, audited by a reader that shares no writer."""

from __future__ import annotations

from typing import Any

import polars as pl

from flows.shards import Frames
from flows.stages.base import Job, Stage, Upstream, quarantine_row, stage_count
from queries.audit import tprag as audit
from queries.tprag import plan_queries
from schemas.arrow import frame
from schemas.cities import City


def compute(job: Job, upstream: Upstream) -> Frames:
    """Plan the queries of a city; one that breaks a rule of its family is quarantined."""
    assert job.city is not None
    city, profile = job.city, job.inputs.profile
    planned = frame("queries", [])
    if "tprag" in profile.families:
        settings = profile.queries
        planned = plan_queries(city, settings.days, settings.constraint_kinds)
    return audited(city, planned)


def audited(city: City, planned: pl.DataFrame) -> Frames:
    """Split planned queries into those that keep the rules and those that do not."""
    rows = planned.to_dicts()
    broken: dict[str, list[str]] = {}
    for rule, ids in audit.audit(rows, {city.city_id: city.name_zh or city.name_en}).items():
        for query_id in ids:
            broken.setdefault(query_id, []).append(rule)
    bad = [
        quarantine_row(
            city, "queries", "queries", query_id, f"audit_{rules[0]}",
            f"the text breaks the rules: {', '.join(rules)}",
        )
        for query_id, rules in sorted(broken.items())
    ]  # fmt: skip
    good = planned.filter(~pl.col("query_id").is_in(sorted(broken)))
    counted: dict[str, Any] = stage_count(
        city, "queries", "queries", rows_in=planned.height, kept=good.height, quarantined=len(bad)
    )
    return {
        "queries": good,
        "quarantine": frame("quarantine", bad),
        "stage_counts": frame("stage_counts", [counted]),
    }


STAGE = Stage(
    "queries",
    1,
    compute,
    settings=lambda job: {
        "families": job.inputs.profile.families,
        "queries": job.inputs.profile.queries.model_dump(),
    },
)
