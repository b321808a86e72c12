"""Define twenty bad sources, which were listed before anybody wrote the gates for them."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from benchmarks.bad_source import (
    BadSource,
    Row,
    Spoil,
    edit_rows,
    pages,
    read_rows,
    write_rows,
)

_CONSENT = "# Before you continue\n\nWe use cookies. Please verify that you are human to go on.\n"


def _every(file: str, **cells: str) -> Spoil:
    """Set the given cells in every row of a file."""
    return lambda inputs, draw: edit_rows(inputs / "tables" / file, lambda row: cells)


def _meals_times_hundred(inputs: Path, draw: random.Random) -> None:
    edit_rows(
        inputs / "tables" / "restaurants.csv",
        lambda row: {"price_cny": str(int(row["price_cny"]) * 100) if row["price_cny"] else ""},
    )


def _cut_in_mid_row(inputs: Path, draw: random.Random) -> None:
    path = inputs / "tables" / "trains.csv"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:17]) + lines[17][: len(lines[17]) // 2], encoding="utf-8")


def _every_page_twice(inputs: Path, draw: random.Random) -> None:
    for path in pages(inputs):
        shutil.copy(path, path.with_name(f"copy-of-{path.name}"))


def _one_hotel(inputs: Path, draw: random.Random) -> None:
    path = inputs / "tables" / "hotels.csv"
    header, rows = read_rows(path)
    write_rows(path, header, [row for row in rows if row["id"] == rows[0]["id"]])


def _swap_axes(inputs: Path, draw: random.Random) -> None:
    edit_rows(
        inputs / "tables" / "gazetteer.csv", lambda row: {"lat": row["lon"], "lon": row["lat"]}
    )


def _move_places(file: str, north: float, east: float) -> Spoil:
    """Move every place in a file by some degrees."""

    def move(row: Row) -> Row:
        if not row["lat"] or not row["lon"]:
            return {}
        lat, lon = float(row["lat"]) + north, float(row["lon"]) + east
        return {"lat": f"{lat:.5f}", "lon": f"{lon:.5f}"}

    return lambda inputs, draw: edit_rows(inputs / "tables" / file, move)


def _price_column_renamed(inputs: Path, draw: random.Random) -> None:
    path = inputs / "tables" / "gazetteer.csv"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(",price_cny,", ",price_yuan,", 1), encoding="utf-8")


def _garbled_names(inputs: Path, draw: random.Random) -> None:
    edit_rows(
        inputs / "tables" / "restaurants.csv",
        lambda row: {"name_zh": row["name_zh"].encode().decode("latin-1")},
    )


def _comma_lost_in_half(inputs: Path, draw: random.Random) -> None:
    path = inputs / "tables" / "gazetteer.csv"
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    lost = set(draw.sample(range(len(lines)), len(lines) // 2))
    kept = [line.replace(",", "", 1) if n in lost else line for n, line in enumerate(lines)]
    path.write_text("\n".join([head, *kept]) + "\n", encoding="utf-8")


def _half_in_cents(inputs: Path, draw: random.Random) -> None:
    path = inputs / "tables" / "trains.csv"
    header, rows = read_rows(path)
    for row in draw.sample(rows, len(rows) // 2):
        row["price_cny"] = str(round(float(row["price_cny"] or 0) * 100))
    write_rows(path, header, rows)


def _late(clock: str) -> str:
    """Return a clock time eight hours later; the mark for the next day is left as it is."""
    hours, rest = clock.split(":")
    return f"{(int(hours) + 8) % 24:02d}:{rest}"


def _arrivals_eight_hours_late(inputs: Path, draw: random.Random) -> None:
    edit_rows(
        inputs / "tables" / "flights.csv", lambda row: {"arrival": _late(row["arrival"])}
    )  # fmt: skip


def _forty_consent_pages(inputs: Path, draw: random.Random) -> None:
    for path in draw.sample(pages(inputs), 40):
        path.write_text(_CONSENT, encoding="utf-8")


def _pages_cut(inputs: Path, draw: random.Random) -> None:
    for path in pages(inputs):
        path.write_bytes(path.read_bytes()[:200])


CASES = [
    BadSource(
        "restaurant prices a hundred times too high",
        _meals_times_hundred,
        "restaurants.csv",
        ("price",),
    ),
    BadSource(
        "a train file cut in the middle of a row", _cut_in_mid_row, "trains.csv", ("cut", "rows")
    ),
    BadSource("every page twice", _every_page_twice, "documents", ("copies", "near_duplicate_of")),
    BadSource("one hotel where there were 18", _one_hotel, "hotels.csv", ("rows",)),
    BadSource("hotels at 0 yuan", _every("hotels.csv", price_cny="0"), "hotels.csv", ("price",)),
    BadSource("ratings of 60", _every("gazetteer.csv", rating="60"), "gazetteer.csv", ("rating",)),
    BadSource(
        "one opening time for all restaurants",
        _every("restaurants.csv", opening_hours="00:00-24:00"),
        "restaurants.csv",
        ("hours",),
    ),
    BadSource(
        "latitude and longitude swapped",
        _swap_axes,
        "gazetteer.csv",
        ("coordinates", "lat"),
        refused=False,
    ),
    BadSource(
        "sights 500 m off, another datum",
        _move_places("gazetteer.csv", -0.0024, 0.0047),
        "gazetteer.csv",
        ("lat", "coordinates"),
    ),
    BadSource(
        "all restaurants at one point",
        _every("restaurants.csv", lat="30.25000", lon="120.16000"),
        "restaurants.csv",
        ("lat", "coordinates"),
    ),
    BadSource(
        "the column of ticket prices renamed", _price_column_renamed, "gazetteer.csv", ("price",)
    ),
    BadSource("names of restaurants garbled", _garbled_names, "restaurants.csv", ("name_zh",)),
    BadSource(
        "a comma lost in half of the sights",
        _comma_lost_in_half,
        "gazetteer.csv",
        ("rows", "shape"),
    ),
    BadSource("half of the train fares in cents", _half_in_cents, "trains.csv", ("price",)),
    BadSource(
        "flights arrive eight hours late",
        _arrivals_eight_hours_late,
        "flights.csv",
        ("duration", "rows"),
    ),
    BadSource(
        "forty pages are a consent page",
        _forty_consent_pages,
        "documents",
        ("rows", "copies", "near_duplicate_of"),
    ),
    BadSource("every page cut after 200 bytes", _pages_cut, "documents", ("n_chars",)),
    BadSource(
        "every sight is free", _every("gazetteer.csv", price_cny="0"), "gazetteer.csv", ("price",)
    ),
    BadSource(
        "one fare for all trains", _every("trains.csv", price_cny="100"), "trains.csv", ("price",)
    ),
    BadSource(
        "hotels of another city",
        _move_places("hotels.csv", 0.96, 1.32),
        "hotels.csv",
        ("lat", "coordinates"),
    ),
]
