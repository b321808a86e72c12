"""The commands on models: the ledger, the estimate, a cascade; and what they never print."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from extractors.llm import Ledger
from flows.models.engines import engine_named
from tests.support.extractors.contract_cases import TEXT
from tests.support.extractors.llm.server import refused, serving
from tests.support.flows.running import run
from tests.system.extractors.llm.test_ledger import ENTRY
from tests.system.extractors.test_contracts import ByTask

KEY = "sk-secret-0123456789abcdef"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A ledger of two requests."""
    path = tmp_path / "ledger.sqlite"
    ledger = Ledger(path)
    ledger.record(replace(ENTRY, raw='{"quoted": "document text"}'))
    ledger.record(replace(ENTRY, key="b" * 64, status="failed", reason="empty"))
    ledger.close()
    return path


def test_the_ledger_is_listed_summed_exported_and_pruned(place: Path, tmp_path: Path) -> None:
    ledger = ["--ledger", str(place)]
    listed = run("ledger", "list", "--json", *ledger)
    assert listed.code == 0
    rows = json.loads(listed.out)
    assert [row["status"] for row in rows] == ["good", "failed"]
    assert all("raw" not in row for row in rows)
    total = json.loads(run("ledger", "sum", "--json", *ledger).out)
    assert (total["totals"][0]["requests"], total["totals"][0]["tokens_in"]) == (2, 20)
    out = tmp_path / "out.jsonl"
    assert run("ledger", "export", "--out", str(out), *ledger).code == 0
    assert "document text" not in out.read_text()
    run("ledger", "export", "--out", str(out), "--with-answers", *ledger)
    assert "document text" in out.read_text()
    assert json.loads(run("ledger", "prune", "--status", "failed", "--json", *ledger).out) == {
        "requests": 1, "removed": False,
    }  # fmt: skip
    assert run("ledger", "prune", "--status", "failed", "--yes", *ledger).code == 0
    assert len(json.loads(run("ledger", "list", "--json", *ledger).out)) == 1
    refused_ = run("ledger", "prune", *ledger)
    assert refused_.code == 2
    assert "choose what to prune" in refused_.err
    assert run("ledger", "sum", "--ledger", str(tmp_path / "none")).code == 2


def test_the_estimate_meets_the_aim_and_says_what_is_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lake.md").write_text(TEXT, encoding="utf-8")
    small = ["--city", "Hangzhou", "--documents", str(tmp_path)]
    found = json.loads(
        run("estimate", *small, "--json", "--price-in", "2.5", "--price-out", "10").out
    )
    assert 0 < found["tokens_a_query"] <= 10_000
    assert found["queries"] == 88
    assert found["usd"] > 0
    tasks = {line["task"]: line["requests"] for line in found["tasks"]}
    assert (tasks["poi_extraction"], tasks["trajectory_extraction"]) == (1, 1)
    assert "sub_query_rewriting" not in tasks, "a build that searches nowhere asks for none"
    monkeypatch.setenv("TRIPBED_LLM_ONE_REQUEST", "1")
    searched = json.loads(run("estimate", *small, "--searched", "--json").out)
    tasks = {line["task"]: line["requests"] for line in searched["tasks"]}
    assert tasks["document_reading"] == 1
    assert tasks["sub_query_rewriting"] > 88
    shown = run("estimate", *small).out
    assert "unknown: give --price-in" in shown
    refused_ = run("estimate", *small, "--engine", "rules")
    assert (refused_.code, "does not use a model" in refused_.err) == (2, True)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ByTask]:
    """A running model endpoint that the environment names."""
    found = ByTask()
    engine_named.cache_clear()
    with serving(found):
        monkeypatch.setenv("OPENAI_BASE_URL", found.base_url)
        monkeypatch.setenv("OPENAI_MODEL", "m")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("TRIPBED_LEDGER", str(tmp_path / "run.sqlite"))
        yield found
    engine_named.cache_clear()


@pytest.mark.parametrize("engine", ["cascade", "openai"])
def test_extract_with_a_model_leaks_neither_key_nor_text(
    engine: str, model: ByTask, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.md").write_text(TEXT, encoding="utf-8")
    out = tmp_path / "out.jsonl"
    done = run(
        "extract", "--documents", str(pages), "--out", str(out), "--engine", engine, "--json"
    )
    assert done.code == 0, done.err
    row = json.loads(out.read_text(encoding="utf-8"))
    assert "青鹭寺" in {poi["name"] for poi in row["pois"]}
    if engine == "openai":
        assert model.count == 3
    printed = done.out + done.err + caplog.text
    stored = (tmp_path / "run.sqlite").read_bytes().decode(errors="replace")
    for text in (KEY, "authorization", "上午游览"):
        assert text not in printed.lower()
    for text in (KEY, "authorization", model.base_url, "上午游览"):
        assert text not in stored
    assert KEY not in out.read_text(encoding="utf-8")


def test_a_stopped_model_ends_with_the_words_of_the_provider_alone(
    model: ByTask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = refused(401, f"Incorrect API key provided: {KEY}", "invalid_api_key")
    monkeypatch.setattr(model, "next_step", lambda _body, _key: error)
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    done = run("extract", "--documents", str(tmp_path), "--out", str(tmp_path / "o.jsonl"),
               "--engine", "openai")  # fmt: skip
    assert done.code == 2
    assert "Incorrect API key provided: [key]" in done.err
    assert KEY not in done.out + done.err
    assert "上午游览" not in done.out + done.err
    assert not (tmp_path / "o.jsonl").exists()
