"""Measure the seconds and the peak memory of all gates on up to 600,000 rows.

The run copies the sample city with new ids until the snapshot has enough rows, so the gates check
real values and references. Each size is measured in its own process.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

from benchmarks.report import table, write_section
from schemas.tables import TABLES
from validators.validate import validate
from warehouse.candidate import partition_path, table_entries, write_partition
from warehouse.manifest import FILE_NAME, FileEntry, Manifest
from warehouse.read import Snapshot

SIZES = (10_000, 100_000, 600_000)
#: Columns with ids, which differ in each copy of the city.
_IDS = (
    "city_id", "query_id", "sub_query_id", "doc_id", "near_duplicate_of", "poi_id", "mention_id",
    "parent_poi_id", "superseded_by", "fact_id", "trajectory_id", "hotel_id", "restaurant_id",
    "train_id", "flight_id", "station_id", "from_id", "to_id", "evidence_id", "quarantine_id",
    "decision_id", "origin_city_id", "destination_city_id", "other_poi_id", "other_evidence_id",
    "row_id",
)  # fmt: skip


def grow(base: Path, target: Path, rows: int) -> int:
    """Write a snapshot of about ``rows`` rows, and return the exact number."""
    held = Snapshot(base)
    tables = {name: held.table(name) for name in TABLES if name != "gates"}
    size = sum(part.height for name, part in tables.items() if TABLES[name].partition == "city")
    files: dict[str, list[FileEntry]] = {name: [] for name in TABLES}
    slugs = []
    for number in range(max(1, round(rows / size))):
        slug = f"{held.manifest.cities[0]}{number}"
        slugs.append(slug)
        for name, part in tables.items():
            if TABLES[name].partition == "none" and number:
                continue
            value = {"none": None, "city": slug, "pair": f"{slug}--elsewhere"}
            made = _rename_ids(part, number, slug)
            files[name].append(write_partition(target, name, value[TABLES[name].partition], made))
    files["gates"] = [write_partition(target, "gates", None, held.table("gates"))]
    settings = next(iter(held.manifest.settings["cities"].values()))
    manifest = Manifest(
        schema_version=held.manifest.schema_version, cities=tuple(sorted(slugs)),
        settings={"cities": dict.fromkeys(slugs, settings)}, ingredients={},
        tables=table_entries(files),
    )  # fmt: skip
    (target / FILE_NAME).write_text(manifest.text(), encoding="utf-8")
    assert (target / partition_path("gates", None)).is_file()
    return sum(entry.rows for entry in manifest.tables.values())


def _rename_ids(rows: pl.DataFrame, number: int, slug: str) -> pl.DataFrame:
    """Give rows new ids for one copy of the city; each new id ends in the copy's number."""
    if not number:
        return rows.with_columns(slug=pl.lit(slug)) if "slug" in rows.columns else rows
    changes = []
    for column in set(_IDS) & set(rows.columns):
        value = pl.col(column)
        if column.endswith("city_id"):
            changes.append((value + f"{number:03d}").alias(column))
        elif column in (
            "poi_id",
            "parent_poi_id",
            "superseded_by",
            "from_id",
            "to_id",
            "doc_id",
            "near_duplicate_of",
            "evidence_id",
            "other_poi_id",
            "other_evidence_id",
        ):
            # The number of the copy replaces the last digits, so that ids keep their form.
            changes.append(
                (value.str.head(value.str.len_chars() - 3) + f"{number:03x}").alias(column)
            )
        else:
            changes.append((value + f"-{number}").alias(column))
    made = rows.with_columns(changes)
    return made.with_columns(slug=pl.lit(slug)) if "slug" in rows.columns else made


def measure(snapshot: Path) -> dict[str, float]:
    """Run all gates in this process; return the seconds and the peak memory in MB."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    verdict = validate(snapshot)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "seconds": round(seconds, 2),
        "peak_mb": round(peak / 1024),
        "start_mb": round(before / 1024),
        "gates": len(verdict.results),
        "failures": verdict.failures.height,
    }


def main() -> None:
    """Measure each size in its own process, print the figures and, with ``--write``, write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--write", action="store_true", help="write the figures to docs/benchmarks")
    parser.add_argument("--only", action="store_true", help="measure only this snapshot")
    options = parser.parse_args()
    if options.only:
        sys.stdout.write(json.dumps(measure(options.snapshot)) + "\n")
        return
    lines = []
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            rows = grow(options.snapshot.resolve(), Path(folder), size)
            command = [sys.executable, "-m", "benchmarks.gates", folder, "--only"]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            found = json.loads(done.stdout)
            lines.append(
                (f"{rows:,}", found["gates"], found["seconds"], found["peak_mb"], found["failures"])
            )
            sys.stderr.write(f"{lines[-1]}\n")
    text = table(("rows", "gates", "seconds", "peak memory, MB", "failures found"), lines)
    text += (
        "\nThe larger snapshots consist of copies of the sample. In the copies, the ids do not"
        " match the data, so the gates that check ids report many failures. The times include the"
        " time that tripbed takes to write the failures to disk. The column *peak memory* shows the"
        " peak memory of the whole process.\n"
    )
    sys.stdout.write(text)
    if options.write:
        write_section("All gates by size", "python -m benchmarks.gates SNAPSHOT --write", text)


if __name__ == "__main__":
    main()
