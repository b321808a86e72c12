"""Parquet files as source rows; ``line`` is the row's number in the file, counted from 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sources.tables.files import cell_text
from sources.tables.intake import SourceRow, TableError

_BATCH_ROWS = 10_000


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
