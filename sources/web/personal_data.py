"""Mask personal data character by character, so that all offsets stay valid.

A fixed line that the text calls a place's own (the ticket office's, the visitor centre's) is a
fact of the place and stays. Mobile numbers, mail addresses and handles never do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from schemas.documents import Document

MASK = "█"

_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ID_NUMBER = re.compile(
    r"(?<![0-9A-Za-z])[1-9]\d{5}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d"
    r"|3[01])\d{3}[\dXx]"
    r"(?![0-9A-Za-z])"
)
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "email",
        re.compile(
            r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,12}"
        ),
    ),
    (
        "mobile",
        re.compile(r"(?<![\d.])(?:(?:\+|00)86[- ]?)?1[3-9]\d[- ]?\d{4}[- ]?\d{4}(?![\d.])"),
    ),
    (
        "landline",
        re.compile(
            r"(?<![\d.])(?:(?:\+|00)86[- ]?)?[（(]?0(?:10|2\d|[3-9]\d{2})[)）]?[- ]?\d{7,8}(?!\d)"
        ),
    ),
    ("landline", re.compile(r"(?<![\d.])(?:400|800)[- ]\d{3}[- ]?\d{4}(?!\d)")),
    (
        "phone",
        re.compile(
            r"(?:(?<=[Tt]el)|(?<=电话)|(?<=手机))[.:：\s]{0,3}(\+?\d[\d() -]{5,16}\d)(?!\d)"
        ),
    ),
    (
        "handle",
        re.compile(
            r"(?:微信号?|加[vV微]|[vV]信|[Qq]{2}(?:群|号)?|WeChat(?: ID)?|小红书号|抖音号)"
            r"\s{0,3}[:：是为]\s{0,3}([A-Za-z0-9_-]{5,24})",
            re.IGNORECASE,
        ),
    ),
    (
        "handle",
        re.compile(r"(?<![\w.@/])@[A-Za-z_][\w.-]{1,29}(?<![.-])(?!\w)", re.ASCII),
    ),
    (
        "handle",
        re.compile(r"(?<![\w.@/])@[\u4e00-\u9fff][\w\u4e00-\u9fff-]{1,15}(?=[\s，。,.：:]|$)"),
    ),
)


#: Words right before a fixed line that make it a place's own contact.
_PLACE_CONTACT = re.compile(
    r"(?:(?:景区|景点|馆方|园区|酒店|咨询|问询|订票|购票|票务|售票处?|预约|预订|服务|官方|救援"
    r"|投诉|游客(?:服务)?中心|接待处)"
    r"(?:电话|热线|专线)|(?:ticket office|box office|visitor cent(?:er|re)|information"
    r"|reservations?"
    r"|booking|hotline)(?:\s(?:tel|phone|number))?)[.:：\s]{0,3}$",
    re.IGNORECASE,
)
_FIXED = frozenset({"landline", "phone"})
_LABEL_CHARS = 40


def mask(text: str) -> tuple[str, Counter[str]]:
    """The text with personal data masked, of the same length, and what was masked by kind.

    Kinds: email, mobile, landline, phone, id_number, handle.
    """
    counts: Counter[str] = Counter()
    text = _mask(text, _ID_NUMBER, "id_number", counts)
    for kind, pattern in _PATTERNS:
        text = _mask(text, pattern, kind, counts)
    return text, counts


def mask_document(document: Document, names: Sequence[str] = ()) -> tuple[Document, Counter[str]]:
    """A document with every block and its title masked; offsets stay.

    ``names`` are people's, longest first (``sources.web.authors``): masked wherever they stand.
    """
    counts: Counter[str] = Counter()
    blocks = []
    for block in document.blocks:
        masked, found = mask(block.text)
        masked = _without(masked, names, found)
        counts += found
        blocks.append(block.model_copy(update={"text": masked}) if found else block)
    title = _without(mask(document.title)[0], names, Counter())
    if not counts and title == document.title:
        return document, counts
    return document.model_copy(update={"title": title, "blocks": tuple(blocks)}), counts


def _without(text: str, names: Sequence[str], counts: Counter[str]) -> str:
    """The text with each name covered; a Latin one only where it stands as words of its own."""
    for name in names:
        edges = (r"(?<!\w)", r"(?!\w)") if name.isascii() else ("", "")
        text, found = re.subn(f"{edges[0]}{re.escape(name)}{edges[1]}", MASK * len(name), text)
        if found:
            counts["name"] += found
    return text


def _mask(text: str, pattern: re.Pattern[str], kind: str, counts: Counter[str]) -> str:
    def cover(match: re.Match[str]) -> str:
        if kind == "id_number" and not _is_id_number(match[0]):
            return match[0]
        start, end = match.span(match.lastindex or 0)
        before_it = text[max(0, start - _LABEL_CHARS) : start]
        if kind in _FIXED and _PLACE_CONTACT.search(before_it):
            return match[0]
        counts[kind] += 1
        before, after = (
            match[0][: start - match.start()],
            match[0][end - match.start() :],
        )
        return before + MASK * (end - start) + after

    return pattern.sub(cover, text)


def _is_id_number(number: str) -> bool:
    """Whether the check digit of an 18-digit resident id is right (GB 11643-1999)."""
    total = sum(int(digit) * weight for digit, weight in zip(number, _ID_WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == number[-1].upper()
