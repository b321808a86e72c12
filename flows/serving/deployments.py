"""The Prefect deployments: the scheduled rebuild, the build of one city, and maintenance.

``tripbed serve`` serves all three from one process; ``tripbed deploy`` and ``prefect.yaml`` hand
them to a work pool. Importing this module imports Prefect.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flows.pipeline.flow import build
from flows.serving.upkeep import upkeep

from prefect.client.schemas.objects import (  # isort: skip - flows.pipeline.flow sets Prefect up first
    ConcurrencyLimitConfig,
    ConcurrencyLimitStrategy,
)
from prefect.deployments.runner import RunnerDeployment
from prefect.schedules import Cron
from prefect.types.entrypoint import EntrypointType

#: One run at a time: a scheduled run that comes due while the last one works is cancelled, so
#: runs never pile up. An ad-hoc run of a city waits for its turn.
ONE_CANCEL_NEW = ConcurrencyLimitConfig(
    limit=1, collision_strategy=ConcurrencyLimitStrategy.CANCEL_NEW
)
ONE_ENQUEUE = ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.ENQUEUE)


@dataclass(frozen=True)
class Schedules:
    """When the two scheduled deployments run: cron expressions in a time zone."""

    rebuild: str = "0 3 * * *"
    maintenance: str = "0 6 * * 0"
    time_zone: str = "Asia/Shanghai"


def all_deployments(
    parameters: Mapping[str, Any],
    keeping: Mapping[str, Any],
    schedules: Schedules,
    pool: str | None = None,
) -> list[RunnerDeployment]:
    """The three deployments.

    Args:
        parameters: Parameters of the flow ``build`` for the scheduled rebuild; the one-off run has
            the same defaults, and whoever starts it changes what differs.
        keeping: Parameters of the flow ``upkeep``.
        schedules: When they run.
        pool: Work pool whose workers run them; none where this process serves them.
    """
    common: dict[str, Any] = {"entrypoint_type": EntrypointType.MODULE_PATH, "work_pool_name": pool}
    made = [
        build.to_deployment(
            name="rebuild",
            description="The scheduled rebuild of the whole sandbox.",
            schedule=Cron(schedules.rebuild, timezone=schedules.time_zone),
            parameters=dict(parameters),
            concurrency_limit=ONE_CANCEL_NEW,
            tags=["tripbed", "scheduled"],
            **common,
        ),
        build.to_deployment(
            name="city",
            description="A one-off run for one city or a few, into the same snapshots.",
            parameters=dict(parameters),
            concurrency_limit=ONE_ENQUEUE,
            tags=["tripbed", "one-off"],
            **common,
        ),
        upkeep.to_deployment(
            name="maintenance",
            description="Check the last good snapshot and remove what is no longer needed.",
            schedule=Cron(schedules.maintenance, timezone=schedules.time_zone),
            parameters=dict(keeping),
            concurrency_limit=ONE_CANCEL_NEW,
            tags=["tripbed", "maintenance"],
            **common,
        ),
    ]
    # The method's type allows for a coroutine, which it only gives to asynchronous callers.
    return [deployment for deployment in made if isinstance(deployment, RunnerDeployment)]
