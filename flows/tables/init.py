"""``tripbed init``: writes a small example that builds at once, with a template of every table."""

from __future__ import annotations

import sys
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from flows.errors import SettingsError


def init(folder: Path) -> None:
    """Write the example into a new or empty folder, and print what to do there.

    Raises SettingsError for a folder that holds something.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SettingsError(f"{folder} already exists and is not empty: choose a new folder")
    _copy(resources.files("flows.tables") / "example", folder)
    sys.stdout.write((folder / "README.md").read_text(encoding="utf-8").partition("|")[0])
    sys.stdout.write(f"Start with: cd {folder}\n")


def _copy(source: Traversable, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for entry in source.iterdir():
        if entry.is_dir():
            _copy(entry, target / entry.name)
        else:
            (target / entry.name).write_bytes(entry.read_bytes())
