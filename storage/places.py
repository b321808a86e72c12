"""Maps addresses to local copies: ``s3://bucket/folder`` to ``SCRATCH/s3/bucket/folder``.

The path of a copy determines its address, on every machine that has the same temporary folder. Code
that works with a folder can therefore also work with an address. The scratch folder never contains
the only copy of a file.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path, PurePosixPath

#: Kinds of address whose paths begin at the root of this machine's file system.
_ROOTED = frozenset({"file", "local"})
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+)://(.*)", re.DOTALL)


class StorageError(RuntimeError):
    """Raised if an address cannot be used. The message explains what the user can do."""


def scratch() -> Path:
    """Return the scratch folder of this user, which is in the temporary folder (``TMPDIR``)."""
    return Path(tempfile.gettempdir()).resolve() / f"tripbed-{os.getuid()}"


def make_scratch() -> Path:
    """Create and return the scratch folder. Raises StorageError if another user owns the folder."""
    folder = scratch()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not folder.is_dir() or folder.is_symlink() or found.st_uid != os.getuid():
        raise StorageError(f"{folder} belongs to another user: set TMPDIR to a different folder")
    return folder


def find_folder(text: str | Path) -> Path:
    """Return the folder for a path or an address; folders for addresses are in the scratch folder.

    Raises StorageError if an address contains more than a bucket and a path.
    """
    found = _ADDRESS.fullmatch(str(text))
    if found is None:
        return Path(text)
    scheme, rest = found.groups()
    if re.search(r"[@?#\\]|::|//|\s", rest):
        raise StorageError(
            f"an address must have the form {scheme}://bucket/folder: put keys and"
            " settings in environment variables (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, ...)"
        )
    parts = PurePosixPath(rest.strip("/")).parts
    if not parts or ".." in parts:
        raise StorageError(
            f"{text} does not name a folder: give an address such as {scheme}://bucket/folder"
        )
    return make_scratch() / scheme / Path(*parts)


def address_of(path: Path) -> str | None:
    """Return the address of a folder, or None if the folder has no address."""
    try:
        scheme, *parts = path.relative_to(scratch()).parts
    except ValueError:
        return None
    if not parts:
        return None
    return f"{scheme}://{'/' if scheme in _ROOTED else ''}{'/'.join(parts)}"


def show_path(path: Path) -> str:
    """Format a file or folder for people to read: as its address, or as its path if it has none."""
    return address_of(path) or str(path)
