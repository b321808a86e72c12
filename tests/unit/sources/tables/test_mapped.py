"""Any file through a mapping: columns, units, codes, encodings,
and what is wrong with a mapping.
"""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import polars as pl
import pytest

from schemas.cities import City
from schemas.geo import distance_m, wgs84_to_gcj02
from sources.tables.imported import Imported
from sources.tables.intake import TableError
from sources.tables.registry import available_cities, read_tables

HEADER = "编号;名称;纬度;经度;类别;票价;时长;开门;关门;等级"
GOOD = """\
tables:
  attractions:
    - file: sights.csv
      encoding: gb18030
      delimiter: ";"
      datum: gcj02
      city: 杭州
      source: Open data of a town
      licence: CC-BY-4.0
      date: 2025-01-31
      columns:
        id: 编号
        name_zh: 名称
        lat: 纬度
        lon: 经度
        types: {column: 类别, separator: "、", codes: {公园绿地: park, 夜景: night_economy}}
        price_cny: {column: 票价, unit: fen}
        max_duration_min: {column: 时长, unit: hour}
        opens: 开门
        closes: 关门
        grade: 等级
"""
LAT, LON = wgs84_to_gcj02(30.25, 120.16)


def row(**changed: object) -> str:
    cells = {
        "编号": "a1", "名称": "青石园", "纬度": LAT, "经度": LON, "类别": "公园绿地、夜景",
        "票价": "2550", "时长": "1.5", "开门": "8:00", "关门": "26:00", "等级": "4A", **changed,
    }  # fmt: skip
    return ";".join(str(cell) for cell in cells.values())


def write(folder: Path, *rows: str, mapping: str = GOOD, encoding: str = "gb18030") -> Path:
    (folder / "mapping.yaml").write_text(mapping, encoding="utf-8")
    (folder / "sights.csv").write_bytes("\n".join((HEADER, *rows)).encode(encoding))
    return folder


def read(folder: Path, city: City) -> Imported:
    return read_tables(folder, "mapped", city)


def test_columns_units_codes_datum_and_encoding(tmp_path: Path, hangzhou: City) -> None:
    imported = read(write(tmp_path, row()), hangzhou)
    place = imported.attractions.row(0, named=True)
    assert distance_m(place["lat"], place["lon"], 30.25, 120.16) < 1
    expected = {
        "source_id": "a1", "name_zh": "青石园", "base_type": "park", "price_cents": 2550,
        "trend_types": ["night_economy"], "duration_max_min": 90, "hours_osm": "08:00-02:00",
        "grade": "AAAA", "datum_original": "gcj02", "source_file": "sights.csv", "source_line": 2,
    }  # fmt: skip
    assert {key: place[key] for key in expected} == expected
    stated = imported.row_sources.row(0, named=True)
    assert (stated["table"], stated["source_line"]) == ("pois", 2)
    assert stated["source_name"] == "Open data of a town"
    assert (stated["licence"], stated["source_date"]) == ("CC-BY-4.0", dt.date(2025, 1, 31))
    assert available_cities(tmp_path, "mapped") == ["杭州"]


def test_a_row_that_cannot_be_read_keeps_its_place(tmp_path: Path, hangzhou: City) -> None:
    rows = (row(票价="twenty"), row(编号="a2", 名称="白石园"), row(编号="a3", 纬度="north"), "a4;b")
    imported = read(write(tmp_path, *rows), hangzhou)
    assert imported.attractions["source_id"].to_list() == ["a2"]
    bad = imported.quarantine.sort("source_line")
    assert bad.select("source_line", "check").rows() == [
        (2, "shape"),
        (4, "coordinates"),
        (5, "shape"),
    ]
    assert "票价 (price_cny) is not a number: 'twenty'" in bad["message"][0]
    assert "lat, lon" in bad["message"][1]


@pytest.mark.parametrize(
    ("price", "hours", "filler", "expected"),
    [
        ("0", ("0:00", "24:00"), "true", (None, None)),
        ("0", ("0:00", "24:00"), "false", (0, "24/7")),
        ("100", ("9:00", "24:00"), "true", (100, "09:00-24:00")),
    ],
)
def test_filler_is_told_from_fact_unless_the_mapping_says_otherwise(
    tmp_path: Path, hangzhou: City, price: str, hours: tuple[str, str], filler: str,
    expected: tuple[int | None, str | None],
) -> None:  # fmt: skip
    mapping = GOOD.replace("公园绿地: park", "公园绿地: amusement_sports")
    mapping = mapping.replace("      columns:", f"      filler: {filler}\n      columns:")
    line = row(票价=price, 开门=hours[0], 关门=hours[1])
    place = read(write(tmp_path, line, mapping=mapping), hangzhou).attractions.row(0, named=True)
    assert (place["price_cents"], place["hours_osm"]) == expected


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "delimiter:",
            "delimeter:",
            "mapping.yaml:5: unknown key 'delimeter'; did you mean delimiter?",
        ),
        (
            "  attractions:",
            "  atractions:",
            ":2: unknown key 'atractions'; did you mean attractions?",
        ),
        ("name_zh:", "name_zn:", ":13: unknown key 'name_zn'; did you mean name_zh?"),
        ("unit: fen", "unit: penny", ":17: 'penny' is not one of yuan, fen"),
        ("column: 类别, ", "", ":16: types needs exactly one of"),
        ("city: 杭州", "currency: EURO", ":7: 'EURO' is not an ISO 4217 currency"),
        ("datum: gcj02", "datum: mars", ":6: 'mars' is not one of wgs84"),
        ("gb18030", "klingon", ":4: there is no encoding called 'klingon'"),
        ("2025-01-31", "last year", ":10: not a date"),
        ("grade: 等级", "grade: {column: 等级, unit: hour}", ":21: grade cannot have a unit"),
        ("        lat: 纬度\n", "", "the mapping of sights.csv to attractions lacks lat"),
        ("lat: 纬度", "lat: 维度", "column 维度 is missing; the header contains 编号"),
        ("sights.csv", "sights.xlsx", ":3: the format of sights.xlsx is unclear"),
        ("tables:", "tables: [", "not YAML"),
        ('delimiter: ";"', 'delimiter: ";;"', ":5: a single character is expected"),
        ('delimiter: ";"', 'delimiter: ","', "columns are separated by semicolons; use commas"),
        ("gb18030", "utf-8", "sights.csv:1: not UTF-8"),
    ],
)
def test_a_wrong_mapping_names_its_line(
    tmp_path: Path, hangzhou: City, old: str, new: str, message: str
) -> None:
    assert old in GOOD
    write(tmp_path, row(), mapping=GOOD.replace(old, new, 1))
    with pytest.raises(TableError) as error:
        read(tmp_path, hangzhou)
    assert message in str(error.value)


def test_without_a_mapping(tmp_path: Path, hangzhou: City) -> None:
    with pytest.raises(TableError, match=r"mapping\.yaml: the file does not exist"):
        read(tmp_path, hangzhou)


HOTELS = """\
tables:
  hotels:
    - file: {file}
      city: hangzhou
      columns:
        {{name_en: name, lat: lat, lon: lon, room_type: {{value: king}}, stars: stars,
          price_cny: price}}
"""
STAYS = [
    {"name": "Willow Bank", "lat": 30.2, "lon": 120.1, "stars": "4S", "price": 300.5},
    {"name": "Plum Court", "lat": 30.3, "lon": 120.2, "stars": "9", "price": 0},
]


@pytest.mark.parametrize("kind", ["jsonl", "json", "parquet", "tsv"])
def test_other_formats_are_read_alike(tmp_path: Path, hangzhou: City, kind: str) -> None:
    file = tmp_path / f"stays.{kind}"
    if kind == "parquet":
        pl.DataFrame(STAYS).write_parquet(file)
    elif kind == "tsv":
        pl.DataFrame(STAYS).write_csv(file, separator="\t")
    elif kind == "json":
        file.write_text(json.dumps(STAYS), encoding="utf-8")
    else:
        file.write_text("\n".join(map(json.dumps, STAYS)), encoding="utf-8")
    (tmp_path / "mapping.yaml").write_text(HOTELS.format(file=file.name), encoding="utf-8")
    imported = read(tmp_path, hangzhou)
    found = {h["name_en"]: h for h in imported.hotels.iter_rows(named=True)}
    assert found["Willow Bank"]["rooms"] == [
        {"room_type": "king", "price_cents": 30050, "stock": None}
    ]
    assert (found["Willow Bank"]["stars"], found["Plum Court"]["stars"]) == (4, None)
    assert found["Plum Court"]["rooms"][0]["price_cents"] is None
    assert {"stars_range", "price_filler"} <= set(imported.findings["kind"])
