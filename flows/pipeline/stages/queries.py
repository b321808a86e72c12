"""Runs the stages ``queries`` and ``sub_queries``.

The first stage plans the queries for a city, writes their texts, adds the user's own queries, and
audits all queries independently. The second stage writes the sub-queries that are sent to a search
engine for each query.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from flows.pipeline.shards import Frames
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
from flows.pipeline.stages.given_queries import (
    CityEntries,
    broken_ours,
    entries_digest,
    join_queries,
    list_entries,
    make_rows,
)
from flows.queries.reword import rewrite
from queries import tprag, traveleval
from queries.audit.rows import audit_rows
from queries.families import COUNT_IN_YUAN, plan_family, share
from queries.grounding import Destination, Offer, offer_of
from queries.settings import QuerySettings
from queries.sub_queries import sub_queries
from schemas import frames as inner
from schemas.arrow import frame, polars_schema_of
from schemas.cities import City
from schemas.money import YUAN
from sources.web.providers.base import Answers


def compute(job: Job, upstream: Upstream) -> Frames:
    """Plan the queries for a city; a query that breaks a rule of its family is quarantined."""
    city, profile = job.own_city, job.inputs.profile
    settings = profile.queries
    planned: dict[str, pl.DataFrame] = {}
    named = [city]
    if "tprag" in profile.families:
        planned["tprag"] = tprag.plan_queries(
            city, settings.days, settings.constraint_kinds, settings.year
        )
    others = [family for family in profile.families if family != "tprag"]
    tables = only(upstream, "tables")
    offer = offer_of(city, tables)
    if "tprag" in planned and tables["attractions"].height:
        planned["tprag"] = frame("queries", tprag.mark_unmet(planned["tprag"].to_dicts(), offer))
    if others:
        named += [origin.city for origin in offer.origins]
        for family in others:
            planned[family] = family_of_city(family, city, offer, settings)
    given = make_rows(job, city, offer, tables) if list_entries(job) else CityEntries()
    return audit_queries(city, planned, named, given, settings)


def family_of_city(family: str, city: City, offer: Offer, settings: QuerySettings) -> pl.DataFrame:
    """Return a family's queries for one city, or none if the tables lack the necessary data."""
    if family == "traveleval":
        asked = traveleval.meetable(city, offer, settings.traveleval)
        return traveleval.plan_queries(city, offer, asked)
    can_be_planned = offer.sights if family == "tripscore" else offer.types and offer.origins
    if not can_be_planned:
        return frame("queries", [])
    if family in COUNT_IN_YUAN and offer.currency != YUAN:
        return frame("queries", [])
    cities = len(settings.cities) or 10
    rows = plan_family(
        family, [Destination(city, offer)], share(settings, cities), f"{family}-{city.slug}-"
    )
    return frame("queries", rows)


def audit_queries(
    city: City, planned: dict[str, pl.DataFrame], named: Sequence[City], given: CityEntries,
    settings: QuerySettings,
) -> Frames:  # fmt: skip
    """Separate the planned and given queries that break their family's rules from the others."""
    broken = broken_ours(given.rows, settings)
    repeated = 0
    for family, every in planned.items():
        rows, gone = join_queries(every, given.rows)
        planned[family], repeated = rows, repeated + gone
        for rule, ids in audit_rows(family, rows.to_dicts(), named).items():
            for query_id in ids:
                broken.setdefault(query_id, []).append(rule)
    bad = [
        quarantine_row(
            city, "queries", "queries", query_id, f"audit_{rules[0]}",
            f"the query breaks the rules: {', '.join(rules)}",
        )
        for query_id, rules in sorted(broken.items())
    ]  # fmt: skip
    every = pl.concat([*planned.values(), frame("queries", given.rows)])
    good = every.filter(~pl.col("query_id").is_in(sorted(broken)))
    counted = stage_count(
        city, "queries", "queries", rows_in=every.height + repeated + len(given.aside),
        kept=good.height, merged=repeated, quarantined=len(bad) + len(given.aside),
    )  # fmt: skip
    return {
        "queries": good,
        "given": pl.DataFrame(given.told, polars_schema_of(inner.GIVEN), orient="row"),
        "unanswered": pl.DataFrame(given.unanswered, polars_schema_of(inner.GIVEN), orient="row"),
        "quarantine": frame("quarantine", [*bad, *given.aside]),
        "stage_counts": frame("stage_counts", [counted]),
    }


STAGE = Stage(
    "queries",
    15,
    compute,
    {
        **tables("queries", "quarantine", "stage_counts"),
        "given": Output(inner.GIVEN),
        "unanswered": Output(inner.GIVEN),
    },
    settings=lambda job: {
        "families": job.inputs.profile.families,
        "queries": job.inputs.profile.queries.model_dump(),
    },
    ingredients=entries_digest,
    is_finished=lambda rows: not rows.get("unanswered"),
    providers=lambda job: job.services if list_entries(job) else (),
)


#: Families whose queries need a search for documents.
RECALLED = ("tprag", "tripscore")


def compute_sub_queries(job: Job, upstream: Upstream) -> Frames:
    """Write sub-queries by rules; if the web is searched, an engine that can rewrite queries adds
    more."""
    queries = only(upstream, "queries")["queries"].to_dicts()
    asking = [query for query in queries if query["family"] in RECALLED]
    asked = [row for query in asking for row in sub_queries(query, job.own_city)]
    if _writes(job):
        web = job.inputs.required_web
        asked += rewrite(
            [query for query in asking if query["family"] == "tprag"], job.own_city,
            job.inputs.engine, job.inputs.settings, Answers(web.archive / "answers"),
            offline=web.offline, run_id=job.inputs.run_id,
        )  # fmt: skip
    return {"sub_queries": frame("sub_queries", asked).unique().sort(pl.all())}


def _writes(job: Job) -> bool:
    return job.inputs.web is not None and job.inputs.engine != "rules"


SUB_QUERIES_STAGE = Stage(
    "sub_queries",
    2,
    compute_sub_queries,
    tables("sub_queries"),
    settings=lambda job: {"engine": job.inputs.engine} if _writes(job) else {},
)
