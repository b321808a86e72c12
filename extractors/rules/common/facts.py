"""Finds facts in a document: first a statement, then the place to which it applies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from extractors.rules.common.grouping import Sight
from extractors.rules.common.limits import LimitWords
from extractors.rules.common.lines import Line, headings_above, lines_below
from extractors.rules.common.statements import Sentence, Statement
from schemas.reading import Fact, Span

#: Reads the statements of a sentence; its second argument says whether the sentence names a place.
Reader = Callable[[Sentence, bool], list[Statement]]

#: Reads the statements in the rows of tables, each with the place it is about.
TableReader = Callable[
    [list[Line], Callable[[Line], list[tuple[int, int, Sight]]], LimitWords],
    Iterable[tuple[Line, Sight, Statement]],
]

#: A full stop ends a sentence, except within a number or word, or after "9 a.m." in mid-sentence.
_SENTENCE = re.compile(
    r"(?:[^。！？!?；;.]|\.(?=\d|\w)|(?<=\b[ap]\.m)\.(?=\s*[a-z,)–—-]))+[。！？!?；;.]?"
)


def find_facts(
    places: list[Sight], lines: list[Line], read: Reader, words: LimitWords, tables: TableReader
) -> list[Fact]:
    """Return the facts in text order, without repeating a combination of place, field, value and
    limits.
    """
    facts: dict[tuple[object, ...], Fact] = {}
    by_line = _by_line(places)
    tabled: set[int] = set()
    heads = headings_above(lines, ("title", "heading"))
    for line, place, found in tables(
        lines, lambda line: [h[:3] for h in by_line.get(line.index, [])], words
    ):
        tabled.add(line.index)
        if found.field in ("ticket_price_cny", "ticket_price") and _rides(heads[line.index]):
            continue  # the price of a bed or a ride
        _add(facts, found, place, line.start)
    for sentence, subjects in _sentences(by_line, places, lines):
        if sentence.line.index in tabled:
            continue
        plain = _without_season_names(sentence, subjects)
        inside = _inside(sentence, subjects)
        for found in read(plain, bool(inside)):
            for place in _about(sentence, found, subjects):
                _add(facts, found, place, sentence.start, (*inside, *subjects.section))
    return sorted(_own_wins(list(facts.values())), key=lambda f: (f.span.start, f.field, f.value))


def _add(
    facts: dict[tuple[object, ...], Fact], found: Statement, place: Sight, at: int,
    beside: Iterable[Sight] = (),
) -> None:  # fmt: skip
    """Add a fact about a place; a fact about a combined ticket also covers the places named in
    ``beside``.
    """
    limits = found.limits
    start, end = found.told or (found.start, found.end)
    others = [p.standard or p.name for p in beside if p is not place] if limits.combined else []
    if limits.combined and not others:
        limits = limits.further_by(limits.combined)
    fact = Fact(
        poi=place.standard or place.name, field=found.field, value=found.value,
        valid_when=limits.when, audience=limits.audience,
        condition="; ".join(limits.further) or None, with_pois=tuple(dict.fromkeys(others)),
        span=Span(start=at + start, end=at + end),
    )  # fmt: skip
    facts.setdefault((fact.poi, fact.field, fact.value, limits, fact.with_pois), fact)


_Hits = dict[int, list[tuple[int, int, Sight, str]]]


def _by_line(places: list[Sight]) -> _Hits:
    """Group the hits by line and sort them; each hit has a start, an end, a place and a source."""
    by_line: _Hits = {}
    for place in places:
        for hit in place.hits:
            by_line.setdefault(hit.line, []).append((hit.start, hit.end, place, hit.source))
    return {line: sorted(hits, key=lambda h: h[0]) for line, hits in by_line.items()}


_SEASON_WORDS = re.compile("spring|summer|autumn|winter|fall|[春夏秋冬]", re.IGNORECASE)


def _without_season_names(sentence: Sentence, subjects: Subjects) -> Sentence:
    """Replace season words inside names ("Summer Lodge") by blanks; offsets stay the same."""
    text = sentence.text
    for start, end, _place in subjects.here:
        a, b = max(0, start - sentence.start), max(0, end - sentence.start)
        text = text[:a] + _SEASON_WORDS.sub(lambda m: "_" * len(m.group()), text[a:b]) + text[b:]
    return sentence if text == sentence.text else replace(sentence, text=text)


def _own_wins(facts: list[Fact]) -> list[Fact]:
    """For each place that has its own duration, drop the duration stated for the whole section."""
    spans = [f.span for f in facts if f.field == "duration_hours"]
    shared = {s.start for s in spans if sum(t.start == s.start for t in spans) > 2}
    own = {f.poi for f in facts if f.field == "duration_hours" and f.span.start not in shared}
    return [
        f
        for f in facts
        if not (f.field == "duration_hours" and f.span.start in shared and f.poi in own)
    ]


@dataclass(frozen=True)
class Subjects:
    """The places that a sentence can be about."""

    here: tuple[
        tuple[int, int, Sight], ...
    ]  # in the sentence's line, with start and end in the document
    section: tuple[Sight, ...]  # in the heading, or in the line that opens the section
    below: tuple[Sight, ...]  # for a heading: the places of the sections below it
    title: tuple[Sight, ...]
    other: bool = False  # the passage is about something with a name that is no place


#: "Salt Walk — …", "Moon Bookshop (No. 3 Lake Road)": the passage is about something with a name.
_NAMED_OTHER = re.compile(
    r"^\W*(?:[A-Z][\w’']*(?: (?:of |the |& )?[A-Z][\w’']*){1,5})\s*(?:\([^)]*\))?\s+[—–]\s"
    r"|^\W*(?:[A-Z][\w’']*(?: (?:of |the |& )?[A-Z][\w’']*){1,5})\s*\((?:No\. |#)?\d+[^)]*\)\W*$"
)


def _labels_other(line: Line, hits: list[tuple[int, int, Sight, str]]) -> bool:
    """Check whether a line begins with a name that is not the name of a known place."""
    label = _NAMED_OTHER.match(line.text)
    return label is not None and all(start - line.start >= label.end() for start, *_ in hits)


def _sentences(
    by_line: _Hits, places: list[Sight], lines: list[Line]
) -> Iterator[tuple[Sentence, Subjects]]:
    title = _title_places(places, lines)
    heading = ""
    section: tuple[Sight, ...] = ()
    other = False
    for line in lines:
        hits = by_line.get(line.index, [])
        opening = tuple(h[2] for h in hits if h[3] in ("heading", "lead"))
        if line.is_head or line.strong:
            section = opening if opening or line.is_head else section
            heading = line.text if line.is_head else heading
        elif opening and not _VALUED.search(line.text):
            section = opening[:2]
        if opening or line.is_head:
            other = False
        elif _labels_other(line, hits):
            section, other = (), True
        here = tuple((s, e, p) for s, e, p, _ in hits)
        below = _below(line, lines, by_line) if line.is_head else ()
        for i, match in enumerate(_SENTENCE.finditer(line.text)):
            sentence = Sentence(match.group(), line.start + match.start(), line, heading, i == 0)
            yield sentence, Subjects(here, section, below, title, other)


#: An item that states a value itself is not a heading of the items below it.
_VALUED = re.compile(r"\d{1,2}[:：]\d{2}\s*[-–—~至]")


def _title_places(places: list[Sight], lines: list[Line]) -> tuple[Sight, ...]:
    title = lines[0].text if lines and lines[0].kind == "title" else ""
    named = [(title.find(h.name), -len(h.name), p.number, p) for p in places for h in p.hits]
    return tuple(p for at, _length, _number, p in sorted(named, key=lambda n: n[:3]) if at >= 0)[:1]


def _below(
    line: Line, lines: list[Line], by_line: dict[int, list[tuple[int, int, Sight, str]]]
) -> tuple[Sight, ...]:
    """Return the places named in headings and at the start of passages below a heading, up to the
    next heading of the same level.
    """
    found: dict[int, Sight] = {}
    for other in lines_below(line, lines):
        for _s, _e, place, source in by_line.get(other.index, []):
            if source in ("heading", "lead"):
                found.setdefault(id(place), place)
    return tuple(found.values())


def _inside(sentence: Sentence, subjects: Subjects) -> list[Sight]:
    end = sentence.start + len(sentence.text)
    return [p for s, e, p in subjects.here if sentence.start <= s and e <= end]


_FROM = re.compile(r"(?:在|离|距离?|靠近|紧[邻挨]|毗邻|挨着|从|[与和及、])$")
_BESIDE = re.compile(
    r"[^，。；、]{0,8}?(?:对面|旁边?|附近|边上|之间|中间|隔壁|景区内|里面|后面|前面|不远|很近|周边"
    r"|步行)"
)


def _not_located_by(sentence: Sentence, subjects: Subjects) -> list[tuple[int, int, Sight]]:
    """Drop places in a line that only indicate where another place is ("X 在 Y 旁边")."""
    text, at = sentence.line.text, sentence.line.start
    kept = [
        (s, e, place) for s, e, place in subjects.here
        if not (_FROM.search(text[max(0, s - at - 3) : s - at]) and _BESIDE.match(text, e - at))
    ]  # fmt: skip
    return kept or list(subjects.here)


#: A statement within so many characters after a name is about this name, not about its section.
_NEAR = 6
#: Headings of passages on rides, beds and meals; their statements are not about the page's sight.
_RIDES = re.compile(
    r"cruise|boat|\bbus\b|train|cable car|hotel|restaurant|food|accommodation|getting|交通|住宿"
    r"|美食|餐饮",
    re.IGNORECASE,
)


def _rides(heading: str) -> bool:
    return bool(_RIDES.search(heading)) and not _ON_FOOT.search(heading)


_ON_FOOT = re.compile(r"\b(?:loop|hike|hiking|walk|trail|circuit)", re.IGNORECASE)


_CLOCK_CELL = re.compile(r"\s*\d{1,2}[:：]\d{2}[^|]*\|[^|]*")


def _activity(line: Line, own: list[tuple[int, int, Sight]]) -> list[Sight]:
    """Return the first place that a timetable row names next to its clock time."""
    cells = _CLOCK_CELL.match(line.text)
    end = line.start + (cells.end() if cells else len(line.text))
    return [p for s, _e, p in own if s < end][:1]


_LABEL_END = re.compile(r"\**\s*(?:[(（][^()（）]*[)）])?\**\s*(?::|：|—|–| --? )")


def _labels(line: Line, own: list[tuple[int, int, Sight]]) -> Sight | None:
    """Return the place whose name labels a line in Latin script ("Lotus Village (20 min): …")."""
    for s, e, place in own:
        at = e - line.start
        if s - line.start <= 4 and line.text[:at].isascii() and _LABEL_END.match(line.text, at):
            return place
    return None


_ROW = re.compile(r"\s*(?:[、,，/&和与及]|and|以及|还有)\s*")


def _between(sentence: Sentence, own: list[tuple[int, int, Sight]]) -> str:
    """Return the text between the first two places in a sentence."""
    spans = [(s, e) for s, e, _p in own if s >= sentence.start][:2]
    at = sentence.line.start
    return sentence.line.text[spans[0][1] - at : spans[1][0] - at]


_PARTED = re.compile(r"[，,；;]")
_BRACKET = re.compile(r"[a-zà-ÿ,] (?:[A-ZÀ-Ý][\w’'-]+ )*(?P<last>[A-ZÀ-Ý][\w’'-]+) ?\([^()]*$")


def _of_a_stranger(sentence: Sentence, found: Statement, own: list[tuple[int, int, Sight]]) -> bool:
    """Check whether a statement is in brackets after a name that does not belong to a known
    place.
    """
    if found.field == "duration_hours" and sentence.text[: found.start][-1:] in ("（", "("):
        return True
    line = sentence.line
    match = _BRACKET.search(line.text[: sentence.start + found.start - line.start])
    if match is None:
        return False
    return not any(s < line.start + match.end("last") <= e for s, e, _p in own)


def _about(sentence: Sentence, found: Statement, subjects: Subjects) -> list[Sight]:
    """Return the places that a statement is about: those before it, or in its sentence, section or
    page.
    """
    at = sentence.start + found.start
    if sentence.line.is_head:
        return [p for _s, _e, p in subjects.here] or list(subjects.below)
    own = _not_located_by(sentence, subjects)
    before = [(e, p) for s, e, p in own if sentence.start <= s and e <= at]
    inside = _inside(sentence, subjects)
    tabled = sentence.line.kind == "table_row"
    if tabled and found.field == "arrival_time" and _CLOCK_CELL.match(sentence.line.text):
        return _activity(sentence.line, own)
    if tabled and _rides(sentence.heading):
        return []
    beside = [
        p
        for _s, e, p in own
        if 0 <= at - e <= 1
        and sentence.line.text[e - sentence.line.start : e - sentence.line.start + 2].strip()[:1]
        in "（("
    ]
    if beside:
        return beside
    if _of_a_stranger(sentence, found, own):
        return []
    if sentence.clock and re.match(r"\W*\d", sentence.text) and inside:
        return inside[:1]
    stated = sentence.start + found.end  # places in later clauses do not count
    opens = [
        p for s, _e, p in own
        if 0 <= s - sentence.start <= 8
        and not (stated <= s and _PARTED.search(sentence.text, found.end, s - sentence.start))
    ]  # fmt: skip
    if opens:
        row = len(opens) > 1 and _ROW.fullmatch(_between(sentence, own))
        return [before[-1][1] if row and before else opens[0]]
    if before and at - before[-1][0] <= _NEAR:
        return [before[-1][1]]
    reached = [p for s, _e, p in own if 0 <= s - stated <= _NEAR]
    if found.field == "arrival_time" and reached:
        return reached[:1]
    labelled = _labels(sentence.line, own)
    if labelled and not before:
        return [labelled]
    return _of_passage(sentence, found, subjects, before)


def _of_passage(
    sentence: Sentence, found: Statement, subjects: Subjects, before: list[tuple[int, Sight]]
) -> list[Sight]:
    """Return the places that a statement is about if none is next to it, using its section, line or
    page.
    """
    later = _inside(sentence, subjects)
    of_one = found.field == "ticket_price" and not found.limits.combined
    if of_one and not sentence.line.is_head:
        if before:
            return [before[-1][1]]
        if later:
            return later[:1]
    if subjects.section and not sentence.line.is_head:
        return list(subjects.section)
    if before:
        return [before[-1][1]]
    if later:
        return later[:1]
    earlier = [p for s, e, p in subjects.here if e <= sentence.start]
    if earlier and sentence.line.kind in ("list_item", "table_row", "paragraph"):
        first = subjects.here[0]
        return [first[2]] if first[0] - sentence.line.start < 12 else [earlier[-1]]
    if subjects.other or _rides(sentence.heading):
        return []
    return list(subjects.section or subjects.title)
