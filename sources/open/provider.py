"""Define the interface of open data providers.

A provider returns rows with tripbed's own column names, and counts all rows that it reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from schemas.cities import City
from schemas.ids import canonical_json
from sources.open.area import Area, Boundary
from sources.open.kept import Store
from sources.open.settings import OpenSettings
from sources.tables.intake import PAYLOAD_CHARACTERS, Provenance, SourceRow
from sources.tables.places_files import Gathered

#: The tables of places, with their columns in tripbed's own layout.
PLACES: dict[str, tuple[str, ...]] = {
    "attractions": (
        "name_zh", "name_en", "aliases", "category", "types", "opening_hours", "price", "currency",
        "wikidata",
    ),
    "hotels": ("name_zh", "name_en", "room_type", "feature", "stars"),
    "restaurants": ("name_zh", "name_en", "cuisine", "opening_hours"),
    "hubs": (),
}  # fmt: skip
#: Columns that all tables of places have.
COMMON = ("id", "name", "lat", "lon", "provider", "source", "licence", "source_date")
_POINT = ("lat", "lon")


def schema_of(table: str) -> pl.Schema:
    """Return the schema of a table of places; all columns except the coordinates are text."""
    columns = dict.fromkeys((*COMMON, *PLACES[table]), pl.String())
    return pl.Schema({**columns, **dict.fromkeys(_POINT, pl.Float64())})


@dataclass
class RowAccount:
    """Counts of a provider's rows; the rows kept, set aside and left out add up to the rows
    read.
    """

    rows_in: int = 0
    kept: int = 0
    set_aside: list[dict[str, Any]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    marks: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def check(self, provider: str) -> None:
        """Check the counts. Raises RuntimeError if the counts do not add up."""
        out = self.kept + len(self.set_aside) + self.left_out.total()
        if self.rows_in != out:
            raise RuntimeError(
                f"{provider}: {self.rows_in} rows were read, but only {out} are accounted for"
            )


class Collected:
    """The places that one provider has in one area, and the counts of all rows."""

    def __init__(self, provider: str, area: Area) -> None:
        self.provider, self._area = provider, area
        self.account = RowAccount()
        self._frames: dict[str, list[pl.DataFrame]] = {table: [] for table in PLACES}

    def take(self, gathered: Gathered, rows_in: int) -> None:
        """Take all rows out of an adapter, which made them from ``rows_in`` rows of the source."""
        self.account.rows_in += rows_in
        for reasons in gathered.left_out.values():
            self.account.left_out.update(reasons)
        for table, rows in gathered.rows.items():
            good = [row for row in rows if not self._is_set_aside(table, row)]
            self._keep(table, _make_frame(table, good))
        gathered.rows.clear()
        gathered.left_out.clear()

    def places(self) -> dict[str, pl.DataFrame]:
        """Return the kept rows by table. Raises RuntimeError if rows were lost."""
        self.account.check(self.provider)
        return {
            table: pl.concat([*frames, pl.DataFrame(schema=schema_of(table))])
            for table, frames in self._frames.items()
        }

    def _is_set_aside(self, table: str, row: SourceRow) -> bool:
        self.account.marks.update(kind for _, kind, _ in row.notes)
        check, reason = row.refused or ("shape", row.broken or "")
        if row.refused is None and row.broken is None:
            if not (row.cells.get("lat") and row.cells.get("lon")):
                check, reason = "coordinates", "no coordinates"
            elif not row.cells.get("name", "").strip():
                check, reason = "empty", "no name"
            else:
                return False
        self.account.set_aside.append(
            {
                "provider": self.provider, "table": table, "id": row.cells.get("id", ""),
                "check": check, "reason": reason,
                "payload": canonical_json(row.cells)[:PAYLOAD_CHARACTERS],
            }
        )  # fmt: skip
        return True

    def _keep(self, table: str, rows: pl.DataFrame) -> None:
        """Keep the rows inside the area, and count the other rows."""
        lat, lon = (rows[name].to_numpy() for name in _POINT)
        inside = pl.Series(self._area.holds(lat, lon))
        kept = rows.filter(inside)
        if rows.height > kept.height:
            self.account.left_out["outside the city"] += rows.height - kept.height
        self.account.kept += kept.height
        self._frames[table].append(kept)


def _make_frame(table: str, rows: Iterable[SourceRow]) -> pl.DataFrame:
    rows = list(rows)
    texts = {
        name: [row.cells.get(name) or None for row in rows]
        for name in schema_of(table)
        if name not in ("source", "licence", "source_date")
    }
    said = [row.provenance or Provenance() for row in rows]
    texts["source"] = [one.name for one in said]
    texts["licence"] = [one.licence for one in said]
    texts["source_date"] = [one.date.isoformat() if one.date else None for one in said]
    frame = pl.DataFrame(texts, schema=dict.fromkeys(texts, pl.String()))
    return frame.with_columns(pl.col(_POINT).cast(pl.Float64)).select(schema_of(table).names())


@dataclass(frozen=True)
class SourceOrigin:
    """A source with its name, licence and date, and with details of the request."""

    name: str
    licence: str | None
    date: str | None
    told: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ProviderRows:
    """A provider's data about an area: rows by table, their sources, and their counts."""

    tables: Mapping[str, pl.DataFrame]
    origins: tuple[SourceOrigin, ...]
    account: RowAccount


@dataclass(frozen=True)
class ProviderContext:
    """The settings, the store of answers and the progress report that all providers use."""

    settings: OpenSettings
    store: Store
    tell: Callable[[str], None] = lambda _step: None


@dataclass(frozen=True)
class OpenProvider:
    """A provider of open data.

    ``find`` returns the data about an area. ``boundary`` returns the boundary of a city; it is None
    if the provider has no boundaries. ``find`` and ``boundary`` use the file or address given by
    the user, or otherwise the provider's own address. ``connect`` returns the connections between
    several areas.
    """

    name: str
    find: Callable[[ProviderContext, Area, str | None], ProviderRows]
    boundary: Callable[[ProviderContext, City, str | None], Boundary | None] | None
    url: Callable[[OpenSettings], str | None]
    connect: Callable[[ProviderContext, Sequence[Area], str | None], ProviderRows] | None = None
