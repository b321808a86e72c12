"""A file of readings beside an engine: ``tripbed extract`` writes what ``--readings`` reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from extractors.own_readings import LineTally, read_file
from sources.web.corpus import read_folder
from tests.support.flows.running import run

PAGES = {
    "hill.md": "# 云栖寺两日游\n\n## 第一天\n\n上午游览云栖寺,下午游览听雨公园。\n",
    "lake.md": (
        "# 湖边两日游\n\n## 第一天\n\n上午游览白鹭公园,门票70元。"
        "下午逛青岩古镇,傍晚游览云岩塔。\n\n"
        "## 第二天\n\n上午参观湖东博物馆,下午游览听枫公园,最后逛柳浜码头。\n"
    ),
}


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def extract(pages: Path, out: Path, *more: str) -> list[dict[str, Any]]:
    assert run("extract", "--documents", pages, "--out", out, *more).code == 0
    return [json.loads(row) for row in out.read_text(encoding="utf-8").splitlines()]


def test_what_extract_writes_is_read_whole(pages: Path, tmp_path: Path) -> None:
    out = tmp_path / "read.jsonl"
    rows = extract(pages, out)
    corpus = read_folder([pages])
    own = read_file(out)
    assigned = own.assign(corpus.list_names())
    assert (own.problems, assigned.problems) == ((), ())
    for file, row in zip(corpus.files, rows, strict=True):
        held = assigned.lines[file.doc_id].read(corpus.load(file))
        visits = [name for day in row["trajectory"] or () for name in day["visits"]]
        assert held.set_aside == ()
        assert held.kept == LineTally(len(row["pois"]), len(visits), len(row["facts"]))
        assert [place.name for place in held.reading.places] == [p["name"] for p in row["pois"]]
    assert len(rows[1]["trajectory"]) == 2
    assert rows[1]["facts"]


def test_documents_in_the_file_take_their_reading_from_it(pages: Path, tmp_path: Path) -> None:
    by_rules = {row["doc"]: row for row in extract(pages, tmp_path / "rules.jsonl")}
    own, out = tmp_path / "own.jsonl", tmp_path / "out.jsonl"
    lines = [
        {"doc": "pages/lake.md", "pois": [{"name": "古镇", "role": "visited"}, {"name": "蓝塔"}]},
        {"doc": "sea.md", "pois": []},
    ]
    own.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    outcome = run("extract", "--documents", pages, "--out", out, "--readings", own)
    assert outcome.code == 0
    hill, lake = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    assert [poi["name"] for poi in lake["pois"]] == ["古镇"]
    assert hill == by_rules["hill.md"]
    assert "line 1: place 蓝塔: it is not in the text" in outcome.err
    assert "line 2: sea.md: no document has this path" in outcome.err
    assert extract(pages, tmp_path / "again.jsonl", "--readings", str(out))[1] == lake


def test_a_readings_file_that_is_not_there(pages: Path, tmp_path: Path) -> None:
    given = ["--documents", pages, "--out", tmp_path / "x", "--readings", "none.jsonl"]
    outcome = run("extract", *given)
    assert outcome.code == 2
    assert "check --readings" in outcome.err
    built = run("build", "--city", "suzhou", "--documents", pages, "--readings", "none.jsonl")
    assert built.code == 2
    assert "check --readings" in built.err
