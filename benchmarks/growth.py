"""Measure how time and memory grow with the number of queries, and what one more document costs.

    python -m benchmarks.growth --documents DIR --tables DIR [--city hangzhou] [--ten] [--write]

The run builds a city with more and more queries of the family ``triptailor``, each time in a new
workspace. The run then builds the city with the profile ``full``, adds one document and builds the
city again. The benchmark counts the shards that each build ran. ``--ten`` repeats these builds with
the profile ``folder`` for all cities in the tables, and adds a document about one of them.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.end_to_end import Build, build
from benchmarks.report import table, write_section
from schemas.cities import find_city
from sources.tables.registry import available_cities

#: Numbers of queries for the city; the last is three quarters of TripScore's whole set.
QUERIES = (100, 400, 1600, 3600)
_PAGE = "# {city}两日游\n\n第一天上午在老城里走走,下午去博物馆。第二天上午去湖边,下午返程。\n"
_FOLDER = " Builds with the profile `folder` cover all cities in the tables."
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


def build_by_size(options: tuple[str, ...], city: str, folder: Path) -> list[tuple[int, Build]]:
    """Build the city once for each number of queries."""
    found = []
    for queries in QUERIES:
        profile = folder / f"{queries}.yaml"
        profile.write_text(_PROFILE.format(city=city, queries=queries), encoding="utf-8")
        done = build((*options, "--profile", str(profile)), folder / str(queries))
        found.append((queries, done))
        sys.stderr.write(f"{queries} queries: {done.seconds:.1f} s\n")
    return found


def build_three_times(
    cities: Sequence[str], profile: str, documents: Path, tables: tuple[str, ...], folder: Path
) -> list[Build]:
    """Build three times: from scratch, without changes, and with one more document about the last
    city.
    """
    copied, work = folder / f"documents-{profile}", folder / f"changed-{profile}"
    shutil.copytree(documents, copied)
    named = [option for city in cities for option in ("--city", city)]
    options = (*named, "--profile", profile, "--documents", str(copied), *tables)
    builds = [build(options, work) for _ in range(2)]
    page = _PAGE.format(city=find_city(cities[-1]).name_zh)
    (copied / "one-more.md").write_text(page, encoding="utf-8")
    return [*builds, build(options, work)]


def run_shards(done: Build) -> tuple[int, int]:
    """Return the number of shards that ran, and the total number of shards."""
    every = sum(int(stage["shards"]) for stage in done.stages.values())
    return every - sum(int(stage["reused"]) for stage in done.stages.values()), every


def main() -> None:
    """Run the measurements and print the results; with ``--write``, also write them to the docs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--tables", type=Path, required=True)
    parser.add_argument("--city", default="hangzhou")
    parser.add_argument(
        "--ten", action="store_true", help="also add one document to a build of all cities"
    )
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    tables = ("--tables", str(arguments.tables), "--tables-format", "traveleval")
    options = ("--city", arguments.city, "--documents", str(arguments.documents), *tables)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        sizes = build_by_size(options, arguments.city, folder)
        steps = {
            "full": build_three_times([arguments.city], "full", arguments.documents, tables, folder)
        }
        if arguments.ten:
            cities = [
                c
                for c in available_cities(arguments.tables, "traveleval") or []
                if c != arguments.city
            ]
            every = [*cities, arguments.city]
            steps["folder"] = build_three_times(
                every, "folder", arguments.documents, tables, folder
            )
    rows = [
        (f"{n:,}", f"{b.rows:,}", f"{b.seconds:.1f}", f"{b.peak_bytes / 1e6:,.0f}")
        for n, b in sizes
    ]
    names = ("fresh", "nothing changed", "one more document")
    again = [
        (profile, name, f"{b.seconds:.1f}", "{} of {}".format(*run_shards(b)))
        for profile, builds in steps.items()
        for name, b in zip(names, builds, strict=True)
    ]
    header = ("profile", "build", "seconds", "shards run")
    body = (
        f"{table(('queries', 'rows published', 'seconds', 'peak MB'), rows)}\n"
        "The first table shows builds of one city with an increasing number of queries. The next"
        " table shows the effect of adding one document about one city. Builds with the profile"
        " `full` cover only the city that the added document"
        f" describes.{_FOLDER if arguments.ten else ''}\n\n"
        f"{table(header, again)}"
    )
    sys.stdout.write(body)
    if arguments.write:
        command = (
            f"python -m benchmarks.growth --documents DIR --tables DIR --city {arguments.city}"
            f"{' --ten' if arguments.ten else ''}"
        )
        write_section("Growth with queries, and one more document", command, body)


if __name__ == "__main__":
    main()
