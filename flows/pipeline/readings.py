"""The store of readings: an engine reads a document once, whatever is built from it.

The key of a reading is the document's content, the engine's identity and the versions of the tasks;
for engines that are given known names, also those names that occur in the document. Other cities,
tables and documents never cause a second reading. The store is an SQLite file in the workspace that
several processes may use at once.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from schemas.document_reading import DocumentReading
from schemas.ids import canonical_json, digest
from schemas.sqlite import share
from schemas.tasks import DocumentInput, Ungrounded

FILE = "readings.sqlite"
_SCHEMA = "CREATE TABLE IF NOT EXISTS readings (key TEXT PRIMARY KEY, reading TEXT NOT NULL)"

Held = tuple[DocumentReading, tuple[Ungrounded, ...]]


def reading_key(item: DocumentInput, engine: str) -> str:
    """The key of a document's reading by an engine; ``engine`` names identity and versions."""
    document = item.document.model_dump(mode="json", exclude={"doc_id"})
    known = sorted({n for e in item.gazetteer for n in (e.standard, *e.names)})
    return digest(canonical_json([engine, document, known]), length=32)


class ReadingStore:
    """Readings by key; the first one kept stays."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path)
        share(self._connection)
        self._connection.execute(_SCHEMA)
        self._connection.commit()

    def get(self, key: str) -> Held | None:
        """The reading of a key, None where there is none."""
        found = self._connection.execute(
            "SELECT reading FROM readings WHERE key = ?", (key,)
        ).fetchone()
        if found is None:
            return None
        row = json.loads(found[0])
        aside = tuple(Ungrounded.model_validate(part) for part in row["ungrounded"])
        return DocumentReading.model_validate(row["reading"]), aside

    def put(self, key: str, held: Held) -> None:
        """Keep a reading."""
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
