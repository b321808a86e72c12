"""Every kind of finding has a rule,
and the findings a source is audited for tell right from wrong.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sources.tables
from schemas.cities import City
from sources.tables.intake import Intake
from sources.tables.rules import RULES, TARGET, page
from tests.conftest import ROOT
from tests.unit.sources.tables.conftest import HOTEL, PARK, Source, flight, train

STATIONS = [(f"站{n}", f"120.{160 + n},30.25") for n in range(6)]
TRAINS, FLIGHTS, METRO = "trains", "flights", "metro_stations"


def test_no_finding_is_without_a_rule(hangzhou: City) -> None:
    with pytest.raises(RuntimeError, match="there is no rule"):
        Intake(hangzhou, "hotels").note("mark", "looks_odd", "a.csv", 1, "")
    with pytest.raises(RuntimeError, match="there is no rule"):
        Intake(hangzhou, "hotels").note("fix", "hours_filler", "a.csv", 1, "")


def test_each_kind_named_in_the_code_is_recorded() -> None:
    """First arguments of ``mark``, ``fix`` and ``RowError``, and second ones of ``note``."""
    folder = Path(sources.tables.__file__).parent
    named = set()
    for module in folder.glob("**/*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            function = getattr(node.func, "attr", getattr(node.func, "id", ""))
            at = {"mark": 0, "fix": 0, "RowError": 0, "note": 1}.get(function)
            if at is None or len(node.args) <= at:
                continue
            name = node.args[at]
            if isinstance(name, ast.Constant):
                named.add(name.value)
    assert len(named) > 40
    assert named <= set(RULES)


def test_the_page_is_fresh() -> None:
    assert (ROOT / TARGET).read_text(encoding="utf-8") == page()


def rows(kind: str, *lines: str) -> Callable[[Source], None]:
    return lambda source: getattr(source, kind)(*lines)


def trains(*changed: dict[str, object]) -> Callable[[Source], None]:
    return lambda source: source.trains(*changed)


def flights(*changed: dict[str, object]) -> Callable[[Source], None]:
    """Flights to a city that the source has trains to, and so knows."""

    def write(source: Source) -> None:
        source.trains(train())
        source.flights(*({**row, "To": "上海浦东国际机场"} for row in changed))

    return write


def metro(*lines: tuple[str, list[tuple[str, str]]]) -> Callable[[Source], None]:
    return lambda source: source.metro(*lines)


def park(old: str = "", new: str = "") -> Callable[[Source], None]:
    return rows("attractions", PARK.replace(old, new) if old else PARK)


def hotel(old: str, new: str) -> Callable[[Source], None]:
    return rows("hotels", HOTEL.replace(old, new))


def hubs(*entries: str) -> Callable[[Source], None]:
    def write(source: Source) -> None:
        source.trains(train())
        source.write("poi/hangzhou/poi.json", f"[{','.join(entries)}]")

    return write


LONG: dict[str, Any] = {"BeginTime": "08:00", "EndTime": "08:30+1", "Duration": 24.5}
DAY: dict[str, Any] = {"BeginTime": "08:00", "EndTime": "08:00", "Duration": 24.0}
#: Kind, table, a source that has it, and the same source when it just has it not.
CASES = [
    ("duration_clock", TRAINS, trains(train(Duration=1.06)), trains(train(Duration=1.03))),
    ("duration", TRAINS, trains(train(Duration=2.1)), trains(train(Duration=1.9))),
    ("fast_train_over_a_day", TRAINS, trains(train(**LONG)), trains(train("K101", **LONG))),
    ("fast_train_over_a_day", TRAINS, trains(train(**LONG)), trains(train(**DAY))),
    (
        "attraction_repeated",
        "attractions",
        rows("attractions", PARK, PARK.replace("0,", "1,", 1)),
        rows("attractions", PARK, PARK.replace("0,", "1,", 1).replace("30.2569", "30.2589")),
    ),
    (
        "row_number_repeated",
        "hotels",
        rows("hotels", HOTEL, HOTEL.replace("柳岸", "桐岸")),
        rows("hotels", HOTEL, HOTEL.replace("柳岸", "桐岸").replace("0,", "1,", 1)),
    ),
    ("train_repeated", TRAINS, trains(train(), train()), trains(train(), train("G103"))),
    ("far_from_city", "attractions", park("30.2569", "31.35"), park("30.2569", "31.05")),
    ("coordinates", "attractions", park("30.2569", "300.2"), park()),
    ("coordinates", "attractions", park("30.2569", ""), park("30.2569,120.1657", ",")),
    ("coordinates_swapped", "attractions", park("30.2569,120.1657", "120.1657,30.2569"), park()),
    ("type_unknown", "attractions", park("{公园;", "{公图;"), park()),
    ("types_run_together", "attractions", park("公园;亲子友好", "公园亲子友好"), park()),
    ("type_brackets", "attractions", park("{公园;亲子友好}", "公园;亲子友好"), park()),
    (
        "visit_longer_than_hours",
        "attractions",
        park("6:30,18:00,0,0.5", "17:00,18:00,0,1.1"),
        park("6:30,18:00,0,0.5", "17:00,18:00,0,1"),
    ),
    (
        "code_share",
        FLIGHTS,
        flights(flight(), flight("ZZ7")),
        flights(flight(), flight("ZZ7", BeginTime="7:05", EndTime="9:15")),
    ),
    (
        "hub_without_coordinates",
        "hubs",
        hubs('{"name": "杭州西站", "position": [30.29, 120.2]}'),
        hubs('{"name": "杭州东站", "position": [30.29, 120.2]}'),
    ),
    ("coordinates", METRO, metro(("1号线", [*STATIONS, ("无处", "")])), metro(("1号线", STATIONS))),
    (
        "line_repeated",
        METRO,
        metro(("1号线", STATIONS[:4]), ("1号线", STATIONS[2:])),
        metro(("1号线", STATIONS[:4]), ("2号线", STATIONS[2:])),
    ),
    (
        "station_repeated",
        METRO,
        metro(("1号线", [*STATIONS, STATIONS[0]])),
        metro(("1号线", STATIONS), ("2号线", STATIONS)),
    ),
    ("stock_range", "hotels", hotel("500,3", "500,9"), hotel("500,3", "500,8")),
    ("stock", "hotels", hotel("500,3", "500,-1"), hotel("500,3", "500,0")),
    ("stock", "hotels", hotel("500,3", "500,1.5"), hotel("500,3", "500,1.0")),
    ("empty", "attractions", park("青石公园", " "), park("青石公园", "园")),
    (
        "hours_filler",
        "attractions",
        rows("attractions", PARK.replace("公园;", "图书馆;").replace("6:30,18:00", "0:00,24:00")),
        rows("attractions", PARK.replace("6:30,18:00", "0:00,24:00")),
    ),
    (
        "price_filler",
        "attractions",
        rows("attractions", PARK.replace("公园;", "游乐园/体育娱乐;")),
        rows(
            "attractions",
            PARK.replace("公园;", "游乐园/体育娱乐;").replace("0,0.5,1.5", "0,0.5,0.9"),
        ),
    ),
]


@pytest.mark.parametrize(
    ("kind", "table", "wrong", "right"), CASES, ids=[f"{c[0]}-{n}" for n, c in enumerate(CASES)]
)
def test_a_finding_tells_right_from_wrong(
    source: Source,
    kind: str,
    table: str,
    wrong: Callable[[Source], None],
    right: Callable[[Source], None],
) -> None:
    wrong(source)
    assert (kind, table) in found(source)
    right(source)
    assert (kind, table) not in found(source)


def found(source: Source) -> set[tuple[str, str]]:
    imported = source.read()
    for row in imported.counts.iter_rows(named=True):
        parts = row["rows_kept"] + row["rows_merged"] + row["rows_quarantined"]
        assert row["rows_in"] == parts
    return set(imported.findings.select("kind", "table").iter_rows())


def test_flights_of_one_aircraft_have_one_group(source: Source) -> None:
    late = {"BeginTime": "8:00", "EndTime": "10:10"}
    flights(flight(), flight("ZZ7"), flight("ZZ9", **late), flight("AA1"))(source)
    rows = source.read().flights.select("flight_no", "code_share_group").rows()
    groups = dict(rows)
    assert groups["XY100"] == groups["ZZ7"] == groups["AA1"] is not None
    assert groups["ZZ9"] is None
