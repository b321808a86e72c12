"""The commands that build: requests in, progress on stderr, a summary, the path last."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import polars as pl

from flows.display import build_progress, print_rows, print_summary
from flows.graph import NODES, DirectExecutor, ingredients, shard_total, submit_all
from flows.locks import WhenBusy
from flows.request import make_inputs
from flows.reviewing import with_rejections
from flows.run import BuildResult, build_directly, list_documents
from flows.shards import Ref, Workspace, shard_key
from flows.shared import open_workspace
from flows.stages.base import Inputs, Job


@dataclass(frozen=True)
class Request:
    """The options that every building command shares, as the user gave them."""

    cities: Sequence[str]
    documents: Sequence[Path]
    tables: Path | None
    tables_format: str
    profile: str
    engine: str

    def inputs(self) -> Inputs:
        """The checked inputs. Raises SettingsError or UnknownCityError."""
        return make_inputs(
            self.cities, self.documents, self.tables, self.tables_format, self.profile, self.engine
        )


def build(
    request: Request,
    workspace: Path,
    out: Path,
    *,
    direct: bool,
    as_json: bool,
    when_busy: WhenBusy = "wait",
) -> int:
    """Build, print what came of it, and give the exit code."""
    inputs = request.inputs()
    started = time.perf_counter()
    with build_progress(shard_total(inputs), quiet=as_json) as done:
        if direct:
            result = build_directly(inputs, open_workspace(workspace), out, done, when_busy)
        else:
            list_documents(inputs)  # what is wrong with them is said before Prefect starts
            result = _orchestrated(request, inputs, workspace, out, done, when_busy)
    seconds = time.perf_counter() - started
    print_summary(result, seconds, as_json=as_json)
    return 0 if result.published.passed else 1


def _orchestrated(
    request: Request,
    inputs: Inputs,
    workspace: Path,
    out: Path,
    done: Callable[[Ref], None],
    when_busy: WhenBusy,
) -> BuildResult:
    from flows.build import build as flow
    from flows.build import without_heartbeat
    from flows.watching import Watcher, watched

    watcher = Watcher(done)
    # Prefect's server needs seconds to start, in a process of its own: time for an import.
    threading.Thread(target=import_module, args=("great_expectations",), daemon=True).start()
    with watched(watcher), without_heartbeat():
        state = flow(
            cities=[city.city_id for city in inputs.cities],
            documents=[str(root) for root in request.documents],
            tables=str(request.tables) if request.tables else None,
            tables_format=request.tables_format,
            profile=request.profile,
            engine=request.engine,
            workspace=str(workspace),
            out=str(out),
            when_busy=when_busy,
            return_state=True,
        )
    if watcher.result is None:
        state.result()  # raises what stopped the run
        raise RuntimeError(f"the flow ended as {state.name} without a result: {state.message}")
    return watcher.result


def stage(name: str, request: Request, workspace: Path, out: Path | None, as_json: bool) -> None:
    """Run one stage and what it stands on; export its rows where asked."""
    inputs = request.inputs()
    shards = open_workspace(workspace)
    shards.prepare()
    with build_progress(shard_total(inputs, name), quiet=as_json) as done:
        executor = DirectExecutor(shards, done)
        ends = submit_all(executor, inputs, list_documents(inputs), last=name)
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
    """An executor that runs nothing: it says for each shard whether it would run, and why."""

    def __init__(self, workspace: Workspace):
        self.workspace = workspace
        self.lines: list[dict[str, str]] = []

    def submit(self, stage: str, job: Job, upstream: dict[str, list[Ref | None]]) -> Ref | None:
        """The shard's reference where it is finished, None where it would run."""
        waits = sorted({name for name, refs in upstream.items() for ref in refs if ref is None})
        if waits:
            self._say(stage, job, "would run", f"after {', '.join(waits)}")
            return None
        known = {name: [ref for ref in refs if ref] for name, refs in upstream.items()}
        parts = ingredients(NODES[stage].stage, job, known)
        found = self.workspace.find(stage, job.shard, shard_key(parts))
        if found:
            self._say(stage, job, "finished", "")
            return found
        self._say(stage, job, "would run", self._why(stage, job, parts))
        return None

    def result(self, handle: Ref | None) -> Ref:
        """Nothing has run, so nothing can be waited for."""
        raise LookupError("an explanation runs nothing")

    def finished(self) -> list[Ref]:
        """Nothing has run."""
        return []

    def _why(self, stage: str, job: Job, parts: dict[str, str]) -> str:
        last = self.workspace.last_ingredients(stage, job.shard)
        if last is None:
            return "never run"
        changed = sorted(name for name in {*parts, *last} if parts.get(name) != last.get(name))
        return f"changed: {', '.join(changed)}" if changed else "its result is gone"

    def _say(self, stage: str, job: Job, state: str, why: str) -> None:
        self.lines.append({"stage": stage, "shard": job.shard, "state": state, "why": why})


def explain(request: Request, workspace: Path, out: Path, as_json: bool) -> None:
    """Print for every shard whether it would run and why."""
    inputs = with_rejections(request.inputs(), out)
    explainer = _Explainer(open_workspace(workspace))
    submit_all(explainer, inputs, list_documents(inputs))  # type: ignore[arg-type]
    if as_json:
        sys.stdout.write(json.dumps(explainer.lines, ensure_ascii=False) + "\n")
        return
    for line in explainer.lines:
        sys.stdout.write(
            f"{line['stage']:<13} {line['shard']:<22} {line['state']:<10} {line['why']}\n"
        )
    waiting = sum(line["state"] == "would run" for line in explainer.lines)
    sys.stdout.write(f"{waiting} of {len(explainer.lines)} shards would run\n")


def extract(
    documents: Path, out: Path, city: str | None, tables: Path | None, tables_format: str,
    engine: str, as_json: bool,
) -> None:  # fmt: skip
    """Read a folder of documents and write one JSON object a document."""
    from flows.extraction import extract_folder

    with build_progress(None, quiet=as_json) as done:
        counts = extract_folder(documents, out, city, tables, tables_format, engine, done)
    if as_json:
        sys.stdout.write(json.dumps(counts) + "\n")
    else:
        sys.stdout.write(
            f"{counts['read']} documents read, {counts['rejected']} rejected, "
            f"{counts['pois']} places, {counts['routes']} routes, {counts['facts']} facts\n{out}\n"
        )
