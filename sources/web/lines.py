"""Clean lines, replace HTML elements, and convert plain text to blocks.

HTML is processed in one pass, so that even a malicious page is processed in linear time. In plain
text, lines that begin with a day become headings, bullet points become list items, and all other
lines become paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from schemas.documents import BlockKind

_INVISIBLE = re.compile("[\u00ad\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_BLANKS = re.compile(r"[\t\r\n\f\v\x85\u00a0\u2028\u2029]+")
_ODD = re.compile("|".join(p.pattern for p in (_INVISIBLE, _CONTROL, _BLANKS)) + "|\ufffc")
_LATEX_ARROW = re.compile(r"\$\s*\\(long)?(left|right|leftright|Right|Left|to|gets)(?:arrow)?\s*\$")
_ARROWS = {"left": "←", "Left": "⇐", "gets": "←", "leftright": "↔", "Right": "⇒"}
_CJK = "\u3000-\u303f\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_ENDS_CJK = re.compile(f"[{_CJK}]$")
_STARTS_CJK = re.compile(f"^[{_CJK}]")
_WORD = re.compile(r"\w")
_NUMERAL = "[0-9一二三四五六七八九十]{1,3}"
_DAY_MARKER = re.compile(
    rf"^[\W_]{{0,3}}(?:第\s*{_NUMERAL}\s*[天日]|day\s*-?\s*(?:{_NUMERAL}|one|two|three|four|five"
    rf"|six|"
    rf"seven|eight|nine|ten)\b|D{_NUMERAL}(?![\w])|{_NUMERAL}\s*月\s*{_NUMERAL}\s*[日号])",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"^\W{0,3}\d{1,2}[:：]\d{2}")
_WRAP_WIDTH = 50  # a shorter line was ended by its author, not by an editor's margin
_BULLET = re.compile(r"^\s*(?:[-*+•·▪●○◦]\s+|\d{1,3}[.)]\s+|\d{1,2}[、．]|[（(]\d{1,2}[)）])(?=\S)")
_BRACKETED = re.compile(r"^【[^】]{1,30}】$|^={2,}\s*[^=]{1,40}\s*={2,}$")
_SENTENCE_END = re.compile(r"[。！？!?；;，,.]$")
_HEADING_CHARS = 40
_TITLE_CHARS = 60
_ELEMENT = re.compile(r"<([A-Za-z]\w*)\b([^<>]*)>")


class RawBlock(NamedTuple):
    """A block without its offset, as required by ``Document.from_texts``."""

    kind: BlockKind
    level: int
    text: str
    strong: bool = False
    number: int = 0  #: the number of a list item; only ``as_markdown`` writes it


def clean(text: str) -> str:
    """Clean a line: replace unusual spaces, and remove invisible and control characters."""
    if "$" in text:
        text = _LATEX_ARROW.sub(lambda m: _ARROWS.get(m[2], "→"), text)
    if not _ODD.search(text):
        return text.strip()
    text = _CONTROL.sub("", _INVISIBLE.sub("", _BLANKS.sub(" ", text)))
    return text.replace("\ufffc", "").strip()


def has_words(text: str) -> bool:
    """Check whether a line contains a letter, a digit or a Chinese character."""
    return bool(_WORD.search(text))


def has_day_marker(text: str) -> bool:
    """Check whether a line begins with a day, such as 第二天, Day 3, D2 or 5月1日."""
    return bool(_DAY_MARKER.match(text))


def join_wrapped(lines: Iterable[str]) -> list[str]:
    """Join the lines of a paragraph that an editor has wrapped.

    An English line is joined to the next line with a space, as in Markdown. Lines stay separate if
    they are in Chinese, or if they begin with a day or a clock time. As in itineraries, a line that
    stays separate counts as a complete statement.
    """
    runs: list[list[str]] = []
    for line in lines:
        if runs and _continues(runs[-1][-1], line):
            runs[-1].append(line)
        else:
            runs.append([line])
    return [" ".join(run) for run in runs]


def _continues(before: str, line: str) -> bool:
    if len(before) < _WRAP_WIDTH or ends_with_cjk(before) or opens_with_cjk(line):
        return False
    return not has_day_marker(line) and not _CLOCK.match(line)


def opens_with_cjk(text: str) -> bool:
    """Check whether the first character is Chinese or full-width."""
    return bool(_STARTS_CJK.match(text))


def ends_with_cjk(text: str) -> bool:
    """Check whether the last character is Chinese or full-width."""
    return bool(_ENDS_CJK.search(text))


def words(text: str) -> frozenset[str]:
    """Return the set of words in a string."""
    return frozenset(text.split())


def read_plain(text: str) -> list[RawBlock]:
    """Return the blocks in a plain text; a short first line becomes the title (heading level 1)."""
    blocks: list[RawBlock] = []
    run: list[str] = []
    lines = [clean(line) for line in text.split("\n")]
    for line in [*lines, ""]:
        if not line or _is_heading(line) or _BULLET.match(line):
            blocks += [RawBlock("paragraph", 0, text) for text in join_wrapped(run)]
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


def _is_heading(line: str) -> bool:
    is_day = has_day_marker(line) and not _SENTENCE_END.search(line)
    return 0 < len(line) <= _HEADING_CHARS and (is_day or _BRACKETED.match(line) is not None)


def _is_title(blocks: list[RawBlock], lines: list[str]) -> bool:
    first = blocks[0]
    whole_line = first.text in lines
    short = len(first.text) <= _TITLE_CHARS and not _SENTENCE_END.search(first.text)
    return len(blocks) > 1 and first.kind == "paragraph" and whole_line and short


def without_comments(text: str) -> str:
    """Remove HTML comments from a text; a comment that is never closed is kept."""
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[at:start])
        at = end + len("-->")
    return "".join([*kept, text[at:]])


def replace_elements(
    text: str, concerns: Callable[[str, str], bool], replace: Callable[[str, str], str]
) -> str:
    """Replace HTML elements, each of which extends to its first closing tag.

    ``concerns(tag, attributes)`` chooses the elements, and ``replace(tag, element)`` returns their
    new text. An element that is never closed is kept.
    """
    kept: list[str] = []
    unclosed: set[str] = set()
    at = 0
    for match in _ELEMENT.finditer(text):
        tag = match[1].lower()
        if match.start() < at or tag in unclosed or not concerns(tag, match[2]):
            continue
        closing = re.compile(rf"</{tag}\s?>", re.IGNORECASE).search(text, match.end())
        if closing is None:
            unclosed.add(tag)
            continue
        kept += [
            text[at : match.start()],
            replace(tag, text[match.start() : closing.end()]),
        ]
        at = closing.end()
    return "".join([*kept, text[at:]])
