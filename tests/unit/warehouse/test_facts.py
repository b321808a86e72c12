"""What holds of a place, of several statements."""

from __future__ import annotations

import datetime as dt
from typing import Any

from warehouse.facts import FACT_COLUMNS, collect_facts


def test_a_price_in_the_citys_money_holds_before_a_newer_one_in_another() -> None:
    def price(number: int, year: int, cents: int, currency: str) -> dict[str, Any]:
        return {
            **dict.fromkeys(FACT_COLUMNS), "fact_id": f"f_{number}", "poi_id": "p",
            "fact_field": "ticket_price", "valid_when": "always", "value": "",
            "source_date": dt.date(year, 1, 1), "price_cents": cents, "currency": currency,
        }  # fmt: skip

    rows = [price(1, 2025, 900, "EUR"), price(2, 2020, 6000, "CNY"), price(3, 2021, 7000, "CNY")]
    for order in (rows, rows[::-1]):
        told = collect_facts(order, "CNY")["p"]
        assert (told["price_cents"], told["currency"]) == (7000, "CNY")
        assert collect_facts(order, "JPY")["p"]["currency"] == "EUR", "the newest, in its own money"
