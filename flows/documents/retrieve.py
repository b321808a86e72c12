"""From a city's queries to an archive of documents: search, fetch, read, and write the tables.

The archive and the kept answers are the truth: with ``offline`` the same tables come from them
alone, byte for byte, and no socket is opened.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa

from flows.errors import SettingsError
from flows.pipeline.graph import DirectExecutor, submit_all
from flows.pipeline.request import Request, make_inputs
from flows.pipeline.run import list_documents
from flows.pipeline.shards import Workspace
from flows.pipeline.stages.base import Inputs
from flows.queries.sub_queries import rewrite
from flows.settings.environment import Settings
from flows.settings.profile import DocumentSettings
from queries.sub_queries import sub_queries
from schemas.nouns import counted
from sources.web.archive import Archive
from sources.web.collection import SCHEME, Item, corpus_path, read_collection
from sources.web.corpus import SUFFIXES
from sources.web.documents_table import Documents, documents_of, write_documents, write_table
from sources.web.fetch import FetchSettings, Visit, crawl
from sources.web.providers.answers import Answers
from sources.web.providers.base import Found, Provider, ProviderError, SearchQuery
from sources.web.providers.corpus import CorpusProvider, KeptCorpus
from sources.web.providers.registry import make_provider
from sources.web.ranking import fuse
from sources.web.settings import WebSettings

_TEXT, _INT = pa.string(), pa.int64()
_SUB_QUERIES = pa.schema(
    [(name, _TEXT) for name in ("query_id", "city_id", "purpose")]
    + [("rank", _INT), ("sub_query_id", _TEXT), ("text", _TEXT), ("lang", _TEXT)]
)
_SEARCHES = pa.schema(
    [("sub_query_id", _TEXT), ("provider", _TEXT), ("rank", _INT), ("url", _TEXT),
     ("title", _TEXT), ("published_on", pa.date32()), ("problem", _TEXT)]
)  # fmt: skip
_QUERY_DOCUMENTS = pa.schema(
    [("query_id", _TEXT), ("purpose", _TEXT), ("rank", _INT), ("url", _TEXT),
     ("score", pa.float64()), ("published_on", pa.date32())]
)  # fmt: skip

Row = dict[str, Any]


@dataclass(frozen=True)
class WebOptions:
    """What a user asked of search and fetching."""

    providers: tuple[str, ...]
    archive: Path
    refresh: bool = False
    offline: bool = False
    inquiries: bool = False
    export: Path | None = None


@dataclass(frozen=True)
class Retrieved:
    """What a retrieval came to: documents by outcome, and how many were asked for anew."""

    folder: Path
    counts: Counter[str]
    n_queries: int
    n_searches: int
    n_unanswered: int
    n_visits: int

    def row(self) -> Row:
        """As printed for programs."""
        return {
            "path": str(self.folder), "queries": self.n_queries, "searches": self.n_searches,
            "unanswered": self.n_unanswered, "visits": self.n_visits,
            "documents": sum(self.counts.values()), **{
                name: self.counts[name] for name in ("stored", "quarantined", "pending")
            },
        }  # fmt: skip


def retrieve(
    request: Request,
    options: WebOptions,
    workspace: Path,
    out: Path,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> list[Retrieved]:
    """Retrieve the documents of every city. Raises SettingsError, CorpusError, ProviderError."""
    if options.refresh and options.offline:
        raise SettingsError("--refresh asks the network and --offline forbids it: give one")
    inputs = make_inputs(
        request.cities, _folders(request.documents), request.tables, request.tables_format,
        request.profile, request.engine, settings=request.settings,
        documents_come_later=not options.inquiries,
    )  # fmt: skip
    settings = web_settings(request.settings)
    items = {} if options.offline else _items(request.documents, options, inputs)
    found = []
    answers = Answers(options.archive / "answers")
    providers = _providers(options, settings, answers, items)
    with Archive(options.archive, read_only=options.offline) as archive:
        asked = _asked(inputs, options, Workspace(workspace), answers)
        for city in inputs.cities:
            names = tuple(name for name in (city.name_zh, city.name_en) if name)
            one = _City(
                names, inputs.profile.documents, providers, archive, options, settings.fetching
            )
            found.append(one.run(asked[city.slug], items, out / city.slug, progress))
    return found


class _City:
    """The retrieval of one city."""

    def __init__(
        self,
        names: tuple[str, ...],
        limits: DocumentSettings,
        providers: Sequence[Provider],
        archive: Archive,
        options: WebOptions,
        fetching: FetchSettings,
    ) -> None:
        self.names = names
        self.limits, self.providers, self.archive = limits, providers, archive
        self.options, self.fetching = options, fetching

    def run(
        self,
        asked: list[Row],
        items: dict[str, Item],
        folder: Path,
        progress: Callable[[str, int, int], None],
    ) -> Retrieved:
        """Search, fetch, read, write."""
        asking = self._search(asked, progress)
        searches, problems = _run_still(asking) if self.options.offline else asyncio.run(asking)
        chosen = self._chosen(asked, searches)
        urls = sorted({row["url"] for row in chosen})
        n_visits = 0
        if not self.options.offline:
            n_visits = self._fetch(urls, items, progress)
        documents = documents_of(self.archive, urls)
        self._write(folder, asked, searches, problems, chosen, documents)
        if self.options.export is not None:
            self._export(documents, self.options.export / folder.name)
        n_queries = len({row["query_id"] for row in asked})
        return Retrieved(
            folder, documents.counts, n_queries, len(searches), len(problems), n_visits
        )

    async def _search(
        self, asked: list[Row], progress: Callable[[str, int, int], None]
    ) -> tuple[dict[tuple[str, str], list[Found]], dict[tuple[str, str], str]]:
        """Every distinct sub-query at every provider, once; and the searches without an answer."""
        distinct = {row["sub_query_id"]: row for row in asked}
        limits = _limits(self.limits)
        found: dict[tuple[str, str], list[Found]] = {}
        problems: dict[tuple[str, str], str] = {}
        for done, (key, row) in enumerate(sorted(distinct.items()), 1):
            query = SearchQuery(
                row["text"], row["lang"], newest_after=self.limits.newest_after, about=self.names
            )
            for provider in self.providers:
                at = (key, provider.name)
                try:
                    found[at] = await provider.search(query, limits[row["purpose"]])
                except ProviderError as error:
                    if error.code in ("bad_key", "quota_spent", "not_configured"):
                        raise
                    found[at], problems[at] = [], f"{error.code}: {error.message}"
            progress("searches", done, len(distinct))
        return found, problems

    def _chosen(self, asked: list[Row], searches: dict[tuple[str, str], list[Found]]) -> list[Row]:
        """The best addresses of each query and purpose, within the bound of age."""
        groups: dict[tuple[str, str], list[str]] = defaultdict(list)
        for row in asked:
            groups[row["query_id"], row["purpose"]].append(row["sub_query_id"])
        since = self.limits.newest_after
        rows: list[Row] = []
        for (query_id, purpose), keys in sorted(groups.items()):
            lists = [
                [e for e in searches[key, p.name]
                 if since is None or e.published_on is None or e.published_on >= since]
                for key in keys
                for p in self.providers
            ]  # fmt: skip
            for entry in fuse(lists, _limits(self.limits)[purpose]):
                rows.append({"query_id": query_id, "purpose": purpose, **entry._asdict()})
        return rows

    def _fetch(
        self, urls: list[str], items: dict[str, Item], progress: Callable[[str, int, int], None]
    ) -> int:
        """Put every document into the archive that is not in it yet; gives how many were asked."""
        at = datetime.now(UTC)
        for url in urls:
            if url in items:
                item = items[url]
                self.archive.add_file(url, item.read(), item.content_type, at, item.charset)
        outside = [url for url in urls if url not in items and not url.startswith(SCHEME)]
        due = self.archive.due(outside, refresh=self.options.refresh)
        done = 0

        def keep(visit: Visit) -> None:
            nonlocal done
            self.archive.add(visit)
            done += 1
            progress("documents", done, len(due))

        if due:
            asyncio.run(crawl(due, self.fetching, keep))
        return len(due)

    def _export(self, documents: Documents, folder: Path) -> None:
        """Bodies as files named by their hash, for ``build --documents``."""
        folder.mkdir(parents=True, exist_ok=True)
        for row in documents.rows:
            visit = self.archive.latest(row["url"])
            if row["outcome"] == "stored" and visit is not None:
                named = corpus_path(visit.final_url or visit.url, visit.content_type or "")
                suffix = PurePosixPath(named).suffix.lower()
                path = folder / f"{row['doc_id']}{suffix if suffix in SUFFIXES else '.html'}"
                path.write_bytes(self.archive.body(visit))

    def _write(
        self,
        folder: Path,
        asked: list[Row],
        searches: dict[tuple[str, str], list[Found]],
        problems: dict[tuple[str, str], str],
        chosen: list[Row],
        documents: Documents,
    ) -> None:
        listed = sorted(asked, key=lambda row: (row["query_id"], row["purpose"], row["rank"]))
        write_table(listed, _SUB_QUERIES, folder / "sub_queries.parquet")
        hits: list[Row] = []
        for (key, provider), found in sorted(searches.items()):
            base = {"sub_query_id": key, "provider": provider}
            if (key, provider) in problems:
                hits.append({**base, "problem": problems[key, provider]})
            hits += [
                {**base, "rank": e.rank, "url": e.url, "title": e.title or None,
                 "published_on": e.published_on}
                for e in found
            ]  # fmt: skip
        write_table(hits, _SEARCHES, folder / "searches.parquet")
        write_table(chosen, _QUERY_DOCUMENTS, folder / "query_documents.parquet")
        write_documents(documents, folder / "documents.parquet")


def web_settings(settings: Settings) -> WebSettings:
    """Those of the settings that search and fetching need."""
    given = {name: getattr(settings, name) for name in WebSettings.model_fields}
    return WebSettings.model_validate({k: v for k, v in given.items() if v is not None})


def _run_still(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine that waits for nobody, without an event loop: one has sockets."""
    try:
        work.send(None)
    except StopIteration as end:
        return end.value
    work.close()
    raise RuntimeError("something waits, although everything is at hand")


def _limits(settings: DocumentSettings) -> dict[str, int]:
    return {
        "poi": settings.per_poi_search,
        "route": settings.per_route_search,
        "inquiry": settings.per_inquiry,
    }


def _folders(documents: Sequence[Path]) -> list[Path]:
    """What the stages can read: folders. WARC and Parquet files are for the search alone."""
    return [path for path in documents if path.is_dir()]


def _items(documents: Sequence[Path], options: WebOptions, inputs: Inputs) -> dict[str, Item]:
    if "corpus" not in options.providers:
        return {}
    if not documents:
        raise SettingsError("the provider corpus searches in documents: name them with --documents")
    for path in documents:
        if not path.exists():
            raise SettingsError(f"there are no documents at {path}: check --documents")
    found = read_collection(list(documents), inputs.profile.documents.maximum_bytes)
    return {item.url: item for item in found}


def _providers(
    options: WebOptions, settings: WebSettings, answers: Answers, items: dict[str, Item]
) -> list[Provider]:
    made: list[Provider] = []
    for name in dict.fromkeys(options.providers):
        if name == "corpus":
            corpus = None if options.offline else CorpusProvider(items.values())
            made.append(KeptCorpus(corpus, answers))
        else:
            made.append(
                make_provider(
                    name, settings, answers, refresh=options.refresh, offline=options.offline
                )
            )
    return made


def _asked(
    inputs: Inputs, options: WebOptions, workspace: Workspace, answers: Answers
) -> dict[str, list[Row]]:
    """Sub-queries of every query by city; with inquiries, those about its first candidates."""
    workspace.prepare()
    executor = DirectExecutor(workspace)
    last = "tags" if options.inquiries else "queries"
    listed = list_documents(inputs) if options.inquiries else None
    ends = submit_all(executor, inputs, listed, last=last)
    asked: dict[str, list[Row]] = {}
    queries_of = {ref.shard: ref for ref in executor.finished() if ref.stage == "queries"}
    for city in inputs.cities:
        queries = workspace.load(queries_of[city.slug])["queries"].to_dicts()
        rows = [
            row
            for query in queries
            if query["family"] == "tprag"
            for row in sub_queries(query, city)
        ]
        if inputs.engine != "rules":
            searched = [query for query in queries if query["family"] == "tprag"]
            rows += rewrite(
                searched, city, inputs.engine, inputs.settings, answers, offline=options.offline
            )
        if options.inquiries:
            rows += workspace.load(executor.result(ends[city.slug]))["sub_queries"].to_dicts()
        asked[city.slug] = [{name: row[name] for name in _SUB_QUERIES.names} for row in rows]
    return asked


def print_retrieved(found: Sequence[Retrieved], *, as_json: bool) -> None:
    """What came of it, the folder of each city last."""
    if as_json:
        sys.stdout.write(json.dumps([one.row() for one in found], ensure_ascii=False) + "\n")
        return
    for one in found:
        row = one.row()
        sys.stdout.write(
            f"{counted(row['queries'], 'query')}, {counted(row['searches'], 'search')} ({row['unanswered']} without an "
            f"answer), {counted(row['documents'], 'document')}: {row['stored']} stored, "
            f"{row['quarantined']} quarantined, {row['pending']} pending\n{row['path']}\n"
        )
