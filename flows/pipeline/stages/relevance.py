"""Finds the documents that meet a constraint because of the words or the places in them."""

from __future__ import annotations

from collections import defaultdict

import polars as pl

from flows.pipeline.stages.base import Upstream, only
from schemas.ranking import LIKED_ROLES

#: A trajectory or document has a POI category if at least this share of its places has it.
CATEGORY_SHARE = 0.4

Fits = dict[str, dict[tuple[str, str], float]]


def context_fits(upstream: Upstream, minimum: int) -> Fits:
    """Return each document's frequent contexts, with weights relative to the heaviest context of
    the same kind in the document.
    """
    totals = (
        pl.concat([frames["contexts"] for frames in upstream["mentions"]])
        .group_by("doc_id", "kind", "code")
        .agg(pl.col("weight").sum())
    )
    best = totals.group_by("doc_id", "kind").agg(pl.col("weight").max().alias("best"))
    shares = totals.filter(pl.col("weight") >= minimum).join(best, on=["doc_id", "kind"])
    fits: Fits = defaultdict(dict)
    for row in shares.sort("doc_id", "kind", "code").to_dicts():
        fits[row["doc_id"]][row["kind"], row["code"]] = row["weight"] / row["best"]
    return fits


def select_liked(mentions: pl.DataFrame) -> pl.DataFrame:
    """Return mentions of known places that were visited or are recommended in the text."""
    return mentions.filter(pl.col("poi_id").is_not_null() & pl.col("role").is_in(LIKED_ROLES))


def positions(mentions: pl.DataFrame) -> pl.DataFrame:
    """Return the position of each place in each document, as doc_id, poi_id and position (counted
    from 1).

    If the document ranks places, the rank of a place is its position. The other visited or
    recommended places follow, in the order of the text. A place that occurs only in lists without a
    ranking is left out.
    """
    known, keys = mentions.filter(pl.col("poi_id").is_not_null()), ["doc_id", "poi_id"]
    ranked = (
        known.filter(pl.col("list_rank") > 0).group_by(keys).agg(position=pl.col("list_rank").min())
    )
    last = ranked.group_by("doc_id").agg(last=pl.col("position").max())
    order = pl.col("start").rank("ordinal").over("doc_id").cast(pl.Int64)
    others = (
        select_liked(mentions)
        .join(ranked, on=keys, how="anti")
        .join(known.filter(pl.col("list_rank").is_null()), on=keys, how="semi")
        .group_by(keys)
        .agg(pl.col("start").min())
        .join(last, on="doc_id", how="left")
        .select(*keys, position=order + pl.col("last").fill_null(0))
    )
    return pl.concat([ranked, others])


def documents_by_constraint(upstream: Upstream, minimum: int) -> dict[tuple[str, str], set[str]]:
    """Return the documents that name the context of a constraint or cover its category."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for doc_id, fits in context_fits(upstream, minimum).items():
        for constraint in fits:
            found[constraint].add(doc_id)
    feedback = only(upstream, "feedback")
    shares = (
        select_liked(feedback["poi_mentions"])
        .select("doc_id", "poi_id")
        .unique()
        .join(feedback["pois"].select("poi_id", "category"), on="poi_id")
        .drop_nulls("category")
        .group_by("doc_id", "category")
        .len("n")
        .with_columns(share=pl.col("n") / pl.col("n").sum().over("doc_id"))
    )
    for doc_id, category in (
        shares.filter(pl.col("share") >= CATEGORY_SHARE).select("doc_id", "category").iter_rows()
    ):
        found["poi_category", category].add(doc_id)
    return found
