"""The log of a run: one JSON object a line, in the workspace, joined by the run's id.

Events: ``run.start``, ``run.waiting``, ``shard.done``, ``run.published``, ``run.rejected``,
``run.unchanged`` and ``run.failed``. Lines hold names, counts, seconds and hashes: no document
text, no settings that could be secret. A run whose last line is none of the last four either
still works or was killed; ``tripbed status`` asks which by its process.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flows.errors import explain_error

FOLDER = "runs"
ENDS = ("run.published", "run.rejected", "run.unchanged", "run.failed")


class RunLog:
    """Appends the events of one run; each line is written whole."""

    def __init__(self, folder: Path, run_id: str):
        folder.mkdir(parents=True, exist_ok=True)
        self.run_id = run_id
        self._path = folder / f"{run_id}.jsonl"

    def write(self, event: str, **facts: Any) -> None:
        """Append an event with the time (UTC)."""
        at = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"at": at, "run_id": self.run_id, "event": event, **facts}, default=str)
        with self._path.open("a", encoding="utf-8") as handle:
            handle.write(line + "\n")


@contextmanager
def logged_run(
    folder: Path, run_id: str | None, cities: Sequence[str], facts: Mapping[str, Any]
) -> Iterator[RunLog]:
    """A log that says how the run began and, where it raised, why it ended."""
    log = RunLog(folder, run_id or uuid.uuid4().hex)
    log.write(
        "run.start", cities=list(cities), pid=os.getpid(), host=platform.node(), **dict(facts)
    )
    try:
        yield log
    except BaseException as error:
        log.write("run.failed", error=type(error).__name__, reason=explain_error(error) or "")
        raise


def read_runs(folder: Path) -> list[list[dict[str, Any]]]:
    """The events of every run, oldest run first. A line cut by a kill is left out."""
    runs = []
    for path in sorted(folder.glob("*.jsonl")):
        events = []
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                events.append(json.loads(line))
            except json.JSONDecodeError:
                continue
        if events:
            runs.append(events)
    return sorted(runs, key=lambda events: (str(events[0]["at"]), str(events[0]["run_id"])))
