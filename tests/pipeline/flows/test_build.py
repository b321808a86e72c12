"""Whole builds: the same bytes again, whole or one city at a time."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

import schemas.tables
from flows.pipeline.request import make_inputs
from flows.pipeline.run import BuildResult, build_directly
from flows.pipeline.shards import Workspace
from tests.support.flows import running
from tests.support.flows.builds import Built
from tests.support.flows.running import build_options, checksums, run
from warehouse.read import Snapshot


def _build(inputs: running.Inputs, folder: Path, city: str = "suzhou") -> BuildResult:
    made = make_inputs([city], [inputs.documents], inputs.tables, profile=str(inputs.profile))
    return build_directly(made, Workspace(folder / "work"), folder / "out")


def test_two_builds_have_the_same_bytes(
    small_build: Built, small: running.Inputs, tmp_path: Path, without_extras: None
) -> None:
    again = _build(small, tmp_path)
    assert checksums(again.published.path) == checksums(small_build.path)
    assert again.published.path.name == small_build.path.name


def test_what_a_snapshot_has_beside_its_data(small_build: Built) -> None:
    found = {path.name for path in small_build.path.iterdir()}
    assert found >= {"data", "manifest.json", "run.json", "README.md", "quality", "report.html"}
    manifest = (small_build.path / "manifest.json").read_text(encoding="utf-8")
    assert str(small_build.out) not in manifest
    assert str(small_build.inputs.documents) not in manifest


def test_every_table_has_a_partition(small_build: Built) -> None:
    snapshot = Snapshot(small_build.path)
    assert set(snapshot.tables()) == set(schemas.tables.TABLES)


def test_nothing_changed_is_nothing_done(small_copy: Built) -> None:
    shards = small_copy.workspace / "shards"
    before = running.tree(small_copy.out), running.tree(shards)
    options = [*small_copy.inputs.options(), "--json"]
    outcome = run("build", *options, *build_options(small_copy.workspace, small_copy.out))
    assert outcome.code == 0
    facts = json.loads(outcome.out)
    assert Path(facts["snapshot"]) == small_copy.path
    assert all(stage["reused"] == stage["shards"] for stage in facts["stages"].values())
    assert (running.tree(small_copy.out), running.tree(shards)) == before


@pytest.mark.usefixtures("without_extras")
class TestOneCityOfSeveral:
    """A one-off run for a city replaces its partitions and carries the others over."""

    @pytest.fixture
    def store(self, small_build: Built, tmp_path: Path) -> Path:
        """A store that holds the small city."""
        return Path(shutil.copytree(small_build.out, tmp_path / "out", symlinks=True))

    def test_a_second_city_beside_the_first(
        self, store: Path, small: running.Inputs, small_build: Built, tmp_path: Path
    ) -> None:
        for page in small.documents.iterdir():
            text = page.read_text("utf-8").replace("苏州", "无锡").replace("Suzhou", "Wuxi")
            page.write_text(text, encoding="utf-8")
        table = small.tables / "gazetteer.csv"
        table.write_text(running.GAZETTEER.replace(",31.3", ",31.5"), encoding="utf-8")
        options = build_options(tmp_path / "other", store)
        outcome = run("build", *small.options("wuxi"), *options)
        assert outcome.code == 0, outcome
        snapshot = Snapshot(Path(outcome.last_line))
        assert snapshot.manifest.cities == ("suzhou", "wuxi")
        assert set(snapshot.manifest.settings["cities"]) == {"suzhou", "wuxi"}
        new, old = checksums(snapshot.path), checksums(small_build.path)
        kept = {path: digest for path, digest in old.items() if "city=suzhou" in path}
        assert kept
        assert kept.items() <= new.items()
        assert snapshot.table("pois", "wuxi").height == 6
        assert run("validate", snapshot.path).code == 0
        assert (small_build.path / "manifest.json").exists()

    def test_a_city_again_replaces_only_itself(
        self, store: Path, small: running.Inputs, tmp_path: Path
    ) -> None:
        (small.documents / "autumn.md").unlink()
        outcome = run("build", *small.options(), *build_options(tmp_path / "other", store))
        snapshot = Snapshot(Path(outcome.last_line))
        assert snapshot.manifest.cities == ("suzhou",)
        assert snapshot.table("documents")["path"].to_list() == ["spring.md"]
        assert len([path for path in store.glob("s*") if path.is_dir()]) == 2

    def test_a_rejected_build_leaves_the_latest(
        self, store: Path, small: running.Inputs, tmp_path: Path
    ) -> None:
        before = (store / "latest").readlink()
        strict = running.PROFILE.replace("{per_query: 3}", "{per_query: 60}")
        small.profile.write_text(strict, encoding="utf-8")
        outcome = run("build", *small.options(), *build_options(tmp_path / "other", store))
        assert outcome.code == 1
        assert (store / "latest").readlink() == before
        assert (Path(outcome.last_line) / "manifest.json").exists()


def test_documents_alone_build_a_city_anywhere(tmp_path: Path, without_extras: None) -> None:
    """No tables: places come from the documents, with the words of the country in their names."""
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "days.md").write_text(
        "# Two days in Rome\n\n## Day 1\nVisit the Museo del Sale, Piazza dei Venti and the "
        "Fontana di Luna.\n\n## Day 2\n- 09:00 Basilica di San Fiore (closed on Mondays)\n"
        "- 14:00 Castello dei Tre Pini\n- 16:00 Galleria Ombrosa\n",
        encoding="utf-8",
    )
    inputs = make_inputs(["rome"], [pages], None, profile="folder")
    built = build_directly(inputs, Workspace(tmp_path / "work"), tmp_path / "out")
    data = built.published.path / "data"
    assert built.published.path.parent == tmp_path / "out"
    pois = pl.read_parquet(data / "pois" / "**" / "*.parquet")
    assert sorted(pois["name_en"]) == [
        "Basilica di San Fiore", "Castello dei Tre Pini", "Fontana di Luna", "Galleria Ombrosa",
        "Museo del Sale", "Piazza dei Venti",
    ]  # fmt: skip
    [route] = pl.read_parquet(data / "trajectories" / "**" / "*.parquet")["clean_visits"].to_list()
    assert [stop["day"] for stop in route] == [1, 1, 1, 2, 2, 2]
