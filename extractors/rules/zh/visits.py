"""Finds places in Chinese sentences by verbs of visiting, joined names, series and brackets."""

from __future__ import annotations

import re

from extractors.rules.common.chinese import (
    EVERYDAY,
    GENERIC,
    STRONG,
    is_proper_name,
    is_turned,
    noun,
    plausible,
    stops,
    strong,
    suffix_of,
    telling,
)
from extractors.rules.common.dictionary import cut_words, frequency, tag
from extractors.rules.common.lines import DocumentNames, Line, hit_at
from extractors.rules.zh import lexicon as zh
from extractors.rules.zh.items import is_sentence, item, split

#: Words that begin with an ending of a sight's name ("观景", "门票", "城市").
GOES_ON = re.compile(
    "观[景光赏看测望察影]|海[盗鲜军]|门[票口]|谷道|山脉|山腰|城市|园区|村民|馆[藏长员]|山[水路区]|岛[民上]|塔[吊楼]"
)


def objects(
    line: Line, places: list[tuple[int, int, str]], meals: bool, names: DocumentNames
) -> None:
    """Add the object of "去、逛、来到…" if it is a name without a distinctive ending."""
    text = line.text
    for i, (a, _, word) in enumerate(places):
        if not zh.VISIT.search(text[max(0, a - 6) : a]) or stops(word):
            continue
        last = i
        while (
            last + 1 < len(places)
            and not stops(places[last + 1][2])
            and places[last + 1][1] - a <= 8
        ):
            last += 1
        b = places[last][1]
        name = text[a:b]
        if (
            meals
            or len(name) < 2
            or not plausible(name)
            or is_turned(text, b)
            or is_sentence(name)
            or suffix_of(name)
            or not (is_proper_name(name) or (_GOES.search(text[:a]) and _rare(name)))
        ):
            continue
        sure = _SEEN.match(text, b) or (_ARRIVED.search(text[:a]) and text[b : b + 1] in "，。,")
        town = name in names.text.split("\n", 1)[0]  # the page is about this town
        went = not town and _WENT.search(text[:a]) and _THERE.match(text, b)
        firm = (
            bool(tag(name))
            if went
            else sure and (not tag(name) or bool(_rare(name) and _SEEN.match(text, b)))
        )
        names.hits.append(hit_at(line, a, b, "verb" if firm else "object"))


_GONE_TO = re.compile(
    r"(?:(?<![过出上下])去了?|来?到了?|前往|参观了?|游览了?|途[经径]|[经路穿]过了?|逛了?|登上|走进"
    r"|进入)(?P<n>[^\W\d_a-zA-Z]{2,7}?(?:" + "|".join(STRONG) + "))"
)
_BUILT = re.compile("(?:公园|博物[馆院]|纪念馆|美术馆|艺术馆|神社|教堂|牌坊)$")
TALE = re.compile(
    "^[逛看玩上下]|[的了是在我你他她个一这那着过吃没不很也就和与及去到来看爬骑]|附近|旁边|每|某|各|有"
)


def add_visited(line: Line, names: DocumentNames) -> None:
    """Add the text between a verb of visiting and a certain ending, no matter how the text is split
    into words.
    """
    taken = [(h.start, h.end) for h in names.hits if h.line == line.index]
    for match in _GONE_TO.finditer(line.text):
        a, b = match.span("n")
        name = match["n"]
        if (
            not any(s < line.start + b and line.start + a < e for s, e in taken)
            and not TALE.search(name)
            and name not in GENERIC
            and plausible(name, listed=bool(_BUILT.search(name)))
            and not is_turned(line.text, b)
            and not is_sentence(name)
            and not GOES_ON.match(line.text, b - 1)
        ):
            names.hits.append(hit_at(line, a, b, "verb"))


_AND_NEXT = re.compile(r"\s*(?:和|与|及|以及|还有|、)\s*(?=[\u4e00-\u9fff]{2})")


def add_coordinated(line: Line, names: DocumentNames) -> None:
    """Add a name that "和" or "、" joins to the object of a verb of visiting."""
    here = [h for h in names.hits if h.line == line.index and h.source == "verb"]
    while here:
        hit = here.pop(0)
        joined = _AND_NEXT.match(line.text, hit.end - line.start)
        if not joined:
            continue
        a = b = joined.end()
        for word in cut_words(line.text[a : a + 10]):
            if stops(word) or b - a > 6:
                break
            b += len(word)
        name = line.text[a:b]
        if len(name) < 2 or not plausible(name) or is_sentence(name) or is_turned(line.text, b):
            continue
        if (tag(name) or suffix_of(name)) and (is_proper_name(name) or _rare(name)):
            new = hit_at(line, a, b, "verb")
            names.hits.append(new)
            here.append(new)


#: Verbs whose object is always a place, never a person or a thing.
_GOES = re.compile(
    "(?:去|(?<![看见想遇感听碰找买得做吃拍收])到|逛|来到|前往|抵达|直奔|途经|路过|登上)了?$"
)


_WENT = re.compile(
    "(?:去了|(?<![看见想遇感听碰找买得做吃拍收])到了|逛了|来到了?|前往|路过了?|途经|直达)$"
)
_THERE = re.compile("[，。、！,；（(]|和|与|及|[看逛玩转走]|附近|打卡|拍|$")


def _rare(name: str) -> bool:
    """Check whether the dictionary lists a name as a rare noun or as a person."""
    if tag(name) in ("nr", "nrt", "nrfg"):
        return len(name) > 2 or frequency(name) < EVERYDAY
    return tag(name)[:1] == "n" and len(name) > 1 and frequency(name) < EVERYDAY


#: "去 X 看了一眼", "至 X，": the object is certainly visited.
_SEEN = re.compile("(?:看|逛|玩|转|走|游)(?:了|一|逛|玩|转)")
_ARRIVED = re.compile(r"(?:^|[，。；])[又乃遂便复]*(?:至|往游|游|抵达?|到达|来到|登上)$")


def _strongly(name: str) -> bool:
    """Check whether a name in a row has an ending that only sights have, and does not begin like a
    sentence.
    """
    return strong(name) and tag(cut_words(name)[0])[:1] not in ("r", "c", "p")


_PART = re.compile(r"[^、，,；;：:。！？!?（）()/&＆\s→➡>—–]+")
_LISTED_PART = re.compile(
    r"[^、，,；;：:。！？!?（）()/&＆\s→➡>—–\-]+?(?=等?(?:[、，,；;：:。！？!?（）()/&＆\s→➡>—–\-]"
    r"|$))"
)
_LONGEST_PART = 9
#: Commas or blanks that join the parts of a row.
_ROW_JOIN = re.compile(r"\s*[、，,/&＆]\s*|\s+")
_REMARK = re.compile(r"[（(]([^（()）]*)[）)]")
_OPENS_ROW = re.compile(r"^.*(?:[有是如像为去逛]|包括|例如|比如)(?=[\u4e00-\u9fff]{2})")
_STREET = re.compile("[路街巷里]$")


def add_enumerated(line: Line, names: DocumentNames) -> None:
    """Add the names in series of three or more short names in a sentence if most belong to
    sights.
    """
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
    """Return the rows of short parts in a text, first those outside brackets, then those inside
    them.
    """
    rows = _short_rows(_REMARK.sub(lambda m: " " * len(m.group()), text))
    for remark in _REMARK.finditer(text):
        a = remark.start(1)
        rows += [[(a + b, a + c) for b, c in row] for row in _short_rows(remark[1])]
    return rows


def _short_rows(text: str) -> list[list[tuple[int, int]]]:
    """Return rows of three or more short parts separated by commas.

    Only the first part may be longer, because other words in it may precede the name.
    """
    rows: list[list[tuple[int, int]]] = []
    end = -1
    for match in _PART.finditer(text):
        a, b = match.span()
        joined = end >= 0 and _ROW_JOIN.fullmatch(text, end, a) and b - a <= _LONGEST_PART
        if not (joined and rows):
            rows.append([])
        rows[-1].append((a, b))
        end = b
    return [row for row in rows if len(row) > 2]


def _part(text: str, a: int, b: int) -> tuple[int, int] | None:
    """Return the name that fills a part of a row, or the name after "有", "包括" or the like."""
    lead = _OPENS_ROW.match(text[a:b])
    for start in (a, a + lead.end()) if lead else (a,):
        name = text[start:b]
        if (
            2 <= len(name) <= 9
            and plausible(name, listed=True)
            and not is_sentence(name)
            and name not in GENERIC
            and (noun(name) or _strongly(name))
        ):
            return start, b
    return None


#: "游览 X（": the brackets list parts that are visited one by one.
_WITHIN = re.compile(r"(?:游览|参观|夜游|爬|逛|打卡|沿着)[^，。；（(]{0,8}$")


def add_bracketed_parts(line: Line, names: DocumentNames) -> None:
    """Add the names in brackets after a sight's name if most of them end like names of sights."""
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
    """Check whether a name in a row is certainly a sight's name, regardless of its context."""
    kinds = strong(name) or tag(name) in ("ns", "nt")
    return kinds or bool(suffix_of(name) and telling(name))


def _kind(line: Line, part: tuple[int, int]) -> bool:
    """Check whether a name in a row ends like the name of a sight or a street."""
    name = line.text[slice(*part)]
    return len(name) > 2 and bool(suffix_of(name) or _STREET.search(name))
