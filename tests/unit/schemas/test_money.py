"""Amounts with marks of money: what they mean, where, and what stays unknown."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.cities import find_city
from schemas.money import amounts, country_currency, currencies, find_currency, money_of


@pytest.mark.parametrize(
    ("text", "home", "told"),
    [
        ("10 EUR", "JPY", ("10", "EUR")),
        ("EUR10", "JPY", ("10", "EUR")),
        ("12,50 €", "EUR", ("12.50", "EUR")),
        ("1.200 €", "EUR", ("1200", "EUR")),
        ("1,234.50 USD", None, ("1234.50", "USD")),
        ("1\u202f200 €", "EUR", ("1200", "EUR")),
        ("¥1200", "JPY", ("1200", "JPY")),
        ("￥60", "CNY", ("60", "CNY")),
        ("¥60", "EUR", ("60", None)),
        ("1,200円", "CNY", ("1200", "JPY")),
        ("1.5万日元", "CNY", ("15000.0", "JPY")),
        ("60元", "CNY", ("60", "CNY")),
        ("60元", "TWD", ("60", None)),
        ("60 yuan", "HKD", ("60", None)),
        ("60 yuan", "JPY", ("60", "CNY")),
        ("$15", "USD", ("15", "USD")),
        ("$15", "EUR", ("15", None)),
        ("$15", "MXN", ("15", None)),
        ("HK$ 30", "CNY", ("30", "HKD")),
        ("15 US dollars", "AUD", ("15", "USD")),
        ("£20", "EUR", ("20", "GBP")),
        ("£20", "EGP", ("20", None)),
        ("₩3,000", None, ("3000", "KRW")),
        ("RM20", "MYR", ("20", "MYR")),
        ("RMB20", "MYR", ("20", "CNY")),
        ("kr 150", "SEK", ("150", "SEK")),
        ("kr 150", "EUR", ("150", None)),
        ("20 TRY", "EUR", ("20", "TRY")),
        ("0 €", "EUR", ("0", "EUR")),
        ("€ 17", None, ("17", "EUR")),
        ("日元500", "CNY", ("500", "JPY")),
        ("¥2万", "JPY", ("20000", "JPY")),
    ],
)
def test_an_amount_and_its_currency(
    text: str, home: str | None, told: tuple[str, str | None]
) -> None:
    assert money_of(text, home) == (Decimal(told[0]), told[1])


@pytest.mark.parametrize(
    "text",
    [
        "20",
        "",
        "free",
        "10 EUR;5 EUR",
        "10-20 EUR",
        "17 €/person",
        "1 200 €",
        "€1 200",
        "EUR 10 EUR",
        "20 QQQ",
        "TOP 10 places",
        "won 3",
        "30 ft",
        "le 5",
        "ab € 5",
        "1.2345 €",
        "-5 €",
    ],
)
def test_what_is_not_one_amount_is_none(text: str) -> None:
    assert money_of(text, "EUR") is None


def test_words_that_are_codes_too_are_no_money_in_a_text() -> None:
    assert list(amounts("TRY 20 of the TOP 10, ALL 30, open 24 hours, CUP 2 of RMS 5")) == []
    found = [(str(a.value), a.mark) for a in amounts("tickets 12 Euros, children 3 pounds")]
    assert found == [("12", "Euros"), ("3", "pounds")]


@given(
    st.integers(0, 10**7),
    st.sampled_from(["{} EUR", "EUR {}", "€{}", "{}€", "{} euros", "{}欧元"]),
)
def test_whole_amounts_come_back(number: int, form: str) -> None:
    for written in (str(number), f"{number:,}"):
        assert money_of(form.format(written), None) == (Decimal(number), "EUR")


@given(st.text(max_size=40), st.sampled_from([None, "CNY", "EUR", "JPY"]))
def test_no_text_breaks_the_reading(text: str, home: str | None) -> None:
    for found in amounts(text):
        assert found.value >= 0
        assert found.mark in text
        assert find_currency(found.mark, home) in {None, *currencies()}
    money_of(text, home)


def test_countries_and_what_they_pay_with() -> None:
    told = {name: find_city(name).currency for name in ("hangzhou", "tokyo", "paris", "hong kong")}
    assert told == {"hangzhou": "CNY", "tokyo": "JPY", "paris": "EUR", "hong kong": "HKD"}
    assert country_currency("BG") == "EUR"
    assert country_currency("AQ") is None
    assert find_city("tokyo").row()["currency"] == "JPY"


@pytest.mark.parametrize(
    "text", ["门票2018欧洲杯期间免费", "30欧式建筑", "门票1元旦当天", "80元宵节"]
)
def test_a_mark_that_begins_another_word_is_none(text: str) -> None:
    assert list(amounts(text)) == []


@pytest.mark.parametrize(
    ("text", "mark"), [("门票10欧", "欧"), ("10欧元", "欧元"), ("10元人民币", "元")]
)
def test_the_same_marks_by_themselves(text: str, mark: str) -> None:
    assert [found.mark for found in amounts(text)] == [mark]
