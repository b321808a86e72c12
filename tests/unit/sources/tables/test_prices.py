"""The price of a source row and its currency, hotels in two moneys, journeys between countries."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.cities import City, find_city
from sources.tables.cell_values import read_price
from sources.tables.city_stats import city_stats
from sources.tables.intake import RowError, SourceRow
from sources.tables.tripbed_csv import read_tripbed
from tests.unit.sources.tables.conftest import kinds


def _csv(path: Path, *lines: str) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("cells", "home", "told"),
    [
        ({"price": "12.5"}, "EUR", (1250, "EUR")),
        ({"price": "1200", "currency": "JPY"}, "EUR", (120_000, "JPY")),
        ({"price": "1200", "currency": "jpy"}, "EUR", (120_000, "JPY")),
        ({"price": "3.125", "currency": "KWD"}, "EUR", (313, "KWD")),
        ({"price": "12,50 €"}, "CNY", (1250, "EUR")),
        ({"price": "¥1200"}, "JPY", (120_000, "JPY")),
        ({"price": "¥1200", "currency": "CNY"}, "JPY", (120_000, "CNY")),
        ({"price_cny": "60"}, "JPY", (6000, "CNY")),
        ({"price": "60", "price_cny": "400"}, "JPY", (6000, "JPY")),
        ({"price": "0"}, "JPY", (0, "JPY")),
        ({"currency": "JPY"}, "JPY", (None, None)),
        ({}, "JPY", (None, None)),
    ],
)
def test_a_price_is_in_the_money_that_is_stated_written_or_at_home(
    cells: dict[str, str], home: str | None, told: tuple[int | None, str | None]
) -> None:
    row = SourceRow("t.csv", 2, cells)
    assert read_price(row, home) == told
    assert row.notes == []


@pytest.mark.parametrize(
    ("cells", "home"),
    [
        ({"price": "60"}, None),
        ({"price": "60", "currency": "QQQ"}, "EUR"),
        ({"price": "¥60"}, "EUR"),
        ({"price": "$60"}, "JPY"),
        ({"price": "60 EUR", "currency": "JPY"}, "EUR"),
    ],
)
def test_a_price_in_doubtful_money_is_unknown_and_marked(
    cells: dict[str, str], home: str | None
) -> None:
    row = SourceRow("t.csv", 2, cells)
    assert read_price(row, home) == (None, None)
    ((severity, kind, message),) = row.notes
    assert (severity, kind) == ("mark", "currency_unknown")
    assert cells["price"] in message


@pytest.mark.parametrize("price", ["-5", "free", "10-20", "1e400 EUR", "99999999999999 EUR"])
def test_what_is_no_amount_breaks_its_row(price: str) -> None:
    with pytest.raises(RowError):
        read_price(SourceRow("t.csv", 2, {"price": price}), "EUR")


def test_a_hotel_has_one_currency(tmp_path: Path, hangzhou: City) -> None:
    _csv(
        tmp_path / "hotels.csv", "id,name_zh,lat,lon,room_type,price,currency",
        "a,甲舍,30.25,120.16,single,300,CNY", "a,甲舍,30.25,120.16,king,50,USD",
        "b,乙舍,30.25,120.17,king,40,USD", "b,乙舍,30.25,120.17,double,,",
    )  # fmt: skip
    imported = read_tripbed(tmp_path, hangzhou)
    hotels = imported.hotels.sort("source_line")
    assert hotels["currency"].to_list() == ["CNY", "USD"]
    prices = [[room["price_cents"] for room in rooms] for rooms in hotels["rooms"]]
    assert prices == [[30_000, None], [4_000, None]]
    assert ("mark", "currency_differs") in kinds(imported, "hotels")
    stats = {
        (metric, unit): value
        for metric, unit, value in city_stats(imported, hangzhou)
        .select("metric", "unit", "metric_value")
        .iter_rows()
    }
    assert stats["hotel_price_single_p50", "cent of CNY"] == 30_000
    assert stats["hotel_price_king_p50", "cent of USD"] == 4_000
    assert ("hotel_price_king_p50", "cent of CNY") not in stats


def test_a_journey_between_two_countries_has_no_money_by_default(tmp_path: Path) -> None:
    _csv(
        tmp_path / "flights.csv",
        "flight_id,from_city,from_airport,to_city,to_airport,departure,arrival,price,currency",
        "A1,东京,羽田,杭州,萧山,08:00,11:00,900,", "A2,东京,羽田,杭州,萧山,09:00,12:00,900,JPY",
        "A3,东京,羽田,大阪,关西,09:00,10:00,900,",
    )  # fmt: skip
    tokyo = find_city("tokyo")
    imported = read_tripbed(tmp_path, tokyo)
    told = dict(imported.flights.select("flight_no", "currency").iter_rows())
    assert told == {"A1": None, "A2": "JPY", "A3": "JPY"}
    assert ("mark", "currency_unknown") in kinds(imported, "flights")
