"""Deployments on a real server: what its API asks for is run, and told of."""

from __future__ import annotations

import http.server
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from flows.pipeline.log import read_runs
from tests.conftest import ROOT
from tests.support import servers
from tests.support.flows.builds import Built
from tests.support.flows.running import checksums

#: What Ctrl-C may take; 66 s were seen where the server ended before its runner.
_ENDS_WITHIN_SECONDS = 5


class _Hook(http.server.BaseHTTPRequestHandler):
    """Keeps the JSON that it is sent."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.bodies.append(json.loads(body))  # type: ignore[attr-defined]  # kept on the server
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Quiet."""


@pytest.fixture
def webhook() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A real server on 127.0.0.1 and what it was sent."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Hook)
    server.bodies = []  # type: ignore[attr-defined]  # its handler finds them there
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hook?key=s3cret", server.bodies  # type: ignore[attr-defined]  # kept on the server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.slow
def test_serve_runs_what_the_api_asks_for(
    small_build: Built, tmp_path: Path, webhook: tuple[str, list[dict[str, Any]]]
) -> None:
    """A server of its own; a one-off run with the UI's request; the same bytes; a notification."""
    address, told = webhook
    port = servers.free_port()
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
            cwd=ROOT, env=environment, stdout=handle, stderr=handle, start_new_session=True,
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
        _pasted_command_works(log, environment)
    finally:
        began = time.monotonic()
        os.killpg(child.pid, signal.SIGINT)  # as a terminal's Ctrl-C, to the whole group
        code = child.wait(180)
    assert (code, time.monotonic() - began < _ENDS_WITHIN_SECONDS) == (130, True)
    _nothing_is_left(port, log)
    assert checksums((tmp_path / "out" / "latest").resolve()) == checksums(small_build.path)
    assert "s3cret" not in log.read_text(encoding="utf-8", errors="replace")


def _pasted_command_works(log: Path, environment: dict[str, str]) -> None:
    """The one-off run that is printed, given to a shell that knows nothing of the server."""
    (line,) = re.findall("a one-off run: (.*)", log.read_text(encoding="utf-8", errors="replace"))
    place = {"PATH": f"{Path(sys.executable).parent}:{environment['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", f"{line} --start-in '1 day'"],
        env=environment | place, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def _nothing_is_left(port: int, log: Path) -> None:
    """No traceback, and no server."""
    said = log.read_text(encoding="utf-8", errors="replace")
    assert "Traceback" not in said
    with pytest.raises(httpx.TransportError):
        httpx.get(f"http://127.0.0.1:{port}/api/health", trust_env=False, timeout=5)


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
