"""Turns ticket prices from engines into amounts with a currency.

Engines return a price that may be in yuan as a number (``ticket_price_cny``). Engines return any
other price as a number with its currency (``ticket_price``, "17 EUR"). Several currencies share a
symbol, whose meaning depends on the city, but engines do not know the city. Therefore, this module
determines the currency from the document's words. Amounts are never converted, and a price with an
unknown currency is dropped.
"""

from __future__ import annotations

import re
from decimal import Decimal

from schemas.money import YUAN, amounts, find_currency, marks_of

FIELDS = ("ticket_price_cny", "ticket_price")
_NUMBER = re.compile(r"\d+(?:\.\d{1,2})?")


def ticket_price(value: str, quote: str, home: str | None) -> tuple[str, str | None]:
    """Return the amount and currency of a price; the currency is None if the words do not state it.

    ``quote`` is the wording in the document. ``home`` is the currency of the city's country. A free
    ticket has a price of zero in ``home``.
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
    """Return the currency of the symbol beside the amount or, failing that, of a symbol elsewhere
    in the wording.

    A number without any symbol is a price in yuan only if no other currency is used.
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
