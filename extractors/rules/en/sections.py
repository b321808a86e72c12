"""What the headings and labels above a line of an English document say about it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from extractors.rules.common.forms import HEAD
from extractors.rules.common.lines import Line
from extractors.rules.en import lexicon as en

#: A heading that announces sights and names none ("Nearby Cultural Sites").
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
#: An item that opens a list of shops.
_SHOPS = re.compile(
    r"\b(?:stores?|shops?|restaurants?|caf[eé]s|eateries|bars|hotels)\b[^:]*:\s*$", re.I
)


@dataclass
class Section:
    """What the headings and bold lines above a line say about it."""

    logistics: bool = False  # beds, meals, transport, papers
    sights: bool = False  # the heading announces sights
    shops: bool = False  # items below "a few stores:"
    aside: bool = False  # items below a bold "Dining:" and the like
    _rank: int = 0  # level of the heading of a logistics section

    def enter(self, line: Line) -> None:
        """Take in a line."""
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
