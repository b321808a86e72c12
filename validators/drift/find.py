"""Finds all changes and implausible values in the cities of a candidate snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from schemas.nouns import count_noun
from validators.drift.bounds import Change, DriftSettings, change_level, share_level
from validators.drift.changes import compare
from validators.drift.sources import Source, Tables, read_sources
from validators.drift.world import judge, refuse_cut

#: Checks that need no last good snapshot. If a finding of these checks is accepted, it stays
#: accepted in later snapshots. An accepted change of the other checks becomes the new state with
#: which later snapshots are compared.
PLAIN_CHECKS = (
    "prices", "level", "doubted", "one_value", "one_point", "garbled", "cut", "copies",
)  # fmt: skip
COMPARED_CHECKS = (
    "rows", "added", "known", "values", "codes", "names", "each", "jumps", "order", "place", "far",
    "centre", "set_aside", "reasons", "mended", "linked", "mentions",
)  # fmt: skip
CHECKS = (*PLAIN_CHECKS, *COMPARED_CHECKS)
TABLES = (
    "attractions", "hotels", "restaurants", "trains", "flights", "metro_stations", "hubs",
    "documents",
)  # fmt: skip
#: A description of the reader of each source table of a city, as the build gives it.
Readers = Mapping[str, str]
#: The key of the reader of mentions in this mapping.
MENTIONS = "mentions"


@dataclass(frozen=True)
class CityChange:
    """A change in the sources for one city."""

    slug: str
    change: Change

    @property
    def name(self) -> tuple[str, str]:
        """Return the table and the check that a user can name to accept the change."""
        return self.change.table, self.change.check


@dataclass(frozen=True)
class State:
    """A city in a snapshot, with its tables, the readers of its sources, and its pages' results."""

    tables: Tables
    readers: Readers
    given: pl.DataFrame | None = None


def find_plain(slug: str, city_id: str, now: State, bounds: DriftSettings) -> list[CityChange]:
    """Find implausible values in a city's sources, without comparing snapshots."""
    sources = read_sources(now.tables, city_id, now.given)
    return _worst(slug, (change for source in sources.values() for change in judge(source, bounds)))


def find_compared(
    slug: str, city_id: str, then: State, now: State, bounds: DriftSettings
) -> list[CityChange]:
    """Find changes in those of a city's sources that the same reader read in both snapshots."""
    before, after = (read_sources(state.tables, city_id, state.given) for state in (then, now))
    same = [table for table in before if read_alike(table, then, now)]
    return _worst(slug, _compare(same, before, after, city_id, then, now, bounds))


def read_alike(table: str, then: State, now: State) -> bool:
    """Check whether both snapshots name the same reader for a source."""
    return table in then.readers and then.readers[table] == now.readers.get(table)


def _compare(
    tables: Iterable[str],
    before: Mapping[str, Source],
    after: Mapping[str, Source],
    city_id: str,
    then: State,
    now: State,
    bounds: DriftSettings,
) -> Iterator[Change]:
    for table in tables:
        old = before[table]
        new = after.get(table) or Source(table, old.rows.clear())
        yield from compare(old, new, bounds)
        yield from refuse_cut(old, new)
    if read_alike(MENTIONS, then, now) and "documents" in before and "documents" in after:
        pages = before["documents"].rows.height, after["documents"].rows.height
        yield from _mentions(city_id, then.tables, now.tables, pages, bounds)


def _mentions(
    city_id: str, then: Tables, now: Tables, pages: tuple[int, int], bounds: DriftSettings
) -> Iterator[Change]:
    """Compare the number of names per page, and the share of names with a link to a place."""
    old, new = (t("poi_mentions").filter(pl.col("city_id") == city_id) for t in (then, now))
    wanted = round(old.height * min(1.0, pages[1] / pages[0])) if pages[0] else 0
    if level := share_level(max(0, wanted - new.height), wanted, bounds.rows_lost, bounds.sigmas):
        yield Change(
            "documents",
            "poi_mentions",
            "mentions",
            level,
            str(new.height),
            f"documents: {count_noun(new.height, 'name')} (poi_mentions) in"
            f" {count_noun(pages[1], 'page')}, previously {old.height} in"
            f" {pages[0]}{_tell_emptied(then, now, city_id)}",
        )
    linked = [(int(rows["poi_id"].count()), rows.height) for rows in (old, new)]
    level = change_level(linked[0], linked[1], bounds.share, bounds.sigmas)
    if level and linked[1][0] * linked[0][1] < linked[0][0] * linked[1][1]:
        example = new.filter(pl.col("poi_id").is_null()).sort("mention_id").row(0, named=True)
        yield Change(
            "documents", "poi_id", "linked", level, str(linked[1][0]),
            f"documents: {linked[1][0]} of {linked[1][1]} names are linked to a place (poi_id),"
            f" previously {linked[0][0]} of {linked[0][1]}; for example, {example['name']} is"
            " linked to no place",
        )  # fmt: skip


def _tell_emptied(then: Tables, now: Tables, city_id: str) -> str:
    """Return the end of a sentence that describes the page that lost the most names."""
    counts = []
    for tables in (then, now):
        mine = (pl.col("city_id") == city_id,)
        names = tables("poi_mentions").filter(*mine).group_by("doc_id").agg(n=pl.len())
        pages = tables("documents").filter(*mine).select("doc_id", "path")
        joined = pages.join(names, on="doc_id", how="left").select("path", pl.col("n").fill_null(0))
        counts.append(joined.unique("path", keep="first", maintain_order=True))
    both = counts[0].join(counts[1], on="path", how="left", suffix="_now").fill_null(0)
    lost = both.with_columns(lost=pl.col("n").cast(pl.Int64) - pl.col("n_now").cast(pl.Int64))
    worst = lost.filter(pl.col("lost") > 0).sort(["lost", "path"], descending=[True, False])
    if worst.is_empty():
        return ""
    row = worst.row(0, named=True)
    return f"; for example, {row['path']} has {row['n_now']} instead of {row['n']}"


def _worst(slug: str, changes: Iterable[Change]) -> list[CityChange]:
    """Keep the worst change for each table, column and check, and sort by level, worst first."""
    held: dict[tuple[str, str, str], Change] = {}
    for change in changes:
        key = change.table, change.column, change.check
        if key not in held or held[key].level < change.level:
            held[key] = change
    ordered = sorted(held.values(), key=lambda c: (-c.level, TABLES.index(c.table)))
    return [CityChange(slug, change) for change in ordered]


def not_compared(then: State, now: State) -> Iterator[tuple[str, str]]:
    """Yield the source tables that cannot be compared with the last good snapshot, with the
    reasons.
    """
    for table, reader in now.readers.items():
        if not read_alike(table, then, now):
            old = then.readers.get(table)
            why = (
                f"its reader has changed from {old} to {reader}"
                if old
                else f"that snapshot does not name its reader; the reader is now {reader}"
            )
            yield table, f"the table is not compared with the last good snapshot: {why}"
