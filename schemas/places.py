"""The hand-over between sources and places: attraction rows as an adapter read them."""

from __future__ import annotations

from typing import Any

import polars as pl


def _schema(columns: dict[str, Any]) -> pl.Schema:
    return pl.Schema(columns)


#: One row of an attraction table after normalisation: WGS 84, cents, minutes, null = unknown.
ATTRACTIONS = _schema(
    {
        "source_id": pl.String,  # the source's own stable id; null where it has none
        "name_zh": pl.String,
        "name_en": pl.String,
        "aliases": pl.List(pl.String),
        "category": pl.String,  # TP-RAG category, null when unknown
        "base_type": pl.String,
        "trend_types": pl.List(pl.String),
        "lat": pl.Float64,
        "lon": pl.Float64,
        "datum_original": pl.String,
        "coordinate_provider": pl.String,
        "parent_source_id": pl.String,
        "hours_osm": pl.String,
        "price_cents": pl.Int64,
        "duration_min_min": pl.Int64,
        "duration_max_min": pl.Int64,
        "rating": pl.Float64,
        "wikidata": pl.String,
        "grade": pl.String,  # A to AAAAA, null when unknown
        "source_file": pl.String,
        "source_line": pl.Int64,
    }
)

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
