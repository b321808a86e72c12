"""Locks the cities that a build works on, and removes empty folders left by failed builds."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Literal

from flows.errors import WorkspaceError

#: Files that mean nothing on their own: locks, and the marker of a workspace.
_MARKS = frozenset({".lock", "workspace.json"})


@contextmanager
def no_empty_folders(*roots: Path) -> Iterator[None]:
    """If the block raises an exception, remove the empty folders that the block created.

    Folders that already existed are kept, even if they are empty, and so is finished work.
    """
    made = [root for given in roots if (root := _first_missing(given)) is not None]
    try:
        yield
    except BaseException:
        for root in made:
            for folder in sorted((root, *root.rglob("*")), reverse=True):
                _remove_one(folder)
        raise


def _first_missing(folder: Path) -> Path | None:
    """Return the outermost missing folder of a path, or None if the whole path exists."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    return missing[-1] if missing else None


def _remove_one(folder: Path) -> None:
    """Remove a folder that contains only marker files, such as locks for cities."""
    if not folder.is_dir():
        return
    held = list(folder.iterdir())
    if all(
        path.is_file()
        and (path.name in _MARKS or (folder.name == "locks" and not path.stat().st_size))
        for path in held
    ):
        with suppress(OSError):  # another process may have written to the folder meanwhile
            for path in held:
                path.unlink()
            folder.rmdir()


#: What a build does if another build is working on its city: it waits and then uses the shards that
#: the other build finished, or it is refused.
WhenBusy = Literal["wait", "refuse"]


@contextmanager
def cities_locked(
    root: Path, slugs: Sequence[str], when_busy: WhenBusy, waiting: Callable[[str], None]
) -> Iterator[None]:
    """Lock the cities in a fixed order, so that two builds never wait for each other.

    Raises WorkspaceError if a city is locked and the caller does not wait.
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
                        f"another build is working on {slug} in {root}: wait until it ends, or use "
                        "--when-busy wait"
                    ) from None
                waiting(slug)
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield
