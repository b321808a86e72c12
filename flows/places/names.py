"""Which places the names in documents were linked to, and which others would fit."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from flows.places.tables import Row, StoryTables
from geocoding.names import name_key

#: Names of documents that are printed before the rest is only counted.
_SHOWN = 20


def places_called(held: StoryTables, name: str) -> list[str]:
    """Ids of the places that bear a name, in any script and case, or are linked under it."""
    key = name_key(name)
    found: set[str] = set()
    for table, columns in (
        ("pois", ("name_zh", "name_en")),
        ("poi_aliases", ("alias",)),
        ("links", ("name",)),
    ):
        rows = held.table(table)
        for column in columns:
            for poi_id, said in rows.select("poi_id", column).drop_nulls().iter_rows():
                if name_key(said) == key:
                    found.add(poi_id)
    return sorted(found)


def links_of(held: StoryTables, poi_id: str) -> list[Row]:
    """The names that were linked to a place, the least certain first, each with its rivals."""
    rows = held.table("links").filter(pl.col("poi_id") == poi_id)
    return list(_tell_rows(held, rows.sort("link_score", "margin", "doc_id", "name_number")))


def find_unlinked(held: StoryTables, name: str) -> list[Row]:
    """The names of documents that are written so and are no place, each with what fits."""
    key = name_key(name)
    rows = held.table("unlinked_names")
    same = [name_key(said) == key for said in rows["name"]]
    return list(_tell_rows(held, rows.filter(pl.Series(same, dtype=pl.Boolean))))


def _tell_rows(held: StoryTables, rows: pl.DataFrame) -> Iterator[Row]:
    """Rows with the document's path and the names of the rivals in place of ids."""
    paths = dict(held.table("documents").select("doc_id", "path").iter_rows())
    pois = held.table("pois").select("poi_id", pl.coalesce("name_zh", "name_en"))
    names = dict(pois.iter_rows())
    for row in rows.iter_rows(named=True):
        kept = {
            k: row.get(k)
            for k in ("name", "unlinked_as", "named_city_id", "link_score", "margin", "why")
        }
        rivals = [{"poi_id": rival, "name": names.get(rival)} for rival in row["rivals"]]
        yield {"document": paths.get(row["doc_id"], row["doc_id"]), **kept, "rivals": rivals}


def link_lines(links: list[Row]) -> Iterator[str]:
    """Names as lines: where each stands, how sure it is, what else fits."""
    for link in links[:_SHOWN]:
        sure = link["unlinked_as"] or _sure(link)
        rivals = ", ".join(
            f"{r['name'] or 'a place elsewhere'} ({r['poi_id']})" for r in link["rivals"]
        )
        yield f"  {link['name']} in {link['document']}: {sure}; {link['why']}" + (
            f"; or {rivals}" if rivals else ""
        )
    if len(links) > _SHOWN:
        yield f"  and {len(links) - _SHOWN} more: --json lists all"


def _sure(link: Row) -> str:
    if link["link_score"] is None:
        return "a place that only documents know"
    return f"score {link['link_score']}, the next {link['margin']} behind"
