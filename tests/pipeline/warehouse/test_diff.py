"""What differs between two snapshots, and how grave it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.counterexamples import good
from tests.counterexamples.breaking import Case, Change, drop, every, put, rewritten, write_case
from tests.counterexamples.good import A
from warehouse.diff import Difference, diff
from warehouse.diff_words import as_text
from warehouse.read import Snapshot

LAKE = {"poi_id": A.poi("lake")}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("good")
    good.write(path, good.book())
    return path


def compared(base: Path, folder: Path, change: Change) -> Difference:
    return diff(Snapshot(base), Snapshot(write_case(Case("x", change), base, folder / "after")))


def test_a_snapshot_is_itself(base: Path) -> None:
    same = diff(Snapshot(base), Snapshot(base))
    assert same.tables == ()
    assert same.severity == "none"
    assert "no difference" in as_text(same)


def test_a_changed_value_is_a_notice_with_column_and_row(base: Path, tmp_path: Path) -> None:
    found = compared(base, tmp_path, put("pois", LAKE, rating=4.4))
    (table,) = (table for table in found.tables if table.table == "pois")
    assert {table.table for table in found.tables} == {"pois", "query_pois"}, "candidates follow"
    assert (table.table, table.added, table.removed, table.changed) == ("pois", 0, 0, 1)
    (column,) = table.columns
    assert (column.column, column.changed, column.severity) == ("rating", 1, "notice")
    assert column.examples == (f"{A.poi('lake')}: 4.5 -> 4.4",)
    assert found.severity == "notice"
    told = {table["table"]: table for table in json.loads(json.dumps(found.as_json()))["tables"]}
    assert told["pois"]["columns"][0]["column"] == "rating"


def test_a_value_that_became_unknown_is_a_warning(base: Path, tmp_path: Path) -> None:
    found = compared(base, tmp_path, put("pois", LAKE, rating=None))
    (table,) = (table for table in found.tables if table.table == "pois")
    assert (table.columns[0].became_unknown, table.severity) == (1, "warning")


def test_a_lost_row_is_a_warning_and_an_account_is_none(base: Path, tmp_path: Path) -> None:
    found = compared(base, tmp_path, drop("poi_aliases", {"alias": "镜湖"}))
    severities = {table.table: table.severity for table in found.tables}
    assert severities == {"poi_aliases": "warning", "stage_counts": "notice"}
    assert {t.table: t.removed for t in found.tables}["poi_aliases"] == 1


def test_a_query_that_is_kept_no_more_is_an_error(base: Path, tmp_path: Path) -> None:
    found = compared(base, tmp_path, put("queries", {"status": "kept"}, status="infeasible"))
    assert found.severity == "error"
    assert "1 query is no longer kept" in found.tables[0].faults[0]
    assert "error: queries" in as_text(found)


def test_an_empty_table_is_an_error(base: Path, tmp_path: Path) -> None:
    def gone(book: good.Book) -> None:
        for parts in book["poi_hierarchy"].values():
            parts.clear()

    found = compared(base, tmp_path, gone)
    assert found.tables[0].faults == ("the table has lost all its rows",)
    assert (found.tables[0].removed, found.severity) == (2, "error")


def test_a_column_that_is_gone_is_an_error(base: Path, tmp_path: Path) -> None:
    case = Case("x", None, on_files=rewritten("pois", lambda rows: rows.drop_columns(["rating"])))
    after = write_case(case, base, tmp_path / "after")
    # The other city's file has it still: what some rows lack is unknown, not gone.
    assert diff(Snapshot(base), Snapshot(after)).tables[0].severity == "warning"


def test_every_row_changed(base: Path, tmp_path: Path) -> None:
    found = compared(base, tmp_path, every("distances", lambda row: {"distance_m": 1.0}))
    (table,) = found.tables
    assert table.changed == table.columns[0].changed == table.rows_after // 2


def test_words_have_names_both_values_and_numbers_that_agree(base: Path, tmp_path: Path) -> None:
    text = as_text(compared(base, tmp_path, put("pois", LAKE, rating=4.4)))
    assert "notice: pois: " in text
    assert "; 1 changed" in text
    assert "  rating of 1 place\n    月影湖: 4.4 instead of 4.5\n" in text
    assert A.poi("lake") not in text


def test_words_put_first_what_breaks_readers_then_what_was_lost(base: Path, tmp_path: Path) -> None:
    def change(book: good.Book) -> None:
        put("queries", {"status": "kept"}, status="infeasible")(book)
        put("pois", LAKE, rating=None)(book)
        every("distances", lambda row: {"distance_m": 1.0})(book)

    lines = as_text(compared(base, tmp_path, change)).splitlines()
    heads = [line.split(":")[0] + line.split(":")[1] for line in lines if line[0] != " "][1:]
    assert heads[0].startswith("error queries")
    assert heads[1].startswith("warning pois")
    assert heads[-1].startswith("other changes")
    assert any("rating of 1 place, unknown now" in line for line in lines)


def test_a_fact_with_another_price_is_told_as_one_change(base: Path, tmp_path: Path) -> None:
    def dearer(book: good.Book) -> None:
        for parts in book["poi_facts"].values():
            for row in parts:
                if row.get("price_cents"):
                    row["price_cents"] *= 3
                    row["fact_id"] = f"fact_{row['fact_id'][-1]}{row['fact_id'][5:-1]}"

    (table,) = [t for t in compared(base, tmp_path, dearer).tables if t.table == "poi_facts"]
    assert table.replaced == table.added == table.removed > 0
    (first, *_) = table.named
    assert "ticket" in first.row
    assert first.before != first.after
