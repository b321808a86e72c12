"""The schema for other programs, and which changes break data of an earlier version."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from schemas.export import arrow_schemas, compare, json_schema, json_schemas
from schemas.tables import TABLES


def test_every_column_is_described() -> None:
    for name, table in TABLES.items():
        made = json_schema(name)
        assert list(made["properties"]) == list(table.column_names)
        assert made["required"] == list(table.column_names)
        assert arrow_schemas()[name].names == list(table.column_names)
        for column, shape in made["properties"].items():
            assert ("null" in shape["type"]) == (column in table.nullable), (name, column)
    json.dumps(json_schemas())


def test_units_codes_and_limits_are_there() -> None:
    rows = json_schema("pois")["properties"]
    assert (rows["lat"]["minimum"], rows["lat"]["maximum"], rows["lat"]["x-unit"]) == (
        -90,
        90,
        "degree",
    )
    assert "hidden_gem" in rows["trend_types"]["items"]["enum"]
    assert None in rows["category"]["enum"]
    assert rows["poi_id"]["pattern"].startswith("^poi_")


def test_the_same_schema_has_no_change() -> None:
    assert compare(json_schemas()) == []


def _column(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda old: old["tables"]["pois"]["properties"]["rating"].update(changes)


@pytest.mark.parametrize(
    ("older", "breaking", "what"),
    [
        (lambda old: old["tables"].pop("pois"), False, "the table was added"),
        (
            lambda old: old["tables"].update(inns=old["tables"]["hotels"]),
            True,
            "the table was removed",
        ),
        (
            lambda old: old["tables"]["pois"]["properties"].pop("rating"),
            False,
            "the column was added",
        ),
        (
            lambda old: old["tables"]["pois"]["properties"].pop("anchor"),
            True,
            "the column was added and must not be null",
        ),
        (
            lambda old: old["tables"]["pois"]["properties"].update(stars={"type": "integer"}),
            True,
            "the column was removed",
        ),
        (_column(type="number"), False, "the type was"),
        (_column(type=["integer", "null"]), True, "the type was"),
        (_column(maximum=4), False, "the maximum was 4 and is now 5"),
        (_column(maximum=10), True, "the maximum was 10 and is now 5"),
        (
            lambda old: old["tables"]["pois"]["properties"]["rating"].pop("minimum"),
            True,
            "and is now 0",
        ),
        (_column(**{"x-unit": "points of 10"}), True, "the unit was"),
        (lambda old: old["tables"]["pois"].update({"x-key": ["anchor"]}), True, "the key was"),
        (
            lambda old: old["tables"]["pois"]["properties"]["lat"].update(pattern="x"),
            False,
            "the pattern was changed",
        ),
        (
            lambda old: old["tables"]["documents"]["properties"]["lang"]["enum"].pop(),
            False,
            "the codes were changed",
        ),
        (
            lambda old: old["tables"]["documents"]["properties"]["lang"]["enum"].append("tlh"),
            True,
            "codes removed: ['tlh']",
        ),
        (
            lambda old: old["tables"]["pois"]["properties"]["trend_types"]["items"].update(
                type="integer"
            ),
            True,
            "the type of the items was changed",
        ),
    ],
)
def test_what_breaks(older: Callable[[dict[str, Any]], Any], breaking: bool, what: str) -> None:
    old = copy.deepcopy(json_schemas())
    older(old)
    (change,) = compare(old)
    assert change.breaking is breaking
    assert what in change.what


@pytest.mark.parametrize("export", [{}, {"tables": []}, {"tables": {"pois": 3}}])
def test_no_export(export: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not an exported schema"):
        compare(export)
