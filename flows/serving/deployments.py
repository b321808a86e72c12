"""Defines the Prefect deployments: the scheduled rebuild, the build of one city, and maintenance.

``tripbed serve`` serves all three deployments from one process; ``tripbed deploy`` and
``prefect.yaml`` assign them to a work pool. Importing this module imports Prefect.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.pipeline.flow import build
from flows.serving.upkeep import upkeep

from prefect.client.schemas.objects import (  # isort: skip - flows.pipeline.flow sets Prefect up first
    ConcurrencyLimitConfig,
    ConcurrencyLimitStrategy,
)
import asyncio
import os
import signal
import threading
from collections.abc import Callable, Sequence

from prefect.deployments.runner import RunnerDeployment
from prefect.runner import Runner
from prefect.schedules import Cron
from prefect.types.entrypoint import EntrypointType

#: Only one run at a time: a scheduled run that is due while the last one still works is cancelled,
#: so runs never pile up. A one-off run of a city waits for its turn.
ONE_CANCEL_NEW = ConcurrencyLimitConfig(
    limit=1, collision_strategy=ConcurrencyLimitStrategy.CANCEL_NEW
)
ONE_ENQUEUE = ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.ENQUEUE)


def all_deployments(
    parameters: Mapping[str, Any],
    keeping: Mapping[str, Any],
    pool: str | None = None,
    *,
    cron: str = "0 3 * * *",
    maintenance_cron: str = "0 6 * * 0",
    time_zone: str = "Asia/Shanghai",
) -> list[RunnerDeployment]:
    """Return the three deployments.

    ``parameters`` contains the parameters of the flow ``build`` for the scheduled rebuild. The
    values in ``parameters`` are also the defaults for a one-off run, where users can change them.
    ``keeping`` contains the parameters of the flow ``upkeep``. ``pool`` is the work pool whose
    workers run the deployments, or None if this process serves them. ``cron`` and
    ``maintenance_cron`` schedule the rebuild and the maintenance, in the time zone ``time_zone``.
    """
    common: dict[str, Any] = {"entrypoint_type": EntrypointType.MODULE_PATH, "work_pool_name": pool}
    made = [
        build.to_deployment(
            name="rebuild",
            description="Rebuilds the whole sandbox on a schedule.",
            schedule=Cron(cron, timezone=time_zone),
            parameters=dict(parameters),
            concurrency_limit=ONE_CANCEL_NEW,
            tags=["tripbed", "scheduled"],
            **common,
        ),
        build.to_deployment(
            name="city",
            description="Builds one or more cities once, and publishes them in the same store as "
            "`rebuild`.",
            parameters=dict(parameters),
            concurrency_limit=ONE_ENQUEUE,
            tags=["tripbed", "one-off"],
            **common,
        ),
        upkeep.to_deployment(
            name="maintenance",
            description="Checks the last good snapshot and removes old snapshots, shards and logs.",
            schedule=Cron(maintenance_cron, timezone=time_zone),
            parameters=dict(keeping),
            concurrency_limit=ONE_CANCEL_NEW,
            tags=["tripbed", "maintenance"],
            **common,
        ),
    ]
    # The type of the method includes a coroutine, which only asynchronous callers receive.
    return [deployment for deployment in made if isinstance(deployment, RunnerDeployment)]


#: Seconds in which the runner has to stop by itself, pause schedules and end runs.
_ENDS_SECONDS = 1.0
#: Seconds after which the process ends, even if something still waits for a server.
_AT_THE_LATEST_SECONDS = 3.0


def run_until_told(
    deployments: Sequence[RunnerDeployment],
    *,
    pause: bool,
    at_the_latest: Callable[[], object],
) -> int:
    """Serve deployments until SIGINT or SIGTERM arrives; return the signal's number.

    If the server continues to run, set ``pause`` to pause the schedules at the end. If the process
    does not end by itself, ``at_the_latest`` is called before the process is forced to end.
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
    await asyncio.sleep(0)  # the runner sets its own signal handler when it starts
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, tell, number)
    waiting = asyncio.create_task(told.wait())
    await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
    if not received:
        waiting.cancel()
        await running  # raises the error that ended the runner
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
