"""Splits Chinese text into words with jieba's dictionary, which each process loads only once."""

from __future__ import annotations

import threading
import warnings
from functools import cache
from typing import Any

import polars as pl

_loading = threading.Lock()


def cut_words(text: str) -> list[str]:
    """Split a text into words from the dictionary only, without guessing unknown words."""
    return list(_segmenter().cut(text, HMM=False))


def cut_search_terms(text: str) -> list[str]:
    """Split a text into words; also split long words into the shorter words that they contain."""
    return list(_segmenter().cut_for_search(text))


def word_frequency(word: str) -> int:
    """Return the frequency of a word in the dictionary, or 0 if the word is not in it."""
    return int(_segmenter().FREQ.get(word, 0))


def word_tags() -> dict[str, str]:
    """Return the part of speech of each word in the dictionary."""
    with _loading:
        return _load_tags()


def _segmenter() -> Any:
    with _loading:
        return _load_segmenter()


@cache
def _load_segmenter() -> Any:
    """Load jieba with its own dictionary, but without its cache file in the temporary folder.

    The cache would be unsafe, because anyone can write files to that folder.
    """
    segmenter = _jieba().Tokenizer()
    entries = _read_entries()
    words = entries["word"]
    longest = max(map(len, words))
    # jieba looks up every beginning of a word, too; a beginning that is no word has frequency 0.
    beginnings = [
        words.filter(words.str.len_chars() > length).str.head(length).unique()
        for length in range(1, longest)
    ]
    segmenter.FREQ = dict.fromkeys(pl.concat(beginnings).to_list(), 0)
    segmenter.FREQ.update(zip(words.to_list(), entries["frequency"].to_list(), strict=True))
    segmenter.total = entries["frequency"].sum()
    segmenter.initialized = True
    return segmenter


@cache
def _load_tags() -> dict[str, str]:
    entries = _read_entries()
    return dict(zip(entries["word"].to_list(), entries["tag"].to_list(), strict=True))


def _read_entries() -> pl.DataFrame:
    """Read the words of jieba's dictionary with their frequencies and parts of speech.

    jieba itself reads its dictionary line by line, which takes twice as long.
    """
    with _jieba().Tokenizer().get_dict_file() as lines:
        return pl.read_csv(
            lines.read(),
            has_header=False,
            separator=" ",
            quote_char=None,
            schema={"word": pl.String, "frequency": pl.Int64, "tag": pl.String},
        )


def _jieba() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # jieba takes a quarter of a second to import.
        import jieba
    return jieba
