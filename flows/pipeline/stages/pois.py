"""Runs the stages ``pois`` and ``feedback``, which turn names in documents into places.

The stage ``pois`` accepts names that are missing from the tables if they are certain enough. The
stage ``feedback`` gives every mention its place, and leaves out the rows that reviewers rejected.
The stage ``feedback`` also gets coordinates from geocoders and English names from the model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from extractors.read import BY_RULES
from flows.pipeline.shards import Frames
from flows.pipeline.stages import place_services
from flows.pipeline.stages.base import (
    Job,
    Output,
    Stage,
    Upstream,
    document_evidence,
    merge_parts,
    only,
    stage_count,
    tables,
)
from flows.pipeline.stages.names import list_links, list_unlinked
from flows.pipeline.stages.places import PLACE_FRAMES, place_frames, places_of
from flows.pipeline.stages.reviewed import leave_out
from flows.review.apply import Rejection
from geocoding.corroborate import CANDIDATES, certain_names, with_forms_of_others
from geocoding.discover import FOUND_NAMES, add_places, count_mentions
from geocoding.linking.quarters import in_quarter
from geocoding.linking.world import place_told
from geocoding.locate import with_tiers
from geocoding.names import NameReader, PlaceName
from geocoding.places import TablePlaces
from geocoding.resolve import is_another
from geocoding.surface_forms import with_surface_forms
from schemas import frames as inner
from schemas.arrow import frame
from schemas.cities import City
from schemas.ids import (
    SAID_OF_MENTION,
    canonical_json,
    digest,
    mention_id,
    span_evidence_id,
)
from schemas.tables import TABLES


def compute_pois(job: Job, upstream: Upstream) -> Frames:
    """Return the city's places, including those found only in documents, and what each name refers
    to.
    """
    places = places_of(only(upstream, "places"))
    mentions, visits = (_gather(upstream, "mentions", name) for name in ("mentions", "visits"))
    mentions = with_forms_of_others(mentions)
    told = _list_city_names(job.own_city, mentions, places)
    names = _candidates(mentions, _gather(upstream, "mentions", "about"), upstream, told)
    certain = certain_names(names, visits.filter("is_here"), job.own_city)
    spans = mentions.join(certain, on=["doc_id", "n", "name"], how="semi")
    places, found = add_places(places, spans.select(list(FOUND_NAMES)), job.own_city)
    return {**place_frames(places), "resolutions": _resolutions(mentions, certain, found)}


def _candidates(
    mentions: pl.DataFrame, about: pl.DataFrame, upstream: Upstream, told: Sequence[str]
) -> pl.DataFrame:
    """Return the columns that corroboration needs for each name; a copy of a document counts as
    part of the original's site.

    ``told`` contains the names that documents use for this city.
    """
    documents = only(upstream, "documents")["documents"].select(
        "doc_id", "path", "near_duplicate_of"
    )
    sites = (
        documents.with_columns(doc=pl.coalesce("near_duplicate_of", "doc_id"))
        .join(documents.select(doc="doc_id", original="path"), on="doc", how="left")
        .select("doc_id", site=pl.col("original").map_elements(_site_of, return_dtype=pl.String))
    )
    return (
        mentions.with_columns(
            poi_id="link_poi_id",
            rivals=pl.col("rivals").list.len().cast(pl.Int64),
            is_told=pl.col("where").is_in(told).fill_null(value=False),
        )
        .join(about.select("doc_id", "kind", "reader"), on="doc_id")
        .join(sites, on="doc_id")
        .select(list(CANDIDATES))
        .unique()
    )


def _list_city_names(city: City, mentions: pl.DataFrame, places: TablePlaces) -> list[str]:
    """Return the expressions that documents use to locate places in this city or its districts."""
    points = places.pois.select("lat", "lon").drop_nulls().rows()
    said = mentions["where"].drop_nulls().unique().sort().to_list()
    return [
        text
        for text, spot in ((text, place_told(text)) for text in said)
        if spot is not None and (spot.place == city.city_id or in_quarter(spot, city, points))
    ]


def _resolutions(
    mentions: pl.DataFrame, certain: pl.DataFrame, found: dict[str, str]
) -> pl.DataFrame:
    """Return what each name in a document refers to: a place in a table, a new place, or
    nothing."""
    new = certain.with_columns(
        new_id=pl.col("name").replace_strict(found, return_dtype=pl.String, default=None)
    ).unique(["doc_id", "n"], keep="first")
    linked, created = pl.col("link_poi_id").is_not_null(), pl.col("new_id").is_not_null()
    return (
        mentions.unique(["doc_id", "n"], keep="first", maintain_order=True)
        .join(new.select("doc_id", "n", "new_id", vouched="why"), on=["doc_id", "n"], how="left")
        .select(
            "doc_id",
            "n",
            "name",
            "fullest",
            "role",
            "score",
            "margin",
            "rivals",
            poi_id=pl.coalesce("link_poi_id", "new_id"),
            resolution=pl.when(linked)
            .then(pl.lit("linked"))
            .when(created)
            .then(pl.lit("new"))
            .when(pl.col("outcome") == "review")
            .then(pl.lit("review"))
            .otherwise(pl.lit("unresolved")),
            resolution_score=pl.when(created)
            .then(1.0)
            .when(linked | (pl.col("outcome") == "review"))
            .then(pl.col("score") / 100)
            .otherwise(0.0),
            why=pl.coalesce("vouched", "link_why"),
        )
        .sort("doc_id", "n")
    )


def _site_of(path: str) -> str:
    """Return a document's site: its host, or its author's folder, at most two levels deep."""
    return "/".join(path.split("/")[:-1][:2])


def compute_feedback(job: Job, upstream: Upstream) -> Frames:
    """Return mentions with places, coordinates from geocoders, and rows rejected by reviewers."""
    city = job.own_city
    first = only(upstream, "pois")
    resolutions = first["resolutions"]
    named = _gather(upstream, "mentions", "mentions")
    by_rules = _gather(upstream, "mentions", "about").filter(pl.col("reader").is_in(BY_RULES))
    mentions = _mention_rows(
        city, named, resolutions, _names_of(city, places_of(first)), set(by_rules["doc_id"])
    )
    found, asked = place_services.locate_places(job, count_mentions(places_of(first), mentions))
    named_so = with_surface_forms(with_tiers(found), _forms(city, named, resolutions))
    stays, left = leave_out(city, named_so, mentions, resolutions, _rejections(job))
    kept = with_tiers(count_mentions(stays, left["mentions"]))
    places, translated = place_services.name_in_english(job, kept)
    proofs = [
        document_evidence(city, row["doc_id"], row["start"], row["end"], row["name"])
        for row in left["mentions"].to_dicts()
    ]
    evidence = merge_parts("evidence", [places.evidence, frame("evidence", proofs)])
    # Mentions that reviewers rejected still count as kept by this stage.
    handed = left["mentions"].height + left["set_aside"].filter(table="poi_mentions").height
    counted = stage_count(
        city, "feedback", "poi_mentions", rows_in=named.height, kept=handed,
        merged=named.height - mentions.height,
    )  # fmt: skip
    return {
        **place_frames(places),
        "evidence": evidence,
        "poi_mentions": left["mentions"],
        "resolutions": left["resolutions"].sort("doc_id", "n"),
        "links": list_links(city, left["resolutions"]),
        "unlinked_names": list_unlinked(
            city, left["resolutions"], _gather(upstream, "mentions", "unplaced")
        ),
        **{name: left[name] for name in ("refused", "reviewed", "set_aside")},
        "geocode_outcomes": asked["geocode_outcomes"],
        "untranslated": translated["untranslated"],
        "findings": merge_parts("findings", [asked["findings"], translated["findings"]]),
        "stage_counts": merge_parts(
            "stage_counts", [frame("stage_counts", [counted]), asked["stage_counts"]]
        ),
    }


def _forms(city: City, mentions: pl.DataFrame, resolutions: pl.DataFrame) -> pl.DataFrame:
    """Return the names of linked places in each document, leaving out places that the document
    names in several ways.
    """
    sure = resolutions.filter(pl.col("resolution") == "linked").select(
        "doc_id", "n", "poi_id", "score"
    )
    rows = (
        mentions.filter(pl.col("name").n_unique().over("doc_id", "n") == 1)
        .sort("doc_id", "n", "start")
        .unique(["doc_id", "n"], keep="first", maintain_order=True)
        .join(sure, on=["doc_id", "n"], suffix="_of")
    )
    evidence = [
        span_evidence_id(city.city_id, *span)
        for span in rows.select("doc_id", "start", "end").iter_rows()
    ]
    return rows.select("doc_id", "name", "poi_id", "score").with_columns(
        evidence_id=pl.Series(evidence, dtype=pl.String)
    )


def _rejections(job: Job) -> tuple[Rejection, ...]:
    """Return the rows in this city that reviewers rejected."""
    return tuple(r for r in job.inputs.rejections if job.city and r.city_id == job.city.city_id)


def _reviews(job: Job) -> dict[str, str]:
    mine = [vars(rejection) for rejection in _rejections(job)]
    return {"review": digest(canonical_json(mine))} if mine else {}


def _gather(upstream: Upstream, stage: str, name: str) -> pl.DataFrame:
    return pl.concat([frames[name] for frames in upstream[stage]])


def _names_of(city: City, places: TablePlaces) -> dict[str, list[PlaceName]]:
    """Return all names of each place."""
    reader = NameReader.of(city)
    found: dict[str, list[PlaceName]] = defaultdict(list)
    for poi_id, *names in places.pois.select("poi_id", "name_zh", "name_en").iter_rows():
        found[poi_id] += [reader.read(name) for name in names if name]
    for poi_id, alias in places.aliases.select("poi_id", "alias").iter_rows():
        found[poi_id].append(reader.read(alias))
    return found


def _mention_rows(
    city: City,
    mentions: pl.DataFrame,
    resolutions: pl.DataFrame,
    names: Mapping[str, Sequence[PlaceName]],
    by_rules: Collection[str],
) -> pl.DataFrame:
    """Return mentions as rows for ``poi_mentions``, at most one for each position in a text.

    A mention gets no place if its name is written like the name of a different place. If a person
    or a model has read the document, the mention keeps its place if the fullest form of the name
    fits this place. For documents in ``by_rules``, the fullest form is not used, because rules see
    only that a longer name contains a shorter one.
    """
    linked = mentions.unique(["doc_id", "start"], keep="first").join(
        resolutions.select("doc_id", "n", "poi_id", "resolution", "resolution_score"),
        on=["doc_id", "n"],
        how="left",
    )
    said = linked.with_columns(
        fullest=pl.when(pl.col("doc_id").is_in(by_rules)).then("name").otherwise("fullest")
    )
    others = _others(NameReader.of(city), said, names)
    nothing = {"poi_id": None, "resolution": "unresolved", "resolution_score": 0.0}
    rows = []
    for row in said.to_dicts():
        is_other = {(row["name"], row["poi_id"]), (row["fullest"], row["poi_id"])} <= others
        rows.append(_mention_row(city, row | nothing if is_other else row))
    return frame("poi_mentions", rows)


def _others(
    reader: NameReader, linked: pl.DataFrame, names: Mapping[str, Sequence[PlaceName]]
) -> set[tuple[str, str]]:
    """Return pairs of a name and the linked place if the name belongs to a different place."""
    forms = [
        linked.select(pl.col(column).alias("name"), "poi_id") for column in ("name", "fullest")
    ]
    asked = pl.concat(forms).drop_nulls().unique().sort("name", "poi_id")
    return {
        (name, poi_id)
        for name, poi_id in asked.iter_rows()
        if is_another(reader.read(name), names.get(poi_id, ()))
    }


def _mention_row(city: City, row: dict[str, Any]) -> dict[str, Any]:
    doc_id, start, end = row["doc_id"], row["start"], row["end"]
    known = (
        "doc_id", "start", "end", "name", "day", "order", "reason_start", "reason_end",
        "list_rank", "poi_id",
    )  # fmt: skip
    said = {column: row[column] for column in known} | {"role": row["role_here"]}
    return {
        **said,
        "mention_id": mention_id(city.city_id, *(said[column] for column in SAID_OF_MENTION[1:])),
        "city_id": city.city_id,
        "resolution": row["resolution"] or "unresolved",
        "resolution_score": row["resolution_score"] or 0.0,
        "evidence_id": span_evidence_id(city.city_id, doc_id, start, end),
    }


_PLACES = {**tables(*PLACE_FRAMES), "resolutions": Output(inner.RESOLUTION)}
POIS_STAGE = Stage("pois", 26, compute_pois, _PLACES)
FEEDBACK_STAGE = Stage(
    "feedback",
    19,
    compute_feedback,
    {
        **_PLACES,
        **tables("poi_mentions", "links", "unlinked_names", "findings", "stage_counts"),
        "refused": Output(inner.REFUSED),
        "reviewed": Output(inner.REVIEWED),
        "set_aside": Output(TABLES["quarantine"]),
        "geocode_outcomes": Output(inner.GEOCODE_OUTCOMES),
        "untranslated": Output(inner.UNTRANSLATED),
    },
    settings=place_services.settings_of,
    ingredients=lambda job: {**place_services.ingredients_of(job), **_reviews(job)},
    providers=lambda job: (*place_services.services(job), *job.services),
    is_finished=lambda rows: not rows.get("untranslated"),
)
