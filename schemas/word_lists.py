"""Word lists and learned weights: plain files beside the code that uses them, read here alone.

They lie in the folder ``lists`` of a package and ship in the wheel.

- ``NAME.txt``: one entry a line. Entries are words, or parts of a regular expression where the
  file says so at its head.
- ``NAME.tsv``: a table. Its first line names the columns; a table of weights has two of them.

Empty lines and lines that begin with ``#`` are remarks. A file is read once, when it is first
asked for. This is the one place in ``schemas`` that reads files.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

FOLDER = "lists"

Row = tuple[str, ...]


class WordListError(ValueError):
    """A list that is missing or has a line that cannot be read; says which file and line."""


@dataclass(frozen=True)
class Lists:
    """The lists of a package, such as ``Lists("extractors.rules.zh")``. Raise WordListError."""

    package: str

    def words(self, name: str) -> Row:
        """The entries of a list, each once, in the order of the file."""
        return _words(self.package, name)

    def either(self, name: str) -> str:
        """The entries of a list as alternatives of a regular expression, without brackets."""
        return "|".join(_words(self.package, name))

    def table(self, name: str) -> tuple[Row, ...]:
        """The rows of a table below its header; a cell may be empty."""
        return tuple(row for _, row in _table(self.package, name))

    def weights(self, name: str) -> dict[str, float]:
        """The numbers of a table of two columns, by name."""
        found: dict[str, float] = {}
        for number, row in _table(self.package, name):
            try:
                key, value = row
                found[key] = float(value)
            except ValueError:
                raise _error(self.package, name, ".tsv", number, "no name and number") from None
            if not math.isfinite(found[key]):
                raise _error(self.package, name, ".tsv", number, f"{value} is no number")
        return found


@cache
def _words(package: str, name: str) -> Row:
    seen: dict[str, int] = {}
    for number, line in _lines(package, name, ".txt"):
        if line in seen:
            problem = f"{line!r} stands on line {seen[line]} already: remove one"
            raise _error(package, name, ".txt", number, problem)
        seen[line] = number
    return tuple(seen)


@cache
def _table(package: str, name: str) -> tuple[tuple[int, Row], ...]:
    """Line number and cells of each row; the first cell tells the rows apart."""
    lines = _lines(package, name, ".tsv")
    header = next(lines)[1].split("\t")
    seen: dict[str, Row] = {}
    rows: list[tuple[int, Row]] = []
    for number, line in lines:
        row = tuple(line.split("\t"))
        if len(row) != len(header):
            problem = f"{len(row)} cells under {len(header)} columns: part them by tabs"
            raise _error(package, name, ".tsv", number, problem)
        if row[0] in seen:
            raise _error(package, name, ".tsv", number, f"a second row for {row[0]!r}: remove one")
        seen[row[0]] = row
        rows.append((number, row))
    return tuple(rows)


def _lines(package: str, name: str, ending: str) -> Iterator[tuple[int, str]]:
    """Number and text of the lines that are no remarks. Raises WordListError if there is none."""
    file = files(package) / FOLDER / f"{name}{ending}"
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise WordListError(f"{package}/{FOLDER}/{name}{ending}: there is no such file") from None
    empty = True
    for number, line in enumerate(text.split("\n"), start=1):
        if not line or line.startswith("#"):
            continue
        if line != line.strip(" \r"):
            raise _error(package, name, ending, number, "a space at its end: remove it")
        empty = False
        yield number, line
    if empty:
        raise WordListError(f"{package}/{FOLDER}/{name}{ending}: nothing but remarks")


def _error(package: str, name: str, ending: str, number: int, problem: str) -> WordListError:
    return WordListError(f"{package}/{FOLDER}/{name}{ending}, line {number}: {problem}")
