"""Names: as written first, then folded; aliases after names. Hours and records as plain values."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pyarrow as pa
import pytest

from warehouse.columns import PlaceNames, PlaceTable
from warehouse.opening import Hours
from warehouse.records import Attraction, FactRecord, Near, RoomRecord, as_json


def table(*rows: tuple[str, str | None, str | None]) -> PlaceTable:
    ids, chinese, english = zip(*rows, strict=True)
    held = pa.table(
        {"name_zh": pa.array(chinese, pa.string()), "name_en": pa.array(english, pa.string())}
    )
    return PlaceTable(held, {"place_id": list(ids)}, lambda row: row)  # type: ignore[arg-type, return-value]  # rows stand for places


@pytest.fixture
def names() -> PlaceNames:
    tables = {
        "attractions": table(
            ("a1", "西湖", "West Lake"), ("a2", "灵隐寺", "Língyǐn Temple"), ("a3", "河坊街", None)
        ),
        "hotels": table(("h1", "西湖", None), ("h2", "湖畔居", "west-lake")),
    }
    aliases = {
        "poi_id": ["a1", "a2", "a3", "gone"],
        "alias": ["West Lake Park", "灵隐", "灵隐寺", "x"],
    }
    return PlaceNames(tables, pa.table(aliases))


@pytest.mark.parametrize(
    ("asked", "within", "found"),
    [
        ("西湖", None, [("attractions", 0), ("hotels", 0)]),
        ("西湖", "hotels", [("hotels", 0)]),
        ("a2", None, [("attractions", 1)]),
        ("West Lake", None, [("attractions", 0)]),  # as written: only this one
        ("WEST  LAKE", None, [("attractions", 0), ("hotels", 1)]),
        ("lingyin temple", None, [("attractions", 1)]),
        ("灵隐", None, [("attractions", 1)]),
        ("灵隐寺", None, [("attractions", 1)]),  # an alias of another place stands back
        ("west lake PARK", None, [("attractions", 0)]),
        ("West Lake", "hotels", [("hotels", 1)]),
        ("x", None, []), ("", None, []), ("！？", None, []),
    ],
)  # fmt: skip
def test_hits(
    names: PlaceNames, asked: str, within: str | None, found: list[tuple[str, int]]
) -> None:
    assert names.hits(asked, within) == found


def test_what_comes_close_is_of_the_table_asked_for(names: PlaceNames) -> None:
    assert names.near("灵隐山") == ("灵隐", "灵隐寺")
    assert "灵隐寺" not in names.near("灵隐山", "hotels")


@pytest.mark.parametrize(
    ("hours", "text"),
    [
        (Hours((((540, 1020),),) * 7), "09:00-17:00"),
        (Hours((((0, 1440),),) * 7), "24/7"),
        (Hours(((),) * 7), "off"),
        (Hours((((540, 1020),),) * 7, closed=frozenset({0})), "Mo off; Tu-Su 09:00-17:00"),
        (
            Hours((((540, 720), (780, 1020)),) * 5 + ((),) * 2),
            "Mo-Fr 09:00-12:00,13:00-17:00; Sa-Su off",
        ),
        (Hours(((),) * 7, "Mo-Fr 09:00-17:00; PH off"), "Mo-Fr 09:00-17:00; PH off"),
    ],
)
def test_hours_as_text(hours: Hours, text: str) -> None:
    assert hours.text == text


def test_records_become_values_that_json_takes() -> None:
    sight = Attraction(
        "a1", "hangzhou", "西湖", "西湖", "West Lake", 30.2, 120.1, trend_types=("hidden_gem",),
        closed_weekdays=frozenset({6, 0}), hours=Hours((((540, 1020),),) * 7),
    )  # fmt: skip
    fact = FactRecord("f", "a1", "ticket_price", "always", "0", source_date=dt.date(2026, 5, 1))
    made: Any = json.loads(
        json.dumps(as_json([Near(sight, 1.5), fact, RoomRecord("king", None, 2)]))
    )
    assert made[0]["distance_m"] == 1.5
    assert made[0]["place"]["hours"] == "09:00-17:00"
    assert made[0]["place"]["closed_weekdays"] == [0, 6]
    assert made[0]["place"]["trend_types"] == ["hidden_gem"]
    assert made[1]["source_date"] == "2026-05-01"
    assert made[2] == {"room_type": "king", "price_cents": None, "stock": 2}
