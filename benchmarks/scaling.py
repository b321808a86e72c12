"""One machine and a cluster: the same bytes, the seconds of each, and what they say of more.

    python -m benchmarks.scaling --documents DIR --tables DIR [--cities 10] [--write]

Cities of the tables are built directly, then by two Dask workers whose shards lie on a local
S3-compatible server, with a Prefect server of the run's own. Both manifests must be equal. The
table beneath is arithmetic from these seconds: cities are independent, so machines share them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from benchmarks.end_to_end import Build, build
from benchmarks.report import table, write_section
from sources.tables.registry import available_cities
from tests.support.servers import free_port, prefect_server

#: Sizes that the table tells: the sample, TravelEval's ten cities, TP-RAG's 30, TripScore's 897.
_CITIES, _MACHINES = (1, 10, 30, 897), (1, 2, 4, 16)


@contextmanager
def object_store(folder: Path) -> Iterator[str]:
    """An S3-compatible server with a bucket; gives its address for ``TRIPBED_STORAGE``."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with (folder / "s3.log").open("wb") as log:
        argv = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        child = subprocess.Popen(argv, stdout=log, stderr=log)
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none",
        "AWS_DEFAULT_REGION": "us-east-1", "AWS_ENDPOINT_URL": url,
    }  # fmt: skip
    try:
        for _ in range(300):
            try:
                httpx.put(f"{url}/shards", trust_env=False)
                break
            except httpx.TransportError:
                time.sleep(0.1)
        yield "s3://shards/scaling"
    finally:
        child.terminate()
        child.wait(20)


def clustered(options: tuple[str, ...], folder: Path) -> Build:
    """A build by two Dask workers, over a Prefect server and shared storage."""
    with object_store(folder) as address, prefect_server(folder) as api:
        os.environ |= {"TRIPBED_STORAGE": address, "TRIPBED_DASK": "2", "PREFECT_API_URL": api}
        try:
            return build(options, folder / "cluster", folder / "home", keep_server=True)
        finally:
            for name in ("TRIPBED_STORAGE", "TRIPBED_DASK", "PREFECT_API_URL"):
                os.environ.pop(name, None)


def model(one: Build, cities: int) -> str:
    """Hours for more cities and machines, if a city takes what these took in the mean."""
    fixed = one.seconds - one.facts["seconds"]
    a_city = one.facts["seconds"] / cities
    rows = [
        (f"{n:,}", *(f"{(fixed + a_city * -(-n // m)) / 3600:.2f}" for m in _MACHINES))
        for n in _CITIES
    ]
    return table(("cities", *(f"{m} machines, h" for m in _MACHINES)), rows)


def main() -> None:
    """Measure and print; exit code 1 where the two snapshots differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--tables", type=Path, required=True)
    parser.add_argument("--cities", type=int, default=10)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    cities = (available_cities(arguments.tables, "traveleval") or [])[: arguments.cities]
    options = (
        *(part for city in cities for part in ("--city", city)), "--profile", "full",
        "--documents", str(arguments.documents), "--tables", str(arguments.tables),
        "--tables-format", "traveleval",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        one = build(options, folder / "one")
        many = clustered(options, folder)
        manifests = [
            (folder / part / "out" / "latest" / "manifest.json").read_bytes()
            for part in ("one", "cluster")
        ]
    rows = [
        (name, f"{b.seconds:.1f}", f"{b.facts['seconds']:.1f}")
        for name, b in {"one process": one, "two Dask workers, S3 storage": many}.items()
    ]
    same = manifests[0] == manifests[1]
    body = (
        f"{table(('build', 'seconds', 'of them after the start'), rows)}\n"
        f"{len(cities)} cities. The manifests are {'equal' if same else 'DIFFERENT'}; two workers "
        f"take {many.seconds / one.seconds:.2f} times as long.\n\nFrom the first line, for more:\n\n"
        f"{model(one, len(cities))}"
    )
    sys.stdout.write(body)
    if arguments.write:
        command = (
            f"python -m benchmarks.scaling --documents DIR --tables DIR --cities {len(cities)}"
        )
        write_section("One machine and two workers", command, body)
    sys.exit(not same)


if __name__ == "__main__":
    main()
