"""Attraction rows as read from a source, for the stages that work on places."""

from __future__ import annotations

from schemas import frames
from schemas.arrow import polars_schema_of

ATTRACTIONS = polars_schema_of(frames.ATTRACTIONS)
