"""What a search provider does: query in, ranked addresses out, errors that say what to do.

Answers of search APIs are stored by request: nobody pays twice for the same search. There is one
JSON file per answer, in a folder or at its address. It holds the request without its key and the
raw answer, so that a corrected reader can read it again at no cost.

The addresses of several searches are merged into one ranking, newer documents first.
"""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from schemas.ids import canonical_json, digest
from sources.web.lines import clean
from storage.shelf import shelf

Lang = Literal["zh", "en"]
ProblemCode = Literal[
    "bad_key", "quota_spent", "rate_limited", "bad_request", "server_error", "unreachable",
    "unreadable_answer", "not_configured", "offline",
]  # fmt: skip
_TAG = re.compile(r"<[^<>]*>")
_CHARS = 1000
_KEPT_HEADERS = ("content-type", "content-language", "x-ratelimit-remaining", "retry-after")
#: Constant of reciprocal rank fusion (Cormack et al. 2009): damps the weight of the first ranks.
FUSION_K = 60
#: What a document of the newest date gains, as a share of its score; it halves every two years.
RECENCY_GAIN = 0.2
_HALF_LIFE_DAYS = 730.0
_DECIMALS = 9


@dataclass(frozen=True)
class SearchQuery:
    """One search. ``newest_after`` bounds the age where a provider can do so itself.

    ``about`` holds the names of the city: a document at hand that has none of them is not about
    it. Web engines see to that themselves, the name stands in the text.
    """

    text: str
    lang: Lang = "zh"
    region: str = "CN"
    newest_after: date | None = None
    about: tuple[str, ...] = ()


@dataclass(frozen=True)
class SearchResult:
    """One result; ``rank`` is 1 for the best. Dates are None where the provider states none."""

    url: str
    rank: int
    title: str = ""
    snippet: str = ""
    published_on: date | None = None


class ProviderError(Exception):
    """A search that has no answer. ``wait_s`` is how long the provider asks to wait, if it does."""

    def __init__(self, code: ProblemCode, message: str, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.code: ProblemCode = code
        self.message = message
        self.wait_s = wait_s


class SearchProvider(Protocol):
    """A search engine. Nothing of a key may stand in any of the answers or errors."""

    name: str
    is_paid: bool

    async def search(self, query: SearchQuery, limit: int) -> list[SearchResult]:
        """At most ``limit`` results, best first. Raises ProviderError."""


@dataclass(frozen=True)
class ApiRequest:
    """A request of an API. ``secret_headers`` are sent, and neither kept nor part of the key."""

    method: Literal["GET", "POST"]
    url: str
    params: Mapping[str, str] = field(default_factory=dict)
    json: Mapping[str, Any] | None = None
    secret_headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def public(self) -> dict[str, Any]:
        """What is asked, without secrets."""
        return {
            "method": self.method, "url": self.url, "params": dict(self.params), "json": self.json,
        }  # fmt: skip

    @property
    def key(self) -> str:
        """Content key: equal requests of any query, city or run are the same request."""
        return digest(canonical_json(self.public), length=32)


@dataclass(frozen=True)
class ApiAnswer:
    """An answer of an API: status, headers in lower case, and the parsed JSON (None if none)."""

    status: int
    headers: Mapping[str, str]
    data: Any


@dataclass(frozen=True)
class ResultPage:
    """One page of results, and whether there may be another."""

    found: list[SearchResult]
    has_more: bool


class Api(Protocol):
    """A provider behind HTTP: how it is asked, and how its answers and errors are read."""

    name: str
    is_paid: bool
    min_interval_s: float

    def request(self, query: SearchQuery, page: int, limit: int) -> ApiRequest | None:
        """The request for a page (from 0), None beyond the last that the API gives."""

    def read(self, request: ApiRequest, answer: ApiAnswer) -> ResultPage:
        """Results of an answer. Raises ProviderError for what the API calls an error."""


def as_list(value: Any) -> list[Any]:
    """The value where it is a list, else none: answers are not to be trusted in shape."""
    return value if isinstance(value, list) else []


def as_dict(value: Any) -> dict[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_text(value: Any) -> str:
    """The value where it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def day(value: Any) -> date | None:
    """Day of an ISO date or time, None for all else."""
    try:
        return date.fromisoformat(as_text(value)[:10])
    except ValueError:
        return None


def check_status(answer: ApiAnswer, name: str) -> None:
    """Errors that every API gives by status alone. Raises ProviderError."""
    status = answer.status
    if status in (401, 403):
        raise ProviderError("bad_key", f"{name} does not accept the key: check it")
    if status == 402:
        raise ProviderError("quota_spent", f"the quota of {name} is used up")
    if status == 429:
        raise ProviderError(
            "rate_limited", f"{name} limits the rate of searches", retry_after(answer)
        )
    if status >= 500:
        raise ProviderError("server_error", f"{name} returned status {status}", retry_after(answer))
    if status >= 300:
        raise ProviderError("bad_request", f"{name} returned status {status}")
    if answer.data is None:
        raise ProviderError("unreadable_answer", f"the answer of {name} is not JSON")


def retry_after(answer: ApiAnswer) -> float | None:
    """Seconds of a Retry-After header."""
    value = answer.headers.get("retry-after", "")
    return float(value) if value.isascii() and value.isdigit() else None


def read_result(
    row: Mapping[str, Any], rank: int, url: str, snippet: str, dated: str
) -> SearchResult:
    """A row of an answer; ``snippet`` and ``dated`` are the provider's names of these fields."""
    return SearchResult(
        url=url,
        rank=rank,
        title=as_text(row.get("title")),
        snippet=_plain(as_text(row.get(snippet))),
        published_on=day(row.get(dated)),
    )


def _plain(text: str) -> str:
    """A snippet without the marks that engines put around the words found."""
    return clean(html.unescape(_TAG.sub("", text[: 4 * _CHARS])))[:_CHARS]


class Answers:
    """A folder of answers."""

    def __init__(self, folder: Path) -> None:
        self._shelf = shelf(folder)

    def get(
        self, provider: str, request: ApiRequest, since: datetime | None = None
    ) -> ApiAnswer | None:
        """The answer to a request that was kept, None where there is none, or none ``since``."""
        data = self._shelf.read(_key(provider, request))
        if data is None:
            return None
        kept = json.loads(data)
        if kept["request"] != json.loads(json.dumps(request.public)):
            return None
        if since is not None and _find_time(kept) < since:
            return None
        return ApiAnswer(kept["status"], kept["headers"], kept["answer"])

    def put(self, provider: str, request: ApiRequest, answer: ApiAnswer) -> None:
        """Keep an answer."""
        headers = {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
        kept = {
            "request": request.public, "status": answer.status, "headers": headers,
            "answer": answer.data, "asked_at": datetime.now(UTC).isoformat(),
        }  # fmt: skip
        text = json.dumps(kept, ensure_ascii=False, sort_keys=True)
        self._shelf.write(_key(provider, request), text.encode())


def _key(provider: str, request: ApiRequest) -> str:
    return f"{provider}/{request.key[:2]}/{request.key}.json"


def _find_time(kept: dict[str, Any]) -> datetime:
    """When an answer came; those of earlier versions do not say, and count as old."""
    return datetime.fromisoformat(kept.get("asked_at", "1970-01-01T00:00:00+00:00"))


class Ranked(NamedTuple):
    """One address in the fused ranking; ``rank`` is 1 for the best."""

    url: str
    rank: int
    score: float
    published_on: date | None


def fuse(searches: Iterable[list[SearchResult]], limit: int) -> list[Ranked]:
    """Best addresses of some searches by reciprocal rank and date of publication.

    Age is counted from the newest document found, not from the day of the run, so that the
    same answers always give the same ranking. An unknown date gains nothing.
    """
    scores: dict[str, float] = defaultdict(float)
    dates: dict[str, date] = {}
    for found in searches:
        for entry in found:
            scores[entry.url] += 1.0 / (FUSION_K + entry.rank)
            if entry.published_on is not None:
                dates[entry.url] = max(entry.published_on, dates.get(entry.url, date.min))
    newest = max(dates.values(), default=date.min)
    for url, published_on in dates.items():
        age_days = (newest - published_on).days
        scores[url] *= 1.0 + RECENCY_GAIN * 0.5 ** (age_days / _HALF_LIFE_DAYS)
    best = sorted((-round(score, _DECIMALS), url) for url, score in scores.items())[:limit]
    return [Ranked(url, rank, -score, dates.get(url)) for rank, (score, url) in enumerate(best, 1)]
