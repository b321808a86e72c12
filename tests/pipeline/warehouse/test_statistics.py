"""A snapshot counted as the papers count their own sets."""

from __future__ import annotations

import json

import polars as pl
import pytest

from flows.errors import SettingsError
from flows.report.contents import collect_statistics, inspect_statistics
from tests.support.flows.builds import Built, small_build
from warehouse.read import Snapshot
from warehouse.statistics import PAPERS, markdown, show_number, statistics_of

__all__ = ["small_build"]


@pytest.fixture
def snapshot(small_build: Built) -> Snapshot:
    return Snapshot(small_build.out / "latest")


def here(snapshot: Snapshot, paper: str) -> dict[str, float | int | None]:
    return {row.key: row.here for row in statistics_of(snapshot, (paper,))}


def test_counts_are_those_of_the_tables(snapshot: Snapshot) -> None:
    kept = snapshot.table("queries").filter(
        (pl.col("status") == "kept") & (pl.col("family") == "tprag")
    )
    found = here(snapshot, "tprag")
    assert kept.height
    assert found["queries"] == kept.height
    assert found["generic"] == kept.filter(pl.col("constraint_kind") == "generic").height
    assert found["trajectories"] == int(kept["n_trajectories"].sum())
    assert found["candidates_a_query"] == round(int(kept["n_candidates"].sum()) / kept.height, 2)


def test_what_a_snapshot_cannot_tell_is_unknown(snapshot: Snapshot) -> None:
    assert here(snapshot, "traveleval")["named_positions"] is None
    assert here(snapshot, "tripscore")["all_hotels"] is None
    assert show_number(None) == "–"


def test_every_figure_of_the_papers_has_a_place_and_a_counterpart(snapshot: Snapshot) -> None:
    found = statistics_of(snapshot)
    assert {row.paper for row in found} == set(PAPERS)
    assert all(row.where and row.published > 0 for row in found)
    unknown = {row.key for row in found if row.here is None}
    assert all(
        "hotels" in key or key in {"named_positions", "restaurants", "trains", "flights"}
        for key in unknown
    )
    published = {(row.paper, row.key): row.published for row in found}
    days = sum(published["traveleval", f"progressive_{n}"] for n in range(2, 8))
    assert days == published["traveleval", "progressive"] == 150
    parts = (
        "train_synthetic",
        "validation_synthetic",
        "validation_real",
        "test_synthetic",
        "test_real",
    )
    assert sum(published["tripscore", f"{p}_queries"] for p in parts) == 4_870


def test_the_card_the_page_and_the_command_say_the_same(
    small_build: Built, snapshot: Snapshot, capsys: pytest.CaptureFixture[str]
) -> None:
    found = statistics_of(snapshot)
    assert markdown(found) in (small_build.out / "latest" / "README.md").read_text("utf-8")
    assert [row[4] for row in collect_statistics(snapshot)] == [row.here for row in found]
    inspect_statistics(small_build.out / "latest", "all", as_json=True)
    assert [row["here"] for row in json.loads(capsys.readouterr().out)] == [r.here for r in found]
    inspect_statistics(small_build.out / "latest", "tprag", as_json=False)
    assert "reference trajectories a query" in capsys.readouterr().out
    with pytest.raises(SettingsError, match="choose one of tprag"):
        inspect_statistics(small_build.out / "latest", "none", as_json=False)
