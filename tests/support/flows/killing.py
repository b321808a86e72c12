"""Builds of our own web in a process of their own, killed at a moment, and run again."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from dataclasses import dataclass
from math import inf

from benchmarks.llm_runs import ledger_keys, ledger_sent
from extractors.tasks import SubQueryRewriting
from sources.web.providers.searxng import SearXNG
from tests.support.extractors.llm.server import task_of
from tests.support.flows.looking import Looking
from tests.support.flows.running import leave_out_extras
from tests.support.forked import Command
from tests.support.sources.web.own.server import OwnWeb

_LONGEST_S = 300.0


@dataclass(frozen=True)
class Killed:
    """A build that was killed: when, after how many requests, and what was being asked."""

    seconds: float
    n_asked: int
    during: str
    pages: Counter[tuple[str, str, int]]
    committed: frozenset[str]
    sent: dict[str, int]


def start(city: Looking, *more: str) -> Command:
    """Start a build in a process of its own; ``more`` are further arguments."""
    return Command(city.arguments(*more), env={**os.environ, **city.environment}, before=_be_quick)


def _be_quick() -> None:
    """Searches follow each other without a second between them; snapshots have no pages."""
    SearXNG.min_interval_s = 0.0
    leave_out_extras()


def kill(city: Looking, *, at_second: float = inf, at_request: float = inf) -> Killed | None:
    """Kill a build with -9 after so many seconds, or as soon as it has asked so much; None where it
    ended before. Raises TimeoutError."""
    city.forget()
    build, began = start(city), time.monotonic()
    while build.poll() is None and city.n_asked < at_request:
        if time.monotonic() - began >= at_second:
            break
        if time.monotonic() - began > _LONGEST_S:
            build.kill()
            raise TimeoutError("the build neither ended nor came so far")
        time.sleep(0.001)
    build.send_signal(signal.SIGKILL)
    seconds = time.monotonic() - began
    if build.wait() != -signal.SIGKILL:
        return None
    return Killed(
        seconds, city.n_asked, _during(city), Counter(city.web.answered),
        frozenset(ledger_keys(city.ledger)), ledger_sent(city.ledger),
    )  # fmt: skip


def _during(city: Looking) -> str:
    """What was asked last: searches, pages, or which task of the model.

    Searches are worded before they are asked; all other tasks come after the last page.
    """
    tasks = [task_of(body) for body in city.model.bodies] if city.model else []
    if tasks and tasks[-1] != SubQueryRewriting.name:
        return f"model, {tasks[-1].replace('_', ' ')}"
    if city.web.answered:
        return "search" if city.web.answered[-1][0] == "search" else "fetch"
    return "model, sub query rewriting" if tasks else "start"


def asked_again(before: Killed, web: OwnWeb, sent: dict[str, int]) -> tuple[int, int]:
    """Of what the second run asked: pages and searches that the first had been given already, and
    committed answers of the model. The first number counts what was in flight too."""
    had = {key for key in before.pages if key[1] != "/robots.txt" and key[2] == 200}
    pages = sum(key in had for key in web.answered)
    paid = sum(sent.get(key, 0) > before.sent.get(key, 0) for key in before.committed)
    return pages, paid
