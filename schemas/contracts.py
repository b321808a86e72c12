"""Row contracts derived from the tables: pandera models, and the split by them.

Invalid rows are found through our own row number, never by a frame's index, and keep the
check that they failed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pandera.polars as pa
import polars as pl
from pandera.errors import SchemaErrors

from schemas.arrow import polars_schema
from schemas.fields import Field
from schemas.tables import TABLES

_ROW = "__row__"
#: What pandera calls a check: our name of it, and what the value is or is not.
_WORDS = {
    "isin": ("codes", "is none of the known codes"),
    "codes": ("codes", "holds a code that is not known"),
    "greater_than_or_equal_to": ("minimum", "is below the least that is possible"),
    "less_than_or_equal_to": ("maximum", "is above the most that is possible"),
    "str_matches": ("pattern", "has not the form of its kind"),
    "not_nullable": ("not_null", "is unknown, but must be known"),
}


def _checks(field: Field, is_list: bool) -> list[Any]:
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
    if field.minimum is not None:
        checks.append(pa.Check.ge(field.minimum, name="minimum"))
    if field.maximum is not None:
        checks.append(pa.Check.le(field.maximum, name="maximum"))
    if field.pattern is not None:
        checks.append(pa.Check.str_matches(field.pattern, name="pattern"))
    return checks


@cache
def contract(table: str) -> pa.DataFrameSchema:
    """Pandera model of a table: types, nulls, codes, limits, patterns."""
    definition, types = TABLES[table], polars_schema(table)
    columns = {
        field.name: pa.Column(
            types[field.name],
            checks=_checks(field, isinstance(types[field.name], pl.List)),
            nullable=field.name in definition.nullable,
        )
        for field in definition.fields
    }
    return pa.DataFrameSchema(columns, strict=True, name=table)


def _named(part: int) -> pl.Expr:
    """Our name of a check (0), or its words (1); pandera's own name where it is another."""
    raw = pl.col("check").str.replace(r"\(.*", "")
    words = {name: pair[part] for name, pair in _WORDS.items()}
    return raw.replace_strict(words, default=raw, return_dtype=pl.String)


def split(table: str, rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows that keep the table's contract, and the others with ``check`` and ``message``.

    Every row lands on exactly one side, repeated keys included (the first one stays). Raises
    pandera's SchemaErrors where the frame as a whole is wrong (a column is missing or has
    another type), since no row could be blamed.
    """
    definition = TABLES[table]
    repeated = ~pl.struct(definition.key).is_first_distinct()
    verdicts = [
        rows.with_row_index(_ROW)
        .filter(repeated)
        .select(
            pl.col(_ROW).cast(pl.Int64), check=pl.lit("key"), message=pl.lit("the key stands twice")
        )
    ]
    try:
        contract(table).validate(rows, lazy=True)
    except SchemaErrors as error:
        cases = error.failure_cases
        if cases["index"].null_count():
            raise
        verdicts.append(
            cases.select(
                pl.col("index").cast(pl.Int64).alias(_ROW),
                _named(0).alias("check"),
                pl.format(
                    "{}: {} {}",
                    "column",
                    pl.col("failure_case").cast(pl.String).fill_null("null"),
                    _named(1),
                ).alias("message"),
            )
        )
    bad = pl.concat(verdicts).sort(_ROW, "check", "message").unique(_ROW, keep="first")
    numbered = rows.with_row_index(_ROW).with_columns(pl.col(_ROW).cast(pl.Int64))
    good_rows = numbered.join(bad, on=_ROW, how="anti").sort(_ROW).drop(_ROW)
    bad_rows = numbered.join(bad, on=_ROW, how="inner").sort(_ROW).drop(_ROW)
    if good_rows.height + bad_rows.height != rows.height:
        raise RuntimeError(f"split of {table} lost rows")
    return good_rows, bad_rows
