"""Seasons and holidays as dates: lunar festivals of any year, days off only where published."""

from __future__ import annotations

import datetime as dt

import pytest

from queries.calendar import festival, holiday_dates, resolve, season_dates


@pytest.mark.parametrize(
    ("code", "year", "day"),
    [
        ("spring_festival", 2025, "2025-01-29"), ("spring_festival", 2033, "2033-01-31"),
        ("dragon_boat", 2026, "2026-06-19"), ("mid_autumn", 2025, "2025-10-06"),
        ("mid_autumn", 2033, "2033-09-08"), ("qingming", 2026, "2026-04-05"),
        ("qingming", 2024, "2024-04-04"), ("national_day", 2040, "2040-10-01"),
    ],
)  # fmt: skip
def test_festivals(code: str, year: int, day: str) -> None:
    assert festival(code, year) == dt.date.fromisoformat(day)


def test_qingming_agrees_with_the_library_where_it_is_a_public_holiday() -> None:
    import holidays

    for year in range(2008, 2100):
        known = holidays.country_holidays("CN", years=year, language="en_US")
        assert "Tomb-Sweeping" in known.get(festival("qingming", year), ""), year


def test_days_off_are_those_published_and_no_make_up_workday() -> None:
    golden = holiday_dates("national_day", 2025)
    assert golden.days_off is not None
    assert dt.date(2025, 9, 28) not in golden.days_off, "a Sunday on which people work"
    assert (golden.first, golden.last) == (dt.date(2025, 10, 1), dt.date(2025, 10, 8))


def test_unpublished_years_have_unknown_days_off() -> None:
    later = holiday_dates("national_day", 2060)
    assert later.days_off is None
    assert later.first == later.last == dt.date(2060, 10, 1)
    with pytest.raises(ValueError, match="1950 to 2099"):
        festival("spring_festival", 2150)


def test_a_winter_ends_in_the_next_year() -> None:
    assert season_dates("winter", 2027).last == dt.date(2028, 2, 29)
    assert resolve("season", "spring", 2026) == season_dates("spring", 2026)
    assert resolve("traveller", "couple", 2026) is None
