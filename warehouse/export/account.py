"""Writes the files of an export and counts the export's rows.

Every row is counted as written or left out, and the report lists every change. CSV, JSON and JSONL
files have the form that the published sandboxes use.
"""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from schemas.cells import harmless


@dataclass(frozen=True)
class LeftOut:
    """A row that was left out or, if ``field`` is given, a value that was changed."""

    city: str
    table: str
    row_id: str
    name: str | None
    reason: str
    field: str | None = None


@dataclass
class ExportAccount:
    """Counts of the rows that an export read, wrote and left out, by city and table."""

    layout: str
    snapshot: str
    rows: Counter[tuple[str, str]] = field(default_factory=Counter)
    written: Counter[tuple[str, str]] = field(default_factory=Counter)
    left_out: list[LeftOut] = field(default_factory=list)
    changed: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    #: Cities that the layout cannot contain, with the reason. Their rows are also listed singly.
    cities_left_out: dict[str, str] = field(default_factory=dict)

    def count_written(self, city: str, table: str, number: int = 1) -> None:
        """Count rows as written, with or without changes."""
        self.rows[city, table] += number
        self.written[city, table] += number

    def leave_out(self, city: str, table: str, row_id: str, name: str | None, reason: str) -> None:
        """Record a row that the layout cannot express."""
        self.rows[city, table] += 1
        self.left_out.append(LeftOut(city, table, row_id, name, reason))

    def change(self, city: str, table: str, row_id: str, name: str, what: str, why: str) -> None:
        """Record a value that differs between the snapshot and the layout."""
        self.changed.append(LeftOut(city, table, row_id, name, why, what))

    def check(self) -> None:
        """Raise RuntimeError unless every row was written or left out."""
        out = Counter((entry.city, entry.table) for entry in self.left_out)
        for key, number in self.rows.items():
            if number != self.written[key] + out[key]:
                raise RuntimeError(
                    f"{key}: of {number} rows, {self.written[key]} were written and"
                    f" {out[key]} left out"
                )

    def facts(self) -> dict[str, Any]:
        """Return counts, sorted lists and notes as plain values for JSON."""
        out = Counter((entry.city, entry.table) for entry in self.left_out)
        counts: dict[str, dict[str, dict[str, int]]] = defaultdict(dict)
        for key, rows in sorted(self.rows.items()):
            told = {"rows": rows, "written": self.written[key], "left_out": out[key]}
            counts[key[0]][key[1]] = told
        return {
            "format": self.layout,
            "snapshot": self.snapshot,
            "counts": counts,
            "cities_left_out": dict(sorted(self.cities_left_out.items())),
            "reasons": dict(sorted(Counter(e.reason for e in self.left_out).items())),
            "left_out": [asdict(e) for e in sorted(self.left_out, key=_order)],
            "changed": [asdict(e) for e in sorted(self.changed, key=_order)],
            "notes": self.notes,
        }

    def json(self) -> str:
        """Return the report (``facts``) as JSON text."""
        return json.dumps(self.facts(), ensure_ascii=False, indent=1)


def _order(entry: LeftOut) -> tuple[str, ...]:
    return entry.city, entry.table, entry.row_id, entry.field or "", entry.reason


def write_csv(
    path: Path, header: Sequence[str], rows: Iterable[Mapping[str, Any]], bom: bool = False
) -> None:
    """Write a CSV file in UTF-8 with LF line endings.

    None becomes an empty cell, and a text that looks like a formula gets an apostrophe.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8-sig" if bom else "utf-8", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(header)
        for row in rows:
            writer.writerow(["" if row[c] is None else harmless(row[c]) for c in header])


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file with an indent of two spaces; Chinese text is not escaped."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def write_jsonl(path: Path, rows: Iterable[Any]) -> None:
    """Write a file with one JSON value per line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(lines, encoding="utf-8")
