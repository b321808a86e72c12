"""Stores small files by name, in a folder or at an address.

Readers never see an incomplete file.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from storage.mirror import remote_of


class FileShelf(Protocol):
    """Stores files by their relative paths."""

    def read(self, key: str) -> bytes | None:
        """Return the bytes of a file, or None if the file does not exist."""
        ...

    def write(self, key: str, data: bytes) -> None:
        """Write a file and replace an older version."""
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
    """Return an object that stores files in a folder on this machine or at an address."""
    return remote_of(folder) or _Folder(folder)
