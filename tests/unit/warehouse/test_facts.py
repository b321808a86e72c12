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


def _statement(number: int, field: str, valid_when: str, value: str = "") -> dict[str, Any]:
    weekly = [{"weekday": day, "open_min": 540, "close_min": 1020} for day in range(7)]
    return {
        **dict.fromkeys(FACT_COLUMNS), "fact_id": f"f_{number}", "poi_id": "p",
        "fact_field": field, "valid_when": valid_when, "value": value,
        "source_date": None, "currency": None,
        "hours_weekly": weekly if field == "opening_hours" else None,
    }  # fmt: skip


def test_hours_of_some_weekdays_count_where_the_other_days_are_told_to_be_closed() -> None:
    hours = _statement(1, "opening_hours", "Tue-Sun")
    closed = _statement(2, "closed_days", "always", "Mon")
    told = collect_facts([hours, closed], "CNY")["p"]
    assert [span["weekday"] for span in told["hours_weekly"]] == [1, 2, 3, 4, 5, 6]
    assert "hours_weekly" not in collect_facts([hours], "CNY").get("p", {}), "Monday is unknown"
    summer = _statement(1, "opening_hours", "May-Oct")
    assert "hours_weekly" not in collect_facts([summer, closed], "CNY")["p"]


def test_hours_that_always_hold_come_before_those_of_some_weekdays() -> None:
    always, some = (_statement(n, "opening_hours", when) for n, when in ((1, "always"), (2, "Fri")))
    assert len(collect_facts([always, some], "CNY")["p"]["hours_weekly"]) == 7
