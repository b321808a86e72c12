"""The price of a source row with its currency: stated, written beside it, or the country's own."""

from __future__ import annotations

from decimal import Decimal

from schemas.money import YUAN, currencies, money_of
from schemas.values import cents
from sources.tables.errors import RowError
from sources.tables.intake import LARGEST_NUMBER, Row, SourceRow

#: Columns of tripbed's own layout that say what a row costs: in ``currency``, and in yuan.
PRICE, PRICE_CNY, CURRENCY = "price", "price_cny", "currency"
Price = tuple[int | None, str | None]


def read_price(row: SourceRow, home: str | None) -> Price:
    """Hundredths and currency of ``price`` (else of ``price_cny``); both None where unknown.

    The currency is that of the column ``currency``, else that written beside the amount, else
    ``home``. Where it is none, or the cell contradicts the column, the price is unknown. Raises
    RowError for a negative price and for what is no number.
    """
    text = row.text(PRICE)
    if text is None:
        amount = row.cents(PRICE_CNY)
        return amount, None if amount is None else YUAN
    stated = (row.text(CURRENCY) or "").upper() or None
    written = money_of(text, stated or home)
    if written is None:
        amount, code = row.cents(PRICE), stated or home
    else:
        amount, code = _hundredths(text, written[0]), written[1]
    if code not in currencies() or (stated is not None and code != stated):
        shown = f"{text} {stated or ''}".strip()
        row.mark("currency_unknown", f"{shown}: the currency is not certain, price unknown")
        return None, None
    return amount, code


def _hundredths(text: str, amount: Decimal) -> int:
    if amount > LARGEST_NUMBER:
        raise RowError("number", f"{PRICE} is not a number: {text!r}")
    return cents(str(amount))


def money(amount: int | None, currency: str | None) -> Row:
    """The two columns of an amount; a currency stands only beside an amount that is known."""
    return {"price_cents": amount, "currency": None if amount is None else currency}


def rooms_money(rooms: list[Row], currency: str | None) -> Row:
    """The columns ``rooms`` and ``currency`` of a hotel."""
    known = any(room["price_cents"] is not None for room in rooms)
    return {"rooms": rooms, "currency": currency if known else None}
