"""Build cities of the world with three profiles, and count the published rows.

    python -m benchmarks.world_builds OUT [--city CITY...] [--write]

The tables and documents are in ``benchmarks/world``. The tables were written from memory before any
of the documents existed. Melbourne, the seventh city, was drawn with a seed from ``cities.txt``.
Snapshots and workspaces are stored in OUT, so a second run computes only what changed. The profiles
also ask for balanced reference plans, because families with their own proofs need trains or
flights, which these tables do not contain. A query is silent if it is waiting or has no plan, and
the snapshot gives no reason.

The builds named ``folder, readings`` use the readings of people who saw only the text of the
documents (``benchmarks/world/readings``). A labelled row that is missing in these builds was lost
after reading.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path

import polars as pl
import yaml

from benchmarks.report import table, write_section
from warehouse.read import Snapshot

WORLD = Path(__file__).parent / "world"
PROFILES = ("folder", "tables", "full")
_NOTE = (
    "The benchmark builds snapshots from the tables and documents in `benchmarks/world`. The"
    " benchmark uses three profiles, and each profile asks for balanced reference plans. The builds"
    " named *readings* use readings by people who saw only the text of the documents. A query is"
    " *silent* if the snapshot does not say why the query is waiting or has no plan."
)
#: The profile ``folder`` with careful readings of the documents.
READ = "folder, readings"


def with_plans(profile: str, out: Path) -> Path:
    """Write a bundled profile that also asks for reference plans, and return its path."""
    bundled = resources.files("flows") / "profiles" / f"{profile}.yaml"
    told = yaml.safe_load(bundled.read_text(encoding="utf-8"))
    path = out / f"{profile}.yaml"
    path.write_text(yaml.safe_dump({**told, "plans": {"references": ["balanced"]}}), "utf-8")
    return path


def build(city: str, profile: str, out: Path) -> Path | None:
    """Build a city and write a log; return the snapshot, or None if the build was refused."""
    documents, tables = WORLD / "documents" / city, WORLD / "tables" / city
    readings = WORLD / "readings" / f"{city}.jsonl"
    target = out / ("readings" if profile == READ else profile) / city
    target.mkdir(parents=True, exist_ok=True)
    command = [
        str(Path(sys.executable).with_name("tripbed")), "build", "--city", city.replace("-", " "),
        "--tables", str(tables), "--profile", str(with_plans(profile.partition(",")[0], out)),
        "--direct", "--json",
        "--workspace", str(out / f"ws-{city}"), "--out", str(target / "snap"),
    ]  # fmt: skip
    if documents.is_dir():
        command += ["--documents", str(documents)]
    if profile == READ:
        command += ["--readings", str(readings)]
    with (target / "log").open("wb") as log:
        done = subprocess.run(command, stdout=log, stderr=log, check=False)
    return (target / "snap" / "latest").resolve() if done.returncode == 0 else None


def profiles_of(city: str) -> Iterator[str]:
    """Yield the profiles for which a city has documents and readings."""
    for profile in (*PROFILES, READ):
        has_documents = (WORLD / "documents" / city).is_dir()
        has_readings = (WORLD / "readings" / f"{city}.jsonl").is_file()
        if (has_documents or profile in ("tables", "full")) and (has_readings or profile != READ):
            yield profile


def row(city: str, profile: str, snapshot: Path) -> list[object]:
    """Count the places, the rows from documents and the queries in a snapshot."""
    read = Snapshot(snapshot)
    queries = read.table("queries")
    documents = read.table("documents").height
    seen = read.table("evidence").filter(evidence_kind="document")["evidence_id"]
    facts = read.table("poi_facts").filter(pl.col("evidence_id").is_in(seen.implode())).height
    plans = read.table("witness_plans").filter(plan_kind="balanced")
    told = queries.join(plans.select("query_id", "plan", why="reason"), on="query_id", how="left")
    kept = told.filter(status="kept")
    planned = kept.filter(pl.col("plan").is_not_null()).height
    waits = pl.when(pl.col("status") == "kept").then("why").otherwise("reason").is_null()
    silent = told.filter(waits & ((pl.col("status") != "kept") | pl.col("plan").is_null())).height
    return [
        city,
        profile,
        "yes",
        read.table("pois").height,
        documents,
        read.table("trajectories").height,
        facts,
        queries.height,
        kept.height,
        planned,
        queries.height - kept.height,
        silent,
    ]


def reasons(snapshot: Path) -> Iterator[str]:
    """Yield the gate's reasons why all queries of a family in a city are waiting."""
    gates = Snapshot(snapshot).table("gates").filter(gate_id="pending_cities", passed=False)
    yield from gates["message"].to_list()


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the cities and print a row per build; the exit code is 1 if a build was refused."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path, help="the folder for snapshots and workspaces")
    every = sorted(path.name for path in (WORLD / "tables").iterdir())
    parser.add_argument("--city", nargs="*", choices=every, default=every, help="(default: all)")
    parser.add_argument("--write", action="store_true", help="write the figures to docs/benchmarks")
    options = parser.parse_args(arguments)
    rows: list[list[object]] = []
    told: dict[str, None] = {}
    for city in options.city:
        for profile in profiles_of(city):
            snapshot = build(city, profile, options.out)
            if snapshot is None:
                rows.append([city, profile, "no", *[""] * 9])
                continue
            rows.append(row(city, profile, snapshot))
            told.update(dict.fromkeys(reasons(snapshot)))
    header = ["city", "profile", "published", "places", "documents used", "journeys",
              "facts of documents", "queries", "kept", "with a plan", "waiting",
              "silent"]  # fmt: skip
    body = table(header, rows)
    sys.stdout.write(body + "".join(f"waiting: {reason}\n" for reason in told))
    if options.write:
        write_section(
            "Cities of the world: builds",
            "python -m benchmarks.world_builds OUT --write",
            f"{_NOTE}\n\n{body}",
        )
    return 1 if any(found[2] == "no" for found in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
