"""Coordinates for places without: every outcome kept, nothing guessed, nothing lost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from geocoding.geocoders import GeocoderAnswer, GeocoderQuestion, GeocoderReply, PlacePoint
from geocoding.geocoders.cache import AnswerCache
from geocoding.locate import OUTCOMES, locate
from geocoding.places import TablePlaces, places_from_tables
from tests.support.geocoding.builders import CITY, attraction, attractions

NAMES = ("青莲阁", "松鹤馆", "竹篮巷", "白鹭洲", "灵峰寺")


class Told:
    """A geocoder that says what it was told to say, and remembers what it was asked."""

    def __init__(self, name: str, replies: Mapping[str, GeocoderReply]):
        self.name, self.replies, self.asked = name, replies, list[str]()

    def search(self, question: GeocoderQuestion) -> GeocoderReply:
        self.asked.append(question.name)
        return self.replies.get(question.name, GeocoderReply("nothing"))

    def reverse(self, point: PlacePoint) -> GeocoderReply:
        raise AssertionError(f"not asked for {point}")


def at(lat: float, lon: float, provider: str = "one") -> GeocoderAnswer:
    return GeocoderAnswer("x", lat, lon, "gcj02", provider, score=0.9)


@pytest.fixture
def places() -> TablePlaces:
    rows = [attraction(i, name, None) for i, name in enumerate(NAMES, 2)]
    return places_from_tables(attractions(*rows, attraction(9, "双塔", 0.0)), CITY)


FIRST = {
    "青莲阁": GeocoderReply("found", (at(30.1, 110.1),)),
    "松鹤馆": GeocoderReply("ambiguous", (at(30.1, 110.1), at(30.4, 110.4)), "2 places answer"),
    "竹篮巷": GeocoderReply("outage", message="status 503"),
    "白鹭洲": GeocoderReply("found", (at(39.9, 116.4),)),
}


def test_each_place_without_coordinates_has_one_outcome(places: TablePlaces) -> None:
    found, outcomes = locate(places, CITY, [Told("one", FIRST)], None)
    told = dict(outcomes.select("name", "outcome").iter_rows())
    assert told == {
        "青莲阁": "found", "松鹤馆": "ambiguous", "竹篮巷": "pending", "白鹭洲": "ambiguous",
        "灵峰寺": "nothing",
    }  # fmt: skip
    assert outcomes.schema == OUTCOMES
    assert outcomes["poi_id"].is_sorted()
    rows = {row["name_zh"]: row for row in found.pois.iter_rows(named=True)}
    lotus = rows["青莲阁"]
    assert (lotus["lat"], lotus["lon"], lotus["geocode_status"]) == (30.1, 110.1, "resolved")
    assert (lotus["coordinate_provider"], lotus["datum_original"]) == ("one", "gcj02")
    assert lotus["h3_cell"]
    for name in NAMES[1:]:
        assert (rows[name]["lat"], rows[name]["geocode_status"]) == (None, "unresolved")
    assert rows["双塔"] == next(r for r in places.pois.to_dicts() if r["name_zh"] == "双塔")
    assert set(found.pois["poi_id"]) == set(places.pois["poi_id"])


def test_what_a_reviewer_needs_is_kept(places: TablePlaces) -> None:
    _, outcomes = locate(places, CITY, [Told("one", FIRST)], None)
    row = outcomes.filter(name="松鹤馆").row(0, named=True)
    assert [a["lat"] for a in json.loads(row["answers"])] == [30.1, 30.4]
    far = outcomes.filter(name="白鹭洲").row(0, named=True)
    assert far["message"] == "more than 500 km from the city"


def test_the_next_geocoder_is_asked_for_the_rest_only(places: TablePlaces) -> None:
    second = Told("two", {"竹篮巷": GeocoderReply("found", (at(30.2, 110.2, "two"),))})
    found, outcomes = locate(places, CITY, [Told("one", FIRST), second], None)
    assert "青莲阁" not in second.asked
    assert len(second.asked) == len(NAMES) - 1
    told = {r["name"]: (r["outcome"], r["provider"]) for r in outcomes.iter_rows(named=True)}
    assert told["竹篮巷"] == ("found", "two")
    assert told["松鹤馆"] == ("ambiguous", "one")
    assert found.pois.filter(name_zh="竹篮巷")["coordinate_provider"].item() == "two"


def test_lasting_answers_are_asked_once(places: TablePlaces, tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path / "answers.sqlite")
    locate(places, CITY, [Told("one", FIRST)], cache)
    again = Told("one", {})
    _, outcomes = locate(places, CITY, [again], cache)
    assert again.asked == ["竹篮巷"]
    assert outcomes.filter(name="青莲阁")["outcome"].item() == "found"


def test_runs_that_ended_in_want_are_counted_by_city(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path / "answers.sqlite")
    assert cache.times_wanting("gn1") == 0
    cache.note_wanting("gn1")
    cache.note_wanting("gn1")
    cache.close()
    assert AnswerCache(tmp_path / "answers.sqlite").times_wanting("gn1") == 2
    assert AnswerCache(tmp_path / "answers.sqlite").times_wanting("gn2") == 0
