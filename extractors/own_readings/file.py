"""Indexes the lines of a readings file, with the document and the reading of each line.

The file is not kept in memory; each line is read again together with its document. Workers
therefore receive little data, and tripbed notices if a line has changed since it was indexed.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from extractors.own_readings.forms import read_row
from extractors.own_readings.given import show_value
from extractors.own_readings.ground import OwnReading, ground
from schemas.documents import Document

#: Raised when the code gets a different reading from the same line.
VERSION = 3
MAX_LINE_BYTES = 8 << 20
_NO_FORM = "it has neither `pois` nor `places` as a list: see docs/extraction.md for the two forms"
#: Keys that are read, and keys of labelled documents that are known but not read.
_KEYS = frozenset({
    "doc", "kind", "pois", "places", "trips", "trajectory", "facts", "departure", "days_stated",
    "lang", "cities", "decoys", "note",
})  # fmt: skip


class ReadingsError(ValueError):
    """Raised if a readings file cannot be read at all; the message explains what to do."""


@dataclass(frozen=True)
class LineProblem:
    """A problem with a line of a readings file, and what to do about it.

    ``line`` is None for problems with the whole file.
    """

    line: int | None
    what: str
    why: str

    def __str__(self) -> str:
        at = "" if self.line is None else f"line {self.line}: "
        return f"{at}{self.what}: {self.why}"


@dataclass(frozen=True)
class ReadingLine:
    """The position of a document's reading in the file. ``digest`` changes if the text of the line
    changes.
    """

    file: Path
    number: int
    offset: int
    doc: str
    digest: str

    def read(self, document: Document) -> OwnReading:
        """Return the document's reading.

        Raises ReadingsError if the file has changed since it was indexed.
        """
        try:
            with self.file.open("rb") as stream:
                stream.seek(self.offset)
                raw = stream.readline(MAX_LINE_BYTES + 1)
        except OSError as error:
            raise _unreadable(self.file, error) from error
        if _digest(raw) != self.digest:
            raise ReadingsError(
                f"{self.file}: line {self.number} changed during the run; run the command again"
            )
        return ground(self.doc, read_row(json.loads(raw.decode("utf-8-sig"))), document)


@dataclass(frozen=True)
class Assigned:
    """The line for each document, by ``doc_id``, and the lines that match no document."""

    lines: Mapping[str, ReadingLine]
    problems: tuple[LineProblem, ...]


@dataclass(frozen=True)
class OwnReadings:
    """The usable lines in a file, in order, and the problems with the other lines."""

    path: Path
    lines: tuple[ReadingLine, ...]
    problems: tuple[LineProblem, ...]

    def assign(self, documents: Iterable[tuple[str, str]]) -> Assigned:
        """Assign each line to its document; ``documents`` contains pairs of ``doc_id`` and path.

        A line identifies its document by ``doc_id``, by a path, or by the last parts of a path. A
        document may have several paths. If several lines name the same document, the first one is
        used.
        """
        index = _Endings(documents)
        lines: dict[str, ReadingLine] = {}
        problems = []
        for line in self.lines:
            fitting = index.fitting(line.doc)
            if not fitting:
                why = "no document has this path or id: correct `doc`, or its folder (--documents)"
            elif len(fitting) > 1:
                why = (
                    f"{len(fitting)} documents have this path: give more of it, or the"
                    " document's id"
                )
            elif (doc_id := fitting.pop()) in lines:
                first = lines[doc_id].number
                why = f"line {first} is about the same document and is used: remove one"
            else:
                lines[doc_id] = line
                continue
            problems.append(LineProblem(line.number, show_value(line.doc), why))
        return Assigned(lines, tuple(problems))


def lines_of_pages(
    lines: Iterable[ReadingLine], pages: Iterable[tuple[str, str, str]]
) -> dict[str, ReadingLine]:
    """Return the line for each fetched page, by ``doc_id``; if two lines match, the first is used.

    ``pages`` are triples: ``doc_id``, address, and the SHA-256 of the main text in hex. A line
    identifies a page by its ``doc_id``, address or hash. The hash matches all pages with the same
    main text.
    """
    named: dict[str, list[str]] = {}
    for doc_id, url, text_sha256 in pages:
        for name in (doc_id, url, text_sha256):
            named.setdefault(name, []).append(doc_id)
    found: dict[str, ReadingLine] = {}
    for line in lines:
        for doc_id in named.get(line.doc, ()):
            found.setdefault(doc_id, line)
    return found


class _Endings:
    """Finds documents by id, by path, or by the last parts of a path."""

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        self._ids: set[str] = set()
        self._whole: dict[str, set[str]] = {}
        self._ends: dict[str, set[str]] = {}
        for doc_id, path in documents:
            parts = _parts(path)
            self._ids.add(doc_id)
            self._whole.setdefault("/".join(parts), set()).add(doc_id)
            for start in range(1, len(parts)):
                self._ends.setdefault("/".join(parts[start:]), set()).add(doc_id)

    def fitting(self, doc: str) -> set[str]:
        """Return the ids of documents to which a line may refer; whole paths take precedence
        over partial ones.
        """
        if doc in self._ids:
            return {doc}
        path = "/".join(_parts(doc))
        return set(self._whole.get(path) or self._ends.get(path) or ())


def read_file(path: Path) -> OwnReadings:
    """Index a readings file. Raises ReadingsError if the file cannot be read at all."""
    lines: list[ReadingLine] = []
    problems: list[LineProblem] = []
    unknown: Counter[str] = Counter()
    try:
        with path.open("rb") as stream:
            for number, offset, raw in _lines(stream):
                row = _row(raw)
                if isinstance(row, str):
                    problems.append(LineProblem(number, "the line is not used", row))
                    continue
                lines.append(
                    ReadingLine(path.resolve(), number, offset, row["doc"].strip(), _digest(raw))
                )
                unknown.update(show_value(key) for key in row.keys() - _KEYS)
    except OSError as error:
        raise _unreadable(path, error) from error
    problems += [
        LineProblem(
            None,
            f"`{key}` in {n} lines",
            "not a key of a reading, so it is ignored: correct the key",
        )
        for key, n in sorted(unknown.items())
    ]
    if not lines and not problems:
        problems.append(LineProblem(None, "the file is empty", "give one JSON object per line"))
    return OwnReadings(path.resolve(), tuple(lines), tuple(problems))


def _lines(stream: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """Return the number, offset and bytes of each line that is not blank; long lines are cut
    off.
    """
    number, offset = 0, 0
    while raw := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        size = len(raw)
        if size > MAX_LINE_BYTES:
            rest = raw
            while rest and not rest.endswith(b"\n"):
                rest = stream.readline(MAX_LINE_BYTES)
                size += len(rest)
        if raw.strip():
            yield number, offset, raw
        offset += size


def _row(raw: bytes) -> dict[str, Any] | str:
    """Return the object in a line, or the reason why the line cannot be used and advice on what to
    do.
    """
    if len(raw) > MAX_LINE_BYTES:
        return f"it is longer than {MAX_LINE_BYTES >> 20} MB: a reading is a few kB; shorten it"
    try:
        row = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return "it is not UTF-8: save the file as UTF-8"
    except RecursionError:
        return "it is nested too deeply: give one reading per line"
    except ValueError as error:
        told = error.msg if isinstance(error, json.JSONDecodeError) else "a number is too long"
        return f"it is not JSON ({told}): give one complete object per line"
    if not isinstance(row, dict):
        return "it is not a JSON object: give one reading, {...}, per line"
    doc = row.get("doc")
    if not isinstance(doc, str) or not 0 < len(doc.strip()) <= 4096:
        return "`doc` is missing: give the document's path below its folder, or its id"
    return row if isinstance(row.get("places", row.get("pois")), list) else _NO_FORM


def _parts(path: str) -> list[str]:
    """Return the parts of a path, which may use either kind of slash."""
    names = unicodedata.normalize("NFC", path).replace("\\", "/").split("/")
    return [name for name in names if name not in ("", ".")]


def _digest(raw: bytes) -> str:
    return sha256(b"%d:" % VERSION + raw.strip()).hexdigest()[:32]


def _unreadable(path: Path, error: OSError) -> ReadingsError:
    return ReadingsError(
        f"the readings file {path} cannot be read: {error.strerror or 'input/output error'}; check"
        " --readings"
    )
