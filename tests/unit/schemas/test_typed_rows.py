"""Rows of frames as typed dicts."""

from __future__ import annotations

import polars as pl
import pytest

from schemas.rows import PoiPopularityRow
from schemas.typed_rows import read_rows


def test_rows_have_the_columns_of_their_type() -> None:
    lacking = pl.DataFrame({"poi_id": ["poi_1"]})
    with pytest.raises(ValueError, match="the frame lacks columns of PoiPopularityRow: city_id"):
        read_rows(lacking, PoiPopularityRow)
    whole = lacking.with_columns(
        pl.lit(None).alias(name)
        for name in PoiPopularityRow.__required_keys__ - set(lacking.columns)
    )
    assert [row["poi_id"] for row in read_rows(whole, PoiPopularityRow)] == ["poi_1"]
