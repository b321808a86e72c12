"""Store the pages of a crawl in an archive of WARC files with a Parquet index.

All records of a visit are written at once: first the request and response of each exchange, then a
metadata record with the outcome. Bodies are found by the hash of their unpacked bytes. A body that
is already stored is not written again; instead, a ``revisit`` record refers to it. If a run is
killed, visits may be missing from the index. Missing visits are then read from the ends of the WARC
files, and an incomplete visit is removed.

Nothing can be appended to remote files. Therefore, each visit in a remote archive is a separate
file, with a number that is not yet in use. For a remote archive, the local folder contains a copy
of all files and their index.
"""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from sources.web.archive_copy import FILES, copy_visits, put_visit
from sources.web.archive_index import Index, RecordPosition, VisitRow
from sources.web.archive_records import RecordPiece, read_body_at, read_visit_at, scan
from sources.web.errors import CorpusError
from sources.web.fetch_types import Ask, FetchedDocument, FetchVisit, Pending, Rejected, Unchanged
from storage.mirror import alone, remote_of

__all__ = ["Archive", "ArchiveError", "VisitRow"]

_MAX_FILE_BYTES = 1_000_000_000
_ROWS_A_PART = 1000


class ArchiveError(CorpusError):
    """Raised if the archive cannot be used; the message explains what to do."""


class Archive:
    """A folder of WARC files with an index; one process can write to it, and any number can read
    it.
    """

    def __init__(self, folder: Path, *, read_only: bool = False, wait: bool = False) -> None:
        """Open an archive; create the archive if necessary, unless ``read_only`` is set.

        If another process is writing and ``wait`` is set, wait until that process has finished.
        Raises ArchiveError if the archive does not exist or is in use.
        """
        self.folder, self._read_only = folder, read_only
        self._warc: IO[bytes] | None = None
        self._lock: IO[bytes] | None = None
        self._remote = remote_of(folder)
        if read_only and self._remote is None and not folder.is_dir():
            raise ArchiveError(
                f"there is no archive at {folder}: run once without --offline, or check --archive"
            )
        if not read_only:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(folder, wait=wait)
        with self._alone():
            if self._remote is not None:
                copy_visits(self._remote, folder)
            self._index = Index(folder / "index")
            self._catch_up()
            if self._remote is not None:
                self._index.save()
        self._next = max(self._files(), default=0) + 1

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Save the index and release the archive; closing a closed archive has no effect."""
        if not self._read_only:
            with self._alone():
                self._index.save()
        for stream in (self._warc, self._lock):
            if stream is not None:
                stream.close()
        self._warc = self._lock = None

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, url: str) -> bool:
        return self._index.place(url) is not None

    def latest(self, url: str) -> VisitRow | None:
        """Return the last visit to an address, or None if the address was never visited."""
        place = self._index.place(url)
        return read_visit_at(self._path(place.file_no), place.offset) if place else None

    def body(self, row: VisitRow) -> bytes:
        """Return the unpacked body from a visit. Raises ArchiveError if the visit has no body."""
        if row.body_file is None or row.body_offset is None:
            raise ArchiveError(
                f"the archive contains no response body for {row.url}; the outcome of the request"
                f" was {row.outcome}"
            )
        return self._read_checked(
            RecordPosition(row.body_file, row.body_offset), row.content_sha256 or ""
        )

    def body_of(self, sha256: str) -> bytes:
        """Return the unpacked body with this hash.

        Raises ArchiveError if the body is not stored.
        """
        place = self._index.body_place(sha256)
        if place is None:
            raise ArchiveError(
                f"the archive {self.folder} lacks the page with the hash {sha256}: fetch the page"
                " again"
            )
        return self._read_checked(place, sha256)

    def _read_checked(self, place: RecordPosition, sha256: str) -> bytes:
        raw = read_body_at(self._path(place.file_no), place.offset)
        if _sha256(raw) != sha256:
            raise ArchiveError(
                f"the stored page {sha256} does not match its hash: the archive is damaged"
            )
        return raw

    def rows(self) -> Iterator[VisitRow]:
        """Yield the last visit to each address, sorted by address."""
        for url in sorted(self._index.urls()):
            row = self.latest(url)
            assert row is not None
            yield row

    def ask(self, url: str) -> Ask:
        """Return a request for an address; if a page is already stored, the request is
        conditional.
        """
        row = self.latest(url)
        if row is None or row.outcome != "stored":
            return Ask(url)
        return Ask(url, row.etag, row.last_modified, row.final_url)

    def due(self, urls: Iterable[str], since: datetime | None = None) -> list[Ask]:
        """Return requests for those addresses that are new, pending, or last checked before
        ``since``.
        """
        found = []
        for url in dict.fromkeys(urls):
            row = self.latest(url)
            if row is None or row.outcome == "pending":
                found.append(Ask(url))
            elif since is not None and (row.checked_at or row.fetched_at) < since:
                found.append(self.ask(url))
        return found

    def add(self, visit: FetchVisit) -> VisitRow:
        """Write a visit and return its row; a document that is already stored is never lost."""
        row, held = _row_of(visit), self.latest(visit.ask.url)
        if held is not None and held.outcome != "pending" and isinstance(visit.result, Pending):
            row = held  # a server that is down for a while changes nothing
        elif held is not None and held.outcome == "stored":
            row = _beside(held, row, visit)
        elif isinstance(visit.result, Unchanged):
            raise ArchiveError(
                f"the server reports that {visit.ask.url} is unchanged, but the archive does not"
                " contain the page"
            )
        piece = RecordPiece()
        for exchange in visit.exchanges:
            is_stored = exchange.body and _sha256(exchange.body) == row.content_sha256
            held_at = self._index.body_place(row.content_sha256) if is_stored else None
            offset = piece.add_exchange(exchange, is_revisit=held_at is not None)
            if is_stored:
                row = self._place_body(row, held_at, offset)
        return self._write(piece, row)

    def add_file(
        self, url: str, raw: bytes, content_type: str, at: datetime, charset: str | None = None
    ) -> VisitRow:
        """Store a document that was read from a file, unless the same bytes are already stored."""
        held = self.latest(url)
        if held is not None and held.content_sha256 == _sha256(raw):
            return held
        row = VisitRow(
            url=url, final_url=url, fetched_at=at, outcome="stored", content_type=content_type,
            charset=charset, content_sha256=_sha256(raw), size_bytes=len(raw), robots="not_asked",
        )  # fmt: skip
        piece = RecordPiece()
        held_at = self._index.body_place(row.content_sha256)
        offset = 0
        if held_at is None:
            offset = piece.add_resource(url, raw, content_type, at)
        return self._write(piece, self._place_body(row, held_at, offset))

    def _place_body(self, row: VisitRow, held_at: RecordPosition | None, offset: int) -> VisitRow:
        """Add to a row the position of its body, which was stored by this visit or by an earlier
        one.
        """
        if held_at is not None:
            update = {"body_file": held_at.file_no, "body_offset": held_at.offset}
        else:
            file_no, start = self._end()
            update = {"body_file": file_no, "body_offset": start + offset}
        return row.model_copy(update=update)

    def _write(self, piece: RecordPiece, row: VisitRow) -> VisitRow:
        file_no, start = self._end()
        offset = piece.add_visit(row)
        raw = piece.content()
        if self._remote is not None:
            if not put_visit(self._remote, self._path(file_no), raw):
                raise ArchiveError(
                    f"another machine is writing to the archive {self._remote.address}: wait "
                    f"until it has finished and run the command again, or choose a different "
                    f"archive with --archive; the fetched pages are kept"
                )
            self._next += 1
        else:
            assert self._warc is not None
            self._warc.write(raw)
            self._warc.flush()
        self._index.add(row, RecordPosition(file_no, start + offset), start + len(raw))
        if self._index.unsaved >= _ROWS_A_PART:
            with self._alone():
                self._index.save()
        return row

    def _end(self) -> tuple[int, int]:
        """Return the number and the length of the current file, and begin a new file if it is
        full.
        """
        if self._read_only:
            raise ArchiveError("the archive is open read-only")
        if self._remote is not None:
            return self._next, 0
        if self._warc is None:
            self._warc = self._path(max(self._files(), default=1)).open("ab")
        number, length = int(Path(self._warc.name).stem[8:14]), self._warc.tell()
        if length > _MAX_FILE_BYTES:
            self._warc.close()
            self._warc = self._path(number + 1).open("ab")
            return number + 1, 0
        return number, length

    def _alone(self) -> AbstractContextManager[object]:
        """Lock the folder if it is a copy of a remote archive, because readers of the copy also
        write the index.
        """
        return nullcontext() if self._remote is None else alone(self.folder)

    def _catch_up(self) -> None:
        """Add visits that are missing from the index, and cut off a visit that was not
        completely written.
        """
        for number in self._files():
            path = self._path(number)
            known = self._index.end(number)
            good_end = known
            for row, offset, end in scan(path, known):
                self._index.add(row, RecordPosition(number, offset), end)
                good_end = end
            if not self._read_only and good_end < path.stat().st_size:
                with path.open("r+b") as stream:
                    stream.truncate(good_end)

    def _files(self) -> list[int]:
        return sorted(int(path.name[8:14]) for path in self.folder.glob(FILES))

    def _path(self, number: int) -> Path:
        return self.folder / f"tripbed-{number:06d}.warc.gz"


def _lock(folder: Path, *, wait: bool) -> IO[bytes]:
    stream = (folder / "lock").open("ab")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        stream.close()
        raise ArchiveError(
            f"another process is writing to the archive {folder}: wait until it has finished, "
            f"or choose a different archive with --archive"
        ) from error
    return stream


def _sha256(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _beside(held: VisitRow, row: VisitRow, visit: FetchVisit) -> VisitRow:
    """Return the row for a new visit to an address for which a document is stored.

    If the server has removed the document, the removal is recorded and the stored document is kept.
    If the bytes are the same, the document counts as unchanged, even if the headers give a
    different date.
    """
    seen = {"checked_at": visit.at, "robots": row.robots}
    if isinstance(visit.result, Rejected):
        why = f"{row.reason_code}: {row.message}"
        gone = {"gone_at": held.gone_at or visit.at, "gone_why": why}
        return held.model_copy(update=seen | gone)
    if isinstance(visit.result, FetchedDocument) and row.content_sha256 != held.content_sha256:
        return row
    etag = row.etag if isinstance(visit.result, FetchedDocument) else held.etag
    return held.model_copy(update=seen | {"etag": etag, "gone_at": None, "gone_why": None})


def _row_of(visit: FetchVisit) -> VisitRow:
    """Return the row for a visit, without the position of its body."""
    result = visit.result
    shared: dict[str, Any] = {
        "url": visit.ask.url, "fetched_at": visit.at, "robots": visit.robots,
    }  # fmt: skip
    if isinstance(result, FetchedDocument):
        return VisitRow(
            **shared, outcome="stored", final_url=result.final_url, status=result.status,
            content_type=result.content_type, charset=result.charset, size_bytes=len(result.body),
            content_sha256=_sha256(result.body), etag=result.etag,
            last_modified=result.last_modified, n_tries=result.n_tries,
        )  # fmt: skip
    if isinstance(result, Unchanged):
        return VisitRow(**shared, outcome="stored", final_url=result.final_url, status=304)
    return VisitRow(
        **shared,
        outcome="pending" if isinstance(result, Pending) else "quarantined",
        status=getattr(result, "status", None),
        reason_code=result.reason_code,
        message=result.message,
        n_tries=getattr(result, "n_tries", None),
    )
