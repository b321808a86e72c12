"""Reads word lists and learned weights from plain files next to the code that uses them.

The files are in the folder ``lists`` of each package and are part of the wheel.

- ``NAME.txt`` has one entry on each line. Entries are words or, if a comment at the top of the file
  says so, parts of a regular expression.
- ``NAME.tsv`` is a table whose first line names the columns. A table of weights has two columns.

Empty lines and lines that begin with ``#`` are ignored. Each file is read only once, when it is
first needed.
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
    """Raised if a list is missing or has an invalid line. The message names the file and line."""


@dataclass(frozen=True)
class Lists:
    """The lists of a package, such as ``Lists("extractors.rules.zh")``.

    All methods raise WordListError if the list is missing or has an invalid line.
    """

    package: str

    def words(self, name: str) -> Row:
        """Return the entries of a list in the order of the file."""
        return _words(self.package, f"{name}.txt")

    def either(self, name: str) -> str:
        """Join the entries of a list with ``|`` for use in a regular expression."""
        return "|".join(self.words(name))

    def table(self, name: str) -> tuple[Row, ...]:
        """Return the rows of a table without the header."""
        return tuple(row for _, row in _table(self.package, f"{name}.tsv"))

    def pairs(self, name: str) -> dict[str, str]:
        """Return a table with two columns as a mapping from the first column to the second."""
        return {key: value for key, (_, value) in _pairs(self.package, f"{name}.tsv").items()}

    def weights(self, name: str) -> dict[str, float]:
        """Return the rows of a table with two columns as a mapping from names to numbers."""
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
    """Return the line number and the cells of each line below the header."""
    lines = _lines(package, file)
    columns = len(next(lines)[1].split("\t"))
    rows = [(number, tuple(line.split("\t"))) for number, line in lines]
    for number, row in rows:
        if len(row) != columns:
            problem = f"{len(row)} cells instead of {columns}: separate the cells with tabs"
            raise _error(package, file, number, problem)
    return tuple((number, row) for row, number in _once(package, file, rows).items())


def _pairs(package: str, file: str) -> dict[str, tuple[int, str]]:
    """Return the line number and the value for each key of a table with two columns."""
    rows = _table(package, file)
    if rows and len(rows[0][1]) != 2:
        raise _error(
            package, file, rows[0][0], f"the line has {len(rows[0][1])} cells instead of two"
        )
    keys = _once(package, file, ((number, row[0]) for number, row in rows))
    return {key: (keys[key], value) for _, (key, value) in rows}


Entry = TypeVar("Entry", str, Row)


def _once(package: str, file: str, entries: Iterable[tuple[int, Entry]]) -> dict[Entry, int]:
    """Map each entry to its line number. Raises WordListError if an entry occurs twice."""
    seen: dict[Entry, int] = {}
    for number, entry in entries:
        if entry in seen:
            problem = f"{entry!r} is already on line {seen[entry]}: remove one of the two lines"
            raise _error(package, file, number, problem)
        seen[entry] = number
    return seen


def _lines(package: str, file: str) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each line that is not a comment.

    Raises WordListError if the file contains nothing but comments.
    """
    try:
        text = (files(package) / FOLDER / file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise WordListError(f"{_path(package, file)}: the file does not exist") from None
    empty = True
    for number, line in enumerate(text.split("\n"), start=1):
        if not line or line.startswith("#"):
            continue
        if line != line.strip():
            raise _error(
                package, file, number, "the line begins or ends with a space: remove the space"
            )
        empty = False
        yield number, line
    if empty:
        raise WordListError(f"{_path(package, file)}: the file contains only comments")


def _error(package: str, file: str, line: int, problem: str) -> WordListError:
    return WordListError(f"{_path(package, file)}, line {line}: {problem}")


def _path(package: str, file: str) -> str:
    return f"{package.replace('.', '/')}/{FOLDER}/{file}"
