"""Currencies: which one a country uses, and which one a sign next to an amount means.

An amount is an integer in hundredths of its currency's unit, whatever the currency: 1,200 yen are
120000, and 3.125 dinars are rounded to 313. Nothing is ever converted. A sign that several
currencies share (``¥``, ``$``, ``元``) means the local currency; if the location is unknown, so is
the currency.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from schemas.regions import countries
from schemas.word_lists import Lists

_LISTS = Lists("schemas")

YUAN = "CNY"
#: Changes that are younger than the table of GeoNames: Bulgaria pays in euros since 1 January 2026
#: (Council of the European Union, decision of 8 July 2025).
_YOUNGER = {"BG": "EUR"}


@cache
def _by_country() -> dict[str, str]:
    """ISO 4217 code by ISO 3166-1 country."""
    rows = countries().items()
    return {code: row["currencycode"] for code, row in rows if row["currencycode"]}


@cache
def currencies() -> frozenset[str]:
    """ISO 4217 codes of all money that some country pays with."""
    return frozenset({*_by_country().values(), *_YOUNGER.values()})


def country_currency(country_code: str) -> str | None:
    """Currency of a country (ISO 3166-1 alpha-2); None where there is none, as in Antarctica."""
    return _YOUNGER.get(country_code) or _by_country().get(country_code)


def amount_unit(currency: str) -> str:
    """Name the unit of a figure that counts hundredths of a currency's unit."""
    return f"cent of {currency}"


def unit(currency: str | None) -> str:
    """Name the unit of a currency for use in a sentence: yuan, or the code of another currency."""
    return "yuan" if currency in (None, YUAN) else str(currency)


def price_levels() -> dict[str, float]:
    """Say roughly how many yuan one unit of a currency is worth, for wide bounds only."""
    return _LISTS.weights("price_levels")


@cache
def price_scale(currency: str | None) -> float | None:
    """Say roughly how many units of a currency are worth one yuan: 1, 2 or 5 times a power of ten.

    It scales steps and bounds that are defined in yuan to other currencies, by orders of magnitude
    (``price_levels``); no price is converted with it. None if the level of the currency is not
    known.
    """
    level = price_levels().get(currency or "")
    if level is None:
        return None
    power = 10.0 ** math.floor(math.log10(1 / level))
    digit = min((1, 2, 5, 10), key=lambda step: abs(math.log(step * power * level)))
    return float(f"{digit * power:.0e}")


#: Marks of one currency wherever they stand, apart from its code.
_ALWAYS = _LISTS.pairs("money_marks")
#: Marks that mean a currency only in a place that pays with it.
_AT_HOME = _LISTS.pairs("money_marks_at_home")
#: Marks that mean a currency but where another is at home that has them too.
_BUT_AT = {
    "yuan kuai": ("CNY", "TWD HKD MOP"),
    "£ pound pounds 镑": ("GBP", "EGP LBP SYP SDG SSP"),
}  # fmt: skip
#: Codes that are read out of texts; others are words too (ALL, TOP, TRY) or are hardly written.
_CODES = _LISTS.words("currency_codes")


@cache
def _meanings() -> dict[str, tuple[str | None, frozenset[str], frozenset[str]]]:
    """By mark: the currency that it means, the homes where it means theirs, and where nothing."""
    none: frozenset[str] = frozenset()
    found: dict[str, tuple[str | None, frozenset[str], frozenset[str]]] = {}
    for code, marks in _ALWAYS.items():
        found |= {mark.replace("-", " "): (code, none, none) for mark in marks.split()}
    for marks, homes in _AT_HOME.items():
        found |= {mark: (None, frozenset(homes.split()), none) for mark in marks.split()}
    for marks, (code, others) in _BUT_AT.items():
        found |= {mark: (code, none, frozenset(others.split())) for mark in marks.split()}
    return found


def find_currency(mark: str, home: str | None) -> str | None:
    """Find the currency (ISO 4217) of a sign, word or code, given the local one; or None."""
    key = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", mark).strip()).casefold()
    if key.upper() in currencies():
        return key.upper()
    default, homes, doubtful = _meanings().get(key, (None, frozenset(), frozenset()))
    if home in homes:
        return home
    return None if home in doubtful else default


@dataclass(frozen=True)
class MoneyAmount:
    """A number with its currency mark, and the position of both in the text."""

    value: Decimal
    mark: str
    start: int
    end: int


_GROUP = r"\d{1,3}(?:[,，.\u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?![\d.,]\d)"
#: Characters before a number in which its mark stands.
_LONGEST_AHEAD = 8
#: A number as prices are written: 1,200 or 1.200 or 12,50 or 1200.
NUMBER = rf"(?:{_GROUP}|\d+(?:[.,]\d{{1,2}})?(?!\d|[.,]\d))"


#: What a mark is the beginning of another word before: Europe, the Yuan dynasty, New Year's Day.
_NOT_BEFORE = {"欧": "(?![洲式美亚盟冠杯陆])", "元": "(?![旦宵代朝])"}


def _alternatives(marks: Iterable[str]) -> str:
    ordered = sorted(marks, key=lambda mark: (-len(mark), mark))
    return "|".join(
        re.escape(mark).replace(r"\ ", r"\s+")
        + (r"(?![A-Za-z])" if mark[-1:].isalpha() and mark.isascii() else _NOT_BEFORE.get(mark, ""))
        for mark in ordered
    )


#: Marks of letters that stand before a number too; words do not ("won 3 prizes").
_LETTERS_AHEAD = frozenset(
    ("rm", "rp", "rs", "rs.", "kr", "kr.", "rmb", "ntd", "dhs", "ksh", "kshs", "ksh.")
)


@cache
def _mark(ahead: bool = False) -> str:
    """Every mark that stands behind a number, or ahead of one; codes count in capitals only."""
    codes = rf"(?-i:{'|'.join(sorted(_CODES))})(?![A-Za-z])"
    marks = [*_meanings(), "￥", "＄", "￡"]
    if ahead:
        marks = [m for m in marks if not m[0].isascii() or m[-1] in "$£" or m in _LETTERS_AHEAD]
    return rf"(?:{codes}|{_alternatives(marks)})"


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """A number, a mark before one (at the end of what is searched), and a mark behind one."""
    return (
        re.compile(rf"(?<![\d.,])(?<!\d[ \u00a0\u202f]){NUMBER}(?![ \u00a0\u202f]\d{{3}}(?!\d))"),
        re.compile(rf"(?<![A-Za-z])({_mark(ahead=True)})\s*$", re.IGNORECASE),
        re.compile(rf"\s*(万)?\s*({_mark()})", re.IGNORECASE),
    )


def marks_of(text: str) -> list[str]:
    """List the currency marks in a text, with or without a number."""
    return re.findall(rf"(?<![A-Za-z]){_mark()}", text, re.IGNORECASE)


def number_of(text: str) -> Decimal:
    """Read a number in the way prices are written.

    Raises decimal.InvalidOperation for anything else.
    """
    bare = re.sub(r"[\u00a0\u202f]", "", text.replace("，", ","))
    whole = re.fullmatch(r"(\d{1,3}(?:[.,]\d{3})+)([.,]\d{1,2})?", bare)
    if whole:
        return Decimal(re.sub(r"[.,]", "", whole[1]) + (whole[2] or "").replace(",", "."))
    return Decimal(bare.replace(",", "."))


def amounts(text: str) -> Iterator[MoneyAmount]:
    """Find the numbers with a currency mark before or after them, in order."""
    number, ahead, behind = _patterns()
    done = 0
    for match in number.finditer(text):
        start, end = match.span()
        before = ahead.search(text[max(done, start - _LONGEST_AHEAD) : start])
        after = None if before else behind.match(text, end)
        if before is None and after is None:
            continue
        mark = (before[1] if before else after[2] if after else "").strip()
        tens = 10_000 if (after[1] if after else text[end : end + 1] == "万") else 1
        start -= len(before[0]) if before else 0
        done = after.end() if after else end + (tens > 1)
        yield MoneyAmount(number_of(match[0]) * tens, mark, start, done)


def money_of(text: str, home: str | None) -> tuple[Decimal, str | None] | None:
    """Read amount and currency of a text that is only a price ("10 EUR", "¥1200"), or None.

    The currency is None if the mark does not say which one is meant.
    """
    found = next(amounts(text.strip()), None)
    if found is None or (found.start, found.end) != (0, len(text.strip())):
        return _with_any_code(text.strip())
    return found.value, find_currency(found.mark, home)


def _with_any_code(text: str) -> tuple[Decimal, str | None] | None:
    """An amount with a code that is not read out of texts, before or behind it."""
    match = re.fullmatch(rf"([A-Z]{{3}})?\s*({NUMBER})\s*([A-Z]{{3}})?", text)
    if match is None or bool(match[1]) == bool(match[3]):
        return None
    code = match[1] or match[3]
    return (number_of(match[2]), code) if code in currencies() else None
