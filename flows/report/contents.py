"""The commands ``tripbed inspect`` and ``tripbed report``, which show a snapshot's contents."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from flows.console import print_json
from flows.errors import SettingsError
from flows.report.counts import failure_counts, poi_counts, query_counts
from flows.report.given import Row, counts_of, documents_line, order_documents, problem_line
from flows.report.texts import clean
from schemas.nouns import count_noun, noun_of
from warehouse.errors import WarehouseError
from warehouse.given import read_given
from warehouse.read import Snapshot
from warehouse.statistics import PAPERS, show_number, statistics_of


def inspect(path: Path, as_json: bool) -> None:
    """Print the cities of a snapshot, with counts of rows, queries and places."""
    snapshot = Snapshot(path)
    facts = {
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
        queries, pois = query_counts(snapshot)[slug], poi_counts(snapshot)[slug]
        sys.stdout.write(
            f"  {slug}: {count_noun(pois['places'], 'place')} ({pois['in_documents']} named in"
            f" documents), {count_noun(pois['trajectories'], 'trajectory')}, {queries['kept']} of"
            f" {queries['planned']} queries kept\n"
        )
        if failing := {n: k for n, k in failure_counts(snapshot)[slug].items() if k}:
            told = ", ".join(f"{name}: {n}" for name, n in failing.items())
            print(f"    stops that cannot be found without their document: {told}")
    for name, info in snapshot.manifest.tables.items():
        print(f"  {name:<20} {info.rows:>9,} {noun_of(info.rows, 'row')}")


def inspect_documents(path: Path, as_json: bool) -> None:
    """Print what happened to every document, with unused documents first, and refused readings.

    Raises WarehouseError if the snapshot does not record it.
    """
    frames = read_given(Snapshot(path).path)
    if "documents" not in frames:
        raise WarehouseError(
            f"{path} has no record of its documents: it was built without any, or by an older "
            "tripbed. Build its cities again with --documents"
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
            f"readings: {count_noun(problems.height, 'piece or line', 'pieces or lines')} refused"
        )
        lines += [f"  {problem_line(row)}" for row in problems.to_dicts()]
    sys.stdout.write("\n".join(lines) + "\n")


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
    """Print the figures of one paper, or of all papers, beside those of a snapshot.

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
