"""The sandbox's answers, and that threads and processes may share it."""

from __future__ import annotations

import datetime as dt
import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.compute as pc
import pytest

from schemas.geo import distance_m, geodesic_m
from tests.support.warehouse.exporting import write_snapshot
from tests.support.warehouse.peer import geodesic_km
from warehouse import columns
from warehouse.errors import SandboxError
from warehouse.records import Attraction, Hotel, Restaurant
from warehouse.sandbox import Sandbox

WEDNESDAY, MONDAY, SATURDAY = "2026-06-03", "2026-06-01", "2026-06-06"


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_snapshot(tmp_path_factory.mktemp("two"))


@pytest.fixture(scope="module")
def box(snapshot: Path) -> Sandbox:
    return Sandbox(snapshot)


def _names(rows: Any) -> list[str]:
    return [row.name for row in rows]


def test_select_by_field_operator_and_value(box: Sandbox) -> None:
    assert _names(box.select("杭州", "restaurants", "price_cents", "<", 4500)) == [
        "面馆",
        "杭州东站",
    ]
    assert _names(box.select("杭州", "restaurants", "price_cents", "unknown")) == ["不标价酒家"]
    assert _names(box.select("杭州", "restaurants", "cuisine", "in", ["sichuan", "snacks"])) == [
        "面馆",
        "沁园",
    ]
    assert _names(box.select("杭州", "attractions", "types", "contains", "park")) == [
        "月湖公园",
        "不知时间公园",
        "未定位景点",
    ]
    assert _names(box.select("杭州", "attractions", "price_cents", "!=", 0)) == [
        "古塔",
        "沁园",
        "未定位景点",
    ]
    assert _names(box.select("杭州", "hotels", "name", "contains", "酒店")) == [
        "湖滨酒店",
        "无特色酒店",
        "无价酒店",
    ]
    assert len(box.select("hangzhou", "hotels")) == 5
    assert len(box.select("shanghai", "hotels")) == 0


def test_select_by_expression_and_function(box: Sandbox) -> None:
    wanted = ["面馆", "杭州东站"]
    assert _names(box.select("杭州", "restaurants", pl.col("price_cents") < 4500)) == wanted
    assert _names(box.select("杭州", "restaurants", pc.field("price_cents") < 4500)) == wanted
    assert (
        _names(box.select("杭州", "restaurants", lambda r: (r.price_cents or 9999) < 4500))
        == wanted
    )
    assert _names(box.select("杭州", "restaurants", "name", lambda n: n.endswith("站"))) == [
        "杭州东站"
    ]
    with pytest.raises(SandboxError, match="no such field"):
        box.select("杭州", "restaurants", pl.col("prise") < 1)
    for odd in (pl.col("price_cents"), pl.col("name_zh") > 3):
        with pytest.raises(SandboxError, match="not a predicate"):
            box.select("杭州", "restaurants", odd)


def test_records_are_typed_and_frozen(box: Sandbox) -> None:
    (tower,) = box.select("杭州", "attractions", "name", "==", "古塔")
    assert isinstance(tower, Attraction)
    assert (tower.price_cents, tower.duration_min_min, tower.base_type) == (
        4000,
        60,
        "historic_site",
    )
    hotel = box.find("杭州", "Lakeside Hotel")
    assert isinstance(hotel, Hotel)
    assert hotel.price_cents == 20000, "the cheapest room"
    assert [r.stock for r in hotel.rooms] == [1, 0, 4, 1]
    noodles = box.select("杭州", "restaurants")[0]
    assert isinstance(noodles, Restaurant)
    assert noodles.dishes == ("片儿川", "虾爆鳝面")
    with pytest.raises(FrozenInstanceError):
        noodles.name = "other"  # type: ignore[misc]  # what the test is about


def test_nearby_is_every_distance_in_order(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    here = box.find("杭州", "古塔")
    assert here.point is not None
    every = sorted(
        (geodesic_km(here.point, p.point) * 1000, p.name)
        for p in box.select("杭州", "attractions") if p.point
    )  # fmt: skip
    for tree_from in (1_000, 0):
        monkeypatch.setattr(columns, "TREE_FROM", tree_from)
        fresh = Sandbox(box.path)
        for asked in ("古塔", here, here.point):
            found = fresh.nearby("杭州", "attractions", asked, k=3)
            assert [(n.place.name) for n in found] == [name for _, name in every[:3]]
            assert [n.distance_m for n in found] == pytest.approx(
                [m for m, _ in every[:3]], abs=1e-3
            )
        within = fresh.nearby("杭州", "attractions", here, radius_m=4000)
        assert [n.place.name for n in within] == [name for m, name in every if m <= 4000]
        assert len(fresh.nearby("杭州", "attractions", here, k=1, radius_m=4000)) == 1
        assert len(fresh.nearby("杭州", "attractions", here, k=99)) == 7
        assert len(fresh.nearby("shanghai", "hotels", (31.2, 121.4), k=3)) == 0


@pytest.mark.parametrize(
    ("name", "date", "time", "expected"),
    [
        ("古塔", WEDNESDAY, "08:00", True),
        ("古塔", WEDNESDAY, "18:30", False),
        ("古塔", WEDNESDAY, dt.time(7, 59), False),
        ("夜市街", WEDNESDAY, "01:59", True),
        ("夜市街", WEDNESDAY, "02:00", False),
        ("夜市街", dt.date(2026, 6, 3), 23 * 60, True),
        ("月湖公园", WEDNESDAY, "03:00", True),
        ("周一闭馆博物馆", MONDAY, "10:00", False),
        ("周一闭馆博物馆", WEDNESDAY, "10:00", True),
        ("不知时间公园", WEDNESDAY, "10:00", None),
    ],
)
def test_is_open(box: Sandbox, name: str, date: Any, time: Any, expected: bool | None) -> None:
    assert box.is_open("杭州", name, date, time) is expected


def test_public_holidays_count() -> None:
    from warehouse.opening import Hours

    hours = Hours.of(
        "Mo-Fr 09:00-17:00; PH off", [{"weekday": 0, "open_min": 540, "close_min": 1020}]
    )
    assert hours is not None
    assert hours.on(dt.date(2026, 10, 1)) == ()
    assert hours.on(dt.date(2026, 9, 24)) == ((540, 1020),)


def test_goto_and_the_metro_graph(box: Sandbox) -> None:
    legs = box.goto("杭州", "月湖公园", "周一闭馆博物馆", "09:00", "metro")
    assert legs is not None
    assert [leg.mode for leg in legs] == ["walk", "metro", "walk"]
    assert legs[0].start_min == 540
    assert legs[0].start == "月湖公园"
    route = box.metro_route("杭州", (30.25, 120.15), (30.34, 120.18))
    assert route is not None
    assert [(r.line, r.stations) for r in route.rides] == [
        ("1号线", ("湖心", "古塔", "东站")),
        ("2号线", ("东站", "北郊")),
    ]
    assert route.changes == ("东站",)
    assert route.distance_m == 10_500
    assert (route.total_min, route.fare_cents) == (14 + 7 + 5, 400)
    back = box.metro_route("杭州", (30.34, 120.18), (30.25, 120.15))
    assert back is not None
    assert back.changes == route.changes
    assert box.metro_route("杭州", (30.25, 120.15), (30.2501, 120.15)) is None
    assert box.metro_route("上海", (31.2, 121.4), (31.3, 121.5)) is None
    assert box.goto("上海", (31.2, 121.4), (31.3, 121.5), 0, "metro") is None


def test_intercity_by_departure(box: Sandbox) -> None:
    assert [c.number for c in box.intercity("杭州", "上海")] == ["G1", "G3", "K2"]
    assert [c.number for c in box.intercity("hangzhou", "Shanghai", "train", "07:31")] == [
        "G3",
        "K2",
    ]
    night = box.intercity("杭州", "上海", "train", "23:00")[0]
    assert (night.arrival_min, night.arrival_day_offset, night.duration_min) == (120, 1, 150)
    assert len(box.intercity("上海", "杭州")) == 0
    assert len(box.intercity("杭州", "北京")) == 0
    with pytest.raises(SandboxError, match="airplane"):
        box.intercity("杭州", "上海", "bus")


def test_distance_matrix_and_figures(box: Sandbox) -> None:
    names = ["古塔", "月湖公园", "夜市街"]
    matrix = box.distance_matrix("杭州", names)
    assert matrix.shape == (3, 3)
    assert (matrix == matrix.T).all()
    a, b = box.point("杭州", "古塔"), box.point("杭州", "夜市街")
    assert matrix[0, 2] == pytest.approx(geodesic_km(a, b) * 1000, abs=1e-3)
    assert box.city_stats("杭州")["meal_price_p50"].value == 4500.0
    assert box.types("杭州")["park"] == 3
    assert box.cuisines("杭州") == {
        "cantonese": 1,
        "fast_food": 1,
        "jiangzhe": 1,
        "sichuan": 1,
        "snacks": 1,
    }


@pytest.mark.parametrize(
    ("date", "time", "kind", "minutes"),
    [
        (WEDNESDAY, "11:00", "historic_site", 4.0 * 1.00 * 0.90),
        (SATURDAY, "09:59", "historic_site", 4.0 * 7.55 * 0.85),
        ("2026-10-01", "12:00", "museum_memorial", 10.0 * 10.06 * 1.10),
        ("2026-10-10", "20:00", "garden", 3.0 * 1.00 * 0.70),  # a Saturday that is worked
        ("2026-05-01", "16:00", "garden", 3.0 * 4.39 * 1.10),
        ("2026-07-15", "16:00", "garden", 3.0 * 3.94 * 1.10),
        ("2026-07-18", "16:00", "garden", 3.0 * 7.55 * 1.10),  # weekend before school holidays
        (WEDNESDAY, "07:59", "garden", None),
        ("2031-06-03", "11:00", "garden", None),  # holidays are not published yet
    ],
)
def test_queues(box: Sandbox, date: str, time: str, kind: str, minutes: float | None) -> None:
    found = box.queue_minutes("杭州", kind, date, time)
    assert found == (None if minutes is None else pytest.approx(minutes))


def test_queues_of_places_and_named_grades(box: Sandbox) -> None:
    assert box.queue_minutes("杭州", "古塔", WEDNESDAY, "11:00") == pytest.approx(3.6)
    assert box.queue_minutes("杭州", "月湖公园", WEDNESDAY, "11:00") is None, "parks are not listed"
    peak = box.queue_minutes("杭州", "古塔", WEDNESDAY, "11:00", "A:special_peak")
    assert peak == pytest.approx(4 * 4.63 * 0.9)
    with pytest.raises(SandboxError, match="S:golden_week"):
        box.queue_minutes("杭州", "古塔", WEDNESDAY, "11:00", "Z")


def test_errors_say_what_comes_close(box: Sandbox) -> None:
    for asked, hint in (
        (lambda: box.city("hangzou"), "hangzhou"),
        (lambda: box.select("杭州", "restaurant"), "restaurants"),
        (lambda: box.select("杭州", "restaurants", "price_cent", "<", 1), "price_cents"),
        (lambda: box.select("杭州", "restaurants", "name", "like", "x"), "contains"),
        (lambda: box.select("杭州", "restaurants", "price_cents", "<", "40"), "is a number"),
        (lambda: box.find("杭州", "湖滨大酒店"), "湖滨酒店"),
        (lambda: box.find("杭州", "沁园"), "give an id"),
        (lambda: box.point("杭州", "未定位景点"), "coordinates"),
        (lambda: box.point("杭州", (120.1, 30.2)), "give the latitude first"),
        (lambda: box.goto("杭州", "古塔", "夜市街", "9点", "walk"), "HH:MM"),
        (lambda: box.goto("杭州", "古塔", "夜市街", 0, "bus"), "metro"),  # type: ignore[arg-type]  # what the test is about
        (lambda: box.is_open("杭州", "古塔", "1 May", 0), "YYYY-MM-DD"),
        (lambda: box.nearby("杭州", "hotels", "古塔", k=0), "k must be at least 1"),
    ):
        with pytest.raises(SandboxError, match=hint):
            asked()


def _answers(box: Sandbox) -> list[Any]:
    """Something of everything."""
    return [
        _names(box.select("杭州", "restaurants", "price_cents", "<", 4500)),
        [(n.place.place_id, n.distance_m) for n in box.nearby("杭州", "hotels", "古塔", k=4)],
        box.is_open("杭州", "古塔", WEDNESDAY, "10:00"),
        box.goto("杭州", "古塔", "夜市街", "10:00", "metro"),
        box.metro_route("杭州", (30.25, 120.15), (30.34, 120.18)),
        list(box.intercity("杭州", "上海")),
        box.queue_minutes("杭州", "古塔", WEDNESDAY, "11:00"),
    ]


def _ask(box: Sandbox) -> list[Any]:
    return _answers(box)


def test_eight_threads_share_a_sandbox(snapshot: Path) -> None:
    expected = _answers(Sandbox(snapshot))
    shared = Sandbox(snapshot)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: _answers(shared), range(64)))
    assert found == [expected] * 64


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork.*")
def test_processes_share_a_sandbox(snapshot: Path, method: str) -> None:
    box = Sandbox(snapshot)
    expected = _answers(box)
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map_async(_ask, [box] * 4).get(timeout=120)
    assert found == [expected] * 4


def _polars(box: Sandbox) -> str:
    try:
        box.select("杭州", "restaurants", pl.col("price_cents") < 4500)
    except SandboxError as error:
        return str(error)
    return "answered"


def test_polars_in_a_forked_process_is_refused(box: Sandbox) -> None:
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert "forked" in pool.apply_async(_polars, (box,)).get(timeout=60)


def test_pickle_is_the_path(box: Sandbox) -> None:
    again = pickle.loads(pickle.dumps(box))
    assert again.path == box.path
    assert _answers(again) == _answers(box)
    place = box.find("杭州", "古塔")
    assert pickle.loads(pickle.dumps(place)) == place
    assert len(pickle.loads(pickle.dumps(box.select("杭州", "hotels")))) == 5
    error = SandboxError("no such thing", ("a", "b"))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_geodesics_agree_with_vincenty() -> None:
    assert geodesic_km((50.06632, -5.71475), (58.64402, -3.07009)) == pytest.approx(
        969.954166, abs=1e-5
    )  # published example
    for step in range(1, 40):
        a, b = (20 + step * 0.7, 80 + step), (20 + step * 0.7 + step * 0.01, 80 + step * 1.008)
        exact = geodesic_km(a, b) * 1000
        assert geodesic_m(*a, *b) == pytest.approx(exact, abs=0.002)
    sphere = float(distance_m(30.0, 120.0, 30.3, 120.0))
    assert abs(sphere - geodesic_m(30.0, 120.0, 30.3, 120.0)) > 50, "the sphere is not enough"
