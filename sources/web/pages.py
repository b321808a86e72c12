"""Read archived pages and their main text; the results depend only on the archive."""

from __future__ import annotations

import email.utils
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from schemas.documents import DateSource
from sources.web.archive import Archive, VisitRow
from sources.web.collection import corpus_path
from sources.web.corpus import LoadedDocument
from sources.web.main_text import MAX_BYTES, parse
from sources.web.metadata import document_meta
from sources.web.personal_data import find_authors, mask_document

#: A date may be a day later than ours because of time zones.
_TOMORROW = timedelta(days=1)


def addresses_of(archive: Archive, urls: Iterable[str]) -> list[dict[str, Any]]:
    """Return a row for each address, in sorted order, with the outcome and the reason.

    An address that has never been requested is pending.
    """
    return [_row(url, archive.latest(url)) for url in sorted(set(urls))]


def _row(url: str, visit: VisitRow | None) -> dict[str, Any]:
    if visit is None:
        return {"url": url, "outcome": "pending", "reason": "not_asked",
                "message": "the page has not been fetched yet", "robots": "not_asked"}  # fmt: skip
    is_stored = visit.outcome == "stored"
    is_fetched = is_stored and visit.robots != "not_asked"
    return {
        "url": visit.url, "final_url": visit.final_url, "outcome": visit.outcome,
        "reason": visit.reason_code, "message": visit.message, "status": visit.status,
        "robots": visit.robots, "fetched_on": _day(visit.fetched_at) if is_fetched else None,
        "gone_on": _day(visit.gone_at) if visit.gone_at else None, "gone_why": visit.gone_why,
        "server_date": http_day(visit.last_modified), "content_sha256": visit.content_sha256,
        "content_type": visit.content_type, "charset": visit.charset,
        "size_bytes": visit.size_bytes,
    }  # fmt: skip


def load_page(
    archive: Archive, url: str, final_url: str, sha256: str, content_type: str,
    charset: str | None, max_bytes: int = MAX_BYTES,
) -> LoadedDocument:  # fmt: skip
    """Read an archived page and mask personal data; the path of the result is the page's address.

    Raises UnreadableDocument if the page cannot be read, and ArchiveError if the page is not
    archived.
    """
    raw = archive.body_of(sha256)
    path = corpus_path(final_url, content_type)
    parsed = parse(raw, path, charset=charset, max_bytes=max_bytes)
    document, masked = mask_document(parsed.document, find_authors(parsed))
    meta = document_meta(parsed._replace(document=document))
    return LoadedDocument(document.model_copy(update={"path": url}), meta, masked)


def judge_date(
    stated: date | None, by: DateSource | None, fetched_on: date | None
) -> tuple[date | None, DateSource | None, str | None]:
    """Return a date, its source and a remark; a date later than the fetch counts as unknown."""
    if stated is None or fetched_on is None or stated <= fetched_on + _TOMORROW:
        return stated, by, None
    doubt = f"states the date {stated} but was fetched on {fetched_on}: its date is unknown"
    return None, None, doubt


def http_day(value: str | None) -> date | None:
    """Return the day, in UTC, of a date in an HTTP header, or None if the header contains no
    date.
    """
    if value is None:
        return None
    try:
        return _day(email.utils.parsedate_to_datetime(value))
    except (TypeError, ValueError):
        return None


def _day(at: datetime) -> date:
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC).date()
