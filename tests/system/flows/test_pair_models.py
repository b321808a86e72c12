"""``tripbed match --engine``: a model is asked about doubtful pairs, once, within its budget."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from extractors.llm import BudgetSpent
from flows.cli.app import app
from flows.errors import SettingsError
from flows.places.match import COLUMNS
from tests.support.extractors.llm.server import Endpoint, completion, serving

NAMES = ("青石庵", "灵峰寺", "望潮阁", "听雨轩")


class Knowing(Endpoint):
    """Says that every pair is one place."""

    def next_step(self, body: dict[str, Any], key: str | None) -> Any:
        """An answer to every line of the request."""
        with self.lock:
            self.bodies.append(body)
        numbers = re.findall(r"^(\d+)\. city", body["messages"][1]["content"], re.MULTILINE)
        rows = [{"number": int(n), "answer": "same", "why": "its old name"} for n in numbers]
        return completion(json.dumps({"pairs": rows}))


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Knowing]:
    """The endpoint, running, and what the command is told of it."""
    endpoint = Knowing()
    with serving(endpoint):
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.base_url)
        monkeypatch.setenv("OPENAI_MODEL", "m")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
        monkeypatch.setenv("TRIPBED_LEDGER", str(tmp_path / "ledger.sqlite"))
        yield endpoint


def matched(folder: Path, *options: str) -> Result:
    with (folder / "pairs.csv").open("w", encoding="utf-8", newline="") as lines:
        rows = [("hangzhou", name, "九曲书院", "", "", "", "") for name in NAMES]
        csv.writer(lines).writerows([COLUMNS, *rows])
    files = ["--pairs", str(folder / "pairs.csv"), "--out", str(folder / "out.csv")]
    return CliRunner().invoke(app, ["match", *files, "--alone", *options])


@pytest.mark.parametrize("engine", ["cascade", "openai"])
def test_a_model_decides_and_is_not_asked_twice(
    engine: str, model: Knowing, tmp_path: Path
) -> None:
    first = json.loads(matched(tmp_path, "--engine", engine, "--json").stdout)
    assert (first["same"], first["decided_by"]) == (len(NAMES), {"model": len(NAMES)})
    assert first["tokens"] > 0
    written, asked = (tmp_path / "out.csv").read_bytes(), model.count
    again = json.loads(matched(tmp_path, "--engine", engine, "--json").stdout)
    assert model.count == asked, "the ledger answers"
    assert again["decided_by"] == first["decided_by"]
    assert (tmp_path / "out.csv").read_bytes() == written


def test_the_rules_ask_nobody(model: Knowing, tmp_path: Path) -> None:
    assert matched(tmp_path).exit_code == 0
    assert model.count == 0
    assert not (tmp_path / "ledger.sqlite").exists()


def test_a_spent_budget_ends_before_anything_is_written(model: Knowing, tmp_path: Path) -> None:
    done = matched(tmp_path, "--engine", "cascade", "--budget-tokens", "10")
    assert isinstance(done.exception, BudgetSpent)
    assert model.count == 0
    assert not (tmp_path / "out.csv").exists()


def test_what_is_not_set_up_is_said(
    model: Knowing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = matched(tmp_path, "--engine", "oracle")
    assert isinstance(done.exception, SettingsError)
    monkeypatch.delenv("OPENAI_MODEL")
    done = matched(tmp_path, "--engine", "cascade")
    assert isinstance(done.exception, SettingsError)
    assert "OPENAI_MODEL" in str(done.exception)
    assert model.count == 0
