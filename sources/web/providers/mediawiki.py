"""Search Wikivoyage or Wikipedia with MediaWiki's API, which needs no key.

https://www.mediawiki.org/wiki/API:Search describes the API. Errors have status 200 and an object
``error``. With ``maxlag``, a busy server refuses the search and sends Retry-After. The timestamp of
a page is the time of the last edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from sources.web.providers.base import (
    ApiAnswer,
    ApiRequest,
    ProviderError,
    ResultPage,
    SearchQuery,
    as_dict,
    as_list,
    as_text,
    check_status,
    read_result,
    retry_after,
)

_PAGE = 50  # largest page for a client without bot rights
_MAX_OFFSET = 10_000
_BUSY = frozenset({"maxlag", "ratelimited", "readonly", "cirrussearch-too-busy-error"})


class MediaWiki:
    """A client for a wiki, such as ``wikivoyage.org``, in the language of each query."""

    is_paid = False
    min_interval_s = 1.0

    def __init__(self, site: str = "wikivoyage.org", base_url: str | None = None) -> None:
        self.name = "mediawiki"
        self._site, self._base_url = site, base_url

    def request(self, query: SearchQuery, page: int, limit: int) -> ApiRequest | None:
        """Return the request for a page of up to 50 results."""
        offset = page * min(limit, _PAGE)
        if offset >= _MAX_OFFSET:
            return None
        params = {
            "action": "query", "list": "search", "srsearch": query.text[:300],
            "srlimit": str(min(limit, _PAGE)), "sroffset": str(offset), "srnamespace": "0",
            "srprop": "snippet|timestamp", "format": "json", "formatversion": "2",
            "utf8": "1", "maxlag": "5",
        }  # fmt: skip
        base = self._base_url or f"https://{query.lang}.{self._site}"
        return ApiRequest("GET", f"{base}/w/api.php", params)

    def read(self, request: ApiRequest, answer: ApiAnswer) -> ResultPage:
        """Return the results in an answer; their addresses are derived from the titles of pages."""
        error = as_dict(as_dict(answer.data).get("error"))
        if error:
            code = as_text(error.get("code"))
            message = f"{self.name} refuses the search ({code})"
            if code in _BUSY:
                raise ProviderError("rate_limited", message, retry_after(answer))
            raise ProviderError("bad_request", message)
        check_status(answer, self.name)
        parts = urlsplit(request.url)
        base = f"{parts.scheme}://{parts.netloc}"
        rows = as_list(as_dict(as_dict(answer.data).get("query")).get("search"))
        found = [
            read_result(row, rank, f"{base}/wiki/{_page_name(row)}", "snippet", "timestamp")
            for rank, row in enumerate(map(as_dict, rows), 1)
            if as_text(row.get("title"))
        ]
        return ResultPage(found, has_more="continue" in as_dict(answer.data))


def _page_name(row: Mapping[str, Any]) -> str:
    """Return the title of a page in the form used in the page's address."""
    return quote(as_text(row.get("title")).replace(" ", "_"), safe="/:()")
