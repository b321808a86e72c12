"""Define the settings for fetching documents, and the possible outcomes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Literal
from urllib.parse import unquote, urlsplit

from schemas.ids import doc_id
from sources.web.guard import ForbiddenCode

RejectedCode = Literal[
    "robots", "too_many_redirects", "http_status", "content_type", "content_encoding",
    "too_large", "binary", "empty",
]  # fmt: skip
PendingCode = Literal[
    "rate_limited", "server_error", "timeout", "unreachable", "robots_unreachable", "host_resting"
]

CONTENT_TYPES = (
    "text/html", "application/xhtml+xml", "text/plain", "text/markdown", "text/x-markdown",
)  # fmt: skip
_SUFFIXES = {"text/plain": ".txt", "text/markdown": ".md", "text/x-markdown": ".md"}
_KNOWN = (".md", ".markdown", ".txt", ".text", ".html", ".htm", ".xhtml")


@dataclass(frozen=True)
class FetchSettings:
    """Settings for fetching, with times in seconds, and sizes in bytes after decompression."""

    user_agent: str = "tripbed"
    contact: str | None = None
    allow_hosts: frozenset[str] = frozenset()
    content_types: tuple[str, ...] = CONTENT_TYPES
    max_bytes: int = 10_000_000
    timeout_s: float = 20.0
    total_timeout_s: float = 60.0
    concurrency: int = 32
    open_hosts: int = 200
    per_host_concurrency: int = 1
    failures_until_host_rests: int = 5
    delay_s: float = 1.0
    max_crawl_delay_s: float = 60.0
    max_tries: int = 3
    backoff_s: float = 1.0
    max_retry_after_s: float = 120.0
    max_redirects: int = 5
    ca_file: Path | None = None

    @property
    def user_agent_header(self) -> str:
        """Return the product's name, followed by the contact if one is set."""
        return f"{self.user_agent} (+{self.contact})" if self.contact else self.user_agent


@dataclass(frozen=True)
class Ask:
    """An address to request; if there are validators from an earlier answer, the request is
    conditional.
    """

    url: str
    etag: str | None = None
    last_modified: str | None = None
    validated_url: str | None = None


@dataclass(frozen=True)
class Exchange:
    """A request and its answer; ``body`` is unpacked, and is empty if the body was not read."""

    url: str
    at: datetime
    request_headers: tuple[tuple[str, str], ...]
    status: int
    reason: str
    http_version: str
    response_headers: tuple[tuple[str, str], ...]
    body: bytes = b""
    is_cut: bool = False


@dataclass(frozen=True)
class FetchedDocument:
    """A fetched document; ``charset`` is the character set that the server stated."""

    url: str
    final_url: str
    status: int
    content_type: str
    charset: str | None
    body: bytes
    n_tries: int
    etag: str | None = None
    last_modified: str | None = None

    @property
    def doc_id(self) -> str:
        """Return the document's id, which is computed from the hash of its bytes."""
        return doc_id(hashlib.sha256(self.body).hexdigest())

    @property
    def path(self) -> str:
        """Return the host and the path with a suffix for the format, as required by
        ``parse_document``.
        """
        return document_path(self.final_url, self.content_type)


@dataclass(frozen=True)
class Unchanged:
    """The result if the server answers with status 304 because the document has not changed."""

    url: str
    final_url: str
    n_tries: int


@dataclass(frozen=True)
class Rejected:
    """A document that was refused and would be refused again."""

    url: str
    reason_code: RejectedCode | ForbiddenCode
    message: str
    status: int | None = None


@dataclass(frozen=True)
class Pending:
    """A document that could not be fetched but may be available later."""

    url: str
    reason_code: PendingCode
    message: str
    n_tries: int


Result = FetchedDocument | Unchanged | Rejected | Pending
RobotsDecision = Literal["allowed", "forbidden", "unreachable", "not_asked"]


@dataclass(frozen=True)
class FetchVisit:
    """A visit to an address, with its result and all exchanges, including those for robots.txt."""

    ask: Ask
    result: Result
    robots: RobotsDecision
    exchanges: tuple[Exchange, ...]
    at: datetime


def downward(path: str) -> str:
    """Return a path without the parts ``.`` and ``..`` and without a leading slash."""
    return "/".join(part for part in path.split("/") if part not in ("", ".", ".."))


def document_path(url: str, content_type: str) -> str:
    """Return the host and path of an address, with a suffix for the format of the content.

    The path never contains ``..``.
    """
    parts = urlsplit(url)
    path = downward(unquote(parts.path)) or "index"
    wanted = _SUFFIXES.get(content_type, ".html" if content_type else "")
    if wanted == ".txt" and PurePosixPath(path).suffix.lower() in _KNOWN:
        wanted = ""  # servers call Markdown plain text
    suffix = "" if path.lower().endswith(wanted) else wanted
    return downward(f"{parts.netloc}/{path}{suffix}")
