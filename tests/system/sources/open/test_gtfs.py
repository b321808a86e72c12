"""GTFS from a file and from a server: stations, lines, times, fares and trains; feeds that are
broken.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flows.open.fetch import fetch, wish
from flows.settings.environment import Settings
from schemas.cities import find_city
from sources.open.errors import OpenDataError
from sources.tables.registry import read_tables
from tests.support.sources.open import feeds, made
from tests.support.sources.open.servers import Asked, files, overpass
from tests.system.sources.open.conftest import Run

BBOX = "-7.95,38.51,-7.85,38.62"
EVORA = find_city("Évora")


@pytest.fixture
def fetched(run: Run, tmp_path: Path) -> Any:
    """What a feed with changed files comes to: its account, and the folder of tables."""

    def made_of(**changed: str | bytes | None) -> tuple[dict[str, Any], Path]:
        path = feeds.write(tmp_path / "feed.zip", feeds.feed(**changed))
        found = run(f"gtfs={path}", bbox=BBOX)
        (account,) = found.cities["evora"]["providers"]
        left = sum(account["left_out"].values())
        assert account["rows"] == account["kept"] + account["set_aside"] + left
        return account, found.folder

    return made_of


def _edges(folder: Path) -> dict[tuple[str, str, str], int | None]:
    imported = read_tables(folder, "tripbed", EVORA)
    names = dict(imported.metro_stations.select("station_id", "name").iter_rows())
    return {
        (line, names[a], names[b]): ride
        for line, a, b, ride in imported.metro_edges.select(
            "line", "from_id", "to_id", "ride_s"
        ).iter_rows()
    }


def test_lines_times_fares_and_where_they_come_from(fetched: Any) -> None:
    account, folder = fetched()
    imported = read_tables(folder, "tripbed", EVORA)
    assert _edges(folder) == {
        ("B", "North Hill", "Market"): 300,
        ("B", "Market", "South Park"): 300,
        ("G", "West Gate", "Mill"): 240,
        ("G", "Mill", "Market"): 240,
        ("G", "Market", "East Gate"): 240,
    }
    stations = imported.metro_stations
    assert stations.filter(line="G")["wait_s"].unique().to_list() == [600]
    market = stations.filter(name="Market")
    assert market["station_id"].n_unique() == 1, "two platforms of one station"
    assert market["change_s"].unique().to_list() == [120]
    assert stations.filter(name="North Hill")["zones"].to_list() == [["B"]]
    fares = imported.metro_fares.select("from_zone", "to_zone", "price_cents", "transfers").rows()
    assert set(fares) == {("A", "A", 150, 1), ("A", "B", 230, 1), ("B", "A", 230, 1)}
    assert set(imported.row_sources["source_name"]) == {"GTFS of Made Publisher"}
    assert account["sources"][0]["calendar"] == ["2026-09-01", "2026-12-31"]
    assert account["left_out"]["stops outside the city"] == 2
    assert account["notes"] == []


def test_a_feed_by_address_is_kept_and_asked_for_once(run: Run, tmp_path: Path) -> None:
    feeds.write(tmp_path / "shelf.zip", feeds.feed())
    with files(tmp_path) as server:
        first = run(f"gtfs={server.url}/shelf.zip", bbox=BBOX, gtfs_licence="CC-BY-4.0")
        run(
            f"gtfs={server.url}/shelf.zip",
            "again",
            bbox=BBOX,
            offline=True,
            gtfs_licence="CC-BY-4.0",
        )
        assert len(server.requests) == 1
        with pytest.raises(OpenDataError, match="no stored answer"):
            run(f"gtfs={server.url}/other.zip", bbox=BBOX, offline=True)
        with pytest.raises(OpenDataError, match="refuses"):
            run(f"gtfs={server.url}/other.zip", bbox=BBOX)
    for file in ("metro_stations.csv", "metro_fares.csv"):
        again = (tmp_path / "again" / file).read_bytes()
        assert (first.folder / file).read_bytes() == again
        assert b"CC-BY-4.0" in again


@pytest.fixture
def two_cities() -> Iterator[Asked]:
    lat, lon = feeds.BEJA
    ring = [(lon - 0.05, lat - 0.05), (lon + 0.05, lat - 0.05), (lon + 0.05, lat + 0.05),
            (lon - 0.05, lat + 0.05), (lon - 0.05, lat - 0.05)]  # fmt: skip
    with overpass(
        [made.relation(10, "Évora", 7, made.RING), made.relation(11, "Beja", 7, ring)]
    ) as server:
        yield server


def test_trains_run_between_the_cities_that_are_fetched(two_cities: Asked, tmp_path: Path) -> None:
    path = feeds.write(tmp_path / "feed.zip", feeds.feed())
    settings = Settings.unset(delay_s=0.0, overpass_url=two_cities.url)
    asked = wish([f"osm,gtfs={path}"], ["Évora", "Beja"], None, tmp_path / "archive", settings,
                 offline=False, refresh=False)  # fmt: skip
    found = fetch(asked, tmp_path / "tables")
    assert found.between[0]["tables"] == {"trains": 4, "hubs": 2}
    imported = read_tables(tmp_path / "tables", "tripbed", EVORA)
    times = (
        "origin_station",
        "departure_min",
        "arrival_min",
        "arrival_day_offset",
        "duration_min",
        "price_cents",
    )
    assert sorted(imported.trains.select(times).rows()) == [
        ("Beja Station", 420, 490, 0, 70, 910), ("Beja Station", 1410, 40, 1, 70, 910),
        ("Évora Station", 485, 545, 0, 60, 910), ("Évora Station", 1140, 1210, 0, 70, 910),
    ]  # fmt: skip
    assert imported.hubs["name"].to_list() == ["Évora Station"]


def test_times_after_midnight_and_those_that_are_not_told(fetched: Any) -> None:
    good = str(feeds.feed()["stop_times"])
    silent = "\n".join(
        ",".join([trip, "", "", *rest]) if rest[0] == "w2" else line
        for line in good.splitlines()
        for trip, _arrival, _departure, *rest in [line.split(",")]
    )
    account, folder = fetched(stop_times=silent)
    assert _edges(folder)["G", "West Gate", "Mill"] == 240, "interpolated"
    assert any("interpolated" in mark for mark in account["marks"])
    night = "\n".join(
        [good.splitlines()[0], *(x for x in good.splitlines() if x.startswith("late,"))]
    )
    trips = "route_id,service_id,trip_id\ngreen,week,late\n"
    _, folder = fetched(stop_times=night, trips=trips)
    assert set(_edges(folder).values()) == {240}
    untimed = good.replace("00", "x")
    account, folder = fetched(stop_times=untimed)
    assert None in _edges(folder).values()
    assert any("30 km/h" in mark for mark in account["marks"])


def test_repeated_trips_and_days_told_one_by_one(fetched: Any) -> None:
    stop_times = (
        "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
        "often,06:00:00,06:00:00,w1,1\noften,06:05:00,06:05:00,w2,2\n"
    )
    _, folder = fetched(
        calendar=None, calendar_dates="service_id,date,exception_type\nday,20261107,1\n",
        trips="route_id,service_id,trip_id\ngreen,day,often\n", stop_times=stop_times,
        frequencies="trip_id,start_time,end_time,headway_secs\noften,06:00:00,25:00:00,600\n",
    )  # fmt: skip
    stations = read_tables(folder, "tripbed", EVORA).metro_stations
    assert stations["wait_s"].to_list() == [300, 1800], "the last stop has no departures"


def test_odd_files_are_read_and_said(fetched: Any, run: Run, tmp_path: Path) -> None:
    good = feeds.feed()
    stops = str(good["stops"])
    account, folder = fetched(
        stops=(stops.replace("Mill", "Moinho Velho à Ponte")).encode("cp1252"),
        routes=b"\xef\xbb\xbf" + str(good["routes"]).encode(),
        agency="agency_id,agency_name\na,\"Made\n", calendar=str(good["calendar"]).encode("utf-16"),
    )  # fmt: skip
    assert "stops.txt is not UTF-8, so it is read as Windows-1252" in account["notes"]
    assert ("G", "West Gate", "Moinho Velho à Ponte") in _edges(folder)
    path = feeds.write(tmp_path / "inner.zip", good, folder="feed/")
    assert (
        run(f"gtfs={path}", "inner", bbox=BBOX).cities["evora"]["tables"]["metro_stations"]["rows"]
        == 7
    )


def test_broken_rows_are_set_aside_with_their_reason(fetched: Any) -> None:
    good = feeds.feed()
    account, folder = fetched(
        stops=str(good["stops"])
        + "w1,Again,38.5,-7.9,,0,\n,Nameless,38.5,-7.9,,0,\nzero,Zero,0,0,,0,\n",
        stop_times=str(good["stop_times"]) + "green-360-0,08:00:00,08:00:00,,9\nlate,x\n"
        "ghost,08:00:00,08:00:00,w1,1\nlate,24:30:00,24:30:00,nowhere,9\n",
        trips=str(good["trips"]) + "gone,week,t9,0\ngreen,week,late,0\n,,,\n",
        fare_attributes=str(good["fare_attributes"]) + "x,free,EUR,0,0,\n",
    )
    aside = pl.read_csv(folder / "set_aside.csv")
    assert dict(aside["reason"].value_counts().iter_rows()) == {
        "a stop with the same id as an earlier stop": 1,
        "a stop without an id": 1,
        "a trip that lacks an id, a route or a service": 1,
        "a stop without a name or valid coordinates": 1,
        "a stop time that lacks a trip, a stop or a sequence number": 2,
        "a fare that lacks a price, a currency or a number of changes": 1,
    }
    left = account["left_out"]
    assert left["trips on a route that is not in routes.txt"] == 1
    assert left["trips with the same id as an earlier trip"] == 1
    assert left["stop times for an unknown trip"] == 1
    assert left["stop times for an unknown stop"] == 1
    assert len(_edges(folder)) == 5


def test_a_second_version_of_fares(fetched: Any) -> None:
    account, folder = fetched(
        fare_products="fare_product_id,amount,currency\nsingle,1.80,EUR\n",
        fare_leg_rules="leg_group_id,network_id,from_area_id,to_area_id,fare_product_id,from_timeframe_group_id\n"
        "g,city,,,single,\ng,city,,,single,night\ng,city,,,lost,\n",
        route_networks="network_id,route_id\ncity,green\ncity,blue\n",
        fare_transfer_rules="from_leg_group_id,to_leg_group_id,transfer_count,fare_transfer_type\ng,g,-1,0\n",
    )
    fares = read_tables(folder, "tripbed", EVORA).metro_fares
    assert set(fares.select("line", "price_cents", "transfers").rows()) == {
        ("G", 180, None),
        ("B", 180, None),
    }
    left_out = account["left_out"]["fares that are valid only at certain hours"]
    assert (left_out, account["set_aside"]) == (1, 1)


def test_a_timetable_that_ended_says_when(fetched: Any) -> None:
    old = str(feeds.feed()["calendar"]).replace("2026", "2019")
    account, _ = fetched(calendar=old, calendar_dates=None)
    (note,) = account["notes"]
    assert "out of date: its calendar covers 2019-09-01 to 2019-12-31" in note


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            {"stop_times": None, "calendar": None, "calendar_dates": None},
            r"lacks stop_times.txt .*calendar",
        ),
        ({"stops": ""}, "stops.txt is empty"),
        ({"calendar": "service_id\nx\n", "calendar_dates": None}, "no trip runs on any day"),
        ({"routes": "route_id,route_type\nother,3\n"}, "no trip refers to a route"),
        (
            {"stops": "stop_id,stop_name,stop_lat,stop_lon\nw1,Far,60,10\n"},
            "none of the feed's 1 stops is in Évora",
        ),
    ],
)
def test_half_a_feed_says_what_is_missing(
    fetched: Any, changed: dict[str, Any], words: str
) -> None:
    with pytest.raises(OpenDataError, match=words):
        fetched(**changed)


def test_zips_that_are_none_or_bombs_are_refused(run: Run, tmp_path: Path) -> None:
    good = feeds.write(tmp_path / "good.zip", feeds.feed()).read_bytes()
    (tmp_path / "cut.zip").write_bytes(good[: len(good) // 2])
    (tmp_path / "flipped.zip").write_bytes(good[:200] + bytes(40) + good[240:])
    (tmp_path / "page.zip").write_bytes(b"<html>moved</html>")
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in feeds.feed(transfers=None).items():
            archive.writestr(f"{name}.txt", text)
        archive.writestr("transfers.txt", b"0" * 60_000_000)
    with zipfile.ZipFile(tmp_path / "twice.zip", "w") as archive:
        for folder in ("a/", "b/"):
            archive.writestr(f"{folder}stops.txt", "stop_id\n")
    locked = bytearray(good)
    at = 0
    while (at := locked.find(b"PK\x01\x02", at)) >= 0:
        struct.pack_into("<H", locked, at + 8, 1)
        at += 4
    (tmp_path / "locked.zip").write_bytes(locked)
    for name, words in (
        ("cut", "not a readable zip file"),
        ("flipped", "not a readable zip file"),
        ("page", "not a readable zip file"),
        ("bomb", "no real feed is"),
        ("twice", "twice in the zip file"),
        ("locked", "encrypted"),
        ("none", "does not exist"),
    ):
        with pytest.raises(OpenDataError, match=words):
            run(f"gtfs={tmp_path}/{name}.zip", bbox=BBOX)
    with pytest.raises(OpenDataError, match="TRIPBED_GTFS_FEED"):
        run("gtfs", bbox=BBOX)
    assert not (tmp_path / "tables").exists()
