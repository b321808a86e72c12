"""The command ``tripbed inspect``, which shows the contents of a snapshot."""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from flows.console import print_json
from flows.errors import SettingsError
from flows.report.given import Row, counts_of, documents_line, order_documents, problem_line
from flows.report.texts import clean
from schemas.nouns import count_noun, noun_of
from warehouse.errors import WarehouseError
from warehouse.given import read_given
from warehouse.read import Snapshot
from warehouse.statistics import PAPERS, show_number, statistics_of


def inspect(path: Path, as_json: bool) -> None:
    """Print the cities in a snapshot, with counts of rows, queries and places."""
    snapshot = Snapshot(path)
    facts: dict[str, Any] = {
        "path": str(path),
        "schema_version": snapshot.manifest.schema_version,
        "cities": list(snapshot.manifest.cities),
        "rows": {name: info.rows for name, info in snapshot.manifest.tables.items()},
        "queries": query_counts(snapshot),
        "pois": poi_counts(snapshot),
        "failures": failure_counts(snapshot),
    }
    if as_json:
        print_json(facts)
        return
    print(f"snapshot {path.name}, schema {facts['schema_version']}")
    for slug in snapshot.manifest.cities:
        queries, pois = facts["queries"][slug], facts["pois"][slug]
        print(
            f"  {slug}: {count_noun(pois['places'], 'place')} ({pois['in_documents']} named in"
            f" documents), {count_noun(pois['trajectories'], 'trajectory')}, {queries['kept']} of"
            f" {queries['planned']} queries kept"
        )
        if failing := {n: k for n, k in facts["failures"][slug].items() if k}:
            told = ", ".join(f"{name}: {n}" for name, n in failing.items())
            print(
                "    trajectories by failure rate (share of stops that are not among the query's"
                f" candidates): {told}"
            )
    for name, info in snapshot.manifest.tables.items():
        print(f"  {name:<20} {info.rows:>9,} {noun_of(info.rows, 'row')}")


def inspect_documents(path: Path, as_json: bool) -> None:
    """Print what happened to every document, unused documents first, and list refused readings.

    Raises WarehouseError if the snapshot has no record of its documents.
    """
    frames = read_given(Snapshot(path).path)
    if "documents" not in frames:
        raise WarehouseError(
            f"{path} has no record of its documents: it was built without documents, or by an older"
            " version of tripbed. Rebuild its cities with --documents"
        )
    documents, problems = frames["documents"], frames["reading_problems"]
    if as_json:
        told = {
            "counts": counts_of(documents),
            "documents": order_documents(documents),
            "reading_problems": problems.to_dicts(),
        }
        print_json(told)
        return
    lines = [documents_line(documents), *map(_document, order_documents(documents))]
    if problems.height:
        lines.append(
            f"{count_noun(problems.height, 'piece or line', 'pieces or lines')} of the readings"
            " could not be used:"
        )
        lines += [f"  {problem_line(row)}" for row in problems.to_dicts()]
    print("\n".join(lines))


def _document(row: Row) -> str:
    read = ""
    if row["reader"]:
        read = (
            f"{row['kind']}, read by {row['reader']}: {count_noun(row['n_places'], 'place')}, "
            f"{count_noun(row['n_stops'], 'stop')}, {count_noun(row['n_facts'], 'fact')}"
        )
    told = (row["lang"], read, ", ".join(row["cities"]), clean(row["why"], 300))
    return f"  {row['status']:<9} {clean(row['path'], 300)}: {'; '.join(filter(None, told))}"


def inspect_statistics(path: Path, paper: str, as_json: bool) -> None:
    """Print the figures from one paper, or from all papers, beside the snapshot's own figures.

    Raises SettingsError if the paper is unknown.
    """
    if paper not in (*PAPERS, "all"):
        raise SettingsError(f"--statistics {paper}: choose one of {', '.join(PAPERS)}, or all")
    found = statistics_of(Snapshot(path), PAPERS if paper == "all" else (paper,))
    if as_json:
        print_json([asdict(row) for row in found])
        return
    before = None
    for row in found:
        if row.paper != before:
            print(f"{row.paper:<60}{'paper':>12}{'here':>12}")
            before = row.paper
        told = f"  {row.label} ({row.where})"
        print(f"{told:<60}{show_number(row.published):>12}{show_number(row.here):>12}")


def collect_statistics(snapshot: Snapshot) -> list[list[Any]]:
    """List [paper, label, place in the paper, the paper's figure, the snapshot's figure]."""
    found = statistics_of(snapshot)
    return [[row.paper, row.label, row.where, row.published, row.here] for row in found]


#: The lower ends of the classes in which queries are counted by their number of trajectories.
STEPS = (8, 4, 1, 0)


def query_counts(snapshot: Any) -> dict[str, dict[str, int]]:
    """Count each city's planned, kept and pending queries, and its queries by number of
    trajectories.
    """
    counts: dict[str, dict[str, int]] = {}
    for slug in snapshot.manifest.cities:
        queries = snapshot.table("queries", slug)
        found = queries["n_trajectories"].to_list()
        bounds = zip(STEPS, (10**9, *STEPS), strict=False)
        counts[slug] = {
            "planned": queries.height,
            "kept": queries["status"].to_list().count("kept"),
            "pending": queries["status"].to_list().count("pending_documents"),
            **{f"with_{low}": sum(low <= n < high for n in found) for low, high in bounds},
        }
    return counts


#: The upper end and the name of each class of failure rates.
FAILURES = {
    0.0: "none", 0.1: "up to 10 %", 0.25: "up to 25 %", 0.5: "up to 50 %", 0.75: "up to 75 %",
    1.0: "up to 100 %",
}  # fmt: skip


def failure_counts(snapshot: Any) -> dict[str, dict[str, int]]:
    """Count, for each city, the reference trajectories in each class of failure rates
    (``FAILURES``).
    """
    scores = {slug: snapshot.table("trajectory_scores", slug) for slug in snapshot.manifest.cities}
    return {
        slug: dict(zip(FAILURES.values(), failure_classes(rows["failure_rate"]), strict=True))
        for slug, rows in scores.items()
    }


def failure_classes(rates: Any) -> list[int]:
    """Count the failure rates in each class. Unknown rates are not counted."""
    known = rates.drop_nulls().to_list()
    return [sum(low < r <= high for r in known) for low, high in pairwise((-1.0, *FAILURES))]


def poi_counts(snapshot: Any) -> dict[str, dict[str, int]]:
    """Count each city's places, the places that documents name, and the trajectories."""
    tables = {slug: snapshot.table("pois", slug) for slug in snapshot.manifest.cities}
    return {
        slug: {
            "places": pois.height,
            "in_documents": int((pois["n_documents"] > 0).sum()),
            "documents_only": int((pois["poi_source"] == "document").sum()),
            "trajectories": snapshot.table("trajectories", slug).height,
        }
        for slug, pois in tables.items()
    }
