"""``plans score --judged`` with a scripted model server: asked once, apart, within its budget."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from benchmarks.llm_server import ServerState, serve
from extractors.llm.ledger import Ledger
from flows.judging.score import score
from flows.settings.environment import Settings
from tests.support.flows.running import run
from warehouse.read import Snapshot


def scripted(body: dict[str, Any]) -> dict[str, Any]:
    """Every visit is good but the last, every plan has 4 points."""
    if not body["response_format"]["json_schema"]["name"].endswith(
        ("times", "relevance", "schedule")
    ):
        return {"reason": "as scripted", "points": 4}
    numbers = [
        int(n) for n in re.findall(r"^(\d+)\. day", body["messages"][-1]["content"], re.MULTILINE)
    ]
    return {"verdicts": [{"number": n, "good": n < len(numbers)} for n in numbers]}


@pytest.fixture
def model() -> Iterator[tuple[str, ServerState]]:
    """Address of a scripted model server, and what it saw."""
    running, state = serve(0.0, answer=scripted)
    yield f"http://127.0.0.1:{running.server_address[1]}/v1", state
    running.shutdown()
    running.server_close()


@pytest.fixture
def plans(built_sample: Path, tmp_path: Path) -> Path:
    """Two plans of four known sights for a query, and one that is none."""
    held = Snapshot(built_sample)
    query_id = held.table("queries").filter(pl.col("status") == "kept")["query_id"].sort()[0]
    names = held.table("pois").drop_nulls("name_zh")["name_zh"].unique().sort()
    file = tmp_path / "mine.jsonl"
    lines = [
        {"query_id": query_id, "plan": {"Day 1": [
            {"POI name": name, "Start visit time": "09:00", "End visit time": "10:00"}
            for name in names[4 * n : 4 * n + 4]
        ]}} for n in range(2)
    ]  # fmt: skip
    file.write_text("\n".join(map(json.dumps, [*lines, {"Day 2": []}])), encoding="utf-8")
    return file


def judged(
    model: tuple[str, ServerState], snapshot: Path, plans: Path, folder: Path, **more: Any
) -> tuple[int, pl.DataFrame]:
    settings = Settings.model_validate({
        "OPENAI_BASE_URL": model[0], "OPENAI_MODEL": "scripted", "OPENAI_API_KEY": "none",
        "TRIPBED_LEDGER": str(folder / "ledger.sqlite"), "TRIPBED_LLM_CONCURRENCY": 1,
    }).model_copy(update=more)  # fmt: skip
    out = folder / "scores.parquet"
    code = score(snapshot, [plans], out, None, ("tprag", "tripscore"), 3, settings, as_json=True)
    return code, pl.read_parquet(out)


def test_figures_stand_apart_and_are_paid_for_once(
    model: tuple[str, ServerState], built_sample: Path, plans: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    code, rows = judged(model, built_sample, plans, tmp_path)
    assert code == 1, "the third is no plan"
    assert rows["judged_tprag_str"].to_list() == [0.75, 0.75, None]
    assert rows["judged_tripscore_iconic_landmarks"].to_list() == [0.75, 0.75, None]
    told = json.loads(capsys.readouterr().out)
    # STR, PR, TSR, landmarks, diversity and the request: six questions, two plans, three samples.
    assert (told["judged"]["asked"], told["judged"]["unanswered"]) == (36, 0)
    assert told["judged"]["tokens"] == model[1].tokens_in + model[1].tokens_out > 0
    assert told["judged"]["tables"]["tprag"]["PR"] == {"value": 0.75, "plans": 2}
    assert told["judged"]["agreement"]["judged_tprag_str"] == {
        "n_items": 8,
        "raters": 3,
        "observed": 1.0,
        "kappa": 1.0,
    }
    assert "STR" not in told["tables"]["tprag"]
    requests = sum(model[1].seen.values())
    assert requests == len(model[1].seen) == 36, "each sample is a request of its own"
    entries = list(Ledger(tmp_path / "ledger.sqlite").entries(None, None, None))
    assert {entry.task for entry in entries} == {
        "judge_start_times", "judge_relevance", "judge_schedule", "judge_landmarks",
        "judge_diversity", "judge_request",
    }  # fmt: skip
    assert {entry.sample for entry in entries} == {0, 3, 6}
    judged(model, built_sample, plans, tmp_path)
    assert sum(model[1].seen.values()) == requests, "the ledger answers"


def test_a_budget_ends_it_and_more_goes_on(
    model: tuple[str, ServerState], built_sample: Path, plans: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    code, rows = judged(model, built_sample, plans, tmp_path, budget_tokens=1)
    assert code == 1
    assert rows["judged_tprag_str"].null_count() == 3
    assert "budget" in json.loads(capsys.readouterr().out)["judged"]["stopped"]
    _, rows = judged(model, built_sample, plans, tmp_path)
    assert rows["judged_tprag_str"].null_count() == 1


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--judged"], "name the papers"),
        (
            ["--judged", "--metrics", "chinatravel"],
            "judge only the metrics of tprag, tripscore, triptailor",
        ),
        (["--judged", "--metrics", "tprag"], "OPENAI_MODEL"),
    ],
)
def test_wrong_input_is_exit_code_2(
    built_sample: Path,
    plans: Path,
    tmp_path: Path,
    more: list[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_MODEL", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.chdir(tmp_path)
    done = run("plans", "score", built_sample, plans, "--out", tmp_path / "s.parquet", *more)
    assert done.code == 2
    assert told in done.err.replace("\n", " ")
