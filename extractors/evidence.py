"""Checks that a document supports everything that an answer claims.

A name must occur at its span, either exactly or after folding (width, spaces, case, traditional
characters). A wrong span is corrected if the name occurs elsewhere in the text. For each value, the
quoted evidence must contain the numbers in the value and a word that belongs to the value's field.
A claim without evidence is set aside as ``Ungrounded``.
"""

from __future__ import annotations

import itertools
import re

from extractors.text import fold, locate
from schemas.money import amounts
from schemas.reading import Fact, GazetteerEntry, Span
from schemas.word_lists import Lists

_LISTS = Lists("extractors")

_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")
_DOTTED_CLOCK = re.compile(r"(?<![\d.])([01]?\d|2[0-3])\.([0-5]\d)(?![\d.])")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_ZH_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "半": 0.5}
_ZH_NUMBER = re.compile(r"[零一二两三四五六七八九十百半]+")
_ZH_PAIR = re.compile(r"(?<![十百])[一二两三四五六七八九]{2}(?![十百一二两三四五六七八九])")
#: English words for small numbers.
EN_NUMBERS = {
    word: number
    for number, word in enumerate(
        [
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ],
        start=1,
    )
}
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
EN_LENGTHS = {
    **{f"{word}-five": 10 * n + 5 for n, word in enumerate(_TENS, 2)},
    **{word: 10 * n for n, word in enumerate(_TENS, 2)},
    **{**EN_NUMBERS, "fifteen": 15, "an hour": 1},
}
_EN_NUMBER = re.compile(r"\b(?:" + "|".join(EN_LENGTHS) + r")\b", re.IGNORECASE)
_LAST = re.compile(
    r"停|最后|最晚|截止|止|前|last|until|before|latest|no later|stop|clos|no (?:entry|admission"
    r"|entrance)",
    re.IGNORECASE,
)
#: A time after midnight that cannot mean the afternoon.
_IS_MORNING = re.compile(r"\b0\d:|\da\.?m|\d\s+a\.?m|早|凌晨|上午|morning", re.IGNORECASE)
#: Hours that labelled values give to words: 8 for a whole day, 4 for half a day, 3 for an evening.
_WORD_HOURS = {
    8.0: r"整天|一天|全天|whole day|full day|all day|day trip",
    4.0: r"半天|半日|上午|下午|half[- ]day|half (?:a )?day|half to|morning|afternoon",
    3.0: r"晚上|一晚|evening",
    0.0: (
        r"免费|免票|^\W*免\W*$|不要钱|不收|[不无][要需用]门票|免门票|不用票|free|no (?:entry"
        r"|entrance|admission)"
    ),
    0.5: r"半小时|半个小时|half an hour",
}


def repair_span(name: str, span: Span, text: str) -> Span | None:
    """Return the given span if its text is the name; otherwise, return the name's first span in the
    text, or None.
    """
    if span.end <= len(text) and fold(text[span.start : span.end]) == fold(name):
        return span
    found = locate(name, text)
    return Span(start=found[0], end=found[1]) if found else None


def name_stands(name: str, text: str, gazetteer: tuple[GazetteerEntry, ...] = ()) -> bool:
    """Check whether a text contains a name, or a different name from the same gazetteer entry."""
    if locate(name, text):
        return True
    forms = (e.names for e in gazetteer if e.standard == name)
    return any(locate(form, text) for names in forms for form in names)


def fact_problem(fact: Fact, text: str, gazetteer: tuple[GazetteerEntry, ...]) -> str | None:
    """Return the reason why a fact has no evidence in its document, or None if it has evidence."""
    if fact.span.end > len(text):
        return "its span lies outside the text"
    if not name_stands(fact.poi, text, gazetteer):
        return "its POI is not named in the text"
    return value_problem(fact.field, fact.value, text[fact.span.start : fact.span.end])


def value_problem(field: str, value: str, quote: str) -> str | None:
    """Return the reason why a quote does not contain a value, or None if it does."""
    if field == "opening_hours" and value == "00:00-24:00" and _ALWAYS_OPEN.search(quote):
        return None
    if field == "last_admission" and value in _before_closing(quote):
        return None
    quote = _in_digits(quote) if ":" in value else quote
    stated = _price_stated if field.startswith("ticket_price") else _is_stated
    missing = [n for n in _numbers(value) if not stated(n, quote)]
    if missing:
        return f"{missing[0]:g} does not stand in the evidence"
    return _word_problem(field, value, quote)


_ALWAYS_OPEN = re.compile(
    r"24\s*/\s*7|24\s*h(?:ou)?rs?\b|24h\b|all day|全天|24\s*小时", re.IGNORECASE
)
_AHEAD = re.compile(
    r"last\b[^.;\d]{0,30}(\d{1,3})\s*(min|h)[a-z]*\s+(?:before|prior)"
    r"|final\b[^.;\d]{0,30}(\d{1,3})\s*(min|h)[a-z]*\s+(?:before|prior)",
    re.IGNORECASE,
)
_ANY_CLOCK = re.compile(r"(?<!\d)(\d{1,2})(?:[:.hH](\d{2}))?\s*(p)?", re.IGNORECASE)


def _before_closing(quote: str) -> set[str]:
    """Return the possible times of last entry if a quote gives them relative to a clock time."""
    ahead = _AHEAD.search(quote)
    if ahead is None:
        return set()
    length = int(ahead[1] or ahead[3]) * (60 if (ahead[2] or ahead[4]).lower() == "h" else 1)
    left = [
        (int(hour) + late) * 60 + int(minute or 0) - length
        for hour, minute, _late in _ANY_CLOCK.findall(quote[: ahead.start()])
        for late in (0, 12)
    ]
    return {f"{time // 60:02d}:{time % 60:02d}" for time in left}


def _in_digits(quote: str) -> str:
    """Return a quote with times such as "noon" or "9h30" rewritten as "12:00" or "9:30"."""
    quote = re.sub(r"\b(?:noon|midday)\b", "12:00", quote, flags=re.IGNORECASE)
    quote = re.sub(r"\bmidnight\b", "24:00", quote, flags=re.IGNORECASE)
    return re.sub(r"(?<!\d)(\d{1,2})\s?[hH]\s?(\d{2})(?!\d)", r"\1:\2", quote)


#: Words that a quote must contain if the value is a word, by field and value.
DAY_WORDS = {
    "Mon": r"[周期拜]一|\bmon", "Tue": r"[周期拜]二|\btue", "Wed": r"[周期拜]三|\bwed",
    "Thu": r"[周期拜]四|\bthu", "Fri": r"[周期拜]五|\bfri", "Sat": r"[周期拜]六|\bsat",
    "Sun": r"[周期拜][日天]|\bsun",
}  # fmt: skip
_DAYS_FROM_TO = re.compile(
    r"[周期拜][一二三四五六日天]\s*[-–~至到]|\b(?:mon|tue|wed|thu|fri|sat|sun)\w*\s*(?:-|–|to)",
    re.IGNORECASE,
)
SEASON_WORDS = {
    "spring": r"春|[3-5三四五]\s*月|花|spring|mar|apr|may|blossom",
    "summer": r"夏|暑|[6-8六七八]\s*月|summer|jun|jul|aug",
    "autumn": r"秋|(?:9|10|11|九|十|十一)\s*月|红叶|银杏|autumn|\bfall|foliage|sep|oct|nov",
    "winter": r"冬|雪|(?:12|1|2|十二|一|二)\s*月|winter|snow|frozen|\bice|冰|dec|jan|feb",
}


#: A quote is about a field only if it contains one of these words.
_FIELD_WORDS = {
    "opening_hours": (
        r"开|营业|时间|闭|关|早|晚|点|\d\s*[:：.]\s*\d\d|open|hours|clos|daily|[ap]\.?m|24"
    ),
    "closed_days": r"闭|关|休|除|不开|周|星期|礼拜|clos|except|shut",
    "ticket_price_cny": (
        r"票|元|¥|￥|块|免|钱|费|rmb|cny|yuan|kuai|free|ticket|admi|entr|fee|cost|price|pay"
    ),
    "ticket_price": r"票|免|费|价|free|ticket|admi|entr|fee|cost|price|pay|[€$£₩฿₹円]|\d",
    "duration_hours": (
        r"小时|钟头|分钟|半天|半日|一天|整天|全天|一日|上午|下午|晚|时长|游览|hour|hr|min|"
        r"day|morning|afternoon|evening"
    ),
    "arrival_time": _LISTS.either("arrival_time_words"),
}


def _word_problem(field: str, value: str, quote: str) -> str | None:
    """Return the reason why a quote lacks the words that a value needs, or None if it has them."""
    if field == "closed_days":
        if _DAYS_FROM_TO.search(quote):
            return None
        days = re.findall("|".join(DAY_WORDS), value)
        silent = [d for d in days if not re.search(DAY_WORDS[d], quote, re.IGNORECASE)]
        return f"{silent[0]} does not stand in the evidence" if silent else None
    if field == "season":
        for season in re.findall("|".join(SEASON_WORDS), value):
            if not re.search(SEASON_WORDS[season], quote, re.IGNORECASE):
                return f"{season} does not stand in the evidence"
    if field == "last_admission" and not _LAST.search(quote):
        return "the evidence speaks of no last admission"
    if field == "last_admission" and "01:00" <= value < "08:00" and not _IS_MORNING.search(quote):
        return "the evidence does not say which half of the day"
    return None


def field_problem(field: str, quote: str) -> str | None:
    """Return the reason why a quote is not about a given field, or None if the quote is about it.

    A quote from a table includes the header of the table.
    """
    words = _FIELD_WORDS.get(field)
    if words is None or re.search(words, quote, re.IGNORECASE):
        return None
    return f"the evidence does not speak of {field}"


def _numbers(value: str) -> list[float]:
    """Return the numbers in a value; for a clock time, return the hour, and the minutes unless
    they are 0.
    """
    numbers: list[float] = []
    for hour, minute in _CLOCK.findall(value):
        numbers.append(float(hour) + 1000)
        if minute != "00":
            numbers.append(float(minute) + 2000)
    rest = _CLOCK.sub(" ", value)
    return numbers + [float(n) for n in _NUMBER.findall(rest)]


def _price_stated(number: float, quote: str) -> bool:
    """Check whether a quote contains a price, including prices above a thousand and forms like
    "12,50".
    """
    if number < 1000 and _is_stated(number, quote):
        return True
    return number in _find_numbers(quote) or number in {float(a.value) for a in amounts(quote)}


def _is_stated(number: float, quote: str) -> bool:
    """Check whether a quote contains a number; 1000 + n stands for hour n, and 2000 + n for n
    minutes.
    """
    stated = _find_numbers(quote)
    if number >= 2000:
        return number - 2000 in stated or (number == 2030 and "半" in quote)
    if number >= 1000:
        hour = number - 1000
        return bool({hour, (hour + 12) % 24} & stated)
    words = _WORD_HOURS.get(number)
    if words and re.search(words, quote, re.IGNORECASE):
        return True
    minutes = {round(n / 60, 2) for n in stated}
    stated |= _spans_of_clock(quote)
    halves = "半" in quote and number - 0.5 in stated
    more = number - 1 in stated and re.search(r"多|\+|plus|more than|over", quote)
    return number in stated or halves or bool(more) or number in minutes


def _find_numbers(quote: str) -> set[float]:
    plain = {float(n) for n in _NUMBER.findall(quote.replace("：", ":").replace(",", ""))}
    plain |= {float(n) for pair in _DOTTED_CLOCK.findall(quote) for n in pair}
    plain |= {float(EN_LENGTHS[n.lower()]) for n in _EN_NUMBER.findall(quote)}
    plain |= {zh_number(n) for pair in _ZH_PAIR.findall(quote) for n in pair}  # "六七个小时"
    return plain | {zh_number(n) for n in _ZH_NUMBER.findall(quote)}


def _spans_of_clock(quote: str) -> set[float]:
    """Return the numbers of hours between consecutive clock times in a quote."""
    hours = [int(h) + int(m) / 60 for h, m in _CLOCK.findall(quote.replace("：", ":"))]
    return {round(b - a, 2) for a, b in itertools.pairwise(hours) if b > a}


def zh_number(text: str) -> float:
    """Return the value of a small Chinese number ("十二", "两", "一百二十", "半")."""
    if text == "半":
        return 0.5
    total, digit = 0.0, 0.0
    for char in text:
        if char == "十":
            total, digit = total + (digit or 1) * 10, 0
        elif char == "百":
            total, digit = total + (digit or 1) * 100, 0
        elif char == "半":
            total += 0.5
        else:
            digit = _ZH_DIGITS[char]
    return total + digit
