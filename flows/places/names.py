"""Find a name in a snapshot: in places, in other rows, in documents and in removed stops."""

from __future__ import annotations

import json
from collections.abc import Iterator

import polars as pl

from flows.places.chains import KINDS, Chain, chain, edit_words
from flows.places.tables import Row, StoryTables, document_path
from geocoding.names import name_key
from warehouse.errors import nearest_words

#: The maximum number of names in documents that are printed; the rest is counted.
_SHOWN = 20


def places_called(held: StoryTables, name: str) -> list[str]:
    """Return the ids of the places that have a given name or that the name is linked to.

    Differences in case and script are ignored.
    """
    key = name_key(name)
    places = (("pois", "name_zh"), ("pois", "name_en"), ("poi_aliases", "alias"), ("links", "name"))
    return sorted({
        poi_id
        for table, column in places
        for poi_id, said in held.table(table).select("poi_id", column).drop_nulls().iter_rows()
        if name_key(said) == key
    })  # fmt: skip


def links_of(held: StoryTables, poi_id: str) -> list[Row]:
    """Return the names linked to a place, with the rival places.

    The least certain names come first.
    """
    rows = held.table("links").filter(pl.col("poi_id") == poi_id)
    return list(_tell_rows(held, rows.sort("link_score", "margin", "doc_id", "name_number")))


def find_unlinked(held: StoryTables, name: str) -> list[Row]:
    """Return the documents in which a name is not linked, with the places that it could mean."""
    rows = held.table("unlinked_names")
    same = [name_key(said) == name_key(name) for said in rows["name"]]
    return list(_tell_rows(held, rows.filter(pl.Series(same, dtype=pl.Boolean))))


def _tell_rows(held: StoryTables, rows: pl.DataFrame) -> Iterator[Row]:
    """Yield rows that give the document's path instead of its id, and the names of the rival places
    beside their ids.
    """
    paths = dict(held.table("documents").select("doc_id", "path").iter_rows())
    names = dict(held.table("pois").select("poi_id", pl.coalesce("name_zh", "name_en")).iter_rows())
    for row in rows.iter_rows(named=True):
        kept = {
            k: row.get(k)
            for k in ("name", "unlinked_as", "named_city_id", "link_score", "margin", "why")
        }
        rivals = [{"poi_id": rival, "name": names.get(rival)} for rival in row["rivals"]]
        yield {"document": paths.get(row["doc_id"], row["doc_id"]), **kept, "rivals": rivals}


def link_lines(links: list[Row]) -> Iterator[str]:
    """Format names as lines, each with its document, its certainty and the rival places."""
    for link in links[:_SHOWN]:
        sure = link["unlinked_as"] or _sure(link)
        rivals = ", ".join(
            f"{r['name'] or 'a place elsewhere'} ({r['poi_id']})" for r in link["rivals"]
        )
        yield f"  {link['name']} in {link['document']}: {sure}; {link['why']}" + (
            f"; other choices: {rivals}" if rivals else ""
        )
    if len(links) > _SHOWN:
        yield f"  and {len(links) - _SHOWN} more: use --json to list all"


def _sure(link: Row) -> str:
    if link["link_score"] is None:
        return "a place that only documents mention"
    return f"score {link['link_score']}, margin {link['margin']}"


_NAMED = (
    ("hotels", ("name_zh", "name_en")), ("restaurants", ("name_zh", "name_en")),
    ("hubs", ("name",)), ("metro_stations", ("name",)),
)  # fmt: skip
#: The cells of a quarantined row that may contain its name.
_CELLS = ("name", "name_zh", "name_en", "poi", "train_id", "flight_id")
#: The maximum number of rows with a name that are printed.
_STOPS_SHOWN = 12


def rows_called(held: StoryTables, name: str) -> list[Chain]:
    """Return the hotels, restaurants, stations and quarantined rows that have a given name."""
    key = name_key(name)
    if not key:
        return []
    kinds = {table: kind for table, _, kind in KINDS}
    found = [
        chain(held, table, kinds.get(table, "station"), row)
        for table, columns in _NAMED
        for row in held.table(table).to_dicts()
        if any(row[column] and name_key(row[column]) == key for column in columns)
    ]
    for row in held.table("quarantine").to_dicts():
        said = json.loads(row["payload"])
        if any(said.get(cell) and name_key(str(said[cell])) == key for cell in _CELLS):
            found.append(chain(held, "quarantine", "row set aside", row))
    return found[:_STOPS_SHOWN]


def stops_dropped(held: StoryTables, name: str) -> list[str]:
    """Explain why stops with a given name were removed, or why their whole journey was set
    aside."""
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
    """Yield every edit of every journey, with the document's id.

    For a journey that was set aside, the third value is the reason; for any other journey, it is
    empty.
    """
    trips = held.table("trajectories")
    if "edits" in trips.columns:
        for doc_id, edits in trips.select("doc_id", "edits").iter_rows():
            yield from ((doc_id, edit, "") for edit in edits or ())
    for row in held.table("quarantine").filter(pl.col("table") == "trajectories").to_dicts():
        said = json.loads(row["payload"])
        why = f"; the journey was set aside by {row['check']}: {row['message']}"
        for edit in said.get("edits") or ():
            yield said.get("doc_id", ""), edit, why


def nearest(held: StoryTables, asked: str) -> tuple[str, ...]:
    """Return names and ids that are similar to a given name or id."""
    prefix = asked.partition("_")[0] + "_" if "_" in asked else ""
    tables = ((held.table(table), column) for table, column, _ in (("pois", "poi_id", ""), *KINDS))
    ids = {
        value
        for rows, column in tables
        if prefix and column in rows.columns
        for value in rows[column].cast(pl.String).drop_nulls()
        if value.startswith(prefix)
    }
    if ids:
        return nearest_words(asked, ids)
    named = (
        ("pois", ("name_zh", "name_en")), ("poi_aliases", ("alias",)),
        ("unlinked_names", ("name",)), ("documents", ("path",)), *_NAMED,
    )  # fmt: skip
    return nearest_words(asked, {
        name
        for table, columns in named
        for column in columns
        for name in held.table(table)[column].drop_nulls()
    })  # fmt: skip
