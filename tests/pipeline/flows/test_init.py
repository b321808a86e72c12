"""The example that ``tripbed init`` writes: its commands work as they stand."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from sources.tables.tripbed_csv import FILES
from tests.support.flows.running import run
from tests.support.flows.shell import run_script
from warehouse.read import Snapshot

pytestmark = pytest.mark.usefixtures("without_extras")


def test_the_example_builds_as_its_page_says(tmp_path: Path) -> None:
    """Every command of its page, pasted; every table has rows; the licence is said."""
    made = run("init", tmp_path / "mine")
    assert made.code == 0
    page = (tmp_path / "mine" / "README.md").read_text(encoding="utf-8")
    (commands,) = re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert commands in made.out
    done = run_script(commands, tmp_path / "mine")
    assert done.code == 0, done.out + done.err
    assert "0 failed" in done.out
    snapshot = Snapshot((tmp_path / "mine" / "snapshots" / "latest").resolve())
    for table in ("pois", "hotels", "restaurants", "trains", "flights", "hubs", "metro_stations"):
        assert snapshot.table(table).height, table
    assert snapshot.table("quarantine").filter(source_file="gazetteer.csv").height == 0
    sources = snapshot.manifest.sources
    assert sources is not None
    assert sources.documents_by_licence == sources.documents_by_licence | {"CC0-1.0": 2}
    assert set(sources.rows_by_licence or {}) == {"CC0-1.0"}


def test_there_is_a_template_of_every_table(tmp_path: Path) -> None:
    assert run("init", tmp_path).code == 0
    for name in FILES:
        with (tmp_path / "tables" / name).open(encoding="utf-8", newline="") as handle:
            header, *rows = csv.reader(handle)
        assert rows
        assert {len(row) for row in rows} == {len(header)}


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    outcome = run("init", tmp_path)
    assert outcome.code == 2
    assert "not empty" in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
