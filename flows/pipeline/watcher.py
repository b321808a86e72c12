"""Remembers the watcher that waits for a flow run in this process.

The context variable is in a module of its own, because it cannot be pickled. Everything that the
flow's module refers to is pickled for the workers in a cluster.
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
    """An observer that is called with every finished shard and finally receives the result."""

    shard: Callable[[Ref], None] = lambda ref: None
    result: BuildResult | None = None


_watching: ContextVar[Watcher | None] = ContextVar("watching", default=None)


def current_watcher() -> Watcher:
    """Return the watcher for the running flow, or a new one if the flow runs as a deployment."""
    return _watching.get() or Watcher()


@contextmanager
def watch(watcher: Watcher) -> Iterator[None]:
    """Set the watcher for the next flow in this context."""
    token = _watching.set(watcher)
    try:
        yield
    finally:
        _watching.reset(token)
