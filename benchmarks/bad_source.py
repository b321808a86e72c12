"""Describe bad sources: inputs of a build that have become faulty since the last good build.

Each case has a function ``spoil``. The function gets a folder with a copy of the sample (the
folders ``documents`` and ``tables``) and a seeded ``random.Random``. The function changes the files
in place, as a broken export, crawler or converter would, and returns nothing::

    def prices_times_hundred(inputs: Path, draw: random.Random) -> None: ...

Each module that defines cases (such as ``benchmarks.bad_sources_own`` and
``benchmarks.bad_sources_other``) has a list ``CASES`` of ``BadSource`` objects. The modules that
define cases do not import the gates.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

Row = dict[str, str]
Spoil = Callable[[Path, random.Random], None]


@dataclass(frozen=True)
class BadSource:
    """One way in which a source becomes faulty.

    The terminal output must name ``source``: the name of the file, or ``documents`` for pages. The
    warning or error that names the source must also contain one of the ``words``, such as the name
    of a column or "rows". If ``refused`` is True, the damage is so great that the build must not
    publish anything; otherwise, a warning is sufficient.
    """

    name: str
    spoil: Spoil
    source: str
    words: tuple[str, ...]
    refused: bool = True


def read_rows(path: Path) -> tuple[list[str], list[Row]]:
    """Read the header and the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as handle:
        reader = csv.DictReader(handle)
        rows = list(reader)
        return list(reader.fieldnames or ()), rows


def write_rows(path: Path, header: list[str], rows: list[Row]) -> None:
    """Write a CSV file with a header and rows."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, header, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def edit_rows(path: Path, change: Callable[[Row], Mapping[str, str]]) -> None:
    """In each row of a file, overwrite the cells for which ``change`` returns a new value."""
    header, rows = read_rows(path)
    write_rows(path, header, [{**row, **change(row)} for row in rows])


def pages(inputs: Path) -> list[Path]:
    """Return the paths of the documents, sorted."""
    return sorted(p for p in (inputs / "documents").rglob("*") if p.is_file())
