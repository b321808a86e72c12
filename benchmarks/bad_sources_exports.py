"""Define 36 kinds of bad sources that exports, spreadsheets and crawlers produce.

The kinds are modelled on the faults of real exports. A person who had read the gates listed all the
kinds before any of them was tried. ``CASES`` contains the kinds that were drawn, and ``LEFT``
contains the rest. Of the 36 kinds, 20 are drawn at random with a fixed seed. In the first run,
before any corrections, the terminal output named the fault in 14 of these 20 cases. Of the 17 cases
that must be refused, 14 were refused.
"""

from __future__ import annotations

import random
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.bad_source import BadSource, Row, Spoil, edit_rows, pages, read_rows, write_rows

DRAWN, SEED = 20, 20261122
_YUAN_PER_DOLLAR = 7.2
_PAGE = 50  # rows in one page of an API
_EXCEL_ROWS = 100
_SUZHOU = (1.05, 0.46)  # degrees of latitude and longitude from Hangzhou
_PAYWALL = "\n\n……\n\n登录后阅读全文，开通会员可查看完整攻略。\n"


def _edit(file: str, change: Callable[[Row], Mapping[str, str]]) -> Spoil:
    """Change every row of a file in the same way."""
    return lambda inputs, draw: edit_rows(inputs / "tables" / file, change)


def _edit_some(file: str, share: float, change: Callable[[Row], Mapping[str, str]]) -> Spoil:
    """Change a random sample of a file's rows."""

    def spoil(inputs: Path, draw: random.Random) -> None:
        edit_rows(
            inputs / "tables" / file, lambda row: change(row) if draw.random() < share else {}
        )

    return spoil


def _remake(file: str, make: Callable[[list[Row], random.Random], list[Row]]) -> Spoil:
    """Replace the rows of a file with the rows that ``make`` returns."""

    def spoil(inputs: Path, draw: random.Random) -> None:
        header, rows = read_rows(inputs / "tables" / file)
        write_rows(inputs / "tables" / file, header, make(rows, draw))

    return spoil


def _each_page(change: Callable[[str], str]) -> Spoil:
    """Change the text of every page."""

    def spoil(inputs: Path, draw: random.Random) -> None:
        for page in pages(inputs):
            page.write_text(
                change(page.read_text(encoding="utf-8", errors="replace")), encoding="utf-8"
            )

    return spoil


def _change_prices(by: Callable[[float], str]) -> Callable[[Row], Mapping[str, str]]:
    """Return a function that replaces every known price."""
    return lambda row: {"price_cny": by(float(row["price_cny"])) if row["price_cny"] else ""}


def _fraction_of_day(row: Row) -> Mapping[str, str]:
    """Write times as fractions of a day, as a spreadsheet does, and drop the mark "+1"."""

    def serial(clock: str) -> str:
        hours, minutes = clock.partition("+")[0].split(":")
        return f"{(int(hours) * 60 + int(minutes)) / 1440:.9f}"

    return {name: serial(row[name]) for name in ("departure", "arrival")}


def _later(clock: str, minutes: int) -> str:
    """Add some minutes to a clock time; a time on a later day gets a mark such as "+1"."""
    time, _, days = clock.partition("+")
    total = int(time[:-3]) * 60 + int(time[-2:]) + minutes + 1440 * int(days or 0)
    mark = f"+{total // 1440}" if total >= 1440 else ""
    return f"{total // 60 % 24:02d}:{total % 60:02d}{mark}"


def _twelve_hours(hours: str) -> str:
    """Write clock times from 13:00 on in the 12-hour format without "p.m."."""
    parts = []
    for piece in hours.replace("-", "|-|").replace(",", "|,|").split("|"):
        hour, colon, rest = piece.partition(":")
        is_late = colon and hour.isdigit() and int(hour) > 12
        parts.append(f"{int(hour) - 12:02d}:{rest}" if is_late else piece)
    return "".join(parts)


def _header_again(inputs: Path, draw: random.Random) -> None:
    path = inputs / "tables" / "gazetteer.csv"
    head, *lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    parts = [lines[start : start + _PAGE] for start in range(0, len(lines), _PAGE)]
    path.write_text("".join(head + "".join(part) for part in parts), encoding="utf-8")


def _with_total(inputs: Path, draw: random.Random) -> None:
    path = inputs / "tables" / "hotels.csv"
    header, rows = read_rows(path)
    total = dict.fromkeys(header, "") | {
        "id": "合计",
        "price_cny": str(sum(int(row["price_cny"] or 0) for row in rows)),
        "stock": str(sum(int(row["stock"] or 0) for row in rows)),
    }
    write_rows(path, header, [*rows, total])


def _names_as_entities(row: Row) -> Mapping[str, str]:
    return {"name_zh": "".join(f"&#{ord(c)};" for c in row["name_zh"])}


def _first_page_again(rows: list[Row], draw: random.Random) -> list[Row]:
    return [rows[n % _PAGE] for n in range(len(rows))]


def _aliases_of_next(rows: list[Row], draw: random.Random) -> list[Row]:
    moved = [*rows[1:], rows[0]]
    return [{**row, "aliases": other["aliases"]} for row, other in zip(rows, moved, strict=True)]


def _parents_at_random(rows: list[Row], draw: random.Random) -> list[Row]:
    parents = [row["parent_id"] for row in rows]
    dealt = draw.sample(parents, len(parents))
    return [
        {**row, "parent_id": "" if p == row["id"] else p}
        for row, p in zip(rows, dealt, strict=True)
    ]


def _of_a_year_ago(rows: list[Row], draw: random.Random) -> list[Row]:
    kept = [row for row in rows if draw.random() < 0.7]
    return [{**row, **_change_prices(lambda price: f"{price * 0.92:.0f}")(row)} for row in kept]


def _half_in_suzhou(row: Row) -> Mapping[str, str]:
    return {
        axis: f"{float(row[axis]) + by:.5f}"
        for axis, by in zip(("lat", "lon"), _SUZHOU, strict=True)
    }


def _swap_axes(row: Row) -> Mapping[str, str]:
    return {"lat": row["lon"], "lon": row["lat"]}


def _error_page(inputs: Path, draw: random.Random) -> None:
    (inputs / "tables" / "hotels.csv").write_text(
        "<html>\n<head><title>502 Bad Gateway</title></head>\n<body>\n<center><h1>502 Bad Gateway"
        "</h1></center>\n<hr><center>nginx</center>\n</body>\n</html>\n",
        encoding="utf-8",
    )


def _only_header(inputs: Path, draw: random.Random) -> None:
    path = inputs / "tables" / "restaurants.csv"
    write_rows(path, read_rows(path)[0], [])


def _zip_hotels(inputs: Path, draw: random.Random) -> None:
    path = inputs / "tables" / "hotels.csv"
    body = path.read_bytes()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("hotels.csv", body)


def _quotes_lost(inputs: Path, draw: random.Random) -> None:
    path = inputs / "tables" / "restaurants.csv"
    path.write_text(path.read_text(encoding="utf-8").replace('"', ""), encoding="utf-8")


def _half_of_pages(inputs: Path, draw: random.Random) -> None:
    every = pages(inputs)
    for page in draw.sample(every, len(every) // 2):
        page.unlink()


def _archived_again(inputs: Path, draw: random.Random) -> None:
    """Archive each page a second time, with a different number of visitors."""
    for page in pages(inputs):
        text = page.read_text(encoding="utf-8", errors="replace")
        again = page.with_name(f"{page.stem}-2{page.suffix}")
        again.write_text(f"{text}\n<p>已有{draw.randint(100, 99999)}人浏览</p>\n", encoding="utf-8")


def _teaser(text: str) -> str:
    """Keep only the title and the first sentence of a page, as a site with a paywall does."""
    head, _, rest = text.partition("\n")
    return f"{head}\n\n{rest.strip()[:60].partition('。')[0]}{_PAYWALL}"


def _as_gbk(text: str) -> str:
    """Decode UTF-8 as GBK and replace the bytes that cannot be decoded."""
    return text.encode().decode("gbk", "replace")


_ROWS = ("rows",)
_LAT = ("lat", "lon")
_PRICE = ("price",)
_COPIES = ("copies", "near_duplicate_of", "repeat", "repeated")

KINDS: list[BadSource] = [
    BadSource(
        "the header again after every 50 rows",
        _header_again,
        "gazetteer.csv",
        ("header", "lat", "rows"),
        refused=False,
    ),
    BadSource(
        "a row of totals at the end",
        _with_total,
        "hotels.csv",
        ("price", "name_zh", "name", "lat", "rows"),
        refused=False,
    ),
    BadSource(
        "prices with a decimal comma",
        _edit("hotels.csv", _change_prices(lambda p: f"{p:.2f}".replace(".", ","))),
        "hotels.csv",
        _PRICE,
    ),
    BadSource(
        "times as fractions of a day",
        _edit("trains.csv", _fraction_of_day),
        "trains.csv",
        ("departure", "arrival"),
    ),
    BadSource(
        "opening hours made a time of day",
        _edit("restaurants.csv", lambda row: {"opening_hours": f"{row['opening_hours'][:5]}:00"}),
        "restaurants.csv",
        ("hours", "opening_hours"),
    ),
    BadSource(
        "names as question marks",
        _edit("hotels.csv", lambda row: {"name_zh": "?" * len(row["name_zh"]), "name_en": ""}),
        "hotels.csv",
        ("name_zh", "names"),
    ),
    BadSource(
        "names as numbers of characters",
        _edit("restaurants.csv", _names_as_entities),
        "restaurants.csv",
        ("name_zh", "names"),
    ),
    BadSource(
        "half of the hotels with axes swapped",
        _edit_some("hotels.csv", 0.5, _swap_axes),
        "hotels.csv",
        (*_LAT, "coordinates"),
        refused=False,
    ),
    BadSource(
        "room rates in dollars",
        _edit("hotels.csv", _change_prices(lambda p: f"{p / _YUAN_PER_DOLLAR:.0f}")),
        "hotels.csv",
        _PRICE,
    ),
    BadSource(
        "the first page of the interface again and again",
        _remake("gazetteer.csv", _first_page_again),
        "gazetteer.csv",
        (*_ROWS, *_COPIES, "name_zh"),
    ),
    BadSource(
        "restaurants of a year ago",
        _remake("restaurants.csv", _of_a_year_ago),
        "restaurants.csv",
        (*_ROWS, "price"),
        refused=False,
    ),
    BadSource(
        "half of the hotels in Suzhou",
        _edit_some("hotels.csv", 0.5, _half_in_suzhou),
        "hotels.csv",
        (*_LAT, "coordinates"),
    ),
    BadSource(
        "one id for all hotels",
        _edit("hotels.csv", lambda row: {"id": "0"}),
        "hotels.csv",
        ("id", "hotel_id", *_ROWS, "name_zh"),
    ),
    BadSource(
        "names and cuisines exchanged",
        _edit(
            "restaurants.csv", lambda row: {"name_zh": row["cuisine"], "cuisine": row["name_zh"]}
        ),
        "restaurants.csv",
        ("name_zh", "cuisine"),
    ),
    BadSource(
        "trains from where they go to",
        _edit(
            "trains.csv",
            lambda row: {"from_station": row["to_station"], "to_station": row["from_station"]},
        ),
        "trains.csv",
        ("station", "origin_station", "destination_station", "route", "from_station", "to_station"),
    ),
    BadSource(
        "an export that stops at 100 rows",
        _remake("gazetteer.csv", lambda rows, draw: rows[:_EXCEL_ROWS]),
        "gazetteer.csv",
        _ROWS,
    ),
    BadSource("a header and no rows", _only_header, "restaurants.csv", _ROWS),
    BadSource(
        "an error page in place of the file",
        _error_page,
        "hotels.csv",
        ("header", "column", "columns", "html"),
    ),
    BadSource(
        "a zip archive named csv",
        _zip_hotels,
        "hotels.csv",
        ("zip", "archive", "binary", "encoding", "UTF-8", "header"),
    ),
    BadSource(
        "ratings as N/A",
        _edit("gazetteer.csv", lambda row: {"rating": "N/A"}),
        "gazetteer.csv",
        ("rating",),
    ),
    BadSource(
        "9999 where no room is free",
        _edit_some("hotels.csv", 0.4, lambda row: {"price_cny": "9999"}),
        "hotels.csv",
        _PRICE,
    ),
    BadSource(
        "no room free anywhere",
        _edit("hotels.csv", lambda row: {"stock": "0"}),
        "hotels.csv",
        ("stock",),
    ),
    BadSource(
        "durations of flights in seconds",
        _edit("flights.csv", lambda row: {"duration_min": str(int(row["duration_min"]) * 60)}),
        "flights.csv",
        ("duration", "duration_min", "minutes"),
    ),
    BadSource(
        "opening hours without the afternoon",
        _edit(
            "restaurants.csv", lambda row: {"opening_hours": _twelve_hours(row["opening_hours"])}
        ),
        "restaurants.csv",
        ("hours", "opening_hours"),
    ),
    BadSource(
        "coordinates with one decimal",
        _edit("hotels.csv", lambda row: {a: f"{float(row[a]):.1f}" for a in ("lat", "lon")}),
        "hotels.csv",
        (*_LAT, "coordinates"),
    ),
    BadSource(
        "the fare of a child",
        _edit("gazetteer.csv", _change_prices(lambda p: f"{p / 2:.0f}")),
        "gazetteer.csv",
        _PRICE,
    ),
    BadSource(
        "trains an hour late",
        _edit("trains.csv", lambda row: {n: _later(row[n], 60) for n in ("departure", "arrival")}),
        "trains.csv",
        ("departure", "arrival"),
        refused=False,
    ),
    BadSource(
        "aliases of the next row",
        _remake("gazetteer.csv", _aliases_of_next),
        "gazetteer.csv",
        ("aliases", "alias"),
    ),
    BadSource(
        "one category for all sights",
        _edit("gazetteer.csv", lambda row: {"category": "natural_landscape"}),
        "gazetteer.csv",
        ("category",),
    ),
    BadSource(
        "parents dealt at random",
        _remake("gazetteer.csv", _parents_at_random),
        "gazetteer.csv",
        ("parent", "parent_id", "parents", "parent_poi_id"),
    ),
    BadSource(
        "quotation marks lost",
        _quotes_lost,
        "restaurants.csv",
        ("shape", "cells", "rows"),
        refused=False,
    ),
    BadSource("half of the pages timed out", _half_of_pages, "documents", _ROWS),
    BadSource("every page archived a second time", _archived_again, "documents", _COPIES),
    BadSource(
        "teasers in front of a wall",
        _each_page(_teaser),
        "documents",
        ("n_chars", "characters", "names", "poi_mentions"),
    ),
    BadSource(
        "pages read in a wrong encoding",
        _each_page(_as_gbk),
        "documents",
        ("encoding", "garbled", "names", "poi_mentions", "rows", "title"),
    ),
    BadSource(
        "stars of hotels as prices",
        _edit("hotels.csv", lambda row: {"price_cny": str(3 + int(row["stock"] or 0) % 3)}),
        "hotels.csv",
        _PRICE,
    ),
]
_drawn = sorted(random.Random(SEED).sample(range(len(KINDS)), DRAWN))
CASES = [KINDS[n] for n in _drawn]
LEFT = [kind for n, kind in enumerate(KINDS) if n not in _drawn]
