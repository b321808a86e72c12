"""Which verdicts are asked about, and what an answer cannot change. Every name is made up."""

from __future__ import annotations

import pytest

from geocoding.match import PairLabel, is_doubtful, match_pairs, take_answer

NEAR = {"lat_a": "30.10", "lon_a": "120.10", "lat_b": "30.101", "lon_b": "120.10"}
FAR = {**NEAR, "lat_b": "30.25"}
NOWHERE = dict.fromkeys(NEAR, "")


def pair(a: str, b: str, points: dict[str, str], city: str = "hangzhou") -> dict[str, str]:
    return {"city": city, "name_a": a, "name_b": b, **points}


def verdict(row: dict[str, str]) -> PairLabel:
    (label,) = match_pairs([row], alone=True)
    return label


def _label(answer: PairLabel | None) -> str | None:
    return None if answer is None else answer["label"]


@pytest.mark.parametrize(
    "sure",
    [
        pair("灵峰寺", "灵峰寺", NEAR),
        pair("灵峰寺", "青石巷", FAR),
        pair("青石大厦", "青石大厦", NOWHERE, "hangzhou;beijing"),
    ],
)
def test_equal_names_distant_strangers_and_two_cities_are_sure(sure: dict[str, str]) -> None:
    assert not is_doubtful(verdict(sure))


@pytest.mark.parametrize("b", ["青石巷", "灵峰禅院", "灵峰寺碑亭"])
def test_what_names_alone_cannot_tell_is_doubtful(b: str) -> None:
    assert is_doubtful(verdict(pair("灵峰寺", b, NOWHERE)))


def test_an_answer_is_the_verdict_with_its_reason() -> None:
    row = pair("灵峰寺", "青石庵", NEAR)
    same, other = take_answer(row, "same", "its old name"), take_answer(row, "different", "two")
    assert same == {"label": "same", "score": 0.9, "why": "its old name"}
    assert not is_doubtful(same)
    assert _label(other) == "different"


def test_points_kilometres_apart_refuse_the_same_place_alone() -> None:
    row = pair("灵峰寺", "青石庵", FAR)
    assert take_answer(row, "same", "its old name") is None
    assert _label(take_answer(row, "part", "its hermitage")) == "parent-of"
    assert take_answer(pair("灵峰寺", "青石庵", NOWHERE), "same", "its old name") is not None


def test_a_part_is_the_second_unless_the_names_say_the_first() -> None:
    whole, gate = "灵峰寺", "灵峰寺碑亭"
    for points in (NEAR, NOWHERE):
        there = take_answer(pair(whole, gate, points), "part", "its pavilion")
        back = take_answer(pair(gate, whole, points), "part", "its pavilion")
        assert _label(there) == "parent-of"
        assert _label(back) == "different", "the first does not contain the second"
