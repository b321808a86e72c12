"""Provides planners by name: the solver, the baseline ``nearest``, a model, or a user's command."""

from __future__ import annotations

import json
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import IO

from flows.bench.nearest import nearest_plan
from flows.bench.questions import MOST_BYTES, BenchQuestion, Planned, Planner, read_answer
from flows.errors import SettingsError
from flows.settings.environment import Settings
from validators.plans.request import request_of
from validators.plans.solve import outcome_json, solve
from validators.plans.world import World, read_world
from warehouse.read import Snapshot

NAMES = ("solver", "nearest", "direct", "react")
#: The most bytes of a command's error output that are read.
MOST_COMPLAINT = 2_000


def planner_named(
    name: str, snapshot: Path, settings: Settings, run_id: str, seconds: float
) -> Planner:
    """Return the planner with this name; if there is none, return a planner that runs the name as a
    command.

    Raises SettingsError if neither a planner nor a program has this name.
    """
    if name == "solver":
        return Solver(snapshot, seconds)
    if name == "nearest":
        return Nearest(snapshot)
    if name in ("direct", "react"):
        # Importing OpenAI's client takes a second.
        from flows.bench.model import Direct, React

        made: Planner = (Direct if name == "direct" else React)(snapshot, settings, run_id)
        return made
    return CommandPlanner(name, snapshot, seconds)


def _worlds(snapshot: Snapshot) -> Callable[[str], World]:
    """Return a function that reads a city's data for planning; each city is read only once."""
    return cache(partial(read_world, snapshot))


class Solver:
    """Runs the solver that tripbed uses to prove that queries can be solved. The solver can use all
    tables."""

    workers = 1

    def __init__(self, snapshot: Path, seconds: float):
        self._world, self._seconds = _worlds(Snapshot(snapshot)), seconds
        self.identity = f"solver within {seconds:g} s"

    def plan(self, question: BenchQuestion) -> Planned:
        """Return a plan that passes the checker, or the reason why there is no such plan."""
        request = request_of(question.row)
        if request is None:
            return Planned(problem="the solver can plan only queries that have hard constraints")
        found = outcome_json(solve(request, self._world(question.city_id), self._seconds))
        if found["plan"] is None:
            return Planned(problem=f"{found['solvability']}: {found['reason']}")
        return Planned(found["plan"])


class Nearest:
    """A baseline that always goes to the place it can reach soonest, and ignores constraints."""

    workers, identity = 1, "nearest"

    def __init__(self, snapshot: Path):
        self._snapshot = Snapshot(snapshot)
        self._world = _worlds(self._snapshot)

    def plan(self, question: BenchQuestion) -> Planned:
        """Return a plan, or a description of the problem if the tables lack data for a plan."""
        plan = nearest_plan(question, self._world(question.city_id), self._snapshot)
        return Planned(
            plan, None if plan else "the tables have too few journeys, rooms or places for a plan"
        )


class CommandPlanner:
    """Runs the user's own program, which reads a line of JSON and writes a plan as JSON.

    For each query, the program is started in a process group of its own. A program that takes
    longer than ``seconds`` or writes more than a megabyte is stopped.
    """

    workers = 1

    def __init__(self, command: str, snapshot: Path, seconds: float):
        self._words, self._snapshot, self._seconds = _words(command), snapshot.resolve(), seconds
        self.identity = command

    def plan(self, question: BenchQuestion) -> Planned:
        """Return the plan that the program writes, or a description of the problem."""
        line = json.dumps(
            {**question.describe(), "snapshot": str(self._snapshot)}, ensure_ascii=False
        )
        try:
            child = subprocess.Popen(
                self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise SettingsError(f"--planner {self._words[0]}: {error.strerror}") from None
        problem, said, complained = self._talk(child, line.encode() + b"\n")
        if problem is None and child.returncode:
            last = complained.decode(errors="replace").strip().splitlines()[-1:]
            problem = f"the command ended with exit code {child.returncode}: {''.join(last)[:200]}"
        if problem is not None:
            return Planned(problem=problem)
        return read_answer(said.decode("utf-8", errors="replace"))

    def _talk(self, child: subprocess.Popen[bytes], line: bytes) -> tuple[str | None, bytes, bytes]:
        """Send a line to a child process and read its output until the process ends or must be
        stopped.
        """
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        said, complained, problem = bytearray(), bytearray(), None
        with selectors.DefaultSelector() as waiting:
            for stream, kept in ((child.stdout, said), (child.stderr, complained)):
                waiting.register(stream, selectors.EVENT_READ, kept)
            try:
                child.stdin.write(line)
                child.stdin.close()
            except BrokenPipeError:
                pass  # the program does not read its line; its output is still used
            deadline = time.monotonic() + self._seconds
            while waiting.get_map() and problem is None:
                problem = _listen(waiting, deadline, said, complained, self._seconds)
        if problem is None:
            try:
                child.wait(max(deadline - time.monotonic(), 0.01))
            except subprocess.TimeoutExpired:
                problem = f"the command did not end within {self._seconds:g} s"
        _end(child)
        return problem, bytes(said), bytes(complained)


def _listen(
    waiting: selectors.BaseSelector, deadline: float, said: bytearray, complained: bytearray,
    seconds: float,
) -> str | None:  # fmt: skip
    """Read the available output; return the reason why the child must be stopped, or None."""
    left = deadline - time.monotonic()
    if left <= 0:
        return f"the command gave no answer within {seconds:g} s"
    for key, _ in waiting.select(left):
        stream: IO[bytes] = key.fileobj  # type: ignore[assignment]  # only pipes are registered
        part = os.read(stream.fileno(), 65_536)
        if not part:
            waiting.unregister(stream)
        key.data.extend(part)
    del complained[:-MOST_COMPLAINT]
    if len(said) > MOST_BYTES:
        return f"the command wrote more than {MOST_BYTES:,} bytes"
    return None


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill the child's process group and close its pipes."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    for stream in (child.stdout, child.stderr):
        if stream is not None:
            stream.close()


def _words(command: str) -> list[str]:
    """Split a command into words; raise SettingsError if the program does not exist."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SettingsError(f"--planner {command!r}: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise SettingsError(
            f"--planner {command!r} is not a program that can be run: choose one of "
            f"{', '.join(NAMES)}, or give a different command"
        )
    return words
