"""Coordinates, money, times, hours, cities, ids."""

from __future__ import annotations

import datetime as dt
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import geo, hours, ids, values
from schemas.cities import UnknownCityError, find_city, gazetteer_entries
from schemas.festivals import festival_of, festivals_in
from schemas.mainland import in_mainland
from schemas.taxonomy import (
    BASE_TYPES,
    CATEGORY_OF_BASE_TYPE,
    COMPACTNESS,
    CUISINES,
    HOLIDAYS,
    HOTEL_FEATURES,
    POI_CATEGORIES,
    SEASONS,
    TPRAG_CITIES,
    TRAVELLERS,
    TREND_TYPES,
    codes,
)
from schemas.word_lists import Lists

anywhere_near = st.tuples(st.floats(3.0, 54.5), st.floats(73.0, 135.5))
in_china = anywhere_near.filter(lambda point: in_mainland(*point))


@given(anywhere_near)
def test_datum_round_trips_stay_below_a_metre(point: tuple[float, float]) -> None:
    for datum in get_args(geo.Datum):
        there = geo.from_wgs84(*point, datum)
        back = geo.to_wgs84(*there, datum, mainland=in_mainland(*point))
        assert geo.distance_m(*point, *back) < 0.1


@given(in_china)
def test_the_chinese_offset_is_some_hundred_metres(point: tuple[float, float]) -> None:
    assert 1 < geo.distance_m(*point, *geo.wgs84_to_gcj02(*point)) < 1_200


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        ((22.5410, 114.1180), (22.5010, 114.1280)),  # Shenzhen, Hong Kong
        ((22.2180, 113.5490), (22.1900, 113.5430)),  # Zhuhai, Macau
        ((24.4450, 118.0800), (24.4360, 118.3180)),  # Xiamen, Kinmen
        ((21.5450, 107.9720), (21.5240, 107.9660)),  # Dongxing, Mong Cai
        ((40.1250, 124.3900), (40.1000, 124.4000)),  # Dandong, Sinuiju
        ((50.2450, 127.4900), (50.2900, 127.5270)),  # Heihe, Blagoveshchensk
    ],
)
def test_the_border_of_mainland_china(
    inside: tuple[float, float], outside: tuple[float, float]
) -> None:
    assert in_mainland(*inside)
    assert not in_mainland(*outside)


def test_no_number_lies_in_china() -> None:
    assert not in_mainland(float("nan"), 110.0)
    assert not in_mainland(float("inf"), 110.0)


def test_outside_china_nothing_moves() -> None:
    for lat, lon in ((48.8566, 2.3522), (-33.87, 151.21)):
        assert geo.wgs84_to_gcj02(lat, lon) == (lat, lon)
        assert geo.to_wgs84(lat, lon, "bd09") == (lat, lon)


def test_a_known_place_in_three_systems() -> None:
    # Tiananmen: published WGS 84 39.90734, 116.39124 and GCJ-02 39.90873, 116.39748.
    lat, lon = geo.wgs84_to_gcj02(39.90734, 116.39124)
    assert geo.distance_m(lat, lon, 39.90873, 116.39748) < 15


def test_a_degree_of_latitude() -> None:
    assert float(geo.distance_m(0, 0, 1, 0)) == pytest.approx(111_195, abs=1)
    assert geo.distance_m([0, 0], [0, 0], [0, 0], [1, 2]).shape == (2,)
    assert np.all(np.isfinite(geo.distance_m([90], [0], [-90], [0])))


@pytest.mark.parametrize(
    ("text", "expected"), [("45", 4500), (0, 0), ("0.125", 13), (12.3, 1230), (" 7.005 ", 701)]
)
def test_cents(text: str | float, expected: int) -> None:
    assert values.cents(text) == expected


@pytest.mark.parametrize("text", ["", "free", "-1", "nan", "inf", "1,000"])
def test_no_amount(text: str) -> None:
    with pytest.raises(ValueError, match="not an amount"):
        values.cents(text)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("7:30", 450),
        ("07:30", 450),
        ("0:00", 0),
        ("24:00", 1440),
        ("06:10+1", 1810),
        ("9：05", 545),
    ],
)
def test_clock(text: str, minutes: int) -> None:
    assert values.clock_minutes(text) == minutes


@pytest.mark.parametrize("text", ["24:01", "7:60", "730", "", "7:3", "noon", "-1:00"])
def test_no_clock(text: str) -> None:
    with pytest.raises(ValueError, match="not a clock time"):
        values.clock_minutes(text)


def test_hours() -> None:
    assert hours.daily_osm("0:00", "24:00") == "24/7"
    assert hours.daily_osm("18:00", "2:00") == "18:00-02:00"
    with pytest.raises(ValueError, match="are the same"):
        hours.daily_osm("9:00", "9:00")
    week = hours.weekly_spans("Tu-Su 09:00-17:00")
    assert week is not None
    assert [span["weekday"] for span in week] == [1, 2, 3, 4, 5, 6]
    assert {(span["open_min"], span["close_min"]) for span in week} == {(540, 1020)}
    assert hours.weekly_spans("when we feel like it") is None


def test_hours_past_midnight_and_all_day() -> None:
    night = hours.weekly_spans("18:00-02:00")
    assert night is not None
    assert {"weekday": 0, "open_min": 1080, "close_min": 1560} in night
    always = hours.weekly_spans("24/7")
    assert always == [{"weekday": day, "open_min": 0, "close_min": 1440} for day in range(7)]


def test_seasonal_hours_follow_the_week_asked_for() -> None:
    text = "Apr-Oct 07:00-18:00; Nov-Mar 07:30-17:30"
    summer = hours.weekly_spans(text)
    winter = hours.weekly_spans(text, dt.date(2026, 1, 5))
    assert summer is not None
    assert winter is not None
    assert (summer[0]["open_min"], winter[0]["open_min"]) == (420, 450)


class TestCities:
    @pytest.mark.parametrize(
        "name", ["成都", "成都市", "chengdu", "Chengdu", "CHENG DU", "gn1815286"]
    )
    def test_one_city_under_all_its_names(self, name: str) -> None:
        city = find_city(name)
        assert (city.slug, city.name_zh, city.time_zone) == ("chengdu", "成都", "Asia/Shanghai")

    @pytest.mark.parametrize(("slug", "name_zh"), TPRAG_CITIES)
    def test_the_published_cities(self, slug: str, name_zh: str) -> None:
        assert find_city(slug) == find_city(name_zh)
        assert (find_city(slug).slug, find_city(slug).name_zh) == (slug, name_zh)

    def test_a_city_elsewhere(self) -> None:
        assert find_city("Paris").country_code == "FR"
        assert find_city("巴黎") == find_city("Paris")

    def test_two_cities_of_one_name_have_two_slugs(self) -> None:
        jiangsu, anhui = find_city("苏州"), find_city("宿州")
        assert jiangsu.city_id != anhui.city_id
        assert jiangsu.slug != anhui.slug
        assert find_city(anhui.slug) == anhui

    @pytest.mark.parametrize(("wrong", "near"), [("Chengduu", "Chengdu"), ("Hangzou", "Hangzhou")])
    def test_nearest_names_are_offered(self, wrong: str, near: str) -> None:
        with pytest.raises(UnknownCityError, match=near):
            find_city(wrong)


def test_taxonomies_have_the_published_sizes() -> None:
    published = festivals_in("CN", "hangzhou")
    assert [f.term for f in published] == [*HOLIDAYS[: len(published)]]
    sizes = [len(x) for x in (SEASONS, published, POI_CATEGORIES, TRAVELLERS, COMPACTNESS)]
    assert sizes == [4, 6, 6, 4, 1]  # TP-RAG, table 2
    assert len(TPRAG_CITIES) == 30
    assert (len(BASE_TYPES), len(TREND_TYPES)) == (14, 10)  # TravelEval, section 3.2
    assert (len(HOTEL_FEATURES), len(CUISINES)) == (74, 42)  # TravelEval, appendix C
    for terms in (BASE_TYPES, TREND_TYPES, CUISINES, HOTEL_FEATURES, POI_CATEGORIES):
        assert len(set(codes(terms))) == len(terms)
        assert all(term.zh and term.en for term in terms)
    assert set(CATEGORY_OF_BASE_TYPE) == set(codes(BASE_TYPES))
    assert {c for c in CATEGORY_OF_BASE_TYPE.values() if c} <= set(codes(POI_CATEGORIES))


def test_digest_keeps_parts_apart() -> None:
    assert ids.digest("ab", "c") != ids.digest("a", "bc")
    assert ids.digest("a") == ids.digest("a")
    assert ids.canonical_json({"b": 1, "a": "成"}) == '{"a":"成","b":1}'


class TestGazetteer:
    def test_the_entry_is_that_of_the_registry(self) -> None:
        cities = [find_city(name) for name in ("suzhou", "北京", "Paris", "gn2967253")]
        found = gazetteer_entries([city.city_id for city in cities])
        for city in cities:
            entry = found[city.city_id]
            assert (entry.lat, entry.lon, entry.country_code) == (
                city.lat, city.lon, city.country_code,
            )  # fmt: skip
            assert {city.name_en, *city.names} <= entry.names
            assert city.name_zh is None or city.name_zh in entry.names

    def test_an_unknown_city_has_none(self) -> None:
        assert gazetteer_entries(["gn900000001", "gn1", "nonsense"]) == {}


@pytest.mark.parametrize("year", range(2020, 2031))
def test_every_festival_has_its_days(year: int) -> None:
    """Also where two holidays share a day: 25 April 2022 had two names in Egypt."""
    for code, *_ in Lists("schemas").table("festivals"):
        first, last = festival_of(code).span(year)
        assert first <= last, code
