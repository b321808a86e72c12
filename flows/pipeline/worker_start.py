"""How a worker process begins.

The module imports nothing of weight: polars reads its number of threads once, when it is imported.
"""

from __future__ import annotations

import multiprocessing
import os
import threading

from flows.settings.environment import limit_polars


def begin(threads: int) -> None:
    """End with the build, and use no more threads of polars than this."""
    limit_polars(threads)
    threading.Thread(target=_end_with_build, daemon=True).start()


def _end_with_build() -> None:
    """A build that was killed can't end its workers: they see it."""
    build = multiprocessing.parent_process()
    if build is not None:
        build.join()
        os._exit(1)
