"""Assemble one city's tables from its intakes, together with the findings and the quarantine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from schemas import frames
from schemas.arrow import frame, polars_schema_of
from schemas.places import ATTRACTIONS
from schemas.read_hash import with_read_hash
from sources.tables.hotels import add_classes
from sources.tables.intake import Intake, Row, TableError

FINDINGS = polars_schema_of(frames.SOURCE_FINDINGS)
#: Tables of an import, in the order in which rows are counted.
TABLES = (
    "attractions",
    "hotels",
    "restaurants",
    "trains",
    "flights",
    "metro_stations",
    "metro_fares",
    "hubs",
)


#: If at least this many rows fail, and all for the same reason, the whole table is refused.
FEWEST_TO_REFUSE = 5


@dataclass(frozen=True)
class Imported:
    """One city's tables, as read by an adapter, with findings and numbers of rows."""

    attractions: pl.DataFrame
    hotels: pl.DataFrame
    restaurants: pl.DataFrame
    trains: pl.DataFrame
    flights: pl.DataFrame
    metro_stations: pl.DataFrame
    metro_edges: pl.DataFrame
    metro_fares: pl.DataFrame
    hubs: pl.DataFrame
    row_sources: pl.DataFrame
    quarantine: pl.DataFrame
    findings: pl.DataFrame
    counts: pl.DataFrame


def assemble(intakes: Iterable[Intake], metro_edges: Iterable[Row] = ()) -> Imported:
    """Assemble a city's tables; a table without an intake is empty and has no counts.

    Raises TableError if no row in a table can be read. Raises RuntimeError if the rows kept, merged
    and set aside do not add up to the rows read.
    """
    by_table = {intake.table: intake for intake in intakes}
    for intake in by_table.values():
        _refuse_unreadable(intake)
    if "hotels" in by_table:
        add_classes(by_table["hotels"].kept)
    rows = {table: by_table[table].kept if table in by_table else [] for table in TABLES}
    return Imported(
        attractions=pl.DataFrame(rows["attractions"], schema=ATTRACTIONS, orient="row").sort(
            "source_file", "source_line"
        ),
        hotels=with_read_hash(frame("hotels", rows["hotels"])),
        restaurants=with_read_hash(frame("restaurants", rows["restaurants"])),
        trains=with_read_hash(frame("trains", rows["trains"])),
        flights=with_read_hash(frame("flights", rows["flights"])),
        metro_stations=with_read_hash(frame("metro_stations", rows["metro_stations"])),
        metro_edges=frame("metro_edges", metro_edges),
        metro_fares=frame("metro_fares", rows["metro_fares"]),
        hubs=with_read_hash(frame("hubs", rows["hubs"])),
        row_sources=with_read_hash(
            frame("row_sources", [r for i in by_table.values() for r in i.row_sources()])
        ),
        quarantine=frame("quarantine", [q for i in by_table.values() for q in i.quarantined]),
        findings=pl.DataFrame(
            [f for i in by_table.values() for f in i.findings], schema=FINDINGS, orient="row"
        ).sort("table", "source_file", "source_line", "severity", "kind", "message"),
        counts=frame("stage_counts", [intake.counts() for intake in by_table.values()]),
    )


def _refuse_unreadable(intake: Intake) -> None:
    """Raise TableError if every row fails the same check, because the file itself must then be
    wrong.
    """
    bad = intake.quarantined
    if len(bad) < FEWEST_TO_REFUSE or intake.kept or len({row["check"] for row in bad}) > 1:
        return
    first = bad[0]
    raise TableError(
        f"{first['source_file']}:{first['source_line']}: {first['message']}; each of the {len(bad)}"
        f" rows of {intake.table} has this problem. Check whether the columns are in the right"
        " order."
    )
