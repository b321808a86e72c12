"""Defines the Polars schema of attraction rows, for the stages that make places from them."""

from __future__ import annotations

from schemas import frames
from schemas.arrow import polars_schema_of

ATTRACTIONS = polars_schema_of(frames.ATTRACTIONS)
