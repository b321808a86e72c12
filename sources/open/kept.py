"""Store the answers from providers, so that repeating a request needs no network.

An answer is stored in a file that is named after the request. A second file contains the request,
the day, the hash of the answer and further details. A stored answer is used until the user requests
a newer one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from schemas.ids import canonical_json
from sources.open.errors import OpenDataError
from storage.mirror import remote_of

FOLDER = "open"


@dataclass(frozen=True)
class Kept:
    """A stored answer: its file, and the note with its details."""

    path: Path
    about: Mapping[str, Any]


class Store:
    """The stored answers in an archive, which is a folder or a local copy of a remote archive."""

    def __init__(self, archive: Path, *, offline: bool = False, refresh: bool = False) -> None:
        self._archive, self._offline, self._refresh = archive, offline, refresh
        self._remote = remote_of(archive)
        self._renewed: set[str] = set()

    def get(
        self, provider: str, request: Mapping[str, Any], suffix: str,
        make: Callable[[Path], Mapping[str, Any]],
    ) -> Kept:  # fmt: skip
        """Return the stored answer to a request; if there is none, create one with ``make`` and
        store it.

        ``make`` writes the answer to a path and returns details for its note. Raises OpenDataError
        if the store is offline and has no answer, or if the stored answer is damaged.
        """
        key = f"{FOLDER}/{provider}/{_digest(request)}"
        if not self._refresh or key in self._renewed:
            kept = self._find_kept(key, suffix)
            if kept is not None:
                return kept
        if self._offline:
            raise OpenDataError(
                f"{provider}: there is no stored answer to this request, and --offline allows no"
                f" new requests: run once without --offline, or check --archive"
            )
        path = self._archive / f"{key}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f".{os.getpid()}.part{suffix}")
        try:
            told = make(aside)
            about = {
                "provider": provider, "request": dict(request), "sha256": _sha256(aside),
                "fetched_on": datetime.now(UTC).date().isoformat(), **told,
            }  # fmt: skip
            note = path.with_suffix(".json")
            # An answer without a note is not used, so a run that is killed here is repeated safely.
            note.unlink(missing_ok=True)
            os.replace(aside, path)
        finally:
            aside.unlink(missing_ok=True)
        part = note.with_name(f".{os.getpid()}.part.json")
        part.write_text(json.dumps(about, ensure_ascii=False, sort_keys=True, indent=1), "utf-8")
        os.replace(part, note)
        if self._remote is not None:
            self._remote.send({f"{key}{suffix}": path})
            self._remote.send({f"{key}.json": note})
        self._renewed.add(key)
        return Kept(path, about)

    def _find_kept(self, key: str, suffix: str) -> Kept | None:
        note, path = self._archive / f"{key}.json", self._archive / f"{key}{suffix}"
        if not note.is_file() and not self._brought(key, suffix):
            return None
        try:
            about = json.loads(note.read_text(encoding="utf-8"))
            if _sha256(path) == about["sha256"]:
                return Kept(path, about)
        except (OSError, ValueError, KeyError, TypeError):
            pass
        raise OpenDataError(f"{path} is damaged; fetch it again with --refresh")

    def _brought(self, key: str, suffix: str) -> bool:
        """Copy an answer from the remote archive, and return whether the archive had the answer."""
        if self._remote is None or self._remote.read(f"{key}.json") is None:
            return False
        names = (f"{key}{suffix}", f"{key}.json")
        self._remote.fetch({name: self._archive / name for name in names})
        return True


def _digest(request: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical_json(request).encode()).hexdigest()[:24]


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
