"""How a worker process begins.

The module imports nothing of weight: polars reads its number of threads once, when it is imported.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading

from flows.settings.environment import limit_polars


def begin(threads: int) -> None:
    """Leave Ctrl-C to the build, end with it, and use no more threads than this."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_polars(threads)
    threading.Thread(target=_end_with_build, daemon=True).start()


def _end_with_build() -> None:
    """A build that was killed can't end its workers: they see it."""
    build = multiprocessing.parent_process()
    if build is not None:
        build.join()
        os._exit(1)
