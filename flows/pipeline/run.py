"""Runs a build without an orchestrator, from documents and tables to a published snapshot.

``flows.pipeline.flow`` runs the same shards as Prefect tasks, and publishes through this module,
too.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from flows.errors import SettingsError
from flows.models.engines import count_failed, read_spent, tallies
from flows.pipeline import readings
from flows.pipeline.folders import WhenBusy, cities_locked
from flows.pipeline.given import GivenDocuments, list_given
from flows.pipeline.graph import Executor, submit_all
from flows.pipeline.jobs import assume_cities
from flows.pipeline.log import FOLDER, RunLog, library_lines, log_run
from flows.pipeline.partitions import (
    describe_built,
    partitions_of,
    select_published,
    source_rows_of,
)
from flows.pipeline.query_account import account_of, frame_account
from flows.pipeline.request import begin_round
from flows.pipeline.shards import Ref, Workspace
from flows.pipeline.stages.base import Inputs
from flows.pipeline.workers import ProcessExecutor
from flows.publishing.publish import find_unchanged, publish_cities
from flows.review.apply import list_rejected
from flows.review.store import list_decisions
from sources.web.corpus import Corpus, read_folder
from storage.places import show_path
from warehouse.manifest import read_manifest
from warehouse.publish import Published, latest_snapshot, prepare_store

Progress = Callable[[Ref], None]


@dataclass(frozen=True)
class BuildResult:
    """The result of a build; ``unchanged`` is True if its contents equal those of the last good
    snapshot.
    """

    published: Published
    costs: Mapping[str, Any]
    given: GivenDocuments
    unchanged: bool = False
    queries: pl.DataFrame = field(default_factory=pl.DataFrame)


def list_documents(inputs: Inputs) -> Corpus | None:
    """List the documents in a build; return None if the build has no folder of documents.

    Raises CorpusError if a folder cannot be read, and SettingsError if the folders must be named
    after cities but no folder is.
    """
    if not inputs.document_roots or (inputs.web and inputs.web.searches_documents):
        return None
    listed = read_folder(inputs.document_roots, inputs.profile.documents.maximum_bytes)
    if inputs.assume_city and listed.files and not assume_cities(listed, inputs.cities):
        names = ", ".join(city.slug for city in inputs.cities)
        raise SettingsError(
            "--assume-city: no folder of documents is named after a city of the build"
            f" ({names}): name a folder after each city, or leave out --assume-city"
        )
    return listed


def check_places(workspace: Workspace, store: Path) -> None:
    """Create the folders for a build, or report why the build cannot use the existing folders.

    Raises WorkspaceError or WarehouseError if a folder cannot be used, and SnapshotError if the
    store has a different schema version.
    """
    workspace.prepare()
    prepare_store(store)
    if (previous := latest_snapshot(store)) is not None:
        read_manifest(previous)


def build_directly(
    inputs: Inputs,
    workspace: Workspace,
    store: Path,
    progress: Progress = lambda ref: None,
    when_busy: WhenBusy = "wait",
    workers: int | None = 1,
) -> BuildResult:
    """Build and publish a snapshot, in this process or with worker processes.

    ``workers`` is the maximum number of processes that compute shards; if it is None,
    ``process_count`` chooses this number. A program that requests more than one process must run
    its own code only below ``if __name__ == "__main__"``.
    """
    executor_for = partial(ProcessExecutor, asked=workers)
    return run(inputs, workspace, store, progress, executor_for, when_busy=when_busy)


def run(
    inputs: Inputs,
    workspace: Workspace,
    store: Path,
    progress: Progress,
    executor_for: Callable[[Workspace, Progress], Executor],
    *,
    when_busy: WhenBusy = "wait",
    run_id: str | None = None,
) -> BuildResult:
    """Run every shard on an executor, then publish the rows that control kept.

    The finished shards and the run's log are written to ``workspace``, and the snapshot to
    ``store``. ``progress`` is called with every finished shard. ``executor_for`` creates the
    executor, in this process or on an orchestrator. ``when_busy`` decides whether this build waits
    while another build in this workspace works on a city that both builds include. ``run_id`` is
    the orchestrator's name for the run; by default, the name is random.
    """
    listed = list_documents(inputs)  # reports errors before a folder is created
    check_places(workspace, store)
    inputs = replace(
        inputs,
        rejections=list_rejected(store, inputs.settings.reviews),
        reading_store=workspace.root / readings.READINGS_FILE,
        link_store=workspace.root / readings.LINKS_FILE,
    )
    inputs = begin_round(inputs)
    slugs = [city.slug for city in inputs.cities]
    facts = {"profile": inputs.profile.name, "engine": inputs.engine, "store": show_path(store)}
    with (
        library_lines(workspace.root / FOLDER),
        log_run(workspace.root / FOLDER, run_id, slugs, facts) as log,
        cities_locked(
            workspace.root, slugs, when_busy, lambda slug: log.write("run.waiting", city=slug)
        ),
    ):
        inputs = replace(inputs, run_id=log.run_id)
        return _run(
            inputs, workspace, store, listed, _log_progress(progress, log), executor_for, log
        )


def _run(
    inputs: Inputs,
    workspace: Workspace,
    store: Path,
    listed: Corpus | None,
    progress: Progress,
    executor_for: Callable[[Workspace, Progress], Executor],
    log: RunLog,
) -> BuildResult:
    started = time.perf_counter()
    tokens, micro_usd = read_spent(inputs.engine, inputs.settings, inputs.run_id)
    failed_before = count_failed(inputs.engine, inputs.settings, inputs.run_id)
    executor = executor_for(workspace, progress)
    submit_all(executor, inputs, listed)
    finished = executor.finish()
    refs = select_published(finished)
    given = list_given(inputs, listed, workspace, finished)
    failed_now = count_failed(inputs.engine, inputs.settings, inputs.run_id)
    given = replace(given, failed_answers=failed_now, newly_failed=failed_now - failed_before)
    queries = account_of(inputs, workspace, finished)
    decisions = list_decisions(store, inputs.settings.reviews)
    built = describe_built(inputs, refs, decisions, given.frames() | frame_account(queries))
    unchanged = find_unchanged(store, built)
    tokens_now, micro_usd_now = read_spent(inputs.engine, inputs.settings, inputs.run_id)
    told = {
        "run_id": log.run_id,
        "engine": inputs.engine,
        "tokens": tokens_now - tokens,
        "cost_usd": (micro_usd_now - micro_usd) / 1e6,
        "tasks": {
            task: asdict(tally)
            for task, tally in tallies(inputs.engine, inputs.settings, inputs.run_id).items()
        },
        "stages": costs(finished),
        "seconds_to_publish": round(time.perf_counter() - started, 3),
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    searched = [ref for ref in finished if ref.stage in ("search", "ask_search")]
    if waiting := sum(ref.rows["waiting"] for ref in searched):
        told["waiting_searches"] = waiting
    if inputs.web is not None:
        asked = [ref.rows for ref in finished if ref.stage == "ask"]
        told["places_asked_about"] = sum(rows["inquiries"] for rows in asked)
        told["places_not_asked_about"] = sum(rows["left_out"] for rows in asked)
    if unchanged is not None:
        log.write("run.unchanged", snapshot=unchanged.path.name)
        return BuildResult(unchanged, told, given, unchanged=True, queries=queries)
    rows = partitions_of(inputs, workspace, refs, decisions)
    built = replace(built, source_rows=source_rows_of(workspace, finished))
    published = publish_cities(store, rows, built, told)
    log.write(
        "run.published" if published.passed else "run.rejected",
        snapshot=published.path.name,
        gates_failed=[gate.gate_id for gate in published.gates if not gate.passed],
        seconds=round(time.perf_counter() - started, 3),
    )
    return BuildResult(published, told, given, queries=queries)


def _log_progress(progress: Progress, log: RunLog) -> Progress:
    """Return a progress function that also records every finished shard in the log."""

    def report_done(ref: Ref) -> None:
        log.write(
            "shard.done",
            stage=ref.stage,
            shard=ref.shard,
            key=ref.key,
            reused=ref.reused,
            rows=sum(ref.rows.values()),
            seconds=round(ref.seconds, 3),
        )
        progress(ref)

    return report_done


def costs(refs: Iterable[Ref]) -> dict[str, dict[str, float]]:
    """For each stage, return the duration and the numbers of shards and reused shards; also return
    the process's peak memory."""
    stages: dict[str, dict[str, float]] = {}
    for ref in refs:
        entry = stages.setdefault(
            ref.stage, {"seconds": 0.0, "shards": 0, "reused": 0, "peak_bytes": 0}
        )
        entry["seconds"] = round(entry["seconds"] + ref.seconds, 4)
        entry["shards"] += 1
        entry["reused"] += int(ref.reused)
        entry["peak_bytes"] = max(entry["peak_bytes"], ref.peak_bytes)
    return stages
