"""Fetch some addresses at once, for tests of fetching."""

from __future__ import annotations

from collections.abc import Sequence

from sources.web.fetch import crawl
from sources.web.fetch_types import Ask, FetchSettings, FetchVisit, Result
from sources.web.transport import Resolve, resolve_name


async def fetch(
    urls: Sequence[str], settings: FetchSettings | None = None, resolve: Resolve = resolve_name
) -> list[Result]:
    """Fetch every address once; results stand in the order of ``urls``, one for each."""
    found: dict[str, Result] = {}

    def keep(visit: FetchVisit) -> None:
        found[visit.ask.url] = visit.result

    await crawl(map(Ask, dict.fromkeys(urls)), settings or FetchSettings(), keep, resolve)
    return [found[url] for url in urls]
