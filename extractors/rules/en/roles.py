"""Finds out what an English document says about its places, and who goes to them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extractors.rules.common.lines import Hit, HitContext, Line, context_of, lines_below
from extractors.rules.en import lexicon as words
from extractors.rules.en.denials import is_denied

#: "headed towards" means going there and not looking there.
_TOWARDS = re.compile(
    r"\b(?:head(?:ed|ing)?|walked|made (?:our|my) way)(?: \w+)? towards?(?: the)?\s*$"
)


def tells_visit(hit: Hit, line: Line) -> bool:
    """Check whether the words beside a hit show that somebody goes, went or should go to the
    place.
    """
    c = context_of(hit, line)
    if words.NOT_GONE.search(c.before):
        return False
    return bool(words.VISIT.search(c.before) or words.AFTER_VISIT.match(c.after))


def vote(hit: Hit, c: HitContext, in_day: bool) -> str:
    """Return what the words around a hit say about its place, so that ``assign_roles`` can count
    them.
    """
    if is_denied(hit, c.line):
        return "denied"
    is_left_out = re.search(r"[—–-] (?:avoid|skip)\b", c.sentence.split(hit.name, 1)[-1][:80])
    if is_left_out or words.REJECT.search(c.before[-30:] + " # " + c.after[:45]):
        return "rejected"
    if hit.source == "logistics":
        return "aside"
    if hit.source in ("chain", "lead", "heading"):
        return "stop"
    if words.PRAISED.match(c.after):
        return "tip"
    is_seen = words.ASIDE.search(c.before[-28:]) and not _TOWARDS.search(c.before)
    if is_seen or words.FOR_A_MEAL.match(c.after):
        return "aside"
    is_visit = words.VISIT.search(c.before) or words.AFTER_VISIT.match(c.after)
    return "visit" if is_visit else "told"


def in_first_person(text: str) -> bool:
    """Check whether a document describes what its author did."""
    size = max(1, len(text))
    persons = re.findall(r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur|us)\b", text)
    past = re.findall(r"\b(?:was|were|went|had|got|took|saw|came|made|\w{2,}ed)\b", text)
    if len(persons) * 300 > size and len(past) * 350 > size:
        return True
    # "Headed to …. Visited …": a diary without "we"
    opening = re.findall(r"(?:^|[.!?]\s+)(?:[A-Z][a-z]+ed|Went|Took|Got|Saw|Had|Ate)\s", text)
    return len(opening) >= 3 and len(opening) * 250 > size


def find_wished_lines(lines: list[Line]) -> frozenset[int]:
    """Return the lines below an English heading about things that the author has not seen yet."""
    return frozenset(
        below.index
        for line in lines
        if line.kind == "heading" and words.WISHES.search(line.text)
        for below in lines_below(line, lines)
    )


#: A sentence that says where the walk begins or ends.
_ENDS = re.compile(
    r"(?:^|[.!?]\s+|\bso )(?:begin|start|finish|end)(?: up)? (?:at|in|on|with|off)\b|\b(?:so"
    r"|then) begin\b",
    re.IGNORECASE | re.MULTILINE,
)
#: Directions for a walk.
_WAYS = re.compile(
    r"\b[Tt]urn (?:left|right|into|onto|off)\b|(?:^|[.!?]\s+)Cross (?:the )?[A-Z]"
    r"|\b[Ww]alk (?:past|along|up|down|through|[A-Z])|"
    r"\b(?:a)?round the corner\b|\bblocks? (?:(?:further )?(?:north|south|east|west)|away)\b"
    r"|\b[Aa] (?:left|right) (?:along|on|onto|into)\b|"
    r"\b(?:[Nn]orth|[Ss]outh|[Ee]ast|[Ww]est) (?:on|along|to) |\b[Aa]cross the (?:road|street"
    r"|square|river)\b|(?:^|[.!?]\s+)Past ",
    re.MULTILINE,
)
_LEAST_WAYS = 2


def is_walk(lines: Sequence[Line]) -> bool:
    """Check whether sentences tell readers where to begin or end and, at least twice, which way to
    go.
    """
    text = "\n".join(line.text for line in lines if line.kind == "paragraph")
    return bool(_ENDS.search(text)) and len(_WAYS.findall(text)) >= _LEAST_WAYS
