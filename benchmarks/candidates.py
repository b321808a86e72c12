"""Measure how well candidates fit their queries, and how many stops are not among the candidates.

    python -m benchmarks.candidates SNAPSHOT [--write]

The run prints three tables. The first table shows how similar the candidates of a tprag query with
a constraint are to those of the generic query for the same city and trip length (Jaccard
similarity). The second table shows the share of candidates in the requested category, and the
largest share that the city's places allow. The third table counts reference trajectories by
their failure rate, which is the share of stops that are not among the query's candidates. To
compute the failure rate of a trajectory, the build chooses the candidates without using the
document that describes the trajectory.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.report import table, write_section
from flows.report.contents import FAILURES, failure_counts
from warehouse.read import Snapshot

_SECTION = "Candidates of queries"
_NOTE = (
    "Each `tprag` query with a constraint has a generic counterpart for the same city and trip"
    " length. The first table shows the Jaccard similarity between the candidates of a query and"
    " those of its generic counterpart. The second table shows the share of candidates in the"
    " requested category, and the maximum share that would be possible with the places in the city."
    " The third table groups reference trajectories by failure rate. The failure rate is the share"
    " of a trajectory's stops that are not among the candidates. When tripbed computes the failure"
    " rate, it ignores the document that describes the trajectory."
)
_LENGTH = ["city_id", "n_days"]


def with_queries(snapshot: Snapshot) -> pl.DataFrame:
    """Return the candidates of tprag queries, each with the constraint of its query."""
    asked = (
        snapshot.table("queries")
        .filter(pl.col("family") == "tprag")
        .select("query_id", "constraint_kind", "constraint_code", "n_days")
    )
    return snapshot.table("query_pois").join(asked, on="query_id")


def likeness(rows: pl.DataFrame) -> pl.DataFrame:
    """Return, for each query, the Jaccard index of its candidates and the generic query's
    candidates.
    """
    asked = ["query_id", "constraint_kind", "constraint_code", *_LENGTH]
    sets = rows.group_by(asked).agg(pl.col("poi_id").unique())
    generic = sets.filter(pl.col("constraint_kind") == "generic")
    both = sets.filter(pl.col("constraint_kind") != "generic").join(
        generic.select(*_LENGTH, generic="poi_id"), on=_LENGTH, nulls_equal=True
    )
    shared = pl.col("poi_id").list.set_intersection("generic").list.len()
    either = pl.col("poi_id").list.set_union("generic").list.len()
    return both.with_columns(jaccard=shared / either)


def likeness_table(rows: pl.DataFrame) -> str:
    """Return a table of the median and range of the similarity, for each constraint and overall."""
    found = likeness(rows)
    by = found.group_by("constraint_kind", "constraint_code").agg(
        pl.len(),
        median=pl.col("jaccard").median(),
        least=pl.col("jaccard").min(),
        most=pl.col("jaccard").max(),
    )
    lines = [
        [
            f"{r['constraint_kind']}: {r['constraint_code']}",
            r["len"],
            f"{r['median']:.2f}",
            f"{r['least']:.2f}",
            f"{r['most']:.2f}",
        ]
        for r in by.sort("constraint_kind", "constraint_code").to_dicts()
    ]
    every = np.array(found["jaccard"].to_list() or [np.nan])
    figures = (np.median(every), every.min(), every.max())
    lines.append(["all", found.height, *(f"{figure:.2f}" for figure in figures)])
    return table(("constraint", "queries", "median Jaccard", "least", "most"), lines)


def category_table(snapshot: Snapshot, rows: pl.DataFrame) -> str:
    """Return a table of the share of candidates that are in the wanted category, both among all
    candidates and among the first 20.
    """
    pois = snapshot.table("pois").filter(pl.col("lat").is_not_null())
    held = pois.group_by("city_id", constraint_code="category").agg(held=pl.len())
    told = (
        rows.filter(pl.col("constraint_kind") == "poi_category")
        .join(pois.select("poi_id", "category"), on="poi_id")
        .with_columns(
            is_of=(pl.col("category") == pl.col("constraint_code")).fill_null(value=False)
        )
        .group_by("query_id", "city_id", "constraint_code")
        .agg(
            n=pl.len(),
            n_of=pl.col("is_of").sum(),
            first=pl.col("is_of").filter(pl.col("rank") <= 20).mean(),
        )
        .join(held, on=["city_id", "constraint_code"], how="left")
        .with_columns(
            share=pl.col("n_of") / pl.col("n"),
            can=pl.min_horizontal(pl.col("held").fill_null(0), "n") / pl.col("n"),
        )
    )
    by = told.group_by("constraint_code").agg(
        pl.len(), pl.col("share").mean(), pl.col("can").mean(), pl.col("first").mean()
    )
    lines = [
        [r["constraint_code"], r["len"], *(f"{r[c]:.0%}" for c in ("share", "can", "first"))]
        for r in by.sort("constraint_code").to_dicts()
    ]
    head = (
        "category",
        "queries",
        "candidates of the category",
        "maximum possible in the city",
        "of the first 20",
    )
    return table(head, lines)


def failure_table(snapshot: Snapshot) -> str:
    """Return a table with the number of reference trajectories for each range of failure rates."""
    rates = snapshot.table("trajectory_scores")["failure_rate"]
    known = rates.drop_nulls()
    by_class: Counter[str] = Counter()
    for classes in failure_counts(snapshot).values():
        by_class.update(classes)
    lines: list[list[object]] = [
        [name, by_class[name], f"{by_class[name] / max(len(known), 1):.0%}"]
        for name in FAILURES.values()
    ]
    lines.append(["unknown", rates.null_count(), ""])
    body = table(("stops that fail", "reference trajectories of queries", "share"), lines)
    if len(known):
        every = known.to_numpy()
        body += (
            f"\nThe mean failure rate is {every.mean():.2f},"
            f" and the median is {np.median(every):.2f}.\n"
        )
    return body


def main() -> None:
    """Print the tables, or write them to the page with ``--write``."""
    parser = argparse.ArgumentParser()
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--write", action="store_true", help="write the figures to docs/benchmarks")
    given = parser.parse_args()
    snapshot = Snapshot(given.snapshot)
    rows = with_queries(snapshot)
    parts = [likeness_table(rows), category_table(snapshot, rows), failure_table(snapshot)]
    cities = ", ".join(sorted(snapshot.manifest.cities))
    covered = f"The snapshot covers these cities: {cities}."
    body = f"{_NOTE}\n\n{covered}\n\n" + "\n".join(parts)
    if given.write:
        write_section(_SECTION, "python -m benchmarks.candidates SNAPSHOT --write", body)
    else:
        sys.stdout.write(body)


if __name__ == "__main__":
    main()
