"""Search with the user's own SearXNG instance through its JSON API: ``GET /search?format=json``.

https://docs.searxng.org/dev/search_api.html describes the API. An instance answers with status 403
if ``json`` is missing from ``search.formats`` in the instance's settings. The size of a page
varies, and the answer does not give the total number of results.
"""

from __future__ import annotations

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

_MAX_PAGES = 10
_LANGUAGES = {("zh", "CN"): "zh-CN", ("zh", "TW"): "zh-TW", ("zh", "HK"): "zh-HK"}


class SearXNG:
    """A client for a SearXNG instance."""

    name = "searxng"
    is_paid = False
    min_interval_s = 1.0

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url.rstrip("/")

    def request(self, query: SearchQuery, page: int, limit: int) -> ApiRequest | None:
        """Return the request for a page; SearXNG counts pages from 1."""
        if page >= _MAX_PAGES:
            return None
        params = {
            "q": query.text, "format": "json", "categories": "general", "pageno": str(page + 1),
            "language": _LANGUAGES.get((query.lang, query.region), query.lang), "safesearch": "0",
        }  # fmt: skip
        return ApiRequest("GET", f"{self._base_url}/search", params)

    def read(self, request: ApiRequest, answer: ApiAnswer) -> ResultPage:
        """Return the results in the order in which the instance gives them."""
        if answer.status == 403:
            raise ProviderError(
                "bad_request",
                "the SearXNG instance does not return JSON: add json to search.formats in its "
                "settings.yml",
            )
        check_status(answer, self.name)
        data = as_dict(answer.data)
        found = [
            read_result(row, rank, as_text(row.get("url")), "content", "publishedDate")
            for rank, row in enumerate(map(as_dict, as_list(data.get("results"))), 1)
            if as_text(row.get("url"))
        ]
        if (
            not found
            and request.params["pageno"] == "1"
            and (silent := as_list(data.get("unresponsive_engines")))
        ):
            raise ProviderError("server_error", f"{len(silent)} of SearXNG's engines do not answer")
        return ResultPage(found, has_more=bool(found))
