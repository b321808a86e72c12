"""Seasons and holidays as dates: lunar festivals of any year, days off only where published."""

from __future__ import annotations

import datetime as dt

import pytest

from queries.calendar import When, holiday_dates, resolve, season_dates
from queries.home import terms_of
from schemas.cities import find_city
from schemas.festivals import festival_of, festivals_in, public_holidays
from schemas.seasons import season_months


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
    assert festival_of(code).day(year) == dt.date.fromisoformat(day)


def test_qingming_agrees_with_the_library_where_it_is_a_public_holiday() -> None:
    import holidays

    for year in range(2008, 2100):
        known = holidays.country_holidays("CN", years=year, language="en_US")
        assert "Tomb-Sweeping" in known.get(festival_of("qingming").day(year), ""), year


def test_days_off_are_those_published_and_no_make_up_workday() -> None:
    golden = holiday_dates("national_day", 2025)
    assert golden is not None
    assert golden.days_off is not None
    assert dt.date(2025, 9, 28) not in golden.days_off, "a Sunday on which people work"
    assert (golden.first, golden.last) == (dt.date(2025, 10, 1), dt.date(2025, 10, 8))


def test_unpublished_years_have_unknown_days_off() -> None:
    later = holiday_dates("national_day", 2060)
    assert later is not None
    assert later.days_off is None
    assert later.first == later.last == dt.date(2060, 10, 1)
    with pytest.raises(ValueError, match="1950 to 2099"):
        festival_of("spring_festival").day(2150)


def test_a_winter_ends_in_the_next_year() -> None:
    winter = When(dt.date(2027, 12, 1), dt.date(2028, 2, 29))
    assert season_dates("winter", 2027, 40.0) == winter
    assert resolve("season", "winter", 2027, find_city("kyoto")) == winter
    assert resolve("season", "summer", 2027, find_city("sydney")) == winter
    assert resolve("season", "summer", 2027, find_city("nairobi")) is None, "no four seasons there"
    assert resolve("traveller", "couple", 2026, find_city("kyoto")) is None


@pytest.mark.parametrize(
    ("code", "year", "span"),
    [
        ("thanksgiving", 2026, "2026-11-26 2026-11-29"),
        ("carnival", 2026, "2026-02-14 2026-02-18"),
        ("easter", 2026, "2026-04-03 2026-04-06"),
        ("orthodox_easter", 2026, "2026-04-10 2026-04-13"),
        ("oktoberfest", 2026, "2026-09-19 2026-10-04"),
        ("songkran", 2030, "2030-04-13 2030-04-15"),
        ("midsummer", 2026, "2026-06-19 2026-06-20"),
        ("new_year", 2027, "2026-12-31 2027-01-01"),
        ("eid_al_fitr", 2025, "2025-03-30 2025-04-01"),
        ("diwali", 2025, "2025-10-20 2025-10-22"),
        ("chuseok", 2025, "2025-10-05 2025-10-07"),
        ("ramadan", 2025, "2025-02-28 2025-03-29"),
    ],
)
def test_days_of_festivals_of_the_world(code: str, year: int, span: str) -> None:
    first, last = festival_of(code).span(year)
    assert f"{first} {last}" == span


@pytest.mark.parametrize(
    ("city", "kept", "not_kept"),
    [
        ("hangzhou", "spring_festival national_day", "christmas new_year golden_week"),
        (
            "kyoto",
            "cherry_blossom golden_week gion_matsuri new_year",
            "ramadan eid_al_fitr national_day",
        ),
        ("lisbon", "carnival popular_saints christmas", "thanksgiving spring_festival"),
        ("new york city", "thanksgiving fourth_of_july christmas", "national_day dragon_boat"),
        ("cairo", "ramadan eid_al_fitr sham_el_nessim", "easter christmas"),
        ("nairobi", "easter christmas jamhuri_day", "songkran eid_al_adha"),
        ("mexico city", "day_of_the_dead holy_week", "thanksgiving"),
        ("bangkok", "songkran loy_krathong", "easter"),
        ("hong kong", "spring_festival christmas", "carnival"),
    ],
)
def test_a_city_keeps_its_own_festivals(city: str, kept: str, not_kept: str) -> None:
    codes = {term.code for term in terms_of(find_city(city))["holiday"]}
    assert {*kept.split()} <= codes
    assert not codes & {*not_kept.split()}


def test_every_festival_has_a_day_in_every_year_to_come() -> None:
    for country in ("JP", "PT", "US", "EG", "KE", "MX", "IN", "IL", "ID", "DE", "BR", "TH"):
        for festival in festivals_in(country, ""):
            for year in range(2024, 2031):
                first, last = festival.span(year)
                assert abs(first.year - year) <= 1
                assert first <= last


def test_seasons_south_of_the_equator_are_half_a_year_later() -> None:
    assert season_months("summer", -33.9) == (12, 1, 2)
    assert season_months("spring", -33.9) == (9, 10, 11)
    assert season_months("spring", 1.3) == ()


def test_days_off_abroad_are_the_public_holidays_of_the_country() -> None:
    christmas = holiday_dates("christmas", 2026, "PT")
    assert christmas == When(dt.date(2026, 12, 24), dt.date(2026, 12, 26), (dt.date(2026, 12, 25),))
    assert public_holidays("XX", 2026) is None
    unknown = holiday_dates("christmas", 2026, "XX")
    assert unknown is not None
    assert unknown.days_off is None
