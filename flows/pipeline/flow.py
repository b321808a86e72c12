"""Defines the Prefect flow of a build, with one task for each shard; Prefect's UI shows the stages.

The flow uses the server at ``PREFECT_API_URL``. If ``PREFECT_API_URL`` is not set, Prefect starts a
server for the run. The workspace is the cache: a task that finds its finished shard there returns
at once. Therefore, a flow that was killed continues where it stopped. Importing this module imports
Prefect.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import partial
from multiprocessing import parent_process
from typing import Any

from flows.settings.environment import load_settings, quiet_prefect

quiet_prefect()

from prefect import Task, flow, task
from prefect.cache_policies import NO_CACHE
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import RunInput, State, TaskRunResult
from prefect.runtime import flow_run
from prefect.settings import (
    PREFECT_API_URL,
    PREFECT_FLOWS_HEARTBEAT_FREQUENCY,
    temporary_settings,
)
from prefect.task_runners import ProcessPoolTaskRunner, TaskRunner, ThreadPoolTaskRunner

from flows.pipeline.artifacts import final_state, notify, write_artifacts
from flows.pipeline.folders import WhenBusy
from flows.pipeline.graph import NODES, Handle, run_shard
from flows.pipeline.processes import begin, children, kill_new, thread_count
from flows.pipeline.request import bring_inputs, make_inputs, make_web
from flows.pipeline.run import run
from flows.pipeline.shards import Ref, Workspace
from flows.pipeline.stages.base import Job
from flows.pipeline.storage import open_workspace
from flows.pipeline.watcher import current_watcher
from flows.pipeline.workers import ReadyExecutor, Shard, strip_job, work
from storage.places import find_folder

#: Shards mostly keep the interpreter busy, so more threads than this would only wait.
THREADS = 2


@task(cache_policy=NO_CACHE, persist_result=False)
def compute_shard(
    stage: str, job: Job, upstream: Mapping[str, list[Ref]], workspace: Workspace
) -> Ref:
    """Compute one shard and return its reference; the rows stay in the workspace."""
    bring_inputs(job.inputs)
    if parent_process() is None:
        return run_shard(workspace, NODES[stage].stage, job, upstream)
    return work(stage, job, upstream, workspace)


def task_runner(dask: str | None) -> TaskRunner[Any]:
    """Return a runner that uses threads of this process or the workers of a Dask cluster.

    ``dask`` is the address of a scheduler, or the number of worker processes to start on this
    machine.
    """
    if not dask:
        return ThreadPoolTaskRunner(max_workers=THREADS)
    # Dask is installed only with the extra `cluster`.
    from prefect_dask.task_runners import DaskTaskRunner

    if dask.isdigit():
        return DaskTaskRunner(cluster_kwargs={"n_workers": int(dask), "threads_per_worker": 1})
    return DaskTaskRunner(address=dask)


class PrefectExecutor(ReadyExecutor):
    """Runs every shard as a task of the flow.

    A task runs in the flow's own runner or in processes that Prefect starts. The flow's own runner
    uses threads of this process or the workers of a cluster. If the flow uses a cluster, the
    cluster receives every shard that is ready, and no processes are started on this machine.
    """

    def __init__(
        self, workspace: Workspace, done: Callable[[Ref], None], asked: int | None, dask: str | None
    ):
        super().__init__(workspace, done, 1 if dask else asked, sys.maxsize if dask else THREADS)

    def start_here(self, shard: Shard) -> Handle:
        """Start a task; the futures among its arguments become the edges of the graph."""
        edges = {name: [s.future for s in shards] for name, shards in shard.upstream.items()}
        return _task_of(shard).submit(shard.stage, shard.job, edges, self.workspace)

    def start_apart(self, shard: Shard) -> Handle:
        """Start a task in another process. The edges are passed as ids, because futures cannot be
        sent to another process.
        """
        parameters = {
            "stage": shard.stage, "job": strip_job(shard.job), "upstream": shard.refs,
            "workspace": self.workspace,
        }  # fmt: skip
        before = [other.future for shards in shard.upstream.values() for other in shards]
        edges: set[RunInput] = {TaskRunResult(id=future.task_run_id) for future in before}
        return self._runner.submit(_task_of(shard), parameters, dependencies={"upstream": edges})

    def begin_workers(self, processes: int) -> None:
        """Start Prefect's process runner, in addition to the flow's own runner."""
        self._others = children()
        self._held = ExitStack()
        # A process that is given no server would start one of its own.
        api = get_client(sync_client=True).api_url
        self._held.enter_context(temporary_settings({PREFECT_API_URL: str(api)}))
        runner = ProcessPoolTaskRunner(processes, None, begin, (thread_count(processes),))
        self._runner = self._held.enter_context(runner)

    def end_workers(self, *, at_once: bool) -> None:
        """Stop Prefect's process runner."""
        with kill_new(self._others, wanted=at_once):
            self._held.close()

    def reference(self, future: Handle) -> Ref:
        """Return the result of a task, or raise the exception that made the task fail."""
        future.wait()  # reads the state from the finished task; otherwise Prefect asks the server
        return super().reference(future)


def _task_of(shard: Shard) -> Task[Any, Ref]:
    """Return the task that computes a shard, with the shard's name and tags."""
    tags = [f"provider-{name}" for name in NODES[shard.stage].stage.providers(shard.job)]
    named = f"{shard.stage} {shard.job.shard}"
    return compute_shard.with_options(name=shard.stage, task_run_name=named, tags=tags)


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
    workers: int | None = None,
    queries: list[str] | None = None,
) -> State[Any]:
    """Build and publish a snapshot for the cities.

    Args:
        cities: City names in Chinese, pinyin or English.
        documents: Folders of documents; may be empty if the profile allows it.
        tables: Folder of structured sources.
        tables_format: Layout of the tables, ``tripbed`` or ``traveleval``.
        profile: Name of a bundled profile or path of a YAML file.
        engine: The engine that reads the documents.
        workspace: Folder of finished shards.
        out: Folder of snapshots; the last good one stays until a better one is published.
        when_busy: Whether to wait while another build works on the same city, or to refuse.
        budget_usd: US dollars that models may cost in this run; by default, the value in the
            settings.
        budget_tokens: Tokens that models may use in this run; by default, the value in the
            settings.
        readings: The user's own file of readings.
        assume_city: Whether a document is about the city that its folder is named after.
        accept_drift: Changes in sources that may be published, each written ``TABLE.CHECK``.
        because: The reason why these changes may be published.
        search: Search providers for documents: corpus, mediawiki, searxng, brave or baidu.
        archive: Folder that keeps all answers; by default, ``archive`` in the workspace.
        refresh: Request searches and pages again, with conditional requests.
        offline: Send no requests; use only the pages and answers in the archive.
        workers: Maximum number of processes; by default, one per core if that saves time.
        queries: The user's own files of queries.
    """
    watcher = current_watcher()
    settings = load_settings().with_budget(budget_usd, budget_tokens)
    inputs = make_inputs(
        cities, documents, tables, tables_format, profile, engine,
        settings=settings, readings=readings, assume_city=assume_city,
        accept_drift=accept_drift or (), because=because, queries=queries or (),
        web=make_web(
            search or (), find_folder(archive) if archive else find_folder(workspace) / "archive",
            refresh=refresh, offline=offline, settings=settings,
        ),
    )  # fmt: skip
    watcher.result = run(
        inputs,
        open_workspace(find_folder(workspace), settings.storage),
        find_folder(out),
        watcher.shard,
        partial(PrefectExecutor, asked=workers, dask=settings.dask),
        when_busy=when_busy,
        run_id=str(flow_run.id or "") or None,
    )
    write_artifacts(watcher.result)
    return final_state(watcher.result)


def without_heartbeat() -> AbstractContextManager[Any]:
    """Turn off Prefect's heartbeat, whose thread would delay the end of the run by a second."""
    return temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None})


def start_server() -> None:
    """Start a server for this run if the run needs one, and protect the server from Ctrl-C.

    When a user presses Ctrl-C, the terminal interrupts the server too. If the server stopped before
    the run ended, Prefect would spend minutes trying to report the end of the run.
    """

    def start() -> None:
        # A new process receives the same signals as the thread that starts it.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        with suppress(Exception):  # the run starts the server again and reports the error
            get_client(sync_client=True)

    if not PREFECT_API_URL.value():
        starter = threading.Thread(target=start, daemon=True)
        starter.start()
        starter.join()
