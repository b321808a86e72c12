"""Measure the time and memory for indexing and linking millions of places.

    python -m benchmarks.link_scale [--places N ...] [--documents N ...] [--folder DIR] [--write]

The run invents places and documents (``benchmarks.made_world``) and stores them as the shards of
earlier stages. Then the stages ``index`` (one shard per city) and ``link`` (one shard per bucket)
run as in a build: through ``run_shard``, with contracts and files. Each size is measured in its own
process. With the largest number of places, every number of documents is measured. With the smaller
numbers of places, only the largest number of documents is measured.

The run prints figures to standard error. With ``--told FILE``, the run reads the figures of earlier
runs instead of measuring. The powers come from a power law that is fitted to the CPU seconds by
least squares on the logarithms. Other programs on the machine affect CPU seconds less than
wall-clock times.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.made_world import Documents, MadeWorld, place_frames
from benchmarks.report import table, write_section
from flows.pipeline.graph import run_shard
from flows.pipeline.shards import Ref, Workspace
from flows.pipeline.stages import link, places
from flows.pipeline.stages.base import Inputs, Job
from flows.pipeline.stages.corpus import BUCKETS
from flows.settings.profile import load_profile

PLACES = (500_000, 1_000_000, 2_000_000, 5_000_000)
DOCUMENTS = (1_000, 2_000, 5_000, 10_000)
#: The number of processes that make indexes; each makes those of some cities.
_WORKERS = 2
Figures = dict[str, Any]


def make(folder: Path, world: MadeWorld, numbers: Sequence[int]) -> None:
    """Write the shards of earlier stages: places by city, texts and readings by bucket."""
    workspace = Workspace(folder)
    documents = Documents(world, max(numbers))
    for at, city in enumerate(world.cities):
        made = world.places(at)
        workspace.save("places", city.slug, "made", place_frames(city, made), {})
        documents.draw(at, made)
    for number in numbers:
        for bucket, (corpus, read) in enumerate(documents.buckets(number)):
            workspace.save("corpus", f"{bucket:02d}", f"made{number}", corpus, {})
            workspace.save("read", f"{bucket:02d}", f"made{number}", read, {})


def index_cities(folder: Path, world: MadeWorld, first: int = 0, step: int = 1) -> list[Ref]:
    """Make the index of every ``step``-th city as a build does, or find it if it already exists."""
    workspace, inputs = Workspace(folder), _inputs(world)
    return [
        run_shard(
            workspace, places.INDEX_STAGE, Job(inputs, city, city.slug),
            {"places": [_find_shard(workspace, "places", city.slug, "made")]},
        )
        for city in world.cities[first::step]
    ]  # fmt: skip


def link_documents(folder: Path, world: MadeWorld, number: int) -> Figures:
    """Link ``number`` documents bucket by bucket, and count each kind of decision."""
    workspace = Workspace(folder)
    with tempfile.TemporaryDirectory(dir=folder) as kept:
        inputs = _inputs(world, Path(kept) / "links.sqlite")
        indexes, started = index_cities(folder, world), _clock()
        outcomes: Counter[str] = Counter()
        for bucket in range(BUCKETS):
            shard = f"{bucket:02d}"
            before = {
                stage: [_find_shard(workspace, stage, shard, f"made{number}")]
                for stage in ("corpus", "read")
            }
            job = Job(inputs, None, shard, {"files": ()})
            ref = run_shard(workspace, link.STAGE, job, {**before, "index": indexes})
            if ref.reused:
                raise SystemExit(f"{folder} already contains links: use a new folder")
            outcomes.update(workspace.read(ref, "links")["outcome"].to_list())
    return {**_since(started), **outcomes}


def _inputs(world: MadeWorld, kept: Path | None = None) -> Inputs:
    return Inputs(world.cities, load_profile("folder"), link_store=kept)


def _find_shard(workspace: Workspace, stage: str, shard: str, key: str) -> Ref:
    ref = workspace.find(stage, shard, key)
    assert ref is not None, (stage, shard, key)
    return ref


def _clock() -> tuple[float, float]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter(), used.ru_utime + used.ru_stime


def _since(started: tuple[float, float]) -> Figures:
    seconds, cpu = (now - then for now, then in zip(_clock(), started, strict=True))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"seconds": seconds, "cpu": cpu, "peak": peak}


def measure(part: str, folder: Path, world: MadeWorld, number: int) -> Figures:
    """Measure ``make``, ``index`` or ``link`` in this process.

    ``number`` is the number of documents; for ``index``, it is the number of this process.
    """
    started = _clock()
    if part == "make":
        make(folder, world, sorted({number, *(n for n in DOCUMENTS if n < number)}))
    elif part == "index":
        refs = index_cities(folder, world, number, _WORKERS)
        return {
            **_since(started), "names": sum(ref.rows["place_names"] for ref in refs),
            "places": sum(ref.rows["place_spots"] for ref in refs), "cities": len(refs),
        }  # fmt: skip
    else:
        return link_documents(folder, world, number)
    return _since(started)


def _in_process(part: str, folder: Path, places: int, *numbers: int) -> Figures:
    """Measure a part of the run, with a separate process for each of the numbers.

    With several processes, the seconds and the memory are each the maximum over the processes.
    Figures other than seconds and memory are sums over the processes.
    """
    command = [
        sys.executable,
        "-m",
        "benchmarks.link_scale",
        "--part",
        part,
        "--folder",
        str(folder),
        "--places",
        str(places),
        "--documents",
    ]
    running = [
        subprocess.Popen([*command, str(number)], stdout=subprocess.PIPE, text=True)
        for number in numbers
    ]
    said = [process.communicate()[0] for process in running]
    if any(process.returncode for process in running):
        raise SystemExit(f"the measurement of part {part!r} with {places} places failed")
    found: list[Figures] = [json.loads(text) for text in said]
    figures = {
        name: (max if name in ("seconds", "peak") else sum)(one[name] for one in found)
        for name in found[0]
    }
    load = os.getloadavg()[0]
    told = {"part": part, **figures, "asked": places, "documents": numbers[0], "load": load}
    sys.stderr.write(f"{json.dumps(told)}\n")
    return told


def exponent(rows: Sequence[Figures], name: str) -> float:
    """Fit a power law to CPU seconds by least squares on the logarithms; return the exponent."""
    sizes, seconds = (np.log([row[column] for row in rows]) for column in (name, "cpu"))
    return float(np.polyfit(sizes, seconds, 1)[0])


def measure_sizes(folder: Path, places: Sequence[int], documents: Sequence[int]) -> list[Figures]:
    """Measure all sizes and return their figures."""
    found = []
    for size in places:
        part = folder / str(size)
        _in_process("make", part, size, max(documents))
        found.append(_in_process("index", part, size, *range(_WORKERS)))
        numbers = documents if size == max(places) else [max(documents)]
        found += [
            _in_process("link", part, size, number) for number in sorted(numbers, reverse=True)
        ]
    return found


def page(figures: Sequence[Figures]) -> str:
    """Return the section: the table and the powers of growth."""
    rows = sorted(figures, key=lambda row: (row["asked"], row["documents"]))
    indexed = [row for row in rows if row["part"] == "index"]
    linked = [row for row in rows if row["part"] == "link"]
    header = ("stage", "places", "documents", "seconds", "CPU seconds", "peak MB", "load")
    shown = [
        (
            stage,
            f"{row['asked']:,}",
            f"{row['documents']:,}" if stage == "link" else "",
            f"{row['seconds']:.0f}",
            f"{row['cpu']:.0f}",
            f"{row['peak'] / 1e6:,.0f}",
            f"{row['load']:.1f}" if "load" in row else "",
        )
        for stage, part in (("index", indexed), ("link", linked))
        for row in part
    ]
    most = max(row["asked"] for row in linked)
    ((number, _),) = Counter(row["documents"] for row in linked).most_common(1)
    by_places = [row for row in linked if row["documents"] == number]
    by_documents = [row for row in linked if row["asked"] == most]
    grown = [
        f"The CPU time for {what} is roughly proportional to the number of {counted} raised to"
        f" the power of {exponent(part, name):.2f} (from {part[0][name]:,} to {part[-1][name]:,}"
        f" {counted})."
        for part, name, what, counted in (
            (indexed, "asked", "building the index", "places"),
            (by_places, "asked", "linking", "places"),
            (by_documents, "documents", "linking", "documents"),
        ) if len(part) > 1
    ]  # fmt: skip
    last, held = linked[-1], indexed[-1]
    named, city, review, unknown = (
        f"{last.get(name, 0):,} names" for name in ("linked", "city", "review", "unknown")
    )
    return (
        f"{table(header, shown)}\n"
        f"{' '.join(grown)}\n\n"
        f"The largest index contains {held['places']:,} places with {held['names']:,} names in"
        f" {held['cities']} cities. With {last['documents']:,} documents and {last['asked']:,}"
        f" places, tripbed linked {named}, assigned {city} to a city but not to a place, and"
        f" left {review} for review. tripbed found no city for {unknown}.\n"
    )


def _read_earlier(file: Path | None) -> list[Figures]:
    """Read the figures that an earlier run printed to standard error."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file else []


def main() -> None:
    """Measure and print all sizes; ``--part`` measures one part of one size in this process."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument(
        "--places", type=int, nargs="+", default=list(PLACES), help="numbers of places"
    )
    parser.add_argument(
        "--documents", type=int, nargs="+", default=list(DOCUMENTS), help="numbers of documents"
    )
    parser.add_argument(
        "--folder", type=Path, help="folder for the shards (default: a temporary folder)"
    )
    parser.add_argument("--told", type=Path, help="a file with figures from earlier runs")
    parser.add_argument("--part", choices=("make", "index", "link"), help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="write the figures to docs/benchmarks")
    options = parser.parse_args()
    if options.part:
        world = MadeWorld(options.places[0])
        found = measure(options.part, options.folder, world, options.documents[0])
        sys.stdout.write(json.dumps(found) + "\n")
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        body = page(
            _read_earlier(options.told) or measure_sizes(folder, options.places, options.documents)
        )
    sys.stdout.write(body)
    if options.write:
        sizes = " ".join(map(str, options.places))
        numbers = " ".join(map(str, options.documents))
        command = f"python -m benchmarks.link_scale --places {sizes} --documents {numbers} --write"
        write_section("Linking at scale", command, body)


if __name__ == "__main__":
    main()
