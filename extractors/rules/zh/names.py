"""Finds sights in a Chinese document: in lists, headings and running text, and by known or
repeated names.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from typing import NamedTuple

from extractors.rules.common.chinese import (
    GENERIC,
    LISTED,
    is_city,
    is_decoy,
    is_turned,
    strong,
    suffix_of,
)
from extractors.rules.common.days import Days
from extractors.rules.common.dictionary import cut_places
from extractors.rules.common.gazetteer import NameGazetteer
from extractors.rules.common.lines import DocumentNames, Hit, Line, hit_at
from extractors.rules.zh import lexicon as zh
from extractors.rules.zh.candidates import in_title_marks, untold_lines
from extractors.rules.zh.heads import (
    add_title_name,
    beside_sights,
    heading,
    lead,
    logistics,
    nameish,
    row,
)
from extractors.rules.zh.items import (
    chain,
    in_blanks,
    is_sentence,
    item,
    names_in,
    parts,
    stop_name,
    trim,
    unwrap,
)
from extractors.rules.zh.sentences import running_names
from extractors.rules.zh.visits import add_bracketed_parts

_LABEL = re.compile(r"^\s*([^：:，。]{1,14}?)\s*[：:]\s*")
_STOPS_LABEL = re.compile(
    r"路线|线路|行程|景点|打卡|安排|上午|下午|中午|傍晚|晚上|早上|清晨|夜|推荐|day|第.天|游览",
    re.IGNORECASE,
)


#: A heading that announces the stops in the next line.
_BARE = 10  # most characters of an item that is only a name
_ANNOUNCES = re.compile(
    r"^\W*(?:今日|当日|每日|计划|推荐|建议|主要|游玩|游览)*(?:行程|路线|线路|景点|游玩)(?:安排"
    r"|规划|推荐|路线)?\W*$"
)
#: Header of a table whose first column names sights.
_SIGHTS_COLUMN = re.compile(r"^\W*(?:名称|景点|景区|地点|目的地|景点名称)\s*\|")
#: A date or a theme between a day's marker and its stops.
_THEME = re.compile(r"[^：:。、]{0,16}[：:](?!\d)")
_CLOCK = re.compile(r"^\W*\d{1,2}[:：]\d{2}")


class Slot(NamedTuple):
    """A part of a line that may contain a stop; the stop's name then begins or fills the part."""

    start: int
    end: int
    source: str


def find_names(lines: list[Line], days: Days, gazetteer: NameGazetteer) -> DocumentNames:
    """Return all occurrences of names that may belong to sights, and the names of other things."""
    names = DocumentNames(text="\n".join(line.text for line in lines))
    heads = {mark.line: mark.end for mark in days.marks if mark.end >= 0}
    nights = _nights(lines, heads)
    meals = announced = tabled = False
    section = 0  # heading level of a passage on meals, beds or transport
    untold = untold_lines(lines)
    for line in lines:
        told = line.index not in untold
        slots: list[Slot] = []
        if line.is_head and not (section and line.level > section):
            meals = logistics(line.text) and line.index not in heads
            section = line.level if meals else 0
        elif line.strong and not section:
            meals = logistics(line.text) and line.index not in heads
        eaten = meals or bool(zh.PER_HEAD.search(line.text))
        if told:
            in_day = days.of_line[line.index] is not None and not eaten
            if not line.is_head and line.index not in heads and in_blanks(line.text):
                source = "chain" if in_day else "lead"
                slots = _add_items(line, 0, len(line.text), source, names, blanks=True)
            else:
                slots = _add_structured(line, heads.get(line.index), eaten, announced, names)
            slots += _opening(line, in_day)
        if line.kind == "table_row":
            if told and tabled:
                row(line, names)
            tabled = tabled or bool(_SIGHTS_COLUMN.match(line.text))
        else:
            tabled = False
        heads_list = (line.is_head or line.strong) and bool(_ANNOUNCES.match(line.text))
        bare = line.kind == "list_item" and len(line.text) <= _BARE
        announced = heads_list or (announced and bare)
        _add_known(line, gazetteer, slots, names)
        if told:
            _add_told_names(line, eaten, names)
    names.decoys.extend((h.start, h.name) for h in names.hits if h.name in nights)
    names.hits = [h for h in names.hits if h.name not in nights or h.standard]
    beside_sights(lines, names)
    for line in lines:
        add_bracketed_parts(line, names)
    names.hits = [h for h in names.hits if not in_title_marks(lines[h.line], h)]
    longer = {h.name for h in names.hits if h.name not in LISTED}
    names.hits = [
        h for h in names.hits
        if h.name not in LISTED or h.standard or not any(n.endswith(h.name) for n in longer)
    ]  # fmt: skip
    _echo(lines, names)
    return names


def _nights(lines: list[Line], heads: dict[int, int]) -> frozenset[str]:
    """Return the towns where one day's chain of stops ends and the next day's chain begins, except
    towns whose names look like names of sights.
    """
    ends: list[tuple[str, str]] = []
    for index, end in sorted(heads.items()):
        text = lines[index].text
        stops = [text[a + end : b + end] for a, b in chain(text[end:])]
        if len(stops) > 1:
            bare = [re.sub(r"[（(][^（()）]*[)）]|\s", "", stop) for stop in (stops[0], stops[-1])]
            ends.append((bare[0], bare[1]))
    towns = {last for (_, last), (first, _) in itertools.pairwise(ends) if last == first}
    return frozenset(t for t in towns if t.endswith(("镇", "县", "乡")) or not suffix_of(t))


def _add_told_names(line: Line, meals: bool, names: DocumentNames) -> None:
    """Add the names in the sentences of a line, except sentences about which bus or train to
    take.
    """
    found = DocumentNames(text=names.text, hits=[])
    running_names(line, meals, found)
    names.decoys.extend(found.decoys)
    rides = [
        (line.start + m.start(), line.start + m.end())
        for m in _SENTENCE.finditer(line.text)
        if zh.TRANSPORT_LINE.search(m.group())
    ] + [(line.start + m.start(), line.start + m.end()) for m in _CITED_TITLE.finditer(line.text)]
    names.hits.extend(h for h in found.hits if not any(a <= h.start < b for a, b in rides))


#: "【title - author | site】" is the title of another page.
_CITED_TITLE = re.compile(r"【[^】]*[|｜][^】]*】")
_SENTENCE = re.compile(r"[^。；;！!]+")


def _add_structured(
    line: Line, mark_end: int | None, meals: bool, announced: bool, names: DocumentNames
) -> list[Slot]:
    """Add the names in chains, day lists, headings and captions, and return the parts that
    contain stops.
    """
    text = line.text
    if line.kind == "title" or zh.MEAL_LABEL.match(text):
        _decoys_of(line, names)
        if line.kind == "title":
            add_title_name(line, names)
        return []
    offset = mark_end if mark_end is None else _after_leg(text, mark_end)
    mark_end, offset = offset, offset or 0
    inner = _IN_TOWN.search(text, offset)
    if mark_end is not None and inner and is_city(inner[1]):
        a, b = inner.span(2)
        if len(names_in(text, a, b, spaced=True)) > 1:
            return _add_items(line, a, b, "chain", names, blanks=True)
    segments = [(a + offset, b + offset) for a, b in chain(text[offset:])]
    if segments:
        if _legs(text, segments):
            _add_legs(line, segments, names)
            return []
        return [slot for a, b in segments for slot in _add_items(line, a, b, "chain", names)]
    if mark_end is not None:
        clauses = text.count("，") > 1 and "、" not in text
        if line.kind == "paragraph" and clauses:
            return []
        told = line.kind == "paragraph" and re.search(r"[我了的是].*[，。]", text)
        listed = not told and (not line.is_head or "、" in text)
        source = "chain" if listed else "heading"
        theme = _THEME.match(text, mark_end)
        begin = theme.end() if theme else mark_end
        return _add_items(line, begin, _clause_end(text, begin), source, names)
    if meals and not line.is_head:
        _decoys_of(line, names)
        return []
    if line.is_head:
        heading(line, meals, names)
        return []
    label = _LABEL.match(text)
    begin = label.end() if label and _STOPS_LABEL.search(label[1]) else 0
    if (begin or (announced and len(text) <= 40)) and _lists(text, begin):
        return _add_items(line, begin, _clause_end(text, begin), "chain", names)
    lead(line, label, names)
    return []


def _lists(text: str, start: int) -> bool:
    """Check whether the text after a label is a list of stops rather than a statement."""
    ranges = parts(text[start : _clause_end(text, start)], start, spaced=False)
    named_ones = sum(item(text, a, b) is not None for a, b in ranges)
    return 2 * named_ones >= len(ranges) and not zh.ADVICE.search(text, start)


def _opening(line: Line, in_day: bool) -> list[Slot]:
    """Return the part of a line that may contain a stop: at the start of a list item, or after a
    clock time.
    """
    if line.is_head or not (line.kind in ("list_item", "table_row") or _CLOCK.match(line.text)):
        return []
    begin, whole = unwrap(line.text)
    close = re.search(r"[，。；！？|（(：:](?!\d)|$", line.text[begin:whole])
    start, end = trim(line.text, begin, begin + close.start() if close else whole)
    return [Slot(start, end, "chain" if in_day else "lead")] if start < end else []


#: "Day 2 X 市（A - B - C）" gives the stops within a town.
_IN_TOWN = re.compile(r"([\u4e00-\u9fff]{2,6})\s*[（(]([^（()）]+)[）)]")
_LEG = re.compile(
    r"\W*([^-—→，,；;。（(\s]{2,10})\s*[-—→]\s*([^-—→，,；;。（(\s]{2,10})(?=[，,；;。（(]|$)"
)


def _after_leg(text: str, begin: int) -> int:
    """Return the offset at which a day's stops begin: after an initial journey to a city, or from
    or to a station.
    """
    leg = _LEG.match(text, begin)
    if leg and (is_decoy(leg[1]) or is_decoy(leg[2]) or is_city(leg[2])):
        return leg.end()
    return begin


def _legs(text: str, segments: list[tuple[int, int]]) -> bool:
    """Check whether a chain consists of cities rather than sights."""
    items = [re.sub(r"[（(].*|\s", "", text[a:b]) for a, b in segments]
    return 2 * sum(is_city(i) for i in items) >= len(items)


def _add_legs(line: Line, segments: list[tuple[int, int]], names: DocumentNames) -> None:
    """Add those names in a chain of cities that are not cities, if the page contains them more than
    three times.
    """
    for a, b in (found for s in segments for found in names_in(line.text, *s)):
        name = line.text[a:b]
        if not is_city(name) and not name.endswith(("镇", "县")) and names.text.count(name) > 3:
            names.hits.append(hit_at(line, a, b, "heading"))


def _clause_end(text: str, start: int) -> int:
    """Return the end of the list that begins at ``start``; the list ends before the next full stop
    or long remark in brackets.
    """
    match = re.search(r"[。！!]|[（(](?=[^）)]{12,})", text[start:])
    return start + match.start() if match else len(text)


def _add_items(
    line: Line, start: int, end: int, source: str, names: DocumentNames, *, blanks: bool = False
) -> list[Slot]:
    """Add the names in a list, and return the parts that may contain stops; with ``blanks``, names
    may also be separated by blanks.
    """
    text = line.text
    spaced = blanks or source == "heading" or "  " in text[start:end] or in_blanks(text[start:end])
    for a, b in names_in(text, start, end, spaced=spaced):
        if source == "heading" and not _heads_a_day(text[a:b], names.text):
            continue
        if not is_turned(text, b):
            names.hits.append(hit_at(line, a, b, source))
    if stop_name(text, start, end):
        a, b = trim(text, start, end)
        names.decoys.append((line.start + a, text[a:b]))
    ranges = [trim(text, a, b) for a, b in parts(text[start:end], start, spaced)]
    return [Slot(a, b, source) for a, b in ranges]


def _heads_a_day(name: str, text: str) -> bool:
    """Check whether a name in a day's heading belongs to a sight; a short name must occur at
    least twice in the text, unless it has the ending of a sight or is a listed word.
    """
    bare = len(name) <= 3 and not suffix_of(name) and name not in LISTED
    return nameish(name, text) and (not bare or text.count(name) >= 2)


def _decoys_of(line: Line, names: DocumentNames) -> None:
    for match in re.finditer(r"[\u4e00-\u9fffA-Za-z0-9·]{2,14}", line.text):
        if is_decoy(match.group()) and not is_sentence(match.group()):
            names.decoys.append((line.start + match.start(), match.group()))


def _add_known(
    line: Line, gazetteer: NameGazetteer, slots: list[Slot], names: DocumentNames
) -> None:
    """Add gazetteer names, unless they are part of a longer word or of the name of something other
    than a sight.

    A name that begins or nearly fills a part that may contain a stop counts as much as a name in a
    list.
    """
    for known in gazetteer.find(line.text):
        text, a, b = line.text, known.start, known.end
        name = text[a:b]
        if known.entry.kind != "poi" or is_turned(text, b):
            if not known.entry.standard.isascii():
                names.decoys.append((line.start + a, name))
            continue
        if name in GENERIC or (len(name) == 2 and not suffix_of(name) and _inside_word(text, a, b)):
            continue
        if is_decoy(name) and not strong(name) and known.entry.standard != name:
            continue
        held = [s for s in slots if s.start <= a and b <= s.end]
        source = next(
            (s.source for s in held if s.start == a or 3 * (b - a) >= 2 * (s.end - s.start)),
            "gazetteer",
        )
        names.hits.append(
            Hit(line.start + a, line.start + b, name, source, line.index,
                known.entry.standard, known.entry.parent)
        )  # fmt: skip


def _inside_word(text: str, a: int, b: int) -> bool:
    """Check whether a word overlaps a range and extends beyond it."""
    at = max(0, a - 6)
    words = [(at + start, at + end) for start, end, _word in cut_places(text[at : b + 6])]
    return any(start < b and end > a and (start < a or end > b) for start, end in words)


def _echo(lines: list[Line], names: DocumentNames) -> None:
    """Add other occurrences of names that were found in lists, in headings or at the start of
    lines.
    """
    known = sorted({h.name for h in names.hits if h.source != "object"}, key=lambda n: (-len(n), n))
    if not known:
        return
    firm = {h.name for h in names.hits if h.source in ("chain", "heading", "lead")}
    pattern = re.compile("|".join(map(re.escape, known)))
    taken = defaultdict[int, list[tuple[int, int]]](list)
    for hit in names.hits:
        taken[hit.line].append((hit.start, hit.end))
    for line in lines:
        for match in pattern.finditer(line.text):
            a, b = match.span()
            start, end = line.start + a, line.start + b
            over = [(s, e) for s, e in taken[line.index] if s < end and start < e]
            if (
                not any((s, e) == (start, end) or s < start or e > end for s, e in over)
                and not (over and match.group() not in firm)
                and not is_turned(line.text, b)
                and not (b - a == 2 and _inside_word(line.text, a, b))
            ):
                names.hits.append(Hit(start, end, match.group(), "echo", line.index))
