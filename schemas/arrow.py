"""Makes Arrow and Polars schemas from the table definitions, and data frames with these schemas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import polars as pl
import pyarrow as pa

from schemas.fields import field_metadata
from schemas.tables import SCHEMA_VERSION, TABLES, Table


@cache
def arrow_schema(table: str) -> pa.Schema:
    """Return the Arrow schema of a table; fields have descriptions, units and codes as metadata."""
    return arrow_schema_of(TABLES[table])


def arrow_schema_of(definition: Table) -> pa.Schema:
    """Make the Arrow schema from a table definition."""
    return pa.schema(
        [
            pa.field(
                field.name,
                field.type,
                nullable=field.name in definition.nullable,
                metadata=field_metadata(field),
            )
            for field in definition.fields
        ],
        metadata={
            "table": definition.name,
            "description": definition.description,
            "key": ",".join(definition.key),
            "schema_version": SCHEMA_VERSION,
        },
    )


def polars_schema(table: str) -> pl.Schema:
    """Return the Polars schema of a table."""
    return polars_schema_of(TABLES[table])


@cache
def polars_schema_of(definition: Table) -> pl.Schema:
    """Make the Polars schema from a table definition."""
    return pl.Schema(arrow_schema_of(definition))


def frame(table: str, rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Make a frame of rows with the table's columns and types, sorted by the table's key.

    Missing values become null. Raises ValueError if a row has a column that is not in the table.
    """
    rows = list(rows)
    schema = polars_schema(table)
    unknown = {key for row in rows for key in row} - set(schema)
    if unknown:
        raise ValueError(f"the table {table} has no column {', '.join(sorted(unknown))}")
    return sort_by_key(table, pl.DataFrame(rows, schema=schema, orient="row"))


def sort_by_key(table: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Sort the rows by the table's key, and order the columns as in the table's definition."""
    definition = TABLES[table]
    return rows.select(definition.column_names).sort(definition.key, nulls_last=True)


def to_arrow(table: str, rows: pl.DataFrame) -> pa.Table:
    """Convert a frame to an Arrow table with exactly the table's schema.

    Raises ValueError if a column that must not be null contains a null.
    """
    schema = arrow_schema(table)
    for field in schema:
        if not field.nullable and rows[field.name].null_count():
            raise ValueError(f"the table {table} must not contain null in the column {field.name}")
    plain = rows.select(schema.names).to_arrow()
    return plain.cast(schema)
