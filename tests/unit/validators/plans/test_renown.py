"""Renown: ratings, documents, and the order in which a source lists its sights."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from validators.plans.renown import COLUMNS, Renown, renown_of, renown_rows
from validators.plans.world import Place


def points(*rows: tuple[str, float | None, int, int | None]) -> dict[str, int]:
    """Points by place id; rows tell id, rating, documents and line of the source."""
    pois = [
        {"poi_id": key, "base_type": None, "category": None, "rating": rating, "grade": None,
         "n_documents": documents, "evidence_id": f"e_{key}"}
        for key, rating, documents, _ in rows
    ]  # fmt: skip
    lines = [
        {"evidence_id": f"e_{key}", "source_file": "f.csv", "source_line": line}
        for key, _, _, line in rows
    ]
    tables: dict[str, Any] = {
        "pois": pl.DataFrame(
            pois,
            {
                "poi_id": pl.String,
                "base_type": pl.String,
                "category": pl.String,
                "rating": pl.Float64,
                "grade": pl.String,
                "n_documents": pl.Int64,
                "evidence_id": pl.String,
            },
        ),
        "evidence": pl.DataFrame(
            lines, {"evidence_id": pl.String, "source_file": pl.String, "source_line": pl.Int64}
        ),
        "poi_hierarchy": pl.DataFrame(schema=dict.fromkeys(COLUMNS["poi_hierarchy"], pl.String)),
        "restaurants": pl.DataFrame(schema={"restaurant_id": pl.String, "rating": pl.Float64}),
        "hotels": pl.DataFrame(schema={"hotel_id": pl.String, "rating": pl.Float64}),
    }
    return dict(renown_of(renown_rows(tables)).points)


def test_what_a_source_lists_first_is_known_beside_what_documents_name() -> None:
    """Few documents know a city by chance: the first of the list is ahead of a place named once
    more.
    """
    found = points(
        ("first", 4.6, 2, 2), ("second", 4.6, 0, 9), ("third", 4.6, 3, 40), ("last", 4.6, 0, 90)
    )  # fmt: skip
    assert found["first"] > found["third"] > found["last"]


def test_many_documents_outweigh_the_order_alone() -> None:
    found = points(("listed", 4.6, 0, 2), ("both", 4.6, 9, 3), ("named", 4.6, 5, None))
    assert found["both"] > found["listed"]
    assert found["named"] > points(("named", 4.6, 0, None))["named"]


@pytest.mark.parametrize("line", [None, 7])
def test_a_rating_counts_and_what_is_unknown_costs_nothing_else(line: int | None) -> None:
    assert points(("a", 4.9, 0, line))["a"] - points(("a", 4.6, 0, line))["a"] == 60


def test_of_equal_documents_what_is_listed_comes_first() -> None:
    found = points(("unlisted", 4.6, 2, None), ("zero", 4.6, 2, 0), ("ten", 4.6, 2, 10))
    assert found["zero"] > found["ten"] > found["unlisted"]


@pytest.mark.parametrize(
    ("metres", "base", "same"),
    [
        (60, "historic_site", True), (60, "museum_memorial", True), (60, "park", False),
        (120, "historic_site", False),
    ],
)  # fmt: skip
def test_a_museum_in_the_house_of_a_sight_is_one_visit(
    metres: float, base: str, *, same: bool
) -> None:
    crafts, hall = (
        Place("attraction", name, name, (30.0 + away / 111_195, 120.0), frozenset())
        for name, away in (("工艺陈列馆", 0.0), ("陈氏宗祠", metres))
    )
    kinds = {"工艺陈列馆": "museum_memorial", "陈氏宗祠": base}
    assert Renown({}, kinds, {}, {}, {}).same_visit(crafts, hall) is same


def test_a_full_score_comes_from_few_votes_and_counts_less() -> None:
    assert points(("a", 5.0, 3, None))["a"] < points(("a", 4.8, 3, None))["a"]
