"""Deduplicate 10,000 to 516,000 places with tripbed, with splink and by comparing all pairs.

    python -m benchmarks.dedupe [--sizes 10000,100000,516000] [--write]

Each tool in turn deduplicates the same rows in its own process. The rows have real names with
seeded noise, and it is known which rows describe the same place (``benchmarks/dedupe_data.py``).
The run measures the seconds for the deduplication alone, the peak memory of the process, and the
pairwise precision, recall and F1 of the clusters. splink gets the parts of each name, folded by
tripbed, as columns, and uses the threshold that gives it the best results. The sizes are 10,000,
100,000 and 516,000 rows. All pairs of rows are compared only at the smallest size. The exponent of
growth is the change in the logarithm of the time divided by the change in the logarithm of the
number of rows, from the smallest to the largest size. The names come from the shared data
(``TRIPBED_SHARED``).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.dedupe_data import base_places, make
from benchmarks.report import shared_folder, table, write_section

SIZES = (10_000, 100_000, 516_000)
#: The largest size at which all pairs are compared.
NAIVE_UP_TO = 10_000
_THRESHOLDS = (0.05, 0.2, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 0.9999)
Labels = NDArray[np.int64]


def ours(rows: pl.DataFrame, truth: Labels) -> tuple[float, Labels, str]:
    """Deduplicate with tripbed; return the seconds, the labels and a remark."""
    from geocoding.bulk import dedupe

    started = time.perf_counter()
    found = dedupe(rows)
    seconds = time.perf_counter() - started
    return seconds, found.members["place"].to_numpy(), ""


def naive(rows: pl.DataFrame, truth: Labels) -> tuple[float, Labels, str]:
    """Compare all pairs; rows within 300 m whose names are 80 % alike are the same place."""
    from rapidfuzz import fuzz
    from rapidfuzz.process import cdist
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    from schemas.geo import distance_m

    started = time.perf_counter()
    names = ["".join(c for c in name.lower() if c.isalnum()) for name in rows["name"]]
    lat, lon = rows["lat"].to_numpy(), rows["lon"].to_numpy()
    ones, twos = [], []
    for start in range(0, len(names), 1_000):
        block = slice(start, start + 1_000)
        like = cdist(names[block], names, scorer=fuzz.ratio, workers=-1, dtype=np.uint8) >= 80
        one, two = np.nonzero(like)
        near = distance_m(lat[block][one], lon[block][one], lat[two], lon[two]) <= 300
        ones.append(one[near] + start)
        twos.append(two[near])
    one, two = np.concatenate(ones), np.concatenate(twos)
    graph = coo_matrix((np.ones(len(one), np.int8), (one, two)), (len(names), len(names)))
    labels = connected_components(graph, directed=False)[1].astype(np.int64)
    return time.perf_counter() - started, labels, ""


def by_splink(rows: pl.DataFrame, truth: Labels) -> tuple[float, Labels, str]:
    """Use splink on DuckDB, trained without labels, with the threshold that gives the best F1."""
    import splink.comparison_library as cl
    from splink import Linker, SettingsCreator, block_on

    from geocoding.bulk.names import take_apart

    started = time.perf_counter()
    data, api = _for_splink(rows, take_apart(rows["name"], rows["city"]))
    settings = SettingsCreator(
        link_type="dedupe_only",
        comparisons=[
            cl.JaroWinklerAtThresholds("main", [0.95, 0.88, 0.8]),
            cl.JaroWinklerAtThresholds("bracket", [0.9, 0.8]),
            cl.ExactMatch("digits"),
            cl.DistanceInKMAtThresholds("lat", "lon", [0.05, 0.15, 0.3, 0.8, 2.5]),
        ],
        blocking_rules_to_generate_predictions=[
            block_on("city", "main"),
            block_on("cell", "head"),
            block_on("shifted", "head"),
            block_on("cell", "end"),
            block_on("shifted", "end"),
        ],
    )
    linker = Linker(api.register(data), settings, log_level=40)
    linker.training.estimate_probability_two_random_records_match(
        [block_on("cell", "main")], recall=0.6
    )
    linker.training.estimate_u_using_random_sampling(max_pairs=2e6, seed=1)
    linker.training.estimate_parameters_using_expectation_maximisation(block_on("cell", "head"))
    linker.training.estimate_parameters_using_expectation_maximisation(block_on("city", "main"))
    scored = linker.inference.predict(threshold_match_probability=_THRESHOLDS[0])
    trained = time.perf_counter() - started
    best: tuple[float, Labels, float, float] | None = None
    for threshold in _THRESHOLDS:
        began = time.perf_counter()
        found = linker.clustering.cluster_pairwise_predictions_at_threshold(
            scored, threshold_match_probability=threshold
        )
        clustered = found.as_pandas_dataframe()  # type: ignore[no-untyped-call]  # Splink has no types
        clusters = clustered.sort_values("unique_id")["cluster_id"].to_numpy()
        took = time.perf_counter() - began
        f1 = quality(truth, clusters.astype(np.int64))["f1"]
        if best is None or f1 > best[0]:
            best = f1, clusters.astype(np.int64), threshold, took
    assert best is not None
    return trained + best[3], best[1], f"threshold {best[2]}"


def _for_splink(rows: pl.DataFrame, parts: pl.DataFrame) -> tuple[Any, Any]:
    from splink import DuckDBAPI

    frame = pl.concat([rows, parts], how="horizontal").with_row_index("unique_id")
    cells = [
        ((pl.col(c) + shift) / 0.008).floor().cast(pl.Int64, strict=False).cast(pl.String)
        for shift in (0.0, 0.004)
        for c in ("lat", "lon")
    ]
    frame = frame.select(
        "unique_id", "city", "main", pl.col("bracket").replace("", None),
        pl.col("digits").replace("", None), "lat", "lon",
        cell=pl.concat_str(cells[0], cells[1], separator="/"),
        shifted=pl.concat_str(cells[2], cells[3], separator="/"),
        head=pl.col("main").str.head(2), end=pl.col("main").str.tail(2),
    )  # fmt: skip
    return frame.to_pandas(), DuckDBAPI()


_NOTE = (
    "Each tool deduplicates the same rows in its own process. The rows contain real names with"
    " added random noise, so the true matches are known in advance. For splink, the table gives the"
    " results at the threshold with the best F1."
)
TOOLS = {"tripbed": ours, "splink": by_splink, "all pairs": naive}


def quality(truth: Labels, found: Labels) -> dict[str, float]:
    """Return the pairwise precision, recall and F1 of a clustering."""
    size = 1 + max(int(truth.max()), int(found.max()))
    both = _pairs(truth * size + found)
    precision, recall = both / max(1, _pairs(found)), both / max(1, _pairs(truth))
    return {
        "precision": precision, "recall": recall,
        "f1": 2 * precision * recall / max(1e-9, precision + recall),
    }  # fmt: skip


def _pairs(labels: Labels) -> int:
    counts = np.unique(labels, return_counts=True)[1].astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())


def measure(tool: str, rows_file: Path) -> dict[str, Any]:
    """Measure one tool on one file, in this process."""
    rows = pl.read_parquet(rows_file)
    truth = rows["truth"].to_numpy().astype(np.int64)
    seconds, labels, remark = TOOLS[tool](rows.drop("truth"), truth)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"seconds": seconds, "peak_gib": peak, "remark": remark, **quality(truth, labels)}


def main() -> int:
    """Measure every tool at every size, print the section and, with ``--write``, write it to the
    page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of rows")
    parser.add_argument("--one", nargs=2, metavar=("TOOL", "FILE"), help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="write the figures to docs/benchmarks")
    options = parser.parse_args()
    if options.one:
        sys.stdout.write(json.dumps(measure(options.one[0], Path(options.one[1]))) + "\n")
        return 0
    base = base_places(shared_folder("data/traveleval"))
    sizes = [int(size) for size in options.sizes.split(",")]
    load = os.getloadavg()[0]
    rows, seconds = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            file = Path(folder) / f"{size}.parquet"
            make(base, size).write_parquet(file)
            for tool in TOOLS:
                if tool == "all pairs" and size > NAIVE_UP_TO:
                    continue
                found = _apart(tool, file)
                seconds[tool, size] = found["seconds"]
                rows.append(_line(tool, size, found))
                sys.stderr.write(f"{rows[-1]}\n")
    header = ("tool, rows", "seconds", "peak GiB", "precision", "recall", "F1", "remark")
    body = f"{_NOTE}\n\n{table(header, rows)}"
    if len(sizes) > 1:
        low, high = min(sizes), max(sizes)
        power, power_of_splink = (
            math.log(seconds[tool, high] / seconds[tool, low]) / math.log(high / low)
            for tool in ("tripbed", "splink")
        )
        body += (
            f"\nBetween {low:,} and {high:,} rows, the time is roughly proportional to the number"
            f" of rows raised to the power of {power:.2f} for tripbed and {power_of_splink:.2f} for"
            " splink.\n"
        )
    body += (
        f"\nThe rows describe {len(base):,} real places. Before the run, the load average of the"
        f" machine was {load:.1f}."
    )
    sys.stdout.write(body + "\n")
    if options.write:
        write_section("Deduplication", "python -m benchmarks.dedupe --write", body)
    return 0


def _apart(tool: str, file: Path) -> dict[str, Any]:
    """Measure a tool in its own process, so that only its own peak memory counts."""
    command = [sys.executable, "-m", "benchmarks.dedupe", "--one", tool, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{tool}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _line(tool: str, size: int, found: dict[str, Any]) -> tuple[str, ...]:
    figures = (f"{found[k]:.3f}" for k in ("precision", "recall", "f1"))
    return (
        f"{tool}, {size:,}", f"{found['seconds']:.1f}", f"{found['peak_gib']:.2f}", *figures,
        found["remark"],
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
