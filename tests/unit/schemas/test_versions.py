"""Released schema versions: kept as data, and the same tables again when they are read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from schemas import versions
from schemas.arrow import arrow_schema_of
from schemas.fields import FIELDS
from schemas.tables import SCHEMA_VERSION, TABLES, Table
from schemas.versions import freeze, list_released, tables_of, thaw, version_key


def test_what_is_frozen_is_the_same_when_it_is_thawed() -> None:
    again = thaw(json.loads(json.dumps(freeze.freeze(TABLES))))
    assert list(again) == list(TABLES)
    for name, table in TABLES.items():
        made = again[name]
        assert made == replace(table, own=made.own)
        assert made.fields == table.fields
        assert arrow_schema_of(made).equals(arrow_schema_of(table), check_metadata=True)


def test_a_released_version_keeps_its_own_fields() -> None:
    """What a field means today is not what it meant then."""
    held = json.loads(json.dumps(freeze.freeze(TABLES)))
    held["fields"]["rating"]["maximum"] = 10
    held["tables"]["hotels"]["columns"] = "hotel_id city_id rating?"
    hotels = thaw(held)["hotels"]
    assert hotels.column_names == ("hotel_id", "city_id", "rating")
    assert hotels.nullable == {"rating"}
    assert {field.name: field.maximum for field in hotels.fields}["rating"] == 10
    assert FIELDS["rating"].maximum == 5


def test_1_5_is_there_with_its_contracts() -> None:
    assert "1.5" in list_released()
    tables = tables_of("1.5")
    assert len(tables) == 41
    assert "currency" in tables["hotels"].column_names
    fields = {field.name: field for field in tables["pois"].fields}
    assert (fields["rating"].maximum, fields["lat"].unit) == (5, "degree")
    assert tables["trains"].partition == "pair"
    assert tables["poi_facts"].references["poi_id"] == "pois.poi_id"


@pytest.mark.parametrize("version", list_released())
def test_a_released_version_is_whole_and_does_not_change(version: str) -> None:
    """Its tables are whole: keys, references and partitions name columns that are there."""
    tables = tables_of(version)
    for table in tables.values():
        assert set(table.key) <= set(table.column_names)
        for column, target in table.references.items():
            other, _, other_column = target.partition(".")
            assert column in table.column_names
            assert other_column in tables[other].column_names
    if version == SCHEMA_VERSION:
        held = json.loads((versions.FOLDER / f"{version}.json").read_text(encoding="utf-8"))
        assert held == json.loads(json.dumps(freeze.freeze(TABLES))), "raise SCHEMA_VERSION"


def test_this_version_and_unknown_ones() -> None:
    assert tables_of(SCHEMA_VERSION) is TABLES
    for unknown in ("1.4", "9.9", "", "../1.5", "1.5.json"):
        with pytest.raises(KeyError):
            tables_of(unknown)


def test_versions_are_compared_as_numbers() -> None:
    assert version_key("1.10") > version_key("1.9") > version_key("1") > version_key("x.1")
    assert version_key("²") == version_key("9" * 5000) == (-1,)


def test_freezing_writes_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(freeze, "FOLDER", tmp_path)
    assert freeze.main() == 0
    path = tmp_path / f"{SCHEMA_VERSION}.json"
    assert capsys.readouterr().out == f"{path}\n"
    assert freeze.main() == 0
    path.write_text(path.read_text().replace('"maximum": 5', '"maximum": 6'))
    changed = path.read_text()
    assert freeze.main() == 2
    assert "a released version must not change" in capsys.readouterr().err
    assert path.read_text() == changed


def test_one_name_for_two_fields_is_not_frozen() -> None:
    other = replace(FIELDS["rating"], maximum=10)
    tables = {
        name: Table(name, "A table.", ("rating",), ("rating",), own=own)
        for name, own in (("a", ()), ("b", (other,)))
    }
    with pytest.raises(
        ValueError, match="the field rating of b differs from the field of the same name"
    ):
        freeze.freeze(tables)
