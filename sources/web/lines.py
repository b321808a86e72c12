"""What the readers of Markdown, HTML and plain text share: clean lines and their kinds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from schemas.documents import BlockKind


class RawBlock(NamedTuple):
    """A block before its offset is known: the form that ``Document.from_texts`` takes."""

    kind: BlockKind
    level: int
    text: str
    strong: bool = False
    number: int = 0  #: of an item in a numbered list; only ``as_markdown`` writes it


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


def clean(text: str) -> str:
    """One line of text: odd blanks are blanks, invisible and control characters are gone."""
    if "$" in text:
        text = _LATEX_ARROW.sub(lambda m: _ARROWS.get(m[2], "→"), text)
    if not _ODD.search(text):
        return text.strip()
    text = _CONTROL.sub("", _INVISIBLE.sub("", _BLANKS.sub(" ", text)))
    return text.replace("\ufffc", "").strip()


def has_words(text: str) -> bool:
    """Whether a line says anything: a letter, a digit, a Chinese character."""
    return bool(_WORD.search(text))


def has_day_marker(text: str) -> bool:
    """Whether a line opens with a day: 第二天, Day 3, D2, 5月1日."""
    return bool(_DAY_MARKER.match(text))


def join_wrapped(lines: Iterable[str]) -> list[str]:
    """Lines of one paragraph as statements.

    An English line that an editor wrapped is joined to the next with a blank, as Markdown
    does. Chinese authors end a line where the statement ends, and so do itineraries with a
    clock time or a day in each line: these stay apart.
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
    """Whether the first character is Chinese (or full-width)."""
    return bool(_STARTS_CJK.match(text))


def ends_with_cjk(text: str) -> bool:
    """Whether the last character is Chinese (or full-width)."""
    return bool(_ENDS_CJK.search(text))


def words(text: str) -> frozenset[str]:
    """A set of words written in one string."""
    return frozenset(text.split())
