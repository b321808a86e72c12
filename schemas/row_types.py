"""Writes schemas/rows.py from the tables and frames: ``python -m schemas.row_types``."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pyarrow as pa

from schemas import frames
from schemas.tables import TABLES, Table

TARGET = Path("schemas/rows.py")
#: Tables and frames whose rows are read as typed dicts.
TYPED = (
    "cities", "queries", "sub_queries", "query_documents", "pois", "poi_aliases", "poi_hierarchy",
    "poi_origins", "place_decisions", "context_tags", "poi_popularity", "query_pois",
    "trajectories", "query_trajectories", "trajectory_scores", "metro_edges", "metro_fares",
    "distances", "city_stats", "stage_counts", "quarantine", "gates", "witness_plans",
    "source_findings", "blocks", "meta", "pages", "unread", "read_names", "read_stops",
)  # fmt: skip

_HEAD = '''"""Rows of tables and frames as typed dicts, for ``schemas.typed_rows.read_rows``.

Written by ``python -m schemas.row_types``, which lists them; a test fails when it is stale.
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
    """The module with a typed dict for a row of each of these tables and frames."""
    cells: dict[str, str] = {}
    rows = {f"{_camel(name)}Row": _row(_find_table(name), cells) for name in TYPED}
    classes = [f"class {name}(TypedDict):\n{body}" for name, body in (cells | rows).items()]
    return _HEAD + "\n" + "\n\n".join(classes)


def _find_table(name: str) -> Table:
    frame: Table = TABLES.get(name) or getattr(frames, name.upper())
    return frame


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
    return "".join(part.capitalize() for part in name.split("_"))


def main() -> int:
    """Write the module."""
    TARGET.write_text(write_row_types(), encoding="utf-8")
    sys.stdout.write(f"{TARGET}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
