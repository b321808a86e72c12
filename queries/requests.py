"""Import free-form requests written by people: filter, clean and split them.

The method follows section 3.3 of TripScore. A request with fewer than ten words is rejected.
Personal data is masked. The language of a request is determined from its script and its common
words. Requests that differ only in numbers stay in the same split. Two Chinese characters count as
one word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from queries.rows import fill_splits
from queries.settings import SplitSettings
from schemas.ids import digest

LEAST_WORDS = 10
_CHINESE_CHARACTERS_A_WORD = 2
_HAN = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+")
_MASKS = (
    (re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+"), "[email]"),
    (re.compile(r"https?://\S+"), "[link]"),
    (re.compile(r"(?<!\d)\d{17}[\dXx](?!\d)"), "[id]"),
    (re.compile(r"(?<!\d)(?:\+?86[- ]?)?1[3-9]\d(?:[- ]?\d{4}){2}(?!\d)"), "[phone]"),
    (re.compile(r"(?<![\d\w])\+?\d{1,3}[- .]?\(?\d{2,4}\)?(?:[- .]?\d{3,4}){2}(?!\d)"), "[phone]"),
    (
        re.compile(r"(?:微信|wechat|weixin|qq)(?:号|id)?\s*[:：]?\s*[A-Za-z0-9_-]{5,20}", re.I),
        "[account]",
    ),
    (re.compile(r"(?<=我叫)[\u4e00-\u9fff]{2,3}"), "[name]"),
    (re.compile(r"(?<=[Mm]y name is )[A-Z]\w+(?: [A-Z]\w+)?"), "[name]"),
)


@dataclass(frozen=True)
class FreeRequest:
    """An accepted request; ``masked`` is the number of pieces of personal data that were masked."""

    request_id: str
    text: str
    lang: str
    split: str
    masked: int


@dataclass(frozen=True)
class RejectedLine:
    """A rejected line; ``reason`` is ``too_short``, ``duplicate`` or ``empty``."""

    line: int
    reason: str


def words(text: str) -> int:
    """Count the words in a text; two Chinese characters count as one word."""
    han = len(_HAN.findall(text))
    return len(_WORD.findall(_HAN.sub(" ", text))) + han // _CHINESE_CHARACTERS_A_WORD


def language(text: str) -> str:
    """Return the language of a text, based on its letters: ``zh``, ``en`` or ``other``."""
    han, latin = len(_HAN.findall(text)), len(re.findall(r"[A-Za-z]", text))
    letters = len(re.findall(r"[^\W\d_]", text))
    if not letters:
        return "other"
    if han * _CHINESE_CHARACTERS_A_WORD >= letters / 2:
        return "zh"
    return (
        "en"
        if latin >= letters * 0.9 and re.search(r"\b(?:the|a|to|and|in|for|with|I|we)\b", text)
        else "other"
    )


def mask(text: str) -> tuple[str, int]:
    """Mask personal data; return the text and the number of masked pieces."""
    total = 0
    for pattern, label in _MASKS:
        text, count = pattern.subn(label, text)
        total += count
    return text, total


def import_requests(
    lines: Iterable[tuple[int, str]], splits: SplitSettings
) -> tuple[list[FreeRequest], list[RejectedLine]]:
    """Return the accepted requests and the rejected lines."""
    rejected: list[RejectedLine] = []
    kept: dict[str, tuple[str, int]] = {}
    for number, raw in lines:
        text, masked = mask(" ".join(raw.split()))
        key = re.sub(r"\W+", "", text).lower()
        if not key:
            rejected.append(RejectedLine(number, "empty"))
        elif words(text) < LEAST_WORDS:
            rejected.append(RejectedLine(number, "too_short"))
        elif key in kept:
            rejected.append(RejectedLine(number, "duplicate"))
        else:
            kept[key] = (text, masked)
    groups: dict[str, list[str]] = {}
    for key in kept:
        groups.setdefault(re.sub(r"\d+", "#", key), []).append(key)
    found = []
    sizes = {group: len(keys) for group, keys in groups.items()}
    for group, split in fill_splits(sizes, splits, "requests").items():
        for key in groups[group]:
            text, masked = kept[key]
            found.append(FreeRequest(f"request-{digest(key)}", text, language(text), split, masked))
    return sorted(found, key=lambda request: request.request_id), rejected
