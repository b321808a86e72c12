"""Mask personal data character by character, so that all offsets stay valid.

A landline number that belongs to a place, such as a ticket office's number, is a fact about the
place and is kept. Mobile numbers, e-mail addresses and account names are always masked.

The names of a document's authors are masked everywhere in the document. Names of authors are found
in front matter, in the head of a page, in lines such as "作者：…" or "By …", and where authors
introduce themselves ("我叫…", "my name is …"). Names of places, newspapers and offices are not
masked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from schemas.cities import chinese_place_names
from schemas.documents import Document
from schemas.word_lists import Lists
from sources.web.main_text import ParsedDocument

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


#: Words before a landline number which show that it belongs to a place.
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
_KEYS = frozenset(
    {"author", "authors", "by", "writer", "byline", "creator", "作者", "photographer", "editor"}
)
_BYLINE = re.compile(
    r"(?:^|(?<=[\s（(|·。]))(?:(?:作者|撰文|图文|文字|摄影|博主|楼主|原创)\s{0,2}[:：/]|(?:文"
    r"|图)\s{0,2}[:：/](?=\S{2,12}(?:\s|$)))\s{0,2}"
    r"([A-Za-z\u4e00-\u9fff][\w·.\u4e00-\u9fff-]{1,19})(?=[\s　,，。;；|)）]|$)"
    r"|^(?:[Ww]ritten [Bb]y|[Bb]y|[Aa]uthor:|[Pp]hotos? by)\s{1,2}"
    r"([A-Z][\w'’-]{1,19}(?: [A-Z][\w.'’-]{0,19}){0,2})(?=\s*(?:$|[,|·(–—]|on \d|in \d))",
    re.MULTILINE,
)
_LISTS = Lists("sources.web")
#: Authors who introduce themselves, with a common Chinese surname or with a capitalised name.
_INTRODUCED = re.compile(
    r"(?:我叫|我的名字[叫是]|我名叫|本人姓名[:：]?)\s?"
    rf"((?:{_LISTS.either('chinese_surnames')})[\u4e00-\u9fff]{{1,2}})(?=[\s，,。.！!；;、）)]|$)"
    r"|\b[Mm]y name(?: is|['’]s) ([A-Z][\w'’-]{1,19}(?: [A-Z][\w'’-]{1,19}){0,2})",
    re.MULTILINE,
)
#: Words in the names of places, media and offices.
_NO_PERSON = re.compile(
    rf"(?:{_LISTS.either('no_person_endings')})$|\b(?:{_LISTS.either('no_person_words')})\b",
    re.IGNORECASE,
)
_MOST = 10


def mask(text: str) -> tuple[str, Counter[str]]:
    """Mask the personal data in a text, and count the masked pieces by kind.

    The length of the text stays the same. The kinds are ``email``, ``mobile``, ``landline``,
    ``phone``, ``id_number`` and ``handle``.
    """
    counts: Counter[str] = Counter()
    text = _mask(text, _ID_NUMBER, "id_number", counts)
    for kind, pattern in _PATTERNS:
        text = _mask(text, pattern, kind, counts)
    return text, counts


def mask_document(document: Document, names: Sequence[str] = ()) -> tuple[Document, Counter[str]]:
    """Mask the personal data in the title and all blocks of a document; offsets stay the same.

    ``names`` are the authors' names from ``find_authors``, longest first; they are masked too.
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
    """Mask each name in a text; names in Latin letters are masked only as whole words."""
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
        at = start - match.start()
        return match[0][:at] + MASK * (end - start) + match[0][at + end - start :]

    return pattern.sub(cover, text)


def _is_id_number(number: str) -> bool:
    """Check the last digit of an 18-digit resident identity number (GB 11643-1999)."""
    total = sum(int(digit) * weight for digit, weight in zip(number, _ID_WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == number[-1].upper()


def find_authors(parsed: ParsedDocument) -> tuple[str, ...]:
    """Return the names of the authors of a document, longest first."""
    found = {name for text in _statements(parsed) if (name := " ".join(text.split()))}
    return tuple(sorted(filter(_is_person, found), key=lambda name: (-len(name), name))[:_MOST])


def _statements(parsed: ParsedDocument) -> Iterator[str]:
    for key, value in parsed.front_matter.items():
        if str(key).lower() in _KEYS:
            yield from _texts(value)
    yield from parsed.head.authors
    for block in parsed.document.blocks:
        for pattern in (_BYLINE, _INTRODUCED):
            yield from (match[1] or match[2] for match in pattern.finditer(block.text))


def _texts(value: Any) -> Iterator[str]:
    """Yield the names in a front matter value, which may be a string, a list or a dictionary."""
    match value:
        case str():
            yield from re.split(r"[,，、;；&]|\band\b", value)
        case list():
            for item in value[:_MOST]:
                yield from _texts(item)
        case dict():
            yield from _texts(value.get("name"))


def _is_person(name: str) -> bool:
    if not 2 <= len(name) <= 40 or any(mark in name for mark in "@/:█") or name.isdigit():
        return False
    return _NO_PERSON.search(name) is None and name not in chinese_place_names()
