"""Unattended runs: their logs, locks, what is removed, and deployments on a real server."""

from __future__ import annotations

import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from flows.errors import WorkspaceError
from flows.pipeline.graph import shard_total
from flows.pipeline.locks import cities_locked
from flows.pipeline.log import RunLog, read_runs
from flows.pipeline.request import make_inputs
from flows.serving.maintenance import SECONDS_PER_DAY, prune_workspace, verify_latest
from flows.serving.status import run_facts
from tests.conftest import ROOT
from tests.support import servers
from tests.support.flows import running
from tests.support.flows.builds import Built
from tests.support.flows.running import build_options, checksums, run, tree

DAY = float(SECONDS_PER_DAY)


class TestLog:
    def test_every_shard_has_a_line_and_the_end_names_the_snapshot(
        self, small_build: Built
    ) -> None:
        events = read_runs(small_build.workspace / "runs")[0]
        inputs = make_inputs(
            ["suzhou"], [small_build.inputs.documents], small_build.inputs.tables,
            profile=str(small_build.inputs.profile),
        )  # fmt: skip
        assert [events[0]["event"], events[-1]["event"]] == ["run.start", "run.published"]
        assert sum(e["event"] == "shard.done" for e in events) == shard_total(inputs)
        assert events[-1]["snapshot"] == small_build.path.name
        assert len({e["run_id"] for e in events}) == 1
        told = json.loads((small_build.path / "run.json").read_text(encoding="utf-8"))
        assert told["run_id"] == events[0]["run_id"]

    def test_no_text_of_a_document_is_in_it(self, small_build: Built) -> None:
        log = next((small_build.workspace / "runs").glob("*.jsonl")).read_text(encoding="utf-8")
        names = [line.split(",")[1] for line in running.GAZETTEER.splitlines()[1:]]
        assert not [name for name in names if name in log or json.dumps(name)[1:-1] in log]

    def test_a_line_cut_by_a_kill_is_left_out(self, tmp_path: Path) -> None:
        log = RunLog(tmp_path, "r1")
        log.write("run.start", cities=["a"], pid=1, host="elsewhere")
        with (tmp_path / "r1.jsonl").open("a", encoding="utf-8") as handle:
            handle.write('{"at": "2025')
        [events] = read_runs(tmp_path)
        assert [event["event"] for event in events] == ["run.start"]
        assert run_facts(events)["state"] == "open"

    def test_a_run_whose_process_is_gone_was_killed(self, tmp_path: Path) -> None:
        child = subprocess.Popen([sys.executable, "-c", "pass"])
        child.wait()
        log = RunLog(tmp_path, "r1")
        log.write("run.start", cities=["a"], pid=child.pid, host=os.uname().nodename)
        assert run_facts(read_runs(tmp_path)[0])["state"] == "killed"
        log.write("run.failed", reason="the disk is full")
        assert run_facts(read_runs(tmp_path)[0])["note"] == "the disk is full"

    def test_a_refused_build_is_a_failed_run(self, small: running.Inputs, tmp_path: Path) -> None:
        (small.tables / "gazetteer.csv").write_text("id,nothing\n1,2\n", encoding="utf-8")
        space = tmp_path / "work"
        outcome = run("build", *small.options(), *build_options(space, tmp_path / "out"))
        assert outcome.code == 2
        [events] = read_runs(space / "runs")
        assert run_facts(events)["state"] == "failed"
        assert events[-1]["reason"]


class TestStatus:
    def test_cities_and_runs(self, small_build: Built) -> None:
        options = ["--workspace", small_build.workspace, "--out", small_build.out]
        facts = json.loads(run("status", *options, "--json").out)
        assert facts["snapshot"]["snapshot"] == small_build.path.name
        assert facts["cities"]["suzhou"]["snapshot"] == small_build.path.name
        assert facts["runs"][0]["state"] in ("published", "unchanged")
        assert "suzhou" in run("status", *options).out

    def test_an_empty_folder(self, tmp_path: Path) -> None:
        outcome = run("status", "--workspace", tmp_path / "w", "--out", tmp_path / "o")
        assert outcome.code == 0
        assert "no runs" in outcome.out
        assert "no snapshot" in outcome.out


class TestLocks:
    def _holder(self, folder: Path, city: str) -> subprocess.Popen[str]:
        script = (
            "import sys, time; from pathlib import Path; from flows.pipeline.locks import cities_locked\n"
            f"with cities_locked(Path({str(folder)!r}), [{city!r}], 'wait', print):\n"
            "    print('held', flush=True); time.sleep(60)\n"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        return child

    def test_a_busy_city_is_refused_or_waited_for(self, tmp_path: Path) -> None:
        child = self._holder(tmp_path, "suzhou")
        try:
            refuse = cities_locked(tmp_path, ["suzhou"], "refuse", print)
            with pytest.raises(WorkspaceError, match="another build works on suzhou"), refuse:
                pass
            with cities_locked(tmp_path, ["wuxi"], "refuse", print):
                pass  # another city is free
            waited: list[str] = []
            threading.Timer(0.3, child.kill).start()  # a lock dies with its holder
            with cities_locked(tmp_path, ["suzhou"], "wait", waited.append):
                assert waited == ["suzhou"]
        finally:
            child.kill()
            child.wait()


class TestMaintenance:
    def test_only_what_nobody_used_is_removed(self, small_build: Built, tmp_path: Path) -> None:
        space = tmp_path / "work"
        shutil.copytree(small_build.workspace, space)
        old = time.time() - 40 * DAY
        [unused] = space.glob("shards/trajectories/suzhou/*/meta.json")
        os.utime(unused.parent, (old, old))
        removed = prune_workspace(space, 30)
        assert removed["shards"] == 1
        assert removed["bytes"] > 0
        assert not unused.exists()
        assert not list(space.glob("shards/*/*/.*"))
        options = [*small_build.inputs.options(), "--json"]
        facts = json.loads(run("build", *options, *build_options(space, small_build.out)).out)
        again = {name for name, stage in facts["stages"].items() if not stage["reused"]}
        assert again == {"trajectories"}

    def test_using_a_shard_keeps_it(self, small_build: Built, tmp_path: Path) -> None:
        space = tmp_path / "work"
        shutil.copytree(small_build.workspace, space)
        old = time.time() - 40 * DAY
        for shard in space.glob("shards/*/*/*"):
            os.utime(shard, (old, old))
        run("build", *small_build.inputs.options(), *build_options(space, small_build.out))
        before = tree(space / "shards")
        assert prune_workspace(space, 30)["shards"] == 0
        assert tree(space / "shards") == before

    def test_a_damaged_snapshot_is_told(self, small_build: Built, tmp_path: Path) -> None:
        store = tmp_path / "out"
        shutil.copytree(small_build.out, store, symlinks=True)
        assert verify_latest(store) == []
        damaged = next((store / "latest").resolve().glob("data/pois/**/*.parquet"))
        damaged.write_bytes(damaged.read_bytes()[:-1])
        [fault] = verify_latest(store)
        assert "data/pois" in fault
        assert verify_latest(tmp_path / "none") == []


class _Hook(http.server.BaseHTTPRequestHandler):
    """Keeps the JSON that it is sent."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.bodies.append(json.loads(body))  # type: ignore[attr-defined]
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Quiet."""


@pytest.fixture
def webhook() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A real server on 127.0.0.1 and what it was sent."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Hook)
    server.bodies = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hook?key=s3cret", server.bodies  # type: ignore[attr-defined]
    server.shutdown()
    thread.join()
    server.server_close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.slow
def test_serve_runs_what_the_api_asks_for(
    small_build: Built, tmp_path: Path, webhook: tuple[str, list[dict[str, Any]]]
) -> None:
    """A server of its own; a one-off run with the UI's request; the same bytes; a notification."""
    address, told = webhook
    port = _free_port()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")},
        "PREFECT_HOME": str(tmp_path / "prefect"),
        "TRIPBED_WEBHOOK_URL": address,
    }
    places = ["--workspace", str(tmp_path / "work"), "--out", str(tmp_path / "out")]
    log = tmp_path / "log"
    with log.open("wb") as handle:
        child = subprocess.Popen(
            [sys.executable, "-m", "flows.cli", "serve", *small_build.inputs.options(), *places,
             "--port", str(port), "--cron", "0 0 1 1 *"],
            cwd=ROOT, env=environment, stdout=handle, stderr=handle,
        )  # fmt: skip
    try:
        api = f"http://127.0.0.1:{port}/api"
        deployment = _await(lambda: _deployment(api), child, log)
        described = deployment["parameter_openapi_schema"]["properties"]
        assert all(described[name]["description"] for name in described)
        create = f"{api}/deployments/{deployment['id']}/create_flow_run"
        asked = servers.asked("POST", create, json={})
        state = _await(lambda: _ended(api, asked["id"]), child, log)
        assert state["type"] == "COMPLETED", state
        assert state["message"] == f"snapshot {small_build.path.name}"
        _await(lambda: told, child, log)
        assert told[0]["run_id"] == asked["id"]
        [events] = read_runs(tmp_path / "work" / "runs")
        assert events[0]["run_id"] == asked["id"]
    finally:
        child.send_signal(signal.SIGINT)
        child.wait(180)
    assert checksums((tmp_path / "out" / "latest").resolve()) == checksums(small_build.path)
    assert "s3cret" not in log.read_text(encoding="utf-8", errors="replace")


def _deployment(api: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = servers.asked("GET", f"{api}/deployments/name/build/city")
    except (httpx.TransportError, AssertionError):
        return None  # the server starts, or has not been given the deployment yet
    return found


def _ended(api: str, run_id: str) -> dict[str, Any] | None:
    state: dict[str, Any] = servers.asked("GET", f"{api}/flow_runs/{run_id}")["state"]
    return state if state["type"] in ("COMPLETED", "FAILED", "CRASHED", "CANCELLED") else None


def _await(look: Any, child: subprocess.Popen[bytes], log: Path) -> Any:
    """What ``look`` gives once it gives something, within five minutes."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        assert child.poll() is None, log.read_text(encoding="utf-8", errors="replace")
        found = look()
        if found:
            return found
        time.sleep(0.3)
    raise AssertionError(log.read_text(encoding="utf-8", errors="replace"))
