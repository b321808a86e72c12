"""Reads all word lists and learned weights: plain files next to the code that uses them.

They are in the folder ``lists`` of a package and are part of the wheel.

- ``NAME.txt``: one entry a line. Entries are words, or parts of a regular expression where the
  file says so at its head.
- ``NAME.tsv``: a table. Its first line names the columns; a table of weights has two of them.

Empty lines and lines that begin with ``#`` are ignored. A file is read only once, when it is first
needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeVar

FOLDER = "lists"

Row = tuple[str, ...]


class WordListError(ValueError):
    """Raised if a list is missing or has an invalid line; names the file and the line."""


@dataclass(frozen=True)
class Lists:
    """The lists of a package, such as ``Lists("extractors.rules.zh")``.

    All methods raise WordListError.
    """

    package: str

    def words(self, name: str) -> Row:
        """Return the entries of a list, each once, in the order of the file."""
        return _words(self.package, f"{name}.txt")

    def either(self, name: str) -> str:
        """Join the entries of a list as alternatives of a regular expression, without brackets."""
        return "|".join(self.words(name))

    def table(self, name: str) -> tuple[Row, ...]:
        """Return the rows of a table below its header; only inner cells can be empty."""
        return tuple(row for _, row in _table(self.package, f"{name}.tsv"))

    def pairs(self, name: str) -> dict[str, str]:
        """Map the first cell to the second in a table with two columns."""
        return {key: value for key, (_, value) in _pairs(self.package, f"{name}.tsv").items()}

    def weights(self, name: str) -> dict[str, float]:
        """Return the numbers of a table with two columns, by name."""
        found: dict[str, float] = {}
        for key, (line, value) in _pairs(self.package, f"{name}.tsv").items():
            try:
                found[key] = float(value)
            except ValueError:
                found[key] = math.nan
            if not math.isfinite(found[key]):
                raise _error(self.package, f"{name}.tsv", line, f"{value!r} is not a number")
        return found


@cache
def _words(package: str, file: str) -> Row:
    return tuple(_once(package, file, _lines(package, file)))


@cache
def _table(package: str, file: str) -> tuple[tuple[int, Row], ...]:
    """Number and cells of the lines below the header."""
    lines = _lines(package, file)
    columns = len(next(lines)[1].split("\t"))
    rows = [(number, tuple(line.split("\t"))) for number, line in lines]
    for number, row in rows:
        if len(row) != columns:
            problem = f"{len(row)} cells for {columns} columns: separate them with tabs"
            raise _error(package, file, number, problem)
    return tuple((number, row) for row, number in _once(package, file, rows).items())


def _pairs(package: str, file: str) -> dict[str, tuple[int, str]]:
    """Line and value by key, of a table of two columns whose keys stand once each."""
    rows = _table(package, file)
    if rows and len(rows[0][1]) != 2:
        raise _error(
            package, file, rows[0][0], f"{len(rows[0][1])} cells where there should be two"
        )
    keys = _once(package, file, ((number, row[0]) for number, row in rows))
    return {key: (keys[key], value) for _, (key, value) in rows}


Entry = TypeVar("Entry", str, Row)


def _once(package: str, file: str, entries: Iterable[tuple[int, Entry]]) -> dict[Entry, int]:
    """Line by entry, in order. Raises WordListError for an entry that stands twice."""
    seen: dict[Entry, int] = {}
    for number, entry in entries:
        if entry in seen:
            problem = f"{entry!r} is already on line {seen[entry]}: remove one"
            raise _error(package, file, number, problem)
        seen[entry] = number
    return seen


def _lines(package: str, file: str) -> Iterator[tuple[int, str]]:
    """Number and text of the lines that are no remarks. Raises WordListError if there is none."""
    try:
        text = (files(package) / FOLDER / file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise WordListError(f"{_path(package, file)}: the file does not exist") from None
    empty = True
    for number, line in enumerate(text.split("\n"), start=1):
        if not line or line.startswith("#"):
            continue
        if line != line.strip():
            raise _error(package, file, number, "it begins or ends with a space: remove it")
        empty = False
        yield number, line
    if empty:
        raise WordListError(f"{_path(package, file)}: it contains only comments")


def _error(package: str, file: str, line: int, problem: str) -> WordListError:
    return WordListError(f"{_path(package, file)}, line {line}: {problem}")


def _path(package: str, file: str) -> str:
    return f"{package.replace('.', '/')}/{FOLDER}/{file}"
