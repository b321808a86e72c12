"""Converts the values of facts to one notation, and checks that the quotes contain them."""

from __future__ import annotations

import re

from extractors.evidence import DAY_WORDS, SEASON_WORDS, field_problem, value_problem
from schemas.document_reading import StatedFact
from schemas.money import amounts, currencies, find_currency
from schemas.reading import Audience

_WEEKDAY = re.compile(r"\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*", re.IGNORECASE)
_CLOCK = re.compile(r"(?<!\d)(\d{1,2}):(\d{2})(?!\d)")
_CODE = re.compile(r"\s*\b([A-Z]{3})\b\s*")
_NOWHERE_SPENT = re.compile(
    r"(?<!整个)(?<!一个)(?<!一)(?<!大)(?:上午|下午|早上|晚上|中午)|"
    r"(?<!whole )(?<!full )(?<!entire )\b(?:morning|afternoon|evening)\b",
    re.IGNORECASE,
)
#: Words that mean a time or a price, and the figures for them.
_FIGURES: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"全天|24\s*小时|24\s*h(?:ours)?\b|all day|around the clock", re.I),
        " 00:00-24:00 ",
    ),
    (re.compile(r"midnight|午夜", re.I), " 24:00 "),
    (re.compile(r"entire day", re.I), " whole day "),
    (re.compile(r"open daily|every day|每天|每日|全年无休", re.I), " except none "),
    (re.compile(r"(?<=[|｜\s])免(?=[|｜\s])"), "免费"),
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
#: The first three letters of months and weekdays.
_SHORT = "|".join((*_MONTHS, "mon", "tue", "wed", "thu", "fri", "sat", "sun"))
_MONTH_NAMES = re.compile(rf"\b({'|'.join(_MONTHS)})[a-z]*\b", re.IGNORECASE)
#: Months as numbers: "04-10", "04-05, 09-10".
_MONTH_NUMBERS = re.compile(r"\d{1,2}(?:\s*[-–,、]\s*\d{1,2})*")
_AUDIENCE_WORDS: dict[Audience, str] = {
    "child": r"儿童|小孩|孩|童|婴|学龄|1\.\d\s*米|\d\s*岁|child|kid|infant|toddler|under|year",
    "student": r"学生|学生证|student",
    "senior": r"老|岁|长者|senior|elder|pension|over|aged",
}
_WEEKEND = re.compile(r"周末|双休|weekend", re.IGNORECASE)
_WORKDAYS = re.compile(r"工作日|平日|weekday|working day", re.IGNORECASE)


def write_value(field: str, value: str) -> str:
    """Return a value in the notation of the tables, such as HH:MM for times and Mon for
    weekdays.
    """
    value = _CLOCK.sub(lambda m: f"{int(m[1]):02d}:{m[2]}", value.strip().replace("：", ":"))
    if field == "closed_days":
        return _WEEKDAY.sub(lambda m: m[1].capitalize(), value)
    if field == "season":
        return re.sub(
            r"\b(spring|summer|autumn|winter|all year)\b", lambda m: m[0].lower(), value, flags=re.I
        )
    return value


def price_of(value: str, quote: str) -> tuple[str, str | None]:
    """Return the figures of a price, and the currency if the answer or the quote contains it."""
    code = _CODE.search(value)
    if code and code[1] in currencies():
        return _CODE.sub(" ", value).strip() or value, code[1]
    found = next((find_currency(a.mark, None) for a in amounts(f"{value} ") if a.mark), None)
    told = {unit for a in amounts(quote) if (unit := find_currency(a.mark, None))}
    figures = re.sub(r"[^\d.,\-–~]+", "", value) or value
    return figures, found or (told.pop() if len(told) == 1 else None)


def time_of(when: str) -> str | None:
    """Return when a fact applies: ``always``, months (``Apr-Oct``), a season or weekdays
    (``Sat-Sun``).

    Returns None for words with another meaning.
    """
    told = when.strip().casefold()
    if told in ("", "always"):
        return "always"
    if _MONTH_NUMBERS.fullmatch(told):
        numbers = [int(n) for n in re.findall(r"\d+", told)]
        if not all(1 <= n <= len(_MONTHS) for n in numbers):
            return None
        return re.sub(r"\d+", lambda m: _MONTHS[int(m[0]) - 1].capitalize(), told)
    told = re.sub(r"\bweekends?\b", "sat-sun", re.sub(r"\bweekdays?\b", "mon-fri", told))
    told = re.sub(rf"\b({_SHORT})[a-z]*", lambda m: m[1].capitalize(), told)
    known = re.fullmatch(rf"(?:{_SHORT}|spring|summer|autumn|winter|to|and|[\s,;/–-])+", told, re.I)
    return re.sub(r"\s*(?:–|-|\bto\b)\s*", "-", told) if known else None


def find_unstated(fact: StatedFact, quote: str, in_table: bool) -> str | None:
    """Return the reason why a fact's quotes do not support the fact, or None if they do."""
    told = _in_figures(quote)
    if fact.field == "duration_hours":
        told = _NOWHERE_SPENT.sub(" ", told)
    if fact.field == "season" and _MONTH_NUMBERS.fullmatch(fact.value):
        months = [int(n) for n in re.findall(r"\d+", fact.value)]
        problem = None if all(_month_stands(n, told) for n in months) else "its months are not told"
    else:
        problem = value_problem(fact.field, fact.value, told)
    if problem is None and not in_table:
        problem = field_problem(fact.field, told)
    return problem or _unit_problem(fact, quote) or _condition_problem(fact, quote)


def _in_figures(quote: str) -> str:
    for words, figures in _FIGURES:
        quote = words.sub(lambda m, figures=figures: f"{m[0]}{figures}", quote)  # type: ignore[misc]  # no types for a lambda with a default
    return quote


def _unit_problem(fact: StatedFact, quote: str) -> str | None:
    """Return a problem if the currency signs in the quote contradict the currency of the fact."""
    told = {unit for a in amounts(quote) if (unit := find_currency(a.mark, None))}
    if fact.unit and told and fact.unit not in told:
        return f"the evidence has {sorted(told)[0]}, not {fact.unit}"
    return None


def _condition_problem(fact: StatedFact, quote: str) -> str | None:
    """Return a problem if the quotes do not mention the audience or the time of the fact."""
    words = _AUDIENCE_WORDS.get(fact.audience) if fact.audience else None
    if words and not re.search(words, quote, re.IGNORECASE):
        return f"the evidence does not speak of a {fact.audience}"
    if fact.valid_when != "always" and not _time_stands(fact.valid_when, quote):
        return "the evidence does not say when it holds"
    return None


def _time_stands(when: str, quote: str) -> bool:
    """Check whether a quote contains months, a season or weekdays."""
    if when.casefold() in quote.casefold():
        return True
    for season in re.findall("|".join(SEASON_WORDS), when.lower()):
        if not re.search(SEASON_WORDS[season], quote, re.IGNORECASE):
            return False
    days = {day.capitalize() for day in re.findall(_WEEKDAY, when)}
    wide = _WEEKEND if days <= {"Sat", "Sun"} else _WORKDAYS
    if days and not wide.search(quote):
        return any(re.search(DAY_WORDS[day], quote, re.IGNORECASE) for day in days)
    months = [_MONTHS.index(name.lower()) + 1 for name in _MONTH_NAMES.findall(when)]
    return all(_month_stands(month, quote) for month in months)


def _month_stands(number: int, quote: str) -> bool:
    if not 1 <= number <= len(_MONTHS):
        return False
    name = _MONTHS[number - 1]
    chinese = "一二三四五六七八九十"[number - 1 : number] or f"十{'一二'[number - 11]}"
    written = rf"\b{name}|(?<!\d)0?{number}\s*[月\-–~至到./]|(?<!十){chinese}\s*[月至到]"
    return bool(re.search(written, quote, re.IGNORECASE))
