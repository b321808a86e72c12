"""tripbed's own layout."""

from __future__ import annotations

import polars as pl
import pytest

from schemas.arrow import to_arrow
from schemas.cities import find_city
from sources.tables.registry import available_cities
from sources.tables.tripbed_csv import read_tripbed
from tests.conftest import SAMPLE
from tests.unit.sources.tables.conftest import Tripbed, count, kinds

GAZETTEER = (
    "id,name_zh,name_en,aliases,category,types,lat,lon,parent_id,opening_hours,price_cny,"
    "min_duration_min,max_duration_min,rating"
)
TRAINS = (
    "train_id,train_type,from_city,from_station,to_city,to_station,departure,arrival,"
    "duration_min,price_cny"
)
HOTELS = "id,name_zh,name_en,feature,lat,lon,room_type,price_cny,stock"


def test_a_gazetteer_row(tripbed: Tripbed) -> None:
    tripbed.write(
        "gazetteer.csv",
        GAZETTEER,
        "a1,青石湖,Bluestone"
        " Lake,青湖|石湖,natural_landscape,natural_scenery|hidden_gem,30.25,120.15,,"
        "24/7,0,30,120,4.5",
        'a2,湖心亭,,,,historic_site,30.251,120.151,a1,"Mo-Fr 08:00-17:00; Sa,Su off",12.5,,,',
        encoding="utf-8-sig",
    )
    imported = tripbed.read()
    lake, pavilion = imported.attractions.rows(named=True)
    assert (lake["source_id"], lake["aliases"]) == ("a1", ["青湖", "石湖"])
    assert (lake["lat"], lake["lon"], lake["datum_original"]) == (30.25, 120.15, "wgs84")
    assert (lake["base_type"], lake["trend_types"]) == ("natural_scenery", ["hidden_gem"])
    assert (lake["hours_osm"], lake["price_cents"]) == ("24/7", 0)
    assert (pavilion["parent_source_id"], pavilion["price_cents"]) == ("a1", 1250)
    assert pavilion["category"] == "historical_cultural"
    assert (pavilion["duration_min_min"], pavilion["rating"]) == (None, None)
    assert pavilion["hours_osm"] == "Mo-Fr 08:00-17:00; Sa,Su off"
    assert kinds(imported, "attractions") == set()


def test_only_name_and_coordinates_are_needed(tripbed: Tripbed) -> None:
    tripbed.write("gazetteer.csv", "name_en,lat,lon", "Bluestone Temple,30.25,120.15")
    row = tripbed.read().attractions.row(0, named=True)
    assert (row["name_zh"], row["name_en"]) == (None, "Bluestone Temple")
    assert (row["category"], row["base_type"]) == ("religious_spiritual", None)
    assert row["price_cents"] is None
    assert row["source_id"] is None


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        ("a1,青石湖,,,seaside,,30.2,120.1,,,,,,", ("mark", "category_unknown")),
        ("a1,青石湖,,,,ufo,30.2,120.1,,,,,,", ("mark", "type_unknown")),
        ("a1,青石湖,,,,,30.2,120.1,zz,,,,,", ("mark", "parent_unknown")),
        ("a1,青石湖,,,,,30.2,120.1,a1,,,,,", ("mark", "parent_unknown")),
        ("a1,青石湖,,,,,30.2,120.1,,from nine to five,,,,", ("mark", "hours_unreadable")),
        ("a1,青石湖,,,,,,,,,,,,", ("mark", "coordinates_missing")),
    ],
)
def test_doubtful_cells_become_unknown(
    tripbed: Tripbed, line: str, finding: tuple[str, str]
) -> None:
    tripbed.write("gazetteer.csv", GAZETTEER, line)
    imported = tripbed.read()
    assert count(imported, "attractions") == (1, 1, 0, 0)
    assert finding in kinds(imported, "attractions")
    row = imported.attractions.row(0, named=True)
    assert row["parent_source_id"] is None
    assert row["hours_osm"] is None


def test_an_id_twice_is_set_aside_and_a_row_twice_is_merged(tripbed: Tripbed) -> None:
    tripbed.write(
        "gazetteer.csv", "id,name_zh,lat,lon", "a1,青石湖,30.2,120.1", "a1,白石湖,30.3,120.2",
        ",黑石湖,30.3,120.1", ",黑石湖,30.3,120.1", ",黑石湖,30.4,120.1",
    )  # fmt: skip
    imported = tripbed.read()
    assert count(imported, "attractions") == (5, 3, 1, 1)
    assert imported.quarantine["check"].to_list() == ["id_repeated"]


def test_a_row_set_aside_does_not_take_its_id(tripbed: Tripbed) -> None:
    tripbed.write(
        "gazetteer.csv", "id,name_zh,lat,lon,price_cny",
        "a1,青石湖,30.2,120.1,-1", "a1,青石湖,30.2,120.1,1",
    )  # fmt: skip
    assert count(tripbed.read(), "attractions") == (2, 1, 0, 1)


def test_rows_of_a_hotel_become_its_rooms(tripbed: Tripbed) -> None:
    tripbed.write(
        "hotels.csv", HOTELS,
        "h1,柳岸酒店,,湖景房,30.25,120.16,double,400,2",
        "h1,柳岸酒店,,lake_view,30.25,120.16,single,300.5,",
        "h1,柳岸酒店,,湖景房,30.25,120.16,double,999,9",
        "h1,柳岸酒店,,湖景房,30.25,120.16,penthouse,999,9",
        "h2,柳岸酒店,,,30.25,120.16,,,",
        "h1,柳岸酒店,,湖景房,30.26,120.16,king,350,1",
    )  # fmt: skip
    imported = tripbed.read()
    assert count(imported, "hotels") == (6, 2, 3, 1)
    rooms = imported.hotels.filter(pl.col("source_line") == 2)["rooms"][0].to_list()
    assert rooms == [
        {"room_type": "single", "price_cents": 30050, "stock": None},
        {"room_type": "king", "price_cents": 35000, "stock": 1},
        {"room_type": "double", "price_cents": 40000, "stock": 2},
    ]
    assert imported.hotels.filter(pl.col("source_line") == 6)["rooms"][0].to_list() == []
    assert kinds(imported, "hotels") >= {
        ("mark", "room_repeated"), ("mark", "hotel_differs"), ("quarantine", "room_type"),
    }  # fmt: skip
    to_arrow("hotels", imported.hotels)


def test_restaurants(tripbed: Tripbed) -> None:
    tripbed.write(
        "restaurants.csv",
        "id,name_zh,name_en,cuisine,lat,lon,price_cny,opening_hours,recommended_dishes",
        'r1,三味小馆,Three Tastes,江浙菜,30.25,120.16,88,"11:00-14:00,17:00-21:00",藕粉|排骨',
        "r2,,Night Noodles,hot_pot,30.25,120.17,,18:00-02:00,",
        "r3,,,,30.25,120.17,,,",
    )
    imported = tripbed.read()
    assert count(imported, "restaurants") == (3, 2, 0, 1)
    rows = {row["name_en"]: row for row in imported.restaurants.rows(named=True)}
    assert rows["Three Tastes"]["dishes"] == ["藕粉", "排骨"]
    assert len(rows["Three Tastes"]["hours_weekly"]) == 14
    assert (rows["Night Noodles"]["cuisine"], rows["Night Noodles"]["dishes"]) == ("hot_pot", [])
    to_arrow("restaurants", imported.restaurants)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ("22:00,01:00+1,180", (60, 1, 180)),
        ("22:00,01:00,180", (60, 1, 180)),
        ("22:00,01:00,", (60, 1, 180)),
        ("08:00,10:00+1,", (600, 1, 1560)),
        ("08:00,10:00+2,3000", (600, 2, 3000)),
        ("08:00,09:00,61", (540, 0, 60)),
    ],
)
def test_times_of_trains(tripbed: Tripbed, cells: str, expected: tuple[int, int, int]) -> None:
    tripbed.write("trains.csv", TRAINS, f"K1,K,杭州,杭州站,Shanghai,上海站,{cells},10")
    row = tripbed.read().trains.row(0, named=True)
    assert (row["arrival_min"], row["arrival_day_offset"], row["duration_min"]) == expected


@pytest.mark.parametrize(
    ("line", "check"),
    [
        ("K1,K,杭州,a,上海,b,18:20,11:00,40,1", "duration"),
        ("K1,K,杭州,a,上海,b,08:00,10:00+1,120,1", "duration"),
        ("K1,K,杭州,a,杭州,b,08:00,10:00,120,1", "same_city"),
        ("K1,K,杭州,a,无此城市也,b,08:00,10:00,120,1", "unknown_city"),
        ("K1,K,,a,,b,08:00,10:00,120,1", "empty"),
        ("D1,D,杭州,a,上海,b,08:00,10:00+1,1560,1", "fast_train_over_a_day"),
        ("K1,K,杭州,a,上海,b,08:00,10:00,120", "shape"),
    ],
)
def test_broken_trains(tripbed: Tripbed, line: str, check: str) -> None:
    tripbed.write("trains.csv", TRAINS, line)
    imported = tripbed.read()
    assert count(imported, "trains") == (1, 0, 0, 1)
    assert imported.quarantine["check"].to_list() == [check]


def test_connections_of_other_cities_are_left_to_them(tripbed: Tripbed) -> None:
    tripbed.write(
        "flights.csv",
        "flight_id,from_city,from_airport,to_city,to_airport,departure,arrival",
        "XY1,北京,首都,上海,虹桥,08:00,10:00",
        "XY2,上海,虹桥,hangzhou,萧山,08:00,10:00",
    )
    imported = tripbed.read()
    assert imported.flights["flight_no"].to_list() == ["XY2"]
    assert count(imported, "flights") == (1, 1, 0, 0)
    to_arrow("flights", imported.flights)


def test_a_city_column_divides_a_file(tripbed: Tripbed) -> None:
    tripbed.write(
        "gazetteer.csv", "city,name_zh,lat,lon", "杭州,青石湖,30.2,120.1",
        "Suzhou,白石园,31.3,120.6", "无此城市也,黑石山,31.3,120.6",
    )  # fmt: skip
    imported = tripbed.read()
    assert imported.attractions["name_zh"].to_list() == ["青石湖"]
    assert count(imported, "attractions") == (2, 1, 0, 1)
    assert available_cities(tripbed.directory, "tripbed") == ["Suzhou", "无此城市也", "杭州"]


def test_without_a_city_column_the_cities_are_unknown(tripbed: Tripbed) -> None:
    tripbed.write("gazetteer.csv", "name_zh,lat,lon", "青石湖,30.2,120.1")
    assert available_cities(tripbed.directory, "tripbed") is None


def test_tables_without_a_file_are_empty_and_uncounted(tripbed: Tripbed) -> None:
    tripbed.write("gazetteer.csv", "name_zh,lat,lon", "青石湖,30.2,120.1")
    imported = tripbed.read()
    assert imported.hotels.is_empty()
    assert imported.trains.is_empty()
    assert imported.counts["table"].to_list() == ["attractions"]


def test_the_example_imports() -> None:
    tables = SAMPLE / "tables"
    if not tables.is_dir():
        pytest.skip("the example is not in this tree")
    imported = read_tripbed(tables, find_city("杭州"))
    assert imported.attractions.height > 100
    assert imported.hotels.height > 10
    assert imported.quarantine.height == 2
