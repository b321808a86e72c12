"""Read CSV, JSON lists, JSONL and Parquet into source rows; every error names the exact place.

An unusable file raises TableError; an unusable row is passed on as broken, so that the rest can go
on. Blank lines do not count as rows. The ``line`` of a Parquet row is its number, counted from 1.
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

#: Byte-order marks; UTF-32's begins like UTF-16's and is asked for first.
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"), (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"),
)  # fmt: skip
#: How files begin that are no text, what they are, and what to do.
_NO_TEXT = (
    (b"PK\x03\x04", "a zip archive or a spreadsheet: unpack it, or save it as CSV UTF-8"),
    (b"\x1f\x8b", "a gzip file: unpack it"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet: save it as CSV UTF-8"),
    (b"PAR1", "a Parquet file: map it with format: parquet"),
    (b"%PDF-", "a PDF: export the table as CSV"),
)
_GUESSED_BYTES = 65_536
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_BATCH_ROWS = 10_000


def read_text(directory: Path, file: str, encoding: str | None = None) -> str:
    """A file's text in the encoding, without its byte-order mark. Raises TableError.

    Where none is stated: what a byte-order mark says (UTF-8, UTF-16, UTF-32), else UTF-8.
    """
    path = directory / file
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise TableError(
            f"{path}: the file does not exist; add it or choose another folder"
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
        hint = "save the file as UTF-8, or map it and state its encoding"
        raise TableError(
            f"{path}:{line}: not {stated.upper()}{_guess_encoding(raw)}; {hint}"
        ) from None


def _guess_encoding(raw: bytes) -> str:
    """A guess at the encoding of bytes that are not what they should be."""
    # Only for pages that do not say how they are encoded.
    import charset_normalizer

    best = charset_normalizer.from_bytes(raw[:_GUESSED_BYTES]).best()
    return "" if best is None else f", it looks like {best.encoding}"


def read_csv(
    directory: Path,
    file: str,
    required: Sequence[str],
    one_of: Sequence[str] = (),
    delimiter: str = ",",
    encoding: str | None = None,
) -> list[SourceRow]:
    """Rows of a CSV file with a header that has the ``required`` columns and ``one_of`` others.

    Raises TableError for a wrong delimiter or header.
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
            f"{where}: column {', '.join(missing)} is missing; the header has {', '.join(header)}"
        )
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise TableError(f"{where}: column {', '.join(twice)} appears twice; rename one")


def _csv_row(
    file: str, header: list[str], line: int, cells: list[str], broken: str | None
) -> SourceRow:
    if broken is None and len(cells) != len(header):
        broken = f"{len(cells)} cells where the header has {len(header)}"
    if broken is not None:
        return SourceRow(file, line, {"cells": ",".join(cells)}, broken)
    return SourceRow(file, line, dict(zip(header, cells, strict=True)))


def _records(lines: list[str], delimiter: str) -> Iterator[tuple[int, list[str], str | None]]:
    """First line, cells and complaint of each record.

    A quote that never closes would swallow the lines after it, so a record of several lines that
    cannot be read, or has another width than the header, is cut back to its first line.
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
    """A JSON document. Raises TableError with line and column where it is cut or garbled."""
    text = read_text(directory, file)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place, complaint = f":{error.lineno}:{error.colno}", error.msg
    except (ValueError, RecursionError) as error:
        place, complaint = "", str(error)
    raise TableError(f"{directory / file}{place}: not JSON ({complaint}); is the file complete?")


def read_json_list(directory: Path, file: str, required: Sequence[str]) -> list[SourceRow]:
    """Objects of a JSON list; ``line`` is the element's number. Raises TableError."""
    elements = read_json(directory, file)
    if not isinstance(elements, list):
        raise TableError(f"{directory / file}:1: a list of objects is expected")
    rows = [_object_row(file, n, element, required) for n, element in enumerate(elements, 1)]
    _check_keys(directory / file, rows)
    return rows


def read_jsonl(
    directory: Path, file: str, required: Sequence[str], encoding: str | None = None
) -> list[SourceRow]:
    """Objects of a JSONL file; a line that cannot be read is a broken row. Raises TableError."""
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
            file, line, {"element": json.dumps(element, ensure_ascii=False)}, "no object"
        )
    cells = {str(key): cell_text(value) for key, value in element.items()}
    missing = [key for key in required if key not in cells]
    return SourceRow(file, line, cells, f"{', '.join(missing)} is missing" if missing else None)


def cell_text(value: Any) -> str:
    """A value of JSON or Parquet as the text of a cell; lists are joined by ``|``."""
    if value is None:
        return ""
    if isinstance(value, list):
        return "|".join(cell_text(item) for item in value)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return str(value)


def _check_keys(path: Path, rows: list[SourceRow]) -> None:
    """A file in which not one row can be read is a wrong file."""
    if rows and all(row.broken is not None for row in rows):
        first = rows[0]
        raise TableError(
            f"{path}:{first.line}: {first.broken}, and the same is wrong in every row."
            " Is it the right file?"
        )


def open_parquet(directory: Path, file: str) -> pq.ParquetFile:
    """The file. Raises TableError where it is none, is cut short, or is not there."""
    path = directory / file
    try:
        return pq.ParquetFile(path)
    except FileNotFoundError:
        raise TableError(f"{path}: no such file; add it or choose another folder") from None
    except (pa.ArrowException, OSError) as error:
        raise TableError(
            f"{path}: not a Parquet file ({str(error)[:120]}); is it complete?"
        ) from None


def records(
    directory: Path, file: str, wanted: Sequence[str]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Number and values of each row, of the ``wanted`` columns that there are.

    Raises TableError for a file that breaks off.
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
            f"{directory / file}:{number + 1}: the file is cut off ({str(error)[:120]})"
        ) from None


def check_types(directory: Path, file: str, types: dict[str, Sequence[str]]) -> None:
    """Raises TableError that names the first column that is missing or of none of its types."""
    schema = open_parquet(directory, file).schema_arrow
    for name, allowed in types.items():
        if name not in schema.names:
            raise TableError(
                f"{directory / file}: column {name} is missing; the file has"
                f" {', '.join(schema.names)}"
            )
        found = str(schema.field(name).type)
        if allowed and not any(found.startswith(kind) for kind in allowed):
            raise TableError(
                f"{directory / file}: column {name} is {found}, expected {' or '.join(allowed)}"
            )


def read_parquet(directory: Path, file: str, required: Sequence[str]) -> list[SourceRow]:
    """Rows with the columns as text. Raises TableError for a missing or nested column."""
    schema = open_parquet(directory, file).schema_arrow
    check_types(directory, file, dict.fromkeys(required, ()))
    for name in required:
        if pa.types.is_struct(schema.field(name).type) or pa.types.is_map(schema.field(name).type):
            raise TableError(
                f"{directory / file}: column {name} is {schema.field(name).type}, one value is"
                " expected"
            )
    return [
        SourceRow(file, number, {name: cell_text(value) for name, value in record.items()})
        for number, record in records(directory, file, schema.names)
    ]
