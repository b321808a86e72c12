"""The hand-over between sources and places: attraction rows as an adapter read them."""

from __future__ import annotations

from schemas import frames
from schemas.arrow import polars_schema_of

ATTRACTIONS = polars_schema_of(frames.ATTRACTIONS)
