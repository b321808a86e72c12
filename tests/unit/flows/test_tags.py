"""Facts of documents: kept, set aside, or waiting for the city that they belong to."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import polars as pl
import pytest

from flows.pipeline.stages.tags import (
    _account,
    _in_one_sentence,
    _on_dated_days,
    _under_title,
    facts_of,
    type_value,
)
from flows.pipeline.stages.ticket_prices import ticket_price
from schemas import frames as inner
from schemas.arrow import polars_schema_of
from schemas.cities import find_city
from schemas.seasons import season_of
from tests.support.geocoding.builders import CITY


def _fact(doc: str, poi: str) -> dict[str, Any]:
    return {
        "doc_id": doc,
        "n": 1 if poi == "竹篮巷" else 2,
        "poi": poi,
        "field": "ticket_price_cny",
        "value": "30",
        "valid_when": "always",
        "start": 0,
        "end": 3,
    }


def _read_of(text: str, facts: list[dict[str, Any]], reader: str = "own") -> tuple[Any, Any]:
    """One document about the city, read by a person or an engine, and what its only place is."""
    about = [{"doc_id": "d1", "kind": "guide", "is_main": True, "reader": reader}]
    upstream = {
        "mentions": [
            {
                "about": pl.DataFrame(about, schema=polars_schema_of(inner.ABOUT)),
                "mentions": pl.DataFrame(schema=polars_schema_of(inner.MENTIONS)),
                "facts": pl.DataFrame(facts, schema=polars_schema_of(inner.FACTS)),
            }
        ],
        "documents": [{"texts": pl.DataFrame({"doc_id": ["d1"], "text": [text]})}],
    }
    known = [{"doc_id": "d1", "n": 1, "name": "竹篮巷", "poi_id": "p1", "resolution": "linked",
              "resolution_score": 1.0, "why": ""}]  # fmt: skip
    return upstream, {"resolutions": pl.DataFrame(known, schema=polars_schema_of(inner.RESOLUTION))}


def test_a_fact_about_a_place_elsewhere_waits_for_its_own_city() -> None:
    about = [
        {"doc_id": doc, "kind": "guide", "is_main": main, "days_stated": None, "reader": "rules"}
        for doc, main in (("d1", True), ("d2", False))
    ]
    read = [
        _fact("d1", "竹篮巷"),
        _fact("d1", "无名寺"),
        _fact("d2", "别城寺"),
        _fact("d2", "竹篮巷"),
    ]
    upstream: Any = {
        "mentions": [
            {
                "about": pl.DataFrame(about, schema=polars_schema_of(inner.ABOUT)),
                "mentions": pl.DataFrame(schema=polars_schema_of(inner.MENTIONS)),
                "facts": pl.DataFrame(read, schema=polars_schema_of(inner.FACTS), orient="row"),
            }
        ],
        "documents": [{"texts": pl.DataFrame({"doc_id": ["d1", "d2"], "text": ["30元", "30元"]})}],
    }
    known = [
        {"doc_id": doc, "n": 1, "name": "竹篮巷", "poi_id": "p1", "resolution": "linked",
         "resolution_score": 1.0, "why": ""}
        for doc in ("d1", "d2")
    ]  # fmt: skip
    feedback = {
        "resolutions": pl.DataFrame(known, schema=polars_schema_of(inner.RESOLUTION)),
        "pois": pl.DataFrame({"name_zh": ["竹篮巷"], "name_en": [None], "poi_id": ["p1"]}),
    }
    told_of = facts_of(CITY, upstream, feedback, {})
    kept, aside = told_of.table("poi_facts").to_dicts(), told_of.table("quarantine").to_dicts()
    assert sorted(row["poi_id"] for row in kept) == ["p1", "p1"]
    told = {(r["fact_field"], r["value"], r["price_cents"], r["currency"]) for r in kept}
    assert told == {("ticket_price", "30", 3000, "CNY")}
    assert ["无名寺" in row["message"] for row in aside] == [True]
    assert told_of.elsewhere == {"poi_facts": 1}


def test_what_limits_a_fact_keeps_it_out_of_the_general_ones() -> None:
    """A child's price and one with a pass stand apart; what a line says twice stands once."""
    limits = [("child", None), ("child", None), (None, "with a pass"), (None, None)]
    read = [
        {**_fact("d1", "竹篮巷"), "audience": audience, "condition": condition}
        for audience, condition in limits
    ]
    found = facts_of(CITY, *_read_of("30元", read), {})
    assert found.table("poi_facts").height == 1
    limited = found.table("conditional_facts")
    assert set(limited.select("audience", "condition", "price_cents").rows()) == {
        ("child", None, 3000), (None, "with a pass", 3000),
    }  # fmt: skip
    assert found.table("evidence").height == 1


@pytest.mark.parametrize(
    ("reader", "is_kept"), [("rules", False), ("cascade", False), ("own", True), ("openai", True)]
)
def test_conditions_that_rules_read_are_not_published(reader: str, *, is_kept: bool) -> None:
    """Rules misread whom a fact is for; what holds for everybody they publish as before."""
    child = {**_fact("d1", "竹篮巷"), "audience": "child"}
    text = "竹篮巷门票30元。"
    start = text.index("30元")
    read = [{**row, "start": start, "end": start + 3} for row in (_fact("d1", "竹篮巷"), child)]
    found = facts_of(CITY, *_read_of(text, read, reader), {})
    assert found.table("poi_facts").height == 1
    assert found.table("conditional_facts").height == int(is_kept)
    account = _account(CITY, found, "conditional_facts")
    assert (account["rows_in"], account["rows_pending"]) == (1, 0)
    assert (account["rows_kept"], account["rows_quarantined"]) == (is_kept, not is_kept)
    for row in found.table("quarantine").to_dicts():
        assert (row["table"], row["check"]) == ("conditional_facts", "condition_by_rules")
        assert row["message"].startswith(
            "ticket_price_cny of '竹篮巷': the rules too often misread"
        )
        assert "--readings" in row["message"]


def test_a_fault_of_the_fact_itself_is_named_before_its_reader() -> None:
    child = {**_fact("d1", "无名寺"), "audience": "child"}
    aside = facts_of(CITY, *_read_of("30元", [child], "rules"), {}).table("quarantine")
    assert aside["check"].to_list() == ["unknown_place"]


@pytest.mark.parametrize(("reader", "n_kept"), [("rules", 0), ("own", 1), ("openai", 1)])
def test_a_reader_tells_of_which_place_a_price_is(reader: str, n_kept: int) -> None:
    text = "竹篮巷往东是无名寺。进去要30元。"
    about = [
        {"doc_id": "d1", "kind": "guide", "is_main": True, "days_stated": None, "reader": reader}
    ]
    start = text.index("30元")
    read = [{**_fact("d1", "竹篮巷"), "start": start, "end": start + 3}]
    mentions = [
        {"doc_id": "d1", "n": n, "name": name, "start": text.index(name),
         "end": text.index(name) + len(name)}
        for n, name in ((1, "竹篮巷"), (2, "无名寺"))
    ]  # fmt: skip
    upstream: Any = {
        "mentions": [
            {
                "about": pl.DataFrame(about, schema=polars_schema_of(inner.ABOUT)),
                "mentions": pl.DataFrame(mentions, schema=polars_schema_of(inner.MENTIONS)),
                "facts": pl.DataFrame(read, schema=polars_schema_of(inner.FACTS), orient="row"),
            }
        ],
        "documents": [{"texts": pl.DataFrame({"doc_id": ["d1"], "text": [text]})}],
    }
    known = [{"doc_id": "d1", "n": 1, "name": "竹篮巷", "poi_id": "p1", "resolution": "linked",
              "resolution_score": 1.0, "why": ""}]  # fmt: skip
    feedback = {"resolutions": pl.DataFrame(known, schema=polars_schema_of(inner.RESOLUTION))}
    told_of = facts_of(CITY, upstream, feedback, {})
    kept, aside = told_of.table("poi_facts"), told_of.table("quarantine").to_dicts()
    assert kept.height == n_kept
    assert [row["check"] for row in aside] == ["another_place"] * (1 - n_kept)


@pytest.mark.parametrize(
    ("city", "value", "quote", "told"),
    [
        ("tokyo", "500", "¥500", ("500", "JPY")),
        ("tokyo", "500", "门票500日元（约25元）", ("500", "JPY")),
        ("tokyo", "25", "门票500日元（约25元）", ("25", None)),
        ("tokyo", "500", "門票500元", ("500", None)),
        ("tokyo", "500", "RMB 500", ("500", "CNY")),
        ("tokyo", "500", "五百円だ", ("500", "JPY")),
        ("tokyo", "500", "entrance 500", ("500", None)),
        ("tokyo", "0", "free", ("0", "JPY")),
        ("hong kong", "50", "50元", ("50", None)),
        ("hong kong", "50", "人民币50元", ("50", "CNY")),
        ("hong kong", "50 $", "tickets $50", ("50", "HKD")),
        ("hangzhou", "50", "¥50", ("50", "CNY")),
        ("hangzhou", "5", "门票只要五块钱", ("5", "CNY")),
        ("hangzhou", "60", "60 a head", ("60", "CNY")),
        ("hangzhou", "60", "60 (about 8欧)", ("60", "CNY")),
        ("hangzhou", "20", "tickets are 20 euros", ("20", "EUR")),
        ("paris", "17 EUR", "17 €", ("17", "EUR")),
        ("paris", "20 $", "$20", ("20", None)),
        ("paris", "60", "60 yuan", ("60", "CNY")),
        ("paris", "180-220", "180-220 RMB", ("180-220", None)),
    ],
)
def test_the_words_and_the_city_tell_the_currency(
    city: str, value: str, quote: str, told: tuple[str, str | None]
) -> None:
    assert ticket_price(value, quote, find_city(city).currency) == told


@pytest.mark.parametrize(
    ("field", "value", "readable"),
    [
        ("season", "avoid Jul-Aug", False),
        ("season", "spring, autumn", True),
        ("last_admission", "24:30", False),
        ("last_admission", "17:30", True),
        ("closed_days", "Mon, Tue", True),
        ("closed_days", "weekends", False),
        ("ticket_price", "30-50", False),
        ("duration_hours", "2-3", True),
    ],
)
def test_only_values_of_their_fields_form_are_facts(field: str, value: str, readable: bool) -> None:
    """The gate ``fact_values`` asks the same: what it would reject is set aside before."""
    assert (type_value(field, value) is not None) == readable


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("秋天去听枫寺", True),
        ("秋天到了。去听枫寺", False),
        ("不适合秋天去听枫寺", False),
        ("the temple in autumn", True),
        ("It is autumn. The temple", False),
        ("avoid the autumn at the temple", False),
        ("听枫寺秋天开放吗？", False),
        ("下次秋天再去听枫寺", False),
        ("听枫寺秋天 8:00-17:00", False),
        ("the temple is open in autumn", True),
    ],
)
def test_a_tag_needs_one_sentence_and_no_denial(text: str, is_one: bool) -> None:
    name, word = ("听枫寺", "秋天") if "听枫寺" in text else ("temple", "autumn")
    at, hit = text.index(name), text.index(word)
    row = {"kind": "season", "start": at, "end": at + len(name),
           "start_hit": hit, "end_hit": hit + len(word)}  # fmt: skip
    assert _in_one_sentence(row, text) == is_one


@pytest.mark.parametrize(
    ("text", "word", "travels"),
    [
        ("带孩子去听枫寺", "孩子", True),
        ("听枫寺适合亲子游", "亲子", True),
        ("听枫寺里小朋友在放风筝", "小朋友", False),
        ("听枫寺：老人凭证免票", "老人", False),
        ("we took our children to the temple", "children", True),
        ("some children played at the temple", "children", False),
        ("the temple is good for couples", "couple", True),
    ],
)
def test_a_kind_of_traveller_travels(text: str, word: str, travels: bool) -> None:
    name = "听枫寺" if "听枫寺" in text else "temple"
    at, hit = text.index(name), text.index(word)
    row = {"kind": "traveller", "start": at, "end": at + len(name),
           "start_hit": hit, "end_hit": hit + len(word)}  # fmt: skip
    assert _in_one_sentence(row, text) == travels


DIARY = "夏日小记\n4月5日 晴\n去了竹篮巷。\nD2，7/26 周日：竹篮巷\n3.1 竹篮巷\n第三天\n竹篮巷"


def _visit(start: int, role: str = "visited") -> dict[str, Any]:
    return {
        "doc_id": "d1",
        "poi_id": "p1",
        "role": role,
        "start": start,
        "end": start + 3,
        "evidence_id": f"e{start}",
    }


def _seasons(*mentions: dict[str, Any]) -> list[str]:
    return [row["code"] for row in _on_dated_days(CITY, pl.DataFrame(mentions), {"d1": DIARY}, {})]


def test_a_dated_day_gives_its_visits_their_season() -> None:
    first, second, third = (m.start() for m in list(re.finditer("竹篮巷", DIARY))[:3])
    last = DIARY.rindex("竹篮巷")
    assert _seasons(_visit(first)) == ["spring"]
    assert _seasons(_visit(second)) == ["summer"]
    assert _seasons(_visit(third)) == ["summer"], "3.1 numbers a section"
    assert _seasons(_visit(last)) == [], "a day without a date"
    assert _seasons(_visit(0)) == [], "before the first day"
    assert _seasons(_visit(first, "recommended")) == []
    assert _seasons(_visit(first), _visit(second), _visit(third)) == ["spring", "summer"]


@pytest.mark.parametrize(
    ("text", "seasons"),
    [
        ("小记\n时间: 2024.9.20 ~ 2024.9.25\n竹篮巷", ["autumn"]),
        ("小记\nOct.13 - Oct.16\n竹篮巷", ["autumn"]),
        ("小记\n2021年3月28日 周日 阴转晴\n竹篮巷", ["spring"]),
        ("小记\n时间: 2024.2.25 ~ 2024.3.2\n竹篮巷", []),
        ("小记\n我在2011年10月3日来过一次\n竹篮巷", []),
    ],
)
def test_the_first_lines_date_a_journey(text: str, seasons: list[str]) -> None:
    visits = pl.DataFrame([_visit(text.index("竹篮巷"))])
    assert [row["code"] for row in _on_dated_days(CITY, visits, {"d1": text}, {})] == seasons


def _hit(text: str, word: str, kind: str, code: str) -> dict[str, Any]:
    at = text.index(word)
    return {
        "doc_id": "d1", "kind": kind, "code": code, "start": at, "end": at + len(word),
        "is_title": at < text.index("\n"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("title", "hits", "codes"),
    [
        ("春游江城", [("春", "season", "spring")], ["spring"]),
        ("秋冬之际", [("秋", "season", "autumn"), ("冬", "season", "winter")], []),
        ("2019 新年之旅", [("新年", "holiday", "spring_festival")], []),
        ("国庆小游", [("国庆", "holiday", "national_day")], ["national_day"]),
        ("秋日门票优惠", [("秋", "season", "autumn")], []),
        ("游记\n端午节假期，到江城", [("端午", "holiday", "dragon_boat")], ["dragon_boat"]),
        ("游记\n夏天，到江城", [("夏", "season", "summer")], []),
    ],
)
def test_a_title_tells_when_all_was_visited(
    title: str, hits: list[tuple[str, str, str]], codes: list[str]
) -> None:
    text = f"{title}\n竹篮巷"
    rows = pl.DataFrame([_hit(text, *hit) for hit in hits])
    visits = pl.DataFrame([_visit(text.index("竹篮巷"))])
    assert [row["code"] for row in _under_title(visits, rows, {"d1": text})] == codes


@pytest.mark.parametrize(
    ("text", "seasons"),
    [
        ("Sights\nToday we went to 竹篮巷.", ["summer"]),
        ("Sights\nYears ago we went to 竹篮巷.", []),
    ],
)
def test_a_diary_of_the_day_is_of_its_date(text: str, seasons: list[str]) -> None:
    visits = pl.DataFrame([_visit(text.index("竹篮巷"))])
    dates = {"d1": dt.date(2009, 7, 31)}
    assert [row["code"] for row in _on_dated_days(CITY, visits, {"d1": text}, dates)] == seasons


def test_what_was_found_shut_was_not_visited() -> None:
    for text, n in (("去竹篮巷，方整修，遂返", 0), ("出竹篮巷，欲游别处，方整修", 1)):
        titled = f"春游江城\n{text}"
        rows = pl.DataFrame([_hit(titled, "春", "season", "spring")])
        visits = pl.DataFrame([_visit(titled.index("竹篮巷"))])
        assert len(_under_title(visits, rows, {"d1": titled})) == n


@pytest.mark.parametrize(
    ("month", "lat", "season"),
    [
        (1, 30, "winter"),
        (3, 30, "spring"),
        (8, 30, "summer"),
        (11, 30, "autumn"),
        (1, -34, "summer"),
        (6, -34, "winter"),
        (12, -34, "summer"),
        (7, 1.3, None),
    ],
)
def test_seasons_turn_with_the_hemisphere(month: int, lat: float, season: str | None) -> None:
    assert season_of(month, lat) == season
