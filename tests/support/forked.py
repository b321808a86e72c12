"""Commands in processes of their own, which start at once.

They are forked from a process that has loaded what commands load, and computed nothing. Killed,
interrupted or ended, they are as any other process.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import forkserver
from multiprocessing.reduction import DupFd
from pathlib import Path
from threading import Thread
from typing import IO, Any
from weakref import WeakSet

import pytest

from tests.conftest import ROOT

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.support.loaded"])
#: What a command runs as before its own code, in the new process.
Before = Callable[[], None]


_started: WeakSet[Command] = WeakSet()


@atexit.register
def _kill_running() -> None:
    """Kill what a failed test left: Python would wait for it at its end."""
    for command in list(_started):
        command.kill()


class Command:
    """A command of tripbed that runs in its own process; used as ``subprocess.Popen`` is."""

    def __init__(
        self,
        arguments: Sequence[object],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path = ROOT,
        before: Before | None = None,
        heard: bool = False,
        apart: bool = False,
    ):
        """Start ``tripbed ARGUMENTS``.

        If ``heard`` is True, its output can be read. If ``apart`` is True, it leads a session of
        its own, as in a terminal of its own.
        """
        self.stdout, out = _pipe() if heard else _nobody()
        self.stderr, err = _pipe() if heard else _nobody()
        ensure_running()
        words = [str(argument) for argument in arguments]
        cores = os.sched_getaffinity(0)
        given = (words, dict(os.environ if env is None else env), cwd, before, apart, cores)
        self._process = _context.Process(target=_Start(out, err), args=given)
        self._process.start()
        _started.add(self)
        for handle in (out, err):
            os.close(handle)

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        """The exit code, or None while it runs; -9 where it was killed by signal 9."""
        return self._process.exitcode

    @property
    def returncode(self) -> int | None:
        """The exit code, or None while it runs."""
        return self.poll()

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            raise TimeoutError(f"the command still runs after {timeout} s")
        return code

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for its end, and return what it wrote to its two outputs."""
        assert self.stdout is not None
        assert self.stderr is not None
        heard: dict[int, str] = {}

        def hear(number: int, stream: IO[str]) -> None:
            heard[number] = stream.read()

        streams = enumerate((self.stdout, self.stderr))
        listeners = [Thread(target=hear, args=one, daemon=True) for one in streams]
        for listener in listeners:
            listener.start()
        for listener in listeners:
            listener.join(timeout)
        if len(heard) < len(listeners):
            self.kill()
            raise TimeoutError(f"the command still writes after {timeout} s")
        self.wait(timeout)
        return heard[0], heard[1]

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def ensure_running() -> None:
    """Start the process that is forked, or do nothing where it runs.

    Its socket is in the machine's temporary folder: a test's own may have too long a path for one.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TMPDIR", raising=False)
        patch.setattr(tempfile, "tempdir", None)
        forkserver.ensure_running()


def _nobody() -> tuple[IO[str] | None, int]:
    return None, os.open(os.devnull, os.O_WRONLY)


def _pipe() -> tuple[IO[str] | None, int]:
    reader, writer = os.pipe()
    return open(reader, encoding="utf-8"), writer


class _Start:
    """What the new process does first; the handles are handed over when the process starts."""

    def __init__(self, out: int, err: int):
        self._handles = {1: out, 2: err}

    def __getstate__(self) -> dict[str, Any]:
        return {"_handles": {number: DupFd(handle) for number, handle in self._handles.items()}}

    def __call__(
        self, words: list[str], env: dict[str, str], cwd: Path, before: Before | None, apart: bool,
        cores: set[int],
    ) -> None:  # fmt: skip
        os.sched_setaffinity(0, cores)
        if apart:
            os.setsid()
        for number, handle in self._handles.items():
            os.dup2(handle.detach(), number)  # type: ignore[attr-defined]  # a DupFd on this side
        os.environ.clear()
        os.environ.update(env)
        os.chdir(cwd)
        tempfile.tempdir = None
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["tripbed", *words]
        if before is not None:
            before()
        from flows.cli import main

        try:
            main()
        finally:
            # Processes of multiprocessing leave these out.
            atexit._run_exitfuncs()
