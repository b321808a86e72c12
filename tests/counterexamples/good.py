"""A good snapshot of two invented cities, by hand: every table has rows, every gate passes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from schemas.arrow import frame
from schemas.ids import SAID_OF_MENTION, comparison_id, mention_id, quarantine_id, text_sha256
from schemas.parameters import density_baseline, queue_parameters
from schemas.read_hash import READ_TABLES, read_hashes, value_hash
from schemas.tables import SCHEMA_VERSION, TABLES
from tests.counterexamples import good_places, good_plans, good_queries, good_tables, good_texts
from tests.counterexamples.town import (
    CANDIDATES,
    PLACES,
    A,
    B,
    Book,
    Row,
    Town,
    connection_id,
    fact_id,
    span_evidence,
    table_evidence,
    trajectory_id,
)
from validators.candidates.pools import candidates
from validators.drift.find import MENTIONS
from validators.drift.find import TABLES as SOURCE_TABLES
from warehouse.candidate import table_entries, write_partition
from warehouse.manifest import FILE_NAME, FileEntry, Manifest

__all__ = [
    "CANDIDATES", "PLACES", "PROFILE", "A", "B", "Book", "Row", "Town", "book", "connection_id",
    "fact_id", "span_evidence", "table_evidence", "trajectory_id", "unchanged", "write",
]  # fmt: skip

PROFILE: Row = {
    "name": "small",
    "families": ["tprag", "traveleval"],
    "trajectories": {"per_query": 2, "minimum_days": 2, "minimum_visits": 3},
    "candidates": {"per_query": 4, "maximum_per_query": 5},
    "gates": {"quarantine_share": 0.3, "known_share": {"pois.name_en": 0.5}},
}


#: Who read the sources of the good snapshot.
READERS: Row = dict.fromkeys((*SOURCE_TABLES, MENTIONS), "tables 1")


def settings_of(profile: Row, readers: Row = READERS) -> Row:
    """Settings of both cities, as a manifest has them."""
    return {"cities": {t.slug: {"profile": profile, "readers": readers} for t in (A, B)}}


def book() -> Book:
    """Rows of the good snapshot, fresh: the caller may change them."""
    made: Book = pickle.loads(_pickled())
    return made


@cache
def _pickled() -> bytes:
    """The rows as bytes, from which a copy is made ten times as fast as by ``deepcopy``."""
    return pickle.dumps(_book())


def unchanged() -> Book:
    """The same rows, to be read only."""
    return _book()


@cache
def _book() -> Book:
    made: Book = {name: {} for name in TABLES}
    for town, other in ((A, B), (B, A)):
        for name, rows in _town(town, other).items():
            made[name][town.slug] = rows
        made["trains"][f"{town.slug}--{other.slug}"] = [
            good_tables.train(town, other),
            good_plans.day_train(town, other),
        ]
    made["flights"][f"{A.slug}--{B.slug}"] = [good_tables.flight(A, B)]
    # Rows of a city outside the snapshot, as a table of connections has them.
    made["flights"][f"{A.slug}--faraway"] = [
        {
            **good_tables.flight(A, B),
            "destination_city_id": "gn900000003",
            "flight_id": connection_id(A, B, "XX109"),
            "flight_no": "XX109",
            "source_line": 9,
        }
    ]
    made["queue_parameters"][None] = queue_parameters().to_dicts()
    made["density_baseline"][None] = density_baseline().to_dicts()
    made["gates"][None] = [
        {
            "gate_id": "files", "level": "snapshot", "severity": "error", "passed": True,
            "n_failed": 0, "message": "passed",
        }
    ]  # fmt: skip
    as_read(made)
    return made


def as_read(made: Book, before: Book | None = None, keys: bool = True) -> None:
    """Give rows the hashes and ids of what they say, as their readers do.

    With ``before``: those rows that changed and still have the hash that they had. ``keys``: also
    where the id is the table's key.
    """
    for name in READ_TABLES:
        _renew(
            made,
            before,
            name,
            "read_hash",
            lambda row, of=name: read_hashes(frame(of, [row]))[0],  # type: ignore[misc]  # no types for a lambda with a default
        )
    _renew(
        made,
        before,
        "poi_mentions",
        "mention_id",
        lambda row: mention_id(*map(row.get, SAID_OF_MENTION)),
    )
    if keys:
        _renew(
            made,
            before,
            "place_decisions",
            "comparison_id",
            lambda row: comparison_id(*_of(row, *_DECIDED)),
        )
        _renew(
            made,
            before,
            "quarantine",
            "quarantine_id",
            lambda row: quarantine_id(*_of(row, *_TOLD)),
        )
    _give_values(made)


#: What candidates are made of.
_RANKED = (
    "cities", "documents", "evidence", "pois", "poi_facts", "poi_hierarchy", "poi_mentions",
    "poi_tags",
    "queries", "query_documents", "query_trajectories", "trajectories",
)  # fmt: skip


def as_ranked(made: Book) -> None:
    """Rank the candidates of the first city again, where what they are made of has changed."""
    before = unchanged()
    if all(made[name] == before[name] for name in _RANKED):
        return
    tables = {
        name: frame(name, [row for rows in made[name].values() for row in rows]) for name in _RANKED
    }
    asked = PROFILE["candidates"]
    bounds = {A.city_id: (asked["per_query"], asked["maximum_per_query"])}
    made["query_pois"][A.slug] = candidates(tables.__getitem__, bounds).to_dicts()


def _renew(
    made: Book, before: Book | None, table: str, column: str, make: Callable[[Row], str]
) -> None:
    for where, rows in made[table].items():
        old = before[table].get(where, []) if before else []
        known = {row[column] for row in old}
        for row in rows:
            if before is None or (row not in old and row[column] in known):
                row[column] = make(row)


def _of(row: Row, *columns: str) -> Iterator[Any]:
    return (row[column] for column in columns)


_DECIDED = ("evidence_id", "other_evidence_id", "verdict", "score", "reason")
_TOLD = ("city_id", "stage", "table", "row_id", "check", "message", "payload")


def _give_values(made: Book) -> None:
    """Value hashes of the fields of places, as the places have them."""
    for where, origins in made["poi_origins"].items():
        places = {row["poi_id"]: row for row in made["pois"].get(where, [])}
        for row in origins:
            columns = ["lat", "lon"] if row["poi_field"] == "coordinates" else [row["poi_field"]]
            place = places.get(row["poi_id"], {})
            if row.get("value_hash") is None or set(columns) <= place.keys():
                row["value_hash"] = value_hash([place.get(column) for column in columns])


def write(path: Path, rows: Book, settings: Row | None = None) -> Manifest:
    """Write a snapshot of these rows with a true manifest; gates are not asked."""
    files: dict[str, list[FileEntry]] = {
        name: [
            write_partition(path, name, value, frame(name, part)) for value, part in parts.items()
        ]
        for name, parts in rows.items()
    }
    return seal(path, files, settings)


def seal(path: Path, files: dict[str, list[FileEntry]], settings: Row | None = None) -> Manifest:
    """Write the manifest of files that lie there."""
    slugs = (A.slug, B.slug)
    manifest = Manifest(
        schema_version=SCHEMA_VERSION,
        cities=slugs,
        settings=settings or settings_of(PROFILE),
        ingredients={f"control/{slug}": text_sha256(slug) for slug in slugs},
        tables=table_entries(files),
    )
    (path / FILE_NAME).write_text(manifest.text(), encoding="utf-8")
    return manifest


def _town(town: Town, other: Town) -> dict[str, list[Row]]:
    made = {
        "cities": [good_places.city(town)],
        **good_texts.documents(town),
        **good_places.places(town),
        **good_texts.mentions(town),
        **good_texts.facts(town),
        **good_queries.queries(town, other),
        **good_tables.tables(town),
        **good_places.space(town),
        **good_places.decisions(town),
    }
    made["evidence"] = good_texts.evidence(town)
    made["quarantine"] = [good_tables.quarantined(town)]
    made["stage_counts"] = good_tables.counts(town, made)
    return made
