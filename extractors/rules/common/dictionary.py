"""Splits a Chinese text into words with jieba's dictionary, giving part of speech and frequency."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any


@cache
def _dictionary() -> tuple[Any, dict[str, str]]:
    # Only to quieten jieba.
    import logging

    import jieba
    import jieba.posseg

    jieba.setLogLevel(logging.WARNING)
    jieba.initialize()
    return jieba.dt, dict(jieba.posseg.POSTokenizer(jieba.dt).word_tag_tab)


def cut_words(text: str) -> list[str]:
    """Words of a Chinese text, by dictionary only (no guessing of unknown words)."""
    return list(_cut_once(text))


@lru_cache(maxsize=16384)
def _cut_once(text: str) -> tuple[str, ...]:
    return tuple(_dictionary()[0].cut(text, HMM=False))


@lru_cache(maxsize=65536)
def tag(word: str) -> str:
    """Part of speech of a word, "" when the dictionary does not hold it."""
    return _dictionary()[1].get(word, "")


@lru_cache(maxsize=65536)
def frequency(word: str) -> int:
    """Frequency of a word in the dictionary, 0 when it does not hold it."""
    return int(_dictionary()[0].FREQ.get(word, 0) or 0)
