"""Queries and plans of the traveleval layout, by what its evaluator was seen to read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sources.tables.registry import read_tables
from tests.support.warehouse.exporting import HANGZHOU, ROWS, SHANGHAI, connection, write_snapshot
from warehouse.export import REPORT, export

_BACK = (SHANGHAI, HANGZHOU)
_CLOCK = r"(?:[01]\d|2[0-3]):[0-5]\d"
_ROOMS = {"单人房": 1, "大床房": 2, "双人房": 2, "家庭房": 3}


def _query(uid: str, status: str = "kept", tag: str = "easy") -> dict[str, Any]:
    structure = {
        "uid": uid,
        "tag": tag,
        "start_city": "shanghai",
        "target_city": "hangzhou",
        "days": 3,
        "people_number": 2,
        "people_composition": {"adults": 2, "children": 0, "seniors": 0},
        "budget": 3000,
        "dates": "2026-11-17 to 2026-11-19",
        "attractions": {},
        "diet": {},
    }
    return {
        "query_id": f"traveleval-{uid}",
        "city_id": HANGZHOU.city_id,
        "family": "traveleval",
        "constraint_kind": "difficulty",
        "constraint_code": tag,
        "n_days": 3,
        "text_zh": f"杭州{uid}",
        "text_en": "To Hangzhou",
        "structure": json.dumps(structure),
        "stratum": tag,
        "split": "train",
        "status": status,
        "reason": "no way" if status == "infeasible" else None,
        "n_trajectories": 0,
        "n_candidates": 0,
    }


def _way(start: str, end: str, mode: str, price: float, **more: Any) -> dict[str, Any]:
    times = {"start_time": "09:00", "end_time": "09:20"}
    return {
        "start": start,
        "end": end,
        "mode": mode,
        **times,
        "price": price,
        "cost": price,
        "distance": 3.0,
        **more,
    }


def _plan() -> dict[str, Any]:
    """Two hotels, a taxi, a flight whose airports lack their city's name, a slow train back."""
    night = {"type": "accommodation", "start_time": "21:00", "end_time": "24:00", "rooms": 1}
    return {
        "people_number": 2,
        "start_city": "shanghai",
        "target_city": "hangzhou",
        "itinerary": [
            {
                "day": 1,
                "activities": [
                    {
                        "type": "airplane",
                        "FlightID": "MU2",
                        "start": "虹桥机场",
                        "end": "萧山机场",
                        "start_time": "08:00",
                        "end_time": "09:00",
                        "price": 400,
                        "cost": 800,
                        "tickets": 2,
                        "transports": [],
                    },
                    {
                        "type": "attraction",
                        "position": "古塔",
                        "start_time": "10:00",
                        "end_time": "12:00",
                        "price": 40,
                        "cost": 80,
                        "tickets": 2,
                        "transports": [_way("萧山机场", "古塔", "taxi", 30, cars=1)],
                    },
                    {
                        **night,
                        "position": "湖滨酒店",
                        "price": 320,
                        "cost": 320,
                        "room_type": 2,
                        "transports": [_way("古塔", "湖滨酒店", "walk", 0)],
                    },
                ],
            },
            {
                "day": 2,
                "activities": [
                    {
                        "type": "lunch",
                        "position": "面馆",
                        "start_time": "11:30",
                        "end_time": "12:30",
                        "price": 21.5,
                        "cost": 43,
                        "transports": [_way("湖滨酒店", "面馆", "walk", 0)],
                    },
                    {
                        **night,
                        "position": "沁园",
                        "price": 410,
                        "cost": 410,
                        "room_type": 1,
                        "transports": [_way("面馆", "沁园", "taxi", 25, cars=1)],
                    },
                ],
            },
            {
                "day": 3,
                "activities": [
                    {
                        "type": "train",
                        "TrainID": "K2",
                        "start": "杭州东站",
                        "end": "上海站",
                        "start_time": "12:00",
                        "end_time": "14:30",
                        "price": 28.5,
                        "cost": 57,
                        "tickets": 2,
                        "transports": [_way("沁园", "杭州东站", "taxi", 20, cars=1)],
                    }
                ],
            },
        ],
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = tmp_path_factory.mktemp("traveleval")
    sights = [
        {**row, "base_type": None, "trend_types": []} if n == 1 else row
        for n, row in enumerate(ROWS["pois"]["hangzhou"])
    ]
    flight = connection("flight", "MU2", 480, 60, 400.0, ("虹桥机场", "萧山机场"), _BACK)
    plan = {
        "query_id": "traveleval-T0001",
        "city_id": HANGZHOU.city_id,
        "plan_kind": "proof",
        "solvability": "solved",
        "plan": json.dumps(_plan()),
    }
    queries = [
        _query("T0001"),
        _query("T0002", "infeasible"),
        _query("G01-1", tag="medium"),
        _query("G01-2", tag="hard"),
    ]
    more: dict[str, Any] = {
        "pois": {"hangzhou": sights}, "flights": {"shanghai--hangzhou": [flight]},
        "queries": {"hangzhou": queries}, "witness_plans": {"hangzhou": [plan]},
    }  # fmt: skip
    export(write_snapshot(at / "made", more), "traveleval", at / "out")
    return at / "out"


@pytest.fixture(scope="module")
def trip(folder: Path) -> dict[str, Any]:
    (found,) = json.loads((folder / "plans" / "witness.json").read_text(encoding="utf-8"))
    assert found["query_uid"] == "T0001"
    content: dict[str, Any] = found["itinerary"]
    return content


def test_queries_are_in_the_published_files(folder: Path) -> None:
    held = {
        p.stem: json.loads(p.read_text(encoding="utf-8")) for p in (folder / "queries").iterdir()
    }
    assert set(held) == {"easy", "medium", "hard", "progressive"}
    (only,) = held["easy"]["queries"]
    assert (only["uid"], only["start_city"], only["target_city"]) == ("T0001", "上海", "杭州")
    assert only["nature_language"] == "杭州T0001"
    assert [q["uid"] for group in held["progressive"]["query_groups"] for q in group] == [
        "G01-1",
        "G01-2",
    ]
    told = json.loads((folder / REPORT).read_text(encoding="utf-8"))
    assert told["counts"]["hangzhou"]["queries"] == {"rows": 4, "written": 3, "left_out": 1}


def test_costs_are_those_that_the_evaluator_counts_again(trip: dict[str, Any]) -> None:
    """It counts tickets x price, rooms x price x nights, and the fares of ways, and compares."""
    told, journeys = trip["cost_breakdown"], trip["intercity_transport"]["transport_type"]
    entries = [e for day in trip["daily_plans"] for e in (*day["activities"], day["ending_point"])]
    again = {
        "intercity_transportation": sum(
            j["details"]["price"] * j["details"]["number"] for j in journeys
        ),
        "accommodation": sum(
            r["quantity"] * r["price_per_night"] * r["nights"]
            for r in trip["accommodation"]["room_type"]
        ),
        "attractions": sum(
            e["details"]["ticket_price"] * e["details"]["ticket_number"]
            for e in entries
            if e["type"] == "attraction"
        ),
        "meals": sum(e["cost"] for e in entries if e["type"] == "meal"),
        "intracity_transportation": sum(e["transportation_cost"] for e in entries),
    }
    assert {key: told[key] for key in again} == pytest.approx(again)
    assert (
        told["total"]
        == pytest.approx(sum(again.values()))
        == trip["summary"]["calculated_total_cost"]
    )


def test_words_and_counts_are_those_of_the_form(trip: dict[str, Any]) -> None:
    there, back = trip["intercity_transport"]["transport_type"]
    assert (there["transportation_to"], back["transportation_to"]) == ("飞机", "快速")
    assert there["location_name"] == "杭州萧山机场", "a flight is found by the city in the airport"
    assert trip["summary"]["destination"] == "杭州"
    assert {room["type"] for room in trip["accommodation"]["room_type"]} <= set(_ROOMS)
    for day in trip["daily_plans"]:
        for entry in (*day["activities"], day["ending_point"]):
            assert pd.Series([entry["start_time"], entry["end_time"]]).str.fullmatch(_CLOCK).all()
            if entry["transportation_to"] == "打车":
                seats = entry["details"]["load_limit"] - 1
                assert seats * entry["details"]["car_number"] >= 2
            if entry["type"] == "meal":
                assert "cuisine" in entry["details"]


def test_every_sight_has_a_list_of_types(folder: Path) -> None:
    """Their metrics strip braces from each cell:
    an empty one would stop them for the whole city.
    """
    path = folder / "attractions" / "hangzhou" / "attractions.csv"
    types = pd.read_csv(path)["type"]
    assert types.str.fullmatch(r"\{[^{}]*\}").all()
    assert (types == "{}").sum() == 1
    back = read_tables(folder, "traveleval", HANGZHOU).attractions
    assert back["base_type"].null_count() == 1


def test_trains_of_one_direction_have_a_file_for_the_other(folder: Path) -> None:
    """Their loader opens both directions or none."""
    files = folder / "intercity_transport" / "train"
    assert json.loads((files / "from_杭州_to_上海.json").read_text(encoding="utf-8"))
    assert json.loads((files / "from_上海_to_杭州.json").read_text(encoding="utf-8")) == []
