"""Stages pois and feedback: names of documents become places.

The first pass resolves what documents mention. The feedback pass, the only one, takes the
stops of routes that are still unknown: a route brings places that no list has.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages import geocode
from flows.pipeline.stages.base import (
    Job,
    Output,
    Stage,
    Upstream,
    merged,
    only,
    stage_count,
    tables,
)
from flows.pipeline.stages.places import PLACE_FRAMES, place_frames, places_of
from flows.pipeline.stages.reviewed import leave_out
from flows.review.apply import Rejection
from geocoding.discover import add_places, count_mentions
from geocoding.places import Places
from geocoding.resolve import resolve_names
from schemas import frames as inner
from schemas.arrow import frame
from schemas.cities import City
from schemas.ids import (
    SAID_OF_MENTION,
    canonical_json,
    digest,
    mention_id,
    span_evidence_id,
    text_sha256,
)
from schemas.places import SURFACE_NAMES
from schemas.tables import TABLES

#: New places of the first pass are named in at least this many documents; a stop needs one.
MINIMUM_DOCUMENTS = 2


def compute_pois(job: Job, upstream: Upstream) -> Frames:
    """Resolve the names that documents mention; names of several documents become places."""
    assert job.city is not None
    places = places_of(only(upstream, "places"))
    mentions = _gather(upstream, "mentions", "mentions").filter(pl.col("confidence") > 0)
    names = _surface_names(mentions)
    return _pass(job.city, places, names, _main_documents(upstream), MINIMUM_DOCUMENTS)


def compute_feedback(job: Job, upstream: Upstream) -> Frames:
    """Resolve the stops of routes again with the places found so far; unknown stops are new."""
    assert job.city is not None
    city = job.city
    first = only(upstream, "pois")
    visits = _gather(upstream, "mentions", "visits").with_columns(role=pl.lit("visited"))
    names = _surface_names(visits)
    second = _pass(city, places_of(first), names, _main_documents(upstream), 1)
    resolutions = pl.concat([second["resolutions"], first["resolutions"]]).unique(
        "name", keep="first"
    )
    mentions = _mention_rows(city, _gather(upstream, "mentions", "mentions"), resolutions)
    found, asked = geocode.located(job, count_mentions(places_of(second), mentions))
    left = leave_out(city, found, mentions, resolutions, _rejections(job))
    places = count_mentions(left.places, left.mentions)
    evidence = merged("evidence", [places.evidence, _evidence(city, left.mentions)])
    handed = left.mentions.height + left.mentions_set_aside
    counted = stage_count(city, "feedback", "poi_mentions", rows_in=mentions.height, kept=handed)
    return {
        **place_frames(places),
        "evidence": evidence,
        "poi_mentions": left.mentions,
        "resolutions": left.resolutions.sort("name"),
        "refused": left.refused,
        "reviewed": left.reviewed,
        "set_aside": left.set_aside,
        **asked,
        "stage_counts": merged(
            "stage_counts", [frame("stage_counts", [counted]), asked["stage_counts"]]
        ),
    }


def _rejections(job: Job) -> tuple[Rejection, ...]:
    """The reviewers' rejections in this city."""
    return tuple(r for r in job.inputs.rejections if job.city and r.city_id == job.city.city_id)


def _reviews(job: Job) -> dict[str, str]:
    mine = [vars(rejection) for rejection in _rejections(job)]
    return {"review": digest(canonical_json(mine))} if mine else {}


def _pass(
    city: City, places: Places, names: pl.DataFrame, main: pl.DataFrame, minimum: int
) -> Frames:
    """Resolve names, then make places of those that stay unknown in documents about this city.

    Only a name that says what it is (a temple, a park) becomes a place, also as a stop of a
    route: a route's clause may hold anything.
    """
    resolved = resolve_names(names, places, city)
    unknown = resolved.filter(pl.col("resolution") == "unresolved").select("name")
    offered = names.join(unknown, on="name", how="semi").join(main, on="doc_id", how="semi")
    places, added = add_places(places, offered, city, minimum_documents=minimum)
    kept = resolved.join(added, on="name", how="anti")
    resolutions = pl.concat([added.select(resolved.columns), kept]).sort("name")
    return {**place_frames(places), "resolutions": resolutions}


def _gather(upstream: Upstream, stage: str, name: str) -> pl.DataFrame:
    return pl.concat([frames[name] for frames in upstream[stage]])


def _main_documents(upstream: Upstream) -> pl.DataFrame:
    """Documents whose main city is this one: only they bring new places."""
    return _gather(upstream, "mentions", "about").filter(pl.col("is_main")).select("doc_id")


def _surface_names(rows: pl.DataFrame) -> pl.DataFrame:
    named = rows.with_columns(is_visit=pl.lit(False))
    return named.select(list(SURFACE_NAMES)).sort("name", "doc_id", "start")


def _mention_rows(city: City, mentions: pl.DataFrame, resolutions: pl.DataFrame) -> pl.DataFrame:
    """Mentions as rows of ``poi_mentions``, each with its place or none."""
    linked = mentions.unique(["doc_id", "start"], keep="first").join(
        resolutions.select("name", "poi_id", "resolution", "resolution_score"),
        on="name",
        how="left",
    )
    rows = [_mention_row(city, row) for row in linked.to_dicts()]
    return frame("poi_mentions", rows)


def _mention_row(city: City, row: dict[str, Any]) -> dict[str, Any]:
    doc_id, start, end = row["doc_id"], row["start"], row["end"]
    known = (
        "doc_id", "start", "end", "name", "role", "day", "order", "reason_start", "reason_end",
        "poi_id",
    )  # fmt: skip
    return {
        **{column: row[column] for column in known},
        "mention_id": mention_id(city.city_id, *(row[column] for column in SAID_OF_MENTION[1:])),
        "city_id": city.city_id,
        "resolution": row["resolution"] or "unresolved",
        "resolution_score": row["resolution_score"] or 0.0,
        "evidence_id": span_evidence_id(city.city_id, doc_id, start, end),
    }


def _evidence(city: City, mentions: pl.DataFrame) -> pl.DataFrame:
    """Each mention's span as evidence: its hash only, the text stays in the archive."""
    rows = [
        {
            "evidence_id": row["evidence_id"],
            "city_id": city.city_id,
            "evidence_kind": "document",
            "doc_id": row["doc_id"],
            "start": row["start"],
            "end": row["end"],
            "quote_sha256": text_sha256(row["name"]),
        }
        for row in mentions.to_dicts()
    ]
    return frame("evidence", rows)


_PLACES = {**tables(*PLACE_FRAMES), "resolutions": Output(inner.RESOLUTION)}
POIS_STAGE = Stage("pois", 11, compute_pois, _PLACES)
FEEDBACK_STAGE = Stage(
    "feedback",
    12,
    compute_feedback,
    {
        **_PLACES,
        **tables("poi_mentions", "findings", "stage_counts"),
        "refused": Output(inner.REFUSED),
        "reviewed": Output(inner.REVIEWED),
        "set_aside": Output(TABLES["quarantine"]),
        "geocode_outcomes": Output(inner.GEOCODE_OUTCOMES),
    },
    settings=geocode.settings_of,
    ingredients=lambda job: {**geocode.ingredients_of(job), **_reviews(job)},
    providers=geocode.services,
)
