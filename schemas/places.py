"""Attraction rows as an adapter read them: what sources hand over to the stages about places."""

from __future__ import annotations

from schemas import frames
from schemas.arrow import polars_schema_of

ATTRACTIONS = polars_schema_of(frames.ATTRACTIONS)
