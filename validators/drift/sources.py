"""The sources of a city as they stand in a snapshot: a frame a source table, with file and line.

A source table is what a user brings: ``attractions``, ``hotels``, ``restaurants``, ``trains``,
``flights``, ``metro_stations``, ``hubs`` and ``documents``. Its rows are gathered from the
published tables; the columns are named as there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import polars as pl

#: Gives the rows of a published table, of one city at least.
Tables = Callable[[str], pl.DataFrame]

LABEL, FILE, LINE = "label", "source_file", "source_line"
#: Stage and table of ``stage_counts`` under which the rows of a source are counted.
ACCOUNTS = {"documents": ("corpus", "documents")}


@dataclass(frozen=True)
class Source:
    """One source table of a city.

    ``rows`` has ``label`` (the row's name), ``source_file``, ``source_line``, ``lat`` and ``lon``
    where it has places, and the columns that are named here. ``read`` and ``aside`` count rows
    of the source; ``broken`` are those that were set aside.
    """

    table: str
    rows: pl.DataFrame
    numbers: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    read: int = 0
    aside: int = 0
    #: What was found in its rows: kind to count and words.
    findings: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    broken: pl.DataFrame | None = None

    @property
    def located(self) -> bool:
        """Whether its rows have places."""
        return "lat" in self.rows.columns

    @property
    def name(self) -> str:
        """The file or files of the rows, or ``documents``."""
        if self.table == "documents":
            return "documents"
        files = self.rows[FILE].drop_nulls()
        if files.is_empty() and self.broken is not None:
            files = self.broken[FILE].drop_nulls()
        return ", ".join(files.unique().sort().to_list()[:3]) or self.table

    def where(self, row: Mapping[str, object]) -> str:
        """File, line and name of a row, as messages quote it."""
        place = str(row[FILE]) if row[LINE] is None else f"{row[FILE]}:{row[LINE]}"
        return f"{place} {row[LABEL]}" if row[LABEL] and row[LABEL] != row[FILE] else place


def read_sources(table: Tables, city_id: str) -> dict[str, Source]:
    """Every source table of a city that has rows, or of which rows were read."""
    made = [
        _attractions(table, city_id),
        _places(table, city_id, "hotels", ("price_cents", "stock", "stars", "rating"), ("feature", "hotel_class", "room_types")),
        _places(table, city_id, "restaurants", ("price_cents", "rating"), ("cuisine", "hours_osm")),
        _connections(table, city_id, "trains", ("train_type",)),
        _connections(table, city_id, "flights", ()),
        _stations(table, city_id, "metro_stations"),
        _stations(table, city_id, "hubs"),
        _documents(table, city_id),
    ]  # fmt: skip
    counted = _of(table("stage_counts"), city_id)
    findings = _of(table("findings"), city_id)
    broken = _of(table("quarantine"), city_id).filter(pl.col("stage") == "tables")
    known = (_counted(source, counted, findings, broken) for source in made)
    return {source.table: source for source in known if source is not None}


def _of(rows: pl.DataFrame, city_id: str) -> pl.DataFrame:
    return rows.filter(pl.col("city_id") == city_id)


def _counted(
    source: Source, counts: pl.DataFrame, findings: pl.DataFrame, broken: pl.DataFrame
) -> Source | None:
    """The source with the accounts of its rows; None for one that was not brought."""
    stage, name = ACCOUNTS.get(source.table, ("tables", source.table))
    mine = counts.filter((pl.col("stage") == stage) & (pl.col("table") == name))
    if mine.is_empty() and source.rows.is_empty():
        return None
    aside = "rows_pending" if source.table == "documents" else "rows_quarantined"
    found = findings.filter(pl.col("table") == source.table)
    return Source(
        source.table, source.rows, source.numbers, source.codes, source.texts,
        read=int(mine["rows_in"].sum()), aside=int(mine[aside].sum()),
        findings={kind: (n, words) for kind, n, words in found.select("finding", "n_rows", "message").iter_rows()},
        broken=broken.filter(pl.col("table") == source.table),
    )  # fmt: skip


_NAME = pl.coalesce("name_zh", "name_en").alias(LABEL)


def _attractions(table: Tables, city_id: str) -> Source:
    """Places that a table gave, with what the table says of tickets, hours and visits."""
    lines = _of(table("evidence"), city_id).filter(pl.col(FILE).is_not_null())
    lines = lines.select("evidence_id", FILE, LINE)
    facts = _of(table("poi_facts"), city_id).join(lines.select("evidence_id"), on="evidence_id")
    said = facts.group_by("poi_id").agg(
        pl.col("price_cents", "currency", "hours_osm", "duration_max_min").drop_nulls().first()
    )
    pois = _of(table("pois"), city_id).filter(pl.col("poi_source") == "table")
    rows = (
        pois.join(lines, on="evidence_id", how="left").join(said, on="poi_id", how="left")
        .select(_NAME, FILE, LINE, "name_zh", "name_en", "lat", "lon", "rating", "price_cents",
                "currency", "hours_osm", "duration_max_min", "category", "base_type")
        .sort(FILE, LINE, LABEL)
    )  # fmt: skip
    return Source(
        "attractions", rows, ("rating", "price_cents", "duration_max_min"),
        ("category", "base_type", "hours_osm"), ("name_zh", "name_en"),
    )  # fmt: skip


def _places(
    table: Tables, city_id: str, name: str, numbers: tuple[str, ...], codes: tuple[str, ...]
) -> Source:
    rows = _of(table(name), city_id)
    if name == "hotels":
        rows = _with_rooms(rows)
    shown = [c for c in (*numbers, *codes) if c in rows.columns]
    rows = rows.select(_NAME, FILE, LINE, "name_zh", "name_en", "lat", "lon", "currency", *shown)
    return Source(name, rows.sort(FILE, LINE, LABEL), numbers, codes, ("name_zh", "name_en"))


def _with_rooms(hotels: pl.DataFrame) -> pl.DataFrame:
    """The hotels with the median price, the rooms free and the room types of each."""
    rooms = pl.col("rooms").list
    return hotels.with_columns(
        price_cents=rooms.eval(pl.element().struct.field("price_cents")).list.median(),
        stock=rooms.eval(pl.element().struct.field("stock")).list.sum(),
        room_types=rooms.eval(pl.element().struct.field("room_type")).list.sort().list.join("|"),
    )


def _connections(table: Tables, city_id: str, name: str, codes: tuple[str, ...]) -> Source:
    rows = table(name).filter(
        (pl.col("origin_city_id") == city_id) | (pl.col("destination_city_id") == city_id)
    )
    rows = rows.select(
        pl.col(f"{name[:-1]}_no").alias(LABEL), FILE, LINE, "origin_station", "destination_station",
        "price_cents", "currency", "duration_min", "departure_min", *codes,
    )  # fmt: skip
    return Source(
        name, rows.sort(FILE, LINE, LABEL), ("price_cents", "duration_min", "departure_min"), codes,
        ("origin_station", "destination_station"),
    )  # fmt: skip


def _stations(table: Tables, city_id: str, name: str) -> Source:
    rows = _of(table(name), city_id).select(pl.col("name").alias(LABEL), FILE, LINE, "name", "lat", "lon")  # fmt: skip
    return Source(name, rows.sort(FILE, LINE, LABEL), (), (), ("name",))


def _documents(table: Tables, city_id: str) -> Source:
    rows = _of(table("documents"), city_id).select(
        pl.col("path").alias(LABEL), pl.col("path").alias(FILE),
        pl.lit(None, pl.Int64).alias(LINE), "title", "n_chars", "lang", "document_kind",
        "near_duplicate_of", "licence_hint", "published_on",
    )  # fmt: skip
    return Source("documents", rows.sort(LABEL), ("n_chars",), ("lang", "document_kind"), ("title",))  # fmt: skip
