"""Tables and what is derived from them."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest

from schemas import row_types
from schemas.arrow import arrow_schema, frame, polars_schema, to_arrow
from schemas.contracts import CHECK, MESSAGE, split
from schemas.dictionary import TARGET, data_dictionary
from schemas.fields import FIELDS
from schemas.tables import TABLES
from tests.conftest import ROOT


def cluster(**changes: object) -> dict[str, object]:
    row = {"city_id": "gn1", "n_days_planned": 2, "poi_id": "poi_" + "0" * 16, "cluster": 0}
    return {**row, "epsilon_m": 1000.0, **changes}


def test_the_types_of_rows_are_fresh() -> None:
    assert (ROOT / row_types.TARGET).read_text(encoding="utf-8") == row_types.write_row_types()


def test_the_dictionary_is_fresh() -> None:
    assert (ROOT / TARGET).read_text(encoding="utf-8") == data_dictionary()


@pytest.mark.parametrize("name", TABLES)
def test_keys_and_references_name_columns(name: str) -> None:
    table = TABLES[name]
    assert set(table.key) <= set(table.column_names)
    assert not set(table.key) & table.nullable
    for column, target in table.references.items():
        other, _, other_column = target.partition(".")
        assert column in table.column_names
        assert other_column in TABLES[other].column_names


def test_every_field_is_used_once_defined() -> None:
    used = {column for table in TABLES.values() for column in table.column_names}
    assert used <= set(FIELDS)
    assert set(FIELDS) - used == set(), "fields that no table holds"


@pytest.mark.parametrize("name", TABLES)
def test_arrow_fields_carry_description_and_unit(name: str) -> None:
    schema = arrow_schema(name)
    assert schema.metadata[b"table"] == name.encode()
    for field in schema:
        assert field.metadata[b"description"]
        unit = FIELDS[field.name].unit
        assert field.metadata.get(b"unit") == (unit.encode() if unit else None)


def test_names_carry_units() -> None:
    money = "hundredth of the row's currency unit"
    endings = {"_m": "metre", "_cents": money, "_min": "minute", "_bytes": "byte"}
    for field in FIELDS.values():
        for ending, unit in endings.items():
            if field.name.endswith(ending):
                assert field.unit == unit, field.name


def test_frame_refuses_an_unknown_column() -> None:
    with pytest.raises(ValueError, match="no column colour"):
        frame("clusters", [cluster(colour="red")])


def test_frame_sorts_by_key_and_keeps_types_when_empty() -> None:
    rows = frame("clusters", [cluster(n_days_planned=3), cluster()])
    assert rows["n_days_planned"].to_list() == [2, 3]
    assert frame("clusters", []).schema == polars_schema("clusters")


def test_a_null_first_row_does_not_fix_the_type() -> None:
    assert to_arrow("cities", frame("cities", [])).schema.field("population").type == pa.int64()
    row = {"city_id": "gn1", "slug": "a", "name_en": "A", "country_code": "CN", "time_zone": "UTC"}
    numbers = {"lat": 1.0, "lon": 1.0, "population": 1}
    rows = frame(
        "cities", [{**row, **numbers}, {**row, **numbers, "city_id": "gn2", "name_zh": "乙"}]
    )
    assert to_arrow("cities", rows).schema == arrow_schema("cities")


def test_to_arrow_refuses_nulls_where_none_may_be() -> None:
    with pytest.raises(ValueError, match="must not contain null in the column cluster"):
        to_arrow("clusters", frame("clusters", [cluster(cluster=None)]))


class TestSplit:
    def test_good_rows_stay(self) -> None:
        good, bad = split("clusters", frame("clusters", [cluster(), cluster(n_days_planned=7)]))
        assert (good.height, bad.height) == (2, 0)

    @pytest.mark.parametrize(
        ("change", "check"),
        [
            ({"n_days_planned": 8}, "maximum"),
            ({"n_days_planned": 1}, "minimum"),
            ({"poi_id": "poi_zz"}, "pattern"),
            ({"cluster": None}, "not_null"),
        ],
    )
    def test_a_bad_row_goes_with_its_check(self, change: dict[str, object], check: str) -> None:
        good, bad = split(
            "clusters", frame("clusters", [cluster(n_days_planned=3), cluster(**change)])
        )
        assert good.height == 1
        assert bad[CHECK].to_list() == [check]
        assert next(iter(change)) in bad[MESSAGE][0]

    def test_a_repeated_key_keeps_the_first(self) -> None:
        rows = pl.concat([frame("clusters", [cluster(cluster=c)]) for c in (4, 5)])
        good, bad = split("clusters", rows)
        assert good["cluster"].to_list() == [4]
        assert bad.select("cluster", CHECK).rows() == [(5, "key")]

    def test_unknown_code_in_a_list(self) -> None:
        poi = {
            "poi_id": "poi_" + "0" * 16, "city_id": "gn1", "name_zh_origin": "unknown",
            "name_en_origin": "unknown", "trend_types": ["immersive", "nonsense"],
            "geocode_status": "unresolved", "poi_source": "table", "anchor": "a", "n_documents": 0,
            "n_mentions": 0, "evidence_id": "ev_" + "0" * 20,
        }  # fmt: skip
        good, bad = split(
            "pois", frame("pois", [poi, {**poi, "poi_id": "poi_" + "1" * 16, "trend_types": []}])
        )
        assert good["trend_types"].to_list() == [[]]
        assert bad[CHECK].to_list() == ["codes"]
