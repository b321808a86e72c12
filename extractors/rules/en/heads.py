"""Reads English headings, to find out what they mean for the lines below and which names have a
Chinese form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from extractors.rules.common.chinese import LISTED, is_decoy, plausible
from extractors.rules.common.grouping import HEAD
from extractors.rules.common.lines import DocumentNames, Hit, Line, hit_at
from extractors.rules.en import lexicon as en
from extractors.rules.en.capitals import acceptable, head_of
from schemas.word_lists import Lists

#: A heading that announces sights without naming any ("Nearby Cultural Sites").
ANNOUNCES = re.compile(
    r"(?:(?:key|major|main|top|best|other|more|nearby|must[- ]\w+|famous|popular|historic(?:al)?"
    r"|cultural|natural|local|photo|iconic|the|and|&|five|four|three|two|\d+)\s+)*"
    r"(?:sites|sights|spots|attractions|places|temples|museums|parks|theme parks|villages|towns"
    r"|residences|streets|gardens|landmarks|peaks|viewpoints)(?:\s+(?:to|of|on|in|near|around"
    r"|within)\b.*)?",
    re.IGNORECASE,
)
ASIDE_LABEL = re.compile(
    r"^\W*(?:location|address|source|author|nickname|metro access|dining|food|eat(?:ing)?"
    r"|breakfast|brunch|lunch|dinner|dessert|drinks?|caf[eé]s?|restaurants?|snacks?"
    r"|people|ethnic(?: groups?| minorit\w+)?|languages?|accommodations?|hotels?|stay(?:ing)?"
    r"|sleep|lodging|getting (?:there|around)|transport(?:ation)?|costs?|budget"
    r"|shopping)\b[^.]{0,20}?(?::|\W*$)",
    re.IGNORECASE,
)
#: An item that begins a list of shops.
_SHOPS = re.compile(
    r"\b(?:stores?|shops?|restaurants?|caf[eé]s|eateries|bars|hotels)\b[^:]*:\s*$", re.I
)


@dataclass
class Section:
    """What the headings and bold lines above a line tell the rules about the line."""

    logistics: bool = False  # beds, meals, transport, papers
    sights: bool = False  # the heading announces sights
    shops: bool = False  # items below "a few stores:"
    aside: bool = False  # items below a bold "Dining:" or the like
    _rank: int = 0  # heading level of a section on logistics

    def enter(self, line: Line) -> None:
        """Update the properties of the section from the next line."""
        if line.is_head and line.kind != "title" and line.level <= (self._rank or 9):
            self.logistics = bool(en.LOGISTICS.search(line.text)) and not is_heading(line.text)
            self._rank = line.level if self.logistics else 0
        if line.is_head:
            self.sights = bool(ANNOUNCES.fullmatch(line.text.strip()))
        if line.kind != "list_item" or ":" in line.text or len(line.text.split()) > 8:
            self.shops = line.kind == "list_item" and bool(_SHOPS.search(line.text))
        if line.is_head or line.strong:
            label = ASIDE_LABEL.match(line.text) or en.LOGISTICS.search(line.text)
            self.aside = line.strong and bool(label)
        else:
            self.aside = self.aside and line.kind == "list_item"


def is_heading(text: str) -> bool:
    words = re.findall(r"[A-Za-z]+", text.lower())
    return bool(set(words[-2:]) & HEAD)


_LISTS = Lists("extractors.rules.en")

#: Words that often begin a sentence and just as often belong to a name.
_ADJECTIVES = frozenset(
    ["ancient", "golden", "great", "cherry", "sunrise", "sunset", "first", "second", "third", "our"]
)
_WORD = r"(?:[A-ZÀ-Ý][\w’'\-]*|\d{1,2})"
#: Only a name stands before its Chinese form: "1. Old Salt Wharf / Salt Quay (盐码头): …".
_TITLED = re.compile(
    rf"\W*(?:\d+[.)]\s*)?(?P<n>[A-ZÀ-Ý][\w’'\-]*(?:\s+(?:(?:of|the|of the|and|&|in"
    rf"|no)\s+)?{_WORD}){{0,6}}"
    rf"(?:\s*/\s*{_WORD}(?:\s+(?:(?:of|the|of the|&)\s+)?{_WORD}){{0,6}})?)"
    r"\s*[(（](?P<zh>[\u4e00-\u9fff·]{2,14})(?:[\s,，][^()（）]*)?[)）]"
)
#: Chinese words that name a people, a language, a dish or a region and not a sight.
_NO_SIGHT = re.compile(rf"(?:{_LISTS.either('chinese_no_sight_endings')})$")


def chinese_sight(zh: str) -> bool:
    """Check whether the Chinese form beside a name can be the name of a sight."""
    forms = dict.fromkeys((re.split(r"[、/ ]", zh)[0], re.split(r"[、和/ ]", zh)[0]))
    return any(
        form in LISTED or (plausible(form, listed=True) and not _NO_SIGHT.search(form))
        for form in forms
    )


def find_heading_name(line: Line, start: int) -> Hit | None:
    """Return the name at the start of a heading that is followed by its Chinese form in brackets.

    The whole name is used, even if all of its words are common words ("Ancient City Wall").
    """
    match = _TITLED.match(line.text, start)
    if match is None:
        return None
    name, zh = match["n"], match["zh"]
    street = _STREETS.search(zh)
    plain = not street and head_of(name) != "strong" and en.HEADING_WORDS.search(name)
    general = plain or (not street and en.DECOY.search(name)) or en.LOGISTICS.search(name)
    if general or is_decoy(zh) or not chinese_sight(zh):
        return None
    first = name.split()[0].lower()
    if first in en.LEAD - _ADJECTIVES or first.endswith("ing") or len(name) > 60:
        return None
    forms = [part.strip() for part in name.split("/")]
    if len(forms[0].split()) < 2 and len(forms) == 1:
        return None  # a single word may be a town, a people or a dish
    a = match.start("n")
    return Hit(
        line.start + a, line.start + a + len(forms[0]), forms[0], "heading", line.index,
        also=(zh, name, *forms[1:]),
    )  # fmt: skip


#: Chinese streets that are sights; "…之路" is a trade route or a band.
_STREETS = re.compile(r"(?:大街|老街|古街|文化街|步行街|(?<!之)路|巷|胡同|栈道|步道|街)$")


_SECOND = re.compile(
    r"\s*[(（]\s*(?:[\u4e00-\u9fff·]+\s*[,，/]\s*)?(?:(?:also|formerly|locally)\s+)?"
    r"(?:(?:known|called|named)\s+(?:as\s+)?|aka\s+|a\.k\.a\.\s+|or\s+"
    r"|meaning\s+)?(?:the\s+)?[\"“]?"
    r"|\s*/\s*|,?\s+(?:also|formerly|locally|better|sometimes) (?:known|called"
    r"|named) (?:as )?(?:the )?[\"“]?",
    re.IGNORECASE,
)


def second_names(lines: list[Line], names: DocumentNames) -> None:
    """Add names in brackets after a name, or after "also known as", as alternative forms of that
    name.
    """
    hits = sorted(names.hits, key=lambda h: (h.start, h.end))
    text = {line.index: line for line in lines}
    also: dict[int, tuple[str, ...]] = {}
    for first, second in pairwise(hits):
        line = text[first.line]
        gap = line.text[max(0, first.end - line.start) : max(0, second.start - line.start)]
        if first.line != second.line or first.end > second.start or not _SECOND.fullmatch(gap):
            continue
        if "(" in gap or "（" in gap:
            closed = re.match(r"[\"”]?\s*[)）]", line.text[second.end - line.start :])
            if not closed or not _same_kind(first.name, second.name):
                continue
        elif "/" in gap and not re.match(
            r"\s*[(（][\u4e00-\u9fff·]+[)）]", line.text[second.end - line.start :]
        ):
            continue
        also[id(first)] = (*first.also, second.name)
    names.hits[:] = [replace(h, also=also[id(h)]) if id(h) in also else h for h in names.hits]


def _same_kind(first: str, second: str) -> bool:
    """Check whether two names share an ending or a word, in which case neither place is inside
    the other.
    """
    a, b = (re.findall(r"[a-zà-ÿ]+", name.lower()) for name in (first, second))
    return bool(a and b) and (a[-1] == b[-1] or bool(set(a) & set(b) - en.LEAD))


_BARE = re.compile(
    r"\W*(?:\d+[.)]\s*)?(?P<n>[A-ZÀ-Ý][\w’'\-]*(?: (?:(?:of"
    r"|the) )?[A-ZÀ-Ý][\w’'\-]*){0,3})\s*(?:[(（:：—–].*|$)"
)


#: Topics of headings that name no place.
_TOPIC = re.compile(
    r"[’']s\b|\b(?:attractions|destinations|sights|places|assessment|verdict|opinions?|thoughts"
    r"|experiences?|activities|basics|essentials|background|people|areas?|districts?)\b",
    re.IGNORECASE,
)


def siblings(lines: list[Line], names: DocumentNames) -> None:
    """Add headings that are just a name if half of the headings in their group name sights."""
    named = {h.line for h in names.hits if h.source == "heading"}
    words = set(re.findall(r"\b[a-z]{3,}\b", " ".join(line.text for line in lines)))
    for row in _rows(lines):
        known = [line for line in row if line.index in named]
        bare = [(line, _BARE.fullmatch(line.text)) for line in row if line.index not in named]
        fit = [(line, m.span("n")) for line, m in bare if m and _bare_name(m["n"], words)]
        if len(known) > 1 and len(known) >= len(fit):
            names.hits.extend(hit_at(line, *span, "heading") for line, span in fit)


def _bare_name(name: str, words: set[str]) -> bool:
    """Check whether the words in a heading can be a proper name, ignoring common words and
    cities.
    """
    signs = (en.HEADING_WORDS, en.LOGISTICS, en.MEAL, _TOPIC)
    general = any(sign.search(name) for sign in signs)
    common = all(w.lower() in words | en.LEAD | en.NOT_NAME | HEAD for w in name.split())
    return not general and not common and acceptable(name)


def _rows(lines: list[Line]) -> list[list[Line]]:
    """Return the groups of headings with the same level and the same heading above them."""
    rows: list[list[Line]] = []
    open_rows: dict[int, list[Line]] = {}
    for line in lines:
        if line.kind != "heading":
            continue
        open_rows = {level: row for level, row in open_rows.items() if level <= line.level}
        if line.level not in open_rows:
            open_rows[line.level] = []
            rows.append(open_rows[line.level])
        open_rows[line.level].append(line)
    return rows
