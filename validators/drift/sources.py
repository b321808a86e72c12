"""The sources of a city as a snapshot has them: one frame per source table, with file and line.

A source table is what a user brings: ``attractions``, ``hotels``, ``restaurants``, ``trains``,
``flights``, ``metro_stations``, ``hubs`` and ``documents``. Its rows are gathered from the
published tables; the columns are named as there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

#: Gives the rows of a published table, of one city at least.
Tables = Callable[[str], pl.DataFrame]

#: Why a file with the bytes of another one is set aside.
SAME_BYTES = "same_bytes"
LABEL, FILE, LINE = "label", "source_file", "source_line"
#: Files that a message names.
_NAMED = 3
#: Findings about rows that were mended or merged, and whose words do not begin with "fix".
_MENDED = frozenset(
    ("coordinates_swapped", "attraction_repeated", "hotel_repeated", "restaurant_repeated",
     "same_place_two_names")
)  # fmt: skip


@dataclass(frozen=True)
class Source:
    """One source table of a city.

    ``rows`` has ``label`` (the row's name), ``source_file``, ``source_line``, ``lat`` and ``lon``
    where it has places, and the columns that are named here. ``read`` counts rows of the source;
    ``broken`` are those that were set aside.
    """

    table: str
    rows: pl.DataFrame
    numbers: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    only_known: tuple[str, ...] = ()
    read: int = 0
    #: Columns that stay as they are in rows of one name, however they are distributed.
    alike: tuple[str, ...] = ()
    #: Ids of the rows, which stay as long as they mean the same.
    key: str | None = None
    #: Shares of the source, by check: (count, of).
    shares: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    #: What was found in its rows: kind to count and words.
    findings: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    broken: pl.DataFrame | None = None
    #: Where pages are that are not among the rows, in words that go on a sentence.
    elsewhere: str = ""

    @property
    def located(self) -> bool:
        """Whether its rows have places."""
        return "lat" in self.rows.columns

    @property
    def name(self) -> str:
        """The file or files of the rows, or ``documents``."""
        if self.table == "documents":
            return "documents"
        return some(self.files) or self.table

    @property
    def files(self) -> list[str]:
        """Files of the rows, or of those that were set aside where there are none."""
        files = self.rows[FILE].drop_nulls()
        if files.is_empty() and self.broken is not None:
            files = self.broken[FILE].drop_nulls()
        return files.unique().sort().to_list()

    def where(self, row: Mapping[str, object]) -> str:
        """File, line and name of a row, as messages quote it."""
        place = str(row[FILE]) if row[LINE] is None else f"{row[FILE]}:{row[LINE]}"
        return f"{place} {row[LABEL]}" if row[LABEL] and row[LABEL] != row[FILE] else place


def some(names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def read_sources(
    table: Tables, city_id: str, given: pl.DataFrame | None = None
) -> dict[str, Source]:
    """Every source table of a city that has rows, or of which rows were read.

    ``given`` is what became of the documents of its build (``warehouse.given``).
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
    """The source with the accounts of its rows; None for one that was not brought."""
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
    """Rows with the name of an earlier one, and its place, or its route and departure."""
    same = [c for c in ("lat", "lon", "route", "departure_min") if c in source.rows.columns]
    rows = source.rows.drop_nulls(LABEL)
    return rows.filter(~pl.struct(LABEL, *same).is_first_distinct()) if same else rows.clear()


def is_mended(kind: str, words: str) -> bool:
    """Whether a finding is of rows that were mended or merged."""
    return kind in _MENDED or words.startswith("fix")


_NAME = pl.coalesce("name_zh", "name_en").alias(LABEL)


def _attractions(table: Tables, city_id: str) -> Source:
    """Places that a table gave, with what the table says of tickets, hours and visits."""
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
    """The hotels with the median, lowest and highest price, the rooms free and the room types."""
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
    """Pages of the city; what was set aside, and what repeats a file, of all that were given."""
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
        f", and of {given.height} pages given {waiting} {is_are} of no city of this build"
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
