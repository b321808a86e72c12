"""Runs schedules and builds for ``tripbed serve``, with its own Prefect server if needed.

If ``PREFECT_API_URL`` is set, the command uses the server at this address. Without
``PREFECT_API_URL``, the command starts a server on this machine (127.0.0.1), which ends with this
process. The server's database and history stay in ``PREFECT_HOME``.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.errors import SettingsError
from flows.pipeline.request import BuildRequest, describe_search
from flows.settings.checks import api_answers
from flows.settings.environment import quiet_prefect
from storage.places import show_path

if TYPE_CHECKING:
    from prefect.deployments.runner import RunnerDeployment

#: Seconds until a new server with an empty database must answer; measured were 5 to 20.
_SERVER_STARTS_SECONDS = 120
#: Seconds in which the server has to end by itself.
_SERVER_ENDS_SECONDS = 0.5
#: The file in the workspace for the output of the server that is started here.
SERVER_LOG = "prefect-server.log"


@contextmanager
def server(port: int, given: str | None, log: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the address of the user's Prefect server, or of a server that is started on this
    machine.

    Also yield a function that kills the server if this context manager started it.

    The output of a server that this context manager started is written to the file ``log``. Raises
    SettingsError if the server does not start. ``flows.settings.checks`` has already checked that
    the user's server answers.
    """
    if given:
        yield given, lambda: None
        return
    url = f"http://127.0.0.1:{port}/api"
    if api_answers(url):
        raise SettingsError(
            f"a Prefect server already uses port {port}: set PREFECT_API_URL={url} to use it, or "
            "choose a different port with --port"
        )
    quiet_prefect()  # must run before Prefect is imported, here and in the server
    # Importing Prefect takes two seconds.
    from prefect.settings import PREFECT_API_URL, temporary_settings

    argv = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1"]
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as told:
        # The server has its own process group, so Ctrl-C first ends the processes that use the
        # server.
        child = subprocess.Popen(
            [*argv, "--port", str(port), "--log-level", "ERROR"],
            stdout=told, stderr=told, process_group=0,
        )  # fmt: skip
    try:
        _wait(child, url, log)
        with temporary_settings({PREFECT_API_URL: url}):
            yield url, child.kill
    finally:
        child.terminate()
        try:
            child.wait(_SERVER_ENDS_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()


def _wait(child: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + _SERVER_STARTS_SECONDS
    while not api_answers(url):
        if child.poll() is not None or time.monotonic() > deadline:
            raise SettingsError(
                "the Prefect server did not start: check that the port is free and that "
                f"PREFECT_HOME is writable; see {log} for details"
            )
        time.sleep(0.2)


@dataclass(frozen=True)
class Unattended:
    """The build, the schedules for the deployments, and the settings for what maintenance keeps."""

    request: BuildRequest
    workspace: Path
    out: Path
    cron: str
    maintenance_cron: str
    time_zone: str
    keep_days: float
    keep_snapshots: int

    def deployments(self, pool: str | None = None) -> list[RunnerDeployment]:
        """Return the three deployments; raise SettingsError if the request cannot be met."""
        # This imports Prefect, which takes two seconds.
        from flows.serving.deployments import all_deployments

        self.request.inputs()
        keeping = {
            "workspace": show_path(self.workspace.resolve()),
            "out": show_path(self.out.resolve()),
            "keep_days": self.keep_days,
            "keep_snapshots": self.keep_snapshots,
        }
        return all_deployments(
            self._parameters(), keeping, pool, cron=self.cron,
            maintenance_cron=self.maintenance_cron, time_zone=self.time_zone,
        )  # fmt: skip

    def _parameters(self) -> dict[str, Any]:
        """Return the flow's parameters with absolute paths, because workers start in different
        folders.
        """
        asked = self.request
        profile = Path(asked.profile)
        return {
            "cities": list(asked.cities),
            "documents": [show_path(folder.resolve()) for folder in asked.documents],
            "tables": show_path(asked.tables.resolve()) if asked.tables else None,
            "tables_format": asked.tables_format,
            "profile": str(profile.resolve()) if profile.is_file() else asked.profile,
            "engine": asked.engine,
            "workspace": show_path(self.workspace.resolve()),
            "out": show_path(self.out.resolve()),
            "queries": [show_path(path.resolve()) for path in asked.queries] or None,
            **describe_search(asked),
        }


def serve(port: int, unattended: Unattended) -> int:
    """Serve the three deployments until the process has to end; return the process's exit code."""
    unattended.request.inputs()  # reports errors before the server starts
    given = unattended.request.settings.prefect_api_url
    with server(port, given, unattended.workspace / SERVER_LOG) as (url, kill):
        # Imported after the settings above, which Prefect reads on import.
        from flows.serving.deployments import run_until_told

        made = unattended.deployments()
        city = json.dumps([unattended.request.inputs().cities[0].slug])
        sys.stderr.write(
            f"serving build/rebuild, build/city and maintenance/maintenance on {url}\n"
            f"for a one-off run: PREFECT_API_URL={url} {_prefect()} deployment run build/city "
            f"--param cities={shlex.quote(city)}\npress Ctrl-C to stop; finished shards are kept\n"
        )
        # The user's own server continues to run, so its schedules are paused while nobody serves
        # them.
        told = run_until_told(made, pause=given is not None, at_the_latest=kill)
    sys.stderr.write("ended\n")
    return 128 + told


def _prefect() -> str:
    """Return the command ``prefect`` of the current Python environment, quoted for a shell."""
    beside = Path(sys.executable).with_name("prefect")
    found = shutil.which("prefect")
    if found and Path(found).resolve() == beside.resolve():
        return "prefect"
    return f"{shlex.quote(sys.executable)} -m prefect"


def deploy(pool: str, unattended: Unattended) -> list[str]:
    """Add the three deployments to a work pool; return their names.

    Raises SettingsError if no server is configured.
    """
    if not unattended.request.settings.prefect_api_url:
        raise SettingsError(
            "deployments need a Prefect server: set PREFECT_API_URL to the address of its API"
        )
    made = unattended.deployments(pool)
    for deployment in made:
        deployment.apply()
    return [f"{deployment.flow_name}/{deployment.name}" for deployment in made]
