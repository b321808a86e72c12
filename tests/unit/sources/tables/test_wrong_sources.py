"""Sources that are wrong as a whole: the error names file, place and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.cities import find_city
from sources.tables.files import read_csv
from sources.tables.intake import TableError
from sources.tables.registry import available_cities, read_tables
from tests.unit.sources.tables.conftest import ATTRACTION_HEADER, PARK, Source, Tripbed, train

ATTRACTIONS = "attractions/hangzhou/attractions.csv"


def message(source: Source) -> str:
    with pytest.raises(TableError) as error:
        source.read()
    return str(error.value)


def test_a_missing_column_is_named(source: Source) -> None:
    source.write(ATTRACTIONS, ATTRACTION_HEADER.replace("price,", "") + "\n" + PARK)
    assert "attractions.csv:1: column price is missing" in message(source)


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_wrong_delimiter_is_named(source: Source, delimiter: str) -> None:
    source.write(ATTRACTIONS, f"{ATTRACTION_HEADER}\n{PARK}\n".replace(",", delimiter))
    assert "use commas" in message(source)


def test_an_empty_file(source: Source) -> None:
    source.write(ATTRACTIONS, "")
    assert "attractions.csv:1: the file is empty" in message(source)


def test_a_column_twice(source: Source) -> None:
    source.write(ATTRACTIONS, f"{ATTRACTION_HEADER},price\n{PARK},1\n")
    assert "price appears twice" in message(source)


def test_another_encoding(source: Source) -> None:
    source.write(ATTRACTIONS, f"{ATTRACTION_HEADER}\n{PARK}\n", encoding="gb18030")
    assert "attractions.csv:2: not UTF-8" in message(source)


def test_a_missing_file(source: Source) -> None:
    (source.directory / ATTRACTIONS).unlink()
    assert "does not exist" in message(source)


def test_a_truncated_json_names_line_and_column(source: Source) -> None:
    source.write(
        "intercity_transport/train/from_杭州_to_上海.json", '[\n {"TrainID": "G1"},\n {"Tr'
    )
    found = message(source)
    assert "from_杭州_to_上海.json:3:3: not JSON" in found
    assert "check that the file is complete" in found


def test_json_of_another_shape(source: Source) -> None:
    source.write("intercity_transport/train/from_杭州_to_上海.json", '{"a": 1}')
    assert "a list of objects" in message(source)
    rows = [{**train(), "cost": 1} for _ in range(2)]
    for row in rows:
        del row["Cost"]
    source.trains(*rows)
    assert "Cost is missing. No row can be read, so check that this is the right file." in message(
        source
    )
    source.trains(train())
    source.write("transportation/subways.json", '{"hangzhou": [{"name": "1"}]}')
    assert "subways.json: hangzhou" in message(source)


def test_a_deeply_nested_json_is_an_error_and_no_crash(source: Source) -> None:
    source.write("transportation/subways.json", "[" * 100_000)
    assert "not JSON" in message(source)


def test_a_city_without_files_lists_the_cities(source: Source) -> None:
    with pytest.raises(TableError, match="no tables for Beijing; it has tables for hangzhou"):
        read_tables(source.directory, "traveleval", find_city("北京"))


def test_the_wrong_folder(tmp_path: Path) -> None:
    city = find_city("杭州")
    (tmp_path / "environment" / "database" / "attractions").mkdir(parents=True)
    with pytest.raises(TableError, match=r"choose .*database"):
        read_tables(tmp_path, "traveleval", city)
    with pytest.raises(TableError, match=r"one of gazetteer\.csv"):
        read_tables(tmp_path, "tripbed", city)
    with pytest.raises(TableError, match="the folder does not exist"):
        read_tables(tmp_path / "nowhere", "tripbed", city)


def test_an_unknown_layout_lists_the_layouts(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="traveleval, tripbed"):
        read_tables(tmp_path, "excel", find_city("杭州"))
    with pytest.raises(TableError, match="traveleval, tripbed"):
        available_cities(tmp_path, "excel")


def test_available_cities(source: Source) -> None:
    assert available_cities(source.directory, "traveleval") == ["hangzhou"]


def test_names_are_needed_in_tripbed_files(tripbed: Tripbed) -> None:
    tripbed.write("gazetteer.csv", "lat,lon", "30.2,120.1")
    with pytest.raises(TableError, match="name_zh or name_en is missing"):
        tripbed.read()


def read(tmp_path: Path, text: str) -> list[tuple[int, list[str], str | None]]:
    (tmp_path / "a.csv").write_text(text, encoding="utf-8", newline="")
    return [
        (row.line, list(row.cells.values()), row.broken)
        for row in read_csv(tmp_path, "a.csv", ("x",))
    ]


def test_lines_are_physical_lines(tmp_path: Path) -> None:
    text = 'x,y\r\n1,"a\r\nb"\r\n\r\n   \r\n2,c\u2028d\r\n3,e'
    assert read(tmp_path, text) == [
        (2, ["1", "a\r\nb"], None), (6, ["2", "c\u2028d"], None), (7, ["3", "e"], None),
    ]  # fmt: skip


@pytest.mark.parametrize("bad", ['2,"open', '2,"open"x', '2,"open,b', "2", "2,b,c"])
def test_a_bad_row_does_not_swallow_its_neighbours(tmp_path: Path, bad: str) -> None:
    rows = read(tmp_path, f'x,y\n1,a\n{bad}\n3,"b"\n4,c\n')
    assert [(line, broken is None) for line, _, broken in rows] == [
        (2, True), (3, False), (4, True), (5, True),
    ]  # fmt: skip
