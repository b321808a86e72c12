"""Opening hours on public holidays, and kinds of days for queues, in the country of the place."""

from __future__ import annotations

import datetime as dt

import pytest

from schemas.hours import weekly_spans
from warehouse.opening import Hours
from warehouse.queueing import Queues

_TEN_TO_SIX = ((600, 1080),)
CHRISTMAS, BEFORE = dt.date(2026, 12, 25), dt.date(2026, 12, 23)


def _on(osm: str, date: dt.date, country: str) -> object:
    hours = Hours.of(osm, weekly_spans(osm), country=country)
    assert hours is not None
    return hours.on(date)


@pytest.mark.parametrize(
    ("osm", "country", "spans"),
    [
        ("Mo-Su 10:00-18:00", "PT", None),
        ("10:00-18:00", "PT", None),
        ("Mo-Su 10:00-18:00", "EG", _TEN_TO_SIX),  # no holiday there
        ("Mo-Su 10:00-18:00", "CN", _TEN_TO_SIX),
        ("Mo-Su 10:00-18:00", "XX", _TEN_TO_SIX),  # whose holidays nobody knows
        ("Mo-Th 10:00-18:00", "PT", ()),  # closed on Fridays anyway
        ("Mo-Su 10:00-18:00; PH off", "PT", ()),
        ("Mo-Su 10:00-18:00; PH off", "EG", _TEN_TO_SIX),
        ("Mo-Su 10:00-20:00; PH 10:00-18:00", "PT", _TEN_TO_SIX),
        ("Mo-Su 10:00-18:00; Dec 25 off", "PT", ()),
        ("Mo-Su 10:00-20:00; Dec 25 10:00-18:00", "PT", _TEN_TO_SIX),
        ("Apr-Oct 10:00-20:00; Nov-Mar 10:00-18:00", "PT", None),
        ("24/7", "PT", ((0, 1440),)),
    ],
)
def test_christmas(osm: str, country: str, spans: object) -> None:
    assert _on(osm, CHRISTMAS, country) == spans


def test_other_days_are_as_ever() -> None:
    assert _on("Mo-Su 10:00-18:00", BEFORE, "PT") == _TEN_TO_SIX
    national_day = dt.date(2026, 10, 1)
    assert _on("Mo-Su 10:00-18:00", national_day, "CN") == _TEN_TO_SIX


def test_an_unknown_holiday_leaves_no_spans_to_plan_with() -> None:
    hours = Hours.of("10:00-18:00", weekly_spans("10:00-18:00"), country="PT")
    assert hours is not None
    assert hours.days(CHRISTMAS) == []
    assert hours.days(BEFORE) == [_TEN_TO_SIX]


@pytest.mark.parametrize(
    ("date", "country", "grade"),
    [
        ("2026-09-18", "EG", "B:weekend"),  # a Friday
        ("2026-09-20", "EG", "D:weekday"),  # a Sunday
        ("2026-09-20", "PT", "B:weekend"),
        ("2026-12-25", "PT", "A:short_holiday"),
        ("2026-07-15", "PT", "D:weekday"),  # no school holidays of China
        ("2026-07-15", "CN", "C:winter_summer"),
        ("2026-10-01", "CN", "S:golden_week"),
        ("2026-10-01", "XX", None),
    ],
)
def test_kinds_of_days_follow_the_country(date: str, country: str, grade: str | None) -> None:
    grades = ("S:golden_week", "A:short_holiday", "B:weekend", "C:winter_summer", "D:weekday")
    queues = Queues({}, dict.fromkeys(grades, 1.0), {}, grades)
    assert queues.grade(dt.date.fromisoformat(date), country) == grade
