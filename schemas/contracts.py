"""Separates valid rows from invalid ones, using contracts derived from the table definitions.

Invalid rows are identified by an added row number, never by the index of a frame. Each invalid row
is recorded with the check that it failed.

Pandera takes 10 to 40 ms for each frame, even if the frame has few rows. The frames of one city
take pandera up to 0.6 s, and importing pandera takes another second. Therefore, a single expression
built from the same fields first checks whether any row fails (0.3 to 3 ms). If a row fails, pandera
determines which rows fail, and why. A test ensures that the single expression and pandera give the
same result.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import polars as pl

from schemas.arrow import polars_schema_of
from schemas.fields import Field
from schemas.tables import TABLES, Table

if TYPE_CHECKING:
    import pandera.polars as pa

_ROW = "__row__"
#: Names of the columns that are added to invalid rows. A table may itself have columns named
#: ``check`` and ``message``.
CHECK, MESSAGE = "__check__", "__message__"
#: Check that a row fails if it refers to a row that was removed.
REFERENCE = "reference"
#: All checks of a contract.
CHECKS = ("key", "codes", "minimum", "maximum", "pattern", "not_null", REFERENCE)
#: Our name and message for each of pandera's checks.
_WORDS = {
    "isin": ("codes", "is not one of the known codes"),
    "codes": ("codes", "contains an unknown code"),
    "greater_than_or_equal_to": ("minimum", "is below the minimum"),
    "less_than_or_equal_to": ("maximum", "is above the maximum"),
    "str_matches": ("pattern", "does not have the expected form"),
    "not_nullable": ("not_null", "is empty, but a value is required"),
}


def _checks(field: Field, is_list: bool) -> list[Any]:
    # pandera takes a second to import.
    import pandera.polars as pa

    checks: list[Any] = []
    if field.codes is not None:
        codes = list(field.codes)
        if is_list:
            checks.append(
                pa.Check(
                    lambda data, codes=codes: data.lazyframe.select(
                        pl.col(data.key).list.eval(pl.element().is_in(codes)).list.all()
                    ),
                    name="codes",
                )
            )
        else:
            checks.append(pa.Check.isin(codes, name="codes"))
    limits: dict[str, tuple[Any, Any]] = {
        "minimum": (pa.Check.ge, field.minimum), "maximum": (pa.Check.le, field.maximum),
        "pattern": (pa.Check.str_matches, field.pattern),
    }  # fmt: skip
    checks += [make(at, name=name) for name, (make, at) in limits.items() if at is not None]
    return checks


def _contract(definition: Table) -> pa.DataFrameSchema:
    """Make a table's pandera model with its types, nulls, codes, limits and patterns."""
    # pandera takes a second to import.
    import pandera.polars as pa

    types = polars_schema_of(definition)
    columns = {
        field.name: pa.Column(
            types[field.name],
            checks=_checks(field, isinstance(types[field.name], pl.List)),
            nullable=field.name in definition.nullable,
        )
        for field in definition.fields
    }
    return pa.DataFrameSchema(columns, strict=True, name=definition.name)


def _faults(field: Field, is_list: bool, nullable: bool) -> list[pl.Expr]:
    """For each check, make an expression that is true if a row fails; nulls pass limit checks."""
    column = pl.col(field.name)
    found = [] if nullable else [column.is_null()]
    if field.codes is not None and is_list:
        found.append(~column.list.eval(pl.element().is_in(list(field.codes))).list.all())
    elif field.codes is not None:
        found.append(~column.is_in(list(field.codes)))
    if field.minimum is not None:
        found.append(~(column >= field.minimum))
    if field.maximum is not None:
        found.append(~(column <= field.maximum))
    if field.pattern is not None:
        found.append(~column.str.contains(field.pattern))
    return found


def _is_good(definition: Table, rows: pl.DataFrame) -> bool:
    """Check whether all rows meet the contract and no two rows have the same key."""
    if dict(rows.schema) != dict(polars_schema_of(definition)):
        return False
    return rows.is_empty() or not any(rows.select(_questions(definition)).row(0))


@cache
def _questions(definition: Table) -> list[pl.Expr]:
    """For each check of a table, make an expression that is true if any row fails the check."""
    types = polars_schema_of(definition)
    faults = [
        fault
        for field in definition.fields
        for fault in _faults(
            field, isinstance(types[field.name], pl.List), field.name in definition.nullable
        )
    ]
    if definition.key:
        faults.append(pl.struct(definition.key).is_duplicated())
    return [fault.any().alias(str(number)) for number, fault in enumerate(faults)]


def _name_check(part: int) -> pl.Expr:
    """Translate pandera's name for a check into tripbed's name (part 0) or message (part 1).

    A name without a translation is returned unchanged.
    """
    raw = pl.col("check").str.replace(r"\(.*", "")
    words = {name: pair[part] for name, pair in _WORDS.items()}
    return raw.replace_strict(words, default=raw, return_dtype=pl.String)


def split(table: str | Table, rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Separate the rows that meet the table's contract from those that do not.

    ``table`` is the name of a published table or the definition of a frame. Every row is in exactly
    one of the two frames that are returned. Invalid rows also have the columns ``CHECK`` and
    ``MESSAGE``. If several rows have the same key, only the first row is valid. Raises pandera's
    SchemaErrors if a column is missing or has the wrong type, because then no single row is at
    fault.
    """
    definition = TABLES[table] if isinstance(table, str) else table
    if _is_good(definition, rows):
        return rows.rechunk(), rows.clear().with_columns(
            pl.lit("").alias(name) for name in (CHECK, MESSAGE)
        )
    return _split(definition, rows)


def _split(definition: Table, rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    # pandera takes a second to import.
    from pandera.errors import SchemaErrors

    repeated = ~pl.struct(definition.key).is_first_distinct() if definition.key else pl.lit(False)
    verdicts = [
        rows.with_row_index(_ROW)
        .filter(repeated)
        .select(
            pl.col(_ROW).cast(pl.Int64),
            pl.lit("key").alias(CHECK),
            pl.lit("the key appears twice").alias(MESSAGE),
        )
    ]
    try:
        _contract(definition).validate(rows, lazy=True)
    except SchemaErrors as error:
        cases = error.failure_cases
        if cases["index"].null_count():
            raise
        verdicts.append(
            cases.select(
                pl.col("index").cast(pl.Int64).alias(_ROW),
                _name_check(0).alias(CHECK),
                pl.format(
                    "{}: {} {}",
                    "column",
                    pl.col("failure_case").cast(pl.String).fill_null("null"),
                    _name_check(1),
                ).alias(MESSAGE),
            )
        )
    bad = pl.concat(verdicts).sort(_ROW, CHECK, MESSAGE).unique(_ROW, keep="first")
    numbered = rows.with_row_index(_ROW).with_columns(pl.col(_ROW).cast(pl.Int64))
    good_rows = numbered.join(bad, on=_ROW, how="anti").sort(_ROW).drop(_ROW)
    bad_rows = numbered.join(bad, on=_ROW, how="inner").sort(_ROW).drop(_ROW)
    if good_rows.height + bad_rows.height != rows.height:
        raise RuntimeError(f"some rows of {definition.name} were lost when they were checked")
    return good_rows, bad_rows
