"""Runs the build commands, and the command that explains which shards would run and why.

The commands show progress on standard error. At the end, the commands print a summary and the
snapshot's path.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import polars as pl

from flows.console import build_progress, print_json, print_rows
from flows.errors import SettingsError
from flows.pipeline.folders import WhenBusy, no_empty_folders
from flows.pipeline.graph import NODES, DirectExecutor, ingredients, shard_total, submit_all
from flows.pipeline.log import FOLDER, library_lines
from flows.pipeline.request import BuildRequest, begin_round, describe_search
from flows.pipeline.run import BuildResult, build_directly, check_places, list_documents
from flows.pipeline.shards import Ref, Workspace, shard_key
from flows.pipeline.stages.base import Inputs, Job
from flows.pipeline.storage import open_workspace
from flows.pipeline.summary import print_summary
from flows.pipeline.watcher import Watcher, watch
from flows.review.apply import list_rejected
from storage.places import show_path


def build(
    request: BuildRequest,
    workspace: Path,
    out: Path,
    *,
    direct: bool,
    as_json: bool,
    when_busy: WhenBusy = "wait",
) -> int:
    """Build a snapshot, print the results and return the exit code."""
    inputs = request.inputs()
    if request.workers and request.settings.dask and not direct:
        raise SettingsError(
            "TRIPBED_DASK is set, so Dask's workers compute the shards:"
            " unset this variable, or leave out --workers"
        )
    started = time.perf_counter()
    shards = open_workspace(workspace, request.settings.storage)
    with (
        no_empty_folders(workspace, out),
        build_progress(shard_total(inputs), quiet=as_json) as done,
    ):
        if direct:
            result = build_directly(inputs, shards, out, done, when_busy, request.workers)
        else:
            # Errors in the documents are reported before Prefect starts.
            list_documents(inputs)
            check_places(shards, out)
            result = _orchestrate(request, inputs, workspace, out, done, when_busy)
    seconds = time.perf_counter() - started
    print_summary(result, seconds, as_json=as_json)
    return 0 if result.published.passed else 1


def _orchestrate(
    request: BuildRequest,
    inputs: Inputs,
    workspace: Path,
    out: Path,
    done: Callable[[Ref], None],
    when_busy: WhenBusy,
) -> BuildResult:
    # Importing Prefect takes two seconds, which --direct avoids.
    from flows.pipeline.flow import build as flow
    from flows.pipeline.flow import start_server, without_heartbeat

    settings = request.settings
    watcher = Watcher(done)
    # Prefect's server needs seconds to start in a process of its own; imports run meanwhile.
    threading.Thread(target=import_module, args=("great_expectations",), daemon=True).start()
    # The command reports an error once; Prefect's own report goes to the log.
    said = library_lines(workspace / FOLDER, unsaid=["prefect"])
    with watch(watcher), without_heartbeat(), said:
        start_server()
        state = flow(
            cities=[city.city_id for city in inputs.cities],
            documents=[show_path(root) for root in request.documents],
            tables=show_path(request.tables) if request.tables else None,
            tables_format=request.tables_format,
            profile=request.profile,
            engine=request.engine,
            workspace=show_path(workspace),
            out=show_path(out),
            when_busy=when_busy,
            budget_usd=None if settings.budget_usd is None else float(settings.budget_usd),
            budget_tokens=settings.budget_tokens,
            readings=str(request.readings) if request.readings else None,
            assume_city=request.assume_city,
            accept_drift=list(request.accept_drift),
            because=request.because,
            workers=request.workers,
            queries=[show_path(path) for path in request.queries] or None,
            **describe_search(request),
            return_state=True,
        )
    if watcher.result is None:
        state.result()  # raises what stopped the run
        raise RuntimeError(
            f"the flow ended in the state {state.name} without a result: {state.message}"
        )
    return watcher.result


def stage(
    name: str, request: BuildRequest, workspace: Path, out: Path | None, as_json: bool
) -> None:
    """Run one stage and the stages that it needs; write its rows to files if ``out`` is given."""
    inputs = begin_round(request.inputs())
    shards = open_workspace(workspace, request.settings.storage)
    with (
        no_empty_folders(workspace, *filter(None, [out])),
        build_progress(shard_total(inputs, name), quiet=as_json) as done,
    ):
        listed = list_documents(inputs)
        shards.prepare()
        executor = DirectExecutor(shards, done)
        ends = submit_all(executor, inputs, listed, last=name)
    rows: dict[str, dict[str, int]] = {}
    for slug, ref in ends.items():
        frames = shards.load(executor.result(ref))
        rows[slug] = {table: frame.height for table, frame in frames.items()}
        for table, frame in frames.items() if out else ():
            _export(frame, out or Path(), slug, table)
    print_rows(name, rows, as_json=as_json)


def _export(rows: pl.DataFrame, out: Path, slug: str, table: str) -> None:
    folder = out / slug
    folder.mkdir(parents=True, exist_ok=True)
    rows.write_parquet(folder / f"{table}.parquet")


class _Explainer:
    """An executor that runs no shard, but reports whether each shard would run, and why."""

    def __init__(self, workspace: Workspace):
        self.workspace = workspace
        self.lines: list[dict[str, str]] = []

    def submit(self, stage: str, job: Job, upstream: dict[str, list[Ref | None]]) -> Ref | None:
        """Return the reference of a finished shard, or None if the shard would run."""
        waits = sorted({name for name, refs in upstream.items() for ref in refs if ref is None})
        if waits:
            return self._say(stage, job, f"after {', '.join(waits)}")
        known = {name: [ref for ref in refs if ref] for name, refs in upstream.items()}
        parts = ingredients(NODES[stage].stage, job, known)
        found = self.workspace.find(stage, job.shard, shard_key(parts))
        if found and NODES[stage].stage.is_finished(found.rows):
            return self._say(stage, job, "", found)
        why = "a model gave no usable answer" if found else self._why(stage, job, parts)
        return self._say(stage, job, why)

    def result(self, handle: Ref | None) -> Ref:
        """Raise LookupError: nothing has run, so there is no result to wait for."""
        raise LookupError("no shards run while a build is only being explained")

    def finish(self) -> list[Ref]:
        """Return an empty list, because nothing has run."""
        return []

    def _why(self, stage: str, job: Job, parts: dict[str, str]) -> str:
        last = self.workspace.last_ingredients(stage, job.shard)
        if last is None:
            return "never run"
        changed = sorted(name for name in {*parts, *last} if parts.get(name) != last.get(name))
        return f"changed: {', '.join(changed)}" if changed else "its result was removed"

    def _say(self, stage: str, job: Job, why: str, finished: Ref | None = None) -> Ref | None:
        state = "finished" if finished else "would run"
        self.lines.append({"stage": stage, "shard": job.shard, "state": state, "why": why})
        return finished


def explain(request: BuildRequest, workspace: Path, out: Path, as_json: bool) -> None:
    """Print, for every shard, whether it would run and why."""
    settings = request.settings
    inputs = replace(
        begin_round(request.inputs(), new=False), rejections=list_rejected(out, settings.reviews)
    )
    explainer = _Explainer(open_workspace(workspace, settings.storage))
    submit_all(explainer, inputs, list_documents(inputs))  # type: ignore[arg-type]  # a shard that would run has no reference
    if as_json:
        print_json(explainer.lines)
        return
    for line in explainer.lines:
        sys.stdout.write(
            f"{line['stage']:<13} {line['shard']:<22} {line['state']:<10} {line['why']}\n"
        )
    waiting = sum(line["state"] == "would run" for line in explainer.lines)
    sys.stdout.write(f"{waiting} of {len(explainer.lines)} shards would run\n")
