"""Search in local documents: folders, WARC files and Parquet files."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from sources.web.collection import CollectedDocument
from sources.web.errors import UnreadableDocument
from sources.web.main_text import parse
from sources.web.metadata import document_meta
from sources.web.providers.base import (
    Answers,
    ApiAnswer,
    ApiRequest,
    ProviderError,
    SearchQuery,
    SearchResult,
    as_dict,
    as_list,
    day,
)
from sources.web.search import BM25Index

_SNIPPET_CHARS = 200


class _KnownDocument(NamedTuple):
    title: str
    snippet: str
    published_on: date | None


def _is_about(names: tuple[str, ...], text: str) -> bool:
    return not names or any(name.casefold() in text for name in names)


class CorpusProvider:
    """A BM25 search in the main text of documents; ``unreadable`` lists the documents that
    cannot be read.
    """

    name = "corpus"
    is_paid = False

    def __init__(self, items: Iterable[CollectedDocument]) -> None:
        texts: list[tuple[str, str]] = []
        self._known: dict[str, _KnownDocument] = {}
        self.unreadable: dict[str, str] = {}
        for item in items:
            if item.url in self._known or item.url in self.unreadable:
                continue
            try:
                parsed = parse(item.read(), item.path, charset=item.charset)
            except UnreadableDocument as error:
                self.unreadable[item.url] = error.message
                continue
            meta = document_meta(parsed)
            text = parsed.document.text
            self._known[item.url] = _KnownDocument(
                meta.title, text[:_SNIPPET_CHARS], meta.published_on
            )
            texts.append((item.url, text))
        self._texts = {url: text.casefold() for url, text in texts}
        self._index = BM25Index.build(texts)

    async def search(self, query: SearchQuery, limit: int) -> list[SearchResult]:
        """Return the best documents, except documents that are known to be too old."""
        found: list[SearchResult] = []
        since = query.newest_after
        for hit in self._index.search(query.text, len(self._known)):
            known = self._known[hit.doc_id]
            is_old = since and known.published_on and known.published_on < since
            if is_old or not _is_about(query.about, self._texts[hit.doc_id]):
                continue
            found.append(SearchResult(hit.doc_id, len(found) + 1, *known))
            if len(found) == limit:
                break
        return found


class KeptCorpus:
    """Searches local documents and stores the answers, so that later runs need no documents."""

    name = "corpus"
    is_paid = False

    def __init__(self, corpus: CorpusProvider | None, answers: Answers) -> None:
        self._corpus, self._answers = corpus, answers

    async def search(self, query: SearchQuery, limit: int) -> list[SearchResult]:
        """Search the documents or, if they are not available, return the stored answer.

        Raises ProviderError ("offline") if there is no stored answer.
        """
        since = query.newest_after.isoformat() if query.newest_after else ""
        params = {"q": query.text, "limit": str(limit), "newest_after": since}
        params["about"] = "|".join(query.about)
        request = ApiRequest("GET", "corpus:", params)
        if self._corpus is not None:
            found = await self._corpus.search(query, limit)
            data = [
                {**vars(entry), "published_on": entry.published_on and str(entry.published_on)}
                for entry in found
            ]
            self._answers.put(self.name, request, ApiAnswer(200, {}, data))
            return found
        kept = self._answers.get(self.name, request)
        if kept is None:
            raise ProviderError(
                "offline", "the corpus has no stored answer to this search: run without --offline"
            )
        rows = map(as_dict, as_list(kept.data))
        return [SearchResult(**{**row, "published_on": day(row["published_on"])}) for row in rows]
