"""What a build would send is what it sends: estimated against sent, on the sample."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchmarks.llm_server import ServerState
from tests.conftest import SAMPLE
from tests.support.flows.models import environment
from tests.support.flows.running import run

pytestmark = pytest.mark.slow

TABLES = ("--city", "Hangzhou", "--tables", str(SAMPLE / "tables"))


@pytest.mark.usefixtures("without_extras")
@pytest.mark.parametrize(("one_request", "folder"), [("", "documents"), ("1", "documents/misc")])
def test_a_build_sends_what_was_estimated(
    one_request: str,
    folder: str,
    server: tuple[str, ServerState],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, state = server
    given = (*TABLES, "--documents", str(SAMPLE / folder))
    for name, value in environment(model, tmp_path).items():
        if os.environ.get(name) != value:
            monkeypatch.setenv(name, value)
    monkeypatch.setenv("TRIPBED_LLM_ONE_REQUEST", one_request)
    estimated = json.loads(run("estimate", "--profile", "folder", *given, "--json").out)
    assert sum(state.seen.values()) == 0, "an estimate sends nothing"
    assert not (tmp_path / "ledger.sqlite").exists()
    built = run(
        "build", *given, "--direct", "--engine", "openai", "--workspace", str(tmp_path / "w"),
        "--out", str(tmp_path / "o"), "--json",
    )  # fmt: skip
    assert built.code == 0, built.err
    told = json.loads(built.out)["tasks"]
    planned = {line["task"]: line for line in estimated["tasks"]}
    assert {task: line["requests"] for task, line in planned.items()} == {
        task: figures["spent"]["requests"] for task, figures in told.items()
    }
    assert sum(line["requests"] for line in planned.values()) == sum(state.seen.values())
    for task, figures in told.items():
        assert figures["spent"]["tokens_in"] == pytest.approx(planned[task]["tokens_in"], rel=0.02)
        assert figures["expected"]["requests"] == figures["spent"]["requests"]
    reading = "document_reading" if one_request else "poi_extraction"
    assert {reading, "consistency_judgement"} <= set(told)
    again = json.loads(run("estimate", "--profile", "folder", *given, "--json").out)
    assert again["tasks"] == [], "what the ledger holds costs nothing"
