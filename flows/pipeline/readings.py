"""Keeps readings and links in two SQLite files that several processes may use at once.

An engine reads a document only once, no matter what is built from the document.

The key of a reading consists of the document's content, the engine's identity and the versions of
the tasks. For engines that are given known names, the key also contains those known names that
occur in the document. Changes in other cities, tables or documents never cause a document to be
read again.

A document is linked again only if something that its links depend on has changed. The links are
stored together with their inputs. The inputs of the links are all places, in any city, whose names
occur in the document, and the tables of the cities in which names were looked up. If a row of one
city's table changes, only the documents about that city are linked again. A new document never
causes another document to be linked again.
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
from schemas.document_reading import DocumentReading
from schemas.ids import canonical_json, digest
from schemas.sqlite import share
from schemas.tasks import DocumentInput, Ungrounded

READINGS_FILE = "readings.sqlite"
_READINGS = "CREATE TABLE IF NOT EXISTS readings (key TEXT PRIMARY KEY, reading TEXT NOT NULL)"

Held = tuple[DocumentReading, tuple[Ungrounded, ...]]


def reading_key(item: DocumentInput, engine: str) -> str:
    """Return the key for a document's reading; ``engine`` contains the engine's identity and the
    versions of the tasks.
    """
    document = item.document.model_dump(mode="json", exclude={"doc_id"})
    known = sorted({n for e in item.gazetteer for n in (e.standard, *e.names)})
    return digest(canonical_json([engine, document, known]), length=32)


def _open(path: Path, schema: str) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    share(connection)
    connection.execute(schema)
    connection.commit()
    return connection


class ReadingStore:
    """Stores readings by key; the first reading stored under a key is never replaced."""

    def __init__(self, path: Path) -> None:
        self._connection = _open(path, _READINGS)

    def get(self, key: str) -> Held | None:
        """Return the reading with this key, or None if there is none."""
        found = self._connection.execute(
            "SELECT reading FROM readings WHERE key = ?", (key,)
        ).fetchone()
        if found is None:
            return None
        row = json.loads(found[0])
        aside = tuple(Ungrounded.model_validate(part) for part in row["ungrounded"])
        return DocumentReading.model_validate(row["reading"]), aside

    def put(self, key: str, held: Held) -> None:
        """Store a reading."""
        reading, aside = held
        row = {
            "reading": reading.model_dump(mode="json"),
            "ungrounded": [part.model_dump(mode="json") for part in aside],
        }
        with self._connection:
            self._connection.execute(
                "INSERT OR IGNORE INTO readings VALUES (?, ?)", (key, canonical_json(row))
            )

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


LINKS_FILE = "links.sqlite"
#: Increased when links are decided differently, so that links of earlier versions are not reused.
LINKS_VERSION = 18
_LINKS = (
    "CREATE TABLE IF NOT EXISTS links (key TEXT PRIMARY KEY, stands_on TEXT NOT NULL, "
    "linked TEXT NOT NULL)"
)


class LinkStore:
    """Links documents to the places in an index, and stores the links.

    ``contents`` maps the id of each city to a hash of the rows in the city's tables. ``path`` is
    the SQLite file; if there is no path, nothing is stored.
    """

    def __init__(self, path: Path | None, index: PlaceIndex, contents: Mapping[str, str]) -> None:
        self._index, self._contents = index, contents
        self._connection = _open(path, _LINKS) if path is not None else None

    def link(self, told: ReadDocument) -> Linked:
        """Return the links of a document; stored links are reused if their inputs are unchanged."""
        if self._connection is None:
            return link_document(told, self._index)
        key = self._key(told)
        found = self._connection.execute(
            "SELECT stands_on, linked FROM links WHERE key = ?", (key,)
        ).fetchone()
        if found is not None:
            held = _read_linked(found[1])
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
        """Return a key made from the document and the cities that have tables."""
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


def _read_linked(text: str) -> Linked:
    held: dict[str, Any] = json.loads(text)
    return Linked(
        {n: Link(**{**link, "rivals": tuple(link["rivals"])}) for n, link in held["links"]},
        {(trip, day): city for trip, day, city in held["days"]},
        held["stated"],
        frozenset(held["searched"]),
    )
