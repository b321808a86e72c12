"""Finds the currency of a country, or of an amount in a text.

Amounts are integers in hundredths of a currency's unit: 1,200 yen are 120000, and 3.125 dinars are
rounded to 313. Amounts are never converted to another currency. A symbol that several currencies
share (``¥``, ``$``, ``元``) means the local currency; if the location is unknown, the currency is
unknown too.
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
#: Changes that GeoNames' table does not contain yet: Bulgaria has used the euro since
#: 1 January 2026 (Council of the European Union, decision of 8 July 2025).
_YOUNGER = {"BG": "EUR"}


@cache
def _by_country() -> dict[str, str]:
    """Return the currency code (ISO 4217) of each country (ISO 3166-1)."""
    return {code: row["currencycode"] for code, row in countries().items() if row["currencycode"]}


@cache
def currencies() -> frozenset[str]:
    """Return the codes (ISO 4217) of all currencies that at least one country uses."""
    return frozenset({*_by_country().values(), *_YOUNGER.values()})


def country_currency(country_code: str) -> str | None:
    """Return the currency of a country (ISO 3166-1 alpha-2), or None if it has none."""
    return _YOUNGER.get(country_code) or _by_country().get(country_code)


def amount_unit(currency: str) -> str:
    """Return the name of a hundredth of a currency's unit, for use with amounts."""
    return f"cent of {currency}"


def unit(currency: str | None) -> str:
    """Return the name of a currency for use in a sentence: "yuan", or the code of any other
    currency.
    """
    return "yuan" if currency in (None, YUAN) else str(currency)


def price_levels() -> dict[str, float]:
    """Return roughly how many yuan one unit of each currency is worth; use this only for limits."""
    return _LISTS.weights("price_levels")


@cache
def price_scale(currency: str | None) -> float | None:
    """Return roughly how many units of a currency are worth one yuan, or None if unknown.

    The result is 1, 2 or 5 times a power of ten. The scale adapts limits and step sizes from yuan
    to other currencies (``price_levels``), but is never used to convert prices.
    """
    level = price_levels().get(currency or "")
    if level is None:
        return None
    power = 10.0 ** math.floor(math.log10(1 / level))
    digit = min((1, 2, 5, 10), key=lambda step: abs(math.log(step * power * level)))
    return float(f"{digit * power:.0e}")


#: Symbols and words that always mean the same currency, apart from its code.
_ALWAYS = _LISTS.pairs("money_marks")
#: Symbols and words that mean a currency only in a country that uses it.
_AT_HOME = _LISTS.pairs("money_marks_at_home")
#: Symbols and words that mean a currency, except in countries whose own currency also uses them.
_BUT_AT = {
    "yuan kuai": ("CNY", "TWD HKD MOP"),
    "£ pound pounds 镑": ("GBP", "EGP LBP SYP SDG SSP"),
}  # fmt: skip
#: Codes that are recognised in texts. The others are also words (ALL, TOP, TRY) or are very rare.
_CODES = _LISTS.words("currency_codes")


@cache
def _meanings() -> dict[str, tuple[str | None, frozenset[str], frozenset[str]]]:
    """Return, for each currency mark, its usual currency and two sets of local currencies.

    Where a currency of the first set is used, the mark means that currency. Where a currency of the
    second set is used, the mark is ambiguous.
    """
    none: frozenset[str] = frozenset()
    return {
        **{
            mark.replace("-", " "): (code, none, none)
            for code, marks in _ALWAYS.items()
            for mark in marks.split()
        },
        **{
            mark: (None, frozenset(homes.split()), none)
            for marks, homes in _AT_HOME.items()
            for mark in marks.split()
        },
        **{
            mark: (code, none, frozenset(others.split()))
            for marks, (code, others) in _BUT_AT.items()
            for mark in marks.split()
        },
    }


def find_currency(mark: str, home: str | None) -> str | None:
    """Return the currency (ISO 4217) that a symbol, word or code means, or None if it is unclear.

    ``home`` is the local currency.
    """
    key = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", mark).strip()).casefold()
    if key.upper() in currencies():
        return key.upper()
    default, homes, doubtful = _meanings().get(key, (None, frozenset(), frozenset()))
    if home in homes:
        return home
    return None if home in doubtful else default


@dataclass(frozen=True)
class MoneyAmount:
    """An amount in a text, with its number, currency mark and position."""

    value: Decimal
    mark: str
    start: int
    end: int


_GROUP = r"\d{1,3}(?:[,，.\u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?![\d.,]\d)"
#: Number of characters before a number in which its currency mark is searched.
_LONGEST_AHEAD = 8
#: A number in the form of a price: 1,200 or 1.200 or 12,50 or 1200.
NUMBER = rf"(?:{_GROUP}|\d+(?:[.,]\d{{1,2}})?(?!\d|[.,]\d))"


#: Characters after a mark that make it part of another word, such as Europe or the Yuan dynasty.
_NOT_BEFORE = {"欧": "(?![洲式美亚盟冠杯陆])", "元": "(?![旦宵代朝])"}


def _alternatives(marks: Iterable[str]) -> str:
    ordered = sorted(marks, key=lambda mark: (-len(mark), mark))
    return "|".join(
        re.escape(mark).replace(r"\ ", r"\s+")
        + (r"(?![A-Za-z])" if mark[-1:].isalpha() and mark.isascii() else _NOT_BEFORE.get(mark, ""))
        for mark in ordered
    )


#: Marks made of letters that may also come before a number, unlike words ("won 3 prizes").
_LETTERS_AHEAD = frozenset(
    ("rm", "rp", "rs", "rs.", "kr", "kr.", "rmb", "ntd", "dhs", "ksh", "kshs", "ksh.")
)


@cache
def _mark(ahead: bool = False) -> str:
    """Return a pattern for all marks that may follow a number or, with ``ahead``, precede one.

    Currency codes are recognised only in capital letters.
    """
    codes = rf"(?-i:{'|'.join(sorted(_CODES))})(?![A-Za-z])"
    marks = [*_meanings(), "￥", "＄", "￡"]
    if ahead:
        marks = [m for m in marks if not m[0].isascii() or m[-1] in "$£" or m in _LETTERS_AHEAD]
    return rf"(?:{codes}|{_alternatives(marks)})"


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return the patterns for a number, for a mark directly before it, and for a mark after it."""
    return (
        re.compile(rf"(?<![\d.,])(?<!\d[ \u00a0\u202f]){NUMBER}(?![ \u00a0\u202f]\d{{3}}(?!\d))"),
        re.compile(rf"(?<![A-Za-z])({_mark(ahead=True)})\s*$", re.IGNORECASE),
        re.compile(rf"\s*(万)?\s*({_mark()})", re.IGNORECASE),
    )


def marks_of(text: str) -> list[str]:
    """List the currency marks in a text, with or without a number."""
    return re.findall(rf"(?<![A-Za-z]){_mark()}", text, re.IGNORECASE)


def number_of(text: str) -> Decimal:
    """Read a number that is written like a price, such as 1,200 or 12.50.

    Raises decimal.InvalidOperation if the text is not a number of this kind.
    """
    bare = re.sub(r"[\u00a0\u202f]", "", text.replace("，", ","))
    whole = re.fullmatch(r"(\d{1,3}(?:[.,]\d{3})+)([.,]\d{1,2})?", bare)
    if whole:
        return Decimal(re.sub(r"[.,]", "", whole[1]) + (whole[2] or "").replace(",", "."))
    return Decimal(bare.replace(",", "."))


def amounts(text: str) -> Iterator[MoneyAmount]:
    """Find all numbers that have a currency mark before or after them, in order."""
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
    """Read the amount and currency from a text that consists only of a price ("10 EUR", "¥1200").

    Returns None for any other text. The currency is None if the currency mark is ambiguous.
    """
    found = next(amounts(text.strip()), None)
    if found is None or (found.start, found.end) != (0, len(text.strip())):
        return _with_any_code(text.strip())
    return found.value, find_currency(found.mark, home)


def _with_any_code(text: str) -> tuple[Decimal, str | None] | None:
    """Read an amount with any currency code before or after it, even if the code is also a word."""
    match = re.fullmatch(rf"([A-Z]{{3}})?\s*({NUMBER})\s*([A-Z]{{3}})?", text)
    if match is None or bool(match[1]) == bool(match[3]):
        return None
    code = match[1] or match[3]
    return (number_of(match[2]), code) if code in currencies() else None
