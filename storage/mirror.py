"""Keeps a local folder identical to the folder at an address, and transfers only changed files.

A list of the objects' keys and version marks records what the folder contained after the last
transfer. On each machine, only one process fetches files at a time, and the next process finds the
folder complete.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from storage.places import StorageError, address_of, find_folder, make_scratch
from storage.remote import Remote, Stamp


def remote_of(folder: Path) -> Remote | None:
    """Return the objects at a folder's address, or None if the folder has no address."""
    address = address_of(folder)
    return None if address is None else Remote(address)


def brought(text: str | Path) -> Path:
    """Return the folder for a path or an address; all files at an address are fetched first.

    Raises StorageError if the address is empty or cannot be read.
    """
    folder = find_folder(text)
    if remote_of(folder) is not None and not pull(folder):
        raise StorageError(f"there is nothing at {address_of(folder)}: check the address")
    return folder


def pull(folder: Path) -> int:
    """Make a folder identical to the folder at its address, and return the number of files.

    Raises StorageError if the address cannot be read.
    """
    remote = remote_of(folder)
    assert remote is not None, f"{folder} has no address"
    with alone(folder) as marks:
        there = remote.stamps()
        known = _read(marks)
        for key in known.keys() - there.keys():
            _below(folder, key).unlink(missing_ok=True)
        new = [
            key for key, stamp in there.items()
            if known.get(key) != stamp.mark or not _below(folder, key).is_file()
        ]  # fmt: skip
        fetch(remote, folder, new)
        _write(marks, there)
    return len(there)


def push(folder: Path, last: str) -> None:
    """Upload a folder's files to its address; the file ``last`` is uploaded after all others.

    Files that are already at the address with the same size are skipped. Raises StorageError if the
    address cannot be written.
    """
    remote = remote_of(folder)
    assert remote is not None, f"{folder} has no address"
    with alone(folder) as marks:
        files = {
            path.relative_to(folder).as_posix(): path
            for path in sorted(folder.rglob("*")) if path.is_file()
        }  # fmt: skip
        there = remote.stamps()
        new = {
            key: path for key, path in files.items()
            if key not in there or there[key].size != path.stat().st_size
        }  # fmt: skip
        remote.send({key: path for key, path in new.items() if key != last})
        if new:
            remote.send({last: files[last]})
        _write(marks, remote.stamps())


def fetch(remote: Remote, folder: Path, keys: list[str]) -> None:
    """Fetch objects into files. If a download fails, each file is either complete or unchanged."""
    aside = {
        key: _below(folder, key).with_name(f".{os.getpid()}.part.{n}") for n, key in enumerate(keys)
    }
    try:
        remote.fetch(aside)
        for key, path in aside.items():
            os.replace(path, _below(folder, key))
    finally:
        for path in aside.values():
            path.unlink(missing_ok=True)


def _below(folder: Path, key: str) -> Path:
    """Return the file for a key. Raises StorageError if the key leads out of the folder."""
    parts = key.split("/")
    if not all(parts) or {".", ".."} & set(parts) or "\\" in key:
        raise StorageError(
            f"{address_of(folder)} contains an object whose name is not a valid file name:"
            f" {key[:80]!r}"
        )
    return folder.joinpath(*parts)


@contextmanager
def alone(folder: Path) -> Iterator[Path]:
    """Lock a folder against other processes on this machine, and yield the path of the file that
    records the folder's marks.
    """
    kept = make_scratch() / ".marks"
    kept.mkdir(exist_ok=True)
    name = hashlib.sha256(str(folder).encode()).hexdigest()[:24]
    folder.mkdir(parents=True, exist_ok=True)
    with (kept / f"{name}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield kept / f"{name}.json"


def _read(marks: Path) -> dict[str, str]:
    try:
        found: dict[str, str] = json.loads(marks.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return found


def _write(marks: Path, there: Mapping[str, Stamp]) -> None:
    aside = marks.with_suffix(".part")
    aside.write_text(json.dumps({key: stamp.mark for key, stamp in there.items()}), "utf-8")
    os.replace(aside, marks)
