"""Files that are malformed, row by row or as a whole: what is said, and what is still read."""

from __future__ import annotations

from pathlib import Path

import pytest

from sources.tables.files import read_text
from sources.tables.imported import FEWEST_TO_REFUSE
from sources.tables.intake import TableError
from tests.support.flows.running import run
from tests.unit.sources.tables.conftest import (
    ATTRACTION_HEADER,
    PARK,
    Source,
    Tripbed,
    count,
    kinds,
    train,
)

ATTRACTIONS = "attractions/hangzhou/attractions.csv"
#: The cells of a park, moved by one column: the name is gone and the types stand in its place.
SHIFTED = PARK.replace("青石公园,", "", 1) + ",x"


def whole(source: Source, text: str, encoding: str = "utf-8") -> None:
    source.write(ATTRACTIONS, text, encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_tells_the_encoding(source: Source, encoding: str) -> None:
    whole(source, f"{ATTRACTION_HEADER}\n{PARK}\n", encoding)
    assert source.read().attractions["name_zh"].to_list() == ["青石公园"]


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16-le"])
def test_another_encoding_is_named_with_file_and_line(source: Source, encoding: str) -> None:
    whole(source, f"{ATTRACTION_HEADER}\n{PARK}\n", encoding)
    with pytest.raises(TableError) as error:
        source.read()
    message = str(error.value)
    assert "attractions.csv:2: not UTF-8" in message or "attractions.csv:1: " in message
    assert "state its encoding in mapping.yaml" in message or "column" in message


def test_shifted_rows_are_set_aside_and_a_shifted_file_is_refused(source: Source) -> None:
    source.attractions(PARK, SHIFTED)
    imported = source.read()
    assert count(imported, "attractions") == (2, 1, 0, 1)
    row = imported.quarantine.row(0, named=True)
    assert (row["source_line"], row["check"]) == (3, "coordinates")
    assert "lat, lon" in row["message"]
    source.attractions(*[SHIFTED] * (FEWEST_TO_REFUSE - 1))
    assert count(source.read(), "attractions")[3] == FEWEST_TO_REFUSE - 1
    source.attractions(*[SHIFTED] * FEWEST_TO_REFUSE)
    with pytest.raises(TableError, match=r"attractions\.csv:2: .*columns are in the right order"):
        source.read()


@pytest.mark.parametrize(
    ("opens", "closes", "hours"),
    [
        ("9:00", "17:00", "09:00-17:00"), ("09：00", "17：00", "09:00-17:00"),
        ("9:00", "24:00", "09:00-24:00"), ("17:00", "2:00", "17:00-02:00"),
        ("17:00", "26:00", "17:00-02:00"), ("9:00:00", "17:00:00", "09:00-17:00"),
        ("9:00", "49:00", None), ("9:60", "17:00", None), ("9", "17", None), ("", "17:00", None),
    ],
)  # fmt: skip
def test_times_as_sources_write_them(
    source: Source, opens: str, closes: str, hours: str | None
) -> None:
    source.attractions(PARK.replace("6:30,18:00", f"{opens},{closes}"))
    imported = source.read()
    assert imported.attractions["hours_osm"].to_list() == [hours]
    unread = ("mark", "hours_unreadable") in kinds(imported, "attractions")
    assert unread == (hours is None and opens != "")


@pytest.mark.parametrize(("column", "key"), [("departure", "BeginTime"), ("arrival", "EndTime")])
def test_a_train_time_that_cannot_be_read_names_its_column(
    source: Source, column: str, key: str
) -> None:
    source.trains(train(), train("G103", **{key: "8h30"}))
    (message,) = source.read().quarantine["message"]
    assert message.startswith(f"{column}: not a clock time")


def test_swapped_coordinates_are_mended_and_half_ones_are_not(tripbed: Tripbed) -> None:
    tripbed.write(
        "gazetteer.csv", "name_zh,lat,lon", "一园,120.16,30.25", "二园,30.25,", "三园,30.26,120.17"
    )
    imported = tripbed.read()
    assert imported.attractions["lat"].to_list() == [30.25, 30.26]
    assert imported.quarantine["message"].to_list() == ["lat, lon: no coordinates: '30.25', None"]


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        (
            "gazetteer.csv",
            b"name_zh;lat;lon\n\xe5\x9b\xad;30;120",
            "gazetteer.csv:1: columns are separated by semicolons",
        ),
        (
            "gazetteer.csv",
            b"name_zh,lat\n\xe5\x9b\xad,30",
            "gazetteer.csv:1: column lon is missing",
        ),
        (
            "gazetteer.csv",
            "name_zh,lat,lon\n青石公园,30,120".encode("gb18030"),
            "gazetteer.csv:2: not UTF-8",
        ),
        ("hubs.csv", b"name,lat\nx,1", "hubs.csv:1: column lon is missing"),
    ],
)
def test_the_command_line_ends_with_2_and_names_the_place(
    tmp_path: Path, file: str, content: bytes, said: str
) -> None:
    (tmp_path / file).write_bytes(content)
    for command in (
        ("tables", "audit", tmp_path),
        (
            "build",
            "--direct",
            "--profile",
            "tables",
            "--tables",
            tmp_path,
            "--workspace",
            tmp_path / "w",
            "--out",
            tmp_path / "o",
        ),
    ):
        outcome = run(*command, "--city", "hangzhou")
        assert outcome.code == 2
        assert said in outcome.err


def test_own_stations_airports_and_metro(tripbed: Tripbed) -> None:
    tripbed.write(
        "hubs.csv", "name,lat,lon", "一站,30.25,120.16", "远站,39.9,116.4", "一站,30.25,120.16"
    )
    tripbed.write(
        "metro_stations.csv",
        "line,name,lat,lon",
        "1号线,甲,30.20,120.10",
        "1号线,乙,30.21,120.11",
        "2号线,乙,30.21,120.11",
        "2号线,丙,30.22,120.12",
    )
    imported = tripbed.read()
    assert imported.hubs["name"].to_list() == ["一站"]
    assert count(imported, "hubs") == (3, 1, 1, 1)
    assert imported.metro_stations.select("line", "sequence", "name").rows() == [
        ("1号线", 1, "甲"), ("1号线", 2, "乙"), ("2号线", 1, "乙"), ("2号线", 2, "丙"),
    ]  # fmt: skip
    assert imported.metro_stations["station_id"].n_unique() == 3
    assert imported.metro_edges.height == 2
    assert imported.metro_stations["lat"][0] == 30.20


@pytest.mark.parametrize(
    ("begins", "what"),
    [
        (b"PK\x03\x04", "a zip archive or a spreadsheet: unpack it, or save it as CSV UTF-8"),
        (b"\x1f\x8b\x08", "a gzip file"), (b"\xd0\xcf\x11\xe0", "an old spreadsheet"),
        (b"PAR1", "with format: parquet"), (b"%PDF-1.7", "a PDF"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_text_is_told_by_its_first_bytes(
    begins: bytes, what: str, tmp_path: Path
) -> None:
    (tmp_path / "hotels.csv").write_bytes(begins + b"\x00\xff" * 40)
    with pytest.raises(TableError, match=r"hotels\.csv:1: this is not text but ") as told:
        read_text(tmp_path, "hotels.csv")
    assert what in str(told.value)
