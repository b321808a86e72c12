"""The command line: help, what stands on standard output, exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.support.flows import running
from tests.support.flows.builds import Built
from tests.support.flows.running import build_options, run
from warehouse.read import Snapshot

STAGES = {
    ("queries", "build"): {"queries"},
    ("retrieve",): {"query_documents", "sub_queries"},
    ("resolve",): {"pois", "poi_aliases", "poi_mentions"},
    ("trajectories",): {"trajectories"},
    ("tag",): {"poi_facts", "poi_tags"},
    ("tables", "import"): {"hotels", "restaurants", "trains"},
}
#: Keys of one document's line and of its places, as the labelled documents have them.
LINE_KEYS = {"doc", "lang", "kind", "cities", "days_stated", "pois", "trajectory", "facts"}
POI_KEYS = {"name", "standard", "also", "role", "parent"}


def test_a_wrong_choice_names_the_choices() -> None:
    done = run("sandbox", "tools", "--format", "nope")
    assert done.code == 2
    assert "Invalid value for '--format': 'nope' is not one of 'openai'" in done.err


@pytest.mark.usefixtures("without_extras")
class TestBuild:
    """What a build prints."""

    def test_the_last_line_is_the_snapshot(self, small: running.Inputs, tmp_path: Path) -> None:
        outcome = run("build", *small.options(), *build_options(tmp_path / "w", tmp_path / "o"))
        assert outcome.code == 0
        assert Path(outcome.last_line).is_dir()
        assert (tmp_path / "o" / "latest").resolve() == Path(outcome.last_line).resolve()
        assert "45/45" in outcome.err, "the progress bar counts to its end"
        assert "4 kept" in outcome.out

    def test_json_is_one_document(self, small: running.Inputs, tmp_path: Path) -> None:
        options = build_options(tmp_path / "w", tmp_path / "o")
        outcome = run("build", *small.options(), *options, "--json")
        facts = json.loads(outcome.out)
        assert Path(facts["snapshot"]).is_dir()
        assert facts["passed"]
        assert facts["rows"]["documents"] == 2
        queries = facts["queries"]["suzhou"]
        assert queries["planned"] == queries["kept"] + queries["pending"]
        assert sum(queries[f"with_{n}"] for n in (8, 4, 1, 0)) == queries["planned"]
        assert set(facts["stages"]) >= {"corpus", "mentions", "trajectories", "control"}

    def test_a_failed_gate_is_exit_code_1(self, small: running.Inputs, tmp_path: Path) -> None:
        strict = running.PROFILE.replace(
            "candidates: {per_query: 3}", "candidates: {per_query: 60}"
        )
        small.profile.write_text(strict, encoding="utf-8")
        outcome = run("build", *small.options(), *build_options(tmp_path / "w", tmp_path / "o"))
        assert outcome.code == 1
        assert "no snapshot was published" in outcome.out
        assert Path(outcome.last_line).parent.name == "rejected"
        assert not (tmp_path / "o" / "latest").exists()

    def test_publish_finishes_what_the_workspace_holds(
        self, small: running.Inputs, tmp_path: Path
    ) -> None:
        space, out = tmp_path / "w", tmp_path / "o"
        assert run("trajectories", *small.options(), "--workspace", space).code == 0
        options = ["--workspace", str(space), "--out", str(out)]
        outcome = run("publish", *small.options(), *options, "--json")
        facts = json.loads(outcome.out)
        assert Path(facts["snapshot"]).is_dir()
        stages = facts["stages"]
        assert stages["read"]["reused"] == stages["read"]["shards"] == 8
        assert stages["control"]["reused"] == 0


class TestLooking:
    """validate, inspect and report on a finished snapshot."""

    @pytest.fixture
    def copy(self, small_build: Built, tmp_path: Path) -> Path:
        """A snapshot that a test may spoil."""
        return Path(shutil.copytree(small_build.path, tmp_path / "copy"))

    def test_validate_a_good_snapshot(self, small_build: Built) -> None:
        outcome = run("validate", small_build.path)
        assert outcome.code == 0
        assert "gates: 0 failed" in outcome.last_line
        facts = json.loads(run("validate", small_build.path, "--json").out)
        assert facts["passed"]
        assert all(gate["passed"] for gate in facts["gates"] if gate["severity"] == "error")

    def test_validate_names_what_is_wrong(self, copy: Path) -> None:
        spoiled = next((copy / "data" / "pois").rglob("*.parquet"))
        spoiled.write_bytes(spoiled.read_bytes()[:-1])
        outcome = run("validate", copy)
        assert outcome.code == 1
        assert "error files: table" in outcome.out
        assert str(spoiled.relative_to(copy)) in outcome.out
        facts = json.loads(run("validate", copy, "--json").out)
        assert not facts["passed"]
        assert facts["failures"][0]["gate_id"] == "files"

    def test_validate_through_the_link_to_the_latest(self, small_build: Built) -> None:
        assert run("validate", small_build.out / "latest").code == 0

    def test_inspect(self, small_build: Built) -> None:
        outcome = run("inspect", small_build.path)
        assert outcome.code == 0
        assert "suzhou: 6 places" in outcome.out
        facts = json.loads(run("inspect", small_build.path, "--json").out)
        assert facts["cities"] == ["suzhou"]
        assert facts["rows"]["pois"] == facts["pois"]["suzhou"]["places"] == 6

    def test_report(self, copy: Path) -> None:
        (copy / "report.html").unlink()
        outcome = run("report", copy)
        assert outcome.code == 0
        page = Path(outcome.last_line)
        assert page == copy / "report.html"
        assert "青石园" in page.read_text(encoding="utf-8")


class TestExtract:
    """Documents to lines, in the form of the labelled documents."""

    def test_one_object_a_document(self, small: running.Inputs, tmp_path: Path) -> None:
        (small.documents / "deep").mkdir()
        page = small.documents / "deep" / "copy.md"
        page.write_text(running.PAGES["spring.md"], encoding="utf-8")
        (small.documents / "junk.md").write_bytes(b"\x00\x01" * 300)
        lines = tmp_path / "new" / "lines.jsonl"
        options = ["--documents", small.documents, "--tables", small.tables, "--city", "suzhou"]
        outcome = run("extract", *options, "--out", lines)
        assert outcome.code == 0
        assert outcome.last_line == str(lines)
        found = {row["doc"]: row for row in map(json.loads, lines.read_text("utf-8").splitlines())}
        assert sorted(found) == ["autumn.md", "deep/copy.md", "spring.md"]
        for name, row in found.items():
            self._has_the_form(row, (small.documents / name).read_text(encoding="utf-8"))
        spring = found["spring.md"]
        assert [(day["day"], day["visits"]) for day in spring["trajectory"]] == [
            (1, ["青石园", "双桥古街", "云岩塔"]),
            (2, ["湖东博物馆", "听枫书院", "柳浜码头"]),
        ]
        assert {**found["deep/copy.md"], "doc": ""} == {**spring, "doc": ""}

    def _has_the_form(self, row: dict[str, Any], text: str) -> None:
        assert set(row) >= LINE_KEYS
        standards = set()
        for poi in row["pois"]:
            assert set(poi) >= POI_KEYS
            assert poi["role"] in {"visited", "recommended", "mentioned", "rejected"}
            assert all(name in text for name in (poi["name"], *poi["also"]))
            standards.add(poi["standard"])
        for fact in row["facts"]:
            assert set(fact) >= {"poi", "field", "value", "evidence"}
            assert fact["evidence"] in text
            assert fact["poi"] in standards
        for day in row["trajectory"] or ():
            assert set(day["visits"]) <= standards

    def test_json_counts(self, small: running.Inputs, tmp_path: Path) -> None:
        out = tmp_path / "lines.jsonl"
        outcome = run("extract", "--documents", small.documents, "--out", out, "--json")
        assert json.loads(outcome.out)["read"] == len(out.read_text("utf-8").splitlines()) == 2

    def test_the_same_bytes_twice(self, small: running.Inputs, tmp_path: Path) -> None:
        outs = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
        for out in outs:
            options = ["--documents", small.documents, "--tables", small.tables]
            assert run("extract", *options, "--city", "suzhou", "--out", out).code == 0
        assert outs[0].read_bytes() == outs[1].read_bytes()


class TestStages:
    """Single stages print their rows and export them."""

    @pytest.mark.parametrize("command", STAGES, ids=" ".join)
    def test_a_stage_exports_its_tables(
        self, command: tuple[str, ...], small_copy: Built, tmp_path: Path
    ) -> None:
        options = [*small_copy.inputs.options(), "--workspace", str(small_copy.workspace)]
        outcome = run(*command, *options, "--out", tmp_path / "rows", "--json")
        assert outcome.code == 0, outcome
        rows = json.loads(outcome.out)["rows"]["suzhou"]
        assert STAGES[command] <= set(rows)
        for table, count in rows.items():
            assert (
                pl.read_parquet(tmp_path / "rows" / "suzhou" / f"{table}.parquet").height == count
            )

    def test_a_stage_in_words(self, small_copy: Built) -> None:
        options = [*small_copy.inputs.options(), "--workspace", str(small_copy.workspace)]
        outcome = run("trajectories", *options)
        assert outcome.code == 0
        assert "suzhou" in outcome.out
        snapshot = Snapshot(small_copy.path)
        assert snapshot.table("trajectories").height == 2
