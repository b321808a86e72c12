"""Best times of day in English sentences: "best at sunrise or late afternoon"."""

from __future__ import annotations

import re

from extractors.rules.common.statements import Sentence, Statement
from extractors.rules.common.values import clock

_AT = r"\d{1,2}(?::\d{2})?\s*(?:[ap]\.?m\b\.?)?"
_MOMENT = (
    r"(?:(?:very\s+)?early(?:\s+in\s+the)?\s+(?:morning|afternoon|evening)"
    r"|late(?:\s+in\s+the)?\s+(?:morning|afternoon|evening)"
    r"|mid[- ]?(?:morning|afternoon)|(?:the\s+)?(?:mornings?|afternoons?|evenings?)|at\s+night"
    r"|nights?|night[- ]?time|sunrise|sunset|dawn|dusk|midday"
    rf"|(?:before|after)\s+(?:sunrise|sunset|dark|dawn|dusk|lunch|{_AT})|(?:around|about"
    rf"|by)\s+\d{{1,2}}(?::\d{{2}})?\s*[ap]\.?m\b\.?)"
)
_CLOCKS = r"\d{1,2}:\d{2}\s*(?:[ap]m)?\s*[-–—]\s*\d{1,2}:\d{2}\s*(?:[ap]m)?"
_JOIN = r"\s*(?:/|,?\s+(?:or|and|into|to|until)\s+)\s*(?:(?:in|at|the|around)\s+)*"
_MOMENTS = rf"(?:both\s+)?{_MOMENT}(?:{_JOIN}{_MOMENT})*"
_FILL = (
    r"(?:\s*(?:is|to|at|in|on|the|during|it|both|here|there|visit|visited|seen|enjoyed|experienced"
    r"|viewed|photographed|temple|usually|time|go|about))*\s*"
)
_CUED = re.compile(
    r"(?:\bgo\b|\bvisit(?:ed)?\b|\barriv(?:e|ing)\b|\bcome\b|\bget there\b|\bbest\b|\bideal\b"
    r"|\bgreat\b|\bperfect\b|\bmagical\b|\btiming\b|\bstart\b|\benter\b|\bhead there\b)"
    rf"{_FILL}(?P<v>early\s*\((?:before|after)\s+{_AT}\)(?:\s+or\s+{_MOMENT})?"
    rf"|early\s+or\s+{_MOMENT}|early(?=\s*(?:[(—–]|to\s+(?:avoid|beat|escape|enjoy|see|catch"
    rf"|experience)|for\s+(?:the\s+)?(?:clear|best|few|good|quiet)|in order|or\s|before|when\s"
    rf"|as\s+(?:possible|you)))|{_MOMENTS})",
    re.IGNORECASE,
)
#: "Best time: Evening/night", "When: after sunset"
_LABEL = re.compile(
    rf"^\W*(?:best\s+times?(?:\s+(?:of\s+day|to\s+(?:visit|go|come)))?|when|timing|time\s+of\s+day"
    rf"|recommended\s+time|arriv(?:e|al))\s*\W{{0,4}}[:|]\W*(?P<v>early\b(?!\s)|{_MOMENTS}"
    rf"|{_CLOCKS}|{_AT}(?=\s*(?:$|[.,;(|])))",
    re.IGNORECASE,
)
#: "Photography: early morning for Lotus Lake"
_FOR_NAME = re.compile(
    rf"^\W*(?:(?:photography|photos?|light|views?"
    rf"|crowds?)\s*\W{{0,3}}:\W*)?(?P<v>(?i:{_MOMENTS}))\s+for\s+(?:the\s+)?[A-Z]"
)
#: "In the late afternoon, we went up …"
_TOLD = re.compile(r"^\W*In the (?P<v>(?:early|late) (?:morning|afternoon|evening)),? (?:we|I)\b")
_ADVICE = re.compile(
    r"\bgo\b|visit (?:early|before|in|at|both|after|during|late)|best|ideal|great (?:at|in|for)"
    r"|perfect (?:at|in|for)|timing|arriv(?:e|ing)|get there|come early|for (?:the )?(?:best|clear"
    r"|fewer|clearest)|avoid|magical at|late afternoon",
    re.IGNORECASE,
)
#: Early for a seat or a queue is no time of day; a sunrise that is watched elsewhere neither.
_FOR_A_PLACE = re.compile(
    r"early (?:to|and|for) (?:secure|get|find|grab|reserve|book|a (?:good )?(?:spot|seat)"
    r"|\w+ a (?:good )?(?:spot|seat))"
    r"|\d+\s*[–-]?\s*\d*\s*minutes early|book early|early bird|earlier",
    re.IGNORECASE,
)


def best_times(sentence: Sentence) -> list[Statement]:
    """The time of day that a sentence advises, [] if it advises none."""
    text = sentence.text
    label = _LABEL.match(text)
    match = (
        label
        or _FOR_NAME.match(text)
        or _TOLD.match(text)
        or (_CUED.search(text) if _ADVICE.search(text) else None)
    )
    if match is None or (not label and _FOR_A_PLACE.search(text)):
        return []
    value = _value(match["v"])
    return [Statement("arrival_time", value, *match.span("v"))] if value else []


def _value(words: str) -> str:
    """A time of day in few words: "before 09:00 or late afternoon"."""
    low = re.sub(r"\s+", " ", words.lower()).strip(" .")
    low = re.sub(r"^both |\bthe |\bvery |\b(?:in|at) the |^at |\bat (?=night)", "", low)
    low = re.sub(r"\b(early|late) in (?=morning|afternoon|evening)", r"\1 ", low)
    low = re.sub(r"^early \((.*?)\)", r"\1", low)
    low = re.sub(r"\b(?:around|about|by) (?=\d)", "", low)
    low = re.sub(r"\b(morning|afternoon|evening|night)s\b", r"\1", low).replace(
        "night time", "night"
    )
    if low == "early":
        return "early morning"

    def in_24(match: re.Match[str]) -> str:
        return clock(match.group().strip()) or match.group()

    return re.sub(
        rf"{_AT}", lambda m: in_24(m) + (" " if m.group()[-1:] == " " else ""), low
    ).strip()
