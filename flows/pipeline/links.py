"""The store of links: a document is linked again only if something that its links rest on changes.

A document's links are kept with what they rest on: the places, in any city, that bear one of its
names, and the tables of the cities where a name was looked up. If a row of one city's table
changes, only the documents about that city are linked again; a new document causes no other
document to be linked again. The store is an SQLite file in the workspace that several processes may
use at once.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from geocoding.linking.decide import link_document
from geocoding.linking.index import PlaceIndex
from geocoding.linking.told import Link, Linked, ReadDocument
from schemas.ids import canonical_json, digest
from schemas.sqlite import share

FILE = "links.sqlite"
#: Raised when links are decided otherwise: those of earlier versions are not used again.
LINKS_VERSION = 18
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS links (key TEXT PRIMARY KEY, stands_on TEXT NOT NULL, "
    "linked TEXT NOT NULL)"
)


class LinkStore:
    """Links of documents among the places of an index.

    ``contents`` stands for the rows of each city's tables, by city id. ``path`` is the file;
    without one nothing is kept.
    """

    def __init__(self, path: Path | None, index: PlaceIndex, contents: Mapping[str, str]) -> None:
        self._index, self._contents = index, contents
        self._connection = None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path)
            share(self._connection)
            self._connection.execute(_SCHEMA)
            self._connection.commit()

    def link(self, told: ReadDocument) -> Linked:
        """The links of a document: the kept ones where all that they stand on is as it was."""
        if self._connection is None:
            return link_document(told, self._index)
        key = self._key(told)
        found = self._connection.execute(
            "SELECT stands_on, linked FROM links WHERE key = ?", (key,)
        ).fetchone()
        if found is not None:
            held = _read(found[1])
            if found[0] == self._stands_on(told, held):
                return held
        linked = link_document(told, self._index)
        with self._connection:
            self._connection.execute(
                "INSERT OR REPLACE INTO links VALUES (?, ?, ?)",
                (key, self._stands_on(told, linked), _write_link(linked)),
            )
        return linked

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()

    def _key(self, told: ReadDocument) -> str:
        """Of the document, and of which cities there are tables."""
        parts = [LINKS_VERSION, asdict(told), sorted(self._index.cities)]
        return digest(canonical_json(parts), length=32)

    def _stands_on(self, told: ReadDocument, linked: Linked) -> str:
        named = [sorted(self._index.exact(form)) for name in told.names for form in name.forms]
        tables = {city_id: self._contents[city_id] for city_id in sorted(linked.searched)}
        return digest(canonical_json([named, tables]), length=32)


def _write_link(linked: Linked) -> str:
    return canonical_json({
        "links": [[n, asdict(link)] for n, link in sorted(linked.links.items())],
        "days": [[*key, city] for key, city in sorted(linked.days.items())],
        "stated": dict(linked.stated),
        "searched": sorted(linked.searched),
    })  # fmt: skip


def _read(text: str) -> Linked:
    held: dict[str, Any] = json.loads(text)
    return Linked(
        {n: Link(**{**link, "rivals": tuple(link["rivals"])}) for n, link in held["links"]},
        {(trip, day): city for trip, day, city in held["days"]},
        held["stated"],
        frozenset(held["searched"]),
    )
