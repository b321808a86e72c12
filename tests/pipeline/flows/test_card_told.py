"""The card of a build: licences from beside the documents, no author's name in any table."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from schemas.tables import TABLES
from tests.support.flows import running
from tests.support.flows.running import build_options, run
from validators.validate import validate
from warehouse.card import dataset_card
from warehouse.given import read_given
from warehouse.manifest import read_manifest
from warehouse.read import Snapshot

NAME = "欧阳望舒"

pytestmark = pytest.mark.usefixtures("without_extras")


@pytest.fixture
def told(small: running.Inputs, tmp_path: Path) -> Path:
    """The small city, told by somebody who signs, with a list of licences; published."""
    page = small.documents / "spring.md"
    text = page.read_text(encoding="utf-8").replace("上午游览青石园", f"上午{NAME}游览青石园")
    page.write_text(f"---\nauthor: {NAME}\n---\n{text}\n{NAME}拍照。\n", encoding="utf-8")
    (small.documents / "LICENSES.csv").write_text("path,licence\nspring.md,CC BY 4.0\n", "utf-8")
    outcome = run("build", *small.options(), *build_options(tmp_path / "w", tmp_path / "o"))
    assert outcome.code == 0, outcome
    return (tmp_path / "o" / "latest").resolve()


def _texts(rows: pl.DataFrame) -> str:
    return json.dumps(rows.to_dicts(), ensure_ascii=False, default=str)


def test_the_author_stands_nowhere(told: Path) -> None:
    snapshot = Snapshot(told)
    frames = {name: snapshot.table(name) for name in TABLES} | read_given(told)
    assert [name for name, rows in frames.items() if NAME in _texts(rows)] == []
    pages = [told / name for name in ("README.md", "croissant.json", "report.html")]
    assert [p.name for p in pages if p.exists() and NAME in p.read_text(encoding="utf-8")] == []
    stops = snapshot.table("trajectories")
    assert stops.height == 2, "the route is read as before"


def test_the_licence_of_the_list_is_counted(told: Path) -> None:
    card = (told / "README.md").read_text(encoding="utf-8")
    for line in (
        "| distinct documents | 2 |",
        "| documents, licence: CC-BY-4.0 | 1 |",
        "| documents, licence: none stated | 1 |",
        "| documents, licence stated by LICENSES.csv | 1 |",
        "states one for 1 document and 6 rows of sources",
        "2 documents given, 2 used, 0 waiting",
    ):
        assert line in card
    documents = Snapshot(told).table("documents")
    assert dict(documents.select("path", "licence_hint").iter_rows()) == {
        "autumn.md": None, "spring.md": "CC-BY-4.0",
    }  # fmt: skip
    described = json.loads((told / "croissant.json").read_text(encoding="utf-8"))
    assert described["license"] == ["https://spdx.org/licenses/CC-BY-4.0"]
    assert validate(told).passed


def test_a_gate_that_warned_is_named(told: Path) -> None:
    text = dataset_card(read_manifest(told), failed=[("warning", "drift_rows", "pois: | half")])
    assert "- Failed warning `drift_rows`: pois: / half" in text


def test_a_changed_figure_fails_the_gate(told: Path) -> None:
    card = told / "README.md"
    text = card.read_text(encoding="utf-8")
    card.write_text(text.replace("licence: CC-BY-4.0 | 1 |", "licence: CC-BY-4.0 | 6 |"), "utf-8")
    failed = {gate.gate_id: gate.message for gate in validate(told).results if not gate.passed}
    assert set(failed) == {"card_figures"}
    assert "the tables have 1" in failed["card_figures"]
