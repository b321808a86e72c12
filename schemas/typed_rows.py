"""Reads the rows of a frame as typed dicts, so that a type checker finds misspelt columns."""

from __future__ import annotations

from typing import Any, TypeVar, cast, get_type_hints

import polars as pl

Row = TypeVar("Row")


def read_rows(frame: pl.DataFrame, kind: type[Row]) -> list[Row]:
    """Read all rows of a frame as ``kind``, which is a typed dict of ``schemas.rows``.

    The frame may have more columns than ``kind``. Raises ValueError if the frame lacks a column.
    """
    hints: dict[str, Any] = get_type_hints(kind)
    missing = hints.keys() - set(frame.columns)
    if missing:
        names = ", ".join(sorted(missing))
        raise ValueError(f"the frame lacks columns of {kind.__name__}: {names}")
    return cast("list[Row]", frame.to_dicts())
