"""Prefect's runner, ended by Ctrl-C or SIGTERM within seconds. Importing this imports Prefect."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Sequence

from prefect.deployments.runner import RunnerDeployment
from prefect.runner import Runner

#: Seconds that the runner has to end by itself: to pause schedules, to end runs.
_ENDS_SECONDS = 1.0
#: After so many seconds the process ends, whatever still waits for a server that is gone.
_AT_THE_LATEST_SECONDS = 3.0


def run_until_told(
    deployments: Sequence[RunnerDeployment],
    *,
    pause: bool,
    at_the_latest: Callable[[], object],
) -> int:
    """Serve deployments until SIGINT or SIGTERM comes; gives the signal's number.

    Args:
        deployments: What is served.
        pause: Whether to pause their schedules at the end, for a server that goes on.
        at_the_latest: Called before the process is ended, where it does not end by itself.
    """
    return asyncio.run(_serve(deployments, pause, at_the_latest))


async def _serve(
    deployments: Sequence[RunnerDeployment], pause: bool, at_the_latest: Callable[[], object]
) -> int:
    runner = Runner(name="tripbed", pause_on_shutdown=pause)
    for deployment in deployments:
        await runner.aadd_deployment(deployment)
    loop, told = asyncio.get_running_loop(), asyncio.Event()
    received: list[int] = []

    def tell(number: int) -> None:
        received.append(number)
        told.set()

    running = asyncio.create_task(runner.start())
    await asyncio.sleep(0)  # it sets a handler of its own when it starts
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, tell, number)
    waiting = asyncio.create_task(told.wait())
    await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
    if not received:
        waiting.cancel()
        await running  # it raises what ended it
        return signal.SIGTERM

    def leave() -> None:
        at_the_latest()
        os._exit(128 + received[0])

    last = threading.Timer(_AT_THE_LATEST_SECONDS, leave)
    last.daemon = True
    last.start()
    running.cancel()
    await asyncio.wait({running}, timeout=_ENDS_SECONDS)
    return received[0]
