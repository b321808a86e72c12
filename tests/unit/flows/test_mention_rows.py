"""Which words of a text stand for the place that their name was linked to."""

from __future__ import annotations

import polars as pl
import pytest

from flows.pipeline.stages.pois import _mention_rows
from geocoding.names import NameReader
from tests.support.geocoding.builders import CITY

_NAMES = {"p1": [NameReader.of(CITY).read("听枫寺")]}


def _placed(name: str, fullest: str, *, by_rules: bool) -> bool:
    """Whether an occurrence of a name that was linked keeps its place."""
    named = pl.DataFrame(
        [{"doc_id": "d1", "n": 1, "start": 0, "end": len(name), "name": name, "fullest": fullest,
          "day": None, "order": None, "reason_start": None, "reason_end": None, "list_rank": None,
          "role_here": "visited"}]
    )  # fmt: skip
    linked = pl.DataFrame(
        [{"doc_id": "d1", "n": 1, "poi_id": "p1", "resolution": "linked", "resolution_score": 0.9}]
    )
    rows = _mention_rows(CITY, named, linked, _NAMES, {"d1"} if by_rules else set())
    return rows["poi_id"].to_list() == ["p1"]


@pytest.mark.parametrize("by_rules", [True, False])
def test_the_street_of_a_temple_is_not_the_temple(by_rules: bool) -> None:
    assert not _placed("听枫寺大街", "听枫寺大街", by_rules=by_rules)
    assert _placed("听枫寺", "听枫寺", by_rules=by_rules)


def test_a_reader_says_which_nickname_is_of_the_place() -> None:
    assert _placed("江东第一刹", "听枫寺", by_rules=False)
    assert not _placed("江东第一刹", "听枫寺", by_rules=True)
