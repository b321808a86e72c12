"""Runs the stages ``copies`` (copied documents) and ``documents`` (a city's documents).

Copies are found among all documents at once, by their text or by their stops. How a copy counts in
a city depends on whether the city also has the original.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

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
from geocoding.names import name_key
from schemas import frames as inner
from schemas.arrow import frame, polars_schema_of
from schemas.cities import City
from schemas.documents import code_language
from schemas.ids import canonical_json, digest
from schemas.ids import doc_id as id_of
from schemas.read_hash import with_read_hash
from schemas.rows import StageCountsRow
from schemas.typed_rows import read_rows
from sources.web.near_duplicates import near_duplicates, same_journeys
from sources.web.pages import judge_date

#: Columns with what is known about a page in addition to its own content.
WHERE_FOUND = (
    "url", "final_url", "provider", "sub_query_id", "found_rank", "fetched_for", "fetched_on",
    "gone_on",
)  # fmt: skip


def compute(job: Job, upstream: Upstream) -> Frames:
    """Collect the city's documents from all buckets, together with their texts and a list of the
    unreadable documents.
    """
    city = job.own_city
    about = pl.concat([frames["about"] for frames in upstream["mentions"]]).sort("doc_id")
    meta = pl.concat([frames["meta"] for frames in upstream["corpus"]])
    chosen = about.join(meta, on="doc_id").sort("path", "doc_id")
    texts = texts_of(upstream, chosen)
    copies = copies_among(only(upstream, "copies")["originals"], chosen["doc_id"].to_list())
    found, stated = list_found_pages(upstream), job.extra.get("licences", {})
    documents = [
        document_row(city, row, copies.get(row["doc_id"]), found.get(row["doc_id"], {}), stated)
        for row in chosen.to_dicts()
    ]
    rejected = pl.concat([frames["rejected"] for frames in upstream["corpus"]]).to_dicts()
    quarantine = [
        quarantine_row(city, "documents", "documents", row["path"], row["check"], row["message"])
        for row in rejected
    ]
    copied = sum(frames["copies"].height for frames in upstream["corpus"])
    counted = stage_count(
        city, "documents", "documents", rows_in=about.height + len(rejected) + copied,
        kept=len(documents), quarantined=len(quarantine), merged=copied,
    )  # fmt: skip
    return {
        "documents": with_read_hash(frame("documents", documents)),
        "texts": texts,
        "quarantine": frame("quarantine", quarantine),
        "stage_counts": frame("stage_counts", [counted, *_bucket_counts(upstream)]),
    }


def texts_of(upstream: Upstream, chosen: pl.DataFrame) -> pl.DataFrame:
    """Return the main texts of the chosen documents, with the columns doc_id and text."""
    return (
        pl.concat([frames["blocks"] for frames in upstream["corpus"]])
        .join(chosen.select("doc_id"), on="doc_id", how="semi")
        .sort("doc_id", "position")
        .group_by("doc_id", maintain_order=True)
        .agg(pl.col("text").str.join("\n"))
    )


def document_row(
    city: City,
    row: dict[str, Any],
    original: str | None,
    found: dict[str, Any],
    licences: Mapping[str, str],
) -> dict[str, Any]:
    """Return a document's row; if the page states no date, the date from the search is used."""
    kept = (
        "doc_id",
        "path",
        "title",
        "published_on",
        "published_by",
        "modified_on",
        "modified_by",
        "size_bytes",
        "n_chars",
    )
    stated = found.get("stated_on")
    if row["published_on"] is None and stated is not None:
        believable = judge_date(stated, "search", found["fetched_on"])
        row = {**row, "published_on": believable[0], "published_by": believable[1]}
    return {
        **{column: row[column] for column in kept},
        **{column: found.get(column) for column in WHERE_FOUND},
        "lang": code_language(row["lang"]),
        "city_id": city.city_id,
        "document_kind": row["kind"],
        "near_duplicate_of": original,
        # A list beside the documents overrides the words that a page quotes.
        "licence_hint": licences.get(row["doc_id"]) or row["licence_hint"],
    }


def list_found_pages(upstream: Upstream, fetched_for: str = "query") -> dict[str, dict[str, Any]]:
    """Return the address, dates and best hit of each archived page, by ``doc_id``.

    If several addresses return the same bytes, the first address counts, as in the stage ``pages``.
    """
    found: dict[str, dict[str, Any]] = {}
    best = {row["url"]: row for row in best_hits(upstream).to_dicts()}
    for frames in upstream.get("fetch", []):
        for row in frames["addresses"].filter(pl.col("outcome") == "stored").sort("url").to_dicts():
            key = id_of(row["content_sha256"])
            found.setdefault(key, {**row, **best.get(row["url"], {}), "fetched_for": fetched_for})
    return found


def best_hits(upstream: Upstream) -> pl.DataFrame:
    """Return the best-ranked hit for each address, with the latest date that any search gave."""
    hits = [frames["hits"] for frames in upstream.get("search", [])]
    if not hits:
        return pl.DataFrame({"url": []}, schema={"url": pl.String})
    return (
        pl.concat(hits)
        .sort("rank", "provider", "sub_query_id")
        .group_by("url", maintain_order=True)
        .agg(
            pl.first("provider", "sub_query_id"),
            pl.first("rank").alias("found_rank"),
            pl.max("published_on").alias("stated_on"),
        )
    )


def _bucket_counts(upstream: Upstream) -> list[StageCountsRow]:
    """Add up the counts from all buckets; return one row per stage and table."""
    keys = ["city_id", "stage", "table"]
    counts = pl.concat([frames["counts"] for frames in upstream["mentions"]])
    return read_rows(counts.group_by(keys).agg(pl.exclude(keys).sum()).sort(keys), StageCountsRow)


def _licences(job: Job) -> dict[str, str]:
    """Return a hash of the licences from lists and licence files, if there are any."""
    stated = job.extra.get("licences")
    return {"licences": digest(canonical_json(stated), length=32)} if stated else {}


STAGE = Stage(
    "documents",
    5,
    compute,
    {**tables("documents", "quarantine", "stage_counts"), "texts": Output(inner.DOCUMENT_TEXTS)},
    ingredients=_licences,
    accounts=True,
)


_SCHEMA = polars_schema_of(inner.ORIGINALS)


def compute_copies(job: Job, upstream: Upstream) -> Frames:
    """Return each copy with its original.

    Among similar texts, the document whose path comes first is the original. Among similar
    journeys, the document with the most text is the original. If an original turns out to be a copy
    itself, its copies are assigned to the document that it copies.
    """
    meta = pl.concat([frames["meta"] for frames in upstream["corpus"]]).sort("path", "doc_id")
    by_text = near_duplicates(_texts(upstream, meta))
    longest = meta.sort(pl.col("n_chars") * -1, "path", "doc_id")["doc_id"].to_list()
    stops = _stops(upstream)
    by_stops = same_journeys(
        {doc_id: stops.get(doc_id, ()) for doc_id in longest if doc_id not in by_text}
    )
    return {"originals": _rows(by_text, by_stops, meta["doc_id"].to_list(), longest)}


def _texts(upstream: Upstream, meta: pl.DataFrame) -> dict[str, str]:
    """Return the text of every document, by path."""
    texts = texts_of(upstream, meta)
    return dict(meta.select("doc_id").join(texts, on="doc_id", maintain_order="left").iter_rows())


def _stops(upstream: Upstream) -> dict[str, tuple[str, ...]]:
    """Return the normalised names of the stops in each document, one trip after another."""
    names = (
        pl.concat([frames["stops"] for frames in upstream["read"]])
        .sort("doc_id", "trip", "day", "order")
        .group_by("doc_id", maintain_order=True)
        .agg("name")
    )
    return {doc_id: tuple(map(name_key, stops)) for doc_id, stops in names.iter_rows()}


def _rows(
    by_text: dict[str, str], by_stops: dict[str, str], by_path: list[str], longest: list[str]
) -> pl.DataFrame:
    at_path, at_length = ({d: at for at, d in enumerate(order)} for order in (by_path, longest))
    found = []
    for doc_id in {**by_text, **by_stops}:
        alike = by_text.get(doc_id, doc_id)
        original = by_stops.get(alike, alike)
        order = (alike != original, at_length[alike], doc_id != alike, at_path[doc_id])
        found.append((original, order, doc_id, "text" if doc_id in by_text else "stops"))
    ranks: dict[str, int] = {}
    rows = []
    for original, _order, doc_id, how in sorted(found):
        ranks[original] = ranks.get(original, 0) + 1
        rows.append((doc_id, original, how, ranks[original]))
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row").sort("doc_id")


def copies_among(originals: pl.DataFrame, doc_ids: Collection[str]) -> dict[str, str]:
    """For each copy among the given documents, return the original.

    If the original is not one of the given documents, the first copy counts as the original.
    """
    held = set(doc_ids)
    found: dict[str, str] = {}
    firsts: dict[str, str] = {}
    for row in originals.sort("original", "rank").iter_rows(named=True):
        doc_id, original = row["doc_id"], row["original"]
        if doc_id not in held:
            continue
        first = original if original in held else firsts.setdefault(original, doc_id)
        if first != doc_id:
            found[doc_id] = first
    return found


COPIES_STAGE = Stage("copies", 1, compute_copies, {"originals": Output(inner.ORIGINALS)})
