"""The stage on frames: every document kept or set aside, with evidence of what is kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Inputs, Job
from flows.pipeline.stages.trajectories import (
    STAGE,
    _evidence,
    clean_trajectory,
    find_fault,
    trajectory_id,
)
from flows.settings.profile import Profile, TrajectorySettings
from schemas.cities import find_city
from schemas.ids import span_evidence_id, text_sha256

CITY = find_city("hangzhou")
GOOD, SHORT = "d" + "1" * 20, "d" + "2" * 20
SETTINGS = TrajectorySettings(minimum_days=2, minimum_visits=3)
JOB = Job(Inputs((CITY,), Profile(name="small", trajectories=SETTINGS)), CITY, "all")

POIS = [
    {"poi_id": "poi_1", "name_zh": "西湖", "name_en": "West Lake"},
    {"poi_id": "poi_2", "name_zh": None, "name_en": "Pagoda"},
    {"poi_id": "poi_3", "name_zh": "灵隐寺", "name_en": None},
]
NAMES = ["西湖", "塔", "灵隐", "旧名", "某处"]
PLACE_OF = ["poi_1", "poi_2", "poi_3", "poi_gone", None]
RESOLUTIONS = [
    {"doc_id": doc_id, "n": n, "name": name, "poi_id": poi_id}
    for doc_id in (GOOD, SHORT)
    for n, (name, poi_id) in enumerate(zip(NAMES, PLACE_OF, strict=True), 1)
]
#: (document, day, order, name, start); not in the order of the day.
VISITS = [
    (GOOD, 1, 2, "塔", 5),
    (GOOD, 1, 1, "西湖", 0),
    (GOOD, 2, 1, "灵隐", 20),
    (SHORT, 1, 1, "西湖", 0),
    (SHORT, 1, 2, "某处", 5),
    (SHORT, 2, 1, "旧名", 9),
]


def made(rows: Sequence[tuple[Any, ...]], job: Job | None = None) -> Frames:
    """What the stage makes of visits that two shards of documents hold; the first trip's, if none
    is told.
    """
    columns = ("doc_id", "day", "order", "name", "start")
    visits = [
        {
            **dict(zip(columns, row, strict=False)),
            "trip": row[5] if len(row) > 5 else 1,
            "end": row[4] + len(row[3]),
            "n": NAMES.index(row[3]) + 1,
            "is_here": True,
        }
        for row in rows
    ]
    schema = {
        "doc_id": pl.String,
        "trip": pl.Int64,
        "day": pl.Int64,
        "order": pl.Int64,
        "name": pl.String,
        "start": pl.Int64,
        "end": pl.Int64,
        "n": pl.Int64,
        "is_here": pl.Boolean,
    }
    shards = [{"visits": pl.DataFrame(part, schema=schema)} for part in (visits[::2], visits[1::2])]
    feedback = {"pois": pl.DataFrame(POIS), "resolutions": pl.DataFrame(RESOLUTIONS)}
    return STAGE.compute(job or JOB, {"feedback": [feedback], "mentions": shards})


@pytest.fixture
def frames() -> Frames:
    return made(VISITS)


def only_row(rows: pl.DataFrame) -> dict[str, Any]:
    return rows.row(0, named=True) if rows.height == 1 else pytest.fail(f"{rows.height} rows")


def test_a_document_with_enough_stops_is_kept_in_the_order_of_its_days(frames: Frames) -> None:
    row = only_row(frames["trajectories"])
    assert (row["trajectory_id"], row["city_id"]) == (trajectory_id(CITY, GOOD), CITY.city_id)
    assert (row["doc_id"], row["n_trip_days"], row["n_visits"]) == (GOOD, 2, 3)
    assert row["clean_visits"] == [
        {"day": 1, "order": 1, "poi_id": "poi_1", "name": "西湖"},
        {"day": 1, "order": 2, "poi_id": "poi_2", "name": "Pagoda"},
        {"day": 2, "order": 1, "poi_id": "poi_3", "name": "灵隐寺"},
    ]


def test_evidence_stands_for_every_visit_of_what_is_kept_and_for_nothing_else(
    frames: Frames,
) -> None:
    rows = frames["evidence"].select(
        "evidence_id", "city_id", "evidence_kind", "doc_id", "start", "end", "quote_sha256"
    )
    expected = [
        (
            span_evidence_id(CITY.city_id, GOOD, start, start + len(name)),
            CITY.city_id, "document", GOOD, start, start + len(name), text_sha256(name),
        )
        for _doc, _day, _order, name, start in VISITS[:3]
    ]  # fmt: skip
    assert rows.rows() == sorted(expected)
    noisy = only_row(frames["trajectories"])["noisy_visits"]
    assert {visit["evidence_id"] for visit in noisy} == set(rows["evidence_id"])


def test_a_document_with_too_few_stops_is_set_aside_with_its_edits(frames: Frames) -> None:
    row = only_row(frames["quarantine"])
    assert (row["stage"], row["table"], row["check"]) == (
        "trajectories", "trajectories", "too_few_days",
    )  # fmt: skip
    assert row["city_id"] == CITY.city_id
    assert row["row_id"] == trajectory_id(CITY, SHORT)
    assert row["message"] == "1 days with a known stop, 2 needed"
    payload = json.loads(row["payload"])
    assert payload["doc_id"] == SHORT
    assert [(e["name"], e["op"], e["reason"]) for e in payload["edits"]] == [
        ("西湖", "replace", "place identified"),
        ("某处", "remove", "unknown place"),
        ("旧名", "remove", "unknown place"),
    ]


def test_documents_are_counted(frames: Frames) -> None:
    row = only_row(frames["stage_counts"])
    assert row == {
        "city_id": CITY.city_id, "stage": "trajectories", "table": "trajectories", "rows_in": 2,
        "rows_kept": 1, "rows_merged": 0, "rows_quarantined": 1, "rows_pending": 0,
    }  # fmt: skip


def test_no_documents_give_empty_tables() -> None:
    frames = made([])
    assert [frames[t].height for t in ("trajectories", "evidence", "quarantine")] == [0, 0, 0]
    assert only_row(frames["stage_counts"])["rows_in"] == 0


def test_every_trip_of_a_document_gives_one_that_says_something_new() -> None:
    def trip(number: int, at: int, *names: str) -> list[tuple[Any, ...]]:
        return [(GOOD, 1, n, name, at + n, number) for n, name in enumerate(names, 1)]

    settings = SETTINGS.model_copy(update={"minimum_days": 1, "minimum_visits": 2})
    profile = JOB.inputs.profile.model_copy(update={"trajectories": settings})
    job = replace(JOB, inputs=replace(JOB.inputs, profile=profile))
    frames = made(
        [
            *trip(1, 0, "西湖", "塔"),
            *trip(2, 50, "西湖", "灵隐", "西湖"),
            *trip(3, 90, "灵隐", "西湖"),
        ],
        job,
    )
    longest, other = trajectory_id(CITY, GOOD), frames["trajectories"].filter(n_visits=2)
    assert set(frames["trajectories"]["trajectory_id"]) == {longest, *other["trajectory_id"]}
    stops = [visit["evidence_id"] for visit in only_row(other)["noisy_visits"]]
    assert only_row(other)["trajectory_id"] == trajectory_id(CITY, GOOD, stops)
    aside = only_row(frames["quarantine"])
    assert (aside["check"], aside["message"]) == (
        "repeats_another", f"all its places are in {longest}",
    )  # fmt: skip
    assert set(frames["evidence"]["start"]) == {1, 2, 51, 52, 53}


def test_what_a_trajectory_is_belongs_to_the_settings_of_the_stage() -> None:
    assert STAGE.settings(JOB) == {"trajectories": SETTINGS.model_dump()}


def visit(day: int, name: str, start: int) -> dict[str, Any]:
    """A stop in the city; its number is where it starts."""
    return {"day": day, "n": start, "name": name, "start": start, "end": start + len(name),
            "is_here": True}  # fmt: skip


def test_a_remark_is_a_span_of_the_document() -> None:
    """Its evidence is where the reader found it, with the hash of its words."""
    stop = {**visit(3, "西湖", 20), "doc_id": GOOD, "remark": "湖面很静", "remark_start": 26}
    places = {(GOOD, 20): ("poi_1", "西湖")}
    (noisy,) = clean_trajectory(CITY, GOOD, [stop], places)["noisy_visits"]
    proof = span_evidence_id(CITY.city_id, GOOD, 26, 30)
    assert noisy["remark_evidence_id"] == proof
    told = {row["evidence_id"]: row for row in _evidence(CITY, [stop])}
    assert told[proof]["quote_sha256"] == text_sha256("湖面很静")
    assert _evidence(CITY, []) == []


def test_rows_in_full() -> None:
    """Keys, places and reasons of noisy visits and edits, not only their names."""
    places = {(GOOD, 20): ("poi_1", "西湖"), (GOOD, 4): ("poi_1", "西湖")}
    visits = [visit(3, "West Lake", 4), visit(3, "西湖", 20), visit(4, "某处", 30)]
    row = clean_trajectory(CITY, GOOD, visits, places)
    assert row["noisy_visits"] == [
        {"day": v["day"], "order": order, "name": v["name"],
         "evidence_id": span_evidence_id(CITY.city_id, GOOD, v["start"], v["end"]),
         "remark_evidence_id": None}
        for v, order in zip(visits, (1, 2, 1), strict=True)
    ]  # fmt: skip
    assert row["edits"] == [
        {"day": 3, "order": 1, "name": "West Lake", "op": "replace", "poi_id": "poi_1",
         "reason": "standard name"},
        {"day": 3, "order": 2, "name": "西湖", "op": "remove", "poi_id": "poi_1",
         "reason": "repeats the stop before"},
        {"day": 4, "order": 1, "name": "某处", "op": "remove", "reason": "unknown place"},
    ]  # fmt: skip
    assert row["clean_visits"] == [{"day": 3, "order": 1, "poi_id": "poi_1", "name": "西湖"}]
    assert (row["n_trip_days"], row["n_visits"]) == (1, 1)


def test_a_route_without_a_known_stop_has_one_day() -> None:
    """The table asks for at least one day; the row is set aside anyway."""
    row = clean_trajectory(CITY, GOOD, [visit(1, "某处", 0), visit(2, "别处", 4)], {})
    assert (row["n_trip_days"], row["n_visits"], row["clean_visits"]) == (1, 0, [])


@pytest.mark.parametrize(
    ("days", "minimum_days", "fault"),
    [
        ([1, 1, 1], 2, ("too_few_days", "1 days with a known stop, 2 needed")),
        ([1, 2], 2, ("too_few_visits", "2 known stops, 3 needed")),
        ([1, 3, 5], 2, ("empty_day", "no known stop on day 2")),
        ([4, 6, 6], 2, ("empty_day", "no known stop on day 5")),
        ([4, 5, 6], 3, None),
    ],
)
def test_faults_say_what_is_missing(
    days: list[int], minimum_days: int, fault: tuple[str, str] | None
) -> None:
    stops = [{"day": day} for day in days]
    trajectory = {"clean_visits": stops, "n_visits": len(days), "noisy_visits": stops, "edits": []}
    settings = TrajectorySettings(minimum_days=minimum_days, minimum_visits=3)
    assert find_fault(trajectory, settings) == fault
