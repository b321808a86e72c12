"""Search documents with BM25 (bm25s), using English words and Chinese words (jieba)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from schemas.chinese_words import cut_search_terms
from schemas.word_lists import Lists

_LISTS = Lists("sources.web")

_RUN = re.compile("[\u3400-\u9fff\uf900-\ufaff]+|[a-z0-9\u00c0-\u024f]+")
_HAN_START = "\u3400"
_STOP_WORDS = frozenset(_LISTS.words("stop_words"))
_DECIMALS = 6


@dataclass(frozen=True)
class CorpusHit:
    """A document found by a search; the best document has ``rank`` 1."""

    doc_id: str
    score: float
    rank: int


class BM25Index:
    """A BM25 index in memory (Lucene's variant, k1 1.5, b 0.75) that threads can share."""

    def __init__(self, doc_ids: tuple[str, ...], model: Any) -> None:
        self._doc_ids = doc_ids
        self._model = model

    @classmethod
    def build(cls, docs: Iterable[tuple[str, str]]) -> BM25Index:
        """Build an index from pairs (doc_id, text).

        Raises ValueError if a ``doc_id`` is repeated.
        """
        pairs = sorted(docs)
        doc_ids = tuple(doc_id for doc_id, _ in pairs)
        if len(set(doc_ids)) != len(doc_ids):
            raise ValueError("a document id is repeated: index each document once")
        tokens = [tokenize(text) for _, text in pairs]
        if not any(tokens):
            return cls(doc_ids, None)
        # bm25s takes a third of a second to import.
        import bm25s

        vocabulary = {token: at for at, token in enumerate(sorted(set().union(*tokens)))}
        token_ids = [[vocabulary[token] for token in document] for document in tokens]
        model = bm25s.BM25(k1=1.5, b=0.75, method="lucene", dtype="float64", backend="numpy")
        model.index((token_ids, vocabulary), create_empty_token=False, show_progress=False)
        return cls(doc_ids, model)

    def search(self, query: str, k: int) -> list[CorpusHit]:
        """Return up to ``k`` documents with a positive score, sorted by score and then by
        ``doc_id``.

        Scores are rounded to 6 decimal places before they are compared.
        """
        if self._model is None or k <= 0:
            return []
        known = [token for token in tokenize(query) if token in self._model.vocab_dict]
        if not known:
            return []
        scores = np.round(np.asarray(self._model.get_scores(known), dtype=np.float64), _DECIMALS)
        found = [(-float(scores[at]), self._doc_ids[at]) for at in np.flatnonzero(scores > 0)]
        best = sorted(found)[:k]
        return [
            CorpusHit(doc_id, -score, rank) for rank, (score, doc_id) in enumerate(best, start=1)
        ]


def tokenize(text: str) -> list[str]:
    """Return the search terms in a text: English and Chinese words, and parts of long words."""
    tokens: list[str] = []
    for run in _RUN.findall(text.lower()):
        found: Sequence[str] = [run]
        if run[0] >= _HAN_START:
            found = cut_search_terms(run)
        tokens += [token for token in found if token not in _STOP_WORDS]
    return tokens
