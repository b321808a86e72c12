"""``tripbed match``: label pairs of place names as same, different or parent-of."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from flows.csv_files import read_csv
from flows.errors import SettingsError
from geocoding.match import PairLabel, match_pairs, points_of

COLUMNS = ("city", "name_a", "name_b", "lat_a", "lon_a", "lat_b", "lon_b")
ADDED = ("label", "score", "why")
#: A line on stderr after so many pairs.
_TOLD_EVERY = 20_000

Row = dict[str, str]


def match(pairs: Path, out: Path, alone: bool, as_json: bool) -> None:
    """Label a CSV of pairs and write it with label, score and why.

    Raises SettingsError for a file that cannot be read or written, lacks a column, or has a
    line without a name or with an invalid coordinate.
    """
    columns, rows = read_csv(pairs)
    missing = [column for column in COLUMNS if column not in columns]
    if missing:
        raise SettingsError(
            f"{pairs} lacks the column {missing[0]}: it needs {', '.join(COLUMNS)} (coordinates may"
            f" be left empty); it has {', '.join(columns)}"
        )
    _check(pairs, rows)
    turned = sum(point.turned for row in rows for point in points_of(row) if point)
    if turned:
        sys.stderr.write(f"{turned} points had latitude and longitude the wrong way round\n")
    labels = match_pairs(_report_rows(rows), alone=alone)
    _write(out, [name for name in columns if name not in ADDED], rows, labels)
    counts = dict(sorted(Counter(label["label"] for label in labels).items()))
    if as_json:
        sys.stdout.write(json.dumps({"pairs": len(rows), **counts}) + "\n")
    else:
        told = ", ".join(f"{n} {k}" for k, n in counts.items())
        sys.stdout.write(f"{len(rows)} pairs: {told or 'none'}\n{out}\n")


def _check(pairs: Path, rows: Sequence[Row]) -> None:
    """Raise SettingsError for the first line that cannot be compared, with how many there are."""
    wrong = [(line, what) for line, row in enumerate(rows, 2) for what in _problems(row)]
    if wrong:
        (line, what), lines = wrong[0], len({line for line, _ in wrong})
        more = f"; {lines - 1} other lines are wrong, too" if lines > 1 else ""
        raise SettingsError(f"{pairs}, line {line}: {what}{more}")


def _problems(row: Row) -> Iterator[str]:
    if None in row.values() or None in row:
        yield "the number of cells differs from the header"
        return
    for column in ("name_a", "name_b"):
        if not row[column].strip():
            yield f"{column} is empty: a pair needs two names"
    try:
        points_of(row)
    except ValueError as error:
        yield str(error)


def _report_rows(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows, with a line on stderr now and then."""
    for number, row in enumerate(rows, 1):
        yield row
        if number % _TOLD_EVERY == 0:
            sys.stderr.write(f"{number} of {len(rows)} pairs\n")


def _write(out: Path, kept: list[str], rows: Sequence[Row], labels: Sequence[PairLabel]) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, [*kept, *ADDED], lineterminator="\n")
            writer.writeheader()
            for row, label in zip(rows, labels, strict=True):
                writer.writerow({**{name: row[name] for name in kept}, **label})
    except OSError as error:
        raise SettingsError(f"{out} cannot be written: {error.strerror}") from None
