"""Documents and tables for the tests of linking: two invented cities, and what a text says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from geocoding.linking.decide import blocks_of, link_document
from geocoding.linking.index import CityPlaces, PlaceIndex
from geocoding.linking.told import Link, Linked, Name, ReadDay, ReadDocument
from geocoding.places import places_from_tables
from schemas.cities import City, find_city
from tests.support.geocoding.builders import attraction, attractions

HANGZHOU, NANJING = find_city("hangzhou"), find_city("nanjing")


def index_of(tables: Mapping[City, tuple[str | dict[str, Any], ...]]) -> PlaceIndex:
    """Tables by city: names, or whole rows where a point or type matters."""
    held = {}
    for city, rows in tables.items():
        made = [
            attraction(at, row, 5_000.0 * at) if isinstance(row, str) else row
            for at, row in enumerate(rows, 2)
        ]
        held[city.city_id] = CityPlaces.of(places_from_tables(attractions(*made), city), city)
    return PlaceIndex.of(held)


def told(
    blocks: Sequence[str],
    names: Sequence[str | Name],
    *,
    days: list[tuple[str | None, list[int]]] | None = None,
    heads: tuple[int, ...] = (0,),
    path: str = "notes.md",
) -> ReadDocument:
    """A document of these blocks; a name stands wherever the text has it."""
    rows, start = [], 0
    for at, text in enumerate(blocks):
        rows.append((start, "heading" if at in heads else "paragraph", text))
        start += len(text) + 1
    text = "\n".join(blocks)
    made = [_name(n, name, text) for n, name in enumerate(names, 1)]
    first = {name.n: name.spans[0][0] for name in made}
    stays = tuple(
        ReadDay(1, day, where, tuple((n, first[n]) for n in stops))
        for day, (where, stops) in enumerate(days or [], 1)
    )
    return ReadDocument("d" + "0" * 20, path, blocks_of(rows), tuple(made), stays)


def _name(n: int, name: str | Name, text: str) -> Name:
    one = name if isinstance(name, Name) else Name(n, (name,), ())
    spans = []
    for form in one.forms:
        at = text.find(form)
        while at >= 0:
            spans.append((at, at + len(form)))
            at = text.find(form, at + 1)
    return replace(one, n=n, spans=tuple(sorted(spans)))


def linked(document: ReadDocument, index: PlaceIndex) -> tuple[Linked, list[Link]]:
    """The links of a document, and those of its names in their order."""
    found = link_document(document, index)
    return found, [found.links[name.n] for name in document.names]


def place_of(index: PlaceIndex, city: City, name: str) -> str:
    """The id of a place by its name in the table."""
    rows = index.cities[city.city_id].read("names", None).filter(name=name)
    return str(rows["poi_id"].item())
