"""Read the query files that a user gives, recognise their form, and sort the queries by city."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from flows.errors import SettingsError
from queries.given.cities import KnownCities
from queries.given.forms import (
    FORMS,
    TEXT_FIELDS,
    QueryEntry,
    RefusedEntry,
    entry_of,
    objects_of,
    text_entry,
)
from queries.given.understand import city_of
from schemas.cities import City

_SUFFIXES = (".jsonl", ".parquet", ".json", ".csv", ".tsv", ".txt")
_PARQUET = b"PAR1"
#: Files without queries that `tripbed queries build` writes.
_BESIDE = ("contexts.jsonl", "quarantine.jsonl", "report.json")


@dataclass(frozen=True)
class RejectedQuery:
    """A row in a query file that a build cannot use, with the reason."""

    entry: QueryEntry
    check: str
    message: str


@dataclass(frozen=True)
class GivenQueries:
    """The rows from query files: those for each city in the build, and the rejected rows."""

    by_city: Mapping[str, tuple[QueryEntry, ...]] = field(default_factory=dict)
    rejected: tuple[RejectedQuery, ...] = ()

    def of(self, city: City) -> tuple[QueryEntry, ...]:
        """Return the rows for a city."""
        return self.by_city.get(city.city_id, ())

    @property
    def total(self) -> int:
        """The number of rows in all files."""
        return len(self.rejected) + sum(map(len, self.by_city.values()))


def read_given(paths: Sequence[Path], cities: Sequence[City]) -> GivenQueries:
    """Read every row in the files, and either assign it to a city in the build or reject it.

    Raises SettingsError if a file cannot be read or has none of the known forms.
    """
    known = KnownCities(tuple(cities))
    by_city: dict[str, list[QueryEntry]] = defaultdict(list)
    rejected: list[RejectedQuery] = []
    for entry in _entries(paths):
        try:
            by_city[city_of(entry, known).city_id].append(entry)
        except RefusedEntry as error:
            rejected.append(RejectedQuery(entry, error.check, str(error)))
    return GivenQueries(
        {city_id: tuple(rows) for city_id, rows in sorted(by_city.items())}, tuple(rejected)
    )


def _entries(paths: Sequence[Path]) -> Iterator[QueryEntry]:
    names: Counter[str] = Counter()
    for path in paths:
        for file in _files(path):
            name = file.relative_to(path).as_posix() if path.is_dir() else file.name
            names[name] += 1
            yield from read_entries(file, name if names[name] == 1 else f"{name} ({names[name]})")


def _files(path: Path) -> list[Path]:
    """List the query files at a path.

    A folder that `tripbed queries build` wrote contains only one query file, ``queries.jsonl``.
    """
    if not path.exists():
        raise SettingsError(f"--queries {path}: no such file or folder")
    if path.is_file():
        return [path]
    if (path / "queries.jsonl").is_file():
        return [path / "queries.jsonl"]
    files = sorted(
        p for p in path.rglob("*") if p.suffix.lower() in _SUFFIXES and p.name not in _BESIDE
    )
    if not files:
        raise SettingsError(
            f"--queries {path}: this folder contains no file whose name ends in"
            f" {', '.join(_SUFFIXES)}"
        )
    return files


def read_entries(file: Path, name: str) -> list[QueryEntry]:
    """Read the rows in a file of any known form. Raises SettingsError if the file cannot be
    read.
    """
    try:
        content = file.read_bytes()
    except OSError as error:
        raise SettingsError(f"--queries {file} cannot be read: {error.strerror}") from None
    found = list(_recognise(file, name, content))
    if found and all(entry.fault for entry in found):
        raise SettingsError(
            f"--queries {file} contains no queries: its first row {found[0].fault}."
            f" {_tell_understood()}"
        )
    if not found:
        raise SettingsError(f"--queries {file} is empty. {_tell_understood()}")
    return found


def _recognise(file: Path, name: str, content: bytes) -> Iterable[QueryEntry]:
    if content.startswith(_PARQUET):
        return _rows(name, _parquet(file), 1)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"--queries {file} is not UTF-8 text (byte {error.start}): save it as UTF-8."
            f" {_tell_understood()}"
        ) from None
    if text.lstrip()[:1] in ("{", "["):
        return _json(file, name, text)
    comma = "\t" if "\t" in text.split("\n", 1)[0] else ","
    header = next(csv.reader(io.StringIO(text), delimiter=comma), [])
    if _is_header(header) or file.suffix.lower() in (".csv", ".tsv"):
        return _csv(file, name, text, comma, header)
    return [
        text_entry(name, n, line.strip())
        for n, line in enumerate(text.splitlines(), 1)
        if line.strip() or file.suffix == ".lines"
    ]


def _is_header(cells: Sequence[str]) -> bool:
    known = {*TEXT_FIELDS, "destinations", "destination", "start_city"}
    return len({cell.strip() for cell in cells} & known) > 0


def _csv(
    file: Path, name: str, text: str, comma: str, header: Sequence[str]
) -> Iterable[QueryEntry]:
    if not _is_header(header):
        raise SettingsError(
            f"--queries {file}, line 1: none of the columns ({', '.join(header[:8])}) has a known"
            f" name: the column that contains the queries must be named 'text'."
            f" {_tell_understood()}"
        )
    reader = csv.DictReader(io.StringIO(text), delimiter=comma)
    return [
        entry_of(
            name,
            reader.line_num,
            {
                str(k).strip(): v.strip()
                for k, v in row.items()
                if k is not None and isinstance(v, str)
            },
        )
        for row in reader
    ]


def _json(file: Path, name: str, text: str) -> Iterable[QueryEntry]:
    try:
        return _rows(name, objects_of(json.loads(text)), 1)
    except json.JSONDecodeError as whole:
        lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
        try:
            parsed = [(n, json.loads(line)) for n, line in lines]
        except json.JSONDecodeError as error:
            at = whole if len(lines) < 2 or not lines[0][1].rstrip().endswith("}") else error
            raise SettingsError(
                f"--queries {file} cannot be read as JSON: {at}. {_tell_understood()}"
            ) from None
        return [entry_of(name, n, value) for n, value in parsed]


def _rows(name: str, objects: Iterable[Any], first: int) -> list[QueryEntry]:
    return [entry_of(name, number, value) for number, value in enumerate(objects, first)]


def _parquet(file: Path) -> list[dict[str, Any]]:
    try:
        return pl.read_parquet(file).to_dicts()
    except pl.exceptions.PolarsError as error:
        raise SettingsError(f"--queries {file} cannot be read as Parquet: {error}") from None


def _tell_understood() -> str:
    return "Accepted forms: " + "; ".join(FORMS.values())
