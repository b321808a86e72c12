from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from sources.web.search import BM25Index, tokenize

DOCS = [
    ("d3", "冬季看海：灯塔与码头，冬季人少。"),
    ("d1", "茶山三日游，冬季也能去。茶山有温泉。"),
    ("d2", "The lighthouse in winter: a walk by the harbour."),
    ("d5", "The lighthouse in winter: a walk by the harbour."),
    ("d4", ""),
]


@pytest.fixture(scope="module")
def index() -> BM25Index:
    return BM25Index.build(DOCS)


def ids(index: BM25Index, query: str, k: int = 10) -> list[str]:
    return [hit.doc_id for hit in index.search(query, k)]


def test_both_languages_are_found(index: BM25Index) -> None:
    assert ids(index, "茶山 温泉") == ["d1"]
    assert ids(index, "冬季")[0] == "d3"
    assert ids(index, "Winter LIGHTHOUSE") == ["d2", "d5"]
    assert set(ids(index, "冬季 harbour")) == {"d1", "d2", "d3", "d5"}


def test_order_is_total_and_ranks_are_dense(index: BM25Index) -> None:
    hits = index.search("冬季 lighthouse", 10)
    assert [hit.rank for hit in hits] == [1, 2, 3, 4]
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.doc_id))
    assert all(hit.score > 0 and hit.score == round(hit.score, 6) for hit in hits)
    assert BM25Index.build(DOCS[::-1]).search("冬季 lighthouse", 10) == hits
    assert index.search("冬季 lighthouse", 2) == hits[:2]


@pytest.mark.parametrize("query", ["", "的 the", "量子", "???", "zzz"])
def test_queries_that_match_nothing(index: BM25Index, query: str) -> None:
    assert index.search(query, 5) == []
    assert index.search("冬季", 0) == []


def test_empty_and_repeated_documents() -> None:
    assert BM25Index.build([]).search("冬季", 5) == []
    assert BM25Index.build([("d1", ""), ("d2", "的")]).search("冬季", 5) == []
    with pytest.raises(ValueError, match="repeated"):
        BM25Index.build([("d1", "a b"), ("d1", "c d")])


def test_scores_are_those_of_lucene() -> None:
    """idf = ln(1 + (N - n + 0.5) / (n + 0.5)), tf / (tf + k1 (1 - b + b dl / avgdl))."""
    import math

    found = BM25Index.build([("a", "tea tea sea"), ("b", "sea wind sand salt")]).search("tea", 1)
    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    tf = 2 / (2 + 1.5 * (1 - 0.75 + 0.75 * 3 / 3.5))
    assert found[0].score == pytest.approx(idf * tf, abs=1e-6)


def test_words_inside_long_words_are_terms() -> None:
    assert {"自然", "博物", "博物馆"} <= set(tokenize("自然博物馆"))
    assert tokenize("Day3 The SEA") == ["day3", "sea"]


def test_concurrent_searches_agree(index: BM25Index) -> None:
    expected = index.search("冬季 lighthouse", 5)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: index.search("冬季 lighthouse", 5), range(100)))
    assert all(answer == expected for answer in answers)
