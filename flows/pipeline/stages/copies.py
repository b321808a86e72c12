"""Stage copies: finds documents that repeat another one, by their text or by their stops.

It compares all documents once. What that means for a city depends on which of them the city has.
"""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Job, Output, Stage, Upstream
from geocoding.names import name_key
from schemas import frames as inner
from schemas.arrow import polars_schema_of
from sources.web.near_duplicates import near_duplicates, same_journeys

_SCHEMA = polars_schema_of(inner.ORIGINALS)


def compute(job: Job, upstream: Upstream) -> Frames:
    """Each copy with its original.

    Of texts that are alike the first by path is the original; of journeys that are alike the one
    with more text. Copies of what turns out to be a copy itself go to its original.
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
    """The text of every document, by path."""
    blocks = pl.concat([frames["blocks"].select("doc_id", "position", "text")
                        for frames in upstream["corpus"]])  # fmt: skip
    texts = blocks.sort("doc_id", "position").group_by("doc_id").agg(pl.col("text").str.join("\n"))
    return dict(meta.select("doc_id").join(texts, on="doc_id", maintain_order="left").iter_rows())


def _stops(upstream: Upstream) -> dict[str, tuple[str, ...]]:
    """The folded names of the stops of each document, trip after trip."""
    rows = pl.concat([frames["stops"] for frames in upstream["read"]])
    ordered = rows.sort("doc_id", "trip", "day", "order")
    found: dict[str, list[str]] = {}
    for doc_id, name in ordered.select("doc_id", "name").iter_rows():
        found.setdefault(doc_id, []).append(name_key(name))
    return {doc_id: tuple(names) for doc_id, names in found.items()}


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
    """Original of each copy among some of the documents.

    Where the original is not one of them, the copy that comes first takes its place.
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


STAGE = Stage("copies", 1, compute, {"originals": Output(inner.ORIGINALS)})
