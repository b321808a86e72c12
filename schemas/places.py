"""The hand-over between sources and places: attraction rows as an adapter read them."""

from __future__ import annotations

from typing import Any

import polars as pl

from schemas import frames
from schemas.arrow import polars_schema_of


def _schema(columns: dict[str, Any]) -> pl.Schema:
    return pl.Schema(columns)


ATTRACTIONS = polars_schema_of(frames.ATTRACTIONS)

#: A surface name of a document, waiting to be resolved to a place.
SURFACE_NAMES = _schema(
    {
        "doc_id": pl.String,
        "name": pl.String,
        "standard": pl.String,  # what the engine linked it to, if it did
        "lang": pl.String,
        "role": pl.String,
        "is_visit": pl.Boolean,
        "start": pl.Int64,
        "end": pl.Int64,
    }
)
