"""Small files stored by name, in a folder or at an address; each is either whole or not there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from storage.mirror import remote_of


class FileShelf(Protocol):
    """What keeps files by their path below it."""

    def read(self, key: str) -> bytes | None:
        """A file's bytes; None where there is none."""
        ...

    def write(self, key: str, data: bytes) -> None:
        """Keep a file, in the place of what was there."""
        ...


class _Folder:
    def __init__(self, root: Path):
        self._root = root

    def read(self, key: str) -> bytes | None:
        try:
            return (self._root / key).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, key: str, data: bytes) -> None:
        path = self._root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f"{path.name}.{os.getpid()}.part")
        aside.write_bytes(data)
        os.replace(aside, path)


def shelf(folder: Path) -> FileShelf:
    """The shelf of a folder, which may stand for an address."""
    return remote_of(folder) or _Folder(folder)
