"""Index the positions of an archive's visits and bodies, in memory and in Parquet files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict

from sources.web.fetch_types import RobotsDecision


class VisitRow(BaseModel):
    """The outcome of the last visit to an address, and the position of its body.

    ``fetched_at`` is the time at which this body was first fetched. ``checked_at`` is the time at
    which the server last confirmed that the body is current. A page that the server has removed
    still counts as ``stored``; ``gone_at`` and ``gone_why`` give the time of the removal and the
    reason.
    """

    model_config = ConfigDict(frozen=True)

    url: str
    final_url: str | None = None
    fetched_at: datetime
    checked_at: datetime | None = None
    gone_at: datetime | None = None
    gone_why: str | None = None
    outcome: Literal["stored", "quarantined", "pending"]
    status: int | None = None
    content_type: str | None = None
    charset: str | None = None
    content_sha256: str | None = None
    size_bytes: int | None = None
    etag: str | None = None
    last_modified: str | None = None
    robots: RobotsDecision
    reason_code: str | None = None
    message: str | None = None
    n_tries: int | None = None
    body_file: int | None = None
    body_offset: int | None = None


class RecordPosition(NamedTuple):
    """The position of a record: the number of the file, and the offset of the record's first
    byte.
    """

    file_no: int
    offset: int


_TEXT, _INT, _TIME = pa.string(), pa.int64(), pa.timestamp("us", tz="UTC")
SCHEMA = pa.schema(
    [
        ("url", _TEXT), ("final_url", _TEXT), ("fetched_at", _TIME), ("checked_at", _TIME),
        ("gone_at", _TIME), ("gone_why", _TEXT),
        ("outcome", _TEXT), ("status", _INT), ("content_type", _TEXT), ("charset", _TEXT),
        ("content_sha256", _TEXT), ("size_bytes", _INT), ("etag", _TEXT),
        ("last_modified", _TEXT), ("robots", _TEXT), ("reason_code", _TEXT), ("message", _TEXT),
        ("n_tries", _INT), ("body_file", _INT), ("body_offset", _INT), ("visit_file", _INT),
        ("visit_offset", _INT), ("visit_end", _INT),
    ]
)  # fmt: skip
_READ = [
    "url", "content_sha256", "body_file", "body_offset", "visit_file", "visit_offset", "visit_end",
]  # fmt: skip


class Index:
    """The positions of visits by address and of bodies by hash, including rows that are not yet
    saved.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._places: dict[str, RecordPosition] = {}
        self._bodies: dict[bytes, RecordPosition] = {}
        self._ends: dict[int, int] = {}
        self._waiting: list[dict[str, object]] = []
        for part in self._parts():
            for row in pq.read_table(part, columns=_READ).to_pylist():
                self._note(row)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def unsaved(self) -> int:
        """Return the number of rows that are not yet saved."""
        return len(self._waiting)

    def place(self, url: str) -> RecordPosition | None:
        """Return the position of the last visit to an address, or None if there was no visit."""
        return self._places.get(url)

    def body_place(self, sha256: str | None) -> RecordPosition | None:
        """Return the position of the body with this hash, or None if the body is not stored."""
        return self._bodies.get(bytes.fromhex(sha256)) if sha256 else None

    def urls(self) -> Iterator[str]:
        """Yield all addresses that were visited."""
        yield from self._places

    def end(self, file_no: int) -> int:
        """Return the position in a file, in bytes, up to which the index covers the file."""
        return self._ends.get(file_no, 0)

    def add(self, row: VisitRow, place: RecordPosition, end: int) -> None:
        """Add a visit that has been written to a file."""
        values = {
            **row.model_dump(),
            "visit_file": place.file_no,
            "visit_offset": place.offset,
            "visit_end": end,
        }
        self._note(values)
        self._waiting.append(values)

    def save(self) -> None:
        """Save the new rows as an additional Parquet file, which is written either completely or
        not at all.
        """
        if not self._waiting:
            return
        self._folder.mkdir(exist_ok=True)
        parts = self._parts()
        number = int(parts[-1].stem) + 1 if parts else 1
        path = self._folder / f"{number:06d}.parquet"
        aside = path.with_suffix(".part")
        pq.write_table(pa.Table.from_pylist(self._waiting, SCHEMA), aside)
        os.replace(aside, path)
        self._waiting.clear()

    def _note(self, values: dict[str, object]) -> None:
        place = RecordPosition(int(str(values["visit_file"])), int(str(values["visit_offset"])))
        url = str(values["url"])
        self._places[url] = max(place, self._places.get(url, place))
        if values["content_sha256"] and values["body_file"] is not None:
            body = RecordPosition(int(str(values["body_file"])), int(str(values["body_offset"])))
            self._bodies.setdefault(bytes.fromhex(str(values["content_sha256"])), body)
        end = int(str(values["visit_end"]))
        self._ends[place.file_no] = max(self._ends.get(place.file_no, 0), end)

    def _parts(self) -> list[Path]:
        return sorted(self._folder.glob("??????.parquet"))
