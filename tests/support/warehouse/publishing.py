"""The good snapshot's rows, handed to the publisher as a build would."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from schemas.arrow import frame
from schemas.ids import text_sha256
from schemas.tables import TABLES
from tests.counterexamples import good
from tests.counterexamples.good import A, B, Book
from warehouse.candidate import Partition
from warehouse.publish import Published, publish
from warehouse.verdicts import GateResult

GOOD = GateResult("files", "snapshot", "error", True, 0, "passed")
BAD = GateResult("files", "snapshot", "error", False, 1, "a file is missing")
WARNING = GateResult("duplicates", "row", "warning", False, 1, "twice", "pois")


def of_cities(book: Book, *slugs: str) -> Book:
    """Rows that a build of these cities hands over: theirs, their pairs, and the common ones."""
    return {
        name: {
            value: rows
            for value, rows in parts.items()
            if value is None or set(value.split("--")) & set(slugs)
        }
        for name, parts in book.items()
    }


def partitions(book: Book) -> Iterator[Partition]:
    """Partitions of all tables but the verdicts, which the publisher writes."""
    for name, parts in book.items():
        for value, rows in parts.items():
            if name != "gates":
                yield name, value, frame(name, rows)


def settings(*slugs: str) -> dict[str, Any]:
    """Settings that ask each city for the small profile."""
    return {"cities": {s: {"engine": "rules", "profile": good.PROFILE} for s in slugs}}


def publish_book(
    store: Path, book: Book | None = None, slugs: tuple[str, ...] = (A.slug, B.slug), **options: Any
) -> Published:
    """Publish rows; by default the good ones, with a check that finds nothing."""
    rows = good.book() if book is None else book
    assert set(rows) == set(TABLES)
    arguments: dict[str, Any] = {
        "settings": settings(*slugs),
        "ingredients": {f"control/{slug}": text_sha256(slug) for slug in slugs},
        "run": {"seconds": 1.0},
        "keep_from": None,
        "check": lambda candidate: [GOOD],
    }
    return publish(store, partitions(rows), **arguments | options)


def data_bytes(snapshot: Path) -> dict[str, bytes]:
    """Every file below ``data/`` and the manifest, by path."""
    files = [*sorted((snapshot / "data").rglob("*.parquet")), snapshot / "manifest.json"]
    return {path.relative_to(snapshot).as_posix(): path.read_bytes() for path in files}


def leftovers(store: Path) -> list[str]:
    """What lies in a store besides snapshots, ``latest``, ``rejected`` and the lock."""
    known = ("latest", "rejected", ".lock")
    return sorted(
        path.name
        for path in store.iterdir()
        if path.name not in known and not path.name.startswith("s")
    )
