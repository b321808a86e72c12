"""An archive at an address: each visit is a file there, and this machine keeps copies of all."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from storage.mirror import fetch
from storage.remote import Remote

#: How the WARC files of an archive are called.
FILES = "tripbed-??????.warc.gz"


def put_visit(remote: Remote, path: Path, raw: bytes) -> bool:
    """Put a visit under its file's name, then keep the copy;
    False where another run took the name.
    """
    if not remote.create(path.name, raw):
        return False
    path.write_bytes(raw)
    return True


def copy_visits(remote: Remote, folder: Path) -> None:
    """Bring the visits that a folder lacks, or holds cut off;
    the lock of the copy is the caller's.
    """
    there = {
        key: stamp for key, stamp in remote.stamps().items()
        if fnmatchcase(key, FILES) and key[8:14].isdigit()
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    mine = {path.name: path.stat().st_size for path in folder.glob(FILES)}
    if mine.keys() - there.keys():  # another archive stands there now: index and all begin anew
        for path in (*folder.glob(FILES), *folder.glob("index/*")):
            path.unlink()
        mine = {}
    fetch(remote, folder, [key for key, stamp in there.items() if mine.get(key) != stamp.size])
