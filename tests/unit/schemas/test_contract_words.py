"""What a contract says of a broken row is in words, not in a library's."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from schemas.arrow import frame
from schemas.contracts import CHECK, MESSAGE, split
from tests.counterexamples import good
from tests.counterexamples.good import A


@pytest.mark.parametrize(
    ("changes", "check", "message"),
    [
        ({"category": "shopping"}, "codes", "category: shopping is not one of the known codes"),
        ({"rating": 9.5}, "maximum", "rating: 9.5 is above the maximum"),
        ({"rating": -1.0}, "minimum", "rating: -1.0 is below the minimum"),
        ({"poi_id": "poi_1"}, "pattern", "poi_id: poi_1 does not have the expected form"),
        ({"trend_types": ["cool"]}, "codes", "contains an unknown code"),
        ({"anchor": None}, "not_null", "anchor: null is empty, but a value is required"),
    ],
)
def test_words(changes: dict[str, Any], check: str, message: str) -> None:
    row = good.book()["pois"][A.slug][0]
    rows = frame("pois", [row])
    broken = rows.with_columns(
        [pl.Series(name, [value], dtype=rows.schema[name]) for name, value in changes.items()]
    )
    kept, bad = split("pois", broken)
    assert kept.is_empty()
    assert bad[CHECK].to_list() == [check]
    assert message in bad[MESSAGE][0]
