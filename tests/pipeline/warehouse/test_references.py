"""The best trajectories of a query, as a sandbox gives them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.counterexamples.good import A, trajectory_id
from warehouse.errors import SandboxError
from warehouse.knowledge import best
from warehouse.sandbox import Sandbox

QUERY = f"tprag-{A.slug}-3d"
ZH, EN = trajectory_id(A, "route_zh"), trajectory_id(A, "route_en")


@pytest.fixture(scope="module")
def box(published: Path) -> Sandbox:
    return Sandbox(published)


def test_the_best_come_first(box: Sandbox) -> None:
    found = box.best_trajectories(QUERY)
    assert [(one.trajectory_id, one.quality_rank, one.rank) for one in found] == [
        (EN, 1, 2), (ZH, 2, 1),
    ]  # fmt: skip
    assert [one.poi_popularity for one in found] == [1.0, 0.666667]
    first = found[0]
    assert [(v.day, v.order, v.name) for v in first.visits] == [
        (1, 1, "水运博物馆"), (1, 2, "月影湖"), (2, 1, "柳岸公园"),
    ]  # fmt: skip
    assert first.distance_margin_ratio == 0
    assert first.length_m == first.optimal_m == 2270.6


def test_as_many_as_asked_for_in_the_order_asked_for(box: Sandbox) -> None:
    assert [one.trajectory_id for one in box.best_trajectories(QUERY, 1)] == [EN]
    assert [one.trajectory_id for one in box.best_trajectories(QUERY, 1, "relevance")] == [ZH]
    assert len(box.best_trajectories(QUERY, 99)) == 2


def test_a_query_without_references_has_none(box: Sandbox) -> None:
    assert box.best_trajectories(f"tprag-{A.slug}-autumn-2d") == ()


@pytest.mark.parametrize(
    ("query", "m", "by", "message"),
    [
        (f"tprag-{A.slug}-3", None, "quality", QUERY),
        (QUERY, 0, "quality", "must be positive"),
        (QUERY, 1, "beauty", "relevance"),
    ],
)
def test_wrong_questions(box: Sandbox, query: str, m: int | None, by: str, message: str) -> None:
    with pytest.raises(SandboxError, match=message):
        box.best_trajectories(query, m, by)


def test_a_trajectory_without_its_score(box: Sandbox) -> None:
    found = tuple(replace(one, quality_rank=None) for one in box.best_trajectories(QUERY))
    assert [one.trajectory_id for one in best(found, None, "relevance")] == [ZH, EN]
    with pytest.raises(SandboxError, match="tripbed validate"):
        best(found, None, "quality")
