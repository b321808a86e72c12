"""Words of jieba's dictionary, which is read from the package alone."""

from __future__ import annotations

import marshal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import jieba
import pytest

from schemas import chinese_words
from schemas.chinese_words import cut_search_terms, cut_words, word_frequency, word_tags


def test_texts_are_cut_into_the_words_of_the_dictionary() -> None:
    assert cut_words("我们上午游览了西湖和灵隐寺") == [
        "我们", "上午", "游览", "了", "西湖", "和", "灵隐寺",
    ]  # fmt: skip
    # A name that the dictionary lacks is not guessed.
    assert cut_words("青石园") == ["青石", "园"]


def test_long_words_are_also_cut_for_a_search() -> None:
    assert cut_search_terms("杭州博物馆") == ["杭州", "博物", "博物馆"]


def test_a_word_has_a_frequency_and_a_part_of_speech() -> None:
    assert word_frequency("西湖") > word_frequency("灵隐寺") > 0
    assert word_frequency("青石园") == 0
    assert (word_tags()["西湖"], word_tags()["游览"]) == ("ns", "vn")
    assert "青石园" not in word_tags()


@pytest.mark.slow
def test_it_is_the_dictionary_as_jieba_reads_it(loaded_again: None) -> None:
    own = jieba.Tokenizer()
    read = own.gen_pfdict(own.get_dict_file())
    segmenter = chinese_words._load_segmenter()
    assert (segmenter.FREQ, segmenter.total) == read


@pytest.fixture
def loaded_again() -> Iterator[None]:
    """The dictionary is read anew, here and after the test."""
    chinese_words._load_segmenter.cache_clear()
    yield
    chinese_words._load_segmenter.cache_clear()


@pytest.mark.slow
def test_a_cache_that_others_can_write_is_neither_read_nor_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loaded_again: None
) -> None:
    (tmp_path / "jieba.cache").write_bytes(marshal.dumps(({"湖和": 10**9}, 10**9)))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = (tmp_path / "jieba.cache").read_bytes()
    assert cut_words("西湖和灵隐寺") == ["西湖", "和", "灵隐寺"]
    assert [path.name for path in tmp_path.iterdir()] == ["jieba.cache"]
    assert (tmp_path / "jieba.cache").read_bytes() == before
