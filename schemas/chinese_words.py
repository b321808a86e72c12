"""Splits Chinese text into words with jieba's dictionary, which each process loads only once."""

from __future__ import annotations

import threading
import warnings
from functools import cache
from typing import Any

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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # jieba takes a quarter of a second to import.
        import jieba

    segmenter = jieba.Tokenizer()
    segmenter.FREQ, segmenter.total = segmenter.gen_pfdict(segmenter.get_dict_file())
    segmenter.initialized = True
    return segmenter


@cache
def _load_tags() -> dict[str, str]:
    # jieba.posseg would read this file twice.
    with _load_segmenter().get_dict_file() as lines:
        entries = (line.decode().split() for line in lines)
        return {word: tag for word, _, tag in entries}
