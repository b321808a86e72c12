"""The commands ``tripbed inspect`` and ``tripbed report``, which show a snapshot's contents."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from flows.report import write_report
from flows.report.counts import failure_counts, poi_counts, query_counts
from flows.report.given import Row, counts_of, documents_line, order_documents, problem_line
from flows.report.texts import clean
from schemas.nouns import count_noun, noun_of
from warehouse.errors import WarehouseError
from warehouse.given import read_given
from warehouse.read import Snapshot


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
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
        return
    sys.stdout.write(f"snapshot {path.name}, schema {facts['schema_version']}\n")
    for slug in snapshot.manifest.cities:
        queries, pois = query_counts(snapshot)[slug], poi_counts(snapshot)[slug]
        sys.stdout.write(
            f"  {slug}: {count_noun(pois['places'], 'place')} ({pois['in_documents']} named in"
            f" documents), {count_noun(pois['trajectories'], 'trajectory')}, {queries['kept']} of"
            f" {queries['planned']} queries kept\n"
        )
        if failing := {n: k for n, k in failure_counts(snapshot)[slug].items() if k}:
            told = ", ".join(f"{name}: {n}" for name, n in failing.items())
            sys.stdout.write(f"    stops that cannot be found without their document: {told}\n")
    for name, info in snapshot.manifest.tables.items():
        sys.stdout.write(f"  {name:<20} {info.rows:>9,} {noun_of(info.rows, 'row')}\n")


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
        sys.stdout.write(json.dumps(told, ensure_ascii=False) + "\n")
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


def report(path: Path) -> None:
    """Write the report into the snapshot's folder, and print its path."""
    sys.stdout.write(f"{write_report(Snapshot(path).path)}\n")
