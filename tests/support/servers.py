"""Real servers for tests and benchmarks: PostgreSQL, Prefect and S3, on 127.0.0.1, in a folder.

Each is a process of its own that ends with the ``with`` block; nothing of the machine's own
servers is touched.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx


def free_port() -> int:
    """A port of 127.0.0.1 that nobody uses at this moment.

    It is below those that the system gives to connections: none of them takes it until the
    server that it is for has started.
    """
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def postgres_programs() -> Path | None:
    """The folder of ``initdb`` and ``postgres``; None where PostgreSQL is not installed."""
    found = shutil.which("initdb")
    folders = (
        [Path(found).resolve().parent]
        if found
        else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    )
    return next((folder for folder in reversed(folders) if (folder / "postgres").exists()), None)


@contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """A new database cluster; gives ``user@127.0.0.1:port/database`` for an address.

    Raises RuntimeError where PostgreSQL is not installed or does not start.
    """
    programs = postgres_programs()
    if programs is None:
        raise RuntimeError("PostgreSQL is not installed: apt-get install postgresql")
    # PostgreSQL refuses to run as root, and its own user can't enter a test's folder.
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    data, port = Path(tempfile.mkdtemp(prefix="tripbed-postgres-")), free_port()
    if as_user:
        shutil.chown(data, "postgres", "postgres")
    init = [*as_user, str(programs / "initdb"), "-D", str(data), "-U", "tripbed", "--auth=trust"]
    subprocess.run([*init, "--no-sync"], check=True, capture_output=True, cwd=data)
    argv = [str(programs / "postgres"), "-D", str(data), "-p", str(port), "-h", "127.0.0.1"]
    with (folder / "postgres.log").open("wb") as log:
        child = subprocess.Popen(
            [*as_user, *argv, "-k", str(data)], cwd=data, stdout=log, stderr=log
        )
    ready = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
    try:
        _await(lambda: subprocess.run(ready, check=False).returncode == 0, child, 180)
        yield f"tripbed@127.0.0.1:{port}/postgres"
    finally:
        # The process started here may only have changed the user: PostgreSQL is told itself.
        stop = [*as_user, str(programs / "pg_ctl"), "stop", "-D", str(data), "-m", "fast", "-w"]
        subprocess.run(stop, check=False, capture_output=True, cwd=data)
        child.wait(60)
        shutil.rmtree(data, ignore_errors=True)


@contextmanager
def prefect_server(folder: Path, database: str | None = None) -> Iterator[str]:
    """A Prefect server; gives its API's address.
    ``database`` as ``postgres`` gives it, or SQLite.
    """
    port, home = free_port(), folder / "prefect-server"
    environment = {name: v for name, v in os.environ.items() if not name.startswith("PREFECT_")}
    environment |= {
        "PREFECT_HOME": str(home), "DO_NOT_TRACK": "1", "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    }  # fmt: skip
    if database:
        environment["PREFECT_API_DATABASE_CONNECTION_URL"] = f"postgresql+asyncpg://{database}"
    argv = ["server", "start", "--host", "127.0.0.1", "--port", str(port), "--no-ui"]
    with (folder / "prefect.log").open("wb") as log:
        child = subprocess.Popen(
            [sys.executable, "-m", "prefect", *argv], env=environment, stdout=log, stderr=log
        )
    url = f"http://127.0.0.1:{port}/api"
    try:
        _await(lambda: _answers(f"{url}/health"), child, 240)
        yield url
    finally:
        child.send_signal(signal.SIGINT)
        try:
            child.wait(60)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


@contextmanager
def object_store(folder: Path, *, denies: bool = False) -> Iterator[dict[str, str]]:
    """An S3-compatible server with a bucket ``tripbed``; gives the environment that reaches it.

    ``denies``: it knows nobody's key.
    """
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    argv = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    environment = os.environ | ({"INITIAL_NO_AUTH_ACTION_COUNT": "0"} if denies else {})
    with (folder / f"s3-{port}.log").open("wb") as log:
        child = subprocess.Popen(argv, env=environment, stdout=log, stderr=log)
    try:
        _await(lambda: _speaks(url), child, 180)
        if not denies:
            httpx.put(f"{url}/tripbed", trust_env=False, timeout=60).raise_for_status()
        yield {
            "AWS_ACCESS_KEY_ID": "AKIDOFATEST", "AWS_SECRET_ACCESS_KEY": "secret-of-a-test",
            "AWS_DEFAULT_REGION": "us-east-1", "AWS_ENDPOINT_URL": url,
        }  # fmt: skip
    finally:
        child.terminate()
        child.wait(60)


def asked(method: str, url: str, **given: Any) -> Any:
    """What a Prefect server answers, asked again on 503 as Prefect's own client does.

    SQLite has one writer: a server that is still at something else says 503, to be tried again.
    Raises AssertionError with the server's words for any other refusal.
    """
    deadline = time.monotonic() + 180
    while True:
        answer = httpx.request(method, url, trust_env=False, timeout=120, **given)
        if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE or time.monotonic() > deadline:
            break
        time.sleep(0.3)
    assert answer.is_success, f"{method} {url}: {answer.status_code} {answer.text}"
    return answer.json()


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5, trust_env=False).is_success
    except httpx.HTTPError:
        return False


def _speaks(url: str) -> bool:
    try:
        httpx.get(url, timeout=5, trust_env=False)
    except httpx.TransportError:
        return False
    return True


def _await(ready: Callable[[], bool], child: subprocess.Popen[bytes], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        if child.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{child.args!r} did not start")
        time.sleep(0.1)
