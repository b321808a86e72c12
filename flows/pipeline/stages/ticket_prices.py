"""Ticket prices as engines read them, turned into amounts with a currency.

Engines give a price that may be in yuan as a number (``ticket_price_cny``), and a price in other
money as a number with a mark (``ticket_price``, "17 EUR"). Which currency a shared sign means
depends on the city, which engines do not know, so it is decided here from the document's words.
Nothing is converted, and a price with an unknown currency is dropped.
"""

from __future__ import annotations

import re
from decimal import Decimal

from schemas.money import YUAN, amounts, find_currency, marks_of

FIELDS = ("ticket_price_cny", "ticket_price")
_NUMBER = re.compile(r"\d+(?:\.\d{1,2})?")


def ticket_price(value: str, quote: str, home: str | None) -> tuple[str, str | None]:
    """The amount of a price and its currency, None where the words do not tell it.

    ``quote`` is what the document says, ``home`` the money of the city's country. Free is free in
    the money of the place.
    """
    amount, _, mark = value.partition(" ")
    if not _NUMBER.fullmatch(amount):
        return value, None
    if float(amount) == 0:
        return amount, home
    return amount, find_currency(mark, home) if mark else _find_told_currency(
        Decimal(amount), quote, home
    )


def _find_told_currency(amount: Decimal, quote: str, home: str | None) -> str | None:
    """The currency of the marks beside the amount, else of a mark that stands by itself.

    A number without any mark is a price in yuan only where nothing else is paid.
    """
    held = list(amounts(quote))
    beside = {find_currency(found.mark, home) for found in held if found.value == amount}
    if not beside:
        alone = quote
        for found in reversed(held):
            alone = alone[: found.start] + " " + alone[found.end :]
        beside = {find_currency(mark, home) for mark in marks_of(alone)} or {
            YUAN if home == YUAN else None
        }
    return beside.pop() if len(beside) == 1 else None
