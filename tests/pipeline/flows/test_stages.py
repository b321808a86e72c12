"""What runs, why it runs, and that no row is lost on the way."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flows.pipeline.graph import GRAPH, NODES, WEB, DirectExecutor, shard_total, submit_all
from flows.pipeline.request import make_inputs
from flows.pipeline.run import list_documents
from flows.pipeline.shards import Ref, Workspace
from flows.pipeline.stages.base import Inputs, Job, Stage, quarantine_row, stage_count
from flows.pipeline.stages.control import SOURCES
from schemas.cities import find_city
from schemas.tables import TABLES
from tests.support.flows import running
from tests.support.flows.builds import Built
from tests.support.flows.running import run, tree
from warehouse.read import Snapshot


class TestCounts:
    """Rows in = kept + merged + quarantined + pending, in every stage."""

    def test_a_lost_row_stops_the_stage(self) -> None:
        city = find_city("suzhou")
        counted = stage_count(
            city, "s", "pois", rows_in=5, kept=2, merged=1, quarantined=1, pending=1
        )
        assert counted["rows_in"] == 5
        with pytest.raises(RuntimeError, match="5 rows in, but 4 kept"):
            stage_count(city, "s", "pois", rows_in=5, kept=4)

    def test_every_stage_of_a_build_adds_up(self, small_build: Built) -> None:
        counts = Snapshot(small_build.path).table("stage_counts")
        parts = pl.sum_horizontal("rows_kept", "rows_merged", "rows_quarantined", "rows_pending")
        assert counts.filter(pl.col("rows_in") != parts).is_empty()
        wanted = {"tables", "places", "mentions", "documents", "feedback", "trajectories",
                  "queries", "retrieve", "candidates", "tags", "ask", "control"}  # fmt: skip
        assert wanted <= set(counts["stage"])

    def test_what_control_kept_is_what_the_snapshot_holds(self, small_build: Built) -> None:
        snapshot = Snapshot(small_build.path)
        counts = snapshot.table("stage_counts").filter(pl.col("stage") == "control")
        for table, kept in counts.select("table", "rows_kept").iter_rows():
            assert snapshot.table(table).height == kept, table

    def test_a_quarantined_row_keeps_its_id_check_and_message(self) -> None:
        city = find_city("suzhou")
        row = quarantine_row(city, "s", "pois", "p1", "bad", "why", {"text": "x" * 9000})
        assert (row["row_id"], row["check"], row["message"]) == ("p1", "bad", "why")
        assert len(row["payload"]) == 2000
        other = quarantine_row(city, "s", "pois", "p1", "worse", "why")
        assert row["quarantine_id"] != other["quarantine_id"]


class TestGraph:
    """The stages and their edges."""

    def test_each_stage_comes_after_what_it_reads(self) -> None:
        names = [node.stage.name for node in GRAPH]
        assert all(set(node.after) <= set(names[:at]) for at, node in enumerate(GRAPH))

    def test_control_gathers_every_table_of_a_city(self) -> None:
        ours = {name for name, table in TABLES.items() if table.partition == "city"}
        made_later = {
            "cities",
            "city_stats",
            "review_decisions",
            "trajectory_scores",
            "witness_plans",
        }
        assert ours - set(SOURCES) <= made_later

    @pytest.mark.parametrize("last", [name for name in NODES if name not in {"corpus", *WEB}])
    def test_as_many_shards_run_as_are_announced(self, last: str, small_build: Built) -> None:
        inputs = _inputs(small_build.inputs)
        seen: list[Ref] = []
        executor = DirectExecutor(Workspace(small_build.workspace), seen.append)
        ends = submit_all(executor, inputs, list_documents(inputs), last)
        assert len(seen) == shard_total(inputs, last) == len(executor.finish())
        assert set(ends) == {"suzhou"}
        assert all(ref.reused for ref in seen)


def _inputs(files: running.Inputs) -> Inputs:
    return make_inputs(["suzhou"], [files.documents], files.tables, profile=str(files.profile))


def _explained(files: running.Inputs, space: Path) -> list[dict[str, str]]:
    outcome = run("build", *files.options(), "--workspace", space, "--explain", "--json")
    assert outcome.code == 0, outcome
    lines: list[dict[str, str]] = json.loads(outcome.out)
    return lines


def _waiting(lines: list[dict[str, str]]) -> dict[tuple[str, str], str]:
    return {
        (line["stage"], line["shard"]): line["why"] for line in lines if line["state"] != "finished"
    }


class TestExplain:
    """``--explain`` says what would run and why, and runs nothing."""

    @pytest.fixture
    def space(self, small_build: Built, tmp_path: Path) -> Path:
        """The finished workspace of the small city."""
        return Path(shutil.copytree(small_build.workspace, tmp_path / "work"))

    def test_before_a_build_everything_would_run(
        self, small: running.Inputs, tmp_path: Path
    ) -> None:
        lines = _explained(small, tmp_path / "none")
        assert len(_waiting(lines)) == len(lines) == shard_total(_inputs(small))
        reasons = _waiting(lines)
        assert reasons["tables", "suzhou"] == "never run"
        assert reasons["control", "suzhou"].startswith("after ")
        assert tree(tmp_path / "none") == {}

    def test_after_a_build_nothing_would(self, small: running.Inputs, space: Path) -> None:
        before = tree(space)
        assert _waiting(_explained(small, space)) == {}
        words = run("build", *small.options(), "--workspace", space, "--explain")
        assert words.last_line == "0 of 45 shards would run"
        assert tree(space) == before

    def test_one_more_document_wakes_its_bucket(self, small: running.Inputs, space: Path) -> None:
        page = small.documents / "more.md"
        page.write_text(running.PAGES["spring.md"].replace("三月", "四月"), encoding="utf-8")
        before = tree(space)
        waiting = _waiting(_explained(small, space))
        assert tree(space) == before
        (bucket,) = [shard for stage, shard in waiting if stage == "corpus"]
        assert waiting["corpus", bucket] == "changed: input files"
        assert waiting["read", bucket] == "after corpus"
        assert [shard for stage, shard in waiting if stage == "read"] == [bucket]
        assert waiting["mentions", "suzhou"] == "after link, read"
        assert not {"tables", "places", "queries"} & {stage for stage, _ in waiting}
        assert {"documents", "control"} <= {stage for stage, _ in waiting}
        result = json.loads(
            run("trajectories", *small.options(), "--workspace", space, "--json").out
        )
        assert result["rows"]["suzhou"]["trajectories"] == 3
        assert ("corpus", bucket) not in _waiting(_explained(small, space))

    def test_a_setting_wakes_its_stage(self, small: running.Inputs, space: Path) -> None:
        text = small.profile.read_text("utf-8").replace("{per_query: 1,", "{per_query: 2,")
        small.profile.write_text(text, encoding="utf-8")
        waiting = _waiting(_explained(small, space))
        assert waiting["trajectories", "suzhou"] == "changed: settings"
        assert not {"corpus", "mentions", "tables", "pois"} & {stage for stage, _ in waiting}

    def test_a_table_wakes_its_stage(self, small: running.Inputs, space: Path) -> None:
        table = small.tables / "gazetteer.csv"
        table.write_text(running.GAZETTEER.replace(",70\n", ",75\n"), encoding="utf-8")
        waiting = _waiting(_explained(small, space))
        assert waiting["tables", "suzhou"] == "changed: input tables"
        assert "corpus" not in {stage for stage, _ in waiting}

    def test_a_result_that_is_gone(self, small: running.Inputs, space: Path) -> None:
        (result,) = (space / "shards" / "space" / "suzhou").glob("*/meta.json")
        result.unlink()
        assert _waiting(_explained(small, space))["space", "suzhou"] == "its result was removed"

    def test_a_new_version_of_a_stage(
        self, small: running.Inputs, space: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        node = NODES["space"]
        newer = replace(node, stage=replace(node.stage, version=node.stage.version + 1))
        monkeypatch.setitem(NODES, "space", newer)
        waiting = _waiting(_explained(small, space))
        assert waiting["space", "suzhou"] == "changed: task"
        after = {(name, "suzhou") for name in ("control", "offers", "plans")}
        assert set(waiting) == {("space", "suzhou"), *after}


def test_a_shard_that_comes_to_the_same_stops_the_change(
    small: running.Inputs, small_build: Built, tmp_path: Path
) -> None:
    """Remarks outside what is read change a file's bytes, so its shard runs, and no more."""
    space = Path(shutil.copytree(small_build.workspace, tmp_path / "work"))
    with (small.tables / "gazetteer.csv").open("a", encoding="utf-8") as table:
        table.write("\n")
    inputs = _inputs(small)
    seen: list[Ref] = []
    submit_all(DirectExecutor(Workspace(space), seen.append), inputs, list_documents(inputs))
    assert {ref.stage for ref in seen if not ref.reused} == {"tables"}


def test_a_page_about_another_city_only_changes_the_accounts(
    small: running.Inputs, small_build: Built, tmp_path: Path
) -> None:
    """One page more was looked at, so the counts change; places, routes and queries do not."""
    space = Path(shutil.copytree(small_build.workspace, tmp_path / "work"))
    page = "# 西安三日游\n\n第一天上午到西安,在西安城墙上走一圈。西安的第二天去看塔。\n"
    (small.documents / "elsewhere.md").write_text(page, encoding="utf-8")
    inputs = _inputs(small)
    seen: list[Ref] = []
    submit_all(DirectExecutor(Workspace(space), seen.append), inputs, list_documents(inputs))
    ran = {ref.stage for ref in seen if not ref.reused}
    assert ran == {"corpus", "read", "link", "copies", "mentions", "documents", "control"}


def test_a_stage_that_fails_keeps_the_rest(
    small: running.Inputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards finished before a defect are there for the next build."""

    def broken(job: Job, upstream: Any) -> Any:
        raise ZeroDivisionError(f"defect in {job.shard}")

    node = NODES["trajectories"]
    stage: Stage = replace(node.stage, compute=broken)
    space = Workspace(tmp_path / "work")
    inputs = _inputs(small)
    with monkeypatch.context() as patched:
        patched.setitem(NODES, "trajectories", replace(node, stage=stage))
        with pytest.raises(ZeroDivisionError, match="defect in suzhou"):
            submit_all(DirectExecutor(space), inputs, list_documents(inputs))
    seen: list[Ref] = []
    submit_all(DirectExecutor(space, seen.append), inputs, list_documents(inputs))
    again = {ref.stage for ref in seen if not ref.reused}
    assert "trajectories" in again
    assert not again & {"corpus", "tables", "places", "read", "mentions", "pois", "feedback"}
