"""Lines that can't be used, or not whole: refused piece by piece, told, and counted."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from extractors.own_readings import LineTally, OwnReading, ReadingsError, read_file
from tests.support.extractors.reading_documents import document

TEXT = """# 湖边两日
第一天 我们去了白鹭公园，然后逛了青岩古镇。
白鹭公园的门票 30 元。
第二天 我们又到白鹭公园看云栖寺。
"""
PAGE = document(TEXT, path="trips/lake.md")
PLACE = {"name": "白鹭公园", "role": "visited"}


def line(**parts: Any) -> dict[str, Any]:
    """A good line with some parts changed."""
    pois = [PLACE, {"name": "青岩古镇"}, {"name": "云栖寺", "parent": "白鹭公园"}]
    return {"doc": "trips/lake.md", "kind": "diary", "pois": pois, **parts}


def file_of(folder: Path, *rows: Any) -> Path:
    """A file with a row a line; text and bytes go in as they are."""
    path = folder / "own.jsonl"
    parts = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join(parts) + "\n", encoding="utf-8")
    return path


def read(folder: Path, row: dict[str, Any]) -> OwnReading:
    """The reading of the one line of a file."""
    (held,) = read_file(file_of(folder, row)).lines
    own = held.read(PAGE)
    counted = [sum(a.part == part for a in own.set_aside) for part in ("place", "stop", "fact")]
    kept = own.kept
    assert own.given == LineTally(
        kept.places + counted[0], kept.stops + counted[1], kept.facts + counted[2]
    )
    return own


def whys(own: OwnReading, part: str) -> list[str]:
    return [aside.why for aside in own.set_aside if aside.part == part]


def test_a_name_that_does_not_stand_takes_its_stops_and_facts_with_it(tmp_path: Path) -> None:
    fact = {"poi": "蓝塔", "field": "season", "value": "spring", "evidence": "门票 30 元"}
    row = line(
        pois=[PLACE, {"name": "蓝塔", "standard": "蓝塔"}],
        trajectory=[{"day": 1, "visits": ["白鹭公园", "蓝塔"]}],
        facts=[fact],
    )
    own = read(tmp_path, row)
    assert (own.given, own.kept) == (LineTally(2, 2, 1), LineTally(1, 1, 0))
    assert "give it as written there" in whys(own, "place")[0]
    assert any("蓝塔" in told.what and "trips/lake.md" in told.what for told in own.ungrounded)


def test_days_that_run_backwards_are_refused_with_their_stops(tmp_path: Path) -> None:
    days = [{"day": 2, "visits": ["白鹭公园"]}, {"day": 1, "visits": ["青岩古镇", "云栖寺"]}]
    own = read(tmp_path, line(trajectory=days))
    assert own.kept.stops == 1
    assert (
        whys(own, "stop")
        == ["day 2 of the list: day 1 comes after day 2; put the days in order, each once"] * 2
    )


@pytest.mark.parametrize(
    ("place", "word"),
    [
        ({"name": "湖" * 1_000_000}, "`name`"),
        ({"name": "青岩古镇", "also": ["x" * 5_000_000]}, "`also.0`"),
        ({"name": 7}, "`name`"),
        ({"name": ""}, "`name`"),
        ({"name": "青岩古镇", "role": "seen"}, "`role`"),
        ({"name": "青岩古镇", "parent": 1}, "`parent`"),
        ({"name": "\ud800"}, "`name`"),
        ("青岩古镇", "not an object"),
        (None, "not an object"),
    ],
)
def test_a_place_of_another_form_is_refused(tmp_path: Path, place: Any, word: str) -> None:
    (held,) = read_file(file_of(tmp_path, json.dumps(line(pois=[PLACE, place])))).lines
    own = held.read(PAGE)
    assert (own.given.places, own.kept.places) == (2, 1)
    assert word in whys(own, "place")[0]
    assert all(len(aside.what) < 120 and len(aside.why) < 400 for aside in own.set_aside)


@pytest.mark.parametrize(
    "fact",
    [
        {"poi": "白鹭公园", "field": "smell", "value": "30", "evidence": "门票 30 元"},
        {"poi": "白鹭公园", "field": "season", "value": 30, "evidence": "门票 30 元"},
        {"poi": "白鹭公园", "field": "season", "value": "spring", "evidence": "门票 31 元"},
        {"poi": "白鹭公园", "field": "season", "value": "spring"},
        {"poi": "无此地", "field": "season", "value": "spring", "evidence": "门票 30 元"},
        {"poi": "白鹭公园", "field": "season", "value": "y" * 9999, "evidence": "门票 30 元"},
        ["白鹭公园"],
    ],
)
def test_a_fact_without_its_form_or_its_quote_is_refused(tmp_path: Path, fact: Any) -> None:
    own = read(tmp_path, line(facts=[fact]))
    assert own.given.facts == 1
    assert not own.reading.facts


@pytest.mark.parametrize(
    "parts",
    [
        {"trajectory": "none"},
        {"trajectory": [{"day": 1, "visits": "白鹭公园"}]},
        {"trajectory": [{"day": "1", "visits": ["白鹭公园"]}]},
        {"trajectory": [{"day": 1e30, "visits": ["白鹭公园"]}]},
        {"trajectory": [{"day": 1, "visits": [{"name": "白鹭公园"}, None, 3]}]},
        {"trajectory": [["白鹭公园"]]},
        {"facts": {}},
        {"kind": "novel"},
        {"kind": ["diary"]},
        {"days_stated": -1},
        {"departure": "远方"},
    ],
)
def test_a_part_of_another_form_leaves_the_places(tmp_path: Path, parts: dict[str, Any]) -> None:
    own = read(tmp_path, line(**parts))
    assert own.kept == LineTally(3, 0, 0)
    assert own.set_aside


def test_a_list_keeps_its_names_and_gives_no_roles_or_stops(tmp_path: Path) -> None:
    own = read(tmp_path, line(kind="list", trajectory=[{"day": 1, "visits": ["白鹭公园"]}]))
    assert {place.role for place in own.reading.places} == {"mentioned"}
    assert whys(own, "stop") == ["a document whose kind is list has no trips"]


def test_parents_in_a_circle_are_left_out(tmp_path: Path) -> None:
    rows = [
        {"n": 1, "name": "白鹭公园", "parent": 2},
        {"n": 2, "name": "青岩古镇", "parent": 1},
        {"n": 2, "name": "云栖寺"},
        {"n": 4, "name": "云栖寺", "parent": 9},
    ]
    own = read(tmp_path, {"doc": "lake.md", "places": rows, "trips": [{"days": 3}, 7]})
    assert [(p.n, p.parent) for p in own.reading.places] == [(1, 2), (2, None), (4, None)]
    assert own.given.places == 4


def test_lines_that_are_no_reading_are_told_by_number(tmp_path: Path) -> None:
    path = file_of(
        tmp_path, "{", "[]", "", '{"doc": "a.md"}', '{"pois": []}', '{"doc": 3, "pois": []}',
        '{"doc": "a.md", "pois": {}}', "[" * 100_000, '{"n": ' + "9" * 5000 + "}", line(),
    )  # fmt: skip
    with path.open("ab") as stream:
        stream.write(b'{"doc": "\xff"}\n')
        stream.write(b"x" * (9 << 20) + b"\n")
        stream.write(json.dumps(line(doc="after.md", polis=[])).encode())
    own = read_file(path)
    assert [held.doc for held in own.lines] == ["trips/lake.md", "after.md"]
    assert own.lines[1].read(PAGE).kept.places == 3
    told = [problem.line for problem in own.problems]
    assert told == [1, 2, 4, 5, 6, 7, 8, 9, 11, 12, None]
    assert "`polis`" in str(own.problems[-1])


def test_documents_that_are_unknown_named_twice_or_not_one(tmp_path: Path) -> None:
    rows = [line(), line(doc="lake.md"), line(doc="sea.md"), line(doc="README.md")]
    rows += [line(doc="x/README.md"), line(doc="d77"), line(doc="ke.md"), line(doc=r"y\README.md")]
    own = read_file(file_of(tmp_path, *rows))
    documents = [
        ("d1", "trips/lake.md"),
        ("d2", "x/README.md"),
        ("d3", "y/README.md"),
        ("d77", "z"),
    ]
    assigned = own.assign(documents)
    assert {doc: held.number for doc, held in assigned.lines.items()} == {
        "d1": 1, "d2": 5, "d77": 6, "d3": 8,
    }  # fmt: skip
    assert [problem.line for problem in assigned.problems] == [2, 3, 4, 7]
    assert "line 1 is about the same document" in assigned.problems[0].why
    assert "2 documents" in assigned.problems[2].why


def test_a_whole_path_goes_before_the_end_of_one(tmp_path: Path) -> None:
    own = read_file(file_of(tmp_path, line(doc="README.md")))
    documents = [("d1", "README.md"), ("d1", "/pages/README.md"), ("d2", "x/README.md")]
    assert set(own.assign(documents).lines) == {"d1"}


def test_a_changed_line_alone_changes_its_digest(tmp_path: Path) -> None:
    first = read_file(file_of(tmp_path, line(doc="a.md"), line(doc="b.md"))).lines
    path = file_of(tmp_path, line(doc="c.md"), line(doc="a.md"), line(doc="b.md", kind="route"))
    second = read_file(path).lines
    assert first[0].digest == second[1].digest
    assert first[1].digest != second[2].digest
    with pytest.raises(ReadingsError, match="run the command again"):
        first[1].read(PAGE)


def test_what_goes_to_workers_is_small(tmp_path: Path) -> None:
    own = read_file(file_of(tmp_path, line(note="n" * 1_000_000)))
    assert len(pickle.dumps(own)) < 1000
    lines = pickle.loads(pickle.dumps(own)).assign([(PAGE.doc_id, PAGE.path)]).lines
    assert lines[PAGE.doc_id].read(PAGE).reading is not None


@pytest.mark.parametrize("name", ["absent.jsonl", ""])
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(ReadingsError, match="check --readings"):
        read_file(tmp_path / name)


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    (problem,) = read_file(file_of(tmp_path)).problems
    assert "empty" in str(problem)


def test_a_stop_at_no_sight_is_set_aside(tmp_path: Path) -> None:
    """A visit never stands without a mention: what is eaten or slept in is no stop."""
    row = line(
        pois=[PLACE, {"name": "青岩古镇", "what": "area"}, {"name": "云栖寺", "what": "lodging"}],
        trajectory=[{"day": 1, "visits": ["白鹭公园", "云栖寺", "青岩古镇", "云栖寺"]}],
    )
    own = read(tmp_path, row)
    (trip,) = own.reading.trips
    stops = [own.reading.place(stop.place) for _, _, stop in trip.stops]
    assert [(place.name, place.what) for place in stops] == [
        ("白鹭公园", "sight"), ("青岩古镇", "sight")]  # fmt: skip
    assert whys(own, "stop") == 2 * ["a place of kind lodging is no stop of a journey"]
