"""Writes schemas/rows.py from the tables and frames: ``python -m schemas.row_types``."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pyarrow as pa

from schemas import frames
from schemas.tables import TABLES, Table

TARGET = Path("schemas/rows.py")

_HEAD = '''"""A row of each table and frame as a typed dict, for ``schemas.typed_rows.read_rows``.

Written by ``python -m schemas.row_types`` from the tables and frames; a test fails when it is
stale.
"""

from __future__ import annotations

import datetime
from typing import TypedDict

'''
_WIDTH = 100
#: Python's type of each scalar, as polars hands it out.
_SCALARS = {
    pa.string(): "str",
    pa.large_string(): "str",
    pa.bool_(): "bool",
    pa.int64(): "int",
    pa.float64(): "float",
    pa.date32(): "datetime.date",
}


def write_row_types() -> str:
    """Write the module with a typed dict for the rows of each table and then of each frame."""
    cells: dict[str, str] = {}
    rows: dict[str, str] = {}
    for table in TABLES.values():
        rows[f"{_camel(table.name)}Row"] = _row(table, cells)
    for name, frame in vars(frames).items():
        if isinstance(frame, Table):
            own = f"{_camel(name)}Row"
            rows[own if own not in rows else f"{_camel(name)}FrameRow"] = _row(frame, cells)
    classes = [f"class {name}(TypedDict):\n{body}" for name, body in (cells | rows).items()]
    return _HEAD + "\n" + "\n\n".join(classes)


def _row(table: Table, cells: dict[str, str]) -> str:
    lines = [*_docstring(table.description), ""]
    for field in table.fields:
        kind = _type(field.type, field.name, cells)
        lines.append(f"    {field.name}: {kind}{' | None' * (field.name in table.nullable)}")
    return "\n".join(lines) + "\n"


def _docstring(text: str) -> list[str]:
    """A docstring within 100 columns."""
    whole = f'    """{text}"""'
    if len(whole) <= _WIDTH:
        return [whole]
    first, *more = textwrap.wrap(text, _WIDTH - 7)
    return [f'    """{first}', *(f"    {line}" for line in more), '    """']


def _type(kind: pa.DataType, name: str, cells: dict[str, str]) -> str:
    """Python's type of a column; a struct becomes a typed dict of its own, kept in ``cells``."""
    if pa.types.is_list(kind):
        return f"list[{_type(kind.value_type, name, cells)}]"
    if pa.types.is_struct(kind):
        parts = [kind.field(at) for at in range(kind.num_fields)]
        body = [f"    {part.name}: {_type(part.type, part.name, cells)} | None" for part in parts]
        told = f'    """One element of ``{name}``."""\n\n' + "\n".join(body) + "\n"
        cell = f"{_camel(name)}Cell"
        if cells.setdefault(cell, told) != told:
            raise ValueError(f"the column {name} has two different types")
        return cell
    return _SCALARS[kind]


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.lower().split("_"))


def main() -> int:
    """Write the module."""
    TARGET.write_text(write_row_types(), encoding="utf-8")
    sys.stdout.write(f"{TARGET}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
