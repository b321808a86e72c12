"""Counts the words in descriptions, whose length TP-RAG limits (appendix E.1).

The limit is "brief, not exceeding 50 words". Two Chinese characters count as one word, so a Chinese
description has at most 100 characters.
"""

from __future__ import annotations

import re

MOST_WORDS = 50
#: A Chinese character, or a word or number in Latin letters and digits.
WORD = re.compile(r"[\u4e00-\u9fff]|[A-Za-z0-9'’]+")


def word_count(text: str) -> int:
    """Count the words in a text; two Chinese characters count as one word."""
    words = WORD.findall(text)
    han = sum(not word.isascii() for word in words)
    return len(words) - han + (han + 1) // 2
