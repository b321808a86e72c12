"""Cities of the world built by three profiles: whether they publish, and what becomes of the
queries.

    python -m benchmarks.world_builds OUT [--city CITY...] [--write]

Tables and documents are those of ``benchmarks/world``; the tables were written from memory before
any of the documents was there, by somebody else. Melbourne was drawn by a seed from ``cities.txt``
as the seventh city, and is reported apart. Snapshots and workspaces come to lie below OUT, so that
a second run computes only what changed. The profiles are those of that name and ask for balanced
reference plans besides: families with proofs of their own need trains or flights, which these
tables do not have. A query is silent where it is kept without a plan, or waits, and nothing says
why.

Documents are also built as people read them who knew nothing but their text
(``benchmarks/world/readings``): ``folder, readings``. What is lost there is lost after reading.
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
#: A profile, with the documents as careful readers read them.
READ = "folder, readings"


def with_plans(profile: str, out: Path) -> Path:
    """A bundled profile that asks for a reference plan of every query, as a file below ``out``."""
    bundled = resources.files("flows") / "profiles" / f"{profile}.yaml"
    told = yaml.safe_load(bundled.read_text(encoding="utf-8"))
    path = out / f"{profile}.yaml"
    path.write_text(yaml.safe_dump({**told, "plans": {"references": ["balanced"]}}), "utf-8")
    return path


def build(city: str, profile: str, out: Path) -> Path | None:
    """The snapshot of a city, or None where none was published. Its log lies beside it."""
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
    """The profiles for which a city has documents and readings."""
    for profile in (*PROFILES, READ):
        has_documents = (WORLD / "documents" / city).is_dir()
        has_readings = (WORLD / "readings" / f"{city}.jsonl").is_file()
        if (has_documents or profile in ("tables", "full")) and (has_readings or profile != READ):
            yield profile


def row(city: str, profile: str, snapshot: Path) -> list[object]:
    """What a snapshot holds: places, what documents gave, queries by status."""
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
    """Why whole families of a city wait, as the gate says it."""
    gates = Snapshot(snapshot).table("gates").filter(gate_id="pending_cities", passed=False)
    yield from gates["message"].to_list()


def main(arguments: Sequence[str] | None = None) -> int:
    """Build what is asked for and print a row a build; 1 where one was refused."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    every = sorted(path.name for path in (WORLD / "tables").iterdir())
    parser.add_argument("--city", nargs="*", choices=every, default=every)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
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
            "Cities of the world: builds", "python -m benchmarks.world_builds OUT --write", body
        )
    return 1 if any(found[2] == "no" for found in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
