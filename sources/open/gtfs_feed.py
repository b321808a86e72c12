"""Unpack a GTFS feed, read its tables, and choose a typical day of service.

The zip file is treated as untrusted. The tables are read with polars, because other GTFS libraries
keep the whole feed in memory as pandas frames or depend on geopandas. Moreover, other GTFS
libraries do not count the rows that they drop.
"""

from __future__ import annotations

import codecs
import datetime as dt
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from sources.open.errors import OpenDataError

#: Files that every feed must have, with their contents.
REQUIRED = {
    "stops.txt": "where the stops are",
    "routes.txt": "which lines there are",
    "trips.txt": "the trips on each line",
    "stop_times.txt": "when and where each trip stops",
}
#: A feed must have one of these files, which give the days on which trips run.
CALENDARS = ("calendar.txt", "calendar_dates.txt")
OPTIONAL = (
    "agency.txt", "feed_info.txt", "frequencies.txt", "transfers.txt", "fare_attributes.txt",
    "fare_rules.txt", "fare_products.txt", "fare_leg_rules.txt", "fare_transfer_rules.txt",
    "stop_areas.txt", "route_networks.txt", "rider_categories.txt",
)  # fmt: skip
#: Largest size of an unpacked feed; no published feed is larger.
MOST_BYTES = 16_000_000_000
#: A file that grows to more than this many times its packed size is a zip bomb; tables usually grow
#: to about ten times their size.
MOST_RATIO, _FREE_BYTES = 250, 50_000_000
_CHUNK_BYTES = 1 << 20
_ENCODINGS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16",
              codecs.BOM_UTF16_BE: "utf-16"}  # fmt: skip
#: Number of days of a calendar that are used, because some calendars end in a distant year.
_MOST_DAYS = 500
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
#: Days of the week that are preferred as typical days: Tuesday to Thursday.
_USUAL = (1, 2, 3)


@dataclass
class Feed:
    """The unpacked files of a feed by name, with notes on problems in the files."""

    name: str
    files: dict[str, Path] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    _quotes: dict[str, str | None] = field(default_factory=dict)

    def has(self, file: str) -> bool:
        """Check whether the feed contains a file."""
        return file in self.files

    def scan(self, file: str, columns: Sequence[str]) -> pl.LazyFrame:
        """Return the columns of a file as text; empty cells and missing columns are null.

        Raises OpenDataError if a required file is empty.
        """
        path = self.files[file]
        if file not in self._quotes:
            self._quotes[file] = self._quoting(file)
        quote = self._quotes[file]
        rows = _scan(path, quote)
        try:
            names = rows.collect_schema().names()
        except pl.exceptions.NoDataError:
            if file in (*REQUIRED, *CALENDARS):
                raise OpenDataError(f"gtfs={self.name}: {file} is empty") from None
            return pl.LazyFrame(schema=dict.fromkeys(columns, pl.String()))
        known = {_plain(name): name for name in reversed(names)}
        cells = [
            (pl.col(known[c]) if c in known else pl.lit(None, pl.String))
            .str.strip_chars(" \t\r\"" if quote is None else " \t\r").replace("", None).alias(c)
            for c in columns
        ]  # fmt: skip
        return rows.select(cells)

    def read(self, file: str, columns: Sequence[str]) -> pl.DataFrame:
        """Read a small file; if the feed does not contain the file, the result has no rows."""
        if not self.has(file):
            return pl.DataFrame(schema=dict.fromkeys(columns, pl.String()))
        return self.scan(file, columns).collect()

    def _quoting(self, file: str) -> str | None:
        """Return the quotation mark that a file uses, or None if the file contains no quotation
        marks or an unclosed one.
        """
        path = self.files[file]
        if not _holds(path, b'"'):
            return None
        try:
            _scan(path, '"').select(pl.all().count()).collect(engine="streaming")
        except pl.exceptions.PolarsError:
            self.notes.append(
                f"{file} contains a quotation mark that is not closed: quotation marks in this "
                f"file are read as ordinary characters"
            )
            return None
        return '"'


def unpack(path: Path, called: str, folder: Path) -> Feed:
    """Unpack a feed into a folder, converting all files to UTF-8.

    Raises OpenDataError if the file is not a zip, is too large when unpacked, or lacks required
    files.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(archive, called)
            _check_whole(members, called)
            feed = Feed(called)
            for name, member in sorted(members.items()):
                target = folder / name
                encoding = _write(archive, member, target)
                if encoding == "cp1252":
                    feed.notes.append(f"{name} is not UTF-8, so it is read as Windows-1252")
                feed.files[name] = target
            return feed
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, OSError, NotImplementedError,
            RuntimeError) as error:  # fmt: skip
        if isinstance(error, OSError) and not path.is_file():
            raise OpenDataError(f"gtfs={called}: the file does not exist") from None
        raise OpenDataError(
            f"gtfs={called}: this is not a readable zip file ({str(error)[:120]}): download the"
            " feed again; if tripbed stored it, use --refresh"
        ) from None


def _members(archive: zipfile.ZipFile, called: str) -> dict[str, zipfile.ZipInfo]:
    """Find a feed's files in a zip, either at its root or in a folder."""
    wanted = {*REQUIRED, *CALENDARS, *OPTIONAL}
    found: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        name = member.filename.replace("\\", "/").rsplit("/", 1)[-1].casefold()
        if name not in wanted or member.is_dir() or "__MACOSX" in member.filename:
            continue
        if name in found:
            raise OpenDataError(
                f"gtfs={called}: {name} occurs twice in the zip file: give each feed its own zip"
                " file"
            )
        if member.flag_bits & 1:
            raise OpenDataError(f"gtfs={called}: {name} is encrypted")
        found[name] = member
    for name, member in found.items():
        if member.file_size > _FREE_BYTES and member.file_size > MOST_RATIO * member.compress_size:
            raise OpenDataError(
                f"gtfs={called}: {name} has {member.compress_size:,} bytes and would unpack to"
                f" {member.file_size:,} bytes: no real feed is compressed so heavily, so tripbed"
                " does not unpack it"
            )
    total = sum(member.file_size for member in found.values())
    if total > MOST_BYTES:
        raise OpenDataError(
            f"gtfs={called}: the feed would unpack to {total:,} bytes, but the limit is"
            f" {MOST_BYTES:,}: first cut the feed down to your region"
        )
    return found


def _check_whole(members: dict[str, zipfile.ZipInfo], called: str) -> None:
    missing = [f"{name} ({what})" for name, what in REQUIRED.items() if name not in members]
    if not any(name in members for name in CALENDARS):
        missing.append("calendar.txt or calendar_dates.txt (the days on which trips run)")
    if missing:
        raise OpenDataError(
            f"gtfs={called}: the feed lacks {', '.join(missing)}: "
            "ask its publisher for a complete feed"
        )


def _write(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> str:
    """Write a file from the zip as UTF-8, chunk by chunk, and return its original encoding."""
    with archive.open(member) as handle:
        head = handle.read(4)
    encoding = next((e for mark, e in _ENCODINGS.items() if head.startswith(mark)), "utf-8")
    for tried in (encoding, "cp1252"):
        try:
            with target.open("wb") as out:
                for text in _decode(archive, member, tried):
                    out.write(text.encode())
            return tried
        except UnicodeDecodeError:
            continue
    raise RuntimeError("the text is in an unknown encoding")


def _decode(archive: zipfile.ZipFile, member: zipfile.ZipInfo, encoding: str) -> Iterator[str]:
    # Windows-1252 is tried last, so bytes that it does not define are replaced.
    errors = "replace" if encoding == "cp1252" else "strict"
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    with archive.open(member) as handle:
        while chunk := handle.read(_CHUNK_BYTES):
            yield decoder.decode(chunk)
    yield decoder.decode(b"", final=True)


def _scan(path: Path, quote: str | None) -> pl.LazyFrame:
    return pl.scan_csv(path, infer_schema=False, truncate_ragged_lines=True, quote_char=quote)


def _plain(column: str) -> str:
    return column.strip().strip('"').strip().casefold()


def _holds(path: Path, mark: bytes) -> bool:
    with path.open("rb") as handle:
        while chunk := handle.read(_CHUNK_BYTES):
            if mark in chunk:
                return True
    return False


@dataclass(frozen=True)
class ServiceDay:
    """A typical day, the services that run on that day, and the first and last day of the
    calendar.
    """

    date: dt.date
    services: frozenset[str]
    first: dt.date
    last: dt.date


def service_day(feed: Feed, trips: Mapping[str, int]) -> ServiceDay:
    """Return the Tuesday, Wednesday or Thursday with the most trips, the earliest if several tie.

    If there are no trips on these weekdays, return another day.

    ``trips`` gives the number of trips in each service. Raises OpenDataError if no trip runs on any
    day.
    """
    running, last = _running(feed)
    counts: Counter[dt.date] = Counter()
    for service, days in running.items():
        for day in days:
            counts[day] += trips.get(service, 0)
    if not counts or max(counts.values()) == 0:
        raise OpenDataError(
            f"gtfs={feed.name}: no trip runs on any day of its calendar: ask the publisher for a"
            " feed whose trips refer to services in calendar.txt or calendar_dates.txt"
        )
    best = min(
        counts, key=lambda day: (day.weekday() not in _USUAL or not counts[day], -counts[day], day)
    )
    services = frozenset(service for service, days in running.items() if best in days)
    return ServiceDay(best, services, min(counts), max(last, *counts))


def _running(feed: Feed) -> tuple[dict[str, set[dt.date]], dt.date]:
    """Return the days on which each service runs, and the last day of the calendar."""
    found: dict[str, set[dt.date]] = defaultdict(set)
    weeks = feed.read("calendar.txt", ("service_id", "start_date", "end_date", *_WEEKDAYS))
    spans = [
        (row, start, end)
        for row in weeks.iter_rows(named=True)
        if row["service_id"]
        and (start := _day(row["start_date"]))
        and (end := _day(row["end_date"]))
    ]
    changes = [
        (row["service_id"], day, row["exception_type"])
        for row in feed.read(
            "calendar_dates.txt", ("service_id", "date", "exception_type")
        ).iter_rows(named=True)
        if row["service_id"] and (day := _day(row["date"]))
    ]
    wrong = weeks.height - len(spans)
    if wrong:
        feed.notes.append(f"calendar.txt: {wrong} rows that lack a service or a date are skipped")
    firsts = [start for _, start, _ in spans] + [day for _, day, _ in changes]
    lasts = [end for _, _, end in spans] + [day for _, day, _ in changes]
    horizon = min(firsts, default=dt.date.min) + dt.timedelta(days=_MOST_DAYS)
    for row, start, end in spans:
        served = {n for n, name in enumerate(_WEEKDAYS) if row[name] == "1"}
        for number in range((min(end, horizon) - start).days + 1):
            day = start + dt.timedelta(days=number)
            if day.weekday() in served:
                found[row["service_id"]].add(day)
    for service, day, kind in changes:
        if kind == "1" and day <= horizon:
            found[service].add(day)
        elif kind == "2":
            found[service].discard(day)
    return found, max(lasts, default=dt.date.min)


def _day(text: str | None) -> dt.date | None:
    try:
        return dt.datetime.strptime(text or "", "%Y%m%d").date()
    except ValueError:
        return None


def seconds(column: str) -> pl.Expr:
    """Read times such as ``25:10:00`` as seconds after the start of the service day.

    A time that cannot be read becomes null.
    """
    parts = pl.col(column).str.extract_groups(r"^(\d{1,3}):([0-5]\d):([0-5]\d)$")
    hours, minutes, rest = (parts.struct.field(str(n)).cast(pl.Int32) for n in (1, 2, 3))
    return hours * 3600 + minutes * 60 + rest
