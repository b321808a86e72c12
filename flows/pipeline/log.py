"""Writes the log of a run to the workspace, with one JSON object per line.

Every line contains the id of the run. The events are ``run.start``, ``run.waiting``,
``shard.done``, ``run.published``, ``run.rejected``, ``run.unchanged`` and ``run.failed``. Lines
contain names, counts, seconds and hashes, but no document text and no setting that could be secret.
The log of a finished run ends with ``run.published``, ``run.rejected``, ``run.unchanged`` or
``run.failed``. A run whose log has no final event is still working or was killed. ``tripbed
status`` checks the run's process to distinguish a working run from a killed one.
"""

from __future__ import annotations

import datetime as dt
import json
import logging
import os
import platform
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from flows.errors import explain_error

FOLDER = "runs"
#: The log of the libraries, which lies beside the logs of the runs.
LIBRARIES = "libraries.log"
_MAX_LOG_BYTES = 1_000_000
ENDS = ("run.published", "run.rejected", "run.unchanged", "run.failed")


class RunLog:
    """Appends the events of one run to a file; each line is written at once."""

    def __init__(self, folder: Path, run_id: str):
        folder.mkdir(parents=True, exist_ok=True)
        self.run_id = run_id
        self._path = folder / f"{run_id}.jsonl"

    def write(self, event: str, **facts: Any) -> None:
        """Append an event with its time (UTC)."""
        at = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"at": at, "run_id": self.run_id, "event": event, **facts}, default=str)
        with self._path.open("a", encoding="utf-8") as handle:
            handle.write(line + "\n")


@contextmanager
def log_run(
    folder: Path, run_id: str | None, cities: Sequence[str], facts: Mapping[str, Any]
) -> Iterator[RunLog]:
    """Log the start of the run and, if an exception ends the run, the reason."""
    log = RunLog(folder, run_id or uuid.uuid4().hex)
    log.write(
        "run.start", cities=list(cities), pid=os.getpid(), host=platform.node(), **dict(facts)
    )
    try:
        yield log
    except BaseException as error:
        log.write("run.failed", error=type(error).__name__, reason=explain_error(error) or "")
        raise


@contextmanager
def library_lines(folder: Path, unsaid: Sequence[str] = ()) -> Iterator[None]:
    """Write the libraries' log to a file in the folder; show only warnings and errors on the
    terminal.

    Some libraries set their loggers to the level debug. Without this function, the terminal would
    show the debug messages of these libraries. Messages of loggers whose name begins with one of
    ``unsaid`` are not shown at all, because the caller reports these errors itself.
    """
    folder.mkdir(parents=True, exist_ok=True)
    root, path = logging.getLogger(), (folder / LIBRARIES).absolute()
    held = {handler.baseFilename for handler in root.handlers if isinstance(handler, _LogFile)}
    file = (
        None
        if str(path) in held
        else _LogFile(path, maxBytes=_MAX_LOG_BYTES, backupCount=1, encoding="utf-8", delay=True)
    )
    terminals = _terminals()

    def is_shown(record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING and not record.name.startswith(tuple(unsaid))

    if file is not None:
        file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
        root.addHandler(file)
    try:
        for handler in terminals:
            handler.addFilter(is_shown)
        yield
    finally:
        for handler in terminals:
            handler.removeFilter(is_shown)
        if file is not None:
            root.removeHandler(file)
            file.close()


class _LogFile(RotatingFileHandler):
    """The file that ``library_lines`` writes to."""


def _terminals() -> list[logging.Handler]:
    """Return the handlers that write to a stream, such as the terminal, rather than to a file."""
    known = [logging.getLogger(), *logging.root.manager.loggerDict.values()]
    handlers = {
        h for logger in known if isinstance(logger, logging.Logger) for h in logger.handlers
    }
    return [
        handler
        for handler in handlers
        if isinstance(handler, logging.StreamHandler)
        and not isinstance(handler, logging.FileHandler)
    ]


def read_runs(folder: Path) -> list[list[dict[str, Any]]]:
    """Return the events in every run, oldest run first, without the incomplete lines of killed
    runs.
    """
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
