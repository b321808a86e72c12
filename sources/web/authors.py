"""Names of people whom a document gives as its authors, masked wherever they appear in it.

A name is found where a document says who wrote it: in its front matter, in the head of its page or
in a line such as "作者：…" or "By …", and where writers give their own name ("我叫…", "my name is
…"). Names of places, papers and offices are not masked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from schemas.cities import chinese_place_names
from schemas.word_lists import Lists
from sources.web.main_text import ParsedDocument

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
#: Writers who name themselves, of names that are certain: a usual surname, or names in capitals.
_INTRODUCED = re.compile(
    r"(?:我叫|我的名字[叫是]|我名叫|本人姓名[:：]?)\s?"
    rf"((?:{_LISTS.either('chinese_surnames')})[\u4e00-\u9fff]{{1,2}})(?=[\s，,。.！!；;、）)]|$)"
    r"|\b[Mm]y name(?: is|['’]s) ([A-Z][\w'’-]{1,19}(?: [A-Z][\w'’-]{1,19}){0,2})",
    re.MULTILINE,
)
#: Names of places, media and offices.
_NO_PERSON = re.compile(
    rf"(?:{_LISTS.either('no_person_endings')})$|\b(?:{_LISTS.either('no_person_words')})\b",
    re.IGNORECASE,
)
_MOST = 10


def find_authors(parsed: ParsedDocument) -> tuple[str, ...]:
    """People whom the document names as those who wrote it, the longest name first."""
    found = {name for text in _statements(parsed) if (name := " ".join(text.split()))}
    return tuple(sorted(filter(_is_person, found), key=lambda name: (-len(name), name))[:_MOST])


def _statements(parsed: ParsedDocument) -> Iterator[str]:
    for key, value in parsed.front_matter.items():
        if str(key).lower() in _KEYS:
            yield from _texts(value)
    yield from parsed.head.authors
    for block in parsed.document.blocks:
        for match in _BYLINE.finditer(block.text):
            yield match[1] or match[2]
        for match in _INTRODUCED.finditer(block.text):
            yield match[1] or match[2]


def _texts(value: Any) -> Iterator[str]:
    """The names in a value of front matter: a text, a list, or what a dictionary calls so."""
    if isinstance(value, str):
        yield from re.split(r"[,，、;；&]|\band\b", value)
    elif isinstance(value, list):
        for item in value[:_MOST]:
            yield from _texts(item)
    elif isinstance(value, dict):
        yield from _texts(value.get("name"))


def _is_person(name: str) -> bool:
    if not 2 <= len(name) <= 40 or any(mark in name for mark in "@/:█") or name.isdigit():
        return False
    return _NO_PERSON.search(name) is None and name not in chinese_place_names()
