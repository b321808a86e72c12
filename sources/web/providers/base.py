"""Define search providers, store their answers, and merge the results of several searches.

The answers of search APIs are stored so that nobody pays twice for the same search. Each answer is
a JSON file in a local or remote folder. The file contains the request without the key, and the raw
answer. Therefore, if an error in the code that reads answers is corrected, stored answers can be
read again at no cost.

The results of several searches are merged into one ranking that prefers newer documents.
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
#: Constant of reciprocal rank fusion (Cormack et al. 2009), which limits the weight of top ranks.
FUSION_K = 60
#: The newest document's score grows by this share; the gain halves with every two years of age.
RECENCY_GAIN = 0.2
_HALF_LIFE_DAYS = 730.0
_DECIMALS = 9


@dataclass(frozen=True)
class SearchQuery:
    """A search query; if the provider supports it, results are newer than ``newest_after``.

    ``about`` contains the names of the city. A search in local documents finds only documents that
    contain one of the names in ``about``. For a web search, it is enough if the text of the query
    contains the city's name.
    """

    text: str
    lang: Lang = "zh"
    region: str = "CN"
    newest_after: date | None = None
    about: tuple[str, ...] = ()


@dataclass(frozen=True)
class SearchResult:
    """A search result; the best result has ``rank`` 1. If no date is stated, ``published_on`` is
    None.
    """

    url: str
    rank: int
    title: str = ""
    snippet: str = ""
    published_on: date | None = None


class ProviderError(Exception):
    """Raised if a search failed; ``wait_s`` is the requested waiting time, if any."""

    def __init__(self, code: ProblemCode, message: str, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.code: ProblemCode = code
        self.message = message
        self.wait_s = wait_s


class SearchProvider(Protocol):
    """The interface of a search provider; its answers and errors must not contain keys."""

    name: str
    is_paid: bool

    async def search(self, query: SearchQuery, limit: int) -> list[SearchResult]:
        """Return up to ``limit`` results, best first. Raises ProviderError if the search fails."""


@dataclass(frozen=True)
class ApiRequest:
    """A request to an API; ``secret_headers`` are sent but never stored."""

    method: Literal["GET", "POST"]
    url: str
    params: Mapping[str, str] = field(default_factory=dict)
    json: Mapping[str, Any] | None = None
    secret_headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def public(self) -> dict[str, Any]:
        """Return the request without its secret headers."""
        return {
            "method": self.method, "url": self.url, "params": dict(self.params), "json": self.json,
        }  # fmt: skip

    @property
    def key(self) -> str:
        """Return a key for the content of the request; identical requests have the same key."""
        return digest(canonical_json(self.public), length=32)


@dataclass(frozen=True)
class ApiAnswer:
    """An answer from an API; header names are in lower case, and ``data`` is parsed JSON or
    None.
    """

    status: int
    headers: Mapping[str, str]
    data: Any


@dataclass(frozen=True)
class ResultPage:
    """A page of search results, with a flag that shows whether there may be a further page."""

    found: list[SearchResult]
    has_more: bool


class Api(Protocol):
    """The interface of a search API; it creates requests and reads answers."""

    name: str
    is_paid: bool
    min_interval_s: float

    def request(self, query: SearchQuery, page: int, limit: int) -> ApiRequest | None:
        """Return the request for a page (counted from 0), or None if the API has no such page."""

    def read(self, request: ApiRequest, answer: ApiAnswer) -> ResultPage:
        """Return the results in an answer.

        Raises ProviderError if the answer is an error message.
        """


def as_list(value: Any) -> list[Any]:
    """Return the value if it is a list, or an empty list otherwise."""
    return value if isinstance(value, list) else []


def as_dict(value: Any) -> dict[str, Any]:
    """Return the value if it is a dictionary, or an empty dictionary otherwise."""
    return value if isinstance(value, dict) else {}


def as_text(value: Any) -> str:
    """Return the value if it is a string, or an empty string otherwise."""
    return value if isinstance(value, str) else ""


def day(value: Any) -> date | None:
    """Return the day in an ISO date or time, or None for any other value."""
    try:
        return date.fromisoformat(as_text(value)[:10])
    except ValueError:
        return None


def check_status(answer: ApiAnswer, name: str) -> None:
    """Check an answer's status. Raises ProviderError if the status indicates an error."""
    status = answer.status
    if status in (401, 403):
        raise ProviderError("bad_key", f"{name} does not accept the key: check it")
    if status == 402:
        raise ProviderError("quota_spent", f"the quota of {name} is used up")
    if status == 429:
        raise ProviderError(
            "rate_limited",
            f"{name} received too many searches in a short time",
            retry_after(answer),
        )
    if status >= 500:
        raise ProviderError("server_error", f"{name} returned status {status}", retry_after(answer))
    if status >= 300:
        raise ProviderError("bad_request", f"{name} returned status {status}")
    if answer.data is None:
        raise ProviderError("unreadable_answer", f"the answer from {name} is not JSON")


def retry_after(answer: ApiAnswer) -> float | None:
    """Return the number of seconds in a Retry-After header, or None if the header does not give
    seconds.
    """
    value = answer.headers.get("retry-after", "")
    return float(value) if value.isascii() and value.isdigit() else None


def read_result(
    row: Mapping[str, Any], rank: int, url: str, snippet: str, dated: str
) -> SearchResult:
    """Read a result; ``snippet`` and ``dated`` are the names that the provider uses for these
    fields.
    """
    return SearchResult(
        url=url,
        rank=rank,
        title=as_text(row.get("title")),
        snippet=_plain(as_text(row.get(snippet))),
        published_on=day(row.get(dated)),
    )


def _plain(text: str) -> str:
    """Return a snippet without the tags around the matching words."""
    return clean(html.unescape(_TAG.sub("", text[: 4 * _CHARS])))[:_CHARS]


class Answers:
    """A folder of stored answers."""

    def __init__(self, folder: Path) -> None:
        self._shelf = shelf(folder)

    def get(
        self, provider: str, request: ApiRequest, since: datetime | None = None
    ) -> ApiAnswer | None:
        """Return the stored answer to a request, or None if there is no recent answer."""
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
        """Store the answer to a request."""
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
    """Return the time of an answer; answers from earlier versions have no time and count as old."""
    return datetime.fromisoformat(kept.get("asked_at", "1970-01-01T00:00:00+00:00"))


class Ranked(NamedTuple):
    """An address in the merged ranking; the best address has ``rank`` 1."""

    url: str
    rank: int
    score: float
    published_on: date | None


def fuse(searches: Iterable[list[SearchResult]], limit: int) -> list[Ranked]:
    """Merge the results of several searches by reciprocal rank and date of publication.

    The age of a document is measured relative to the newest document found, not relative to today.
    Therefore, the same answers always give the same ranking. A document without a date gets no
    bonus for being new.
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
