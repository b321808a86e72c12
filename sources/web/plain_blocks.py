"""Plain text to blocks: day lines become headings, bullets list items, the rest paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sources.web.lines import RawBlock, clean, has_day_marker, has_words, join_wrapped

_BULLET = re.compile(r"^\s*(?:[-*+•·▪●○◦]\s+|\d{1,3}[.)]\s+|\d{1,2}[、．]|[（(]\d{1,2}[)）])(?=\S)")
_BRACKETED = re.compile(r"^【[^】]{1,30}】$|^={2,}\s*[^=]{1,40}\s*={2,}$")
_SENTENCE_END = re.compile(r"[。！？!?；;，,.]$")
_HEADING_CHARS = 40
_TITLE_CHARS = 60


def read_plain(text: str) -> list[RawBlock]:
    """Blocks of a plain text; the first short line may serve as its title (a level 1 heading)."""
    blocks: list[RawBlock] = []
    run: list[str] = []
    lines = [clean(line) for line in text.split("\n")]
    for line in [*lines, ""]:
        if not line or _is_heading(line) or _BULLET.match(line):
            blocks.extend(_paragraphs(run))
            run = []
        if _is_heading(line):
            blocks.append(RawBlock("heading", 2, line.strip("= ")))
        elif _BULLET.match(line):
            blocks.append(RawBlock("list_item", 0, _BULLET.sub("", line)))
        elif line:
            run.append(line)
    blocks = [block for block in blocks if has_words(block.text)]
    if blocks and _is_title(blocks, lines):
        blocks[0] = blocks[0]._replace(kind="heading", level=1)
    return blocks


def _paragraphs(lines: Iterable[str]) -> list[RawBlock]:
    return [RawBlock("paragraph", 0, line) for line in join_wrapped(lines)]


def _is_heading(line: str) -> bool:
    if not line or len(line) > _HEADING_CHARS:
        return False
    if _BRACKETED.match(line):
        return True
    return has_day_marker(line) and not _SENTENCE_END.search(line)


def _is_title(blocks: list[RawBlock], lines: list[str]) -> bool:
    first = blocks[0]
    whole_line = first.text in lines
    short = len(first.text) <= _TITLE_CHARS and not _SENTENCE_END.search(first.text)
    return len(blocks) > 1 and first.kind == "paragraph" and whole_line and short
