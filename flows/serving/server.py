"""``tripbed serve``: a server, the schedules and the runs, with nothing else installed.

Where ``PREFECT_API_URL`` names a server, that one is used. Else one is started here on
127.0.0.1, and ends with this process; its database and its history stay in ``PREFECT_HOME``.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from flows.errors import SettingsError

#: Seconds until a new server with an empty database must answer; 5 to 20 were seen.
_SERVER_STARTS_SECONDS = 120


@contextmanager
def server(port: int) -> Iterator[str]:
    """A Prefect server's API address, of the user's or of one started here.

    Raises SettingsError where it does not answer.
    """
    given = os.environ.get("PREFECT_API_URL")
    if given:
        yield given
        return
    url = f"http://127.0.0.1:{port}/api"
    if _answers(url):
        raise SettingsError(
            f"port {port} answers already: set PREFECT_API_URL={url} to use that server, or name "
            "another with --port"
        )
    quiet = {"DO_NOT_TRACK": "1", "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}
    argv = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1"]
    child = subprocess.Popen(
        [*argv, "--port", str(port), "--log-level", "ERROR"],
        env={**quiet, **os.environ},
        stdout=sys.stderr,
    )
    try:
        _wait(child, url)
        os.environ["PREFECT_API_URL"] = url
        yield url
    finally:
        os.environ.pop("PREFECT_API_URL", None)
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


def serve(
    port: int, parameters: Mapping[str, Any], keeping: Mapping[str, Any], cron: Mapping[str, str]
) -> None:
    """Serve the three deployments until the process is told to end."""
    with server(port) as url:
        from prefect import serve as prefect_serve

        from flows.serving.deployments import Schedules, all_deployments

        made = all_deployments(parameters, keeping, Schedules(**cron))
        sys.stderr.write(
            f"serving build/rebuild, build/city and maintenance/maintenance on {url}\n"
            f"a one-off run: prefect deployment run build/city --param cities='[\"suzhou\"]'\n"
        )
        prefect_serve(*made, print_starting_message=False)


def deploy(
    pool: str, parameters: Mapping[str, Any], keeping: Mapping[str, Any], cron: Mapping[str, str]
) -> list[str]:
    """Hand the three deployments to a work pool; gives their names.

    Raises SettingsError where no server is named.
    """
    if not os.environ.get("PREFECT_API_URL"):
        raise SettingsError("deployments live on a server: set PREFECT_API_URL to its API")
    from flows.serving.deployments import Schedules, all_deployments

    made = all_deployments(parameters, keeping, Schedules(**cron), pool)
    for deployment in made:
        deployment.apply()
    return [f"{deployment.flow_name}/{deployment.name}" for deployment in made]
