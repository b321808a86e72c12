"""What a bad source is: a way in which the inputs of a build went wrong since the last good one.

A case's ``spoil`` is given a folder of its own, a copy of the sample with its two folders
``documents`` and ``tables``, and a seeded ``random.Random``. It changes the files in place, as a
broken export, crawl or converter would, and returns nothing::

    def prices_times_hundred(inputs: Path, draw: random.Random) -> None: ...

Modules with cases (``benchmarks.bad_sources_own``, ``benchmarks.bad_sources_other``) hold a list
``CASES`` of ``BadSource``. They know nothing of the gates.
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
    """One bad source.

    ``source`` is what the terminal must name: the file's name, or ``documents`` for pages;
    ``words`` are what it may call the fault, one of which must stand in the same complaint: a
    column, or a word such as ``rows``. ``refused`` says whether the damage is so great that nothing
    may be published; else a warning is enough.
    """

    name: str
    spoil: Spoil
    source: str
    words: tuple[str, ...]
    refused: bool = True


def read_rows(path: Path) -> tuple[list[str], list[Row]]:
    """Header and rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as handle:
        reader = csv.DictReader(handle)
        rows = list(reader)
        return list(reader.fieldnames or ()), rows


def write_rows(path: Path, header: list[str], rows: list[Row]) -> None:
    """Write a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, header, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def edit_rows(path: Path, change: Callable[[Row], Mapping[str, str]]) -> None:
    """Give each row the cells that ``change`` makes of it; cells that it leaves out stay."""
    header, rows = read_rows(path)
    write_rows(path, header, [{**row, **change(row)} for row in rows])


def pages(inputs: Path) -> list[Path]:
    """The documents, in the order of their paths."""
    return sorted(p for p in (inputs / "documents").rglob("*") if p.is_file())
