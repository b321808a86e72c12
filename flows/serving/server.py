"""``tripbed serve``: a server, the schedules and the runs, with nothing else installed.

Where ``PREFECT_API_URL`` names a server, that one is used. Else one is started here on
127.0.0.1, and ends with this process; its database and its history stay in ``PREFECT_HOME``.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from flows.errors import SettingsError
from flows.pipeline.request import Request
from flows.settings.environment import quiet_prefect

if TYPE_CHECKING:
    from prefect.deployments.runner import RunnerDeployment

#: Seconds until a new server with an empty database must answer; 5 to 20 were seen.
_SERVER_STARTS_SECONDS = 120


@contextmanager
def server(port: int, given: str | None) -> Iterator[str]:
    """A Prefect server's API address, of the user's or of one started here.

    Raises SettingsError where it does not answer.
    """
    if given:
        yield given
        return
    url = f"http://127.0.0.1:{port}/api"
    if _answers(url):
        raise SettingsError(
            f"port {port} answers already: set PREFECT_API_URL={url} to use that server, or name "
            "another with --port"
        )
    quiet_prefect()  # before Prefect is imported, here and in the server
    # Prefect takes two seconds to import.
    from prefect.settings import PREFECT_API_URL, temporary_settings

    argv = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1"]
    child = subprocess.Popen(
        [*argv, "--port", str(port), "--log-level", "ERROR"],
        stdout=sys.stderr,
    )
    try:
        _wait(child, url)
        with temporary_settings({PREFECT_API_URL: url}):
            yield url
    finally:
        child.send_signal(signal.SIGINT)
        try:
            child.wait(20)
        except subprocess.TimeoutExpired:
            child.kill()


def _wait(child: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + _SERVER_STARTS_SECONDS
    while not _answers(url):
        if child.poll() is not None or time.monotonic() > deadline:
            raise SettingsError(
                "the Prefect server did not start: is the port free, and can PREFECT_HOME be "
                "written? `prefect server start` says more"
            )
        time.sleep(0.2)


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", timeout=2, trust_env=False).is_success
    except httpx.HTTPError:
        return False


@dataclass(frozen=True)
class Unattended:
    """What the deployments do, when, and what maintenance keeps."""

    request: Request
    workspace: Path
    out: Path
    cron: str
    maintenance_cron: str
    time_zone: str
    keep_days: float
    keep_snapshots: int

    def deployments(self, pool: str | None = None) -> list[RunnerDeployment]:
        """The three deployments. Raises SettingsError where the request cannot be met."""
        # It imports Prefect, which takes two seconds.
        from flows.serving.deployments import Schedules, all_deployments

        self.request.inputs()
        schedules = Schedules(self.cron, self.maintenance_cron, self.time_zone)
        return all_deployments(self._parameters(), self._keeping(), schedules, pool)

    def _parameters(self) -> dict[str, Any]:
        """Parameters of the flow, with whole paths: a worker starts elsewhere."""
        asked = self.request
        profile = Path(asked.profile)
        return {
            "cities": list(asked.cities),
            "documents": [str(folder.resolve()) for folder in asked.documents],
            "tables": str(asked.tables.resolve()) if asked.tables else None,
            "tables_format": asked.tables_format,
            "profile": str(profile.resolve()) if profile.is_file() else asked.profile,
            "engine": asked.engine,
            "workspace": str(self.workspace.resolve()),
            "out": str(self.out.resolve()),
        }

    def _keeping(self) -> dict[str, Any]:
        return {
            "workspace": str(self.workspace.resolve()),
            "out": str(self.out.resolve()),
            "keep_days": self.keep_days,
            "keep_snapshots": self.keep_snapshots,
        }


def serve(port: int, unattended: Unattended) -> None:
    """Serve the three deployments until the process is told to end."""
    unattended.request.inputs()  # what is wrong is said before the server starts
    with server(port, unattended.request.settings.prefect_api_url) as url:
        # Only after the settings above: it takes them when it is imported.
        from prefect import serve as prefect_serve

        made = unattended.deployments()
        sys.stderr.write(
            f"serving build/rebuild, build/city and maintenance/maintenance on {url}\n"
            f"a one-off run: prefect deployment run build/city --param cities='[\"suzhou\"]'\n"
        )
        prefect_serve(*made, print_starting_message=False)


def deploy(pool: str, unattended: Unattended) -> list[str]:
    """Hand the three deployments to a work pool; gives their names.

    Raises SettingsError where no server is named.
    """
    if not unattended.request.settings.prefect_api_url:
        raise SettingsError("deployments live on a server: set PREFECT_API_URL to its API")
    made = unattended.deployments(pool)
    for deployment in made:
        deployment.apply()
    return [f"{deployment.flow_name}/{deployment.name}" for deployment in made]
