"""Noisy to clean: edits that replay, faults that are named."""

from __future__ import annotations

from typing import Any

import pytest

from flows.pipeline.stages.trajectories import clean_trajectory, find_fault
from flows.settings.profile import TrajectorySettings
from schemas.cities import find_city

CITY = find_city("hangzhou")
DOC = "d" + "0" * 20
NAMES = ["西湖", "West Lake", "灵隐", "六和塔", "某处", "别城的塔"]
PLACES = {
    (DOC, 1): ("poi_1", "西湖"),
    (DOC, 2): ("poi_1", "西湖"),
    (DOC, 3): ("poi_2", "灵隐寺"),
    (DOC, 4): ("poi_3", "六和塔"),
}


def visits(*days: tuple[int, list[str]]) -> list[dict[str, Any]]:
    rows, at = [], 0
    for day, names in days:
        for order, name in enumerate(names, 1):
            rows.append(
                {"day": day, "order": order, "n": NAMES.index(name) + 1, "name": name,
                 "start": at, "end": at + len(name), "is_here": name != "别城的塔"}
            )  # fmt: skip
            at += len(name) + 1
    return rows


def clean(*days: tuple[int, list[str]]) -> dict[str, Any]:
    return clean_trajectory(CITY, DOC, visits(*days), PLACES)


def stops(row: dict[str, Any]) -> list[tuple[int, int, str]]:
    return [(s["day"], s["order"], s["name"]) for s in row["clean_visits"]]


def test_names_become_standard_names_and_unknown_stops_go() -> None:
    row = clean((1, ["West Lake", "某处", "灵隐"]), (2, ["六和塔"]))
    assert stops(row) == [(1, 1, "西湖"), (1, 2, "灵隐寺"), (2, 1, "六和塔")]
    assert [(e["op"], e["reason"]) for e in row["edits"]] == [
        ("replace", "standard name"),
        ("remove", "unknown place"),
        ("replace", "standard name"),
        ("replace", "place identified"),
    ]
    assert (row["n_visits"], row["n_trip_days"]) == (3, 2)
    assert [v["name"] for v in row["noisy_visits"]] == ["West Lake", "某处", "灵隐", "六和塔"]


def test_a_stop_told_twice_in_a_row_stands_once_but_a_return_stays() -> None:
    row = clean((1, ["西湖", "West Lake", "灵隐", "西湖"]), (2, ["西湖"]))
    assert stops(row) == [(1, 1, "西湖"), (1, 2, "灵隐寺"), (1, 3, "西湖"), (2, 1, "西湖")]
    assert row["edits"][1]["reason"] == "repeats the stop before"


def test_every_noisy_visit_has_exactly_one_edit() -> None:
    row = clean((1, ["西湖", "某处"]), (3, ["灵隐", "灵隐", "六和塔"]))
    keys = [(e["day"], e["order"]) for e in row["edits"]]
    assert keys == [(v["day"], v["order"]) for v in row["noisy_visits"]]


@pytest.mark.parametrize(
    ("days", "fault"),
    [
        ([(1, ["西湖", "灵隐"]), (2, ["六和塔"])], None),
        ([(0, ["西湖", "灵隐"]), (1, ["六和塔"])], None),
        ([(1, ["西湖", "灵隐", "六和塔"])], "too_few_days"),
        ([(1, ["西湖"]), (2, ["灵隐"])], "too_few_visits"),
        ([(1, ["西湖", "灵隐"]), (3, ["六和塔"])], "empty_day"),
        ([(1, ["西湖", "灵隐"]), (2, ["某处"]), (3, ["六和塔"])], "empty_day"),
        ([(1, ["某处"])], "too_few_days"),
        ([(1, ["西湖", "灵隐", *["别城的塔"] * 3]), (2, ["六和塔"])], "not_in_city"),
        ([(1, ["西湖", "灵隐", *["别城的塔"] * 2]), (2, ["六和塔"])], None),
    ],
)
def test_what_is_no_valid_trajectory(days: list[tuple[int, list[str]]], fault: str | None) -> None:
    found = find_fault(clean(*days), TrajectorySettings(minimum_days=2, minimum_visits=3))
    assert (found[0] if found else None) == fault


def test_one_day_is_enough_where_the_profile_says_so() -> None:
    row = clean((1, ["西湖", "灵隐", "六和塔"]))
    assert find_fault(row, TrajectorySettings(minimum_days=1, minimum_visits=3)) is None
