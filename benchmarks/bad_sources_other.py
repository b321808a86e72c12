"""Define twenty further bad sources, written by a person who had not seen the gates."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from string import ascii_uppercase

from benchmarks.bad_source import BadSource, Row, edit_rows, pages, read_rows, write_rows

_LOGIN = (
    "<html><head><title>登录</title></head><body><form action='/login?next={name}'>"
    "手机号 <input name='phone'> 验证码 <input name='code'> <button>登录</button></form>"
    "<p>登录后查看全文</p></body></html>\n"
)
_CHENGDU = ("宽窄巷子", "锦里", "武侯祠", "杜甫草堂", "大熊猫基地", "春熙路", "青羊宫", "文殊院")
_FIRST_PACKET = 360  # bytes
_DAY = 24 * 60  # minutes
_CHINA_AHEAD_OF_UTC = 8 * 60  # minutes
_TO_SHANGHAI = (0.98, 1.31)  # degrees of latitude and longitude from Hangzhou
_TO_BAIDU = (0.006, 0.0065)  # the constant part of the shift from GCJ-02 to BD-09, degrees


def _login_pages(inputs: Path, draw: random.Random) -> None:
    """Replace each page with a login form that contains the address of the page."""
    for page in pages(inputs):
        page.write_text(_LOGIN.format(name=page.stem), encoding="utf-8")


def _still_gzipped(inputs: Path, draw: random.Random) -> None:
    """Save web pages as they were sent, still compressed with gzip."""
    for page in pages(inputs):
        if page.suffix == ".html":
            page.write_bytes(gzip.compress(page.read_bytes(), mtime=0))


def _first_packet_only(inputs: Path, draw: random.Random) -> None:
    """Keep only the first packet of each page."""
    for page in pages(inputs):
        page.write_bytes(page.read_bytes()[:_FIRST_PACKET])


def _pages_of_chengdu(inputs: Path, draw: random.Random) -> None:
    """Make every page describe a different city, as if the city had been left out of the search."""
    for page in pages(inputs):
        a, b, c, d = draw.sample(_CHENGDU, 4)
        page.write_text(
            f"# 成都{draw.randint(2, 6)}日游\n\n早上{draw.randint(7, 10)}点先去{a}，人不多，"
            f"逛了{draw.randint(1, 4)}个小时。\n\n中午在{b}附近吃火锅，下午走到{c}，"
            f"门票{draw.randint(2, 9)}0元。晚上去{d}看夜景，再回酒店。\n",
            encoding="utf-8",
        )


def _cells_shifted(inputs: Path, draw: random.Random) -> None:
    """Insert an empty cell before ``category``; the cells after it move by one column."""
    path = inputs / "tables" / "gazetteer.csv"
    header = read_rows(path)[0]
    late = header[header.index("category") :]

    def shift(row: Row) -> Row:
        return dict(zip(late, ["", *(row[name] for name in late)], strict=False))

    edit_rows(path, shift)


def _ids_dealt_anew(inputs: Path, draw: random.Random) -> None:
    """Shuffle ids and parent ids alike, as if they were the line numbers of a reordered file."""
    path = inputs / "tables" / "gazetteer.csv"
    ids = [row["id"] for row in read_rows(path)[1]]
    new = dict(zip(ids, draw.sample(ids, len(ids)), strict=True)) | {"": ""}
    edit_rows(path, lambda row: {"id": new[row["id"]], "parent_id": new[row["parent_id"]]})


def _whole_degrees(inputs: Path, draw: random.Random) -> None:
    """Round coordinates to whole degrees, as if they were stored in a column of integers."""
    edit_rows(
        inputs / "tables" / "gazetteer.csv",
        lambda row: {axis: f"{float(row[axis]):.0f}" for axis in ("lat", "lon") if row[axis]},
    )


def _names_sorted_alone(inputs: Path, draw: random.Random) -> None:
    """Sort one column of the spreadsheet without moving the others."""
    path = inputs / "tables" / "gazetteer.csv"
    names = iter(sorted(row["name_zh"] for row in read_rows(path)[1]))
    edit_rows(path, lambda row: {"name_zh": next(names)})


def _joined_on_room_type(inputs: Path, draw: random.Random) -> None:
    """Join rates by room type only, so that each room has the rates of all hotels."""
    path = inputs / "tables" / "hotels.csv"
    header, rows = read_rows(path)
    joined = [
        {**row, "price_cny": rate["price_cny"], "stock": rate["stock"]}
        for row in rows
        for rate in rows
        if rate["room_type"] == row["room_type"]
    ]
    write_rows(path, header, joined)


def _unknown_rates_as_zero(inputs: Path, draw: random.Random) -> None:
    """Replace two in five rates with 0, as an export may do if rates are missing."""
    edit_rows(
        inputs / "tables" / "hotels.csv",
        lambda row: {"price_cny": "0"} if draw.random() < 0.4 else {},
    )


def _baidu_coordinates(inputs: Path, draw: random.Random) -> None:
    """Use the datum of a different map, which shifts all hotels by 900 m to the north-east."""
    edit_rows(inputs / "tables" / "hotels.csv", lambda row: _move(row, _TO_BAIDU))


def _read_as_latin(inputs: Path, draw: random.Random) -> None:
    """Decode UTF-8 as Latin-1, and encode the result as UTF-8."""
    path = inputs / "tables" / "restaurants.csv"
    path.write_bytes(path.read_bytes().decode("latin-1").encode())


def _phones_as_prices(inputs: Path, draw: random.Random) -> None:
    """Replace the price with the telephone number, as if the columns had been swapped."""
    edit_rows(
        inputs / "tables" / "restaurants.csv",
        lambda row: {"price_cny": f"138{draw.randint(0, 10**8 - 1):08d}"},
    )


def _half_from_shanghai(inputs: Path, draw: random.Random) -> None:
    """Replace every other restaurant with one in Shanghai, as if two exports had been mixed."""
    path = inputs / "tables" / "restaurants.csv"
    header, rows = read_rows(path)
    for row in rows[1::2]:
        row.update(_move(row, _TO_SHANGHAI), id=f"sh-{row['id']}", name_zh=f"沪上{row['name_zh']}")
    write_rows(path, header, rows)


def _always_open(inputs: Path, draw: random.Random) -> None:
    """Replace all opening hours with a default, as if the export had not read them."""
    edit_rows(inputs / "tables" / "restaurants.csv", lambda row: {"opening_hours": "00:00-24:00"})


def _hours_for_minutes(inputs: Path, draw: random.Random) -> None:
    """Give durations in hours instead of minutes."""
    edit_rows(
        inputs / "tables" / "trains.csv",
        lambda row: {"duration_min": f"{float(row['duration_min']) / 60:.1f}"},
    )


def _timetable_of_last_year(inputs: Path, draw: random.Random) -> None:
    """Use an old timetable with lower fares and a third fewer trains."""
    path = inputs / "tables" / "trains.csv"
    header, rows = read_rows(path)
    kept = sorted(draw.sample(range(len(rows)), round(len(rows) * 2 / 3)))
    fares = ({"price_cny": f"{float(rows[n]['price_cny']) * 0.88:.0f}"} for n in kept)
    write_rows(path, header, [{**rows[n], **fare} for n, fare in zip(kept, fares, strict=True)])


def _stations_as_codes(inputs: Path, draw: random.Random) -> None:
    """Replace the names of stations with the railway's three-letter codes."""
    path = inputs / "tables" / "trains.csv"
    sides = ("from_station", "to_station")
    names = sorted({row[side] for row in read_rows(path)[1] for side in sides})
    letters = [f"{a}{b}H" for a in ascii_uppercase for b in ascii_uppercase]
    codes = dict(zip(names, draw.sample(letters, len(names)), strict=True))
    edit_rows(path, lambda row: {side: codes[row[side]] for side in sides})


def _flights_in_utc(inputs: Path, draw: random.Random) -> None:
    """Give the times of flights in UTC."""
    edit_rows(inputs / "tables" / "flights.csv", _in_utc)


def _no_flight_back(inputs: Path, draw: random.Random) -> None:
    """Remove all flights that leave the city, as if only one direction had been exported."""
    path = inputs / "tables" / "flights.csv"
    header, rows = read_rows(path)
    write_rows(path, header, [row for row in rows if row["from_city"] != "杭州"])


def _move(row: Row, degrees: tuple[float, float]) -> Row:
    """Return a row's coordinates, moved by some degrees."""
    by = dict(zip(("lat", "lon"), degrees, strict=True))
    return {axis: f"{float(row[axis]) + by[axis]:.5f}" for axis in by}


def _minutes(clock: str) -> int:
    """Return the minutes since midnight on the day of departure; ``+1`` means the next day."""
    time, _, days = clock.partition("+")
    hour, minute = time.split(":")
    return int(days or 0) * _DAY + int(hour) * 60 + int(minute)


def _in_utc(row: Row) -> Row:
    """Return the times of a row in UTC; the day of arrival is relative to the day of departure."""
    leaves, lands = (_minutes(row[name]) - _CHINA_AHEAD_OF_UTC for name in ("departure", "arrival"))
    days = lands // _DAY - leaves // _DAY
    return {"departure": _clock(leaves), "arrival": _clock(lands) + (f"+{days}" if days else "")}


def _clock(minutes: int) -> str:
    hour, minute = divmod(minutes % _DAY, 60)
    return f"{hour:02d}:{minute:02d}"


_AXES = ("lat", "lon")
_ALIKE = ("login", "same", "alike", "copies", "duplicate", "short", "empty", "place", "mention")
_CUT = ("short", "length", "characters", "cut", "empty", "place", "mention")
_PACKED = ("gzip", "encoding", "decoded", "binary", "unreadable", "html")
_LATE = ("category", "types", "lat", "lon", "column")
_MIXED = (*_AXES, "name_zh", "city", "far", "ids")

CASES: list[BadSource] = [
    BadSource("a login form instead of every page", _login_pages, "documents", _ALIKE),
    BadSource("web pages saved gzipped", _still_gzipped, "documents", _PACKED, refused=False),
    BadSource("pages cut after the first packet", _first_packet_only, "documents", _CUT),
    BadSource(
        "pages of another city",
        _pages_of_chengdu,
        "documents",
        ("city", "place", "mention", "link"),
    ),
    BadSource("cells of places one column late", _cells_shifted, "gazetteer.csv", _LATE),
    BadSource("ids of places dealt anew", _ids_dealt_anew, "gazetteer.csv", ("id", "name_zh")),
    BadSource("places at whole degrees", _whole_degrees, "gazetteer.csv", _AXES),
    BadSource(
        "names of places sorted alone", _names_sorted_alone, "gazetteer.csv", ("name_zh", "names")
    ),
    BadSource(
        "rates joined on the type of room",
        _joined_on_room_type,
        "hotels.csv",
        ("rows", "price", "room_type"),
    ),
    BadSource("unknown rates as zero", _unknown_rates_as_zero, "hotels.csv", ("price",)),
    BadSource("hotels in another datum", _baidu_coordinates, "hotels.csv", _AXES, refused=False),
    BadSource(
        "restaurants read as Latin-1",
        _read_as_latin,
        "restaurants.csv",
        ("name_zh", "cuisine", "encod"),
    ),
    BadSource("telephone numbers as prices", _phones_as_prices, "restaurants.csv", ("price",)),
    BadSource(
        "half the restaurants of another city", _half_from_shanghai, "restaurants.csv", _MIXED
    ),
    BadSource("every restaurant always open", _always_open, "restaurants.csv", ("opening_hours",)),
    BadSource("durations of trains in hours", _hours_for_minutes, "trains.csv", ("duration",)),
    BadSource(
        "the timetable of last year",
        _timetable_of_last_year,
        "trains.csv",
        ("rows", "price"),
        refused=False,
    ),
    BadSource("stations as codes", _stations_as_codes, "trains.csv", ("station",), refused=False),
    BadSource("flights in UTC", _flights_in_utc, "flights.csv", ("departure", "arrival")),
    BadSource(
        "no flight out of the city",
        _no_flight_back,
        "flights.csv",
        ("rows", "from_city", "to_city"),
    ),
]
