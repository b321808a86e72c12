"""The tables of every released schema version, kept as data: ``VERSION.json`` in this folder.

A snapshot is checked against the tables of its own version, and is converted to this version from
there (``warehouse.migrate``). ``schemas.versions.freeze`` writes the files.
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

#: Where the files lie; they come with the package.
FOLDER = Path(__file__).parent
#: Types that have no parts, by the names under which the files hold them.
TYPES = {
    "text": pa.string(), "bool": pa.bool_(), "date": pa.date32(), "int": pa.int64(),
    "real": pa.float64(),
}  # fmt: skip


def version_key(version: str) -> tuple[int, ...]:
    """Split a version into numbers for comparison; a part that is not a sensible number counts as
    -1."""
    return tuple(int(p) if re.fullmatch("[0-9]{1,9}", p) else -1 for p in version.split("."))


@cache
def list_released() -> tuple[str, ...]:
    """List the versions whose tables are kept as data, the oldest first."""
    return tuple(sorted((path.stem for path in FOLDER.glob("*.json")), key=version_key))


@cache
def tables_of(version: str) -> Mapping[str, Table]:
    """Return the tables of this version or of a released one.

    Raises KeyError for any other version.
    """
    if version == SCHEMA_VERSION:
        return TABLES
    if version not in list_released():
        raise KeyError(version)
    return thaw(json.loads((FOLDER / f"{version}.json").read_text(encoding="utf-8")))


def thaw(held: Mapping[str, Any]) -> dict[str, Table]:
    """Read tables from the data that ``freeze`` wrote."""
    fields = {name: _field(name, said) for name, said in held["fields"].items()}
    return {name: _table(name, said, fields) for name, said in held["tables"].items()}


def _table(name: str, said: Mapping[str, Any], fields: Mapping[str, Field]) -> Table:
    """A table with its own fields: those of today may say something else."""
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
    """A type from its name, or from ``{"list": TYPE}`` or ``{"struct": {NAME: TYPE}}``."""
    if isinstance(said, str):
        return TYPES[said]
    if "list" in said:
        return pa.list_(_type(said["list"]))
    return pa.struct([(name, _type(part)) for name, part in said["struct"].items()])
