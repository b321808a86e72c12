"""Runs the stage ``search``, which sends each sub-query once and chooses the best addresses.

There is a single shard for all cities, so that one process controls how often each provider
receives a request. Each answer is archived as it arrives, so a search that was killed resumes where
it stopped. With ``offline``, the same rows are produced from the archived answers alone.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import polars as pl

from flows.errors import SettingsError
from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Job, Output, Row, Stage, Upstream, Web
from flows.settings.profile import DocumentSettings
from schemas import frames as inner
from schemas.arrow import polars_schema_of
from schemas.cities import find_city
from schemas.ids import canonical_json, digest
from schemas.nouns import count_noun
from sources.web.collection import CollectedDocument, read_collection
from sources.web.providers.base import (
    Answers,
    ProviderError,
    SearchProvider,
    SearchQuery,
    SearchResult,
    fuse,
)
from sources.web.providers.corpus import CorpusProvider, KeptCorpus
from sources.web.providers.registry import make_provider
from sources.web.settings import WebSettings

_FAILURES_UNTIL_REST = 3
#: Errors that another attempt cannot fix: the run ends, and the user has to do something.
_ENDS = frozenset({"bad_key", "quota_spent", "not_configured"})


def compute(job: Job, upstream: Upstream) -> Frames:
    """Send the searches to the providers and choose addresses; end the build if there is nothing to
    read.

    Raises ProviderError if a provider cannot be used, and SettingsError if nothing was found.
    """
    found = inquire(job, upstream, "sub_queries")
    _check_found(job, found, upstream)
    return found


def inquire(job: Job, upstream: Upstream, asker: str = "ask") -> Frames:
    """Send another stage's searches to the providers, if there are any, and choose addresses.

    Raises ProviderError if a provider cannot be used.
    """
    web, limits = job.inputs.required_web, job.inputs.profile.documents
    asked = pl.concat([frames["sub_queries"] for frames in upstream[asker]]).to_dicts()
    search = _WebSearch(_providers(job, web), _providers(job, replace(web, offline=True)), limits)
    asking = search.ask({row["sub_query_id"]: row for row in asked}.values())
    if web.offline:
        _run_still(asking)
    else:
        asyncio.run(asking)
    return {
        "hits": _frame(inner.HITS, search.hits),
        "chosen": _frame(inner.CHOSEN, choose_hits(asked, search.hits, limits)),
        "waiting": _frame(inner.WAITING_SEARCHES, search.waiting),
    }


def _check_found(job: Job, found: Frames, upstream: Upstream) -> None:
    """Raise ProviderError or SettingsError if the build has nothing to read."""
    inputs, web = job.inputs, job.inputs.required_web
    is_asked = any(frames["sub_queries"].height for frames in upstream["sub_queries"])
    others = inputs.document_roots and not web.searches_documents
    if found["hits"].height or others or not inputs.profile.needs_documents or not is_asked:
        return
    if waiting := found["waiting"].to_dicts():
        why = waiting[0]["why"].partition(": ")[2]
        later = "" if web.offline else ": run the build again later"
        raise ProviderError(
            "unreachable", f"no search found a document, and some searches failed ({why}){later}"
        )
    raise SettingsError(
        f"the search found nothing for {', '.join(city.name_en for city in inputs.cities)} "
        f"({', '.join(web.providers)}): try the search by hand, choose a different provider"
        " with --search, or give --documents"
    )


class _WebSearch:
    """Sends searches one after another, at the pace that each provider allows, and collects the
    rows.

    If a search gets no new answer, the stored answer is used. A provider that fails several times
    in a row gets no further requests in this run. The method ``kept`` returns stored answers and
    sends no requests.
    """

    def __init__(
        self,
        providers: Sequence[SearchProvider],
        kept: Sequence[SearchProvider],
        limits: DocumentSettings,
    ) -> None:
        self.hits: list[Row] = []
        self.waiting: list[Row] = []
        self._providers, self._limits = providers, limits
        self._kept = {provider.name: provider for provider in kept}
        self._failures: Counter[str] = Counter()

    async def ask(self, asked: Iterable[Row]) -> None:
        """Send every sub-query to every provider.

        Raises ProviderError for an error that waiting cannot fix.
        """
        listed = sorted(asked, key=lambda row: str(row["sub_query_id"]))
        for done, row in enumerate(listed):
            city = find_city(row["city_id"])
            query = SearchQuery(
                row["text"], row["lang"], newest_after=self._limits.newest_after,
                about=tuple(filter(None, (city.name_zh, city.name_en))),
            )  # fmt: skip
            for provider in self._providers:
                at = {"sub_query_id": row["sub_query_id"], "provider": provider.name}
                try:
                    found = await self._one(
                        provider, query, count_wanted(self._limits)[row["purpose"]]
                    )
                except ProviderError as error:
                    if error.code in _ENDS:
                        raise _explain_end(error, done, len(listed)) from None
                    self.waiting.append({**at, "why": f"{error.code}: {error.message}"})
                    found = await self._before(provider, query, row["purpose"])
                self.hits += [
                    {
                        **at, "rank": entry.rank, "url": entry.url, "title": entry.title or None,
                        "published_on": entry.published_on,
                    }
                    for entry in found
                ]  # fmt: skip

    async def _one(
        self, provider: SearchProvider, query: SearchQuery, limit: int
    ) -> list[SearchResult]:
        if self._failures[provider.name] >= _FAILURES_UNTIL_REST:
            raise ProviderError("unreachable", f"{provider.name} failed too many times in a row")
        try:
            found = await provider.search(query, limit)
        except ProviderError:
            self._failures[provider.name] += 1
            raise
        self._failures[provider.name] = 0
        return found

    async def _before(
        self, provider: SearchProvider, query: SearchQuery, purpose: str
    ) -> list[SearchResult]:
        try:
            return await self._kept[provider.name].search(
                query, count_wanted(self._limits)[purpose]
            )
        except ProviderError:
            return []


def _explain_end(error: ProviderError, done: int, total: int) -> ProviderError:
    return ProviderError(
        error.code,
        f"{error.message}: {done} of {count_noun(total, 'search')} were completed; nothing was"
        " published. Fix the problem and run the build again; it continues where it stopped",
    )


def choose_hits(asked: list[Row], hits: list[Row], limits: DocumentSettings) -> list[Row]:
    """For each purpose of a query and for each inquiry, return the best addresses of sufficiently
    recent pages.
    """
    lists: dict[str, dict[str, list[SearchResult]]] = defaultdict(lambda: defaultdict(list))
    for hit in hits:
        if _is_new(hit["published_on"], limits.newest_after):
            found = SearchResult(hit["url"], hit["rank"], published_on=hit["published_on"])
            lists[hit["sub_query_id"]][hit["provider"]].append(found)
    groups: dict[tuple[str, str, str, int], list[str]] = defaultdict(list)
    for row in asked:
        groups[row["query_id"], row["city_id"], row["purpose"], part_of(row)].append(
            row["sub_query_id"]
        )
    rows: list[Row] = []
    ranks: Counter[tuple[str, str]] = Counter()
    for (query_id, city_id, purpose, _), keys in sorted(groups.items()):
        answers = [found for key in keys for found in lists[key].values()]
        for entry in fuse(answers, count_wanted(limits)[purpose]):
            ranks[query_id, purpose] += 1
            at = {"query_id": query_id, "city_id": city_id, "purpose": purpose}
            rows.append({**at, **entry._asdict(), "rank": ranks[query_id, purpose]})
    return rows


def part_of(asked: Mapping[str, Any]) -> int:
    """Return the number of the group in which a search's results are fused: each inquiry has a
    separate group, and all sub-queries of a query share group 0.
    """
    return int(asked["rank"]) if asked["purpose"] == "inquiry" else 0


def _is_new(published_on: date | None, since: date | None) -> bool:
    return since is None or published_on is None or published_on >= since


def count_wanted(limits: DocumentSettings) -> dict[str, int]:
    """Return how many documents are chosen for a query, by purpose."""
    return {
        "poi": limits.per_poi_search,
        "route": limits.per_route_search,
        "inquiry": limits.per_inquiry,
    }


def items_of(job: Job) -> list[CollectedDocument]:
    """List the user's documents if the build searches them.

    Raises SettingsError if there are no documents, and CorpusError if they cannot be read.
    """
    inputs = job.inputs
    if not inputs.required_web.searches_documents or inputs.required_web.offline:
        return []
    if not inputs.document_roots:
        raise SettingsError(
            "--search corpus searches your own documents: name their folder with --documents"
        )
    for path in inputs.document_roots:
        if not path.exists():
            raise SettingsError(f"--documents {path}: no such file or folder")
    return list(read_collection(inputs.document_roots, inputs.profile.documents.maximum_bytes))


def _providers(job: Job, web: Web) -> list[SearchProvider]:
    settings, answers = job.inputs.settings.part(WebSettings), Answers(web.archive / "answers")
    since = web.round.since if web.round else None
    made: list[SearchProvider] = []
    for name in web.providers:
        if name == "corpus":
            made.append(KeptCorpus(None if web.offline else CorpusProvider(items_of(job)), answers))
        else:
            made.append(make_provider(name, settings, answers, since=since, offline=web.offline))
    return made


def _run_still(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine that never waits.

    The function does not use an event loop, because an event loop would open sockets.
    """
    try:
        work.send(None)
    except StopIteration:
        return
    work.close()
    raise RuntimeError("the coroutine started to wait, but it must finish without waiting")


def _frame(table: Any, rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=polars_schema_of(table), orient="row").sort(list(table.key))


def settings_of(job: Job) -> dict[str, Any]:
    """Return the settings that determine a search's answers: providers, languages and limits."""
    web, limits = job.inputs.required_web, job.inputs.profile.documents
    where = {
        name: getattr(job.inputs.settings, name)
        for name in ("searxng_url", "brave_url", "baidu_url", "mediawiki_url", "mediawiki_site")
    }
    return {
        "providers": web.providers, "where": where, "wanted": count_wanted(limits),
        "newest_after": str(limits.newest_after), "round": web.round.name if web.round else "",
    }  # fmt: skip


def _documents_hash(job: Job) -> dict[str, str]:
    found = [(item.url, digest(item.read().hex())) for item in items_of(job)]
    return {"documents": digest(canonical_json(found))} if found else {}


STAGE = Stage(
    "search",
    1,
    compute,
    {
        "hits": Output(inner.HITS),
        "chosen": Output(inner.CHOSEN),
        "waiting": Output(inner.WAITING_SEARCHES),
    },
    settings=settings_of,
    ingredients=_documents_hash,
    providers=lambda job: job.inputs.web.providers if job.inputs.web else (),
    is_finished=lambda rows: not rows["waiting"],
)
#: The same stage for questions about places; if it finds nothing, the build still continues.
ASKING = replace(STAGE, compute=inquire)
