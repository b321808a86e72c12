"""Read CSV, JSON, JSONL and Parquet files into source rows; each error names the file and the line.

If a file cannot be read, TableError is raised. A row that cannot be read becomes a broken row, so
that the other rows can still be used. Blank lines are ignored. The ``line`` of a Parquet row is the
row's number, counted from 1.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sources.tables.intake import SourceRow, TableError

#: Byte-order marks. The mark of UTF-32 begins like that of UTF-16, so it is tried first.
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"), (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"),
)  # fmt: skip
#: First bytes of files that are not text, what such a file is, and what the user can do.
_NO_TEXT = (
    (b"PK\x03\x04", "a zip archive or a spreadsheet: unpack it, or save it as CSV UTF-8"),
    (b"\x1f\x8b", "a gzip file: unpack it"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet: save it as CSV UTF-8"),
    (b"PAR1", "a Parquet file: name it in mapping.yaml, with format: parquet"),
    (b"%PDF-", "a PDF: export the table as CSV"),
)
_GUESSED_BYTES = 65_536
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_BATCH_ROWS = 10_000


def read_text(directory: Path, file: str, encoding: str | None = None) -> str:
    """Read the text of a file without the byte-order mark.

    If no encoding is given, the byte-order mark determines it; without a mark, the file is read as
    UTF-8. Raises TableError if the file does not exist, is not text, or cannot be decoded.
    """
    path = directory / file
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise TableError(
            f"{path}: the file does not exist; add the file or choose a different folder"
        ) from None
    if what := next((what for begins, what in _NO_TEXT if raw.startswith(begins)), None):
        raise TableError(f"{path}:1: this is not text but {what}")
    stated = encoding or next((name for mark, name in _MARKS if raw.startswith(mark)), "utf-8")
    try:
        return raw.decode(stated).removeprefix("\ufeff")
    except LookupError:
        raise TableError(f"{path}: there is no encoding called {stated!r}") from None
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        hint = "save the file as UTF-8, or state its encoding in mapping.yaml"
        raise TableError(
            f"{path}:{line}: not {stated.upper()}{_guess_encoding(raw)}; {hint}"
        ) from None


def _guess_encoding(raw: bytes) -> str:
    """Guess the encoding of bytes that cannot be decoded; return the guess in a form that fits
    into a message.
    """
    # Imported here because only files in an unexpected encoding need it.
    import charset_normalizer

    best = charset_normalizer.from_bytes(raw[:_GUESSED_BYTES]).best()
    return "" if best is None else f" (it looks like {best.encoding})"


def read_csv(
    directory: Path,
    file: str,
    required: Sequence[str],
    one_of: Sequence[str] = (),
    delimiter: str = ",",
    encoding: str | None = None,
) -> list[SourceRow]:
    """Read the rows in a CSV file.

    The header must have all ``required`` columns and at least one of the columns in ``one_of``.
    Raises TableError if required columns are missing, or if the file is empty or cannot be read.
    """
    lines = list(io.StringIO(read_text(directory, file, encoding), newline=""))
    records = _records(lines, delimiter)
    first = next(records, None)
    if first is None:
        raise TableError(f"{directory / file}:1: the file is empty; it needs a header line")
    line, header, broken = first
    _check_header(f"{directory / file}:{line}", header, broken, required, one_of, delimiter)
    return [_csv_row(file, header, *record) for record in records]


def _check_header(
    where: str,
    header: list[str],
    broken: str | None,
    required: Sequence[str],
    one_of: Sequence[str],
    delimiter: str,
) -> None:
    header[:] = [name.strip() for name in header]
    if broken is not None:
        raise TableError(f"{where}: the header cannot be read ({broken})")
    missing = [name for name in required if name not in header]
    if one_of and not set(one_of) & set(header):
        missing.append(" or ".join(one_of))
    for other, words in _DELIMITERS.items():
        if missing and len(header) == 1 and other != delimiter and other in header[0]:
            wanted = _DELIMITERS.get(delimiter, repr(delimiter))
            raise TableError(f"{where}: columns are separated by {words}; use {wanted}")
    if missing:
        raise TableError(
            f"{where}: column {', '.join(missing)} is missing; the header contains"
            f" {', '.join(header)}"
        )
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise TableError(f"{where}: column {', '.join(twice)} appears twice; rename one of them")


def _csv_row(
    file: str, header: list[str], line: int, cells: list[str], broken: str | None
) -> SourceRow:
    if broken is None and len(cells) != len(header):
        broken = f"{len(cells)} cells where the header has {len(header)}"
    if broken is not None:
        return SourceRow(file, line, {"cells": ",".join(cells)}, broken)
    return SourceRow(file, line, dict(zip(header, cells, strict=True)))


def _records(lines: list[str], delimiter: str) -> Iterator[tuple[int, list[str], str | None]]:
    """Yield the line number and the cells of each CSV record and, if the record cannot be read, the
    error.

    An unclosed quotation mark makes all later lines part of the same record. A record of several
    lines is therefore cut back to its first line if it cannot be read, or if it has the wrong
    number of cells.
    """
    start, width = 0, None
    while start < len(lines):
        reader = csv.reader(islice(lines, start, None), strict=True, delimiter=delimiter)
        consumed = 0
        try:
            for cells in reader:
                line, consumed_now = start + consumed + 1, reader.line_num
                if width not in (None, len(cells)) and consumed_now > consumed + 1:
                    raise csv.Error("a quote is not closed")
                consumed = consumed_now
                if len(cells) > 1 or "".join(cells).strip():
                    width = width or len(cells)
                    yield line, cells, None
            return
        except csv.Error as error:
            broken = lines[start + consumed].rstrip("\r\n")
            yield start + consumed + 1, [broken], f"not a CSV row: {error}"
            start += consumed + 1


def read_json(directory: Path, file: str) -> Any:
    """Read a JSON document.

    Raises TableError, with line and column, if the text is not valid JSON.
    """
    text = read_text(directory, file)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place, complaint = f":{error.lineno}:{error.colno}", error.msg
    except (ValueError, RecursionError) as error:
        place, complaint = "", str(error)
    raise TableError(
        f"{directory / file}{place}: not JSON ({complaint}); check that the file is complete"
    )


def read_json_list(directory: Path, file: str, required: Sequence[str]) -> list[SourceRow]:
    """Read the objects in a JSON list; the ``line`` of a row is the row's position in the list.

    Raises TableError if the document is not a list, or if every row lacks a required key.
    """
    elements = read_json(directory, file)
    if not isinstance(elements, list):
        raise TableError(f"{directory / file}:1: the file must contain a list of objects")
    rows = [_object_row(file, n, element, required) for n, element in enumerate(elements, 1)]
    _check_keys(directory / file, rows)
    return rows


def read_jsonl(
    directory: Path, file: str, required: Sequence[str], encoding: str | None = None
) -> list[SourceRow]:
    """Read the objects in a JSONL file; a line that cannot be read becomes a broken row.

    Raises TableError if no row in the file can be read.
    """
    rows = []
    for line, text in enumerate(read_text(directory, file, encoding).split("\n"), 1):
        if not text.strip():
            continue
        try:
            rows.append(_object_row(file, line, json.loads(text), required))
        except (ValueError, RecursionError) as error:
            rows.append(SourceRow(file, line, {"line": text.strip()}, f"not JSON: {error}"))
    _check_keys(directory / file, rows)
    return rows


def _object_row(file: str, line: int, element: Any, required: Sequence[str]) -> SourceRow:
    if not isinstance(element, dict):
        return SourceRow(
            file,
            line,
            {"element": json.dumps(element, ensure_ascii=False)},
            "not an object with fields",
        )
    cells = {str(key): cell_text(value) for key, value in element.items()}
    missing = [key for key in required if key not in cells]
    return SourceRow(file, line, cells, f"{', '.join(missing)} is missing" if missing else None)


def cell_text(value: Any) -> str:
    """Return a value from JSON or Parquet as the text of a cell; list items are joined by ``|``."""
    if value is None:
        return ""
    if isinstance(value, list):
        return "|".join(cell_text(item) for item in value)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return str(value)


def _check_keys(path: Path, rows: list[SourceRow]) -> None:
    """Raise TableError if no row of a file can be read, because it is probably the wrong file."""
    if rows and all(row.broken is not None for row in rows):
        first = rows[0]
        raise TableError(
            f"{path}:{first.line}: {first.broken}. No row can be read, so check that this is the "
            "right file."
        )


def open_parquet(directory: Path, file: str) -> pq.ParquetFile:
    """Open a Parquet file. Raises TableError if the file does not exist or is not valid Parquet."""
    path = directory / file
    try:
        return pq.ParquetFile(path)
    except FileNotFoundError:
        raise TableError(
            f"{path}: the file does not exist; add the file or choose a different folder"
        ) from None
    except (pa.ArrowException, OSError) as error:
        raise TableError(
            f"{path}: not a Parquet file ({str(error)[:120]}); check that it is complete"
        ) from None


def records(
    directory: Path, file: str, wanted: Sequence[str]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the values of each row in a Parquet file, with the number of the row, counted from 1.

    Only the ``wanted`` columns are read; those that the file does not have are left out. Raises
    TableError if the file is truncated.
    """
    opened = open_parquet(directory, file)
    columns = [name for name in wanted if name in opened.schema_arrow.names]
    number = 0
    try:
        for batch in opened.iter_batches(batch_size=_BATCH_ROWS, columns=columns):
            for record in batch.to_pylist():
                number += 1
                yield number, record
    except (pa.ArrowException, OSError) as error:
        raise TableError(
            f"{directory / file}:{number + 1}: the file is damaged from here on"
            f" ({str(error)[:120]}); fetch or create it again"
        ) from None


def check_types(directory: Path, file: str, types: dict[str, Sequence[str]]) -> None:
    """Check the columns of a Parquet file; the name of each column's type must begin with one of
    the names that ``types`` gives for the column.

    Raises TableError for the first column that is missing or has the wrong type.
    """
    schema = open_parquet(directory, file).schema_arrow
    for name, allowed in types.items():
        if name not in schema.names:
            raise TableError(
                f"{directory / file}: column {name} is missing; the file has the columns "
                f"{', '.join(schema.names)}"
            )
        found = str(schema.field(name).type)
        if allowed and not any(found.startswith(kind) for kind in allowed):
            raise TableError(
                f"{directory / file}: column {name} has the type {found}, but the type must be "
                f"{' or '.join(allowed)}"
            )


def read_parquet(directory: Path, file: str, required: Sequence[str]) -> list[SourceRow]:
    """Read the rows in a Parquet file, with all values as text.

    Raises TableError if a required column is missing or nested.
    """
    schema = open_parquet(directory, file).schema_arrow
    check_types(directory, file, dict.fromkeys(required, ()))
    for name in required:
        if pa.types.is_struct(schema.field(name).type) or pa.types.is_map(schema.field(name).type):
            raise TableError(
                f"{directory / file}: column {name} has the type {schema.field(name).type}, but a "
                "cell must be a single value"
            )
    return [
        SourceRow(file, number, {name: cell_text(value) for name, value in record.items()})
        for number, record in records(directory, file, schema.names)
    ]
