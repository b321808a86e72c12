"""Reads opening hours from columns or labelled lines, and the best times of day for a visit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractors.rules.common.statements import Limits, Sentence, Statement, clock
from extractors.rules.en.limits import LIMITS

_CLOCK = (
    r"(?:(?:[01]?\d|2[0-4])(?:\s?[:.hH]\s?[0-5]\d(?!\d))?\s*(?:[ap]\.?m\b\.?|hrs?\b|h\b)?|noon"
    r"|midday|midnight)"
)
_RANGE = re.compile(
    rf"(?<![\d.,:$€£¥])(?P<a>{_CLOCK})\s*(?:-|–|—|~|to|until|till)\s*(?P<b>{_CLOCK})(?![\d%€])",
    re.IGNORECASE,
)
_PARTS = re.compile(
    r"(?P<h>\d{1,2})(?:\s?[:.hH]\s?(?P<m>\d\d))?\s*(?:(?P<ap>[ap])\.?m)?", re.IGNORECASE
)
_ALWAYS = re.compile(r"\b24\s?/\s?7\b|\b24\s*h(?:ou)?rs?\b|\b24h\b|\bopen all day\b", re.IGNORECASE)
WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?)?\b"
_DAYS = rf"{_DAY}(?:\s*(?:,|&|and|/)\s*{_DAY})*"
_FROM_TO = rf"{_DAY}\s*(?:-|–|—|to|through|thru)\s*{_DAY}"
#: A range of days is a range of closed days, unless hours follow: then these days are open.
_CLOSED = re.compile(
    rf"(?:\b(?:closed?|shuts?)\b(?:\s+days?)?|\bclosing days?\b|\bexcept(?:\s+for)?\b"
    rf"|\bexcluding\b)\W{{0,4}}"
    rf"(?:is\s+|on\s+|every\s+|all\s+)*(?:(?P<r>{_FROM_TO})(?!\W{{0,3}}(?:from\s+)?\d)"
    rf"|(?P<d>{_DAYS})(?!\s*(?:-|–|to)\s*{_DAY}))"
    rf"|(?P<re>{_FROM_TO})\W{{0,3}}(?:is\s+|are\s+)?(?:closed|shut)\b"
    rf"|(?P<e>{_DAYS})\W{{0,3}}(?:is\s+|are\s+)?(?:closed|shut)\b",
    re.IGNORECASE,
)
_WEEK = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_LAST = re.compile(
    rf"\b(?:last|final)\s+(?:entry|entries|admissions?|entrance|tickets?|tour)\b[^.;\d]{{0,20}}"
    rf"(?:(?P<n>\d{{1,3}})\s*(?P<unit>min(?:ute)?s?|h(?:ou)?rs?)\s+(?:before|prior)"
    rf"|(?P<a>{_CLOCK}))",
    re.IGNORECASE,
)
#: Weekdays with another closing time ("10-5, Fri & Sat till 9") or another opening time.
_OTHER_TIME = re.compile(
    rf"(?P<d>{_DAYS})\s*(?:(?P<till>till|until|to)|from|at)\s+(?P<t>{_CLOCK})(?!\s*(?:-|–|—|to\b"
    rf"|\d))",
    re.IGNORECASE,
)
_NOTE = re.compile(r"^\s*[(][^()]*[)]")
#: Separates two ranges on the same days ("10:00-13:00, 14:00-18:00").
_JOINS = re.compile(r"\s*(?:,|/|&|and)\s*", re.IGNORECASE)


def hours_in(text: str) -> Iterator[Statement]:
    """Return all opening times in a cell or a labelled line; offsets are relative to this text.

    If a time has limits, such as an audience or a season, its evidence is the whole text.
    """
    for found in _hours(text):
        yield found if found.limits == Limits() else found._replace(told=(0, len(text)))


def _hours(text: str) -> Iterator[Statement]:
    closes: list[str] = []
    limits, last = Limits(), 0
    found = [match for match in _RANGE.finditer(text) if _is_time(match)]
    last_calls = [match.span() for match in _LAST.finditer(text)]
    for at, match in enumerate(found):
        span = _span(match["a"], match["b"])
        if span is None or any(a <= match.start() < b for a, b in last_calls):
            continue
        before = text[last : match.start()]
        note = _NOTE.match(before) if last else None  # it belongs to the time before
        before = before[note.end() :] if note else before
        if note or not (last and _JOINS.fullmatch(before)):
            limits = _limits(before)
            follows = text[match.end() : found[at + 1].start() if at + 1 < len(found) else None]
            behind = re.match(
                r"\s*[(]([^()]*)[)]" if at + 1 < len(found) else r"[\s,(]*([^;.]*)", follows
            )
            says_more = behind and (_CLOSED.search(behind[1]) or _OTHER_TIME.search(behind[1]))
            if limits == Limits() and behind and not says_more:
                limits = _limits(behind[0])
        last = match.end()
        closes.append(span[6:])
        yield Statement("opening_hours", span, *match.span(), limits)
    always = None if found else _ALWAYS.search(text)
    if always:
        yield Statement(
            "opening_hours", "00:00-24:00", *always.span(), _limits(text[: always.start()])
        )
    if found and closes:
        yield from _other_times(text, found[0], closes[0])
    yield from find_closed_days(text)
    for match in _LAST.finditer(text):
        time = _minutes_before(closes, match) if match["n"] else _time(match["a"])
        # The evidence of a time includes the time from which it is counted.
        start = 0 if match["n"] else match.start()
        if time:
            yield Statement("last_admission", time, start, match.end())


def find_closed_days(text: str) -> Iterator[Statement]:
    """Return each weekday on which a text says the place is closed."""
    for match in _CLOSED.finditer(text):
        told = match["r"] or match["re"] or match["d"] or match["e"]
        days = [day[:3].title() for day in re.findall(_DAY, told, re.IGNORECASE)]
        if match["r"] or match["re"]:
            first, last = (_WEEK.index(day) for day in days)
            days = [_WEEK[(first + n) % 7] for n in range((last - first) % 7 + 1)]
        for day in days:
            yield Statement("closed_days", day, *match.span())


def _other_times(text: str, usual: re.Match[str], closes: str) -> Iterator[Statement]:
    """Return the hours for days on which they differ from the usual hours ("10-5, Fri till 9")."""
    for match in _OTHER_TIME.finditer(text, usual.end()):
        ends = (usual["a"], match["t"]) if match["till"] else (match["t"], closes)
        span, limits = _span(*ends), _limits(match["d"])
        if span and span != _span(usual["a"], closes) and limits != Limits():
            yield Statement("opening_hours", span, *match.span(), limits)


def _limits(words: str) -> Limits:
    """Return the weekdays, and the months or the season, that are named beside a time."""
    found = Limits()
    said = words.strip(" ,;:.|")
    for told in (list(LIMITS.years(said)), list(LIMITS.weeks(f"{said} 0"))):
        if told:
            span, when = told[-1]
            found = found.at(when, said, span)
    return found


def _minutes_before(closes: list[str], match: re.Match[str]) -> str | None:
    """Return the time meant by words such as "30 minutes before closing", if there is only one
    closing time.
    """
    length = int(match["n"]) * (60 if match["unit"].lower().startswith("h") else 1)
    if len(set(closes)) != 1:
        return None
    close = int(closes[0][:2]) * 60 + int(closes[0][3:])
    return (
        f"{(close - length) // 60:02d}:{(close - length) % 60:02d}" if 0 < length < close else None
    )


def _is_time(match: re.Match[str]) -> bool:
    """Check whether a range of two numbers can be opening hours, unlike "2-3" or a range of
    years.
    """
    words = match["a"] + match["b"]
    if re.search(r"[:.]|\dh\s?\d|[ap]\.?m|noon|mid", words, re.IGNORECASE):
        return True
    first, last = (int(re.sub(r"\D", "", match[end])) for end in "ab")
    return 5 <= first <= 12 and (last >= 15 or last <= first)


def _span(first: str, last: str) -> str | None:
    """Return hours as HH:MM-HH:MM; if only the second time has "pm", it may apply to both.

    It applies to both if the first time is before 7 and then still precedes the second.
    """
    closes = _time(last)
    opens = _time(first)
    if opens is None or closes is None:
        return None
    half = re.search(r"([ap])\.?m", last, re.IGNORECASE)
    bare = not re.search(r"[ap]\.?m|noon|mid", first, re.IGNORECASE)
    if half and half[1].lower() == "p" and bare and opens < "12:00" and _later(opens) < closes:
        opens = _later(opens) if opens < "07:00" else opens
    if not half and closes < opens and closes < "12:00" and (bare or "a" in first.lower()):
        closes = _later(closes)
    if closes == "00:00":
        closes = "24:00"
    return f"{opens}-{closes}" if opens != closes else None


def _later(time: str) -> str:
    return f"{int(time[:2]) + 12:02d}{time[2:]}"


def _time(text: str) -> str | None:
    """Return a clock time as HH:MM, or None if the text is not a clock time."""
    word = text.strip().lower()
    if word in ("noon", "midday", "midnight"):
        return "24:00" if word == "midnight" else "12:00"
    match = _PARTS.match(word)
    if match is None:
        return None
    hour, minute = int(match["h"]), int(match["m"] or 0)
    if match["ap"]:
        hour = hour % 12 + (12 if match["ap"] == "p" else 0)
    return f"{hour:02d}:{minute:02d}" if hour * 60 + minute <= 24 * 60 else None


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
#: Coming early for a seat or a queue is no time of day, and neither is a sunrise seen elsewhere.
_FOR_A_PLACE = re.compile(
    r"early (?:to|and|for) (?:secure|get|find|grab|reserve|book|a (?:good )?(?:spot|seat)"
    r"|\w+ a (?:good )?(?:spot|seat))"
    r"|\d+\s*[–-]?\s*\d*\s*minutes early|book early|early bird|earlier",
    re.IGNORECASE,
)


def best_times(sentence: Sentence) -> list[Statement]:
    """Return the time of day that a sentence recommends, or [] if the sentence recommends none."""
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
    """Return a time of day in a few words, such as "before 09:00 or late afternoon"."""
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
