"""Addresses and their local copies: ``s3://bucket/folder`` lies in ``SCRATCH/s3/bucket/folder``.

The path of a copy thus names its address, on every machine that has the same temporary folder, and
code that takes a folder takes an address too. Nothing in the scratch folder is the only copy.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path, PurePosixPath

#: Addresses whose paths begin at the root of this machine.
_ROOTED = frozenset({"file", "local"})
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+)://(.*)", re.DOTALL)


class StorageError(RuntimeError):
    """An address that cannot be used; the message says what to do."""


def scratch() -> Path:
    """The scratch folder: in the temporary one (``TMPDIR``), and this user's alone."""
    return Path(tempfile.gettempdir()).resolve() / f"tripbed-{os.getuid()}"


def make_scratch() -> Path:
    """The scratch folder, made. Raises StorageError where it is somebody else's."""
    folder = scratch()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not folder.is_dir() or folder.is_symlink() or found.st_uid != os.getuid():
        raise StorageError(f"{folder} belongs to another user: choose another folder with TMPDIR")
    return folder


def find_folder(text: str | Path) -> Path:
    """The folder of a text: of an address the one that stands for it, else the path itself.

    Raises StorageError for an address that holds more than a bucket and a path.
    """
    found = _ADDRESS.fullmatch(str(text))
    if found is None:
        return Path(text)
    scheme, rest = found.groups()
    if re.search(r"[@?#\\]|::|//|\s", rest):
        raise StorageError(
            f"an address has the form {scheme}://bucket/folder, and nothing more: keys and settings"
            " belong in the environment (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, ...)"
        )
    parts = PurePosixPath(rest.strip("/")).parts
    if not parts or ".." in parts:
        raise StorageError(
            f"{text} does not name a folder: give an address such as {scheme}://bucket/folder"
        )
    return make_scratch() / scheme / Path(*parts)


def address_of(path: Path) -> str | None:
    """The address that a folder stands for; None for every other folder."""
    try:
        scheme, *parts = path.relative_to(scratch()).parts
    except ValueError:
        return None
    if not parts:
        return None
    return f"{scheme}://{'/' if scheme in _ROOTED else ''}{'/'.join(parts)}"


def show_path(path: Path) -> str:
    """A path as people know it: the address where it stands for one."""
    return address_of(path) or str(path)
