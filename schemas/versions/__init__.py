"""Reads the tables of released schema versions from the files ``VERSION.json`` in this folder.

A snapshot is checked against the tables of its own version, and ``warehouse.migrate`` converts it
to the current version. ``schemas.versions.freeze`` writes the files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from schemas.fields import Field
from schemas.tables import SCHEMA_VERSION, TABLES, Table

#: The folder that contains the files, which are part of the package.
FOLDER = Path(__file__).parent
#: The simple types, by the names that the files use for them.
TYPES = {
    "text": pa.string(), "bool": pa.bool_(), "date": pa.date32(), "int": pa.int64(),
    "real": pa.float64(),
}  # fmt: skip


def version_key(version: str) -> tuple[int, ...]:
    """Split a version into comparable numbers; a part that is not a number counts as -1."""
    return tuple(int(p) if re.fullmatch("[0-9]{1,9}", p) else -1 for p in version.split("."))


@cache
def list_released() -> tuple[str, ...]:
    """Return all released versions, oldest first."""
    return tuple(sorted((path.stem for path in FOLDER.glob("*.json")), key=version_key))


@cache
def tables_of(version: str) -> Mapping[str, Table]:
    """Return the tables of the current version or of a released version.

    Raises KeyError if the version is unknown.
    """
    if version == SCHEMA_VERSION:
        return TABLES
    if version not in list_released():
        raise KeyError(version)
    return thaw(json.loads((FOLDER / f"{version}.json").read_text(encoding="utf-8")))


def thaw(held: Mapping[str, Any]) -> dict[str, Table]:
    """Restore tables from the data that ``freeze`` wrote."""
    fields = {name: _field(name, said) for name, said in held["fields"].items()}
    return {name: _table(name, said, fields) for name, said in held["tables"].items()}


def _table(name: str, said: Mapping[str, Any], fields: Mapping[str, Field]) -> Table:
    """Make a table with the fields of its schema version, because the current fields may have
    different meanings.
    """
    columns = tuple(said["columns"].split())
    return Table(
        name, said["description"], tuple(said["key"].split()), columns, said["partition"],
        said["references"], tuple(fields[column.rstrip("?")] for column in columns),
    )  # fmt: skip


def _field(name: str, said: Mapping[str, Any]) -> Field:
    rest = {key: value for key, value in said.items() if key != "type"}
    if "codes" in rest:
        rest["codes"] = tuple(rest["codes"])
    return Field(name, _type(said["type"]), **rest)


def _type(said: Any) -> pa.DataType:
    """Read a type from its name, ``{"list": TYPE}`` or ``{"struct": {NAME: TYPE}}``."""
    if isinstance(said, str):
        return TYPES[said]
    if "list" in said:
        return pa.list_(_type(said["list"]))
    return pa.struct([(name, _type(part)) for name, part in said["struct"].items()])
