"""Stage queries: the plans of a city, with text, audited by readers that share no writer."""

from __future__ import annotations

import polars as pl

from flows.shards import Frames
from flows.stages.base import Job, Stage, Upstream, only, quarantine_row, stage_count
from queries import tprag, traveleval
from queries.audit import tprag as tprag_audit
from queries.audit import traveleval as traveleval_audit
from queries.grounding import offer_of
from schemas.arrow import frame
from schemas.cities import City

AUDITS = {"tprag": tprag_audit.audit, "traveleval": traveleval_audit.audit}


def compute(job: Job, upstream: Upstream) -> Frames:
    """Plan the queries of a city; one that breaks a rule of its family is quarantined."""
    assert job.city is not None
    city, profile = job.city, job.inputs.profile
    planned: dict[str, pl.DataFrame] = {}
    if "tprag" in profile.families:
        settings = profile.queries
        planned["tprag"] = tprag.plan_queries(city, settings.days, settings.constraint_kinds)
    if "traveleval" in profile.families:
        offer = offer_of(city, only(upstream, "tables"))
        planned["traveleval"] = traveleval.plan_queries(city, offer)
    return audited(city, planned)


def audited(city: City, planned: dict[str, pl.DataFrame]) -> Frames:
    """Split planned queries by family into those that keep the rules and those that do not."""
    broken: dict[str, list[str]] = {}
    for family, rows in planned.items():
        names = {city.city_id: city.name_zh or city.name_en}
        for rule, ids in AUDITS[family](rows.to_dicts(), names).items():
            for query_id in ids:
                broken.setdefault(query_id, []).append(rule)
    bad = [
        quarantine_row(
            city, "queries", "queries", query_id, f"audit_{rules[0]}",
            f"the query breaks the rules: {', '.join(rules)}",
        )
        for query_id, rules in sorted(broken.items())
    ]  # fmt: skip
    every = pl.concat([frame("queries", []), *planned.values()])
    good = every.filter(~pl.col("query_id").is_in(sorted(broken)))
    counted = stage_count(
        city, "queries", "queries", rows_in=every.height, kept=good.height, quarantined=len(bad)
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
