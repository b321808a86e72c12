"""Read and write files of queries, in tripbed's own form and in published layouts."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from flows.errors import SettingsError
from queries.tprag import write_published_zh
from schemas.arrow import frame
from schemas.cities import UnknownCityError, find_city

Row = dict[str, Any]
#: The file of the tripscore queries' frozen contexts, with one JSON object per line.
CONTEXTS = "contexts.jsonl"
#: The file of queries that break a rule, with one JSON object per line.
QUARANTINE = "quarantine.jsonl"
_TEXTS = {"text_zh": "nature_language", "text_en": "nature_language_en"}


def write_rows(rows: Sequence[Row], folder: Path) -> None:
    """Write queries as ``queries.jsonl`` and ``queries.parquet``, and in published layouts."""
    frame("queries", list(rows)).write_parquet(folder / "queries.parquet")
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            told = {**row, "structure": json.loads(row["structure"])}
            file.write(json.dumps(told, ensure_ascii=False, sort_keys=True, default=str) + "\n")
    families = {row["family"] for row in rows}
    if "tprag" in families:
        texts = [write_published_zh(row) for row in rows if row["family"] == "tprag"]
        (folder / "tprag.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    if "traveleval" in families:
        _write_traveleval([row for row in rows if row["family"] == "traveleval"], folder)
    for family in sorted(families & {"chinatravel", "tripscore", "triptailor"}):
        _write_json([_publish(r) for r in rows if r["family"] == family], folder / f"{family}.json")


def _write_json(value: Any, path: Path) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _publish(row: Row) -> Row:
    """Return a query in its published form, which consists of the structure and both texts."""
    return {
        **json.loads(row["structure"]),
        **{name: row[column] for column, name in _TEXTS.items()},
    }


def _write_traveleval(rows: Sequence[Row], folder: Path) -> None:
    """Write TravelEval's four files: easy, medium and hard queries, and groups of queries."""
    head = {"version": "1.0", "description": "TravelEval layout, written by tripbed"}
    target = folder / "traveleval"
    target.mkdir()
    plans = [_publish(row) for row in rows]
    for difficulty in ("easy", "medium", "hard"):
        alone = [p for p in plans if p["tag"] == difficulty and p["uid"].startswith("T")]
        _write_json({**head, "queries": alone}, target / f"{difficulty}.json")
    groups: dict[str, list[Row]] = {}
    for plan in plans:
        if plan["uid"].startswith("G"):
            groups.setdefault(plan["uid"].split("-")[0], []).append(plan)
    _write_json({**head, "query_groups": list(groups.values())}, target / "progressive.json")


def read_json_files(path: Path) -> Iterator[Any]:
    """Read a JSON file, or every ``*.json`` file in a folder.

    Raises SettingsError if a file cannot be read or the folder contains no JSON file.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise SettingsError(f"{path}: no *.json file in this folder")
    for file in files:
        try:
            yield json.loads(file.read_text(encoding="utf-8-sig"))
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise SettingsError(f"{file} cannot be read as JSON: {error}") from None


def read_lines(path: Path) -> list[tuple[str, str]]:
    """Read the lines of a file, or of every ``*.txt`` file below a folder.

    Each line is returned with an id such as ``seeds.txt:3``; empty lines are left out. Raises
    SettingsError if a file cannot be read.
    """
    files = sorted(path.rglob("*.txt")) if path.is_dir() else [path]
    found = []
    for file in files:
        try:
            lines = file.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{file} cannot be read as text: {error}") from None
        name = file.relative_to(path) if path.is_dir() else file.name
        found += [(f"{name}:{n}", line.strip()) for n, line in enumerate(lines, 1) if line.strip()]
    return found


def read_rows(path: Path) -> list[Row]:
    """Read tripbed's queries from a JSON lines or Parquet file, or a folder's ``queries.jsonl``.

    Raises SettingsError if the file cannot be read or a column is missing.
    """
    file = path / "queries.jsonl" if path.is_dir() else path
    try:
        if file.suffix == ".parquet":
            return pl.read_parquet(file).to_dicts()
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]
    except (OSError, UnicodeDecodeError, ValueError, pl.exceptions.PolarsError) as error:
        raise SettingsError(f"{file} cannot be read as tripbed's queries: {error}") from None
    needed = {"query_id", "city_id", "family", "structure", "text_zh", "text_en"}
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping) or needed - set(row):
            raise SettingsError(
                f"{file}, line {number}: a query needs the columns {', '.join(sorted(needed))}"
            )
    return [{**row, "structure": _text(row["structure"])} for row in rows]


def read_contexts(folder: Path) -> list[Row]:
    """Read the frozen contexts in a folder; return an empty list if there are none.

    Raises SettingsError if the file cannot be read.
    """
    file = folder / CONTEXTS
    if not file.is_file():
        return []
    try:
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]
        return [{key: row[key] for key in ("query_id", "sha256", "context")} for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{file} cannot be read as query contexts: {error}") from None


def _text(structure: Any) -> str:
    return structure if isinstance(structure, str) else json.dumps(structure, ensure_ascii=False)


_MOST_DURATIONS = 5


def read_durations(path: Path) -> dict[str, Sequence[int]]:
    """Read each city's most common trip lengths in days, with the most common length first.

    The CSV file has the columns city, days and count. Raises SettingsError if a line is wrong.
    """
    counts: dict[str, dict[int, int]] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for number, row in enumerate(csv.DictReader(file), 2):
                try:
                    city_id = find_city(row["city"]).city_id
                    days, count = int(row["days"]), int(row["count"])
                except (KeyError, TypeError, ValueError, UnknownCityError) as error:
                    raise SettingsError(
                        f"{path}, line {number}: {error}; each line needs the columns city, days "
                        "and count"
                    ) from None
                if days < 1 or count < 0:
                    raise SettingsError(
                        f"{path}, line {number}: days must be at least 1, and count must be at "
                        "least 0"
                    )
                by_days = counts.setdefault(city_id, {})
                by_days[days] = by_days.get(days, 0) + count
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read as CSV: {error}") from None
    return {
        city_id: tuple(sorted(by_days, key=lambda d: (-by_days[d], d))[:_MOST_DURATIONS])
        for city_id, by_days in counts.items()
    }
