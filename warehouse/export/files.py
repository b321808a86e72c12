"""CSV, JSON and JSONL as the published sandboxes write them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from schemas.cells import harmless


def write_csv(
    path: Path, header: Sequence[str], rows: Iterable[Mapping[str, Any]], bom: bool = False
) -> None:
    """A CSV file, LF, UTF-8; None is an empty cell, and no text begins as a formula does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8-sig" if bom else "utf-8", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(header)
        for row in rows:
            writer.writerow(["" if row[c] is None else harmless(row[c]) for c in header])


def write_json(path: Path, value: Any) -> None:
    """A JSON file, indented by two, Chinese as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def write_jsonl(path: Path, rows: Iterable[Any]) -> None:
    """One JSON object a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(lines, encoding="utf-8")
