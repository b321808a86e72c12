"""Lines of a Chinese document that are not its own words: verses, quotes, other pages, titles."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extractors.rules.common.lines import Hit, Line

#: A line that refers to another page.
_CITES = re.compile(
    r"的(?:回答|文章|博客|视频|帖子|专栏)\s*[-—|]|[-—|]\s*(?:知乎|豆瓣|简书|哔哩哔哩|马蜂窝|百度)"
)


def untold_lines(lines: Sequence[Line]) -> frozenset[int]:
    """Lines in which the writer tells nothing: verses, quotes, references to other pages."""
    verses = _verses(lines)
    return frozenset(
        line.index
        for line in lines
        if line.index in verses
        or line.kind == "quote"
        or is_verse(line.text)
        or _CITES.search(line.text)
    )


_SOURCE = re.compile(r"\s*[—-]{2,}\s*《")
_VERSE_LINE = 45  # characters of a line that is quoted above the title of a work


def _verses(lines: Sequence[Line]) -> set[int]:
    """Short lines right above the line that names the work which they are from."""
    found: set[int] = set()
    for line in lines:
        if not _SOURCE.match(line.text):
            continue
        for above in reversed(lines[max(0, line.index - 8) : line.index]):
            if above.is_head or above.kind == "list_item" or len(above.text) > _VERSE_LINE:
                break
            found.add(above.index)
    return found


def is_verse(text: str) -> bool:
    """Whether a line is verse: clauses of one length, or the line that names the poem."""
    clauses = [c.strip() for c in re.split(r"[，。！？；,]", text) if c.strip()]
    lengths = {len(c) for c in clauses}
    return bool(re.match(r"^\s*[—-]{2,}", text)) or (
        len(clauses) >= 2 and len(lengths) == 1 and lengths <= {4, 5, 6, 7} and len(text) < 40
    )


def in_title_marks(line: Line, hit: Hit) -> bool:
    """Whether a hit stands in 《…》, the title of a work."""
    a = hit.start - line.start
    return "《" in line.text[max(0, a - 12) : a] and "》" not in line.text[max(0, a - 12) : a]
