"""Run ``tripbed serve`` with one run scheduled per minute, and check that runs do not overlap.

    python -m benchmarks.serving [--fires 3] [--write]

The command serves the sample on a free port until ``--fires`` scheduled runs have ended. Meanwhile,
the benchmark requests one more run through the API, as the button in the UI does. The exit code is
1 if two runs work on the city at the same time, or if a run does not complete.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx

from benchmarks.end_to_end import ROOT, SAMPLE
from benchmarks.report import count_of, table, write_section
from tests.support.servers import free_port

_MINUTES_AT_MOST = 12


def serve(fires: int, folder: Path) -> list[dict[str, Any]]:
    """Serve the sample, and return the runs in the order in which they started.

    Raises RuntimeError if the server ends or too few runs end in time.
    """
    port = free_port()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PREFECT_")}
    argv = [
        sys.executable, "-m", "flows.cli", "serve", "--city", "hangzhou", "--profile", "demo",
        "--documents", str(SAMPLE / "documents"), "--tables", str(SAMPLE / "tables"),
        "--workspace", str(folder / "work"), "--out", str(folder / "out"),
        "--cron", "* * * * *", "--port", str(port),
    ]  # fmt: skip
    with (folder / "log").open("wb") as log:
        child = subprocess.Popen(
            argv, cwd=ROOT, env={**environment, "PREFECT_HOME": str(folder / "home")},
            stdout=log, stderr=log,
        )  # fmt: skip
    api = httpx.Client(base_url=f"http://127.0.0.1:{port}/api", trust_env=False, timeout=30)
    asked = False
    deadline = time.monotonic() + 60 * _MINUTES_AT_MOST
    try:
        while time.monotonic() < deadline:
            time.sleep(2)
            if child.poll() is not None:
                raise RuntimeError((folder / "log").read_text("utf-8")[-2000:])
            ended = _list_ended(api)
            if ended and not asked:
                asked = _ask(api)
            scheduled = [run for run in ended if run["auto_scheduled"]]
            if asked and len(scheduled) >= fires and len(ended) > len(scheduled):
                return sorted(ended, key=lambda run: str(run["start_time"]))
        raise RuntimeError(f"fewer than {fires} runs ended within {_MINUTES_AT_MOST} minutes")
    finally:
        child.send_signal(signal.SIGINT)
        child.wait(60)


def _list_ended(api: httpx.Client) -> list[dict[str, Any]]:
    ended = {"flow_runs": {"state": {"type": {"any_": ["COMPLETED", "FAILED", "CRASHED"]}}}}
    try:
        answer = api.post("/flow_runs/filter", json=ended)
    except httpx.TransportError:
        return []
    return list(answer.json()) if answer.is_success else []


def _ask(api: httpx.Client) -> bool:
    deployment = api.get("/deployments/name/build/city").json()
    return api.post(f"/deployments/{deployment['id']}/create_flow_run", json={}).is_success


def read_held_times(folder: Path) -> dict[str, tuple[dt.datetime, dt.datetime]]:
    """Return the start and end of each run's work on the city, by run id."""
    spans = {}
    for log in sorted((folder / "work" / "runs").glob("*.jsonl")):
        events = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
        working = [e for e in events if e["event"] not in ("run.start", "run.waiting")]
        times = [dt.datetime.fromisoformat(event["at"]) for event in working]
        spans[str(events[0]["run_id"])] = (times[0], times[-1])
    return spans


def main() -> None:
    """Run the benchmark, print the results and, with ``--write``, write them to the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--fires", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        runs = serve(arguments.fires, folder)
        spans = sorted(read_held_times(folder).values())
    rows = [
        (
            "schedule" if run["auto_scheduled"] else "one-off, by the API",
            run["start_time"][11:19], f"{run['total_run_time']:.1f}",
            f"{run['state']['type']}, {run['state'].get('message') or ''}",
        )
        for run in runs
    ]  # fmt: skip
    overlaps = sum(later[0] < earlier[1] for earlier, later in pairwise(spans))
    body = (
        f"{table(('run by', 'start', 'seconds', 'end'), rows)}\n"
        "`tripbed serve` built the sample every minute, and once more on request."
        f" {count_of(overlaps, len(spans), 'runs').capitalize()} worked on the city at the same"
        " time as another run.\n"
    )
    sys.stdout.write(body)
    if arguments.write:
        write_section("A schedule that runs every minute", "python -m benchmarks.serving", body)
    sys.exit(bool(overlaps) or any(run["state"]["type"] != "COMPLETED" for run in runs))


if __name__ == "__main__":
    main()
