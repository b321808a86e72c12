"""``tripbed explain`` on made-up tables:
which check dropped a row or a stop, and where it stands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flows.errors import SettingsError
from flows.places.explain import explain
from schemas.arrow import frame
from schemas.tables import TABLES

CITY = "gn1"


class Held:
    """Tables in memory; those that are not given are empty."""

    def __init__(self, tables: Mapping[str, list[dict[str, Any]]]):
        self.path = Path("made-up")
        self._tables = tables

    def table(self, name: str) -> pl.DataFrame:
        rows = [
            dict.fromkeys(TABLES[name].column_names) | {"city_id": CITY} | row
            for row in self._tables.get(name, [])
        ]
        if not rows:
            return frame(name, [])
        return pl.DataFrame(rows, infer_schema_length=None)


def edit(name: str, op: str, reason: str, poi: str | None = None) -> dict[str, Any]:
    return {"day": 1, "order": 2, "op": op, "name": name, "poi_id": poi, "reason": reason}


HELD = Held(
    {
        "documents": [
            {
                "doc_id": "d1",
                "path": "blogs/a.md",
                "document_kind": "diary",
                "lang": "zh",
                "n_chars": 9,
            }
        ],
        "pois": [{"poi_id": "poi_1", "name_zh": "西湖"}],
        "trajectories": [
            {
                "trajectory_id": "tr_1",
                "doc_id": "d1",
                "n_trip_days": 1,
                "n_visits": 1,
                "noisy_visits": [{"day": 1, "order": 2, "name": "大兜路", "evidence_id": "ev_1"}],
                "edits": [
                    edit("大兜路", "remove", "unknown place"),
                    edit("西湖", "replace", "standard name", "poi_1") | {"order": 3},
                ],
            },
        ],
        "quarantine": [
            {
                "quarantine_id": "q_1",
                "stage": "tables",
                "table": "hotels",
                "row_id": "hotels.csv:9",
                "check": "number",
                "message": "price is not a number: '145,50'",
                "source_file": "hotels.csv",
                "source_line": 9,
                "payload": json.dumps({"name_zh": "云岸酒店", "price": "145,50"}),
            },
            {
                "quarantine_id": "q_2",
                "stage": "trajectories",
                "table": "trajectories",
                "row_id": "tr_2",
                "check": "empty_day",
                "message": "no known stop on day 2",
                "source_file": None,
                "source_line": None,
                "payload": json.dumps(
                    {"doc_id": "d1", "edits": [edit("北高峰", "replace", "standard name", "poi_1")]}
                ),
            },
        ],
        "hotels": [
            {
                "hotel_id": "hotel_1",
                "name_zh": "湖边酒店",
                "source_file": "hotels.csv",
                "source_line": 4,
            }
        ],
        "gates": [{"gate_id": "accounts", "message": "passed"}],
    }
)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (
            "大兜路",
            (
                "1 stop removed from journeys:",
                "大兜路, day 1, stop 2 in blogs/a.md was removed: unknown place",
            ),
        ),
        ("北高峰", ("the journey was set aside by empty_day: no known stop on day 2",)),
        (
            "云岸酒店",
            (
                "set aside by the check number of stage tables: price is not a number: '145,50'",
                "found in hotels.csv:9",
            ),
        ),
        ("q_1", ("row set aside q_1", "found in hotels.csv:9")),
        ("hotels.csv:9", ("row set aside q_1",)),
        ("hotels.csv:4", ("hotel hotel_1", "name_zh: 湖边酒店")),
        ("湖边酒店", ("hotel hotel_1", "found in hotels.csv:4")),
        (
            "tr_1",
            (
                "a journey of 1 day, found in blogs/a.md",
                "day 1, stop 2: 大兜路 was removed: unknown place",
            ),
        ),
        ("blogs/a.md", ("journey tr_1: 1 stop",)),
    ],
)
def test_what_was_dropped_and_why(
    asked: str, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    explain(asked, HELD, False)
    shown = capsys.readouterr().out
    for word in words:
        assert word in shown


def test_a_stop_that_became_a_place_was_not_dropped(capsys: pytest.CaptureFixture[str]) -> None:
    explain("西湖", HELD_BY_NAME, True)
    assert json.loads(capsys.readouterr().out)["dropped_stops"] == []


HELD_BY_NAME = Held(
    {
        "unlinked_names": [
            {
                "doc_id": "d1",
                "name": "西湖",
                "rivals": [],
                "why": "no place",
                "unlinked_as": "unresolved",
            }
        ],
        "trajectories": HELD._tables["trajectories"],
    }
)


def test_near_ones_are_named() -> None:
    with pytest.raises(SettingsError, match="Did you mean: 湖边酒店"):
        explain("湖边洒店", HELD, False)
    with pytest.raises(SettingsError, match="Did you mean: q_1"):
        explain("q_11", HELD, False)
