"""Runs the stage ``fetch``, which downloads the pages that the searches found and archives them.

There is a single shard for all cities, and only one process writes to an archive at a time. One
process therefore controls how often each host receives a request. Each page is archived as soon as
it arrives; if a fetch is killed, the next fetch requests only the remaining pages. The rows depend
only on the archive.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Job, Output, Stage, Upstream, Web, only
from flows.pipeline.stages.search import items_of
from schemas import frames as inner
from schemas.arrow import polars_schema_of
from sources.web.archive import Archive
from sources.web.collection import SCHEME
from sources.web.fetch import crawl
from sources.web.pages import addresses_of
from sources.web.rounds import end_round
from sources.web.settings import WebSettings


def compute(job: Job, upstream: Upstream) -> Frames:
    """Request the pages that are due, and report the result for every address.

    Raises ArchiveError if the archive cannot be used.
    """
    web = job.inputs.required_web
    urls = only(upstream, "search")["chosen"]["url"].unique().sort().to_list()
    outside = [url for url in urls if not url.startswith(SCHEME)]
    since = web.round.since if web.round else None
    with Archive(web.archive, read_only=web.offline, wait=True) as archive:
        if not web.offline:
            given = _add_documents(archive, job, set(urls))
            outside = [url for url in outside if url not in given]
            _ask(archive, job, outside, since)
        rows = addresses_of(archive, urls)
        waiting = sorted(ask.url for ask in archive.due(outside, since))
    if web.round is not None and not web.offline and job.extra["ends_round"]:
        end_round(web.archive, round_of(job), web.round)
    return {
        "addresses": pl.DataFrame(rows, polars_schema_of(inner.ADDRESSES), orient="row"),
        "waiting": pl.DataFrame({"url": waiting}, polars_schema_of(inner.WAITING_PAGES)),
    }


def _add_documents(archive: Archive, job: Job, found: set[str]) -> set[str]:
    """Archive the user's documents that the search found, and return their addresses."""
    at = datetime.now(UTC)
    given = [item for item in items_of(job) if item.url in found]
    for item in given:
        archive.add_file(item.url, item.read(), item.content_type, at, item.charset)
    return {item.url for item in given}


def _ask(archive: Archive, job: Job, urls: list[str], since: datetime | None) -> None:
    due = archive.due(urls, since)
    if due:
        asyncio.run(crawl(due, job.inputs.settings.part(WebSettings).fetching, archive.add))


def round_of(job: Job) -> str:
    """Return a name for the build's rounds of searches, which consists of the slugs of the build's
    cities.
    """
    return "+".join(city.slug for city in job.inputs.cities)


def _settings(job: Job) -> dict[str, Any]:
    web: Web | None = job.inputs.web
    return {"round": web.round.name if web and web.round else ""}


STAGE = Stage(
    "fetch",
    1,
    compute,
    {"addresses": Output(inner.ADDRESSES), "waiting": Output(inner.WAITING_PAGES)},
    settings=_settings,
    is_finished=lambda rows: not rows["waiting"],
)
