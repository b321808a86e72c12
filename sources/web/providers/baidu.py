"""Search with Baidu's AI search API on Qianfan: ``POST /v2/ai_search/web_search``.

https://cloud.baidu.com/doc/qianfan-api/s/Wmbq4z7e5 describes the API. A request returns up to 50
web results (``top_k``), and there are no further pages of results. Errors have a ``code`` and a
``message``, sometimes with status 200.
"""

from __future__ import annotations

from typing import Any

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

_MAX_RESULTS = 50
_MAX_CHARS = 72  # the API ignores the rest of a longer query
_BAD_KEY = frozenset({"216003", "invalid_iam_token", "iam_auth_error", "invalid_api_key", "110"})
_SPENT = frozenset({"17", "19", "insufficient_quota", "quota_exceeded", "account_overdue"})
_RATE = frozenset({"18", "rate_limit_exceeded", "qps_limit_exceeded", "216302"})


class BaiduSearch:
    """A client for Baidu's API, which always searches the Chinese web."""

    name = "baidu"
    is_paid = True
    min_interval_s = 1.0

    def __init__(self, key: str, base_url: str = "https://qianfan.baidubce.com") -> None:
        self._key, self._base_url = key, base_url.rstrip("/")

    def request(self, query: SearchQuery, page: int, limit: int) -> ApiRequest | None:
        """Return the request for the first page, or None for any later page, because there is
        only one page.
        """
        if page:
            return None
        body: dict[str, Any] = {
            "messages": [{"role": "user", "content": query.text[:_MAX_CHARS]}],
            "search_source": "baidu_search_v2",
            "resource_type_filter": [{"type": "web", "top_k": min(limit, _MAX_RESULTS)}],
        }
        if query.newest_after is not None:
            since = query.newest_after.isoformat()
            body["search_filter"] = {"range": {"page_time": {"gte": since}}}
        url = f"{self._base_url}/v2/ai_search/web_search"
        secret = {"Authorization": f"Bearer {self._key}"}
        return ApiRequest("POST", url, json=body, secret_headers=secret)

    def read(self, request: ApiRequest, answer: ApiAnswer) -> ResultPage:
        """Return the references of the type "web" in their original order."""
        data = as_dict(answer.data)
        error = as_dict(data.get("error")) or data
        code = str(error.get("code") or "")
        if code in _BAD_KEY:
            raise ProviderError("bad_key", f"Baidu does not accept the key ({code})")
        if code in _SPENT:
            raise ProviderError("quota_spent", f"the Baidu quota is used up ({code})")
        if code in _RATE:
            raise ProviderError(
                "rate_limited", f"Baidu received too many searches in a short time ({code})"
            )
        check_status(answer, self.name)
        if code not in ("", "0"):
            raise ProviderError("bad_request", f"Baidu refuses the search ({code})")
        rows = [row for row in map(as_dict, as_list(data.get("references"))) if row.get("url")]
        found = [
            read_result(row, rank, as_text(row.get("url")), "content", "date")
            for rank, row in enumerate(rows, 1)
            if as_text(row.get("type")) in ("", "web")
        ]
        return ResultPage(found, has_more=False)
