"""Exports the schema as JSON Schema and Arrow for other programs, and compares two schemas.

A newer schema is compatible if data that was written with the older schema can still be read. All
tables, columns and types must remain, and columns that allowed nulls must still allow them. Codes
may be added but not removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from schemas.arrow import arrow_schema
from schemas.fields import Field
from schemas.tables import SCHEMA_VERSION, TABLES

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(table: str) -> dict[str, Any]:
    """Make the JSON Schema for a row of a table."""
    definition = TABLES[table]
    properties = {
        field.name: _property(field, field.name in definition.nullable)
        for field in definition.fields
    }
    return {
        "$schema": DIALECT,
        "title": table,
        "description": definition.description,
        "type": "object",
        "properties": properties,
        "required": list(definition.column_names),
        "additionalProperties": False,
        "x-key": list(definition.key),
        "x-partition": definition.partition,
        "x-references": dict(sorted(definition.references.items())),
    }


def json_schemas() -> dict[str, Any]:
    """Make the JSON Schemas of all tables, together with the schema version."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tables": {name: json_schema(name) for name in TABLES},
    }


def _property(field: Field, nullable: bool) -> dict[str, Any]:
    shape = _shape(field.type)
    inner = shape["items"] if field.codes and "items" in shape else shape
    if field.codes:
        inner["enum"] = list(field.codes)
    limits = {
        "minimum": field.minimum, "maximum": field.maximum, "pattern": field.pattern,
        "x-unit": field.unit, "x-source": field.source,
    }  # fmt: skip
    shape |= {key: value for key, value in limits.items() if value is not None}
    if nullable:
        shape["type"] = [shape["type"], "null"]
        if "enum" in shape:
            shape["enum"] = [*shape["enum"], None]
    return {"description": field.description, **shape}


def _shape(kind: pa.DataType) -> dict[str, Any]:
    if pa.types.is_list(kind):
        return {"type": "array", "items": _shape(kind.value_type)}
    if pa.types.is_struct(kind):
        inner = {part.name: _shape(part.type) for part in kind}
        # The definition of a table does not say whether fields of a struct may be null.
        for shape in inner.values():
            shape["type"] = [shape["type"], "null"]
        return {"type": "object", "properties": inner, "required": sorted(inner)}
    if pa.types.is_date(kind):
        return {"type": "string", "format": "date"}
    names = {
        "boolean": pa.types.is_boolean, "integer": pa.types.is_integer,
        "number": pa.types.is_floating,
    }  # fmt: skip
    return {"type": next((name for name, is_one in names.items() if is_one(kind)), "string")}


def arrow_schemas() -> dict[str, pa.Schema]:
    """Return the Arrow schema of every table, by the table's name."""
    return {name: arrow_schema(name) for name in TABLES}


@dataclass(frozen=True)
class SchemaChange:
    """A difference between two schemas. ``breaking`` is True if old data cannot be read."""

    table: str
    column: str | None
    breaking: bool
    what: str


def compare(old: dict[str, Any], new: dict[str, Any] | None = None) -> list[SchemaChange]:
    """List the changes from an exported schema to a newer one.

    By default, the newer schema is the schema of this installation. Raises ValueError if a schema
    was not exported by tripbed.
    """
    new = json_schemas() if new is None else new
    tables = []
    for export in (old, new):
        held = export.get("tables")
        if not isinstance(held, dict) or not all(
            isinstance(t, dict) and isinstance(t.get("properties"), dict) for t in held.values()
        ):
            raise ValueError(
                "not an exported schema: write one with `tripbed schema export --format json`"
            )
        tables.append(held)
    before, after = tables
    return [
        *(SchemaChange(n, None, True, "the table was removed") for n in before if n not in after),
        *(SchemaChange(n, None, False, "the table was added") for n in after if n not in before),
        *(c for n in after if n in before for c in _compare_table(n, before[n], after[n])),
    ]


def _compare_table(name: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[SchemaChange]:
    before, after = old["properties"], new["properties"]
    if old.get("x-key") != new.get("x-key"):
        yield SchemaChange(
            name, None, True, f"the key was {old.get('x-key')} and is now {new.get('x-key')}"
        )
    for column in before:
        if column not in after:
            yield SchemaChange(name, column, True, "the column was removed")
    for column, shape in after.items():
        if column not in before:
            null = "null" in shape.get("type", ())
            what = "the column was added" if null else "the column was added and must not be null"
            yield SchemaChange(name, column, not null, what)
        else:
            for breaking, what in _compare_column(before[column], shape):
                yield SchemaChange(name, column, breaking, what)


def _compare_column(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[bool, str]]:
    kinds = [set(t if isinstance(t, list) else [t]) for t in (old.get("type"), new.get("type"))]
    if kinds[0] != kinds[1]:
        widened = kinds[1] - kinds[0] == {"null"} and not kinds[0] - kinds[1]
        yield (
            not widened,
            f"the type was {sorted(map(str, kinds[0]))} and is now {sorted(map(str, kinds[1]))}",
        )
    if old.get("items", {}).get("type") != new.get("items", {}).get("type"):
        yield True, "the type of the items was changed"
    codes = [
        set(shape.get("enum") or shape.get("items", {}).get("enum") or ()) for shape in (old, new)
    ]
    if codes[0] != codes[1]:
        lost = codes[0] - codes[1] if codes[1] else set()
        narrowed = bool(lost) or (not codes[0] and bool(codes[1]))
        yield (
            narrowed,
            f"codes removed: {sorted(map(str, lost))}" if lost else "the codes were changed",
        )
    for key, worse in (("minimum", 1), ("maximum", -1)):
        one, other = old.get(key), new.get(key)
        if one != other:
            tighter = other is not None and (one is None or (other - one) * worse > 0)
            yield tighter, f"the {key} was {one} and is now {other}"
    if old.get("x-unit") != new.get("x-unit"):
        yield True, f"the unit was {old.get('x-unit')} and is now {new.get('x-unit')}"
    if old.get("pattern") != new.get("pattern"):
        yield new.get("pattern") is not None, "the pattern was changed"
