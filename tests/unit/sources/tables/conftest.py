"""Small invented sources in the two layouts, and the way to the shared data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from schemas.cities import City, find_city
from sources.tables.imported import Imported
from sources.tables.traveleval import read_traveleval
from sources.tables.tripbed_csv import read_tripbed

ATTRACTION_HEADER = (
    "id,name,type,lat,lon,opentime,endtime,price,recommendmintime,recommendmaxtime,star"
)
HOTEL_HEADER = (
    "id,name,hotelname_en,featurehoteltype,lat,lon,single_room_price,single_room_stock,"
    "king_room_price,king_room_stock,double_bed_price,double_bed_stock,family_room_price,"
    "family_room_stock"
)
RESTAURANT_HEADER = "id,name,lat,lon,price,cuisine,opentime,endtime,recommendedfood"
PARK = "0,青石公园,{公园;亲子友好},30.2569,120.1657,6:30,18:00,0,0.5,1.5,4.6"
HOTEL = "0,柳岸酒店,Willow Bank Hotel,湖景房,30.2500,120.1600,300,1,350.5,0,360,2,500,3"
RESTAURANT = '0,三味小馆,30.2510,120.1610,88.5,江浙菜,10:30,21:00,"藕粉,糖醋排骨"'


@pytest.fixture(scope="session")
def hangzhou() -> City:
    return find_city("杭州")


class Source:
    """A traveleval folder of Hangzhou under construction; every file starts out small and right."""

    def __init__(self, directory: Path, city: City):
        self.directory, self.city = directory, city
        self.attractions(PARK)
        self.hotels(HOTEL)
        self.restaurants(RESTAURANT)

    def write(self, file: str, text: str, encoding: str = "utf-8") -> None:
        path = self.directory / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode(encoding))

    def attractions(self, *rows: str) -> None:
        text = "\n".join((ATTRACTION_HEADER, *rows)) + "\n"
        self.write("attractions/hangzhou/attractions.csv", text, "utf-8-sig")

    def hotels(self, *rows: str) -> None:
        text = "\n".join((HOTEL_HEADER, *rows)) + "\n"
        self.write("accommodations/hangzhou/accommodations.csv", text, "utf-8-sig")

    def restaurants(self, *rows: str) -> None:
        text = "\n".join((RESTAURANT_HEADER, *rows)) + "\n"
        self.write("restaurants/hangzhou/restaurants_hangzhou.csv", text)

    def trains(self, *rows: dict[str, object], pair: tuple[str, str] = ("杭州", "上海")) -> None:
        file = f"intercity_transport/train/from_{pair[0]}_to_{pair[1]}.json"
        self.write(file, json.dumps(rows, ensure_ascii=False))

    def flights(self, *rows: dict[str, object]) -> None:
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        self.write("intercity_transport/airplane.jsonl", "\n".join(lines) + "\n")

    def metro(self, *lines: tuple[str, Sequence[tuple[str, str]]], city: str = "hangzhou") -> None:
        network = [
            {"name": name, "stations": [{"name": n, "position": p} for n, p in stations]}
            for name, stations in lines
        ]
        self.write("transportation/subways.json", json.dumps({city: network}, ensure_ascii=False))

    def read(self) -> Imported:
        return read_traveleval(self.directory, self.city)


@pytest.fixture
def source(tmp_path: Path, hangzhou: City) -> Source:
    return Source(tmp_path, hangzhou)


class Tripbed:
    """A folder in tripbed's own layout under construction."""

    def __init__(self, directory: Path, city: City):
        self.directory, self.city = directory, city

    def write(self, file: str, *lines: str, encoding: str = "utf-8") -> None:
        (self.directory / file).write_bytes(("\n".join(lines) + "\n").encode(encoding))

    def read(self) -> Imported:
        return read_tripbed(self.directory, self.city)


@pytest.fixture
def tripbed(tmp_path: Path, hangzhou: City) -> Tripbed:
    return Tripbed(tmp_path, hangzhou)


def kinds(imported: Imported, table: str) -> set[tuple[str, str]]:
    """Severity and kind of the findings of a table."""
    rows = imported.findings.filter(pl.col("table") == table)
    return set(rows.select("severity", "kind").iter_rows())


def count(imported: Imported, table: str) -> tuple[int, int, int, int]:
    """Rows in, kept, merged and quarantined of a table."""
    row = imported.counts.filter(pl.col("table") == table).row(0, named=True)
    return row["rows_in"], row["rows_kept"], row["rows_merged"], row["rows_quarantined"]


def train(number: str = "G101", **changes: object) -> dict[str, object]:
    """A train from Hangzhou to Shanghai as the traveleval layout has it."""
    row: dict[str, object] = {
        "TrainID": number, "TrainType": "高铁", "From": "杭州东站", "To": "上海虹桥站",
        "BeginTime": "08:00", "EndTime": "09:00", "Duration": 1.0, "Cost": 73.5,
    }  # fmt: skip
    return {**row, **changes}


def flight(number: str = "XY100", **changes: object) -> dict[str, object]:
    """A flight from Hangzhou to Beijing as the traveleval layout has it."""
    row: dict[str, object] = {
        "FlightID": number, "From": "杭州萧山国际机场", "To": "北京首都国际机场",
        "BeginTime": "7:00", "EndTime": "9:10", "Duration": 2.17, "Cost": 600.0,
    }  # fmt: skip
    return {**row, **changes}
