"""Trains, flights and metro of the traveleval layout."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from schemas.arrow import to_arrow
from schemas.cities import find_city
from schemas.geo import distance_m, wgs84_to_gcj02
from sources.tables.traveleval import read_traveleval
from tests.unit.sources.tables.conftest import Source, count, flight, kinds, train


def test_a_train_row(source: Source) -> None:
    source.trains(train(EndTime="09:01", Duration=1.02))
    imported = source.read()
    row = imported.trains.row(0, named=True)
    assert (row["train_no"], row["train_type"], row["price_cents"]) == ("G101", "高铁", 7350)
    assert (row["departure_min"], row["arrival_min"], row["arrival_day_offset"]) == (480, 541, 0)
    assert row["duration_min"] == 61
    assert row["origin_city_id"] == find_city("杭州").city_id
    assert row["destination_city_id"] == find_city("上海").city_id
    assert row["source_file"] == "intercity_transport/train/from_杭州_to_上海.json"
    assert row["source_line"] == 1
    assert kinds(imported, "trains") == set()
    to_arrow("trains", imported.trains)


@pytest.mark.parametrize(
    ("begin", "end", "hours", "offset", "minutes"),
    [
        ("23:00", "01:30", 2.5, 1, 150),
        ("20:00", "22:00", 26.0, 1, 1560),
        ("20:00", "22:00", 50.0, 2, 3000),
        ("22:00", "24:00", 2.0, 1, 120),
        ("24:00", "01:00", 1.0, 0, 60),
        ("12:00", "12:00", 24.0, 1, 1440),
    ],
)
def test_days_come_from_the_stated_duration(
    source: Source, begin: str, end: str, hours: float, offset: int, minutes: int
) -> None:
    source.trains(train("K9", BeginTime=begin, EndTime=end, Duration=hours))
    row = source.read().trains.row(0, named=True)
    assert (row["arrival_day_offset"], row["duration_min"]) == (offset, minutes)
    clock = (row["departure_min"] + row["duration_min"]) % 1440
    assert row["arrival_min"] == clock


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({"Duration": 2.2}, "duration"),  # 72 minutes off
        ({"BeginTime": "09:00", "EndTime": "08:55", "Duration": 0.1}, "duration"),
        ({"EndTime": "32:55", "Duration": 24.92}, "time"),
        ({"EndTime": "08:55", "Duration": 24.92}, "fast_train_over_a_day"),
        ({"EndTime": "08:00", "Duration": 0}, "duration"),
        ({"BeginTime": "8 Uhr"}, "time"),
        ({"Cost": -3}, "price"),
        ({"TrainID": ""}, "empty"),
        ({"To": None}, "empty"),
    ],
)
def test_trains_that_contradict_themselves(
    source: Source, changes: dict[str, Any], check: str
) -> None:
    source.trains(train(**changes), train("G7"))
    imported = source.read()
    assert count(imported, "trains") == (2, 1, 0, 1)
    assert imported.quarantine["check"].to_list() == [check]


def test_a_small_gap_is_marked_and_the_clock_holds(source: Source) -> None:
    source.trains(train(Duration=1.5), train("G2", Duration=1.03))
    imported = source.read()
    assert imported.trains["duration_min"].to_list() == [60, 60]
    marked = imported.findings.filter(pl.col("kind") == "duration_clock")
    assert marked["source_line"].to_list() == [1]


def test_a_slow_train_may_take_more_than_a_day(source: Source) -> None:
    source.trains(train("K55", EndTime="08:55", Duration=24.92))
    assert source.read().trains["duration_min"].to_list() == [1495]


def test_repeated_trains_keep_the_cheapest(source: Source) -> None:
    source.trains(train(Cost=90), train(Cost=80), train("G102", Cost=0))
    imported = source.read()
    assert count(imported, "trains") == (3, 2, 1, 0)
    kept = dict(imported.trains.select("train_no", "price_cents").iter_rows())
    assert kept == {"G101": 8000, "G102": None}
    repeated = imported.findings.filter(pl.col("kind") == "train_repeated").row(0, named=True)
    assert repeated["source_line"] == 1
    assert "price differs" in repeated["message"]


def test_a_number_at_other_times_is_kept_and_marked(source: Source) -> None:
    source.trains(train(), train(BeginTime="10:00", EndTime="11:00"))
    imported = source.read()
    assert imported.trains["train_id"].n_unique() == 2
    assert kinds(imported, "trains") == {("mark", "train_other_times")}


def test_both_cities_read_the_same_train(source: Source) -> None:
    source.trains(train())
    source.write(
        "attractions/shanghai/attractions.csv",
        (source.directory / "attractions/hangzhou/attractions.csv").read_text("utf-8-sig"),
    )
    for kind, file in (("accommodations", "accommodations"), ("restaurants", "restaurants_{}")):
        there = f"{kind}/hangzhou/{file.format('hangzhou')}.csv"
        text = (source.directory / there).read_text("utf-8-sig")
        source.write(f"{kind}/shanghai/{file.format('shanghai')}.csv", text)
    here = source.read().trains
    there_frame = read_traveleval(source.directory, find_city("上海")).trains
    assert here.equals(there_frame)


def test_trains_of_other_cities_are_not_read(source: Source) -> None:
    source.trains(train())
    source.write("intercity_transport/train/from_北京_to_上海.json", "[garbled")
    assert count(source.read(), "trains") == (1, 1, 0, 0)


def test_airports_belong_to_the_city_their_name_begins_with(source: Source) -> None:
    source.trains(train(), pair=("杭州", "北京"))
    source.flights(
        flight(),
        flight("XY2", From="上海浦东国际机场"),  # of no file of this source, so of no known city
        flight("XY3", From="北京首都国际机场", To="北京首都国际机场"),  # another city's
        flight("XY4", To="月球港"),
        flight("XY5", From="月球港", To="火星港"),
        flight("XY6", From="北京首都国际机场", To="杭州萧山国际机场"),
    )
    imported = source.read()
    assert count(imported, "flights") == (4, 2, 0, 2)
    assert sorted(imported.flights["flight_no"]) == ["XY100", "XY6"]
    assert set(imported.quarantine["check"]) == {"unknown_city"}
    to_arrow("flights", imported.flights)


def test_code_shares_stay_and_repeated_flights_merge(source: Source) -> None:
    source.trains(train(), pair=("杭州", "北京"))
    source.flights(flight(), flight("ZZ100"), flight(Cost=550))
    imported = source.read()
    assert count(imported, "flights") == (3, 2, 1, 0)
    prices = dict(imported.flights.select("flight_no", "price_cents").iter_rows())
    assert prices == {"XY100": 55000, "ZZ100": 60000}


def test_a_broken_line_of_jsonl_is_set_aside(source: Source) -> None:
    source.trains(train(), pair=("杭州", "北京"))
    text = json.dumps(flight(), ensure_ascii=False)
    source.write("intercity_transport/airplane.jsonl", f"{text}\n\n{text[:40]}")
    imported = source.read()
    assert count(imported, "flights") == (2, 1, 0, 1)
    assert imported.quarantine.select("check", "source_line").row(0) == ("shape", 3)


def test_no_transport_is_a_finding_and_no_error(source: Source) -> None:
    imported = source.read()
    for table in ("trains", "flights", "metro_stations"):
        assert count(imported, table) == (0, 0, 0, 0)
        assert kinds(imported, table) == {("mark", "file_missing")}
    assert imported.metro_edges.is_empty()


def position(lat: float, lon: float) -> str:
    """A GCJ-02 position as the file has it, longitude first."""
    there = wgs84_to_gcj02(lat, lon)
    return f"{there[1]:.6f},{there[0]:.6f}"


A, B, C, D = (("甲", position(30.20, 120.10)), ("乙", position(30.21, 120.10)),
              ("丙", position(30.22, 120.10)), ("丁", position(30.22, 120.12)))  # fmt: skip


def test_metro_lines_share_stations(source: Source, hangzhou: object) -> None:
    source.metro(("1号线", [A, B, C]), ("2号线", [C, D]))
    imported = source.read()
    city_id = source.city.city_id
    assert imported.metro_stations["sequence"].to_list() == [1, 2, 3, 1, 2]
    assert imported.metro_stations["station_id"].n_unique() == 4
    edges = {
        (r["from_id"], r["to_id"]): r["distance_m"] for r in imported.metro_edges.rows(named=True)
    }
    assert set(edges) == {
        (f"{city_id}:甲", f"{city_id}:乙"), (f"{city_id}:乙", f"{city_id}:丙"),
        (f"{city_id}:丙", f"{city_id}:丁"),
    }  # fmt: skip
    straight = float(distance_m(30.20, 120.10, 30.21, 120.10))
    assert edges[f"{city_id}:甲", f"{city_id}:乙"] == pytest.approx(straight, abs=1)
    assert imported.metro_stations["source_line"].to_list() == [1, 2, 3, 4, 5]
    to_arrow("metro_stations", imported.metro_stations)
    to_arrow("metro_edges", imported.metro_edges)


def test_a_station_twice_on_a_line_is_merged(source: Source) -> None:
    source.metro(("1号线", [A, B, B, C]))
    imported = source.read()
    assert count(imported, "metro_stations") == (4, 3, 1, 0)
    assert imported.metro_edges.height == 2
    assert kinds(imported, "metro_stations") == {("fix", "station_repeated")}


def test_a_ring_that_is_closed_keeps_its_last_edge(source: Source) -> None:
    source.metro(("环线", [A, B, D, A]))
    imported = source.read()
    assert count(imported, "metro_stations") == (4, 3, 1, 0)
    assert imported.metro_edges.height == 3


def test_a_second_line_of_a_name_is_a_branch_and_a_copy_is_merged(source: Source) -> None:
    source.metro(("1号线", [A, B, C]), ("1号线", [A, B, D]), ("1号线", [C, B, A]))
    imported = source.read()
    assert count(imported, "metro_stations") == (9, 6, 3, 0)
    assert set(imported.metro_stations["line"]) == {"1号线", "1号线(甲-丁)"}
    assert imported.metro_edges.height == 4
    key = ["city_id", "line", "sequence"]
    assert imported.metro_stations.select(key).is_unique().all()


def test_namesakes_far_apart_are_two_stations(source: Source) -> None:
    far = ("甲", position(30.00, 120.58))
    source.metro(("1号线", [A, B]), ("2号线", [far, B]))
    imported = source.read()
    assert imported.metro_stations["station_id"].n_unique() == 3
    assert ("mark", "station_namesake") in kinds(imported, "metro_stations")


def test_a_station_without_coordinates_is_bridged(source: Source) -> None:
    source.metro(("1号线", [A, ("无", ""), C]))
    imported = source.read()
    assert count(imported, "metro_stations") == (3, 2, 0, 1)
    assert imported.metro_edges.height == 1
    assert ("mark", "edge_bridges_gap") in kinds(imported, "metro_stations")


def test_an_open_ring_is_marked_and_not_closed(source: Source) -> None:
    north = [(f"北{i}", position(30.25, 120.10 + i / 50)) for i in range(8)]
    south = [(f"南{i}", position(30.24, 120.10 + i / 50)) for i in reversed(range(8))]
    source.metro(("环线", [*north, *south]))
    imported = source.read()
    assert kinds(imported, "metro_stations") == {("mark", "possible_ring")}
    assert imported.metro_edges.height == 15
