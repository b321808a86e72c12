"""Reads a city's source tables from a snapshot: one frame per table, with each row's file and line.

The source tables are ``attractions``, ``hotels``, ``restaurants``, ``trains``, ``flights``,
``metro_stations``, ``hubs`` and ``documents``. The rows come from the published tables, and the
columns keep their names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

#: Returns the rows of a published table, for at least one city.
Tables = Callable[[str], pl.DataFrame]

#: The reason for setting a file aside that has the same bytes as another file.
SAME_BYTES = "same_bytes"
LABEL, FILE, LINE = "label", "source_file", "source_line"
#: Number of files that a message names.
_NAMED = 3
#: Kinds of findings about fixed or merged rows whose message does not begin with "fix".
_MENDED = frozenset(
    ("coordinates_swapped", "attraction_repeated", "hotel_repeated", "restaurant_repeated",
     "same_place_two_names")
)  # fmt: skip


@dataclass(frozen=True)
class Source:
    """One source table for a city.

    ``rows`` has the columns ``label`` (the row's name), ``source_file``, ``source_line`` and all
    columns that other attributes list. For places, ``rows`` also has ``lat`` and ``lon``.
    ``read`` is the number of rows that were read, and ``broken`` contains the rows that were set
    aside.
    """

    table: str
    rows: pl.DataFrame
    numbers: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    only_known: tuple[str, ...] = ()
    read: int = 0
    #: Columns that should not change in rows with unchanged names.
    alike: tuple[str, ...] = ()
    #: The column with the ids of the rows, which should not change.
    key: str | None = None
    #: Shares by check, each as (count, of).
    shares: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    #: Findings about the rows: count and message by kind.
    findings: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    broken: pl.DataFrame | None = None
    #: A note about pages that are not among the rows, as the end of a sentence.
    elsewhere: str = ""

    @property
    def located(self) -> bool:
        """Check whether the rows have coordinates."""
        return "lat" in self.rows.columns

    @property
    def name(self) -> str:
        """Return the name of the source: the files with its rows, or ``documents``."""
        if self.table == "documents":
            return "documents"
        return some(self.files) or self.table

    @property
    def files(self) -> list[str]:
        """Return the files of the rows; if there are no rows, return the files of the rows set
        aside.
        """
        files = self.rows[FILE].drop_nulls()
        if files.is_empty() and self.broken is not None:
            files = self.broken[FILE].drop_nulls()
        return files.unique().sort().to_list()

    def where(self, row: Mapping[str, object]) -> str:
        """Return the file, line and name of a row for a message."""
        place = str(row[FILE]) if row[LINE] is None else f"{row[FILE]}:{row[LINE]}"
        return f"{place} {row[LABEL]}" if row[LABEL] and row[LABEL] != row[FILE] else place


def some(names: Sequence[str]) -> str:
    """List the first few names as text, and say how many more there are."""
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def read_sources(
    table: Tables, city_id: str, given: pl.DataFrame | None = None
) -> dict[str, Source]:
    """Read a city's source tables, except those that have no rows and no record of being read.

    ``given`` contains the results for the documents in the build (``warehouse.given``).
    """
    made = [
        _attractions(table, city_id),
        _places(
            table,
            city_id,
            "hotels",
            ("price_cents", "price_low_cents", "price_high_cents", "stock", "stars", "rating"),
            ("feature", "hotel_class", "room_types", "currency"),
        ),
        _places(
            table,
            city_id,
            "restaurants",
            ("price_cents", "rating"),
            ("cuisine", "hours_osm", "currency"),
        ),
        _connections(table, city_id, "trains", ("train_type",)),
        _connections(table, city_id, "flights", ()),
        _stations(table, city_id, "metro_stations"),
        _stations(table, city_id, "hubs"),
    ]
    counted = _of(table("stage_counts"), city_id)
    findings = _of(table("findings"), city_id)
    broken = _of(table("quarantine"), city_id).filter(pl.col("stage") == "tables")
    known = (_count_rows(source, counted, findings, broken) for source in made)
    found = {source.table: source for source in known if source is not None}
    pages = _documents(table, city_id, given)
    return found if pages is None else {**found, "documents": pages}


def _of(rows: pl.DataFrame, city_id: str) -> pl.DataFrame:
    return rows.filter(pl.col("city_id") == city_id)


def _count_rows(
    source: Source, counts: pl.DataFrame, findings: pl.DataFrame, broken: pl.DataFrame
) -> Source | None:
    """Add the counts and findings to a source, or return None if the user did not provide this
    source.
    """
    mine = counts.filter((pl.col("stage") == "tables") & (pl.col("table") == source.table))
    if mine.is_empty() and source.rows.is_empty():
        return None
    read = int(mine["rows_in"].sum())
    found = findings.filter(pl.col("table") == source.table)
    kinds = {
        kind: (n, words)
        for kind, n, words in found.select("finding", "n_rows", "message").iter_rows()
    }
    mended = sum(n for kind, (n, words) in kinds.items() if is_mended(kind, words))
    return replace(
        source, read=read, findings=kinds,
        shares={
            "set_aside": (int(mine["rows_quarantined"].sum()), read),
            "mended": (min(mended, read), read),
            "repeated": (find_repeats(source).height, source.rows.height),
        },
        broken=broken.filter(pl.col("table") == source.table),
    )  # fmt: skip


def find_repeats(source: Source) -> pl.DataFrame:
    """Find rows with the same name as an earlier row and with the same location (or the same route
    and departure).
    """
    same = [c for c in ("lat", "lon", "route", "departure_min") if c in source.rows.columns]
    rows = source.rows.drop_nulls(LABEL)
    return rows.filter(~pl.struct(LABEL, *same).is_first_distinct()) if same else rows.clear()


def is_mended(kind: str, words: str) -> bool:
    """Check whether a finding is about corrected or merged rows."""
    return kind in _MENDED or words.startswith("fix")


_NAME = pl.coalesce("name_zh", "name_en").alias(LABEL)


def _attractions(table: Tables, city_id: str) -> Source:
    """Read the attractions from tables, with their prices, hours and durations."""
    lines = _of(table("evidence"), city_id).filter(pl.col(FILE).is_not_null())
    lines = lines.select("evidence_id", FILE, LINE)
    facts = _of(table("poi_facts"), city_id).join(lines.select("evidence_id"), on="evidence_id")
    said = facts.group_by("poi_id").agg(
        pl.col("price_cents", "currency", "hours_osm", "duration_max_min").drop_nulls().first()
    )
    parents = (
        _of(table("poi_hierarchy"), city_id)
        .select("poi_id", "parent_poi_id")
        .unique("poi_id", keep="first", maintain_order=True)
    )
    aliases = _of(table("poi_aliases"), city_id).join(lines.select("evidence_id"), on="evidence_id")
    pois = _of(table("pois"), city_id).filter(pl.col("poi_source") == "table")
    names = pois.select(parent_poi_id="poi_id", parent=pl.coalesce("name_zh", "name_en"))
    own = pl.col("alias").eq_missing(pl.col("name_zh")) | pl.col("alias").eq_missing(
        pl.col("name_en")
    )
    named = (
        aliases.join(pois.select("poi_id", "name_zh", "name_en"), on="poi_id")
        .group_by("poi_id")
        .agg(n_aliases=pl.len(), aliases=pl.col("alias").filter(~own).unique().sort())
    )
    rows = (
        pois.join(lines, on="evidence_id", how="left").join(said, on="poi_id", how="left")
        .join(parents, on="poi_id", how="left").join(names, on="parent_poi_id", how="left")
        .join(named, on="poi_id", how="left")
        .select(_NAME, FILE, LINE, "poi_id", "name_zh", "name_en", "lat", "lon", "rating",
                "price_cents", "currency", "hours_osm", "duration_max_min", "category", "base_type",
                "parent_poi_id", "parent", "n_aliases", "aliases")
        .sort(FILE, LINE, LABEL)
    )  # fmt: skip
    return Source(
        "attractions", rows, ("rating", "price_cents", "duration_max_min"),
        ("category", "base_type", "hours_osm", "currency"), ("name_zh", "name_en"),
        only_known=("parent_poi_id", "n_aliases"), alike=("parent", "aliases"), key="poi_id",
    )  # fmt: skip


def _places(
    table: Tables, city_id: str, name: str, numbers: tuple[str, ...], codes: tuple[str, ...]
) -> Source:
    rows = _of(table(name), city_id)
    key = f"{name[:-1]}_id"
    more: tuple[str, ...] = ()
    if name == "hotels":
        rows = _with_rooms(rows)
    else:
        more = ("dishes",)
        rows = rows.with_columns(pl.when(pl.col("dishes").list.len() > 0).then("dishes"))
    rows = rows.select(
        _NAME, FILE, LINE, key, "name_zh", "name_en", "lat", "lon", *numbers, *codes, *more
    )
    return Source(
        name,
        rows.sort(FILE, LINE, LABEL),
        numbers,
        codes,
        ("name_zh", "name_en"),
        only_known=more,
        key=key,
    )


def _with_rooms(hotels: pl.DataFrame) -> pl.DataFrame:
    """Add the price range, the median price, the free rooms and the room types to each hotel."""
    rooms = pl.col("rooms").list
    prices = rooms.eval(pl.element().struct.field("price_cents")).list
    return hotels.with_columns(
        price_cents=prices.median(),
        price_low_cents=prices.min(),
        price_high_cents=prices.max(),
        stock=rooms.eval(pl.element().struct.field("stock")).list.sum(),
        room_types=rooms.eval(pl.element().struct.field("room_type")).list.sort().list.join("|"),
    )


def _connections(table: Tables, city_id: str, name: str, codes: tuple[str, ...]) -> Source:
    rows = table(name).filter(
        (pl.col("origin_city_id") == city_id) | (pl.col("destination_city_id") == city_id)
    )
    rows = rows.select(
        pl.col(f"{name[:-1]}_no").alias(LABEL), FILE, LINE, "origin_station", "destination_station",
        "price_cents", "duration_min", "departure_min", "currency", *codes,
        route=pl.concat_str("origin_station", pl.lit(" - "), "destination_station"),
    )  # fmt: skip
    return Source(
        name, rows.sort(FILE, LINE, LABEL), ("price_cents", "duration_min", "departure_min"),
        ("currency", "route", *codes),
        ("origin_station", "destination_station"),
    )  # fmt: skip


def _stations(table: Tables, city_id: str, name: str) -> Source:
    rows = _of(table(name), city_id).select(
        pl.col("name").alias(LABEL), FILE, LINE, "name", "lat", "lon"
    )
    return Source(name, rows.sort(FILE, LINE, LABEL), (), (), ("name",))


def _documents(table: Tables, city_id: str, given: pl.DataFrame | None) -> Source | None:
    """Read the pages about a city, and count the files that were set aside and those that are
    copies.
    """
    pages_of_city = _of(table("documents"), city_id)
    paths = pages_of_city.select(near_duplicate_of="doc_id", copy_of="path")
    joined = pages_of_city.join(paths, on="near_duplicate_of", how="left")
    rows = joined.select(
        pl.col("path").alias(LABEL), pl.col("path").alias(FILE),
        pl.lit(None, pl.Int64).alias(LINE), "title", "n_chars", "lang", "document_kind",
        "near_duplicate_of", "copy_of", "licence_hint", "published_on",
    )  # fmt: skip
    pages = Source(
        "documents", rows.sort(LABEL), ("n_chars",), ("lang", "document_kind"), ("title",),
        only_known=("licence_hint", "published_on"),
        shares={"copies": (int(rows["near_duplicate_of"].count()), rows.height)},
    )  # fmt: skip
    if given is None or given.is_empty():
        return pages if rows.height else None
    broken = given.filter(pl.col("status") == "set_aside").select(
        pl.col("path").alias(FILE), pl.lit(None, pl.Int64).alias(LINE),
        pl.col("reason").alias("check"), pl.col("why").alias("message"),
    )  # fmt: skip
    same = broken.filter(pl.col("check") == SAME_BYTES).height
    waiting = given.filter(pl.col("status") == "waiting").height
    is_are = "is" if waiting == 1 else "are"
    elsewhere = (
        f"; {waiting} of {given.height} pages {is_are} not about any city in this build"
        if waiting
        else ""
    )
    said = {"same_bytes": (same, given.height), "set_aside": (broken.height - same, given.height)}
    return replace(
        pages,
        read=given.height,
        broken=broken,
        shares={**pages.shares, **said},
        elsewhere=elsewhere,
    )
