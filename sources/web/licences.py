"""Find the licences of documents that do not state one, using ``LICENSES.csv`` or licence files.

``LICENSES.csv`` has the columns ``path`` and ``licence``, and optionally ``source``. A path is a
pattern, such as ``guide.md``, ``blogs/*``, or ``en.wikivoyage.org/*`` for the pages on a site. The
first line that matches a file applies. If no line matches, the file has the licence of the nearest
``LICENSE`` or ``COPYING`` file, in the file's own folder or in one above.
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
    """The licence of a file, the file that states this licence, and the source given in a list."""

    licence: str
    said_by: str
    source: str | None = None


@dataclass(frozen=True)
class Licences:
    """The licences for the documents in a folder."""

    listed: tuple[tuple[str, Licence], ...] = ()
    by_folder: tuple[tuple[str, Licence], ...] = ()

    def of(self, path: str) -> Licence | None:
        """Return the licence of a file in the folder, or None if no licence is stated."""
        for pattern, licence in self.listed:
            if fnmatchcase(path, pattern):
                return licence
        folders = {str(parent) for parent in PurePosixPath(path).parents}
        held = [(folder, licence) for folder, licence in self.by_folder if folder in folders]
        return max(held, key=lambda item: len(PurePosixPath(item[0]).parts))[1] if held else None


def read_licences(root: Path, files: Iterable[Path]) -> Licences:
    """Read the licences that are stated in a folder.

    Raises CorpusError if the list in the folder has an error.
    """
    found = {
        folder: Licence(name, path.relative_to(root).as_posix())
        for path in sorted(files)
        if _FILES.fullmatch(path.name)
        and (folder := path.relative_to(root).parent.as_posix())
        and (name := _name_licence(path)) is not None
    }
    return Licences(tuple(_list_licences(root / LIST)), tuple(sorted(found.items())))


def is_licence_file(name: str) -> bool:
    """Check whether a file with this name contains a licence rather than a document."""
    return _FILES.fullmatch(name) is not None


def _name_licence(path: Path) -> str | None:
    """Return the SPDX name of the licence in a file, or None if the text is not a known licence."""
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
            raise CorpusError(f"{path}:1: the file needs the columns path and licence")
        for row in rows:
            pattern, stated = (row[names["path"]] or "").strip(), (row[licence] or "").strip()
            if not pattern or not stated:
                raise CorpusError(f"{path}:{rows.line_num}: path or licence is empty")
            source = (row.get(names.get("source", "")) or "").strip() or None
            yield pattern, Licence(spdx_name(stated) or stated[:_CHARS], LIST, source)
    except csv.Error as error:
        raise CorpusError(f"{path}:{rows.line_num}: not CSV: {error}") from None
