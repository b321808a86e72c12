"""Planners that ask a model: kept in the ledger, asked once, ended by their budget."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from benchmarks.bench_runs import answer_by_script
from benchmarks.llm_server import ServerState, serve
from flows.bench.run import Order
from flows.bench.run import run as run_order
from flows.settings.environment import Settings


@pytest.fixture
def model() -> Iterator[tuple[str, ServerState]]:
    """Address of a scripted model server, and what it saw."""
    running, state = serve(0.0, answer=answer_by_script)
    yield f"http://127.0.0.1:{running.server_address[1]}/v1", state
    running.shutdown()
    running.server_close()


class TestModels:
    def plan(
        self,
        model: tuple[str, ServerState],
        snapshot: Path,
        folder: Path,
        planner: str,
        **more: Any,
    ) -> int:
        settings = Settings.model_validate({
            "OPENAI_BASE_URL": model[0], "OPENAI_MODEL": "scripted", "OPENAI_API_KEY": "none",
            "TRIPBED_LEDGER": str(folder / "ledger.sqlite"), "TRIPBED_LLM_CONCURRENCY": 1,
        }).model_copy(update=more)  # fmt: skip
        order = Order(snapshot, "all", planner, folder / planner, limit=3)
        return run_order(order, settings, as_json=True)

    def test_direct_and_react_are_asked_once(
        self, model: tuple[str, ServerState], built_sample: Path, tmp_path: Path
    ) -> None:
        for planner in ("direct", "react"):
            assert self.plan(model, built_sample, tmp_path, planner) == 0
            rows = [
                json.loads(line)
                for line in (tmp_path / planner / "results.jsonl").read_text("utf-8").splitlines()
            ]
            assert [row["problem"] for row in rows] == [None] * 3
            assert [row["calls"] for row in rows] == [0 if planner == "direct" else 3] * 3
            scored = pl.read_parquet(tmp_path / planner / "scores.parquet")
            assert scored["delivered"].to_list() == [1.0] * 3
        requests = sum(model[1].seen.values())
        assert requests == 3 + 3 * 4
        (tmp_path / "react" / "results.jsonl").unlink()
        assert self.plan(model, built_sample, tmp_path, "react") == 0
        assert sum(model[1].seen.values()) == requests, "the ledger answers"

    def test_a_budget_ends_a_run_that_goes_on_with_more(
        self, model: tuple[str, ServerState], built_sample: Path, tmp_path: Path
    ) -> None:
        assert self.plan(model, built_sample, tmp_path, "direct", budget_tokens=1) == 1
        assert self.plan(model, built_sample, tmp_path, "direct") == 0
