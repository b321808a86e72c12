"""Finds series of names in Chinese sentences, and lists in brackets after the name of a sight."""

from __future__ import annotations

import re

from extractors.rules.common.chinese import (
    GENERIC,
    is_proper_name,
    noun,
    plausible,
    strong,
    suffix_of,
    telling,
)
from extractors.rules.common.dictionary import cut_words, tag
from extractors.rules.common.lines import DocumentNames, Line, hit_at
from extractors.rules.zh import lexicon as zh
from extractors.rules.zh.items import is_sentence, item, split


def _strongly(name: str) -> bool:
    """Whether a name of a row ends as only sights do, and does not open as a sentence does."""
    return strong(name) and tag(cut_words(name)[0])[:1] not in ("r", "c", "p")


_PART = re.compile(r"[^、，,；;：:。！？!?（）()/&＆\s→➡>—–]+")
_LISTED_PART = re.compile(
    r"[^、，,；;：:。！？!?（）()/&＆\s→➡>—–\-]+?(?=等?(?:[、，,；;：:。！？!?（）()/&＆\s→➡>—–\-]"
    r"|$))"
)
_LONGEST_PART = 9
#: What joins the parts of a row: commas, or blanks.
_ROW_JOIN = re.compile(r"\s*[、，,/&＆]\s*|\s+")
_REMARK = re.compile(r"[（(]([^（()）]*)[）)]")
_OPENS_ROW = re.compile(r"^.*(?:[有是如像为去逛]|包括|例如|比如)(?=[\u4e00-\u9fff]{2})")
_STREET = re.compile("[路街巷里]$")


def add_enumerated(line: Line, names: DocumentNames) -> None:
    """Runs of three or more short names in a sentence, when most of them are those of sights."""
    for group in _all_rows(line.text):
        run: list[tuple[int, int]] = []
        for a, b in group:
            found = _part(line.text, a, b)
            if run and not (found and found[0] == a):
                _add_run(line, run, names)
                run = []
            if found:
                run.append(found)
        if run:
            _add_run(line, run, names)


def _all_rows(text: str) -> list[list[tuple[int, int]]]:
    """The rows of a text without its remarks in brackets, and those inside of them."""
    rows = _short_rows(_REMARK.sub(lambda m: " " * len(m.group()), text))
    for remark in _REMARK.finditer(text):
        a = remark.start(1)
        rows += [[(a + b, a + c) for b, c in row] for row in _short_rows(remark[1])]
    return rows


def _short_rows(text: str) -> list[list[tuple[int, int]]]:
    """Three or more parts joined by commas, short but for the first, which words may open."""
    rows: list[list[tuple[int, int]]] = []
    end = -1
    for match in _PART.finditer(text):
        a, b = match.span()
        joined = end >= 0 and _ROW_JOIN.fullmatch(text, end, a) and b - a <= _LONGEST_PART
        if joined and rows:
            rows[-1].append((a, b))
        else:
            rows.append([(a, b)])
        end = b
    return [row for row in rows if len(row) > 2]


def _part(text: str, a: int, b: int) -> tuple[int, int] | None:
    """The name that a part of a row is, or ends with after "有", "包括" and the like."""
    lead = _OPENS_ROW.match(text[a:b])
    for start in (a, a + lead.end()) if lead else (a,):
        name = text[start:b]
        if not 2 <= len(name) <= 9 or not plausible(name, listed=True) or is_sentence(name):
            continue
        if name in GENERIC or not (noun(name) or _strongly(name)):
            continue
        return start, b
    return None


#: "游览 X（": what the brackets list is gone through one by one.
_WITHIN = re.compile(r"(?:游览|参观|夜游|爬|逛|打卡|沿着)[^，。；（(]{0,8}$")


def add_bracketed_parts(line: Line, names: DocumentNames) -> None:
    """What the brackets behind a sight's name list, when most of it ends like sights do."""
    remarks = list(_REMARK.finditer(line.text))
    ends = {h.end - line.start for h in names.hits if h.line == line.index} if remarks else ()
    for remark in remarks:
        if remark.start() not in ends and not _WITHIN.search(line.text, 0, remark.start()):
            continue
        row = [(m.start() + remark.start(1), m.end() + remark.start(1))
               for m in _LISTED_PART.finditer(remark[1])]  # fmt: skip
        within = _WITHIN.search(line.text, 0, remark.start())
        if within and len(row) > 2:
            found = [r for r in (item(line.text, a, b) for a, b in row) if r]
            if 3 * len(found) >= 2 * len(row):
                names.hits.extend(hit_at(line, a, b, "chain") for a, b in found)
            continue
        kinds = [bool(suffix_of(line.text[a:b])) and b - a > 2 for a, b in row]
        whole = all(_part(line.text, a, b) == (a, b) for a, b in row)
        if len(row) > 1 and whole and 3 * sum(kinds) >= 2 * len(row):
            names.hits.extend(hit_at(line, a, b, "suffix") for a, b in row)


def _add_run(line: Line, run: list[tuple[int, int]], names: DocumentNames) -> None:
    if zh.ALIAS.search(line.text[: run[0][0] + 2]):
        return
    while len(run) > 2 and line.text[run[-1][0] - 1] in "，," and not _kind(line, run[-1]):
        run = run[:-1]
    sure = [_sure(line.text[a:b]) for a, b in run]
    likely = sum(s or _kind(line, r) for s, r in zip(sure, run, strict=True))
    if len(run) < 3 or not (sum(sure) > 1 or (any(sure) and likely > 2)) or 2 * likely < len(run):
        return
    for (a, b), certain in zip(run, sure, strict=True):
        name = line.text[a:b]
        if certain or _kind(line, (a, b)) or (is_proper_name(name) and not tag(name)):
            for start, end in split(line.text, a, b):
                names.hits.append(hit_at(line, start, end, "suffix"))


def _sure(name: str) -> bool:
    """Whether a name of a row is that of a sight by itself."""
    kinds = strong(name) or tag(name) in ("ns", "nt")
    return kinds or bool(suffix_of(name) and telling(name))


def _kind(line: Line, part: tuple[int, int]) -> bool:
    """Whether a name of a row ends like one of a sight or a street."""
    name = line.text[slice(*part)]
    return len(name) > 2 and bool(suffix_of(name) or _STREET.search(name))
