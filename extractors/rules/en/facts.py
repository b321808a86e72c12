"""Finds statements in English sentences: hours, prices, durations, seasons and arrival times."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractors.evidence import EN_LENGTHS
from extractors.rules.common.limits import limit_statements
from extractors.rules.common.statements import (
    Sentence,
    Statement,
    clock,
    clock_range,
    hours_text,
    other_amounts,
    price_value,
    unique,
)
from extractors.rules.en.hours import best_times, find_closed_days, hours_in
from extractors.rules.en.limits import LIMITS
from extractors.rules.en.prices import prices_in
from extractors.rules.en.tables import match_item
from schemas.reading import FactField
from schemas.word_lists import Lists

_LISTS = Lists("extractors.rules.en")

_T = r"\d{1,2}(?:[:.]\d{2})?\s*(?:[ap]\.?m\.?)?"
_TO = r"\s*(?:-|–|—|to|until|till)\s*"
_UNIT = r"(?:RMB|CNY|yuan|kuai|元)"
_PRICE = re.compile(
    rf"(?:(?P<a>\d[\d,]*(?:\.\d+)?)(?:\s*[-–]\s*(?P<b>\d[\d,]*))?\s*{_UNIT}"
    rf"|[¥￥]\s*(?P<c>\d[\d,]*)(?:\s*[-–]\s*(?P<e>\d[\d,]*))?|{_UNIT}\s*(?P<d>\d[\d,]*))"
    r"(?:\s*\((?P<note>[^)]{1,40})\))?",
    re.IGNORECASE,
)
_PRICE_CUE = re.compile(
    r"admission|entrance|entry|entries|enter|tickets?|fee|costs?|price|combined|scenic area|park",
    re.IGNORECASE,
)
_NO_PRICE = re.compile(
    _LISTS.either("prices_of_other_things"),
    re.IGNORECASE,
)
#: "Lotus Temple: 40 RMB"
_NAMED_PRICE = re.compile(
    r"^\W*(?:the )?[A-Z][^:：.|]{2,50}[:：|]\s*(?:about |around |~)?(?:RMB|CNY|¥|￥|[€$]?\d)",
    re.IGNORECASE,
)
#: A line about how to get there; its prices are fares.
_ON_THE_WAY = re.compile(
    r"^\W*(?:getting (?:there|around|in|here)|how to get\b[^:]*|transport(?:ation)?|directions"
    r"|by (?:bus|train|metro|taxi|car|boat|plane|air)|from [A-Z][^:]{0,30}|bus(?:es)?|trains?"
    r"|taxi[^:]*|metro|flights?|driving|ferry|fare|cable car|boat[^:]*|accommodation|food|meals?"
    r"|dining)\s*\**:",
    re.IGNORECASE,
)
_FREE = re.compile(
    r"(?:^\W*(?:admission|entry|entrance|tickets?|cost|price|fee)?\W*free\b(?! time| wifi| wi-fi"
    r"| day| walk| shuttle| from| of\b| for (?!all|every|any)))|\b(?:entrance|entry|admission|it"
    r"|access|(?:the|this) (?:\w+ )?(?:park|temple|museum|mausoleum|garden|gardens|site|tower"
    r"|street|area|lake|gallery|square|village|town|hall|palace)) (?:is|are|was)(?: now| also"
    r"| completed?ly)? free\b(?! of\b|ly| for (?!all|every|any))|\bfree to (?:walk|explore|wander"
    r"|stroll|browse|see)\b|\bfree (?:entry|entrance|admission|to (?:enter|visit|get in))"
    r"|\bno (?:entry|entrance|admission) fee",
    re.IGNORECASE,
)
_HOURS = re.compile(
    rf"(?P<cue>(?:opening |visiting )?hours?|open(?:s|ing)?(?: times?| daily| from| hours)?|daily"
    rf"|times?)?\W{{0,6}}(?:from\s+)?(?P<months>[A-Z][a-z]{{2,8}}\s*[-–]\s*[A-Z][a-z]{{2,8}}\s*:\s*)?(?P<a>{_T}){_TO}(?P<b>{_T})(?:\s*\((?P<note>[^)]{{1,30}})\))?",
    re.IGNORECASE,
)
_OPENS = re.compile(
    rf"\bopens?\s+(?:daily\s+)?(?:at\s+)?(?P<a>{_T})\s*(?:,|and"
    rf"|,\s*and)?\s+closes?\s+(?:at\s+)?(?P<b>{_T})",
    re.IGNORECASE,
)
#: "Best time: 18:30-21:00" is advice and not opening hours.
_BEST_LABEL = re.compile(
    r"\b(?:best|peak|blue|golden|recommended|ideal|busiest|quietest"
    r"|illumination)\s+(?:visiting\s+)?(?:times?|hours?)[^.;]{0,20}$",
    re.IGNORECASE,
)
_IS_CLOCK = re.compile(r"[:.]\d{2}|[ap]\.?m", re.IGNORECASE)
_LAST = re.compile(
    rf"(?:last (?:entry|entries|admission|entrance|tickets?)|ticket (?:office|sales?"
    rf"|counters?) (?:closes?|stops?|ends?)|no (?:entry|admission|entrance) after|(?:entry"
    rf"|admission|entrance) (?:stops|closes|ends))[^.\d]{{0,20}}(?P<a>{_T})",
    re.IGNORECASE,
)
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?)?\b"
#: "30 minutes to 1 hour"
_MIXED = re.compile(
    r"(\d+)\s*min(?:ute)?s?\s*(?:-|–|to|or)\s*(\d+(?:\.\d+)?|an|one|two)\s*h(?:ou)?rs?\b", re.I
)
_LONG = re.compile(
    r"(?P<a>\d+(?:\.\d+)?|half an|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty"
    r"|ninety)(?:-five)?|ten|fifteen|an|one|two|three|four|five|six)(?:\s*(?:-|–|to"
    r"|or)\s*(?P<b>\d+(?:\.\d+)?|two|three|four|five|six))?\s*\+?[\s-]*(?P<unit>hours?|hrs?"
    r"|minutes?|mins?)\b",
    re.IGNORECASE,
)
_LONG_CUE = re.compile(
    r"allow|spend|spent|duration|minimum|complete|to (?:explore|see|visit|walk|tour)|visit|tour\b"
    r"|takes?|need|plan (?:for|on)|at least|each|half[- ]day|loop|recommended time|time needed"
    r"|set aside|exploring",
    re.IGNORECASE,
)
_NO_LONG = re.compile(
    _LISTS.either("lengths_of_other_things"),
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"\b(?P<w>full|whole|half|half a|entire)[- ]day\b(?! (?:tour|trips? from|hire|rental|pass"
    r"|with transport))|\ball day\b"
    r"|\bspen[dt] (?:the |an? |our |most of the )(?:whole |entire |full )?(?P<p>morning"
    r"|afternoon)\b(?! (?:train|bus|flight))",
    re.IGNORECASE,
)
_COMBINED = re.compile(r"\bcombin(?:e|ed|ing|es)\b|\bpairs? (?:it )?with\b", re.IGNORECASE)
_WHOLE_CUE = re.compile(
    r"allow|spen[dt]|need|takes?\b|minimum|recommend|worth|plan|trip|visit|required|duration|each"
    r"|explor|deserves?|\bin [A-Z]",
    re.IGNORECASE,
)
_WORDS = {**EN_LENGTHS, "half an": 0.5, "an": 1}
_SEASON = re.compile(r"\b(spring|summer|autumn|fall|winter)\b", re.IGNORECASE)
_SEASON_CUE = re.compile(
    r"best (?:time|season|months?|visited|in|weather)|blossoms?|foliage|frozen|ideal|in bloom"
    r"|snow-covered|colou?rs",
    re.IGNORECASE,
)
_SIGNS = {
    "fall foliage": "autumn",
    "autumn foliage": "autumn",
    "cherry blossom": "spring",
    "frozen": "winter",
}
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]*"
_AVOID = re.compile(rf"avoid\W{{1,4}}({_MONTH})(?:\s*[-–]\s*({_MONTH}))?", re.IGNORECASE)
_SCHEDULE = re.compile(
    rf"^\W*(?P<a>(?:[01]?\d|2[0-3]):[0-5]\d\s*(?:[ap]m)?|(?:[01]?\d|2[0-3])[.][0-5]\d\s*[ap]m"
    rf"|\d{{1,2}}\s*[ap]m)(?:{_TO}(?P<b>{_T}))?\W*\s(?P<rest>.*)",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"\b(?:breakfast|dinner at hotel|check[- ]?(?:in|out)|depart|return|back to|drop bags|rest\b)",
    re.IGNORECASE,
)


def statements(sentence: Sentence, named: bool) -> list[Statement]:
    """Return all statements about a place in a sentence."""
    text = sentence.text
    if (labelled := _read_labelled(sentence, named)) is not None:
        return labelled
    last = (
        Statement("last_admission", time, *match.span())
        for match in _LAST.finditer(text)
        if (time := clock(match["a"]))
    )
    found = [
        *_prices(sentence, named), *_hours(text), *_durations(text, sentence.line.is_head),
        *find_closed_days(text), *last, *_arrivals(sentence, named), *_seasons(sentence, named),
    ]  # fmt: skip
    return limit_statements(unique(found), sentence, LIMITS)


_HOURS_LABEL = re.compile(
    r"\W*(?:(?:opening|visiting|visitor|visit|museum|regular|public)\s+)?(?:hours?|times?"
    r"|open(?:ing)?|timings?)"
    r"(?:\s+(?:hours|times|daily))?\s*\**\s*(?::|\||\s[–—-]\s)\**",
    re.IGNORECASE,
)
_PRICE_LABEL = re.compile(
    r"\W*(?:(?:entrance|entry|ticket|admission|general|standard)\s+)?(?:admissions?|entry|entrance"
    r"|tickets?|prices?|fees?|costs?)"
    r"\s*\**\s*(?::|\||\s[–—-]\s)\**",
    re.IGNORECASE,
)


_WEEKDAYS = rf"{_WEEKDAY}(?:\s*(?:,|&|and|/|-|–|to)\s*{_WEEKDAY})*"
#: "Monday: closed", "Tue–Fri | 10:00–18:00"
_WEEK_LABEL = re.compile(
    rf"\W*(?={_WEEKDAYS}\s*\**\s*[:|]?\s*\**(?:closed"
    rf"|\d{{1,2}}(?:[:.]\d\d)?\s*(?:[ap]\.?m)?\s*(?:-|–|to)\s*\d[\d:. apm]*\W*$))",
    re.IGNORECASE,
)


def label_of(text: str) -> re.Match[str] | None:
    """Return the label for hours or prices with which a line begins, or None if there is none."""
    return _HOURS_LABEL.match(text) or _PRICE_LABEL.match(text) or _WEEK_LABEL.match(text)


def _read_labelled(sentence: Sentence, named: bool) -> list[Statement] | None:
    """Return the statements in a line that begins with a label ("Hours: …", "Admission | …").

    For the first sentence of a line, the whole line is read. Returns None for lines without a
    label.
    """
    line = sentence.line
    label = None if line.is_head else label_of(line.text)
    if label is not None and label.re is _PRICE_LABEL and _IN_YUAN.search(line.text):
        return None
    item = match_item(line) if label is None and named else None
    if item is not None and not _IN_YUAN.search(line.text):
        return _of_item(sentence, item)
    if label is None or (line.kind == "paragraph" and len(line.text) > _LABELLED_LONG):
        return None
    at = sentence.start - line.start
    is_price = label.re is _PRICE_LABEL
    cut = _OTHER_LABEL.search(line.text, label.end())
    parts = [(label.end(), cut.start() if cut else len(line.text), is_price)]
    if cut:
        parts.append((cut.start(), len(line.text), not is_price))
    found: list[Statement] = []
    for start, end, priced in parts:
        read = prices_in if priced else hours_in
        shift = start - at
        # The label is part of the evidence because it names the field.
        opens = (0 if start == label.end() else start) - at
        for s in read(line.text[start:end]):
            here = s.move(shift)
            told = (opens, here.told[1]) if here.told else None
            found.append(here._replace(start=min(opens, here.start), told=told))
    if not found:
        return None
    if line.text[:at].strip():
        return []
    if reserved := LIMITS.reserved.search(line.text):
        found = [
            s if s.field in ("closed_days", "last_admission")
            else s._replace(limits=s.limits.further_by(reserved[0]), told=(0, len(line.text) - at))
            for s in found
        ]  # fmt: skip
    return unique(found)


def _of_item(sentence: Sentence, item: re.Match[str]) -> list[Statement]:
    """For the first sentence of an item, return the statements after the name; for any other
    sentence, return nothing.
    """
    at = sentence.start - sentence.line.start
    shift = item.start("rest") - at
    read = () if item.string[:at].strip() else (*hours_in(item["rest"]), *prices_in(item["rest"]))
    return unique([s.move(shift) for s in read])


#: Prices in yuan, and ranges of such prices, have rules of their own.
_IN_YUAN = re.compile(rf"{_UNIT}|[¥￥]\s*\d+\s*[-–]\s*\d", re.IGNORECASE)
#: A line that begins with hours may continue with prices, and the other way round.
_OTHER_LABEL = re.compile(
    r"(?<=[;.,|])\s*(?:admission|entry|entrance|tickets?|prices?|open(?:ing)?(?: hours)?"
    r"|hours)\b(?=\W*(?:is|are|from|costs?)?\W*(?:[\d€£$¥]|free|adults?|[A-Z]))",
    re.IGNORECASE,
)
_LABELLED_LONG = 240


def _prices(sentence: Sentence, named: bool) -> list[Statement]:
    text = sentence.text
    found: list[Statement] = []
    if _ON_THE_WAY.match(sentence.line.text):
        return found
    plain = re.match(r"\W*(?:RMB|EUR|USD|JPY|¥)?\s*\d", text)
    plain = plain or (_NAMED_PRICE.match(text) if named else None)
    for start, end, field, value in _amounts(text):
        before, after = text[max(0, start - 32) : start], text[end : end + 18]
        other = (
            re.match(r"\s*(?:/|per )(?:night|day|hour|h\b)", after)
            or _NO_PRICE.search(re.split(r"[,;.|]", before)[-1])
            or _NO_PRICE.search(re.split(r"[,;.|(]", after)[0])
        )
        if not other and (plain or _PRICE_CUE.search(text[:start]) or _PRICE_CUE.search(after)):
            found.append(Statement(field, value, start, end))
    free = _FREE.search(text)
    if free and not found:
        found.append(Statement("ticket_price_cny", "0", *free.span()))
    return found


def _amounts(text: str) -> Iterator[tuple[int, int, FactField, str]]:
    """Return the range, field and value of each amount."""
    for match in _PRICE.finditer(text):
        low, high = match["a"] or match["c"] or match["d"], match["b"] or match["e"]
        value = hours_text(_amount(low), _amount(high) if high else None)
        yield *match.span(), "ticket_price_cny", value
    for found in other_amounts(text):
        yield found.start, found.end, "ticket_price", price_value(found)


def _amount(text: str) -> float:
    return float(text.replace(",", ""))


#: Hours in brackets count beside a price, as in "Name (9 am to 5 pm, 20 euros)"; without a price
#: they may belong to a plan.
_COST = (
    r"[€$£¥￥]\s*\d|\d\s*(?:€|euros?|yuan|RMB|CNY|yen|baht|dollars?|pounds?|USD|EUR)\b|\b(?:free"
    r"|tickets?)\b"
)
_PRICED = re.compile(rf"\([^()]*(?:{_COST})[^()]*$", re.IGNORECASE)
_PRICED_BEHIND = re.compile(rf"[^()]*(?:{_COST})[^()]*\)", re.IGNORECASE)


def _hours(text: str) -> list[Statement]:
    found = [
        Statement("opening_hours", span, *match.span())
        for match in _OPENS.finditer(text)
        if (span := clock_range(match["a"], match["b"]))
    ]
    for match in _HOURS.finditer(text):
        if not (_IS_CLOCK.search(match["a"]) or _IS_CLOCK.search(match["b"])):
            continue
        alone = not re.search(r"[A-Za-z]{3}", f"{text[: match.start()]} {text[match.end() :]}")
        follows = bool(found) and bool(re.search(r"[/;,]\s*$", text[: match.start("a")]))
        priced = _PRICED.search(text[: match.start()]) or _PRICED_BEHIND.match(text, match.end())
        told = match["cue"] or match["months"] or alone or follows or priced
        if not told or _BEST_LABEL.search(text[: match.start("a")]):
            continue
        first = match["a"] if _IS_CLOCK.search(match["a"]) else f"{match['a']}:00"
        span = clock_range(first, match["b"])
        if span and not re.search(
            r"train|bus|metro|subway|operates|rush", text[: match.start()], re.IGNORECASE
        ):
            found.append(Statement("opening_hours", span, *match.span()))
    return found


def _durations(text: str, heading: bool) -> list[Statement]:
    found = []
    mixed = _MIXED.search(text)
    if mixed and _LONG_CUE.search(text) and not _NO_LONG.search(text[: mixed.start()]):
        value = hours_text(float(mixed[1]) / 60, _number(mixed[2]))
        return [Statement("duration_hours", value, *mixed.span())]
    for match in _LONG.finditer(text):
        around = text[max(0, match.start() - 30) : match.end() + 26]
        near = text[max(0, match.start() - 16) : match.end() + 14]
        near += re.split(r"[,;.:|]", text[: match.start()])[-1]
        alone = (
            text[: match.start()].endswith(("(", "（", "(~")) and text[match.end() :][:1] in ")）"
        )
        if not (_LONG_CUE.search(around) or alone) or _NO_LONG.search(near):
            continue
        scale = 60 if match["unit"].lower().startswith("m") else 1
        first = _number(match["a"])
        last = _number(match["b"]) / scale if match["b"] else None
        if 0 < first / scale <= 14:
            found.append(
                Statement("duration_hours", hours_text(first / scale, last), *match.span())
            )
    return found or _part_of_day(text, heading)


def _part_of_day(text: str, heading: bool) -> list[Statement]:
    """Return a duration of a day, half a day or something between, if it is stated in words."""
    halves = re.search(r"\bhalf(?:[- ]day)? to (?:a )?full[- ]day\b", text, re.IGNORECASE)
    if halves:
        return [Statement("duration_hours", "4-8", *halves.span())]
    whole = None if _COMBINED.search(text) else _WHOLE.search(text)
    if whole is None or _NO_LONG.search(text[max(0, whole.start() - 16) : whole.end()]):
        return []
    cue = _WHOLE_CUE.search(text[max(0, whole.start() - 40) : whole.end() + 30])
    value = "4" if whole["p"] or (whole["w"] or "").lower().startswith("half") else "8"
    told = heading or whole["p"] or cue
    return [Statement("duration_hours", value, *whole.span())] if told else []


def _number(text: str) -> float:
    """Return a number of hours or minutes that is written in digits or as a word."""
    return float(_WORDS.get(text.lower()) or text)


def _arrivals(sentence: Sentence, named: bool) -> list[Statement]:
    is_schedule = sentence.clock and sentence.line.kind != "paragraph"
    slot = _SCHEDULE.match(sentence.text) if is_schedule else None
    if slot is None:
        return best_times(sentence)
    first = clock(slot["a"]) if named and not _PASSING.search(slot["rest"]) else None
    return [Statement("arrival_time", first, *slot.span("a"))] if first else []


def _seasons(sentence: Sentence, named: bool) -> list[Statement]:
    text = sentence.text
    if avoid := _AVOID.search(text):
        months = [m[:3].title() for m in avoid.groups() if m]
        return [Statement("season", f"avoid {'-'.join(months)}", *avoid.span())]
    if best := _BEST_SEASON.match(text):
        rest = text[best.end() :]
        one = {_season_of(m) for m in re.findall(rf"\b{_MONTH}\b", rest)}
        # Months of several seasons give no season.
        values = _seasons_in(rest) or (one if len(one) == 1 else ())
        return [Statement("season", v, best.start(), len(text)) for v in values]
    if led := _LED_BY_SEASON.match(text):
        return [Statement("season", v, *led.span()) for v in _seasons_in(led["s"])]
    if not named:
        return []
    for sign, value in _SIGNS.items():
        at = text.lower().find(sign)
        if at >= 0:
            return [Statement("season", value, at, at + len(sign))]
    match = _SEASON.search(text) if _SEASON_CUE.search(text) else None
    return [Statement("season", _seasons_in(match[1])[0], *match.span())] if match else []


def _seasons_in(text: str) -> list[str]:
    """Return the seasons in a text, each once."""
    said = (match[1].lower().replace("fall", "autumn") for match in _SEASON.finditer(text))
    return list(dict.fromkeys(said))


_BEST_SEASON = re.compile(
    r"^\W*(?:best (?:seasons?|months?|times?(?: of (?:the )?year)?)(?: to (?:visit|go|come))?"
    r"|seasons?)\s*[:|]",
    re.IGNORECASE,
)
_ONE_SEASON = r"(?:spring|summer|autumn|fall|winter)(?:\s*\([^)]{1,24}\))?"
#: "Spring and autumn have the best weather", "Autumn: best balance of …"
_LED_BY_SEASON = re.compile(
    rf"^\W*(?P<s>{_ONE_SEASON}(?:\s*(?:/|,|&|and|or)\s*{_ONE_SEASON})*)(?:\W{{1,4}}|\s+(?:is|are"
    rf"|has|have|offers?|brings?)\s+(?:\w+\s+){{0,3}}?)(?:the\s+)?(?:best|optimal|ideal"
    rf"|most beautiful|perfect)\b",
    re.IGNORECASE,
)


def _season_of(month: str) -> str:
    """Return the season for a month in the northern hemisphere."""
    number = "JanFebMarAprMayJunJulAugSepOctNovDec".index(month[:3].title()) // 3 + 1
    return ("winter", "spring", "summer", "autumn")[number % 12 // 3]
