"""The commands that build.

They show progress on standard error, then a summary, and the path in the last line.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import polars as pl

from flows.console import build_progress, print_rows
from flows.errors import SettingsError
from flows.pipeline.folders import no_empty_folders
from flows.pipeline.graph import DirectExecutor, shard_total, submit_all
from flows.pipeline.locks import WhenBusy
from flows.pipeline.log import FOLDER, library_lines
from flows.pipeline.looking import begin_round, describe_search
from flows.pipeline.request import BuildRequest
from flows.pipeline.run import BuildResult, build_directly, check_places, list_documents
from flows.pipeline.shards import Ref
from flows.pipeline.stages.base import Inputs
from flows.pipeline.storage import open_workspace
from flows.pipeline.summary import print_summary
from flows.pipeline.watcher import Watcher, watch
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
    """Build, print the results, and return the exit code."""
    inputs = request.inputs()
    if request.workers and request.settings.dask and not direct:
        raise SettingsError(
            "with TRIPBED_DASK set, Dask's workers compute the shards:"
            " unset it, or leave out --workers"
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
            # What is wrong with them is said before Prefect starts.
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
    # Prefect takes two seconds to import: not for --direct.
    from flows.pipeline.flow import build as flow
    from flows.pipeline.flow import start_server, without_heartbeat

    settings = request.settings
    watcher = Watcher(done)
    # Prefect's server needs seconds to start, in a process of its own: time for an import.
    threading.Thread(target=import_module, args=("great_expectations",), daemon=True).start()
    # What went wrong is said once, by the command: Prefect's own account goes to the log.
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
        raise RuntimeError(f"the flow ended as {state.name} without a result: {state.message}")
    return watcher.result


def stage(
    name: str, request: BuildRequest, workspace: Path, out: Path | None, as_json: bool
) -> None:
    """Run one stage and those that it needs; export its rows if this is asked for."""
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
