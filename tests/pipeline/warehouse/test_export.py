"""Exports: the peers' way of reading them, and the way back through our own adapters."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest

from schemas.cities import find_city
from sources.tables.registry import read_tables
from tests.counterexamples.good_texts import SAID
from tests.support.warehouse.exporting import ROWS, write_snapshot
from tests.support.warehouse.peer import CITIES, Environment
from warehouse.errors import WarehouseError
from warehouse.export import FORMATS, REPORT, export
from warehouse.export.account import ExportAccount
from warehouse.export.gather import NO_VALUES
from warehouse.sandbox import Sandbox

CLOCK = re.compile(r"\d{1,2}:\d{2}")


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_snapshot(tmp_path_factory.mktemp("two"))


@pytest.fixture(scope="module")
def made(snapshot: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The export of a layout, made once."""
    folder = tmp_path_factory.mktemp("exports")

    def get(layout: str) -> Path:
        if not (folder / layout).exists():
            export(snapshot, layout, folder / layout)
        return folder / layout

    return get


@pytest.fixture(scope="module")
def peer(made: Callable[[str], Path]) -> Environment:
    return Environment(made("chinatravel"))


def _account(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / REPORT).read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("layout", FORMATS)
def test_every_row_is_written_or_listed(made: Callable[[str], Path], layout: str) -> None:
    account = _account(made(layout))
    listed = {(e["city"], e["table"]): 0 for e in account["left_out"]}
    for entry in account["left_out"]:
        listed[entry["city"], entry["table"]] += 1
        assert entry["reason"]
    for city, tables in account["counts"].items():
        for table, n in tables.items():
            assert n["rows"] == n["written"] + n["left_out"]
            assert n["left_out"] == listed.get((city, table), 0)
    if layout in ("chinatravel", "traveleval", "csv"):
        assert account["counts"]["hangzhou"]["hotels"]["rows"] == len(ROWS["hotels"]["hangzhou"])


@pytest.mark.parametrize("layout", FORMATS)
def test_the_same_snapshot_gives_the_same_bytes(
    made: Callable[[str], Path], snapshot: Path, tmp_path: Path, layout: str
) -> None:
    export(snapshot, layout, tmp_path / "again")
    files = {p.relative_to(made(layout)): p.read_bytes() for p in made(layout).rglob("*.*")}
    again = {
        p.relative_to(tmp_path / "again"): p.read_bytes() for p in (tmp_path / "again").rglob("*.*")
    }
    assert files == again
    assert len(files) > 1


def test_chinatravel_loads_and_every_row_answers(peer: Environment) -> None:
    for slug, zh in CITIES.items():
        for kind in ("attractions", "hotels", "restaurants"):
            table = peer.tables[kind, slug]
            assert len(table), f"{kind} of {zh}"
            for row in table.to_dict("records"):
                assert len(peer.select(kind, slug, "name", lambda v, n=row["name"]: v == n)) == 1
                assert peer.points[slug][row["name"]] == (row["lat"], row["lon"])
                near = peer.nearby(kind, slug, row["name"], 0.5)
                assert near.iloc[0]["distance"] < 0.001
                if kind != "hotels":
                    assert CLOCK.fullmatch(row["opentime"])
                    assert CLOCK.fullmatch(row["endtime"])
                    assert peer.is_open(kind, slug, row["id"], "12:00") in (True, False)
                assert int(row["price"]) == row["price"] or row["price"] > 0


def test_hotel_rows_have_no_empty_cell_and_none_is_lost(
    made: Callable[[str], Path], peer: Environment
) -> None:
    path = made("chinatravel") / "accommodations" / "hangzhou" / "accommodations.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(peer.tables["hotels", "hangzhou"]) == len(lines) - 1
    assert {"price", "numbed"} <= set(peer.tables["hotels", "hangzhou"].columns)
    assert set(peer.tables["hotels", "hangzhou"]["numbed"]) == {1, 2}
    left = {e["name"]: e["reason"] for e in _account(made("chinatravel"))["left_out"]}
    assert left["无价酒店"] == "the hotel has no room with a known price"
    assert left["无票价乐园"] == "price unknown"
    assert left["未定位景点"] == "no coordinates"


def test_hours_are_told_as_they_are_known(
    snapshot: Path, peer: Environment, made: Callable[[str], Path]
) -> None:
    box = Sandbox(snapshot)
    wednesday = "2026-06-03"
    asked = 0
    for kind in ("attractions", "restaurants"):
        for row in peer.tables[kind, "hangzhou"].to_dict("records"):
            if row["name"] not in {p.name for p in box.select("hangzhou", kind)}:
                continue  # a name that was changed
            place = box.find("hangzhou", row["name"], kind)
            for time in ("00:30", "07:59", "12:00", "18:31", "23:30"):
                ours = box.is_open("hangzhou", place, wednesday, time)
                if ours is None:
                    assert (row["opentime"], row["endtime"]) == ("0:00", "0:00")
                else:
                    asked += 1
                    assert peer.is_open(kind, "hangzhou", row["id"], time) is ours, (row, time)
    assert asked > 20
    told = {(e["name"], e["field"]) for e in _account(made("chinatravel"))["changed"]}
    assert ("周一闭馆博物馆", "hours") in told, "a closed day cannot be said"
    assert ("不知时间公园", "hours") in told


def test_a_night_across_the_weeks_end_is_the_same_every_day(made: Callable[[str], Path]) -> None:
    late = {"夜市街", "杭州东站"}  # open past midnight, every day alike
    for layout in ("chinatravel", "traveleval"):
        told = {(e["name"], e["field"]) for e in _account(made(layout))["changed"]}
        assert not {(name.split("(")[0], field) for name, field in told} & {
            (n, "hours") for n in late
        }


def test_every_dish_can_be_looked_up_as_a_pattern(
    peer: Environment, made: Callable[[str], Path]
) -> None:
    dishes = peer.tables["restaurants", "hangzhou"]["recommendedfood"]
    for dish in {d for cell in dishes for d in cell.split(",") if d.strip()}:
        assert dishes.str.contains(dish).sum() == sum(dish in cell for cell in dishes) > 0, dish
    assert "盖饭（大）" in set(dishes)
    told = {(e["name"], e["field"]) for e in _account(made("chinatravel"))["changed"]}
    assert ("杭州东站(餐厅)", "recommendedfood") in told


def test_names_are_unique_and_the_same_in_every_file(
    made: Callable[[str], Path], peer: Environment
) -> None:
    names = [
        n
        for kind in ("attractions", "hotels", "restaurants")
        for n in peer.tables[kind, "hangzhou"]["name"]
    ]
    assert len(names) == len(set(names))
    assert {"沁园", "沁园(餐厅)", "沁园(餐厅2)", "沁园(酒店)", "NULL(餐厅)"} <= set(names)
    assert set(names) <= set(peer.points["hangzhou"])
    assert not set(names) & NO_VALUES
    changed = {e["name"] for e in _account(made("chinatravel"))["changed"] if e["field"] == "name"}
    assert changed == {"沁园", "NULL", "杭州东站"}
    east = peer.points["hangzhou"]["杭州东站"]
    assert east == (30.29, 120.21), "a station keeps its name before a restaurant called like it"


@pytest.mark.parametrize("mode", ["walk", "taxi", "metro"])
def test_goto_is_that_of_the_sandbox(snapshot: Path, peer: Environment, mode: Any) -> None:
    box = Sandbox(snapshot)
    ends = {
        p.name: p
        for p in box.select("hangzhou", "attractions")
        if p.name in peer.points["hangzhou"]
    }
    ends["杭州东站"] = box.find("hangzhou", "杭州东站", "hubs")
    compared = 0
    for start, first in ends.items():
        for end, last in ends.items():
            if start == end:
                continue
            theirs = peer.goto("hangzhou", start, end, "09:10", mode)
            ours = box.goto("hangzhou", first, last, "09:10", mode)
            assert len(theirs) == len(ours or ())
            for told, leg in zip(theirs, ours or (), strict=True):
                compared += 1
                assert told["mode"] == leg.mode
                assert told["distance"] * 1000 == pytest.approx(leg.distance_m, abs=0.01)
                assert told["cost"] * 100 == pytest.approx(leg.price_cents, abs=1)
                assert told["end_time"] == f"{leg.end_min // 60:02d}:{leg.end_min % 60:02d}"
    assert compared > 5


def test_intercity_is_that_of_the_sandbox(snapshot: Path, peer: Environment) -> None:
    box = Sandbox(snapshot)
    for kind, column in (("train", "TrainID"), ("airplane", "FlightID")):
        for earliest in ("00:00", "08:00", "23:59"):
            theirs = peer.intercity("杭州", "上海", kind, earliest)
            ours = box.intercity("杭州", "上海", kind, earliest)
            assert list(theirs.get(column, [])) == [row.number for row in ours]
            for told, row in zip(theirs.to_dict("records"), ours, strict=True):
                assert (told["From"], told["To"]) == (row.start, row.end) or kind == "airplane"
                assert told["Cost"] * 100 == row.price_cents
                assert round(told["Duration"] * 60) == row.duration_min
    assert len(peer.intercity("杭州", "上海", "airplane", "00:00")) == 1
    assert len(peer.trains) == 90
    assert len(peer.intercity("北京", "成都", "train", "00:00")) == 0


def test_traveleval_comes_back_as_the_same_rows(
    made: Callable[[str], Path], snapshot: Path
) -> None:
    back = read_tables(made("traveleval"), "traveleval", find_city("hangzhou"))
    assert [json.loads(q)["name"] for q in back.quarantine["payload"]] == ["NULL"], "read as empty"
    _same_places(back.attractions, "attractions", snapshot)
    _same_places(back.hotels, "hotels", snapshot)
    _same_places(back.restaurants, "restaurants", snapshot)
    for table, key in (("trains", "train_id"), ("flights", "flight_id")):
        dropped = ("source_file", "source_line", "read_hash", key)
        rows = getattr(back, table).drop(dropped).rows(named=True)
        held = [
            {k: v for k, v in row.items() if k not in dropped}
            for parts in ROWS[table].values()
            for row in parts
        ]
        assert _ordered(rows) == _ordered(held)
    stations = {(r["line"], r["name"], r["sequence"]) for r in back.metro_stations.to_dicts()}
    assert stations == {
        (r["line"], r["name"], r["sequence"]) for r in ROWS["metro_stations"]["hangzhou"]
    }
    assert back.hubs["name"].to_list() == ["杭州东站"]


def test_csv_comes_back_as_the_same_rows(made: Callable[[str], Path], snapshot: Path) -> None:
    back = read_tables(made("csv"), "tripbed", find_city("hangzhou"))
    assert [json.loads(q)["name_zh"] for q in back.quarantine["payload"]] == ["NULL"]
    _same_places(back.attractions, "attractions", snapshot, unlocated=True)
    _same_places(back.hotels, "hotels", snapshot)
    _same_places(back.restaurants, "restaurants", snapshot)
    assert back.trains.height == 3
    assert back.flights.height == 1


def _ordered(rows: Any) -> list[str]:
    known = [{k: v for k, v in row.items() if v is not None} for row in rows]
    return sorted(json.dumps(row, sort_keys=True, ensure_ascii=False) for row in known)


def _same_places(back: pl.DataFrame, table: str, snapshot: Path, unlocated: bool = False) -> None:
    """Every value that the layout can say is back, coordinates to a centimetre."""
    box = Sandbox(snapshot)
    held = [p for p in box.select("hangzhou", table) if p.point or unlocated]
    held = [p for p in held if p.name != "NULL"]
    rows = back.to_dicts()
    assert len(rows) == len(held) > 2
    by_name: dict[str, list[Any]] = {}
    for place in held:
        by_name.setdefault(place.name, []).append(place)
    for row in rows:
        found = by_name[row["name_zh"] or row["name_en"]]
        place = min(found, key=lambda p: abs((p.lat or 0) - (row["lat"] or 0)))
        if place.lat is not None:
            assert (row["lat"], row["lon"]) == pytest.approx((place.lat, place.lon), abs=1e-7)
        for column in (
            "base_type",
            "rating",
            "cuisine",
            "feature",
            "duration_min_min",
            "duration_max_min",
            "hours_osm",
        ):
            if column in row:
                assert row[column] == getattr(place, column), (row, place)
        if table == "hotels":
            told = [(r["room_type"], r["price_cents"], r["stock"]) for r in row["rooms"]]
            assert [r for r in told if r[1:] != (None, None)] == [
                (r.room_type, r.price_cents, r.stock)
                for r in place.rooms
                if (r.price_cents, r.stock) != (None, None)
            ]
        else:
            assert row["price_cents"] == place.price_cents
        if table == "attractions":
            assert tuple(row["trend_types"]) == place.trend_types


def test_tprag_has_queries_places_and_trajectories(published: Path, tmp_path: Path) -> None:
    export(published, "tprag", tmp_path / "tprag")
    data = json.loads((tmp_path / "tprag" / "data.json").read_text(encoding="utf-8"))
    assert data
    for text, one in data.items():
        assert one["query"] == text
        assert set(one) == {
            "query",
            "poi_list",
            "poi_list_sorted_by_popularity",
            "trajectories",
            "trajectories_clean",
            "trajectory_scores",
        }
        assert one["poi_list"]
        assert one["trajectories_clean"]
        assert {p["名称"] for p in one["poi_list"]} == {
            p["名称"] for p in one["poi_list_sorted_by_popularity"]
        }
        assert len(one["trajectories"]) == len(one["trajectories_clean"])
        assert [s["quality_rank"] for s in one["trajectory_scores"]] == [2, 1]
        assert [s["PP"] for s in one["trajectory_scores"]] == [0.666667, 1.0]
        assert all(next(iter(trip)) == "第一天" for trip in one["trajectories"])
        told = {p["名称"]: p["detail"]["描述"] for p in one["poi_list"] if p["detail"]["描述"]}
        assert told == {"柳岸公园": SAID}
    lines = [
        line
        for file in (tmp_path / "tprag").glob("query_*.txt")
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    assert sorted(lines) == sorted(data)


def test_geoparquet_has_points(made: Callable[[str], Path]) -> None:
    for file in ("places", "hotels", "restaurants", "hubs"):
        schema = pq.read_schema(made("geoparquet") / f"{file}.parquet")
        geo = json.loads((schema.metadata or {})[b"geo"])
        assert geo["version"] == "1.1.0"
        assert "geometry" in schema.names


def test_wrong_orders_are_refused(snapshot: Path, tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="choose one of traveleval"):
        export(snapshot, "excel", tmp_path / "x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(WarehouseError, match="not an empty folder"):
        export(snapshot, "csv", tmp_path / "full")
    assert [p.name for p in tmp_path.iterdir()] == ["full"]


def test_an_account_that_does_not_add_up_is_an_error() -> None:
    account = ExportAccount("csv", "s")
    account.count_written("x", "hotels")
    account.rows["x", "hotels"] += 1
    with pytest.raises(RuntimeError, match="of 2 rows, 1 were written and 0 left out"):
        account.check()
