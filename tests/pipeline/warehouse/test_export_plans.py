"""Queries and witness plans of the chinatravel layout, read as its evaluator reads them."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from queries.chinatravel_constraints import expression_of
from queries.chinatravel_import import translate
from tests.support.warehouse.exporting import HANGZHOU, SHANGHAI, connection, write_snapshot
from tests.support.warehouse.peer import Environment
from tests.support.warehouse.peer_checks import Checker
from warehouse.errors import WarehouseError
from warehouse.export import REPORT, export
from warehouse.export.chinatravel_plans import Unsaid, program
from warehouse.sandbox import Sandbox

_BACK = (SHANGHAI, HANGZHOU)
_TRAINS = [
    connection("train", "G101", 480, 60, 73.0, ("上海虹桥站", "杭州东站"), _BACK, "a"),
    connection("train", "G101", 570, 61, 75.5, ("上海虹桥站", "杭州东站"), _BACK, "b"),
]
_CONSTRAINTS: tuple[tuple[str, str, list[str], int | None], ...] = (
    ("transport", "all", ["高铁"], None),
    ("attraction_type", "all", ["历史古迹", "园林"], None),
    ("attraction_type", "none", ["公园"], None),
    ("attraction_name", "any", ["沁园", "月湖公园"], None),
    ("cuisine", "all", ["快餐简餐"], None),
    ("restaurant_name", "all", ["杭州东站"], None),
    ("restaurant_name", "none", ["面馆"], None),
    ("hotel_name", "all", ["沁园"], None),
    ("hotel_feature", "all", ["健身室"], None),
    ("rooms", "all", ["双床房"], 1),
    ("budget", "all", [], 1200),
    ("city_transport", "none", ["地铁"], None),
    ("time", "there", [], 660),
    ("time", "back", [], 600),
)


def _constraint(kind: str, mode: str, values: list[str], amount: int | None) -> dict[str, Any]:
    made = {"kind": kind, "mode": mode, "values": values, "amount": amount}
    return {**made, "expression": expression_of(made)}


def _query(
    name: str, constraints: Sequence[dict[str, Any]], status: str = "kept"
) -> dict[str, Any]:
    structure = {
        "uid": name,
        "tag": "medium",
        "start_city": "shanghai",
        "target_city": "hangzhou",
        "days": 2,
        "people_number": 2,
        "constraints": list(constraints),
        "objectives": [],
    }
    return {
        "query_id": name,
        "city_id": HANGZHOU.city_id,
        "family": "chinatravel",
        "constraint_kind": "level",
        "constraint_code": "medium",
        "n_days": 2,
        "text_zh": f"去杭州{name}",
        "text_en": "To Hangzhou",
        "structure": json.dumps(structure, ensure_ascii=False),
        "stratum": "medium",
        "split": "train",
        "status": status,
        "reason": None,
        "n_trajectories": 0,
        "n_candidates": 0,
    }


def _stay(kind: str, name: str, start: str, end: str, price: float, **more: Any) -> dict[str, Any]:
    cost = price * more.get("tickets", more.get("rooms", 2))
    times = {"start_time": start, "end_time": end}
    return {
        "type": kind,
        "position": name,
        **times,
        "price": price,
        "cost": cost,
        "transports": [],
        **more,
    }


def _trip(room: int = 2, hotel_price: float = 430) -> dict[str, Any]:
    """Two days under the snapshot's own names, by taxi."""
    there = {
        "type": "train",
        "TrainID": "G101",
        "start": "上海虹桥站",
        "end": "杭州东站",
        "start_time": "09:30",
        "end_time": "10:31",
        "price": 75.5,
        "cost": 151,
        "tickets": 2,
        "transports": [],
    }
    home = {
        "type": "train",
        "TrainID": "G3",
        "start": "杭州东站",
        "end": "上海虹桥站",
        "start_time": "08:00",
        "end_time": "09:05",
        "price": 87,
        "cost": 174,
        "tickets": 2,
        "transports": [],
    }
    first = [
        there,
        _stay("attraction", "古塔", "11:30", "13:00", 40, tickets=2),
        _stay("attraction", "沁园", "14:00", "16:00", 35, tickets=2),
        _stay("dinner", "杭州东站", "18:10", "19:10", 30),
        _stay("accommodation", "沁园", "20:30", "24:00", hotel_price, rooms=1, room_type=room),
    ]
    second = [_stay("breakfast", "沁园", "07:00", "07:20", 0), home]
    days = [{"day": 1, "activities": first}, {"day": 2, "activities": second}]
    return {
        "people_number": 2,
        "start_city": "shanghai",
        "target_city": "hangzhou",
        "itinerary": days,
    }


def _with_ways(plan: dict[str, Any], box: Sandbox) -> dict[str, Any]:
    """Taxis that the snapshot's own sandbox gives; names mean the place that the activity is at."""
    table = {"attraction": "attractions", "dinner": "restaurants", "accommodation": "hotels"}
    here: Any = None
    for activity in [a for day in plan["itinerary"] for a in day["activities"]]:
        begins = activity.get("position") or activity["start"]
        kind = table.get(activity["type"], "hubs")
        there = (
            box.find("hangzhou", begins, kind)
            if begins != "上海虹桥站" and activity["type"] != "breakfast"
            else here
        )
        if here is not None and there is not here:
            assert there.point is not None
            legs = box.goto("hangzhou", here.point, there.point, activity["start_time"], "taxi")
            assert legs is not None
            price_cents = legs[0].price_cents
            assert price_cents is not None
            early = legs[0].end_min - legs[0].start_min
            start = legs[0].start_min - early
            activity["transports"] = [
                {"start": here.name, "end": there.name, "mode": "taxi", "start_time": _clock(start),
                 "end_time": _clock(start + early), "price": price_cents / 100,
                 "cost": price_cents / 100, "distance": legs[0].distance_m / 1000, "cars": 1}
            ]  # fmt: skip
        here = there
        if activity["type"] == "train":
            here = box.find("hangzhou", "杭州东站", "hubs")
    return plan


def _clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"


def _witness(name: str, plan: dict[str, Any] | None, kind: str = "proof") -> dict[str, Any]:
    text = json.dumps(plan, ensure_ascii=False) if plan else None
    return {
        "query_id": name,
        "plan_kind": kind,
        "city_id": HANGZHOU.city_id,
        "solvability": "solved" if plan else "unknown",
        "plan": text,
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = tmp_path_factory.mktemp("plans")
    more: dict[str, Any] = {"trains": {"shanghai--hangzhou": _TRAINS}}
    box = Sandbox(write_snapshot(at / "plain", more))
    all_of_them = [_constraint(*one) for one in _CONSTRAINTS]
    queries = [
        _query("q1", all_of_them),
        _query("q2", [_constraint("attraction_type", "all", ["网红打卡点"], None)]),
        _query("q3", [_constraint("rooms", "all", ["家庭房"], 1)]),
        _query("q4", [], status="infeasible"),
        _query("q5", []),
        _query("q6", []),
    ]
    king = _with_ways(_trip(1, 410), box)
    plans = [_witness(name, _with_ways(_trip(), box)) for name in ("q1", "q6")]
    more["queries"] = {"hangzhou": queries}
    more["witness_plans"] = {
        "hangzhou": [*plans, _witness("q5", king), _witness("q6", king, "balanced")]
    }
    snapshot = write_snapshot(at / "whole", more)
    export(snapshot, "chinatravel", at / "out")
    export(snapshot, "chinatravel", at / "references", "balanced")
    return at / "out"


def _read(folder: Path, kind: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / kind / f"{name}.json").read_text(encoding="utf-8"))
    return found


def test_a_plan_passes_under_the_names_of_the_layout(folder: Path) -> None:
    query, plan = _read(folder, "queries", "q1"), _read(folder, "plans", "q1")
    checker = Checker(Environment(folder))
    assert checker.problems(query, plan) == []
    positions = [a.get("position") for day in plan["itinerary"] for a in day["activities"]]
    assert positions == [None, "古塔", "沁园", "杭州东站(餐厅)", "沁园(酒店)", "沁园(酒店)", None]
    assert plan["itinerary"][0]["activities"][0]["TrainID"] == "G101(2)", "the number was taken"
    assert (plan["start_city"], plan["target_city"]) == ("上海", "杭州")


def test_references_are_written_in_the_place_of_proofs(folder: Path) -> None:
    references = folder.with_name("references")
    assert sorted(path.stem for path in (references / "plans").iterdir()) == ["q6"]
    plan = _read(references, "plans", "q6")
    nights = [a for day in plan["itinerary"] for a in day["activities"] if "room_type" in a]
    assert [night["room_type"] for night in nights] == [1], "the reference has a king's room"
    assert Checker(Environment(references)).problems(_read(references, "queries", "q6"), plan) == []
    proof = _read(folder, "plans", "q6")["itinerary"][0]["activities"]
    assert [a["room_type"] for a in proof if "room_type" in a] == [2]


def test_references_that_are_not_there_are_refused(folder: Path, tmp_path: Path) -> None:
    snapshot = folder.with_name("whole")
    with pytest.raises(WarehouseError, match=r"no budget plans: build it .* plans\.references"):
        export(snapshot, "chinatravel", tmp_path / "out", "budget")
    with pytest.raises(WarehouseError, match="csv has no plans: leave out --plans"):
        export(snapshot, "csv", tmp_path / "out", "balanced")
    assert not (tmp_path / "out").exists()


def test_the_checker_of_this_test_sees_what_is_wrong(folder: Path) -> None:
    query, checker = _read(folder, "queries", "q1"), Checker(Environment(folder))
    for at, key, value in (
        (0, "TrainID", "G101"),
        (0, "price", 73),
        (1, "position", "不在表里"),
        (1, "end_time", "19:00"),
        (2, "price", 36),
        (3, "position", "杭州东站"),
        (4, "room_type", 1),
        (4, "price", 410),
        (1, "transports", []),
    ):
        plan = _read(folder, "plans", "q1")
        plan["itinerary"][0]["activities"][at][key] = value
        assert checker.problems(query, plan), (at, key, value)


def test_every_constraint_is_a_program_that_holds(folder: Path) -> None:
    query, plan = _read(folder, "queries", "q1"), _read(folder, "plans", "q1")
    checker = Checker(Environment(folder))
    assert len(query["hard_logic_py"]) == 2 + len(_CONSTRAINTS)
    for text in query["hard_logic_py"]:
        assert checker.holds(text, plan), text
        kinds = {type(node) for node in ast.walk(ast.parse(text))}
        assert not kinds & {ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.Lambda, ast.Import}
    other = _read(folder, "plans", "q1")
    other["people_number"] = 3
    other["itinerary"][0]["activities"] = other["itinerary"][0]["activities"][:1]
    held = [checker.holds(text, other) for text in query["hard_logic_py"]]
    met = {c[:2] for c, good in zip(_CONSTRAINTS, held[2:], strict=True) if good}
    assert held[:2] == [True, False]
    assert met == {(c[0], c[1]) for c in _CONSTRAINTS} - {
        ("attraction_type", "all"),
        ("attraction_name", "any"),
        ("cuisine", "all"),
        ("restaurant_name", "all"),
        ("hotel_name", "all"),
        ("hotel_feature", "all"),
    }, "without its sights, dinner and night a plan breaks what asks for one"


@pytest.mark.parametrize(
    "constraint",
    [c for c in _CONSTRAINTS if c[0] not in ("time", "rooms", "city_transport")],
    ids=lambda c: f"{c[0]}-{c[1]}",
)
def test_programs_come_back_as_expressions(constraint: Any) -> None:
    """Programs are read by the importer of published queries too."""
    told = program(_constraint(*constraint), lambda _table, name: name)
    assert translate(told).type == "bool"


def test_what_the_layout_cannot_say_is_left_out_and_listed(folder: Path) -> None:
    told = json.loads((folder / REPORT).read_text(encoding="utf-8"))
    left = {(e["table"], e["row_id"]): e["reason"] for e in told["left_out"]}
    assert "only the base types" in left["queries", "q2"]
    assert "room type" in left["queries", "q3"]
    assert left["queries", "q4"].startswith("infeasible")
    assert "king room" in left["witness_plans", "q5"], "two plans of three sleep in the other room"
    assert sorted(p.stem for p in (folder / "queries").iterdir()) == ["q1", "q5", "q6"]
    assert sorted(p.stem for p in (folder / "plans").iterdir()) == ["q1", "q6"]
    assert (folder / "queries.txt").read_text(encoding="utf-8").split() == ["q1", "q5", "q6"]
    assert told["counts"]["hangzhou"]["queries"] == {"rows": 6, "written": 3, "left_out": 3}


@pytest.mark.parametrize(
    ("kind", "values"),
    [("rooms", ["单人间"]), ("attraction_type", ["小众秘境"]), ("weather", ["雨"])],
)
def test_unsaid_says_why(kind: str, values: list[str]) -> None:
    with pytest.raises(Unsaid, match=r"room type|only the base types|cannot express"):
        program({"kind": kind, "mode": "all", "values": values, "amount": 1}, lambda _t, name: name)
