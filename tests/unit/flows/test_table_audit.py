"""``tripbed tables audit``: rows, rules, summaries, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from flows.cli.app import app
from flows.tables.commands import audit_import
from schemas.cities import find_city
from schemas.geo import wgs84_to_gcj02
from sources.tables.registry import read_tables
from tests.conftest import ROOT

_SIGNS = "春夏秋冬东西南北上下左右前后"
SAMPLE = ROOT / "sources" / "sample" / "hangzhou" / "tables"
PLACES = "name_zh,lat,lon,city"


def run(folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(app, ["tables", "audit", str(folder), "--json", *options])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, json.loads(done.stdout)


def write(folder: Path, *rows: str, file: str = "gazetteer.csv") -> Path:
    (folder / file).write_text("\n".join((PLACES, *rows)) + "\n", encoding="utf-8")
    return folder


def test_the_sample_has_the_two_errors_that_it_was_given() -> None:
    code, found = run(SAMPLE, "--city", "hangzhou")
    errors = [f for f in found["findings"] if f["severity"] == "error"]
    assert code == 1
    assert {f["action"] for f in errors} == {"quarantine"}
    assert len(errors) == 2
    assert all(f["file"] and f["line"] > 1 and f["message"] and f["rule"] for f in errors)
    for row in found["rows"]:
        assert row["rows_in"] == row["rows_kept"] + row["rows_merged"] + row["rows_quarantined"]


def test_a_clean_source_ends_well_and_says_its_cities(tmp_path: Path) -> None:
    code, found = run(write(tmp_path, "青石园,30.25,120.16,杭州", "白石园,31.23,121.47,上海"))
    assert (code, sorted(found["cities"]), found["findings"]) == (0, ["hangzhou", "shanghai"], [])


def test_a_place_in_another_city_is_an_error_and_beside_it_none(tmp_path: Path) -> None:
    code, found = run(write(tmp_path, "青石园,39.91,116.40,杭州"))
    kinds = {f["kind"]: f for f in found["findings"]}
    assert code == 1
    assert kinds["in_another_city"]["line"] == 2
    code, found = run(write(tmp_path, "青石园,29.90,119.60,杭州"))
    assert (code, found["findings"]) == (0, [])


@pytest.mark.parametrize("wrong", ["gazetteer.csv", "hotels.csv", None])
def test_another_coordinate_system_is_found(tmp_path: Path, wrong: str | None) -> None:
    spots = [(f"{name}石园", 30.2 + n / 100, 120.1 + n / 90) for n, name in enumerate(_SIGNS)]
    for file, header, tail in (
        ("gazetteer.csv", "name_zh,lat,lon", ""),
        ("hotels.csv", "name_zh,lat,lon,room_type", ",king"),
    ):
        moved = [(n, *(wgs84_to_gcj02(a, b) if file == wrong else (a, b))) for n, a, b in spots]
        lines = [header, *(f"{n},{a},{b}{tail}" for n, a, b in moved)]
        (tmp_path / file).write_text("\n".join(lines), encoding="utf-8")
    city = find_city("hangzhou")
    found = audit_import(read_tables(tmp_path, "tripbed", city), city)
    files = [f["file"] for f in found if f["kind"] == "datum_other"]
    assert files == ([wrong] if wrong else [])


def test_findings_go_to_a_file_and_a_wrong_folder_is_said(tmp_path: Path) -> None:
    out = tmp_path / "found.jsonl"
    _, found = run(SAMPLE, "--city", "hangzhou", "--out", str(out))
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert lines == found["findings"]
    from sources.tables.intake import TableError

    with pytest.raises(TableError, match="the folder does not exist"):
        run(tmp_path / "nowhere")
    with pytest.raises(TableError, match="give --city"):
        run(SAMPLE)
