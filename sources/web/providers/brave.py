"""Search with Brave's web search API: ``GET /res/v1/web/search``.

https://api-dashboard.search.brave.com/app/documentation/web-search describes the API. A search has
up to 10 pages (``offset`` 0 to 9) with up to 20 results each. Errors have a code. The header
X-RateLimit-Remaining gives the number of requests left in this second and the number left in this
month.
"""

from __future__ import annotations

from datetime import date

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
)

_PAGE, _MAX_PAGES = 20, 10
_MAX_CHARS, _MAX_WORDS = 400, 50
_LATEST = date(2100, 1, 1)
_BAD_KEY = frozenset({"SUBSCRIPTION_TOKEN_INVALID", "SUBSCRIPTION_NOT_FOUND", "OPTION_NOT_IN_PLAN"})
_SPENT = frozenset({"QUOTA_LIMITED", "QUOTA_EXCEEDED", "USAGE_LIMIT_EXCEEDED"})


class Brave:
    """A client for Brave's API; the smallest plan allows one search per second."""

    name = "brave"
    is_paid = True
    min_interval_s = 1.0

    def __init__(self, key: str, base_url: str = "https://api.search.brave.com") -> None:
        self._key, self._base_url = key, base_url.rstrip("/")

    def request(self, query: SearchQuery, page: int, limit: int) -> ApiRequest | None:
        """Return the request for a page of up to 20 results."""
        if page >= _MAX_PAGES:
            return None
        text = " ".join(query.text.split()[:_MAX_WORDS])[:_MAX_CHARS]
        is_zh = query.lang == "zh"
        params = {
            "q": text, "count": str(_PAGE), "offset": str(page), "country": query.region,
            "search_lang": "zh-hans" if is_zh else "en",
            "ui_lang": "zh-CN" if is_zh else "en-US",
            "result_filter": "web", "text_decorations": "false", "spellcheck": "false",
        }  # fmt: skip
        if query.newest_after is not None:
            params["freshness"] = f"{query.newest_after.isoformat()}to{_LATEST.isoformat()}"
        url = f"{self._base_url}/res/v1/web/search"
        return ApiRequest("GET", url, params, secret_headers={"X-Subscription-Token": self._key})

    def read(self, request: ApiRequest, answer: ApiAnswer) -> ResultPage:
        """Return the web results in an answer."""
        data = as_dict(answer.data)
        if answer.status != 200:
            self._raise(answer, as_text(as_dict(data.get("error")).get("code")))
        check_status(answer, self.name)
        rows = as_list(as_dict(data.get("web")).get("results"))
        found = [
            read_result(row, rank, as_text(row.get("url")), "description", "page_age")
            for rank, row in enumerate(map(as_dict, rows), 1)
            if as_text(row.get("url"))
        ]
        more = as_dict(data.get("query")).get("more_results_available")
        return ResultPage(found, has_more=bool(found) and more is True)

    def _raise(self, answer: ApiAnswer, code: str) -> None:
        if code in _BAD_KEY:
            raise ProviderError("bad_key", f"Brave does not accept the key ({code})")
        left = [part.strip() for part in answer.headers.get("x-ratelimit-remaining", "").split(",")]
        is_spent = answer.status == 429 and len(left) > 1 and left[-1] == "0"
        if code in _SPENT or is_spent:
            raise ProviderError("quota_spent", "the monthly quota of Brave is used up")
        if answer.status == 422:
            raise ProviderError("bad_request", f"Brave does not understand the search ({code})")
        check_status(answer, self.name)
