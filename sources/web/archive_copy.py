"""Copy the visits in a remote archive, where each visit is a separate file."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from storage.mirror import fetch
from storage.remote import Remote

#: Pattern for the names of an archive's WARC files.
FILES = "tripbed-??????.warc.gz"


def put_visit(remote: Remote, path: Path, raw: bytes) -> bool:
    """Write a visit to the remote archive and to the local copy.

    If a different run has already used the file's name, the function writes nothing and returns
    False.
    """
    if not remote.create(path.name, raw):
        return False
    path.write_bytes(raw)
    return True


def copy_visits(remote: Remote, folder: Path) -> None:
    """Fetch the visits that are missing or incomplete in a folder; the caller must lock the
    folder.
    """
    there = {
        key: stamp for key, stamp in remote.stamps().items()
        if fnmatchcase(key, FILES) and key[8:14].isdigit()
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    mine = {path.name: path.stat().st_size for path in folder.glob(FILES)}
    if mine.keys() - there.keys():  # the copy is of another archive, so it is deleted
        for path in (*folder.glob(FILES), *folder.glob("index/*")):
            path.unlink()
        mine = {}
    fetch(remote, folder, [key for key, stamp in there.items() if mine.get(key) != stamp.size])
