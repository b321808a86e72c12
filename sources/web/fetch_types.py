"""Settings of fetching and its outcomes."""

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
    """How documents are fetched; times in seconds, sizes in bytes after decompression."""

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
        """Product name and, where set, how to reach those who fetch."""
        return f"{self.user_agent} (+{self.contact})" if self.contact else self.user_agent


@dataclass(frozen=True)
class Ask:
    """An address to ask; the validators of an earlier answer make the request conditional."""

    url: str
    etag: str | None = None
    last_modified: str | None = None
    validated_url: str | None = None


@dataclass(frozen=True)
class Exchange:
    """One request and its answer; ``body`` is unpacked, and empty where it was not taken."""

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
    """A document as it was answered; ``charset`` is what the server declared."""

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
        """Id of the document: the hash of its bytes."""
        return doc_id(hashlib.sha256(self.body).hexdigest())

    @property
    def path(self) -> str:
        """Host and path with a suffix that names the format, for ``parse_document``."""
        return document_path(self.final_url, self.content_type)


@dataclass(frozen=True)
class Unchanged:
    """The server says (304) that the document is still what an earlier answer held."""

    url: str
    final_url: str
    n_tries: int


@dataclass(frozen=True)
class Rejected:
    """A document that will not be had by asking again."""

    url: str
    reason_code: RejectedCode | ForbiddenCode
    message: str
    status: int | None = None


@dataclass(frozen=True)
class Pending:
    """A document that may be had later."""

    url: str
    reason_code: PendingCode
    message: str
    n_tries: int


Result = FetchedDocument | Unchanged | Rejected | Pending
RobotsDecision = Literal["allowed", "forbidden", "unreachable", "not_asked"]


@dataclass(frozen=True)
class FetchVisit:
    """One address asked: what came of it, and every exchange on the way, robots.txt included."""

    ask: Ask
    result: Result
    robots: RobotsDecision
    exchanges: tuple[Exchange, ...]
    at: datetime


def downward(path: str) -> str:
    """A path without its steps up, to itself and to the root."""
    return "/".join(part for part in path.split("/") if part not in ("", ".", ".."))


def document_path(url: str, content_type: str) -> str:
    """Host and path of an address with a suffix that names the format of its content.

    The path leads nowhere up, whatever the address says.
    """
    parts = urlsplit(url)
    path = downward(unquote(parts.path)) or "index"
    wanted = _SUFFIXES.get(content_type, ".html" if content_type else "")
    if wanted == ".txt" and PurePosixPath(path).suffix.lower() in _KNOWN:
        wanted = ""  # servers call Markdown plain text
    suffix = "" if path.lower().endswith(wanted) else wanted
    return downward(f"{parts.netloc}/{path}{suffix}")
