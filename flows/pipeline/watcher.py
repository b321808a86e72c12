"""A variable that remembers who, in this process, waits for a flow run.

The variable has a module of its own because everything that the flow's module names is pickled for
the workers of a cluster, and a context variable cannot be pickled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from flows.pipeline.run import BuildResult
from flows.pipeline.shards import Ref


@dataclass
class Watcher:
    """Sees every finished shard, and is left the result."""

    shard: Callable[[Ref], None] = lambda ref: None
    result: BuildResult | None = None


_watching: ContextVar[Watcher | None] = ContextVar("watching", default=None)


def current_watcher() -> Watcher:
    """The watcher of the flow that runs; a deployment has none, and its own is given."""
    return _watching.get() or Watcher()


@contextmanager
def watch(watcher: Watcher) -> Iterator[None]:
    """The next flow of this context runs under the eyes of a watcher."""
    token = _watching.set(watcher)
    try:
        yield
    finally:
        _watching.reset(token)
