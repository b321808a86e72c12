"""Finds words that limit a value in English sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractors.rules.common.limits import LimitWords, Range
from schemas.word_lists import Lists

_LISTS = Lists("extractors.rules.en")

_M = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May(?! (?:be|not|also|have))|June?|July?|"
    r"Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_TO = r"\s*(?:-|–|—|to|until|till|through|thru)\s*"
_IN = (
    r"(?:in|during|from|until|till|through|since|for|over|of)\s+(?:the\s+)?(?:(?:end|month"
    r"|months) of\s+)?"
)
_YEAR = re.compile(
    rf"(?:(?i:{_IN})"
    rf"|[(]\s*)?(?P<a>{_M})(?:\s*(?P<first>\d{{1,2}}))?{_TO}(?P<b>{_M})(?:\s*(?P<last>\d{{1,2}})(?![\d:]))?"
    rf"|(?:(?i:{_IN})|[(]\s*|^\W*)(?P<list>{_M}(?:\s*(?:,|/|&|and|or)\s*{_M})*)(?!\s*\d)"
    r"|(?P<p>(?i:\b(?:peak|high|low|off)[- ]?(?:season|peak)\b|(?<=\()\s*(?:peak"
    r"|off-peak)\s*(?=\))))"
    rf"|(?:(?i:{_IN})|[(]\s*|^\W*)(?P<s>(?i:spring|summer|autumn|fall|winter))\b(?!\s+(?:festival"
    rf"|palace))"
    r"|\b(?P<t>(?i:spring|summer|autumn|fall|winter))(?=\s*(?i:season|hours?|tickets?|prices?"
    r"|admission|entry|months?|schedule|[:：]))"
)
_D = r"(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?"
_WEEK = re.compile(
    r"(?P<end>\bweekends?\b)|(?P<work>\bweekdays?\b)"
    rf"|\b(?P<a>{_D})s?(?P<range>{_TO})(?P<b>{_D})s?\b"
    rf"|\b(?P<list>{_D}s?(?:\s*(?:,|/|&|and|or)\s*{_D}s?)+)\b"
    rf"|(?P<one>(?:\bevery\s+|[(]\s*|^\W*)(?P<each>{_D})(?=\s*[:：)]|\s+\d|\b(?<=y))"
    rf"|\b(?P<many>{_D})s\b)",
    re.IGNORECASE,
)


def _years(text: str) -> Iterator[tuple[Range, str | None]]:
    """Yield the range and form of each season or period of months; the form is None if a period
    begins or ends within a month.
    """
    for match in _YEAR.finditer(text):
        season = match["s"] or match["t"]
        if season:
            yield match.span(), season.lower().replace("fall", "autumn")
        elif match["p"]:
            is_peak = re.match(r"\s*(?:peak|high)", match["p"], re.IGNORECASE)
            yield match.span(), "peak season" if is_peak else "off season"
        elif match["list"]:
            yield match.span("list"), ", ".join(name[:3] for name in re.findall(_M, match["list"]))
        elif int(match["first"] or 1) != 1 or int(match["last"] or 31) < 28:
            yield match.span(), None
        else:
            months = f"{match['a'][:3]}-{match['b'][:3]}"
            yield match.span(), "always" if months == "Jan-Dec" else months


def _weeks(text: str) -> Iterator[tuple[Range, str | None]]:
    """Return weekdays as ``Tue-Sun`` or ``Sat, Sun``."""
    for match in _WEEK.finditer(text):
        days = [day[:3].title() for day in re.findall(_D, match[0], re.IGNORECASE)]
        if match["end"] or match["work"]:
            yield match.span(), "Sat-Sun" if match["end"] else "Mon-Fri"
        elif days == ["Mon", "Sun"] and match["range"]:
            yield match.span(), "always"
        else:
            yield match.span(), ("-" if match["range"] else ", ").join(days)


LIMITS = LimitWords(
    audiences={
        "adult": re.compile(r"\badults?\b", re.IGNORECASE),
        "child": re.compile(
            r"\b(?:child(?:ren)?|kids?|infants?|toddlers?|minors?|under[- ]\d{1,2}s?"
            r"|(?:aged? )?\d{1,2} and under|"
            r"(?:below|under) 1\.\d\s*m)\b",
            re.IGNORECASE,
        ),
        "student": re.compile(r"\bstudents?\b", re.IGNORECASE),
        "senior": re.compile(
            r"\b(?:seniors?|elderly|pensioners?|over[- ][67]\d|(?:aged? )?[67]\d (?:and"
            r"|or) (?:over|above|older))\b"
            r"|\b[67]\d\+",
            re.IGNORECASE,
        ),
    },
    years=_years,
    weeks=_weeks,
    others=re.compile(rf"\b(?:{_LISTS.either('further_conditions')})\b", re.IGNORECASE),
    reserved=re.compile(
        r"(?<!no )(?<!without )\b(?:(?:advance |prior |online |time-slot )*(?:reservations?"
        r"|bookings?|appointments?)"
        r"[- ]+(?:is |are |in advance )*(?:only|required|needed|necessary|mandatory|essential"
        r"|compulsory|a must)"
        r"|by (?:(?:prior|advance|online) )?(?:reservation|appointment|booking)(?: only)?"
        r"|must (?:be )?(?:pre-?)?(?:booked?|reserved?)"
        r"|(?:requires?|needs?|with) (?:an? |advance |prior |online |time-slot )*(?:reservation"
        r"|booking|appointment))\b",
        re.IGNORECASE,
    ),
    combined=re.compile(
        r"\b(?:combo|combin(?:ed|ation)|joint)\b(?: (?:ticket|pass|entry|admission))?",
        re.IGNORECASE,
    ),
    only=re.compile(r"\bonly\b", re.IGNORECASE),
    excepted=re.compile(r"\b(?:except(?:ing)?|excluding)\b[^,;.()]{1,40}", re.IGNORECASE),
    valued=re.compile(
        r"\bfree\b|half|discount|(?:adults?|child(?:ren)?|kids?|students?|seniors?)[:\s]+\d"
        r"|\d\s*(?:RMB|CNY|yuan|元|%)|[¥￥$€£]|\d:\d\d",
        re.IGNORECASE,
    ),
    parts=re.compile(r",(?!\d)|[;|]|\.\s|\s/\s|\s[–—]\s"),
    opens=re.compile(r"\W*(?:(?:for|with|on|at|and|every|open|daily)\s+)*", re.IGNORECASE),
    joins=re.compile(r"\b(?:and|or|but|while)\b|/", re.IGNORECASE),
    headed=re.compile(r"\b(?:hours?|tickets?|prices?|fees?|admission|entry)\b", re.IGNORECASE),
    behind=60,
    near=40,
)
