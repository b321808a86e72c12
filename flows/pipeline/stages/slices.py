"""The part of a bucket that concerns a city: a change elsewhere does not run the city again.

A city only takes rows from documents that name a place in it. So its slice of a bucket is a hash of
every row, read or linked, of those documents.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import polars as pl

from flows.pipeline.shards import Frames
from schemas.arrow import polars_schema_of
from schemas.frames import SLICES
from schemas.ids import digest


def slices(links: pl.DataFrame, parts: Sequence[Frames]) -> pl.DataFrame:
    """A hash for each city and region of the rows of all frames that concern it."""
    rows: dict[str, list[str]] = defaultdict(list)
    for at, frames in enumerate(parts):
        for name, frame in sorted(frames.items()):
            for doc_id, hashes in _hashes(frame):
                rows[doc_id].append(f"{at}/{name}:{hashes}")
    named = links.select("city_of", "doc_id").drop_nulls().unique().sort("city_of", "doc_id")
    found = [
        (city, digest(*(text for doc_id in documents for text in (doc_id, *rows[doc_id]))))
        for city, documents in named.group_by("city_of", maintain_order=True)
        .agg("doc_id")
        .iter_rows()
    ]
    return pl.DataFrame(found, schema=polars_schema_of(SLICES), orient="row")


def _hashes(frame: pl.DataFrame) -> list[tuple[str, str]]:
    """For each document its rows' hashes in their order."""
    hashed = frame.select("doc_id", hash=frame.hash_rows(seed=0).cast(pl.String))
    return hashed.group_by("doc_id", maintain_order=True).agg(pl.col("hash").str.join(" ")).rows()
