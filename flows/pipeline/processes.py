"""Starts the processes that a build needs, and ends them with the build.

This module does not import polars, directly or indirectly, because polars reads its number of
threads only once, on import.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flows.garbage import collect_garbage_rarely
from flows.settings.environment import limit_polars


def begin(threads: int) -> None:
    """Prepare a worker, which ends with the build and uses at most the given number of polars
    threads.
    """
    collect_garbage_rarely()
    limit_polars(threads)
    threading.Thread(target=_end_with_build, daemon=True).start()


def _end_with_build() -> None:
    """End this process when the build's process is gone; a killed build cannot end its workers."""
    build = multiprocessing.parent_process()
    if build is not None:
        build.join()
        os._exit(1)


def core_count() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0))


def thread_count(processes: int) -> int:
    """Share the cores among the processes; return the number of polars threads per process."""
    return max(1, core_count() // processes)


def children() -> frozenset[Any]:
    """Return the running processes that this process started with ``multiprocessing``."""
    return frozenset(multiprocessing.active_children())


@contextmanager
def deaf_to_ctrl_c() -> Iterator[None]:
    """Keep Ctrl-C from reaching processes and threads that are started in the block; handle the
    interrupt after the block.
    """
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
    """If ``wanted`` is True, kill all child processes except those in ``but``.

    Processes that start during the block are killed as well, because closing a pool may wait for
    them.
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
