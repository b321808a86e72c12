"""Annotated attraction types in a build:
applied with their line as evidence, or left for review.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flows.errors import SettingsError
from flows.pipeline.request import make_inputs
from flows.pipeline.run import build_directly
from flows.pipeline.shards import Workspace
from flows.review.agreed_types import (
    OPEN,
    annotations_hash,
    read_annotations,
    with_types,
    write_open,
)
from schemas.arrow import polars_schema_of
from schemas.cities import find_city
from schemas.frames import ATTRACTIONS
from tests.support.flows import running
from warehouse.read import Snapshot

CITY = find_city("suzhou")


def _row(line: int, name: str, **values: Any) -> dict[str, Any]:
    return {
        "city": "suzhou", "source_file": "attractions.csv", "source_line": line, "name": name,
        "base_type": None, "trend_types": [], "status": "agreed", "by_rules": None,
        "by_openai": ["park"], **values,
    }  # fmt: skip


def _written(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return str(path)


def _attractions(*rows: dict[str, Any]) -> pl.DataFrame:
    made = [
        {"source_file": "attractions.csv", "aliases": [], "trend_types": [], **row} for row in rows
    ]
    return pl.DataFrame(made, schema=polars_schema_of(ATTRACTIONS), orient="row")


def test_a_decided_type_replaces_the_tag_and_the_category_that_follows_from_it(
    tmp_path: Path,
) -> None:
    file = _written(
        tmp_path / "types.jsonl",
        [
            _row(2, "青石园", base_type="garden", trend_types=["hidden_gem"]),
            _row(3, "双桥古街", status="review"),
            _row(4, "旧名", base_type="park"),
        ],
    )
    before = _attractions(
        {
            "source_line": 2,
            "name_zh": "青石园",
            "base_type": "park",
            "category": "leisure_recreation",
        },
        {"source_line": 3, "name_zh": "双桥古街", "base_type": "park"},
        {"source_line": 4, "name_zh": "云岩塔", "base_type": "historic_site"},
        {"source_line": 5, "name_zh": "湖东馆"},
    )
    after, findings = with_types(before, CITY, read_annotations([file]))
    first = after.row(0, named=True)
    assert (first["base_type"], first["trend_types"]) == ("garden", ["hidden_gem"])
    assert (first["types_file"], first["types_line"]) == ("annotations/types.jsonl", 1)
    assert first["category"] is None
    assert after.slice(1).equals(before.slice(1))
    assert [f["kind"] for f in findings] == ["types_annotated", "types_in_review", "types_stale"]
    assert with_types(before, CITY, {})[0].equals(before)


def test_a_category_of_the_source_stays(tmp_path: Path) -> None:
    file = _written(tmp_path / "types.jsonl", [_row(2, "青石园", base_type="garden")])
    before = _attractions({"source_line": 2, "name_zh": "青石园", "category": "museum"})
    assert with_types(before, CITY, read_annotations([file]))[0]["category"].to_list() == ["museum"]


def test_what_a_reviewer_filled_in_comes_before_what_was_agreed(tmp_path: Path) -> None:
    rows = [
        _row(2, "青石园", status="review"),
        _row(3, "云岩塔", base_type="park"),
        _row(4, "听枫书院", status="review"),
    ]
    file, open_ = _written(tmp_path / "types.jsonl", rows), tmp_path / "open.csv"
    assert write_open(rows, ("rules", "openai"), open_) == 2
    with open_.open(encoding="utf-8-sig", newline="") as handle:
        asked = list(csv.DictReader(handle))
    assert [row["name"] for row in asked] == ["青石园", "听枫书院"]
    assert asked[0]["said"] == "rules: -; openai: park"
    asked[0] |= {"base_type": "garden", "trend_types": "hidden_gem, immersive", "reviewer": "a"}
    with open_.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, OPEN)
        writer.writeheader()
        writer.writerows(asked)
    found = read_annotations([file, str(open_)])
    said = found["suzhou", "attractions.csv", 2]
    assert (said.status, said.base_type, said.file, said.line) == (
        "reviewed", "garden", "annotations/open.csv", 2,
    )  # fmt: skip
    assert said.trend_types == ("hidden_gem", "immersive")
    assert found["suzhou", "attractions.csv", 3].base_type == "park"
    assert found["suzhou", "attractions.csv", 4].status == "review"
    before = annotations_hash([file, str(open_)])
    open_.write_text(open_.read_text("utf-8").replace("garden", "park"), "utf-8")
    assert annotations_hash([file, str(open_)]) != before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"city": "suzhou"}', "types.jsonl, line 1 is not an annotation of a row"),
        ("{", "types.jsonl is not a file of annotations"),
        (
            json.dumps(_row(2, "x", base_type="castle")),
            "line 1: 'castle' is not a type of the taxonomy",
        ),
    ],
)
def test_a_broken_file_is_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "types.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(SettingsError, match=message):
        read_annotations([str(path)])
    with pytest.raises(SettingsError, match=r"none\.jsonl does not exist"):
        read_annotations([str(tmp_path / "none.jsonl")])


@pytest.mark.usefixtures("without_extras")
def test_a_build_takes_annotated_types(small: running.Inputs, tmp_path: Path) -> None:
    (table,) = sorted(
        path for path in small.tables.rglob("*.csv") if "青石园" in path.read_text("utf-8")
    )
    name = table.relative_to(small.tables).as_posix()
    rows = [
        _row(2, "青石园", base_type="garden", trend_types=["hidden_gem"], source_file=name),
        _row(3, "双桥古街", status="review", source_file=name),
    ]
    file = _written(tmp_path / "types.jsonl", rows)
    profile = tmp_path / "typed.yaml"
    profile.write_text(
        f"{small.profile.read_text('utf-8')}attractions: {{types: ['{file}']}}\n", "utf-8"
    )
    inputs = make_inputs(["suzhou"], [small.documents], small.tables, profile=str(profile))
    published = build_directly(inputs, Workspace(tmp_path / "work"), tmp_path / "out").published
    assert published.passed
    snapshot = Snapshot(published.path)
    poi = snapshot.table("pois").filter(name_zh="青石园").row(0, named=True)
    assert (poi["base_type"], poi["trend_types"]) == ("garden", ["hidden_gem"])
    origin = snapshot.table("poi_origins").filter(poi_id=poi["poi_id"], poi_field="base_type")
    evidence = snapshot.table("evidence").filter(evidence_id=origin["evidence_id"][0])
    assert evidence.select("source_file", "source_line").row(0) == ("annotations/types.jsonl", 1)
    found = snapshot.table("findings").filter(pl.col("finding").str.starts_with("types_"))
    assert dict(found.select("finding", "n_rows").iter_rows()) == {
        "types_annotated": 1,
        "types_in_review": 1,
    }
