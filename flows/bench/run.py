"""Runs a planner on a split's queries for ``tripbed bench run``; stores and scores each result.

Each folder contains one run, which ``run.json`` describes. A line is added to ``results.jsonl`` for
each query as soon as the query is planned. ``scores.parquet`` is written at the end. A run that was
killed continues where it stopped. An existing folder is refused if the run in it used a different
snapshot, split or planner.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.bench.planners import planner_named
from flows.bench.questions import MOST_BYTES, BenchQuestion, Planned, Planner, questions
from flows.bench.scores import score
from flows.errors import SettingsError
from flows.settings.environment import Settings
from schemas.ids import digest
from warehouse.read import Snapshot

ABOUT, RESULTS, SCORES = "run.json", "results.jsonl", "scores.parquet"
_SHOWN_EVERY = 25


@dataclass(frozen=True)
class Order:
    """The settings for a run; ``name`` is the run's name on the leaderboard."""

    snapshot: Path
    split: str
    planner: str
    out: Path
    name: str | None = None
    families: tuple[str, ...] = ()
    limit: int | None = None
    seconds: float = 10.0


def run(order: Order, settings: Settings, *, as_json: bool) -> int:
    """Plan the remaining queries, score all plans and print the folder's path.

    Returns 0, or 1 if the budget ran out.

    Raises SettingsError if the input is wrong, and EngineStopped if a model fails for all queries.
    """
    if order.seconds <= 0:
        raise SettingsError("--time-limit: give a number of seconds above 0")
    asked = questions(order.snapshot, order.split, order.families, order.limit)
    with _lock(order.out):
        run_id = digest(str(order.out.resolve()), order.planner, order.split)
        planner = planner_named(order.planner, order.snapshot, settings, run_id, order.seconds)
        about = _about(order, planner, asked)
        _same_run(order.out / ABOUT, about)
        done = read_results(order.out)
        missing = [q for q in asked if q.query_id not in done]
        stopped = _plan_all(planner, missing, order.out / RESULTS, about, len(done), len(asked))
        done = read_results(order.out)
        _score(order, asked, done)
    summary = {
        "out": str(order.out),
        "queries": len(asked),
        "planned": len(done),
        "before": len(asked) - len(missing),
        "without_plan": sum(r["plan"] is None for r in done.values()),
        "stopped": stopped,
    }
    if as_json:
        sys.stdout.write(json.dumps(summary, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(
            f"{summary['planned']} of {len(asked)} queries processed, {summary['without_plan']}"
            f" of them without a plan: {order.out}\n"
            + (f"stopped: {stopped}; run the command again to continue\n" if stopped else "")
        )
    return 1 if stopped else 0


def _about(order: Order, planner: Planner, asked: Sequence[BenchQuestion]) -> dict[str, Any]:
    held = Snapshot(order.snapshot)
    return {
        "name": order.name or order.out.name,
        "planner": planner.identity,
        "snapshot": held.manifest.snapshot_id(),
        "schema_version": held.manifest.schema_version,
        "split": order.split,
        "families": sorted(order.families),
        "queries": len(asked),
        "asked": digest(*(question.query_id for question in asked)),
    }


def _same_run(path: Path, about: dict[str, Any]) -> None:
    """Write the run's description to its folder.

    Raises SettingsError if the folder already contains a different run.
    """
    if not path.exists():
        aside = path.with_suffix(".new")
        aside.write_text(json.dumps(about, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        aside.rename(path)
        return
    before = json.loads(path.read_text(encoding="utf-8"))
    other = [key for key in about if before.get(key) != about[key]]
    if other:
        told = ", ".join(f"{key} {before.get(key)!r} rather than {about[key]!r}" for key in other)
        raise SettingsError(f"{path.parent} contains a run with {told}: choose a different --out")


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Lock a run's folder until this process ends; raise SettingsError if it is already locked."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SettingsError(
                f"another run is using {folder}: wait until it ends, or choose a different --out"
            ) from None
        yield


def read_results(folder: Path) -> dict[str, dict[str, Any]]:
    """Read the results in order, and return a mapping from query ids to results.

    If a killed run left an incomplete last line, remove this line from the file.
    """
    path = folder / RESULTS
    if not path.exists():
        return {}
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        os.truncate(path, len(whole))
    rows = [json.loads(line) for line in whole.decode("utf-8").splitlines()]
    return {row["query_id"]: row for row in sorted(rows, key=lambda row: str(row["query_id"]))}


def _plan_all(
    planner: Planner, missing: Sequence[BenchQuestion], path: Path, about: dict[str, Any],
    before: int, total: int,
) -> str | None:  # fmt: skip
    """Plan queries and store each result at once; return why planning stopped early, or None."""
    from extractors.llm.errors import BudgetSpent  # imports OpenAI's client, only if work is left

    waiting = list(reversed(missing))
    under_way: dict[Future[tuple[Planned, float]], BenchQuestion] = {}
    stopped: str | None = None
    with path.open("ab") as file, ThreadPoolExecutor(planner.workers) as pool:
        while waiting or under_way:
            while waiting and stopped is None and len(under_way) < planner.workers:
                question = waiting.pop()
                under_way[pool.submit(_time_plan, planner, question)] = question
            if not under_way:
                break
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                question = under_way.pop(future)
                try:
                    planned, seconds = future.result()
                except BudgetSpent as error:
                    stopped = str(error)
                    continue
                _keep(file, question, planned, seconds, about)
                before += 1
                if before % _SHOWN_EVERY == 0:
                    sys.stderr.write(f"{before} of {total} queries\n")
    return stopped


def _time_plan(planner: Planner, question: BenchQuestion) -> tuple[Planned, float]:
    began = time.perf_counter()
    return planner.plan(question), time.perf_counter() - began


def _keep(
    file: Any, question: BenchQuestion, planned: Planned, seconds: float, about: dict[str, Any]
) -> None:
    """Write a result to the file, and make sure that it reaches the disk."""
    plan, problem = planned.plan, planned.problem
    if plan is not None and len(json.dumps(plan, ensure_ascii=False)) > MOST_BYTES:
        plan, problem = None, f"the plan has more than {MOST_BYTES:,} characters"
    row = {
        "query_id": question.query_id,
        "snapshot": about["snapshot"],
        "split": question.split,
        "family": question.family,
        "days": question.days,
        "city": question.city,
        "method": about["name"],
        "plan": plan,
        "problem": problem,
        "calls": planned.calls,
        "seconds": round(seconds, 3),
    }
    file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
    file.flush()
    os.fsync(file.fileno())


def _score(order: Order, asked: Sequence[BenchQuestion], done: dict[str, dict[str, Any]]) -> None:
    """Score every planned query and write the run's Parquet file atomically."""
    planned = [question for question in asked if question.query_id in done]
    plans = {query: row["plan"] for query, row in done.items() if row["plan"] is not None}
    scored = score(order.snapshot, planned, plans)
    aside = order.out / f"{SCORES}.new"
    scored.write_parquet(aside)
    aside.rename(order.out / SCORES)
