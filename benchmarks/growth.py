"""How time and memory grow with the queries, and what one changed document costs.

    python -m benchmarks.growth --documents DIR --tables DIR [--city hangzhou] [--write]

A city is built with more and more queries of the family ``triptailor``, each in a fresh workspace.
Then, with the queries of the profile ``full``, one document is added and the city built again: the
shards that run are counted beside those of the fresh build.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.end_to_end import Build, build
from benchmarks.report import table, write_section

#: Queries of the city; the last is three quarters of TripScore's whole set.
QUERIES = (100, 400, 1600, 3600)
_PAGE = "# 两日游\n\n第一天上午在老城里走走,下午去博物馆。第二天上午去湖边,下午返程。\n"
_PROFILE = """\
name: growth
families: [triptailor]
documents: {{allow_empty: true}}
queries:
  cities: [{city}]
  triptailor: {{queries: {queries}}}
trajectories: {{per_query: 1, maximum_per_query: 8}}
candidates: {{per_query: 5}}
"""


def grown(options: tuple[str, ...], city: str, folder: Path) -> list[tuple[int, Build]]:
    """A build for each number of queries."""
    found = []
    for queries in QUERIES:
        profile = folder / f"{queries}.yaml"
        profile.write_text(_PROFILE.format(city=city, queries=queries), encoding="utf-8")
        done = build((*options, "--profile", str(profile)), folder / str(queries))
        found.append((queries, done))
        sys.stderr.write(f"{queries} queries: {done.seconds:.1f} s\n")
    return found


def changed(city: str, documents: Path, tables: tuple[str, ...], folder: Path) -> list[Build]:
    """A fresh build, one with nothing changed, and one with one more document."""
    copied = folder / "documents"
    shutil.copytree(documents, copied)
    options = ("--city", city, "--profile", "full", "--documents", str(copied), *tables)
    builds = [build(options, folder / "changed") for _ in range(2)]
    (copied / "one-more.md").write_text(_PAGE, encoding="utf-8")
    return [*builds, build(options, folder / "changed")]


def run_shards(done: Build) -> tuple[int, int]:
    """Shards that ran, and shards in all."""
    every = sum(int(stage["shards"]) for stage in done.stages.values())
    return every - sum(int(stage["reused"]) for stage in done.stages.values()), every


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--tables", type=Path, required=True)
    parser.add_argument("--city", default="hangzhou")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    tables = ("--tables", str(arguments.tables), "--tables-format", "traveleval")
    options = ("--city", arguments.city, "--documents", str(arguments.documents), *tables)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        sizes = grown(options, arguments.city, folder)
        steps = changed(arguments.city, arguments.documents, tables, folder)
    rows = [
        (f"{n:,}", f"{b.rows:,}", f"{b.seconds:.1f}", f"{b.peak_bytes / 1e6:,.0f}")
        for n, b in sizes
    ]
    names = ("fresh", "nothing changed", "one more document")
    again = [
        (name, f"{b.seconds:.1f}", "{} of {}".format(*run_shards(b)))
        for name, b in zip(names, steps, strict=True)
    ]
    body = (
        f"{table(('queries', 'rows published', 'seconds', 'peak MB'), rows)}\n"
        f"One document more, profile `full`:\n\n{table(('build', 'seconds', 'shards run'), again)}"
    )
    sys.stdout.write(body)
    if arguments.write:
        command = (
            f"python -m benchmarks.growth --documents DIR --tables DIR --city {arguments.city}"
        )
        write_section("Growth with queries, and one more document", command, body)


if __name__ == "__main__":
    main()
