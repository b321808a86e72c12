"""Documents that a model reads: nothing is paid twice, limits hold."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path

import pytest

from benchmarks.llm_runs import ledger_keys, ledger_sent, state_of
from benchmarks.llm_server import ServerState
from tests.support.flows import running
from tests.support.flows.models import environment
from tests.support.forked import Command

pytestmark = pytest.mark.slow


def test_a_budget_stops_the_run_and_a_higher_one_goes_on(
    small: running.Inputs, model: str, tmp_path: Path
) -> None:
    command = [
        "extract", "--documents", str(small.documents),
        "--out", str(tmp_path / "out.jsonl"), "--engine", "openai", "--budget-tokens",
    ]  # fmt: skip
    outside = environment(model, tmp_path)
    few = Command([*command, "6000"], env=outside, heard=True)
    _, complained = few.communicate(120)
    assert few.returncode != 0
    assert "the budget of 6000 tokens would be exceeded" in complained
    asked = state_of(model)
    assert 0 < asked["tokens_in"] + asked["tokens_out"] <= 6000
    more = Command([*command, "900000"], env=outside, heard=True)
    _, complained = more.communicate(120)
    assert more.returncode == 0, complained
    assert state_of(model)["repeated"] == 0


def _extract(small: running.Inputs, model: str, folder: Path) -> Command:
    command = [
        "extract", "--documents", str(small.documents),
        "--out", str(folder / "out.jsonl"), "--engine", "openai", "--json",
    ]  # fmt: skip
    return Command(command, env=environment(model, folder))


def test_a_killed_run_asks_for_no_committed_answer_again(
    small: running.Inputs, server: tuple[str, ServerState], tmp_path: Path
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
