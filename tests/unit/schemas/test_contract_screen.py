"""The expression that asks whether any row breaks a contract says what pandera says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from schemas.arrow import frame, polars_schema
from schemas.contracts import _is_good, _split
from schemas.fields import Field
from schemas.tables import TABLES
from tests.counterexamples import good


def _wrong_values(field: Field, kind: pl.DataType) -> list[Any]:
    """Values beside each limit of a field."""
    wrong: list[Any] = []
    if field.codes is not None:
        wrong += (
            [["nonsense"], [field.codes[0], "nonsense"]]
            if isinstance(kind, pl.List)
            else ["", "nonsense"]
        )
    if field.minimum is not None:
        wrong += [field.minimum - 1]
    if field.maximum is not None:
        wrong += [field.maximum + 1]
    if field.pattern is not None:
        wrong += ["", "not of its form", "\n"]
    return wrong


def _changed(rows: pl.DataFrame, column: str, value: Any) -> pl.DataFrame:
    values = rows[column].to_list()
    values[-1] = value
    return rows.with_columns(pl.Series(column, values, dtype=rows.schema[column]))


@pytest.mark.parametrize("table", sorted(TABLES))
def test_both_say_the_same(table: str) -> None:
    definition, types = TABLES[table], polars_schema(table)
    parts = good.unchanged()[table]
    rows = frame(table, [row for part in parts.values() for row in part])
    assert rows.height, "the good snapshot has no such row"
    assert _is_good(definition, rows)
    assert _split(definition, rows)[0].equals(rows)
    tried, screened = [], []
    for field in definition.fields:
        for value in [None, *_wrong_values(field, types[field.name])]:
            tried.append(_changed(rows, field.name, value))
            screened.append(_is_good(definition, tried[-1]))
            if value is not None or field.name not in definition.nullable:
                assert not screened[-1], (field.name, value)
    # Pandera is asked once, as it takes long: of the changed row of each, keys left out.
    together = pl.concat(each.tail(1) for each in tried)
    kept, bad = _split(replace(definition, key=()), together)
    assert kept.equals(together.filter(pl.Series(screened)))
    assert bad.height == screened.count(False)


def test_an_unknown_limit_is_kept_and_a_repeated_key_is_not() -> None:
    rows = frame("hubs", [row for part in good.unchanged()["hubs"].values() for row in part])
    assert _is_good(TABLES["hubs"], rows)
    twice = pl.concat([rows, rows.head(1)])
    assert not _is_good(TABLES["hubs"], twice)
    assert _split(TABLES["hubs"], twice)[1].height == 1


def test_a_frame_of_another_form_is_not_good() -> None:
    rows = frame("hubs", [])
    assert _is_good(TABLES["hubs"], rows)
    assert not _is_good(TABLES["hubs"], rows.drop("name"))
    assert not _is_good(TABLES["hubs"], rows.with_columns(pl.col("source_line").cast(pl.Int32)))
