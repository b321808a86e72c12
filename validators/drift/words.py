"""Numbers of sources in words: amounts in the unit of their money, times as clocks show them."""

from __future__ import annotations

from collections.abc import Mapping


def shown(column: str, value: object) -> str:
    """A value of a column as a person writes it: whole cents as units of money."""
    if not isinstance(value, int | float):
        return str(value)
    if column == "price_cents":
        return f"{value / 100:,.0f}" if value % 100 == 0 else f"{value / 100:,.2f}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def money(row: Mapping[str, object], column: str) -> str:
    """The money of a price, with a space before it; nothing for other columns."""
    return f" {row['currency']}" if column == "price_cents" and row.get("currency") else ""
