"""Texts by a model: reworded, read back, asked again, set aside; never wrong by the plan."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from extractors.llm import Ledger, LLMSettings, OpenAIEngine, TokenPrices
from flows.cli.app import app
from flows.errors import SettingsError
from flows.queries import build as query_build
from tests.support.extractors.llm.server import Endpoint, completion, serving

PROFILE = """\
name: mine
families: [{family}]
queries:
  cities: [hangzhou, beijing, chengdu]
  days: [3]
  constraint_kinds: [season, traveller]
  traveleval:
    easy: [1, 0, 0, 0, 0, 0]
    medium: [1, 0, 0, 0, 0, 0]
    hard: [1, 0, 0, 0, 0, 0]
    groups: [1, 0, 0, 0, 0, 0]
  chinatravel: {{easy: 3, medium: 2, preference: 1}}
  tripscore: {{queries: 6}}
  triptailor: {{queries: 6}}
"""


class Rewording(Endpoint):
    """Rewords the request that it is shown: well, or so that it says something else."""

    mood = "well"

    def next_step(self, body: dict[str, Any], key: str | None) -> Any:
        """Wordings of the request; a wrong mood changes the number of days."""
        with self.lock:
            self.bodies.append(body)
        shown = body["messages"][1]["content"]
        text = re.search(r"Request: (.+?)\n*</document>", shown, re.DOTALL)
        assert text
        good = [
            f"您好，{text[1]}" if re.search(r"[\u4e00-\u9fff]{4}", text[1]) else f"Hello! {text[1]}"
        ]
        bad = [re.sub(r"(?<!\d)[1-9](?= ?(?:天|days?\b|-day))", "9", one) for one in good]
        again = "Not clear enough" in shown
        texts = {"well": good, "late": good if again else bad, "wrong": bad, "both": [*bad, *good]}
        return completion(json.dumps({"texts": texts[self.mood]}, ensure_ascii=False))


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rewording]:
    """The endpoint, running, behind the engine that builds use."""
    endpoint = Rewording()
    with serving(endpoint):
        prices = TokenPrices.model_validate({"usd_per_mtok_in": 0, "usd_per_mtok_out": 0})
        settings = LLMSettings(base_url=endpoint.base_url, model="m", prices=prices)
        engine = OpenAIEngine(settings, Ledger(tmp_path / "ledger.sqlite"), sleep=lambda _s: None)
        monkeypatch.setattr(query_build, "engine_named", lambda _name, _settings: engine)
        yield endpoint


def build(family: str, folder: Path, writer: str = "openai") -> dict[str, Any]:
    path = folder / "mine.yaml"
    path.write_text(PROFILE.format(family=family), encoding="utf-8")
    report = query_build.build_queries(str(path), folder / "out", None, "tripbed", writer)
    facts: dict[str, Any] = report["families"][family]
    return {**facts, "strata_met": report["strata_met"]}


def rows(folder: Path, name: str = "queries.jsonl") -> list[dict[str, Any]]:
    lines = (folder / "out" / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_tprag_is_reworded_and_read_back(model: Rewording, tmp_path: Path) -> None:
    """Other words than the published form are taken, other days never."""
    model.mood = "both"
    facts = build("tprag", tmp_path)
    assert facts["written"]["unread"] == facts["written"]["unanswered"] == 0
    assert facts["kept"] == facts["planned"]
    assert all(row["text_zh"].startswith("您好") for row in rows(tmp_path))


@pytest.mark.parametrize("family", ["traveleval", "chinatravel", "tripscore", "triptailor"])
def test_wordings_that_read_back_are_taken(family: str, model: Rewording, tmp_path: Path) -> None:
    facts = build(family, tmp_path)
    assert facts["written"] == {"first": 12, "second": 0, "unread": 0, "unanswered": 0}
    assert facts["strata_met"]
    assert facts["kept"] == 6
    assert all(row["text_zh"].startswith("您好") for row in rows(tmp_path))
    assert all(row["text_en"].startswith("Hello") for row in rows(tmp_path))
    asked = len(model.bodies)
    build(family, tmp_path)
    assert len(model.bodies) == asked, "answers are kept: nothing is asked twice"


@pytest.mark.parametrize("mood", ["late", "both"])
def test_a_wording_that_says_something_else_is_never_taken(
    mood: str, model: Rewording, tmp_path: Path
) -> None:
    model.mood = mood
    facts = build("triptailor", tmp_path)
    order = "second" if mood == "late" else "first"
    assert facts["written"][order] == 12
    assert facts["kept"] == 6


def test_texts_that_never_read_back_are_set_aside(model: Rewording, tmp_path: Path) -> None:
    model.mood = "wrong"
    facts = build("triptailor", tmp_path)
    assert facts["written"]["unread"] == 12
    assert (facts["kept"], facts["quarantined"], facts["strata_met"]) == (0, 6, False)
    aside = rows(tmp_path, "quarantine.jsonl")
    assert len(aside) == 6
    assert {rule for row in aside for rule in row["rules"]} == {"text_zh", "text_en"}


def test_what_a_writer_cannot_do_is_said_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="unknown writer 'poet'"):
        build("tripscore", tmp_path, "poet")
    assert not (tmp_path / "out").exists()


def test_the_command_says_what_is_not_set_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "mine.yaml"
    path.write_text(PROFILE.format(family="tripscore"), encoding="utf-8")
    done = CliRunner().invoke(
        app,
        [
            "queries",
            "build",
            "--profile",
            str(path),
            "--out",
            str(tmp_path / "out"),
            "--writer",
            "openai",
        ],
    )
    assert isinstance(done.exception, SettingsError)
    assert "OPENAI" in str(done.exception)
    assert not (tmp_path / "out").exists()
