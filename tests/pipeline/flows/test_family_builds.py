"""A build of each family of queries that needs no documents is published."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from flows.pipeline.request import make_inputs
from flows.pipeline.run import build_directly
from flows.pipeline.shards import Workspace

FAMILIES = ("chinatravel", "tripscore", "triptailor")
PROFILE = """\
name: families
families: [chinatravel, tripscore, triptailor]
documents: {allow_empty: true}
queries:
  cities: [hangzhou]
  chinatravel: {easy: 6, medium: 4, preference: 2}
  tripscore: {queries: 12, several_share: 0}
  triptailor: {queries: 12}
trajectories: {per_query: 1}
candidates: {per_query: 5}
"""


def test_every_family_is_published(
    sample: Path, tmp_path: Path, without_extras: pytest.FixtureRequest
) -> None:
    profile = tmp_path / "families.yaml"
    profile.write_text(PROFILE, "utf-8")
    inputs = make_inputs(["hangzhou"], [], sample / "tables", profile=str(profile))
    result = build_directly(inputs, Workspace(tmp_path / "work"), tmp_path / "out")
    assert result.published.passed
    rows = pl.read_parquet(result.published.path / "data" / "queries" / "**" / "*.parquet")
    kept = rows.filter(pl.col("status") == "kept").group_by("family").len()
    assert dict(kept.iter_rows()) == dict.fromkeys(FAMILIES, 12)
