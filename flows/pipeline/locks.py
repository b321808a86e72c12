"""Allows one build of a city at a time in a workspace. A lock ends with its process."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Literal

from flows.errors import WorkspaceError

#: What a build does when another one works on its city: it waits and then finds the shards of
#: the other finished, or it is refused.
WhenBusy = Literal["wait", "refuse"]


@contextmanager
def cities_locked(
    root: Path, slugs: Sequence[str], when_busy: WhenBusy, waiting: Callable[[str], None]
) -> Iterator[None]:
    """Hold the cities' locks, taken in order so that two builds never wait for each other.

    Raises WorkspaceError where a city is busy and the caller does not wait.
    """
    folder = root / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as held:
        for slug in sorted(slugs):
            handle = held.enter_context((folder / slug).open("w"))
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if when_busy == "refuse":
                    raise WorkspaceError(
                        f"another build is working on {slug} in {root}: wait for it, or use "
                        "--when-busy wait"
                    ) from None
                waiting(slug)
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield
