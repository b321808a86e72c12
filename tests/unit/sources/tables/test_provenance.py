"""``sources.yaml``: what is stated of files, and what is wrong with it."""

from __future__ import annotations

import datetime as dt

import pytest

from schemas.cities import City
from sources.tables.intake import TableError
from sources.tables.registry import read_tables
from tests.unit.sources.tables.conftest import Tripbed

STATED = """\
- {files: "hotels.csv", source: A survey, licence: CC0-1.0, date: 2025-01-31}
- {files: "*.csv", source: Open data}
"""


def folder(tripbed: Tripbed, sources: str | None) -> Tripbed:
    tripbed.write("gazetteer.csv", "name_zh,lat,lon", "一园,30.2,120.1", "坏园,north,120.1")
    tripbed.write("hotels.csv", "name_zh,lat,lon,room_type", "一店,30.2,120.1,king")
    if sources is not None:
        tripbed.write("sources.yaml", sources)
    return tripbed


def test_the_first_entry_that_fits_holds_for_each_row_kept(
    tripbed: Tripbed, hangzhou: City
) -> None:
    imported = read_tables(folder(tripbed, STATED).directory, "tripbed", hangzhou)
    columns = ("table", "source_line", "source_name", "licence", "source_date")
    assert imported.row_sources.select(columns).rows() == [
        ("hotels", 2, "A survey", "CC0-1.0", dt.date(2025, 1, 31)),
        ("pois", 2, "Open data", None, None),
    ]


def test_without_the_file_nothing_is_stated(tripbed: Tripbed, hangzhou: City) -> None:
    assert read_tables(folder(tripbed, None).directory, "tripbed", hangzhou).row_sources.is_empty()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("files: a", "must contain a list of entries"),
        ("- {source: a}", "entry 1: the key 'files' is missing"),
        ('- {files: "*", license: x}', "unknown key 'license'"),
        ('- {files: "*", date: soon}', "the value of 'date' is not a date"),
        ("- [", "not YAML"),
        ('- {files: "*", licence: 4}', "the value of 'licence' must be text"),
    ],
)
def test_a_wrong_file_is_said(tripbed: Tripbed, hangzhou: City, text: str, said: str) -> None:
    with pytest.raises(TableError, match=r"sources\.yaml: ") as error:
        read_tables(folder(tripbed, text).directory, "tripbed", hangzhou)
    assert said in str(error.value)
