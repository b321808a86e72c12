"""Stores geocoders' answers permanently with their dates, so that each question needs to be sent
only once.
"""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from geocoding.geocoders.base import (
    LASTING,
    Geocoder,
    GeocoderAnswer,
    GeocoderQuestion,
    GeocoderReply,
    PlacePoint,
)
from schemas.ids import canonical_json, digest
from schemas.sqlite import share

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, provider TEXT NOT NULL, question TEXT NOT NULL,
    reply TEXT NOT NULL, asked_on TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS wanting (city_id TEXT PRIMARY KEY, times INTEGER NOT NULL)
"""


def _today() -> dt.date:
    return dt.datetime.now(tz=dt.UTC).date()


class AnswerCache:
    """An SQLite file with geocoders' answers. The file never contains account keys or secrets."""

    def __init__(self, path: Path, today: Callable[[], dt.date] = _today) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.today = today
        self._connection = sqlite3.connect(path)
        share(self._connection)
        self._connection.executescript(_SCHEMA)
        self._connection.commit()

    def get(self, provider: str, question: GeocoderQuestion | PlacePoint) -> GeocoderReply | None:
        """Return the stored reply to a question, or None if there is no stored reply."""
        found = self._connection.execute(
            "SELECT reply FROM answers WHERE key = ?", (_key(provider, question),)
        ).fetchone()
        if found is None:
            return None
        row: dict[str, Any] = json.loads(found[0])
        return GeocoderReply(
            **{**row, "answers": tuple(GeocoderAnswer(**answer) for answer in row["answers"])}
        )

    def put(
        self, provider: str, question: GeocoderQuestion | PlacePoint, reply: GeocoderReply
    ) -> None:
        """Store the reply to a question unless a reply is already stored."""
        values = (
            _key(provider, question), provider, canonical_json(_plain(question)),
            canonical_json(asdict(reply)), reply.asked_on or "",
        )  # fmt: skip
        with self._connection:
            self._connection.execute("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?)", values)

    def note_wanting(self, city_id: str) -> None:
        """Record that a run for a city ended with unsent questions."""
        with self._connection:
            self._connection.execute(
                "INSERT INTO wanting VALUES (?, 1) "
                "ON CONFLICT (city_id) DO UPDATE SET times = times + 1",
                (city_id,),
            )

    def times_wanting(self, city_id: str) -> int:
        """Return how many runs for a city ended with unsent questions; the number never
        decreases.
        """
        found = self._connection.execute(
            "SELECT times FROM wanting WHERE city_id = ?", (city_id,)
        ).fetchone()
        return int(found[0]) if found else 0

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM answers").fetchone()[0])

    def close(self) -> None:
        """Close the file with the answers."""
        self._connection.close()


def _plain(question: GeocoderQuestion | PlacePoint) -> dict[str, Any]:
    if isinstance(question, PlacePoint):
        return {"lat": round(question.lat, 6), "lon": round(question.lon, 6)}
    city = question.city.city_id if question.city else None
    return {"name": question.name.strip(), "city": city, "city_only": question.city_only}


def _key(provider: str, question: GeocoderQuestion | PlacePoint) -> str:
    return digest(provider, canonical_json(_plain(question)), length=32)


def ask_all(
    geocoder: Geocoder,
    questions: Sequence[GeocoderQuestion | PlacePoint],
    cache: AnswerCache | None = None,
    done: Callable[[int], None] = lambda n: None,
) -> list[GeocoderReply]:
    """Return a reply for every question, in order.

    ``done`` is called with the number of questions answered so far.

    Lasting replies are taken from the cache if they are there, and new ones are added to the cache.
    Quota errors, outages and malformed answers are not stored, so the next run asks those questions
    again.
    """
    replies: dict[GeocoderQuestion | PlacePoint, GeocoderReply] = {}
    for position, question in enumerate(questions, 1):
        if question not in replies:
            replies[question] = _ask(geocoder, question, cache)
        done(position)
    return [replies[question] for question in questions]


def _ask(
    geocoder: Geocoder, question: GeocoderQuestion | PlacePoint, cache: AnswerCache | None
) -> GeocoderReply:
    held = cache.get(geocoder.name, question) if cache else None
    if held is not None:
        return held
    if isinstance(question, PlacePoint):
        reply = geocoder.reverse(question)
    else:
        reply = geocoder.search(question)
    if cache is None or reply.outcome not in LASTING:
        return reply
    dated = replace(reply, asked_on=cache.today().isoformat())
    cache.put(geocoder.name, question, dated)
    return dated
