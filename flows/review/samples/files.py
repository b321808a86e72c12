"""Write sample files for reviewers, and read their verdicts back.

A reviewer should not see which rows are planted. ``key`` is therefore an HMAC of two values: the
row's number, and whether the row is planted. The HMAC's key is the sample's id. The score compares
``key`` with both possible HMACs, so it needs no snapshot. ``row_id`` is in base64, because an id
may reveal the content of a planted row before it was changed. A reviewer who decodes ``key`` and
``row_id`` can still find the planted rows.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.console import write_json_lines
from flows.csv_files import read_csv, write_csv
from flows.errors import SettingsError
from schemas.cells import without_apostrophe

#: The columns: first those that a reviewer reads and fills in, and then those for the score.
COLUMNS = (
    "number", "claim", "passage", "place", "document", "verdict", "remark", "reader", "city",
    "row_id", "sample", "key",
)  # fmt: skip
VERDICTS = ("right", "wrong", "unsure")
_NEEDED = ("number", "claim", "verdict", "city", "row_id", "sample", "key")
_SUFFIXES = (".csv", ".jsonl")


@dataclass(frozen=True)
class JudgedRow:
    """A row in a sample, with a reviewer's verdict."""

    number: int
    city: str
    row_id: str
    claim: str
    verdict: str
    remark: str
    planted: bool


@dataclass(frozen=True)
class ReaderVerdicts:
    """The verdicts of one reviewer on a whole sample, sorted by row number."""

    reader: str
    file: Path
    sample: str
    rows: tuple[JudgedRow, ...]


def check_form(path: Path) -> None:
    """Check the suffix of a sample file. Raises SettingsError if the suffix is neither .csv nor
    .jsonl.
    """
    if path.suffix.lower() not in _SUFFIXES:
        raise SettingsError(
            f"{path}: the name of a sample file must end in {' or '.join(_SUFFIXES)}"
        )


def key_of(sample: str, number: int, planted: bool) -> str:
    """Return a key for a row in a sample. The key depends on whether the row is planted."""
    told = f"{number}:{'planted' if planted else 'drawn'}"
    # The letter stops spreadsheets from reading digits with an "e" as a number.
    return f"k{hmac.new(sample.encode(), told.encode(), hashlib.sha256).hexdigest()[:16]}"


def hide_id(row_id: str) -> str:
    """Return a row's id in base64, so that it cannot be read at a glance."""
    return base64.urlsafe_b64encode(row_id.encode()).decode()


def write_rows(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Write rows to a CSV or JSON lines file, according to its suffix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix.lower() == ".jsonl":
        write_json_lines(rows, path)
    else:
        write_csv(path, COLUMNS, rows, to_edit=True)


def read_reading(path: Path) -> ReaderVerdicts:
    """Read a file with a reviewer's verdicts.

    Raises SettingsError if the file is not a completed sample; the message names the row.
    """
    check_form(path)
    rows = list(_of_lines(path) if path.suffix.lower() == ".jsonl" else _of_csv(path))
    sample = _only(path, "sample", rows)
    judged = sorted((_read_verdict(path, sample, row) for row in rows), key=lambda row: row.number)
    _check_whole(path, sample, judged)
    return ReaderVerdicts(_only(path, "reader", rows) or path.stem, path, sample, tuple(judged))


def _of_csv(path: Path) -> list[dict[str, str]]:
    columns, rows = read_csv(path)
    _check_columns(path, columns)
    return [{k: without_apostrophe((v or "").strip()) for k, v in row.items() if k} for row in rows]


def _of_lines(path: Path) -> Iterator[dict[str, str]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line) if line.strip() else None
        except ValueError:
            row = line
        if isinstance(row, dict):
            _check_columns(path, row)
            yield {k: "" if v is None else str(v).strip() for k, v in row.items()}
        elif row is not None:
            raise SettingsError(f"{path}, line {number}: not a JSON object")


def _check_columns(path: Path, columns: Any) -> None:
    if missing := [name for name in _NEEDED if name not in columns]:
        raise SettingsError(
            f"{path} is not a sample: the column {missing[0]} is missing. Fill in a file that"
            " `tripbed review sample` wrote, and keep its columns (CSV with commas, UTF-8)"
        )


def _only(path: Path, column: str, rows: list[dict[str, str]]) -> str:
    """Return the only value of a column, or an empty string if the column has no value."""
    values = sorted({row.get(column, "") for row in rows} - {""})
    if len(values) > 1:
        raise SettingsError(
            f"{path}: the column {column} has more than one value ({', '.join(values[:3])}): a "
            "file must contain only one reviewer's verdicts on one sample"
        )
    return values[0] if values else ""


def _read_verdict(path: Path, sample: str, row: dict[str, str]) -> JudgedRow:
    where = f"{path}, row {row['number']}"
    number = int(row["number"]) if row["number"].isdecimal() else 0
    planted = [value for value in (False, True) if key_of(sample, number, value) == row["key"]]
    try:
        row_id = base64.b64decode(row["row_id"], altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeError):
        planted, row_id = [], ""
    if not planted:
        raise SettingsError(
            f"{where}: the value of number, row_id, sample or key was changed: copy all four values"
            " from the original file"
        )
    verdict = row["verdict"].casefold()
    if verdict not in VERDICTS:
        said = f"{row['verdict']!r} is not a verdict" if verdict else "the verdict is missing"
        raise SettingsError(f"{where}: {said}; use one of {', '.join(VERDICTS)}")
    return JudgedRow(
        number, row["city"], row_id, row["claim"], verdict, row.get("remark", ""), planted[0]
    )


def _check_whole(path: Path, sample: str, judged: list[JudgedRow]) -> None:
    """Check that every row in the sample occurs exactly once. The sample's id contains the number
    of rows."""
    if not judged:
        raise SettingsError(
            f"{path} has no rows: fill in a file that `tripbed review sample` wrote"
        )
    counted = Counter(row.number for row in judged)
    if twice := [number for number, count in counted.items() if count > 1]:
        raise SettingsError(f"{path}: row {twice[0]} appears twice")
    missing = [n for n in range(1, int(sample.split("/")[2]) + 1) if n not in counted]
    if missing:
        told = ", ".join(map(str, missing[:5]))
        raise SettingsError(
            f"{path}: {len(missing)} rows are missing ({told}); a reviewer must give a verdict "
            "on every row"
        )
