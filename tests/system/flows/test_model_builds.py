"""Builds whose documents a model reads: no secret is told, nothing is paid twice, limits hold."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.llm_runs import ledger_keys, ledger_sent, state_of
from benchmarks.llm_server import State, serve
from extractors.llm import Ledger
from tests.conftest import ROOT
from tests.support import servers
from tests.support.flows import running

pytestmark = pytest.mark.slow
KEY = "sk-not-to-be-told-5f0c"
#: A phrase of the small city's first page that no name in a table repeats.
PHRASE = "三月花开得正好"


@pytest.fixture
def server() -> Iterator[tuple[str, State]]:
    """Address of a model server that answers with what the rules read, and what it saw."""
    running_server, state = serve(0.0)
    yield f"http://127.0.0.1:{running_server.server_address[1]}/v1", state
    running_server.shutdown()
    running_server.server_close()


@pytest.fixture
def model(server: tuple[str, State]) -> str:
    """Its address."""
    return server[0]


def _command(small: running.Inputs, folder: Path) -> list[str]:
    return [
        sys.executable, "-m", "flows.cli", "build", *small.options(), "--engine", "openai",
        "--workspace", str(folder / "work"), "--out", str(folder / "out"),
    ]  # fmt: skip


def _environment(model: str, folder: Path) -> dict[str, str]:
    return {
        **os.environ, "OPENAI_BASE_URL": model, "OPENAI_MODEL": "counting", "OPENAI_API_KEY": KEY,
        "TRIPBED_LEDGER": str(folder / "ledger.sqlite"), "TRIPBED_LLM_CONCURRENCY": "1",
    }  # fmt: skip


def _texts(folder: Path) -> dict[Path, bytes]:
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_build_by_a_server_tells_no_secret_tags_its_provider_and_counts_for_its_run(
    small: running.Inputs, server: tuple[str, State], tmp_path: Path
) -> None:
    model, state = server
    folder = tmp_path / "run"
    folder.mkdir()
    with servers.prefect_server(tmp_path) as api:
        done = subprocess.run(
            _command(small, folder), cwd=ROOT, capture_output=True, text=True, timeout=300,
            env={**_environment(model, folder), "PREFECT_API_URL": api,
                 "PREFECT_HOME": str(tmp_path / "home"), "TRIPBED_BUDGET_TOKENS": "900000"},
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        told = {
            kind: servers.asked("POST", f"{api}/{kind}/filter", json={})
            for kind in ("artifacts", "logs", "flow_runs", "task_runs")
        }
    tags = {run["name"].split()[0]: run["tags"] for run in told["task_runs"]}
    assert tags["mentions"] == ["provider-llm"]
    assert not [name for name, given in tags.items() if given and name != "mentions"]
    ledger = Ledger(folder / "ledger.sqlite")
    counted = ledger.account(told["flow_runs"][0]["id"]).spending().spent.tokens
    assert counted == state.tokens_in + state.tokens_out > 0
    said = [done.stdout, done.stderr, json.dumps(told, ensure_ascii=False)]
    assert not [text for text in said if KEY in text or PHRASE in text]
    files = _texts(folder)
    assert not [path for path, data in files.items() if KEY.encode() in data]
    logs = {path: data for path, data in files.items() if path.suffix == ".jsonl"}
    logs |= {path: data for path, data in files.items() if (folder / "out") in path.parents}
    assert len(logs) > 10
    assert not [path for path, data in logs.items() if PHRASE.encode() in data]


def test_a_budget_stops_the_run_and_a_higher_one_goes_on(
    small: running.Inputs, model: str, tmp_path: Path
) -> None:
    command = [
        sys.executable, "-m", "flows.cli", "extract", "--documents", str(small.documents),
        "--out", str(tmp_path / "out.jsonl"), "--engine", "openai", "--budget-tokens",
    ]  # fmt: skip
    environment = _environment(model, tmp_path)
    few = subprocess.run(
        [*command, "6000"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert few.returncode != 0
    assert "the budget of 6000 tokens would be broken" in few.stderr
    asked = state_of(model)
    assert 0 < asked["tokens_in"] + asked["tokens_out"] <= 6000
    more = subprocess.run(
        [*command, "900000"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert more.returncode == 0, more.stderr
    assert state_of(model)["repeated"] == 0


def _extract(small: running.Inputs, model: str, folder: Path) -> subprocess.Popen[bytes]:
    command = [
        sys.executable, "-m", "flows.cli", "extract", "--documents", str(small.documents),
        "--out", str(folder / "out.jsonl"), "--engine", "openai", "--json",
    ]  # fmt: skip
    return subprocess.Popen(
        command, cwd=ROOT, env=_environment(model, folder),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def test_a_killed_run_asks_for_no_committed_answer_again(
    small: running.Inputs, server: tuple[str, State], tmp_path: Path
) -> None:
    """Killed while its second and its last request are in flight; then run to its end."""
    model, state = server
    calm, wild = tmp_path / "calm", tmp_path / "wild"
    for folder in (calm, wild):
        folder.mkdir()
    assert _extract(small, model, calm).wait(120) == 0
    needed = state_of(model)["requests"]
    assert needed >= 3
    ledger = wild / "ledger.sqlite"
    moments = (needed + 2, 2 * needed + 1)
    for arrived in moments:
        before, committed = ledger_sent(ledger), ledger_keys(ledger)
        state.held = arrived
        child = _extract(small, model, wild)
        while child.poll() is None and state_of(model)["requests"] < arrived:
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL, "the run ended before it could be killed"
        state.released.set()
        state.released = threading.Event()
        sent = ledger_sent(ledger)
        assert all(sent.get(key, 0) == before.get(key, 0) for key in committed)
    committed_before_end = ledger_keys(ledger)
    assert 0 < len(committed_before_end) < needed
    assert _extract(small, model, wild).wait(120) == 0
    repeats = sum(times - 1 for times in ledger_sent(ledger).values())
    assert repeats == len(moments), "each kill met one request in flight"
    assert state_of(model)["requests"] == 2 * needed + repeats
    assert (calm / "out.jsonl").read_bytes() == (wild / "out.jsonl").read_bytes()
