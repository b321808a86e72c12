"""Unattended runs: their logs, what is told of them, and what is removed."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from flows.pipeline.graph import shard_total
from flows.pipeline.log import RunLog, read_runs
from flows.pipeline.request import make_inputs
from flows.serving.status import run_facts
from flows.serving.upkeep import SECONDS_PER_DAY, prune_workspace, verify_latest
from tests.support.flows import running
from tests.support.flows.builds import Built
from tests.support.flows.running import build_options, run, tree

DAY = float(SECONDS_PER_DAY)


class TestLog:
    def test_every_shard_has_a_line_and_the_end_names_the_snapshot(
        self, small_build: Built
    ) -> None:
        events = read_runs(small_build.workspace / "runs")[0]
        inputs = make_inputs(
            ["suzhou"], [small_build.inputs.documents], small_build.inputs.tables,
            profile=str(small_build.inputs.profile),
        )  # fmt: skip
        assert [events[0]["event"], events[-1]["event"]] == ["run.start", "run.published"]
        assert sum(e["event"] == "shard.done" for e in events) == shard_total(inputs)
        assert events[-1]["snapshot"] == small_build.path.name
        assert len({e["run_id"] for e in events}) == 1
        told = json.loads((small_build.path / "run.json").read_text(encoding="utf-8"))
        assert told["run_id"] == events[0]["run_id"]

    def test_no_text_of_a_document_is_in_it(self, small_build: Built) -> None:
        log = next((small_build.workspace / "runs").glob("*.jsonl")).read_text(encoding="utf-8")
        names = [line.split(",")[1] for line in running.GAZETTEER.splitlines()[1:]]
        assert not [name for name in names if name in log or json.dumps(name)[1:-1] in log]

    def test_a_line_cut_by_a_kill_is_left_out(self, tmp_path: Path) -> None:
        log = RunLog(tmp_path, "r1")
        log.write("run.start", cities=["a"], pid=1, host="elsewhere")
        with (tmp_path / "r1.jsonl").open("a", encoding="utf-8") as handle:
            handle.write('{"at": "2025')
        [events] = read_runs(tmp_path)
        assert [event["event"] for event in events] == ["run.start"]
        assert run_facts(events)["state"] == "open"

    def test_a_refused_build_is_a_failed_run(self, small: running.Inputs, tmp_path: Path) -> None:
        (small.tables / "gazetteer.csv").write_text("id,nothing\n1,2\n", encoding="utf-8")
        space = tmp_path / "work"
        outcome = run("build", *small.options(), *build_options(space, tmp_path / "out"))
        assert outcome.code == 2
        [events] = read_runs(space / "runs")
        assert run_facts(events)["state"] == "failed"
        assert events[-1]["reason"]


class TestStatus:
    def test_cities_and_runs(self, small_build: Built) -> None:
        options = ["--workspace", small_build.workspace, "--out", small_build.out]
        facts = json.loads(run("status", *options, "--json").out)
        assert facts["snapshot"]["snapshot"] == small_build.path.name
        assert facts["cities"]["suzhou"]["snapshot"] == small_build.path.name
        assert facts["runs"][0]["state"] in ("published", "unchanged")
        assert "suzhou" in run("status", *options).out

    def test_an_empty_folder(self, tmp_path: Path) -> None:
        outcome = run("status", "--workspace", tmp_path / "w", "--out", tmp_path / "o")
        assert outcome.code == 0
        assert "no runs" in outcome.out
        assert "no snapshot" in outcome.out


class TestMaintenance:
    def test_only_what_nobody_used_is_removed(self, small_copy: Built) -> None:
        space = small_copy.workspace
        old = time.time() - 40 * DAY
        [unused] = space.glob("shards/trajectories/suzhou/*/meta.json")
        os.utime(unused.parent, (old, old))
        removed = prune_workspace(space, 30)
        assert removed["shards"] == 1
        assert removed["bytes"] > 0
        assert not unused.exists()
        assert not list(space.glob("shards/*/*/.*"))
        options = [*small_copy.inputs.options(), "--json"]
        facts = json.loads(run("build", *options, *build_options(space, small_copy.out)).out)
        again = {name for name, stage in facts["stages"].items() if not stage["reused"]}
        assert again == {"trajectories"}

    def test_using_a_shard_keeps_it(self, small_copy: Built) -> None:
        space = small_copy.workspace
        old = time.time() - 40 * DAY
        for shard in space.glob("shards/*/*/*"):
            os.utime(shard, (old, old))
        run("build", *small_copy.inputs.options(), *build_options(space, small_copy.out))
        before = tree(space / "shards")
        assert prune_workspace(space, 30)["shards"] == 0
        assert tree(space / "shards") == before

    def test_a_damaged_snapshot_is_told(self, small_copy: Built, tmp_path: Path) -> None:
        store = small_copy.out
        assert verify_latest(store) == []
        damaged = next((store / "latest").resolve().glob("data/pois/**/*.parquet"))
        damaged.write_bytes(damaged.read_bytes()[:-1])
        [fault] = verify_latest(store)
        assert "data/pois" in fault
        assert verify_latest(tmp_path / "none") == []
