"""Answers tool calls as text, checks their arguments, and limits time and size.

Every call is logged and gets an answer. If a call is invalid, the answer explains what to do next.
"""

from __future__ import annotations

import json
import logging
import time
from dataclasses import dataclass
from functools import lru_cache
from logging.handlers import RotatingFileHandler
from pathlib import Path
from threading import Lock
from typing import Any

import anyio
import anyio.to_thread
from pydantic import ValidationError

from flows.agents import tools  # noqa: F401 - registers the tools
from flows.agents.registry import TOOLS, Environment, Session, Tool
from schemas.plans import problems_of
from warehouse.errors import SandboxError, nearest_words
from warehouse.sandbox import Sandbox

logger = logging.getLogger("tripbed.agents")

#: Limits: calls at a time, threads that work on them, and clients whose results are kept.
MOST_CALLS, THREADS, MOST_CLIENTS = 64, 4, 256
#: The most characters in the text of an answer, and in the arguments in the log.
MOST_TEXT, MOST_LOGGED = 30_000, 2_000
_LOG_BYTES, _LOG_FILES = 50_000_000, 4
#: Seconds that another caller waits while ChinaTravel's tables are being prepared.
_MAKING_S = 5.0


@dataclass(frozen=True)
class CallOutcome:
    """The result of a call.

    ``status`` is the HTTP status: 200, or an error code if the call failed.
    """

    status: int
    text: str
    data: dict[str, Any]

    @property
    def ok(self) -> bool:
        """True if the call succeeded."""
        return self.status == 200


class CallLog:
    """Logs each call as a line of JSON in files of at most 50 MB; keeps four old files."""

    def __init__(self, path: Path | None):
        self._logger = logging.Logger("tripbed.calls", logging.INFO)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            handler = RotatingFileHandler(
                path, maxBytes=_LOG_BYTES, backupCount=_LOG_FILES, encoding="utf-8"
            )
            handler.setFormatter(logging.Formatter("%(message)s"))
            self._logger.addHandler(handler)

    def write(self, line: dict[str, Any]) -> None:
        """Write a line to the log."""
        self._logger.info(json.dumps(line, ensure_ascii=False, default=str))


class CallDesk:
    """Answers calls from many clients to one sandbox."""

    def __init__(self, box: Sandbox, log: CallLog):
        self.box, self._log = box, log
        self._snapshot = box.hold()
        self._session = lru_cache(MOST_CLIENTS)(self._open_session)
        self._environment: Environment | None = None
        self._making = Lock()
        self._under_way = 0
        self._threads: anyio.CapacityLimiter | None = None

    async def call(self, name: str, arguments: Any, client: str, via: str) -> CallOutcome:
        """Answer one call and log it."""
        began = time.perf_counter()
        if self._under_way >= MOST_CALLS:
            outcome = _read_outcome(
                429, f"{MOST_CALLS} calls are in progress: wait until one ends, then call again"
            )
        else:
            self._under_way += 1
            try:
                outcome = await self._run_bounded(name, arguments, client)
            finally:
                self._under_way -= 1
        self._note(name, arguments, client, via, outcome, time.perf_counter() - began)
        return outcome

    def answer(self, name: str, arguments: Any, client: str) -> CallOutcome:
        """Answer one call in this thread, without a time limit and without logging."""
        tool = TOOLS.get(name)
        if tool is None:
            return _unknown(name)
        try:
            given = tool.arguments.model_validate({} if arguments is None else arguments)
        except ValidationError as error:
            problems = "; ".join(problems_of(error)[:5])
            example = json.dumps(tool.example, ensure_ascii=False)
            return _read_outcome(
                422, f"{tool.name} cannot read its arguments: {problems}. An example: {example}"
            )
        return self._run(tool, given, client)

    def _run(self, tool: Tool, given: Any, client: str) -> CallOutcome:
        values = {field: getattr(given, field) for field in type(given).model_fields}
        try:
            found = tool.run(self._session(client), **values)
        except SandboxError as error:
            return _read_outcome(422, str(error), nearest=list(error.nearest))
        except Exception:
            logger.exception("%s failed", tool.name)
            return _read_outcome(
                500,
                f"{tool.name} failed with an internal error: change the arguments, or use "
                "another tool",
            )
        text = found.text
        if len(text) > MOST_TEXT:
            text = text[:MOST_TEXT] + "\n… The answer was cut off: ask for fewer rows"
        return CallOutcome(200, text, found.data)

    async def _run_bounded(self, name: str, arguments: Any, client: str) -> CallOutcome:
        if self._threads is None:  # created here, since it belongs to the running event loop
            self._threads = anyio.CapacityLimiter(THREADS)
        seconds = TOOLS[name].seconds if name in TOOLS else 1.0
        with anyio.move_on_after(seconds):
            return await anyio.to_thread.run_sync(
                self.answer, name, arguments, client, limiter=self._threads, abandon_on_cancel=True
            )
        return _read_outcome(
            504, f"{name} took more than {seconds:g} s: ask for less data, or try again later"
        )

    def _open_session(self, client: str) -> Session:
        return Session(self.box, client, self._chinatravel)

    def _chinatravel(self) -> Environment:
        """Return ChinaTravel's environment; the first call creates it.

        While the environment is being created, other callers wait a few seconds. A caller who waits
        too long gets an error that says to try again.
        """
        from flows.agents import chinatravel  # imports pandas and an export only when needed

        if self._environment is None:
            if not self._making.acquire(timeout=_MAKING_S):
                raise SandboxError(
                    "ChinaTravel's tables are being prepared: try again in a few seconds"
                )
            try:
                if self._environment is None:
                    self._environment = chinatravel.ChinaTravelEnvironment(self.box, self._snapshot)
            finally:
                self._making.release()
        return self._environment

    def _note(
        self, name: str, arguments: Any, client: str, via: str, outcome: CallOutcome, seconds: float
    ) -> None:
        shown = json.dumps(arguments, ensure_ascii=False, default=str)
        line = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "client": client,
            "via": via,
            "tool": name[:80],
            "arguments": arguments if len(shown) <= MOST_LOGGED else shown[:MOST_LOGGED] + "…",
            "status": outcome.status,
            "ms": round(1000 * seconds, 2),
        }
        if not outcome.ok:
            line["said"] = outcome.text[:MOST_LOGGED]
        self._log.write(line)


def _read_outcome(status: int, text: str, **data: Any) -> CallOutcome:
    return CallOutcome(status, text, {"error": text, **data})


def _unknown(name: str) -> CallOutcome:
    near = nearest_words(name[:80], TOOLS) or tuple(TOOLS)
    return _read_outcome(
        404, f"no tool is called {name[:80]!r}. Choose from: {', '.join(near)}", nearest=list(near)
    )
