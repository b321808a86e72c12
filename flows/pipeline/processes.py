"""Processes that a build starts: how they begin, and how they end with it.

This module imports nothing heavy: polars reads its number of threads only once, on import.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flows.settings.environment import limit_polars


def begin(threads: int) -> None:
    """Begin a worker: it ends with the build, and uses no more threads of polars than this."""
    limit_polars(threads)
    threading.Thread(target=_end_with_build, daemon=True).start()


def _end_with_build() -> None:
    """A build that was killed can't end its workers: they see it."""
    build = multiprocessing.parent_process()
    if build is not None:
        build.join()
        os._exit(1)


def core_count() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


def thread_count(processes: int) -> int:
    """Threads of polars in each of some processes: together as many as there are cores."""
    return max(1, core_count() // processes)


def children() -> frozenset[Any]:
    """The processes that this one started by ``multiprocessing`` and that still run."""
    return frozenset(multiprocessing.active_children())


@contextmanager
def deaf_to_ctrl_c() -> Iterator[None]:
    """Processes and threads that are started here never see Ctrl-C; this one sees it afterwards."""
    heard: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, lambda number, _: heard.append(number)) if is_main else 0
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if is_main:
            signal.signal(signal.SIGINT, handler)
        if heard:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def kill_new(but: frozenset[Any], *, wanted: bool) -> Iterator[None]:
    """Where wanted, kill the processes that were started since ``children`` gave ``but``.

    Those too that come up meanwhile: whoever ends a pool may wait for them.
    """
    over = threading.Event()

    def kill() -> None:
        while True:
            for child in children() - but:
                child.kill()
            if over.wait(0.1):
                return

    killer = threading.Thread(target=kill, daemon=True)
    if wanted:
        killer.start()
    try:
        yield
    finally:
        over.set()
