"""``tripbed bench`` on the bundled sample:
runs that go on, runs that are refused, the leaderboard.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flows.bench.questions import questions
from flows.bench.scores import score
from tests.support.flows.running import Outcome, run
from validators.plans.scores import METRICS as TPRAG
from warehouse.read import Snapshot


def bench(snapshot: Path, out: Path, *more: object) -> Outcome:
    return run(
        "bench", "run", snapshot, "--planner", "nearest", "--queries", "test", "--out", out, *more
    )


class TestRun:
    def test_what_a_run_leaves_behind(self, built_sample: Path, tmp_path: Path) -> None:
        out = tmp_path / "nearest"
        done = bench(built_sample, out, "--json")
        assert done.code == 0, done.err
        told = json.loads(done.out)
        rows = [
            json.loads(line) for line in (out / "results.jsonl").read_text("utf-8").splitlines()
        ]
        assert told["queries"] == told["planned"] == len(rows) > 0
        snapshot_id = Snapshot(built_sample).manifest.snapshot_id()
        assert {(row["snapshot"], row["split"], row["method"]) for row in rows} == {
            (snapshot_id, "test", "nearest")
        }
        assert all(set(row["plan"]) == {f"Day {n + 1}" for n in range(row["days"])} for row in rows)
        scored = pl.read_parquet(out / "scores.parquet")
        assert scored["delivered"].to_list() == [1.0] * len(rows)
        assert scored["failure_rate"].to_list() == [0.0] * len(rows), "all places are candidates"
        assert scored["traveleval_far"].to_list() == [0.0] * len(rows)
        assert scored["chinatravel_delivered"].null_count() == len(rows), (
            "only places were asked for"
        )

    def test_it_goes_on_where_it_stopped(self, built_sample: Path, tmp_path: Path) -> None:
        out = tmp_path / "nearest"
        bench(built_sample, out)
        whole = (out / "results.jsonl").read_text("utf-8").splitlines(keepends=True)
        before = json.loads(run("bench", "report", out, "--json").out)
        (out / "results.jsonl").write_text("".join(whole[:1]) + whole[1][:40], encoding="utf-8")
        again = json.loads(bench(built_sample, out, "--json").out)
        assert (again["before"], again["planned"]) == (1, len(whole))
        assert json.loads(run("bench", "report", out, "--json").out) == before

    @pytest.mark.parametrize(
        ("more", "told"),
        [
            (["--queries", "tst"], "choose one of all, test, train"),
            (["--family", "trpag"], "choose one of tprag"),
            (
                ["--planner", "no-such-program --fast"],
                "choose one of solver, nearest, direct, react, or",
            ),
            (["--planner", "direct"], "OPENAI_MODEL"),
            (["--time-limit", "0"], "a number of seconds above 0"),
        ],
    )
    def test_wrong_input_is_exit_code_2(
        self, built_sample: Path, tmp_path: Path, more: list[str], told: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:  # fmt: skip
        monkeypatch.delenv("OPENAI_MODEL", raising=False)
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        monkeypatch.chdir(tmp_path)
        done = bench(built_sample, tmp_path / "out", *more)
        assert done.code == 2
        assert told in done.err.replace("\n", " ")

    def test_another_run_s_folder_is_refused(self, built_sample: Path, tmp_path: Path) -> None:
        bench(built_sample, tmp_path / "out", "--limit", "2")
        done = bench(built_sample, tmp_path / "out", "--limit", "3")
        assert done.code == 2
        assert "queries 2 rather than 3" in done.err
        assert run("bench", "report", tmp_path).code == 2


class TestScores:
    def test_plans_that_cannot_be_judged_are_told(self, built_sample: Path) -> None:
        asked = questions(built_sample, "all", limit=6)
        stop = {"POI name": "西湖", "Start visit time": "09:00", "End visit time": "10:00"}
        bad: list[tuple[Any, str]] = [
            (["no", "plan"], "must be an object"),
            ({"Day 1": [{**stop, "Start visit time": "25:61"}]}, "25:61"),
            ({"Day 1": [stop] * 10_000}, "10,000 activities"),
            ({"target_city": "苏州", "itinerary": []}, "is missing"),
            ({"Day 2": []}, "must be numbered from 1"),
        ]
        plans = {q.query_id: plan for q, (plan, _) in zip(asked, bad, strict=False)}
        scored = score(built_sample, asked, plans)
        assert scored["delivered"].to_list() == [0.0] * 6
        problems = scored["problem"].to_list()
        assert [told in problem for problem, (_, told) in zip(problems, bad, strict=False)] == [
            True
        ] * 5
        assert problems[5] == "there is no plan"
        assert scored["traveleval_far"].null_count() == 6

    def test_places_that_do_not_exist_fail(self, built_sample: Path) -> None:
        (asked,) = questions(built_sample, "all", limit=1)
        plan = {"Day 1": [{"POI name": "亚特兰蒂斯", "Start visit time": "", "End visit time": ""}]}
        scored = score(built_sample, [asked], {asked.query_id: plan})
        assert scored.select("delivered", "failure_rate").row(0) == (1.0, 1.0)


class TestReport:
    def test_runs_beside_each_other_as_a_page(self, built_sample: Path, tmp_path: Path) -> None:
        for name in ("one", "two"):
            bench(built_sample, tmp_path / name, "--limit", "1" if name == "one" else "2")
        page = tmp_path / "board.html"
        done = run("bench", "report", tmp_path / "one", tmp_path / "two", "--out", page)
        assert done.code == 0
        assert "with caution" in done.out
        text = page.read_text(encoding="utf-8")
        assert all(
            f"<h2>{title}</h2>" in text for title in ("Runs", "By split", "By family", "By days")
        )
        assert Snapshot(built_sample).manifest.snapshot_id() in text
        assert "<script" not in text

    def test_figures_are_chosen(self, built_sample: Path, tmp_path: Path) -> None:
        bench(built_sample, tmp_path / "one", "--limit", "2")
        told = json.loads(
            run("bench", "report", tmp_path / "one", "--metrics", "triptailor", "--json").out
        )
        shown = set(told["lines"][0]["figures"])
        assert "triptailor_feasibility_micro" in shown
        assert all(key.startswith("triptailor_") for key in shown)
        wrong = run("bench", "report", tmp_path / "one", "--metrics", "tripadvisor")
        assert wrong.code == 2
        assert "tripadvisor is not one of checks, tprag" in wrong.err.replace("\n", " ")

    def test_a_run_that_was_scored_before_is_told_to_run_again(
        self, built_sample: Path, tmp_path: Path
    ) -> None:
        bench(built_sample, tmp_path / "old", "--limit", "1")
        scores = tmp_path / "old" / "scores.parquet"
        pl.read_parquet(scores).select("query_id", "problem", "delivered", *TPRAG).write_parquet(
            scores
        )
        done = run("bench", "report", tmp_path / "old", "--metrics", "triptailor")
        assert done.code == 2
        assert "to rescore a finished run" in done.err.replace("\n", " ")
        assert run("bench", "report", tmp_path / "old").code == 0
