"""The gate ``strata`` asks for queries of every kind that a city can have."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from validators.gates.control import strata


def _context(lat: float) -> Any:
    row = {"city_id": "c1", "family": "tprag", "n_days": 2, "stratum": "generic/generic-2d",
           "constraint_kind": "generic", "constraint_code": None, "query_id": "q1"}  # fmt: skip
    frames = {
        "queries": pl.DataFrame([row], schema_overrides={"constraint_code": pl.String}),
        "cities": pl.DataFrame([{"city_id": "c1", "slug": "town", "lat": lat}]),
    }
    asked = SimpleNamespace(
        families=["tprag"],
        queries=SimpleNamespace(days=[2], constraint_kinds=["generic", "season"]),
    )
    return SimpleNamespace(
        table=frames.__getitem__,
        manifest=SimpleNamespace(cities=["town"]),
        find_demands=lambda slug: asked,
    )


@pytest.mark.parametrize(("lat", "failures"), [(48.0, 1), (-33.0, 1), (-1.3, 0), (14.9, 0)])
def test_a_season_is_asked_for_where_a_year_has_seasons(lat: float, failures: int) -> None:
    assert strata(_context(lat)).height == failures
