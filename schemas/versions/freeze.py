"""Writes the tables of the current schema version as data: ``python -m schemas.versions.freeze``.

Run this module on the last commit of a version, before you raise ``SCHEMA_VERSION``. Snapshots of
this schema version are later checked against the file that this module writes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from schemas.fields import Field
from schemas.tables import SCHEMA_VERSION, TABLES, Table
from schemas.versions import FOLDER, TYPES

_NAMES = {kind: name for name, kind in TYPES.items()}


def freeze(tables: Mapping[str, Table]) -> dict[str, Any]:
    """Convert tables to plain data that contain each field only once.

    Raises ValueError if two different fields have the same name.
    """
    fields: dict[str, Field] = {}
    for table in tables.values():
        for field in table.fields:
            if fields.setdefault(field.name, field) != field:
                raise ValueError(
                    f"the field {field.name} of {table.name} differs from the field of the same"
                    " name in another table"
                )
    return {
        "fields": {name: _field(field) for name, field in sorted(fields.items())},
        "tables": {name: _table(table) for name, table in tables.items()},
    }


def _field(field: Field) -> dict[str, Any]:
    said = {**asdict(field), "type": _type(field.type)}
    del said["name"]
    return {key: value for key, value in said.items() if value is not None}


def _table(table: Table) -> dict[str, Any]:
    return {
        "description": table.description, "partition": table.partition,
        "key": " ".join(table.key), "columns": " ".join(table.columns),
        "references": table.references,
    }  # fmt: skip


def _type(kind: pa.DataType) -> Any:
    if pa.types.is_list(kind):
        return {"list": _type(kind.value_type)}
    if pa.types.is_struct(kind):
        return {"struct": {part.name: _type(part.type) for part in kind}}
    return _NAMES[kind]


def main() -> int:
    """Write the file for this version; return 2 if a file with different content already exists."""
    path = FOLDER / f"{SCHEMA_VERSION}.json"
    text = json.dumps(freeze(TABLES), ensure_ascii=False, indent=1) + "\n"
    if path.exists() and path.read_text(encoding="utf-8") != text:
        sys.stderr.write(
            f"the tables differ from those in {path}, but a released version must not change: "
            "increase SCHEMA_VERSION\n"
        )
        return 2
    path.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
