"""Fetch a million places in Overture's schema from a local server, merge them and write tables.

    python -m benchmarks.open_data [--rows 1000000] [--write]

The places are synthetic. Each place has a name of three words, chosen at random with a fixed seed,
and lies in a box of 0.6 by 0.6 degrees. A fifth of the places occur again with a different id, up
to 30 m away. Half of the duplicates have a slightly different name. All places have a category that
tripbed reads, whereas more than half of the places in real data are left out before merging. The
places are in ten files with row groups, as in a real release, and are fetched over HTTP with range
requests. The run measures the time and peak memory of the process that fetches them. The server
runs in a separate process.
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
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import shapely

from benchmarks.report import table, write_section
from flows.open.fetch import fetch, wish
from flows.settings.environment import Settings

WEST, SOUTH, SIDE = -9.4, 38.5, 0.6
FILES, GROUP_ROWS = 10, 25_000
MOST_SECONDS, MOST_GB = 180, 4.0
_TOLD = (
    "The benchmark fetches synthetic places in Overture's schema from a server on the same machine,"
    " merges rows that describe the same place, and writes tables. All synthetic places belong to"
    " categories that tripbed imports, and a fifth of the places occur twice."
)
_PARTS = ("ba", "co", "di", "fe", "gu", "la", "mo", "ne", "pi", "ra", "so", "tu", "va", "xi", "zo")
_KINDS = (("restaurant", "Restaurante"), ("cafe", "Café"), ("museum", "Museu"), ("hotel", "Hotel"),
          ("park", "Jardim"), ("italian_restaurant", "Trattoria"))  # fmt: skip


def write_places(folder: Path, rows: int) -> None:
    """Write a release with ``rows`` places, which are sorted by position as in Overture."""
    from tests.support.sources.open.made import DIVISIONS, PLACES, RELEASE, division

    draw = np.random.default_rng(24)
    lat, lon = SOUTH + SIDE * draw.random(rows), WEST + SIDE * draw.random(rows)
    kind = draw.integers(len(_KINDS), size=rows)
    parts = draw.integers(len(_PARTS), size=(rows, 6))
    again = np.flatnonzero(draw.random(rows) < 0.2)
    for column in (lat, lon):
        column[again] = column[again - 1] + draw.uniform(-0.00015, 0.00015, len(again))
    kind[again], parts[again] = kind[again - 1], parts[again - 1]
    parts[again[::2], 5] = draw.integers(len(_PARTS), size=len(again[::2]))
    order = np.lexsort((lon, np.floor(lat / 0.01)))
    below = folder / f"release/{RELEASE}/theme=places/type=place"
    below.mkdir(parents=True)
    shape = shapely.box(WEST, SOUTH, WEST + SIDE, SOUTH + SIDE)
    areas = below.parents[1] / "theme=divisions/type=division_area"
    areas.mkdir(parents=True)
    pq.write_table(
        pa.Table.from_pylist([division("Lisboa", shape)], DIVISIONS), areas / "part-00000.parquet"
    )
    said = {"property": "", "dataset": "made", "license": "CDLA-Permissive-2.0",
            "update_time": "2026-09-03T00:00:00.000Z"}  # fmt: skip
    for number, chosen in enumerate(np.array_split(order, FILES)):
        points = np.empty(
            len(chosen), dtype=[("o", "u1"), ("t", "<u4"), ("x", "<f8"), ("y", "<f8")]
        )
        points["o"], points["t"], points["x"], points["y"] = 1, 1, lon[chosen], lat[chosen]
        text = ["".join(_PARTS[p] for p in parts[i]) for i in chosen]
        names = [
            f"{_KINDS[kind[i]][1]} {t[:4].title()} {t[4:].title()}"
            for i, t in zip(chosen, text, strict=True)
        ]
        boxes = [
            {"xmin": x, "xmax": x, "ymin": y, "ymax": y}
            for x, y in zip(lon[chosen], lat[chosen], strict=True)
        ]
        columns = {
            "id": [f"made-{i}" for i in chosen],
            "geometry": [point.tobytes() for point in points],
            "bbox": boxes,
            "version": [1] * len(chosen),
            "sources": [[said]] * len(chosen),
            "names": [{"primary": name, "common": [], "rules": []} for name in names],
            "categories": [{"primary": _KINDS[kind[i]][0], "alternate": None} for i in chosen],
            "basic_category": [None] * len(chosen),
            "taxonomy": [None] * len(chosen),
            "confidence": [0.9] * len(chosen),
            "websites": [[f"site-{i}"] for i in chosen],
            "operating_status": ["open"] * len(chosen),
        }
        pq.write_table(pa.table(columns, schema=PLACES), below / f"part-{number:05}.zstd.parquet",
                       row_group_size=GROUP_ROWS, compression="zstd")  # fmt: skip


def measure(url: str, folder: Path) -> dict[str, float]:
    """Fetch the places in this process; return seconds, peak memory and numbers of rows."""
    settings = Settings.unset(overture_url=url, delay_s=0.0)
    bbox = f"{WEST},{SOUTH},{WEST + SIDE},{SOUTH + SIDE}"
    started = time.perf_counter()
    asked = wish(["overture"], ["Lisbon"], bbox, folder / "archive", settings,
                 offline=False, refresh=False)  # fmt: skip
    tables = fetch(asked, folder / "tables").cities["lisbon"]["tables"]
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    total = {key: sum(one[key] for one in tables.values()) for key in ("rows", "merged", "places")}
    return {"seconds": seconds, "gb": peak / 1e9, **total}


def main() -> int:
    """Make, serve and fetch the places; the exit code is 1 if time or memory is too high."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="number of rows to generate")
    parser.add_argument("--write", action="store_true", help="write the figures to docs/benchmarks")
    parser.add_argument("--fetch", nargs=2, metavar=("URL", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.fetch:
        print(json.dumps(measure(given.fetch[0], Path(given.fetch[1]))))
        return 0
    from tests.support.sources.open.servers import bucket

    with tempfile.TemporaryDirectory() as place:
        write_places(Path(place, "bucket"), given.rows)
        with bucket(Path(place, "bucket")) as server:
            command = [sys.executable, "-m", "benchmarks.open_data", "--fetch", server.url, place]
            told = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=os.environ)
        sent = server.n_bytes
    found = json.loads(told.stdout.splitlines()[-1])
    holds = found["seconds"] <= MOST_SECONDS and found["gb"] <= MOST_GB
    lines = table(
        ["rows", "merged into others", "places", "MB fetched", "seconds", "peak GB"],
        [[f"{found['rows']:,}", f"{found['merged']:,}", f"{found['places']:,}",
          f"{sent / 1e6:.0f}", f"{found['seconds']:.0f}", f"{found['gb']:.2f}"]],
    )  # fmt: skip
    print(lines)
    if given.write:
        write_section(
            "Open data of a city", "python -m benchmarks.open_data --write", f"{_TOLD}\n\n{lines}"
        )
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
