"""Licences of documents that state none: from ``LICENSES.csv`` in the folder, or a licence file.

``LICENSES.csv`` has the columns ``path`` and ``licence``, and may have ``source``. A path is a
pattern below the folder: ``guide.md``, ``blogs/*``, or ``en.wikivoyage.org/*`` for the pages of a
site, which lie in a folder of its name. The first line that matches a file applies. A file that
no line matches has the licence of the nearest ``LICENSE`` or ``COPYING`` in its folder or above it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from schemas.licences import spdx_name
from sources.web.errors import CorpusError

LIST = "LICENSES.csv"
_FILES = re.compile(r"(?:LICEN[CS]E|COPYING)(?:\.(?:md|txt))?", re.IGNORECASE)
_MAX_BYTES = 1_000_000
_CHARS = 200


@dataclass(frozen=True)
class Licence:
    """What holds for a file, the source that a list names, and the file that says so."""

    licence: str
    said_by: str
    source: str | None = None


@dataclass(frozen=True)
class Licences:
    """The licences of a folder of documents."""

    listed: tuple[tuple[str, Licence], ...] = ()
    by_folder: tuple[tuple[str, Licence], ...] = ()

    def of(self, path: str) -> Licence | None:
        """What holds for a file below the folder; None where nothing says it."""
        for pattern, licence in self.listed:
            if fnmatchcase(path, pattern):
                return licence
        folders = {str(parent) for parent in PurePosixPath(path).parents}
        held = [(folder, licence) for folder, licence in self.by_folder if folder in folders]
        return max(held, key=lambda item: len(PurePosixPath(item[0]).parts))[1] if held else None


def read_licences(root: Path, files: Iterable[Path]) -> Licences:
    """The licences that a folder states. Raises CorpusError for a list that cannot be used."""
    found = {
        folder: Licence(name, path.relative_to(root).as_posix())
        for path in sorted(files)
        if _FILES.fullmatch(path.name)
        and (folder := path.relative_to(root).parent.as_posix())
        and (name := _name_licence(path)) is not None
    }
    return Licences(tuple(_list_licences(root / LIST)), tuple(sorted(found.items())))


def is_licence_file(name: str) -> bool:
    """Whether a file of this name is a licence's text, and no document."""
    return _FILES.fullmatch(name) is not None


def _name_licence(path: Path) -> str | None:
    """The SPDX name of the licence whose text a file holds; None for another text."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            return None
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return spdx_name(text)


def _list_licences(path: Path) -> Iterator[tuple[str, Licence]]:
    if not path.is_file():
        return
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path} cannot be read as UTF-8: {error}") from None
    rows = csv.DictReader(text.splitlines(), strict=True)
    try:
        names = {name.strip().lower(): name for name in rows.fieldnames or () if name}
        licence = names.get("licence") or names.get("license")
        if "path" not in names or licence is None:
            raise CorpusError(f"{path}:1: the columns path and licence are needed")
        for row in rows:
            pattern, stated = (row[names["path"]] or "").strip(), (row[licence] or "").strip()
            if not pattern or not stated:
                raise CorpusError(f"{path}:{rows.line_num}: path or licence is empty")
            source = (row.get(names.get("source", "")) or "").strip() or None
            yield pattern, Licence(spdx_name(stated) or stated[:_CHARS], LIST, source)
    except csv.Error as error:
        raise CorpusError(f"{path}:{rows.line_num}: not CSV: {error}") from None
