"""Builds by one Prefect server: on a cluster that loses a worker, and with a model's secrets.

Its database is PostgreSQL where that is installed. The default build, by a server that Prefect
starts for it, is in ``test_howto``; deployments are in ``test_serving``.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from benchmarks.llm_server import ServerState
from extractors.llm import Ledger
from tests.support import servers
from tests.support.flows import running
from tests.support.flows.builds import Built
from tests.support.flows.models import KEY, PHRASE, environment
from tests.support.flows.running import checksums
from tests.support.forked import Command, ensure_running

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("all_cores")]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the server's API."""
    folder = tmp_path_factory.mktemp("prefect")
    with ExitStack() as stack:
        installed = servers.postgres_programs() is not None
        database = stack.enter_context(servers.postgres(folder)) if installed else None
        yield stack.enter_context(servers.prefect_server(folder, database))


def _build(
    small: running.Inputs, folder: Path, environment: dict[str, str], *options: str
) -> tuple[str, str]:
    """Build, and return what was written to both outputs."""
    places = ("--workspace", folder / "work", "--out", folder / "out")
    build = Command(
        ["build", *small.options(), *options, *places],
        env={**environment, "PREFECT_HOME": str(folder / "home")},
        before=running.leave_out_extras,
        heard=True,
    )
    out, err = build.communicate(300)
    assert build.returncode == 0, err
    return out, err


def _told(api: str, snapshot: Path) -> dict[str, Any]:
    """What the server keeps of the run that built a snapshot."""
    run_id = json.loads((snapshot / "run.json").read_text(encoding="utf-8"))["run_id"]
    flow_run = {"flow_runs": {"id": {"any_": [run_id]}}}
    asked: dict[str, dict[str, Any]] = {
        "flow_runs": flow_run, "task_runs": flow_run, "artifacts": flow_run,
        "logs": {"logs": {"flow_run_id": {"any_": [run_id]}}},
    }  # fmt: skip
    return {
        kind: servers.asked("POST", f"{api}/{kind}/filter", json=wanted)
        for kind, wanted in asked.items()
    }


def test_a_lost_worker_loses_no_shard(
    api: str, small: running.Inputs, small_build: Built, tmp_path: Path
) -> None:
    """One of two worker processes is killed while shards run; the other takes its work over."""
    dask = pytest.importorskip("dask", reason="the extra cluster is not installed")
    distributed = pytest.importorskip("distributed", reason="the extra cluster is not installed")
    pytest.importorskip("prefect_dask", reason="the extra cluster is not installed")
    ensure_running()  # the workers are forked, too
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=str(tmp_path)
        ) as cluster,
    ):
        victim = cluster.workers[0].process.pid
        killed = threading.Event()

        def kill() -> None:
            deadline = time.monotonic() + 240
            while not list(tmp_path.glob("work/shards/*/*/*/meta.json")):
                if time.monotonic() > deadline:
                    return
                time.sleep(0.02)
            os.kill(victim, 9)
            killed.set()

        killer = threading.Thread(target=kill)
        killer.start()
        outside = {**os.environ, "TRIPBED_DASK": cluster.scheduler_address, "PREFECT_API_URL": api}
        out, _ = _build(small, tmp_path, outside)
        killer.join()
    assert killed.is_set()
    snapshot = Path(out.splitlines()[-1])
    assert checksums(snapshot) == checksums(small_build.path)
    told = _told(api, snapshot)
    [state] = [run["state"] for run in told["flow_runs"]]
    assert (state["type"], state["message"]) == ("COMPLETED", f"snapshot {snapshot.name}")
    assert {a["key"] for a in told["artifacts"]} >= {"summary", "gates", "costs"}


def test_worker_processes_make_the_same_bytes_and_are_tasks_of_the_run(
    api: str, small: running.Inputs, small_build: Built, tmp_path: Path
) -> None:
    """By Prefect's own runner of processes: each shard a task, with those that it stands on."""
    out, _ = _build(small, tmp_path, {**os.environ, "PREFECT_API_URL": api}, "--workers", "2")
    snapshot = Path(out.splitlines()[-1])
    assert checksums(snapshot) == checksums(small_build.path)
    runs = _told(api, snapshot)["task_runs"]
    names = {run["id"]: run["name"] for run in runs}
    (read,) = (run for run in runs if run["name"] == "read 00")
    before = {names[edge["id"]] for edges in read["task_inputs"].values() for edge in edges}
    assert before == {"corpus 00", "places suzhou"}
    assert {run["state"]["type"] for run in runs} == {"COMPLETED"}


def _texts(folder: Path) -> dict[Path, bytes]:
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_build_by_a_server_tells_no_secret_tags_its_provider_and_counts_for_its_run(
    api: str, small: running.Inputs, server: tuple[str, ServerState], tmp_path: Path
) -> None:
    model, state = server
    folder = tmp_path / "run"
    folder.mkdir()
    outside = {
        **environment(model, folder), "PREFECT_API_URL": api, "TRIPBED_BUDGET_TOKENS": "900000"
    }  # fmt: skip
    own = tmp_path / "own.jsonl"
    own.write_text(json.dumps({"doc": "unknown.md", "pois": []}), encoding="utf-8")
    out, err = _build(small, folder, outside, "--engine", "openai", "--readings", str(own))
    assert "line 1: unknown.md: no document has this path or id" in out
    told = _told(api, Path(out.splitlines()[-1]))
    assert {kind for kind, kept in told.items() if kept} >= {"flow_runs", "task_runs", "artifacts"}
    tags = {run["name"].split()[0]: run["tags"] for run in told["task_runs"]}
    # The model reads, decides doubtful links, names places in English and writes tags.
    asking = ("read", "link", "feedback", "tagging")
    assert [tags[name] for name in asking] == [["provider-llm"]] * 4
    assert not [name for name, given in tags.items() if given and name not in asking]
    ledger = Ledger(folder / "ledger.sqlite")
    counted = ledger.account(told["flow_runs"][0]["id"]).spending().spent.tokens
    assert counted == state.tokens_in + state.tokens_out > 0
    said = [out, err, json.dumps(told, ensure_ascii=False)]
    assert not [text for text in said if KEY in text or PHRASE in text]
    files = _texts(folder)
    assert not [path for path, data in files.items() if KEY.encode() in data]
    logs = {path: data for path, data in files.items() if path.suffix == ".jsonl"}
    logs |= {path: data for path, data in files.items() if (folder / "out") in path.parents}
    assert len(logs) > 10
    assert not [path for path, data in logs.items() if PHRASE.encode() in data]
