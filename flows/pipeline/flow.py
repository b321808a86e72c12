"""The Prefect flow of a build: one task a shard, the graph of the stages visible in its UI.

A server is used where ``PREFECT_API_URL`` names one; else Prefect starts its own for the run.
The workspace is the cache: a task that finds its shard there returns at once, so a flow that
was killed goes on where it stopped. Importing this module imports Prefect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager
from typing import Any

from flows.settings.environment import load_settings, quiet_prefect

quiet_prefect()

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from flows.pipeline.artifacts import final_state, write_artifacts
from flows.pipeline.graph import NODES, Handle, run_shard
from flows.pipeline.locks import WhenBusy
from flows.pipeline.looking import make_web
from flows.pipeline.notify import notify
from flows.pipeline.request import bring_inputs, make_inputs
from flows.pipeline.run import run
from flows.pipeline.shards import Ref, Workspace
from flows.pipeline.stages.base import Job
from flows.pipeline.storage import open_workspace
from flows.pipeline.watcher import current_watcher
from storage.places import placed

#: Shards hold the interpreter most of the time: more threads than this only queue.
WORKERS = 2


@task(cache_policy=NO_CACHE, persist_result=False)
def shard(stage: str, job: Job, upstream: Mapping[str, list[Ref]], workspace: Workspace) -> Ref:
    """One shard of a stage; a reference is its result, the rows stay in the workspace."""
    bring_inputs(job.inputs)
    return run_shard(workspace, NODES[stage].stage, job, upstream)


def task_runner(dask: str | None) -> TaskRunner[Any]:
    """Threads of this process, or the workers of a Dask cluster.

    ``dask`` is a scheduler's address, or a number of worker processes to start here.
    """
    if not dask:
        return ThreadPoolTaskRunner(max_workers=WORKERS)
    # Only with the extra `cluster`.
    from prefect_dask.task_runners import DaskTaskRunner

    if dask.isdigit():
        return DaskTaskRunner(cluster_kwargs={"n_workers": int(dask), "threads_per_worker": 1})
    return DaskTaskRunner(address=dask)


class PrefectExecutor:
    """Submits shards as tasks of the running flow."""

    def __init__(self, workspace: Workspace, done: Callable[[Ref], None]):
        self.workspace, self.done = workspace, done
        self._futures: list[Handle] = []

    def submit(self, stage: str, job: Job, upstream: Mapping[str, list[Handle]]) -> Handle:
        """Start a task; the futures among its arguments are the edges of the graph."""
        tags = [f"provider-{name}" for name in NODES[stage].stage.providers(job)]
        named = shard.with_options(name=stage, task_run_name=f"{stage} {job.shard}", tags=tags)
        future = named.submit(stage, job, dict(upstream), self.workspace)
        future.add_done_callback(self._report)
        self._futures.append(future)
        return future

    def finished(self) -> list[Ref]:
        """Wait for all tasks."""
        return [self.result(future) for future in self._futures]

    def _report(self, future: Handle) -> None:
        try:
            future.wait()  # takes the state from the finished task; without it the server is asked
        except (Exception, CancelledError):
            return  # the run's own error is raised by ``result``; this one stands on it
        if future.state.is_completed():
            self.done(future.result())

    def result(self, handle: Handle) -> Ref:
        """Wait for a task; its exception is raised here."""
        ref = handle.result()
        assert isinstance(ref, Ref)
        return ref


@flow(
    name="build",
    task_runner=task_runner(load_settings().dask),
    persist_result=False,
    on_completion=[notify],
    on_failure=[notify],
    on_crashed=[notify],
    on_cancellation=[notify],
)
def build(
    cities: list[str],
    documents: list[str],
    tables: str | None = None,
    tables_format: str = "tripbed",
    profile: str = "folder",
    engine: str = "rules",
    workspace: str = ".tripbed",
    out: str = "snapshots",
    when_busy: WhenBusy = "wait",
    budget_usd: float | None = None,
    budget_tokens: int | None = None,
    readings: str | None = None,
    assume_city: bool = False,
    accept_drift: list[str] | None = None,
    because: str | None = None,
    search: list[str] | None = None,
    archive: str | None = None,
    refresh: bool = False,
    offline: bool = False,
) -> State[Any]:
    """Build and publish a snapshot of the cities.

    Args:
        cities: Names in Chinese, pinyin or English.
        documents: Folders of documents; may be empty where the profile allows it.
        tables: Folder of structured sources.
        tables_format: Layout of the tables, ``tripbed`` or ``traveleval``.
        profile: Name of a bundled profile or path of a YAML file.
        engine: Who reads the documents.
        workspace: Folder of finished shards.
        out: Folder of snapshots; the last good one stays until a better one is published.
        when_busy: Wait for another build of the same city, or refuse.
        budget_usd: US dollars that models may cost in this run; else the settings'.
        budget_tokens: Tokens that models may use in this run; else the settings'.
        readings: File of readings that the user brings.
        assume_city: Whether a document is about the city that its folder names.
        accept_drift: Changes of sources that may be published, each ``TABLE.CHECK``.
        because: Why they may.
        search: Who is asked for documents on the web: corpus, mediawiki, searxng, brave, baidu.
        archive: Folder where all that came is kept; else ``archive`` in the workspace.
        refresh: Ask searches and pages again, with conditional requests.
        offline: Ask nobody: the archive and the answers in it are all there is.
    """
    watcher = current_watcher()
    settings = load_settings().with_budget(budget_usd, budget_tokens)
    inputs = make_inputs(
        cities, documents, tables, tables_format, profile, engine,
        settings=settings, readings=readings, assume_city=assume_city,
        accept_drift=accept_drift or (), because=because,
        web=make_web(
            search or (), placed(archive) if archive else placed(workspace) / "archive",
            refresh=refresh, offline=offline, settings=settings,
        ),
    )  # fmt: skip
    run_id = str(flow_run.id or "") or None
    watcher.result = run(
        inputs, open_workspace(placed(workspace), settings.storage), placed(out), watcher.shard, PrefectExecutor,
        when_busy=when_busy, run_id=run_id,
    )  # fmt: skip
    write_artifacts(watcher.result)
    return final_state(watcher.result)


def without_heartbeat() -> AbstractContextManager[Any]:
    """Settings for a run whose caller waits for it: the heartbeat's thread sleeps for a second."""
    return temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None})
