"""Runs shards on all cores; each shard starts as soon as the shards that it needs are finished.

Worker processes receive the stage, the job and references to earlier shards. Workers read and write
the workspace themselves, so no frame is sent between processes. Only the build's own process sends
requests to external services (the web, models, geocoders). This process limits how often each host
receives a request, and how many requests are open at a time.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from typing import Any

from flows.errors import WorkerLost
from flows.pipeline.graph import GRAPH, NODES, WEB, find_shard, run_shard
from flows.pipeline.log import FOLDER, library_lines
from flows.pipeline.processes import (
    begin,
    children,
    core_count,
    deaf_to_ctrl_c,
    kill_new,
    thread_count,
)
from flows.pipeline.shards import Ref, Workspace
from flows.pipeline.stages.base import Job

#: Processor seconds that a build works alone before it starts workers: about as long as two workers
#: need to start. A shorter build never waits for workers to start, and no build waits for them
#: longer than it has worked itself.
ALONE_SECONDS = 15.0
#: The most memory that a worker uses in a build of ten cities, with some reserve.
WORKER_BYTES = 1_500_000_000
_ORDER = {node.stage.name: place for place, node in enumerate(GRAPH)}


def room() -> int:
    """Count the workers that this machine's cores and memory allow."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(core_count(), memory // WORKER_BYTES)


def process_count(
    asked: int | None, places: int, left: Mapping[str, int], worked_seconds: float
) -> int:
    """Return how many processes a build should use now; 1 means only the build's own process.

    ``asked`` is the maximum number of processes that the user allows; if it is None, up to
    ``places`` processes are used if that saves time. ``places`` is the number of workers that the
    machine can run. ``left`` counts, by stage, the unfinished shards that workers may run in
    parallel. ``worked_seconds`` is the processor time that the build's own process has used so far.
    """
    if asked is None and worked_seconds < ALONE_SECONDS:
        return 1
    return max(1, min(places if asked is None else asked, max(left.values(), default=0)))


@dataclass(eq=False)
class Shard:
    """A shard of a build.

    A shard waits for earlier shards, runs, or is finished. A finished shard has a ``ref``.
    """

    number: int
    stage: str
    job: Job
    upstream: Mapping[str, Sequence[Shard]]
    is_apart: bool
    missing: int = 0
    after: list[Shard] = field(default_factory=list)
    is_here: bool = False
    future: Any = None
    #: Its reference if the workspace already contains it, once this was looked up.
    found: Ref | None = None
    ref: Ref | None = None

    @property
    def refs(self) -> dict[str, list[Ref]]:
        """Return the references of the earlier shards, all of which are finished."""
        return {
            name: [shard.ref for shard in shards if shard.ref]
            for name, shards in self.upstream.items()
        }

    @property
    def order(self) -> tuple[int, int, int]:
        """Return the sort key that decides which shard starts first.

        Shards of the stage that most other stages depend on come first; among these shards, buckets
        with the most text come first.
        """
        files = self.job.extra.get("files", ())
        return _ORDER[self.stage], -sum(file.size_bytes for file in files), self.number


class ReadyExecutor(ABC):
    """Runs each shard once the earlier shards are finished; subclasses define how shards start.

    ``workspace`` contains the finished shards. ``done`` is called with every finished shard, in
    this thread. ``asked`` is the maximum number of processes; if it is None, ``process_count``
    chooses the number. ``at_once`` is the number of shards that this process computes at a time.
    """

    def __init__(
        self,
        workspace: Workspace,
        done: Callable[[Ref], None] = lambda ref: None,
        asked: int | None = None,
        at_once: int = 1,
    ):
        self.workspace, self.done, self.asked = workspace, done, asked
        self._here_free, self._processes, self._began = at_once, 1, time.process_time()
        self._shards: list[Shard] = []
        self._ready: list[Shard] = []
        self._running: dict[Shard, None] = {}
        self._left: Counter[str] = Counter()
        self._ended: SimpleQueue[Shard] = SimpleQueue()

    @abstractmethod
    def start_here(self, shard: Shard) -> Any:
        """Start a shard in this process and return its future, which may already be finished."""

    @abstractmethod
    def start_apart(self, shard: Shard) -> Any:
        """Start a shard in a worker and return its future."""

    @abstractmethod
    def begin_workers(self, processes: int) -> None:
        """Start worker processes."""

    @abstractmethod
    def end_workers(self, *, at_once: bool) -> None:
        """End the workers; ``at_once`` also stops the shards that the workers are still
        computing."""

    def reference(self, future: Any) -> Ref:
        """Return the result of a future, or raise its exception."""
        ref = future.result()
        assert isinstance(ref, Ref)
        return ref

    def submit(self, stage: str, job: Job, upstream: Mapping[str, list[Shard]]) -> Shard:
        """Add a shard to the queue; the shard runs when results are requested."""
        before = {shard for shards in upstream.values() for shard in shards}
        is_apart = stage not in WEB and not NODES[stage].stage.providers(job)
        shard = Shard(len(self._shards), stage, job, upstream, is_apart)
        shard.missing = sum(other.ref is None for other in before)
        for other in before:
            other.after.append(shard)
        self._shards.append(shard)
        self._left[stage] += is_apart
        if not shard.missing:
            self._ready.append(shard)
        return shard

    def result(self, handle: Shard) -> Ref:
        """Run all shards that were submitted and return the reference of the given shard."""
        self._run()
        assert handle.ref is not None
        return handle.ref

    def finish(self) -> list[Ref]:
        """Return the references of all shards, in the order of submission."""
        self._run()
        return [shard.ref for shard in self._shards if shard.ref]

    def _run(self) -> None:
        is_whole = False
        try:
            while self._ready or self._running:
                self._start_ready()
                self._take(self._ended.get())
                while not self._ended.empty():
                    self._take(self._ended.get())
            is_whole = True
        except BrokenExecutor:
            apart = [shard for shard in self._running if not shard.is_here][: self._processes]
            lost = [f"{shard.stage} {shard.job.shard}" for shard in apart]
            raise WorkerLost(lost, self._processes) from None
        finally:
            if self._processes > 1:
                self.end_workers(at_once=not is_whole)
                self._processes = 1

    def _start_ready(self) -> None:
        """Start every shard that workers may run, and as many others as this process has room
        for.
        """
        ready, self._ready = sorted(self._ready, key=lambda shard: shard.order), []
        for shard in ready:
            if self._goes_apart(shard):
                with deaf_to_ctrl_c():
                    future = self.start_apart(shard)
                self._watch(shard, future)
            elif self._here_free:
                self._here_free -= 1
                shard.is_here = True
                self._watch(shard, self.start_here(shard))
            else:
                self._ready.append(shard)

    def _goes_apart(self, shard: Shard) -> bool:
        """Decide whether a worker runs the shard; start the workers before the first such shard."""
        if not shard.is_apart:
            return False
        wanted = self._processes
        if wanted == 1:
            worked = time.process_time() - self._began
            wanted = process_count(self.asked, room(), self._left, worked)
        if wanted == 1:
            return False
        shard.found = find_shard(self.workspace, NODES[shard.stage].stage, shard.job, shard.refs)
        if shard.found is not None:
            return False
        if self._processes == 1:
            self.begin_workers(wanted)
            self._processes = wanted
        return True

    def _watch(self, shard: Shard, future: Any) -> None:
        shard.future = future
        self._running[shard] = None
        future.add_done_callback(lambda _: self._ended.put(shard))

    def _take(self, shard: Shard) -> None:
        """Record that a shard is finished, and release the shards that were waiting for it."""
        ref = self.reference(shard.future)
        del self._running[shard]
        shard.ref = ref
        self._left[shard.stage] -= shard.is_apart
        self._here_free += shard.is_here
        for other in shard.after:
            other.missing -= 1
            if not other.missing:
                self._ready.append(other)
        self.done(ref)


class ProcessExecutor(ReadyExecutor):
    """Runs shards in this process and in a pool of Python processes, without an orchestrator."""

    def start_here(self, shard: Shard) -> Future[Ref]:
        """Compute the shard now."""
        future: Future[Ref] = Future()
        stage = NODES[shard.stage].stage
        future.set_result(shard.found or run_shard(self.workspace, stage, shard.job, shard.refs))
        return future

    def start_apart(self, shard: Shard) -> Future[Ref]:
        """Give the shard to the pool."""
        return self._pool.submit(
            work, shard.stage, strip_job(shard.job), shard.refs, self.workspace
        )

    def begin_workers(self, processes: int) -> None:
        """Create the pool, which starts another process when none is free."""
        self._others = children()
        self._pool = ProcessPoolExecutor(
            processes, multiprocessing.get_context("spawn"), begin, (thread_count(processes),)
        )

    def end_workers(self, *, at_once: bool) -> None:
        """End the pool."""
        with kill_new(self._others, wanted=at_once):
            self._pool.shutdown(cancel_futures=True)


def work(stage: str, job: Job, upstream: Mapping[str, list[Ref]], workspace: Workspace) -> Ref:
    """Compute one shard in a worker; exceptions that cannot be pickled become RuntimeErrors."""
    with library_lines(workspace.root / FOLDER, unsaid=["prefect"]):
        try:
            return run_shard(workspace, NODES[stage].stage, job, upstream)
        except Exception as error:
            if _is_portable(error):
                raise
            raise RuntimeError(f"{type(error).__name__}: {error}") from None


def _is_portable(error: Exception) -> bool:
    try:
        return isinstance(pickle.loads(pickle.dumps(error)), type(error))
    except Exception:  # an exception may raise anything while it is pickled
        return False


def strip_job(job: Job) -> Job:
    """Remove the parts of a job that a worker does not need.

    The removed parts are the readings of other documents and the queries of other cities.
    """
    return replace(job, inputs=replace(job.inputs, own_readings=None, queries=None))
