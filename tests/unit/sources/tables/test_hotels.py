"""Hotel classes and simulated rooms."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from schemas.cities import City, find_city
from schemas.taxonomy import CUISINES, NEAREST_CUISINE, TRIPTAILOR_CUISINES, codes
from sources.tables.city_stats import city_stats
from sources.tables.hotels import FEWEST_PRICED, Simulation, add_classes, simulate_rooms
from sources.tables.intake import SourceRow
from sources.tables.tags import cuisine_code
from tests.unit.sources.tables.conftest import HOTEL, Source


def hotel(number: int, yuan: int | None = None, stars: int | None = None) -> dict[str, Any]:
    rooms = [] if yuan is None else [
        {"room_type": "king", "price_cents": yuan * 100, "stock": 1},
        {"room_type": "family", "price_cents": yuan * 200, "stock": 1},
        {"room_type": "single", "price_cents": None, "stock": 1},
    ]  # fmt: skip
    currency = None if yuan is None else "CNY"
    return {
        "hotel_id": f"hotel_{number}", "rooms": rooms, "currency": currency, "stars": stars,
        "is_simulated": False,
    }  # fmt: skip


def test_stars_tell_the_class_and_else_the_price_beside_the_citys_median() -> None:
    others = [hotel(n, 400) for n in range(FEWEST_PRICED)]
    tested = [
        hotel(100, 999), hotel(101, 1000), hotel(102, 520), hotel(103, 519), hotel(104, 280),
        hotel(105, 279), hotel(106, 100, stars=5), hotel(107), hotel(108, None, stars=3),
    ]  # fmt: skip
    add_classes([*others, *tested])
    assert [(h["hotel_class"], h["hotel_class_source"]) for h in tested] == [
        ("upscale", "price"), ("luxury", "price"), ("upscale", "price"), ("midscale", "price"),
        ("midscale", "price"), ("economy", "price"), ("luxury", "stars"), (None, None),
        ("midscale", "stars"),
    ]  # fmt: skip


def test_few_prices_tell_no_class() -> None:
    hotels = [hotel(n, 400 + n) for n in range(FEWEST_PRICED - 1)]
    add_classes(hotels)
    assert {h["hotel_class"] for h in hotels} == {None}
    hotels.append(hotel(99, 400))
    add_classes(hotels)
    assert {h["hotel_class"] for h in hotels} == {"midscale"}


SIMULATION = Simulation(
    {"single": 100, "king": 200}, {"luxury": 3.0}, {"hangzhou": 1.5}, price_spread=0.2, most_rooms=8
)


def test_rooms_are_made_up_only_where_there_are_none_and_never_change() -> None:
    hotels = [hotel(n) for n in range(300)] + [hotel(999, 400)]
    hotels[0]["hotel_class"] = "luxury"
    assert simulate_rooms(hotels, find_city("hangzhou"), SIMULATION) == 300
    assert not hotels[-1]["is_simulated"]
    assert all(h["is_simulated"] for h in hotels[:-1])
    again = [hotel(n) for n in range(300)]
    again[0]["hotel_class"] = "luxury"
    simulate_rooms(again, find_city("hangzhou"), SIMULATION)
    assert [h["rooms"] for h in again] == [h["rooms"] for h in hotels[:-1]]
    rooms = [room for h in hotels[1:-1] for room in h["rooms"]]
    assert {room["room_type"] for room in rooms} == {"single", "king"}
    singles = [r["price_cents"] for r in rooms if r["room_type"] == "single"]
    assert 11_950 <= min(singles) < 14_000
    assert 16_000 < max(singles) <= 18_050
    assert {room["stock"] for room in rooms} == set(range(9))
    assert 300 * 100 * 1.2 - 100 <= hotels[0]["rooms"][0]["price_cents"] <= 450 * 100 * 1.2 + 100


def test_a_city_without_coefficient_and_a_type_without_price() -> None:
    one, other = [hotel(1)], [hotel(1)]
    simulate_rooms(one, find_city("suzhou"), Simulation({"king": 200}))
    assert [r["price_cents"] for r in one[0]["rooms"]] == [20_000]
    assert simulate_rooms(other, find_city("suzhou"), Simulation()) == 0
    assert not other[0]["is_simulated"]


def test_no_room_in_yuan_is_made_up_where_yen_are_paid() -> None:
    hotels = [hotel(1)]
    assert simulate_rooms(hotels, find_city("kyoto"), SIMULATION) == 0
    assert (hotels[0]["rooms"], hotels[0]["currency"]) == ([], None)


def test_the_class_by_price_is_told_among_hotels_of_one_currency() -> None:
    cheap = [hotel(n, 100) for n in range(FEWEST_PRICED)]
    dear = [hotel(n, 10_000) | {"currency": "JPY"} for n in range(100, 100 + FEWEST_PRICED)]
    odd = hotel(200, 9_000) | {"currency": "KRW"}
    add_classes([*cheap, *dear, odd])
    assert {h["hotel_class"] for h in [*cheap, *dear]} == {"midscale"}
    assert odd["hotel_class"] is None


def test_prices_by_class_are_statistics_of_the_city(source: Source, hangzhou: City) -> None:
    rows = [
        HOTEL.replace("柳岸", f"柳岸{n}").replace(
            ",300,1,350.5,0,360,2,500,3", f",{300 + n},1,,,,,,"
        )
        for n in range(FEWEST_PRICED)
    ]
    source.hotels(*rows)
    imported = source.read()
    stats = dict(city_stats(imported, hangzhou).select("metric", "metric_value").iter_rows())
    assert stats["hotel_class_midscale_price_min"] == 30_000
    assert stats["hotel_class_midscale_price_max"] == 31_900
    assert stats["hotel_class_midscale_price_p50"] == 30_950
    assert "hotel_class_luxury_price_min" not in stats
    made_up = imported.hotels.with_columns(is_simulated=pl.lit(True))
    changed = type(imported)(**{**vars(imported), "hotels": made_up})
    assert not any(m.startswith("hotel_") for m in city_stats(changed, hangzhou)["metric"])


def test_each_cuisine_of_the_second_list_has_a_code_of_the_first() -> None:
    ours = set(codes(CUISINES))
    for term in TRIPTAILOR_CUISINES:
        for form in (term.code, term.zh, term.en):
            row = SourceRow("a.csv", 2, {"cuisine": form})
            assert cuisine_code(row, "cuisine") in ours, form
            assert bool(term.words) or term.code in NEAREST_CUISINE


@pytest.mark.parametrize(
    ("text", "code", "kinds"),
    [
        ("川菜", "sichuan", []), ("披萨", "western", ["cuisine_mapped"]),
        ("Huaiyang Cuisine", "jiangzhe", ["cuisine_mapped"]), ("其他", "other", []),
        ("Hot Pot", "hot_pot", []), ("云贵菜", "yunnan", []),
        ("月球菜", None, ["cuisine_unknown"]), ("", None, []),
    ],
)  # fmt: skip
def test_cuisines_of_both_lists(text: str, code: str | None, kinds: list[str]) -> None:
    row = SourceRow("a.csv", 2, {"cuisine": text})
    assert cuisine_code(row, "cuisine") == code
    assert [kind for _, kind, _ in row.notes] == kinds
