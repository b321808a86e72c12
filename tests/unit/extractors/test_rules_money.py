"""Ticket prices in other money than yuan, in sentences and tables of both languages."""

from __future__ import annotations

import pytest

from extractors.rules.common.statements import other_amounts, price_value
from tests.support.extractors.reading_documents import facts, read


def said(sentence: str, lang: str) -> set[tuple[str, str]]:
    """Field and value of what is read about a place in a sentence below its heading."""
    if lang == "zh":
        found = read(f"# 云州\n## 松风寺\n松风寺，{sentence}")
    else:
        found = read(f"# Testford guide\n## Willow Palace (柳宫)\nA fine place. {sentence}", "en")
    return {fact[1:3] for fact in facts(found)}


@pytest.mark.parametrize(
    ("text", "lang", "value"),
    [
        ("Tickets are 17 euros.", "en", "17 euros"),
        ("Admission: €12,50 for adults.", "en", "12.5 €"),
        ("Entrance fee 1,200 yen.", "en", "1200 yen"),
        ("Admission costs $20.", "en", "20 $"),
        ("Tickets HK$ 30, cash only.", "en", "30 HK$"),
        ("门票1200日元一张。", "zh", "1200 日元"),
        ("成人票17欧元。", "zh", "17 欧元"),
        ("门票要€17。", "zh", "17 €"),
        ("花了500泰铢的门票。", "zh", "500 泰铢"),
    ],
)
def test_a_price_in_other_money_keeps_its_mark(text: str, lang: str, value: str) -> None:
    assert ("ticket_price", value) in said(text, lang)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("The train costs 17 euros.", "en"),
        ("Tickets cost 10-15 euros.", "en"),
        ("A hall of 300 pounds of silver.", "en"),
        ("午餐每人1200日元。", "zh"),
        ("高铁票1200日元。", "zh"),
        ("门票10-20欧元。", "zh"),
    ],
)
def test_what_is_no_ticket_or_a_range_is_no_price(text: str, lang: str) -> None:
    assert "ticket_price" not in {field for field, _value in said(text, lang)}


def test_yuan_are_left_to_the_rules_of_the_language() -> None:
    assert list(other_amounts("门票60元, ¥60, RMB 60, 60 yuan, 60 kuai, 人民币60")) == []
    found = [price_value(a) for a in other_amounts("门票17欧元（约130元）")]
    assert found == ["17 欧元"]
