"""Build with one process and with a cluster, compare the files and the times, and extrapolate.

    python -m benchmarks.scaling [--documents DIR --tables DIR --cities 10] [--write]

The run builds the cities in the given tables (in TravelEval's layout) or, if no tables are given,
the sample. The first build runs without Prefect, and the second with two Dask workers. In the
second build, documents, tables, workspace and snapshots are on a local S3-compatible server, and
Prefect has its own server. If root runs this command, each worker has a scratch folder that only
this worker can see. The manifests of the two snapshots must be equal. Unless the run builds the
sample, a second table estimates from the measured times how many hours it would take to build more
cities on more machines. The computation assumes that the machines share the cities evenly.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import fsspec

from benchmarks.end_to_end import ROOT, SAMPLE, Build, build
from benchmarks.report import table, write_section
from schemas.nouns import count_noun
from sources.tables.registry import available_cities
from storage.remote import Remote
from tests.support.servers import free_port, object_store, prefect_server

#: Numbers of cities: the sample, TravelEval's ten, TP-RAG's 30 and TripScore's 897.
_CITIES, _MACHINES = (1, 10, 30, 897), (1, 2, 4, 16)
_BUCKET = "s3://tripbed"


@contextmanager
def dask_workers(folder: Path, number: int) -> Iterator[str]:
    """Run a scheduler and workers with one thread each; yield the scheduler's address.

    Scratch folders are created in the temporary folder. If root runs this command, every worker
    gets an empty temporary folder in its own mount namespace, as if it were on another machine.
    """
    port, scratch = free_port(), tempfile.gettempdir()
    address = f"tcp://127.0.0.1:{port}"
    dask = [sys.executable, "-m", "dask"]
    scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    worker = shlex.join([
        *dask, "worker", address, "--nworkers", "1", "--nthreads", "1", "--no-dashboard",
        "--local-directory", f"{scratch}/dask", "--preload", "flows.pipeline.flow",
    ])  # fmt: skip
    # A worker on a busy machine answers late, which does not mean that it has died.
    patient = {
        "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "900s",
        "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "1 hour",
    }  # fmt: skip
    argv = ["sh", "-c", f"exec {worker}"]
    if os.geteuid() == 0:
        alone = f"mount -t tmpfs tmpfs {shlex.quote(scratch)} && exec {worker}"
        argv = ["unshare", "-m", "sh", "-c", alone]
    with ExitStack() as running, (folder / "dask.log").open("wb") as log:
        for command in (scheduler, *[argv] * number):
            child = subprocess.Popen(
                command, cwd=ROOT, stdout=log, stderr=log, env={**os.environ, **patient}
            )
            running.callback(child.wait, 60)
            running.callback(child.terminate)
        yield address


def build_on_cluster(options: tuple[str, ...], inputs: tuple[Path, Path], folder: Path) -> Build:
    """Build with two Dask workers and a Prefect server, with all inputs and outputs on S3."""
    with ExitStack() as running:
        os.environ |= running.enter_context(object_store(folder))
        files = fsspec.filesystem("s3")
        for name, path in zip(("documents", "tables"), inputs, strict=True):
            files.put(f"{path}/", f"{_BUCKET}/in/{name}/", recursive=True)
        api = running.enter_context(prefect_server(folder))
        dask = running.enter_context(dask_workers(folder, 2))
        os.environ |= {"TRIPBED_DASK": dask, "PREFECT_API_URL": api}
        there = (
            "--documents", f"{_BUCKET}/in/documents", "--tables", f"{_BUCKET}/in/tables", *options,
        )  # fmt: skip
        try:
            made = build(there, folder / "cluster", folder / "home", keep_server=True, at=_BUCKET)
            manifest = Remote(made.facts["snapshot"]).read("manifest.json")
            (folder / "cluster" / "manifest.json").write_bytes(manifest or b"")
            return made
        finally:
            for name in ("TRIPBED_DASK", "PREFECT_API_URL"):
                os.environ.pop(name, None)


def model(one: Build, cities: int) -> str:
    """Estimate, from the mean time per city, how many hours larger builds would take; return a
    table.
    """
    fixed = one.seconds - one.facts["seconds"]
    a_city = one.facts["seconds"] / cities
    rows = [
        (f"{n:,}", *(f"{(fixed + a_city * -(-n // m)) / 3600:.2f}" for m in _MACHINES))
        for n in _CITIES
    ]
    return table(("cities", *(f"{count_noun(m, 'machine')}, h" for m in _MACHINES)), rows)


def main() -> None:
    """Build twice and compare; the exit code is 1 if the two snapshots differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--documents", type=Path, default=SAMPLE / "documents")
    parser.add_argument("--tables", type=Path, default=SAMPLE / "tables")
    parser.add_argument("--cities", type=int, default=10)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    inputs = (arguments.documents, arguments.tables)
    is_sample = arguments.tables == SAMPLE / "tables"
    cities = ["hangzhou"]
    options: tuple[str, ...] = ("--city", "hangzhou", "--profile", "demo")
    if not is_sample:
        cities = (available_cities(arguments.tables, "traveleval") or [])[: arguments.cities]
        named = tuple(part for city in cities for part in ("--city", city))
        options = (*named, "--profile", "full", "--tables-format", "traveleval")
    here = ("--documents", str(inputs[0]), "--tables", str(inputs[1]), *options)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        one = build(here, folder / "one")
        (folder / "scratch").mkdir()
        tempfile.tempdir = os.environ["TMPDIR"] = str(folder / "scratch")
        many = build_on_cluster(options, inputs, folder)
        manifests = [
            (folder / part / "manifest.json").read_bytes() for part in ("one/out/latest", "cluster")
        ]
    rows = [
        (name, f"{b.seconds:.1f}", f"{b.facts['seconds']:.1f}")
        for name, b in {"one process": one, "two Dask workers, everything on S3": many}.items()
    ]
    same = manifests[0] == manifests[1]
    body = (
        f"{table(('build', 'seconds', 'seconds after the start'), rows)}\n"
        f"Each build covers {count_noun(len(cities), 'city', 'cities')}. The manifests of the two"
        f" builds are {'identical' if same else 'DIFFERENT'}. Two workers take"
        f" {many.seconds / one.seconds:.2f} times as long as one process.\n"
    )
    if not is_sample:
        body += (
            "\nThe next table uses the time of one process to estimate the build time for other"
            " numbers of cities and machines. The estimate assumes that the machines share the"
            " cities evenly.\n\n"
            f"{model(one, len(cities))}"
        )
    sys.stdout.write(body)
    if arguments.write:
        given = "" if is_sample else f" --documents DIR --tables DIR --cities {len(cities)}"
        name = "The sample by two workers on S3" if is_sample else "One machine and two workers"
        write_section(name, f"python -m benchmarks.scaling{given}", body)
    sys.exit(not same)


if __name__ == "__main__":
    main()
