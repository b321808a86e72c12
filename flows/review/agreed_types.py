"""Assign to a build's rows the attraction types that annotators agreed on or a reviewer chose.

A profile names the files of annotations (``attractions.types``). The files are those that ``tripbed
tables annotate`` writes to ``--out``, and the file for ``--review`` after a person has completed
it. A type is applied only if the source still has the same name on the same line. The line of the
annotation is the evidence for the type.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from flows.csv_files import read_csv, write_csv
from flows.errors import SettingsError
from schemas.cities import City
from schemas.taxonomy import BASE_TYPES, TREND_TYPES, codes
from sources.tables.tags import category_of

Row = Mapping[str, Any]
#: The folder that evidence names for files of annotations.
FOLDER = "annotations"
#: The columns of a file of open questions. A reviewer fills in the last three.
OPEN = (
    "city",
    "source_file",
    "source_line",
    "name",
    "said",
    "base_type",
    "trend_types",
    "reviewer",
)
#: The statuses with which a type is applied.
DECIDED = ("agreed", "adjudicated", "reviewed")
_BASES, _TRENDS = frozenset(codes(BASE_TYPES)), frozenset(codes(TREND_TYPES))


@dataclass(frozen=True)
class Annotation:
    """The types that were annotated for one row in a source, and the line of the annotation."""

    name: str
    status: str
    base_type: str | None
    trend_types: tuple[str, ...]
    file: str
    line: int


#: Annotations by the city's slug, and the file and line of the source's row.
Annotations = dict[tuple[str, str, int], Annotation]


def check_annotations(files: Sequence[str]) -> None:
    """Check files of annotations. Raises SettingsError if a file is missing or cannot be read."""
    read_annotations(files)


def annotations_hash(files: Sequence[str]) -> str:
    """Return a hash of the contents of files. The hash depends on the order of the files."""
    parts = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files]
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:32]


def read_annotations(files: Sequence[str]) -> Annotations:
    """Read annotations by row. Annotations in a later file replace those in an earlier file.

    Raises SettingsError if a file is missing or cannot be read.
    """
    found: Annotations = {}
    for file in files:
        path = Path(file)
        if not path.is_file():
            raise SettingsError(f"attractions.types: the file {file} does not exist")
        for line, row in _from_csv(path) if path.suffix == ".csv" else _from_lines(path):
            key, made = _annotation(row, path, line)
            if made.status in DECIDED or key not in found:
                found[key] = made
    return found


def _from_lines(path: Path) -> Iterator[tuple[int, Row]]:
    try:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip():
                yield number, json.loads(line)
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} is not a file of annotations: {error}") from None


def _from_csv(path: Path) -> Iterator[tuple[int, Row]]:
    columns, rows = read_csv(path)
    if missing := sorted(set(OPEN) - set(columns)):
        raise SettingsError(
            f"{path} is not a file of open questions: the column {missing[0]} is missing"
        )
    for line, row in enumerate(rows, 2):
        if (row["reviewer"] or "").strip():
            trends = [part.strip() for part in (row["trend_types"] or "").split(",")]
            yield line, {**row, "status": "reviewed", "trend_types": [t for t in trends if t]}


def _annotation(row: Row, path: Path, line: int) -> tuple[tuple[str, str, int], Annotation]:
    where = f"{path}, line {line}"
    try:
        key = str(row["city"]), str(row["source_file"]), int(row["source_line"])
        trends = tuple(sorted(row["trend_types"]))
        made = Annotation(
            str(row["name"]), str(row["status"]), (row["base_type"] or "").strip() or None, trends,
            f"{FOLDER}/{path.name}", line,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SettingsError(f"{where} is not an annotation of a row: {error!r}") from None
    unknown = [made.base_type] if made.base_type and made.base_type not in _BASES else []
    unknown += [code for code in trends if code not in _TRENDS]
    if unknown:
        raise SettingsError(f"{where}: {unknown[0]!r} is not a type of the taxonomy")
    return key, made


def with_types(
    attractions: pl.DataFrame, city: City, annotations: Annotations
) -> tuple[pl.DataFrame, list[dict[str, Any]]]:
    """Return the rows with the decided types, and a finding for each annotation.

    A category that was derived from the old type is also removed. A row that still needs a review
    keeps the types from its source.
    """
    rows: list[dict[str, Any]] = []
    findings: list[dict[str, Any]] = []
    for row in attractions.to_dicts():
        said = annotations.get((city.slug, row["source_file"], row["source_line"]))
        if said is not None:
            findings.append(_finding(row, said))
        is_typed = said is not None and findings[-1]["kind"] == "types_annotated"
        rows.append({**row, **_type_row(row, said)} if said is not None and is_typed else row)
    return pl.DataFrame(rows, schema=attractions.schema, orient="row"), findings


def _type_row(row: Row, said: Annotation) -> dict[str, Any]:
    derived = category_of(row["name_zh"], row["name_en"], row["base_type"])
    return {
        "base_type": said.base_type,
        "trend_types": list(said.trend_types),
        "category": None if row["category"] == derived else row["category"],
        "types_file": said.file,
        "types_line": said.line,
    }


def _finding(row: Row, said: Annotation) -> dict[str, Any]:
    name = str(row["name_zh"] or row["name_en"])
    if name != said.name:
        kind, message = "types_stale", f"the row is now {name}, not {said.name}"
    elif said.status not in DECIDED:
        kind, message = "types_in_review", f"the annotators differ on {name}"
    else:
        kind, message = "types_annotated", f"{name} is {said.base_type or 'of no known type'}"
    return {
        "kind": kind, "table": "attractions", "source_file": row["source_file"],
        "source_line": row["source_line"],
        "severity": "fix" if kind == "types_annotated" else "mark", "message": message,
    }  # fmt: skip


def write_open(rows: Iterable[Row], annotators: Sequence[str], target: Path) -> int:
    """Write the rows that need review to a CSV file for reviewers, and return their number."""
    asked = []
    for row in (row for row in rows if row["status"] == "review"):
        said = [
            f"{who}: {', '.join(row[f'by_{who}'] or ['-'])}"
            for who in dict.fromkeys([*annotators, "source"])
            if f"by_{who}" in row
        ]
        asked.append({**row, "said": "; ".join(said), "base_type": None, "trend_types": None})
    target.parent.mkdir(parents=True, exist_ok=True)
    write_csv(target, OPEN, asked, to_edit=True)
    return len(asked)
