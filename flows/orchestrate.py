"""The Prefect side: one flow, one task a shard. Imported only when a build is orchestrated."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "120")
os.environ.setdefault("PREFECT_LOGGING_LEVEL", "WARNING")

from prefect import flow, task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.task_runners import ThreadPoolTaskRunner

from flows.build import BuildResult, Progress, run
from flows.graph import NODES, Executor, Handle, run_shard
from flows.shards import Ref, Workspace
from flows.stages.base import Inputs, Job
from sources.web.corpus import Corpus

#: Shards hold the interpreter most of the time: more threads than this only queue.
WORKERS = 2


@task(cache_policy=NO_CACHE, persist_result=False)
def shard(
    stage: str, job: Job, upstream: Mapping[str, list[Ref]], workspace: Workspace
) -> Ref:
    """One shard of a stage; the workspace is its cache, a reference its result."""
    return run_shard(workspace, NODES[stage].stage, job, upstream)


class PrefectExecutor:
    """Submits shards as tasks of the running flow."""

    def __init__(self, workspace: Workspace, done: Progress):
        self.workspace, self.done = workspace, done

    def submit(self, stage: str, job: Job, upstream: Mapping[str, list[Handle]]) -> Handle:
        """Start a task; the futures among its arguments are the edges of the graph."""
        named = shard.with_options(name=stage, task_run_name=f"{stage} {job.shard}")
        future = named.submit(stage, job, dict(upstream), self.workspace)
        future.add_done_callback(self._report)
        return future

    def _report(self, future: Handle) -> None:
        if future.state.is_completed():
            self.done(future.result())

    def result(self, handle: Handle) -> Ref:
        """Wait for a task; its exception is raised here."""
        ref = handle.result()
        assert isinstance(ref, Ref)
        return ref


def build_with_prefect(
    inputs: Inputs, workspace: Workspace, store: Path, listed: Corpus | None, progress: Progress
) -> BuildResult:
    """Run a build as a Prefect flow."""

    @flow(
        name="build",
        flow_run_name="build " + " ".join(city.slug for city in inputs.cities),
        task_runner=ThreadPoolTaskRunner(max_workers=WORKERS),  # type: ignore[arg-type]
        persist_result=False,
        validate_parameters=False,
    )
    def build_flow(cities: list[str], profile: str) -> BuildResult:
        result = run(inputs, workspace, store, listed, progress, _executor)
        _artifacts(result)
        return result

    return build_flow([city.slug for city in inputs.cities], inputs.profile.name)


def _executor(workspace: Workspace, done: Progress) -> Executor:
    return PrefectExecutor(workspace, done)


def _artifacts(result: BuildResult) -> None:
    """The summary and the gates, for the flow run's page."""
    published = result.published
    verdict = "published" if published.passed else "rejected"
    create_markdown_artifact(
        key="summary", markdown=f"Snapshot `{published.path.name}` was {verdict}."
    )
    gates: list[dict[str, Any]] = [
        {"gate": gate["gate_id"], "passed": gate["passed"], "message": gate["message"]}
        for gate in published.gates
    ]
    create_table_artifact(key="gates", table=gates)
