"""Names that are not places: rows of other tables, dropped stops, rows set aside."""

from __future__ import annotations

import json
from collections.abc import Iterator

import polars as pl

from flows.places.chains import KINDS, Chain, chain, edit_words
from flows.places.tables import Row, StoryTables, document_path
from geocoding.names import name_key
from warehouse.errors import nearest_words

_NAMED = (
    ("hotels", ("name_zh", "name_en")), ("restaurants", ("name_zh", "name_en")),
    ("hubs", ("name",)), ("metro_stations", ("name",)),
)  # fmt: skip
#: Cells of a row set aside that may be its name.
_CELLS = ("name", "name_zh", "name_en", "poi", "train_id", "flight_id")
#: Dropped stops and rows that are told before the rest is counted.
_SHOWN = 12


def rows_called(held: StoryTables, name: str) -> list[Chain]:
    """Hotels, restaurants, stations and rows set aside that bear a name."""
    key = name_key(name)
    if not key:
        return []
    kinds = {table: kind for table, _, kind in KINDS}
    found = []
    for table, columns in _NAMED:
        for row in held.table(table).to_dicts():
            if any(row[column] and name_key(row[column]) == key for column in columns):
                found.append(chain(held, table, kinds.get(table, "station"), row))
    for row in held.table("quarantine").to_dicts():
        said = json.loads(row["payload"])
        if any(said.get(cell) and name_key(str(said[cell])) == key for cell in _CELLS):
            found.append(chain(held, "quarantine", "row set aside", row))
    return found[:_SHOWN]


def stops_dropped(held: StoryTables, name: str) -> list[str]:
    """Stops of that name that left their journey, or whose whole journey was set aside, and why."""
    key = name_key(name)
    if not key:
        return []
    return [
        f"{edit['name']}, day {edit['day']}, stop {edit['order']} in "
        f"{document_path(held, doc_id)}{edit_words(held, edit)}{more}"
        for doc_id, edit, more in _edits(held)
        if (edit["op"] == "remove" or more) and name_key(edit["name"]) == key
    ]


def _edits(held: StoryTables) -> Iterator[tuple[str, Row, str]]:
    """Every edit of every journey, with its document and why its journey is not there."""
    trips = held.table("trajectories")
    if "edits" in trips.columns:
        for doc_id, edits in trips.select("doc_id", "edits").iter_rows():
            yield from ((doc_id, edit, "") for edit in edits or ())
    aside = held.table("quarantine").filter(pl.col("table") == "trajectories")
    for row in aside.to_dicts():
        said = json.loads(row["payload"])
        why = f"; the journey was set aside by {row['check']}: {row['message']}"
        for edit in said.get("edits") or ():
            yield said.get("doc_id", ""), edit, why


def nearest(held: StoryTables, asked: str) -> tuple[str, ...]:
    """Names and ids that come close to what was asked for."""
    prefix = asked.partition("_")[0] + "_" if "_" in asked else ""
    ids: set[str] = set()
    for table, column, _ in (("pois", "poi_id", ""), *KINDS):
        values = held.table(table)
        if prefix and column in values.columns:
            known = values[column].cast(pl.String).drop_nulls()
            ids.update(known.filter(known.str.starts_with(prefix)))
    if ids:
        return nearest_words(asked, ids)
    names: set[str] = set()
    for table, columns in (
        ("pois", ("name_zh", "name_en")),
        ("poi_aliases", ("alias",)),
        ("unlinked_names", ("name",)),
        *_NAMED,
    ):
        for column in columns:
            names.update(held.table(table)[column].drop_nulls())
    names.update(held.table("documents")["path"])
    return nearest_words(asked, names)
