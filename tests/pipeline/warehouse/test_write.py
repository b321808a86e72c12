"""Parquet files: exact schemas with what each field means, in key order, for any reader."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

from schemas.arrow import arrow_schema, frame
from schemas.tables import TABLES
from tests.counterexamples.good import A, B
from warehouse.candidate import partition_path, write_partition
from warehouse.read import Snapshot


@pytest.mark.parametrize("table", TABLES)
def test_each_table_has_its_schema(published: Path, table: str) -> None:
    for entry in Snapshot(published).manifest.tables[table].files:
        schema = pq.read_schema(published / entry.path)
        wanted = arrow_schema(table)
        assert schema.equals(wanted)
        assert schema.metadata == wanted.metadata
        assert [field.metadata for field in schema] == [field.metadata for field in wanted]


def test_an_empty_partition_keeps_its_types(tmp_path: Path) -> None:
    entry = write_partition(tmp_path, "pois", "nowhere", frame("pois", []))
    assert entry.path == "data/pois/city=nowhere/part-0.parquet"
    assert (entry.rows, entry.bytes) == (0, (tmp_path / entry.path).stat().st_size)
    assert pq.read_schema(tmp_path / entry.path).equals(arrow_schema("pois"))


def test_rows_are_sorted_by_key(tmp_path: Path, published: Path) -> None:
    rows = Snapshot(published).table("distances", A.slug)
    entry = write_partition(tmp_path, "distances", A.slug, rows.reverse())
    assert (tmp_path / entry.path).read_bytes() == (published / entry.path).read_bytes()


def test_a_null_where_none_may_be_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="must not contain null in the column city_id"):
        write_partition(tmp_path, "pois", A.slug, frame("pois", [{"poi_id": "poi_1"}]))


def test_paths_of_partitions() -> None:
    assert partition_path("trains", "a--b") == "data/trains/pair=a--b/part-0.parquet"
    assert partition_path("gates", None) == "data/gates/part-0.parquet"


def test_polars_and_duckdb_read_it(published: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    expected = Snapshot(published).table("hotels").height
    assert pl.scan_parquet(published / "data/hotels/*/*.parquet").collect().height == expected
    query = (
        f"SELECT city, count(*) FROM '{published}/data/hotels/*/*.parquet' GROUP BY city ORDER BY 1"
    )
    assert duckdb.sql(query).fetchall() == [(A.slug, 2), (B.slug, 2)]


def test_the_card_counts_what_there_is(published: Path) -> None:
    card = (published / "README.md").read_text(encoding="utf-8")
    manifest = Snapshot(published).manifest
    for name, table in manifest.tables.items():
        assert f"| {name} | {table.rows:,} |" in card
    total = sum(table.rows for table in manifest.tables.values())
    assert f"{total:,} rows in {len(TABLES)} tables" in card
    assert "engine `rules`" in card
