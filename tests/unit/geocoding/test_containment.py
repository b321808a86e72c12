"""Pairs with unlike names, as a list asks them. Every name is made up."""

from __future__ import annotations

import pytest

from geocoding.asked import WEIGHTS, evidence, weigh_pair
from geocoding.match import match_pairs
from geocoding.names import NameReader
from tests.support.geocoding.builders import CITY

READER = NameReader.of(CITY)


def asked(a: str, b: str, metres: float | None) -> dict[str, object]:
    point = {"lat_a": "30.0", "lon_a": "110", "lat_b": "", "lon_b": ""}
    if metres is not None:
        point |= {"lat_b": str(30.0 + metres / 111_195), "lon_b": "110"}
    (found,) = match_pairs([{"city": "", "name_a": a, "name_b": b, **point}])
    return dict(found)


def test_every_feature_has_a_weight() -> None:
    features = evidence(READER.read("青莲湖景区"), READER.read("望月亭"), 500.0)
    assert set(features) == set(WEIGHTS)


@pytest.mark.parametrize(
    ("a", "b", "metres", "label"),
    [
        ("青莲湖景区", "望月亭", 600.0, "parent-of"),
        ("青莲湖景区", "望月亭", 60_000.0, "different"),
        ("松涛大学", "望月楼", 250.0, "parent-of"),
        ("松涛寺", "望月寺", 250.0, "different"),
        ("望月桥", "青莲湖公园", 400.0, "different"),
        ("松涛博物馆", "青莲美术馆", 400.0, "different"),
    ],
)
def test_kinds_and_distance_decide(a: str, b: str, metres: float, label: str) -> None:
    found = asked(a, b, metres)
    assert found["label"] == label
    assert "apart" in str(found["why"])


def test_the_further_the_less_likely() -> None:
    whole, part = READER.read("青莲湖景区"), READER.read("望月亭")
    near, far = (weigh_pair(whole, part, metres) for metres in (300.0, 1_500.0))
    assert near.label == far.label == "parent-of"
    assert near.score > far.score


def test_the_shorter_second_name_without_a_point_is_a_short_name() -> None:
    assert asked("青莲仓库纪念馆", "青莲仓库", None)["label"] == "same"
    assert asked("青莲湖-望月亭", "青莲湖", None)["label"] == "different"


def test_an_area_holds_a_smaller_sight_asked_with_it() -> None:
    found = asked("青莲湖景区", "望月亭", None)
    assert (found["label"], found["score"]) == ("parent-of", 0.5)
    assert asked("松涛寺", "望月亭", None)["label"] == "different"
