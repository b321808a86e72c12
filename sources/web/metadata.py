"""Read the dates and the licence that a document states about itself, without guessing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import PurePosixPath

from schemas.documents import DateSource, DocumentLanguage
from sources.web.main_text import ParsedDocument

_ISO = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_CHINESE = re.compile(r"(?<!\d)(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]")
_COMPACT = re.compile(r"^(\d{4})(\d{2})(\d{2})(?!\d)")
_FILE_DATE = re.compile(r"(?<!\d)(\d{4})(?:-|__|_)(\d{1,2})(?:-|__|_)(\d{1,2})(?!\d)")
_DATE_KEYS = (
    "date", "pubdate", "publishdate", "published", "published-on", "published_at", "publishedat",
    "datepublished", "created", "created_at", "createdat", "created-on",
)  # fmt: skip
_MODIFIED_KEYS = (
    "updated", "lastmod", "modified", "updated_at", "updatedat", "datemodified", "last_modified_at",
)  # fmt: skip
_LICENCE_KEYS = ("license", "licence", "copyright")
_LICENCE_IN_TEXT = re.compile(
    r"creativecommons\.org/(?:licenses/[a-z-]+/\d(?:\.\d)?|publicdomain/zero/1\.0)|"
    r"\bCC[- ](?:BY|0)(?:-(?:NC|ND|SA)){0,2}(?:[- ]\d\.\d)?",
    re.IGNORECASE,
)
_EARLIEST_YEAR, _LATEST_YEAR = 1995, 2100
_LICENCE_CHARS = 200


#: A date, and the part of the document that states it.
Dated = tuple[date | None, DateSource | None]


@dataclass(frozen=True)
class DocumentMeta:
    """A document's metadata; values that the document does not state are None."""

    doc_id: str
    path: str
    lang: DocumentLanguage
    title: str
    published_on: date | None
    licence_hint: str | None
    modified_on: date | None = None
    published_by: DateSource | None = None
    modified_by: DateSource | None = None


def document_meta(parsed: ParsedDocument) -> DocumentMeta:
    """Return the metadata of a parsed document."""
    document = parsed.document
    published_on, published_by = _find_published(parsed)
    modified_on, modified_by = _find_modified(parsed)
    return DocumentMeta(
        doc_id=document.doc_id,
        path=document.path,
        lang=document.lang,
        title=document.title,
        published_on=published_on,
        licence_hint=_licence_hint(parsed),
        modified_on=modified_on,
        published_by=published_by,
        modified_by=modified_by,
    )


def _find_published(parsed: ParsedDocument) -> Dated:
    """Find the date of publication in the front matter, the page's head or the file name."""
    if (found := _in_front_matter(parsed, _DATE_KEYS)) is not None:
        return found, "front_matter"
    if (found := parse_date(parsed.head.published)) is not None:
        return found, "head"
    match = _FILE_DATE.search(PurePosixPath(parsed.document.path).name)
    named = _date(match) if match else None
    return (named, "file_name") if named else (None, None)


def _find_modified(parsed: ParsedDocument) -> Dated:
    """Find the date of the last change in the front matter or the page's head."""
    if (found := _in_front_matter(parsed, _MODIFIED_KEYS)) is not None:
        return found, "front_matter"
    found = parse_date(parsed.head.modified)
    return (found, "head") if found else (None, None)


def _in_front_matter(parsed: ParsedDocument, keys: tuple[str, ...]) -> date | None:
    values = {key.lower(): value for key, value in parsed.front_matter.items()}
    stated = (parse_date(values.get(key)) for key in keys)
    return next((day for day in stated if day is not None), None)


def parse_date(value: object) -> date | None:
    """Read a date in ISO or Chinese form or as a YAML value; return None for any other value."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if not isinstance(value, str):
        return None
    text = value.strip()
    match = _ISO.search(text) or _CHINESE.search(text) or _COMPACT.match(text)
    return _date(match) if match else None


def _date(match: re.Match[str]) -> date | None:
    year, month, day = (int(part) for part in match.groups())
    if not _EARLIEST_YEAR <= year <= _LATEST_YEAR:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _licence_hint(parsed: ParsedDocument) -> str | None:
    for key, value in parsed.front_matter.items():
        if key.lower() in _LICENCE_KEYS and isinstance(value, str) and value.strip():
            return value.strip()[:_LICENCE_CHARS]
    if parsed.head.licence:
        return parsed.head.licence[:_LICENCE_CHARS]
    match = _LICENCE_IN_TEXT.search(parsed.document.text)
    return match[0] if match else None
