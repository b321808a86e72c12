"""``tripbed match``: pairs of place names labelled same, different or parent-of."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from pathlib import Path

from flows.csv_files import read_csv
from flows.settings import SettingsError
from geocoding.match import match_pairs

COLUMNS = ("city", "name_a", "name_b", "lat_a", "lon_a", "lat_b", "lon_b")
ADDED = ("label", "score", "why")


def match(pairs: Path, out: Path, as_json: bool) -> None:
    """Label a CSV of pairs and write it with label, score and why.

    Raises SettingsError for a file that cannot be read or lacks a column.
    """
    columns, rows = read_csv(pairs)
    missing = [column for column in COLUMNS if column not in columns]
    if missing:
        raise SettingsError(f"{pairs} lacks the column {missing[0]}: it needs {', '.join(COLUMNS)}")
    short = next((n for n, row in enumerate(rows, 2) if None in row.values() or None in row), None)
    if short:
        raise SettingsError(f"{pairs}, line {short}: not as many cells as the header has")
    labels = match_pairs(rows)
    kept = [name for name in columns if name not in ADDED]
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, [*kept, *ADDED], lineterminator="\n")
        writer.writeheader()
        for row, label in zip(rows, labels, strict=True):
            writer.writerow({**{name: row[name] for name in kept}, **label})
    counts = dict(sorted(Counter(label["label"] for label in labels).items()))
    if as_json:
        sys.stdout.write(json.dumps({"pairs": len(rows), **counts}) + "\n")
    else:
        sys.stdout.write(
            f"{len(rows)} pairs: {', '.join(f'{n} {k}' for k, n in counts.items())}\n{out}\n"
        )
