"""Finds values that are implausible in themselves, so that even a first build is checked.

Such values include impossible or unusual prices, many values that the reader rejected, one value or
one point in nearly all rows, names in the wrong encoding, files that were cut off, and copies.
Prices are converted roughly to yuan (``schemas/lists/price_levels.tsv``); prices in a currency
without a known price level are not checked. Only ``refuse_cut`` also looks at the last good
snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from schemas.money import price_levels
from validators.drift.bounds import FINE, REFUSED, WARNED, Change, DriftSettings, Pair, share_level
from validators.drift.record import GARBLED, money, show_value, source_column
from validators.drift.sources import FILE, LABEL, LINE, SAME_BYTES, Source, find_repeats


@dataclass(frozen=True)
class PriceRange:
    """The usual range and the possible range of prices in yuan, for one kind of source.

    For journeys, the maximum possible price grows by ``per_minute`` with each minute of the
    journey.
    """

    usual: Pair
    possible: Pair
    per_minute: float = 0.0


#: The ranges were chosen by hand and are wide. In TravelEval's ten published cities, only one meal
#: (6,131 yuan) and one room (12.50) are outside, and train fares reach 5 yuan per minute.
PRICES = {
    "attractions": PriceRange((0, 600), (0, 5_000)),
    "hotels": PriceRange((50, 6_000), (10, 60_000)),
    "restaurants": PriceRange((8, 900), (0, 5_000)),
    "trains": PriceRange((2, 6_000), (1, 100), per_minute=20),
    "flights": PriceRange((100, 20_000), (30, 60_000)),
}
#: Kinds of findings about rejected values, with the column whose value is unknown as a result.
DOUBTED = {
    "rating_range": "rating", "price_filler": "price_cents", "currency_unknown": "price_cents",
    "hours_unreadable": "hours_osm", "hours_filler": "hours_osm", "hours_empty": "hours_osm",
    "visit_order": "duration_max_min", "stars_range": "stars",
}  # fmt: skip
#: Columns that should not have the same value in nearly all rows.
_VARIED = ("price_cents", "rating", "hours_osm", "duration_max_min", "duration_min")
#: The table and column in which 0 is frequent, because many attractions are free.
_FREE = ("attractions", "price_cents")
#: Fewer rows than this are never refused because of their values.
_FEWEST = 3
#: Smallest number of rows that is checked for equal values.
_FEWEST_ALIKE = 15


def judge(source: Source, bounds: DriftSettings) -> Iterator[Change]:
    """Find implausible values in a source table."""
    yield from _prices(source, bounds)
    yield from _find_doubted(source, bounds)
    yield from _one_value(source, bounds)
    yield from _one_point(source, bounds)
    yield from _find_garbled(source, bounds)
    yield from _find_cut(source)
    if source.table == "documents":
        yield from _copies(source, bounds)
    else:
        yield from _find_repeated(source, bounds)


def _level(count: int, of: int, pair: Pair, bounds: DriftSettings) -> int:
    """Return the level that a share reaches; for a few rows, the level is at most a warning."""
    level = share_level(count, of, pair, bounds.sigmas)
    return min(level, WARNED) if count < _FEWEST else level


def _prices(source: Source, bounds: DriftSettings) -> Iterator[Change]:
    """Find impossible prices, and find out whether too many prices are unusual."""
    kind = PRICES.get(source.table)
    if kind is None:
        return
    levels = price_levels()
    yuan = (
        pl.col("price_cents")
        / 100
        * pl.col("currency").replace_strict(levels, default=None, return_dtype=pl.Float64)
    )
    rows = source.rows.with_columns(yuan=yuan).drop_nulls("yuan")
    most = pl.lit(kind.possible[1])
    if kind.per_minute:
        most = most + kind.per_minute * pl.col("duration_min")
    for check, odd, pair, words in (
        (
            "prices",
            ~pl.col("yuan").is_between(kind.possible[0], most),
            bounds.implausible,
            "are impossible",
        ),
        (
            "level",
            ~pl.col("yuan").is_between(*kind.usual),
            bounds.unusual,
            "are unusually low or high",
        ),
    ):
        bad = rows.filter(odd)
        if level := _level(bad.height, rows.height, pair, bounds):
            row = bad.sort("yuan", descending=True, maintain_order=True).row(0, named=True)
            yield Change(
                source.table,
                "price_cents",
                check,
                level,
                show_value("price_cents", row["price_cents"]),
                f"{source.name}: {bad.height} of {rows.height} prices (price) {words} "
                f"for {source.table}, for example {source.where(row)}: "
                f"{show_value('price_cents', row['price_cents'])}{money(row, 'price_cents')}",
            )


def _find_doubted(source: Source, bounds: DriftSettings) -> Iterator[Change]:
    """Find out whether the reader rejected many values as implausible."""
    for kind, (count, words) in sorted(source.findings.items()):
        if kind not in DOUBTED or not source.read:
            continue
        if level := _level(min(count, source.read), source.read, bounds.doubtful, bounds):
            column = DOUBTED[kind]
            yield Change(
                source.table,
                column,
                "doubted",
                level,
                str(count),
                f"{source.name}: {source_column(column)} was implausible in {count} of"
                f" {source.read} rows ({kind}), {words.partition(', ')[2] or words}",
            )


def _one_value(source: Source, bounds: DriftSettings) -> Iterator[Change]:
    """Find a price, rating or opening time that is the same in nearly all rows."""
    for column in _VARIED:
        if column not in source.rows.columns:
            continue
        values = source.rows.drop_nulls(column)
        if (source.table, column) == _FREE:
            values = values.filter(pl.col(column) > 0)
        found = _commonest(values, [column])
        if found is None:
            continue
        count, row = found
        if level := _level(count, values.height, bounds.one_value, bounds):
            yield Change(
                source.table,
                column,
                "one_value",
                level,
                show_value(column, row[column]),
                f"{source.name}: {source_column(column)} is {show_value(column, row[column])} in"
                f" {count} of {values.height} rows, for example {source.where(row)}",
            )


def _commonest(rows: pl.DataFrame, columns: list[str]) -> tuple[int, Mapping[str, object]] | None:
    """Count the rows with the most frequent values; return the count and the first of these rows.

    Returns None if there are too few rows.
    """
    counted = rows.with_columns(same=pl.len().over(columns))
    best = counted.sort("same", descending=True, maintain_order=True)
    if best.height < _FEWEST_ALIKE:
        return None
    row = best.row(0, named=True)
    return int(row["same"]), row


def _one_point(source: Source, bounds: DriftSettings) -> Iterator[Change]:
    """Find a pair of coordinates that many places share."""
    if not source.located or source.table == "metro_stations":
        return
    places = source.rows.drop_nulls(["lat", "lon"])
    found = _commonest(places, ["lat", "lon"])
    if found is None or found[0] == 1:
        return
    count, row = found
    if level := _level(count, places.height, bounds.one_point, bounds):
        yield Change(
            source.table, "lat", "one_point", level, f"{row['lat']}, {row['lon']}",
            f"{source.name}: {count} of {places.height} rows have the coordinates (lat, lon) "
            f"{row['lat']}, {row['lon']}, for example {source.where(row)}",
        )  # fmt: skip


def _find_garbled(source: Source, bounds: DriftSettings) -> Iterator[Change]:
    """Find names that were decoded with the wrong character encoding."""
    for column in source.texts:
        named = source.rows.drop_nulls(column)
        bad = named.filter(pl.col(column).str.contains(GARBLED))
        if level := _level(bad.height, named.height, bounds.garbled, bounds):
            row = bad.row(0, named=True)
            yield Change(
                source.table, column, "garbled", level, str(row[column])[:40],
                f"{source.name}: {column} was decoded with the wrong encoding in {bad.height} of "
                f"{named.height} rows, for example in {source.where(row)}",
            )  # fmt: skip


def _find_cut(source: Source) -> Iterator[Change]:
    """Find files in which only the last row is too short, which suggests that the file was cut
    off.
    """
    for row in find_cut_rows(source):
        yield Change(
            source.table, "rows", "cut", WARNED, str(row[LINE]),
            f"{row[FILE]}: the last row, in line {row[LINE]}, is incomplete, so the end of the "
            f"file may be missing: {row['message']}",
        )  # fmt: skip


def find_cut_rows(source: Source) -> list[dict[str, object]]:
    """Return the last row of each file whose other rows all have the right number of cells."""
    if source.broken is None:
        return []
    alone = source.broken.filter(pl.col("check") == "shape").filter(pl.len().over(FILE) == 1)
    others = pl.concat(
        [
            source.rows.select(FILE, LINE),
            source.broken.filter(pl.col("check") != "shape").select(FILE, LINE),
        ]
    )
    last = others.group_by(FILE).agg(last=pl.col(LINE).max())
    return (
        alone.join(last, on=FILE, how="left")
        .filter(pl.col(LINE) > pl.col("last").fill_null(0))
        .sort(FILE)
        .to_dicts()
    )


def _find_repeated(source: Source, bounds: DriftSettings) -> Iterator[Change]:
    """Find out whether many rows repeat another row."""
    count, of = source.shares.get("repeated", (0, 0))
    if level := _level(count, of, bounds.copies, bounds):
        row = find_repeats(source).row(0, named=True)
        yield Change(
            source.table,
            "rows",
            "copies",
            level,
            str(count),
            f"{source.name}: {count} of {of} rows repeat the name and location of another row, for"
            f" example {source.where(row)}",
        )


def _copies(source: Source, bounds: DriftSettings) -> Iterator[Change]:
    """Find many pages that are copies, and many files that are identical to another file."""
    same, of = source.shares.get(SAME_BYTES, (0, 0))
    level = _level(same, of, bounds.copies, bounds)
    if level and source.broken is not None:
        row = source.broken.filter(pl.col("check") == SAME_BYTES).sort(FILE).row(0, named=True)
        yield Change(
            source.table, "path", "copies", level, str(same),
            f"documents: {same} of {of} files are exact copies of other files, for example "
            f"{row[FILE]} ({row['message']})",
        )  # fmt: skip
    bad = source.rows.filter(pl.col("near_duplicate_of").is_not_null())
    level = _level(bad.height, source.rows.height, bounds.copies, bounds)
    if level > FINE:
        row = bad.row(0, named=True)
        yield Change(
            source.table, "near_duplicate_of", "copies", level, str(bad.height),
            f"documents: {bad.height} of {source.rows.height} pages are copies of other pages "
            f"(near_duplicate_of): for example, {row[LABEL]} is a copy of {row['copy_of']}",
        )  # fmt: skip


def refuse_cut(old: Source, new: Source) -> Iterator[Change]:
    """Refuse files that end in a short row and that had more rows in the last good snapshot."""
    if new.rows.height >= old.rows.height:
        return
    for row in find_cut_rows(new):
        yield Change(
            new.table, "rows", "cut", REFUSED, str(row[LINE]),
            f"{row[FILE]}: the last row, in line {row[LINE]}, is incomplete, and the number of "
            f"rows has fallen from {old.rows.height} to {new.rows.height}, so the end of the "
            f"file is missing: {row['message']}",
        )  # fmt: skip
