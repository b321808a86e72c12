"""How labels of cities are compared with what a snapshot publishes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.world_truth import (
    ItemTally,
    Labelled,
    _clocks,
    _days_alike,
    _labelled_numbers,
    _weekdays,
    fold,
    measure_facts,
    measure_general_facts,
    sum_up,
)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The Oculus", "oculus"),
        ("São Jorge", "Sao Jorge"),
        ("金閣寺", "金閣寺 "),
        ("Ryoan-ji", "Ryōanji"),
    ],
)
def test_spellings_of_one_name_are_equal(a: str, b: str) -> None:
    assert fold(a) == fold(b)


@pytest.mark.parametrize(
    ("said", "published"),
    [
        ("9am–5pm", "09:00-17:00"),
        ("10:30 a.m. to 5.30 p.m.", "10:30-17:30"),
        ("10h-18h", "Tue-Sun 10:00-18:00"),
        ("open 24 hours", "24/7"),
        ("10–5, Fri & Sat till 9", "10:00-17:00; 10:00-21:00"),
        ("eleven to noon", "11:00-12:00"),
        ("9時〜17時30分", "09:00-17:30"),
        ("٩ صباحا إلى ٥ مساء", "09:00-17:00"),
    ],
)
def test_hours_are_compared_by_their_clock_times(said: str, published: str) -> None:
    assert _clocks(said) == _clocks(published) != frozenset()
    assert _clocks(said) != _clocks("08:00-17:15")


def test_values_of_other_kinds() -> None:
    assert _weekdays("closed Mondays and Tue") == _weekdays("Mon,Tue")
    assert _weekdays("Mondays to Wednesdays") == {0.0, 1.0, 2.0}
    assert _weekdays("lunes cerrado") == _weekdays("月曜休み") == _weekdays("Mon") == {0.0}
    assert _weekdays("on the first month") == frozenset()
    assert _labelled_numbers({"kind": "price", "value": "KSh 1,500"}) == {1500.0}
    assert _labelled_numbers({"kind": "price", "value": "twelve bucks"}) == {12.0}
    assert _labelled_numbers({"kind": "price", "value": "gratis"}) == {0.0}
    assert _labelled_numbers({"kind": "price", "value": "no ticket needed"}) == {0.0}
    assert _labelled_numbers({"kind": "duration", "value": "90 minutes"}) == {1.5}
    assert _labelled_numbers({"kind": "duration", "value": "a half-day"}) == {4.0}
    assert _labelled_numbers({"kind": "duration", "value": "an hour"}) == {1.0}
    assert _labelled_numbers({"kind": "duration", "value": "the whole afternoon"}) == frozenset()


def test_a_place_is_found_by_any_of_its_forms() -> None:
    row = {"doc": "a/1.html", "facts": [], "trips": [], "places": [
        {"name": "KICC", "official": "Kenyatta Centre", "city": "nairobi", "is_sight": True},
        {"name": "the tower", "official": "Kenyatta Centre", "city": "nairobi", "is_sight": True},
    ]}  # fmt: skip
    label = Labelled(row)
    assert label.find_named({"kicc"}) == label.find_named({"tower"}) == ["Kenyatta Centre"]
    assert label.find_named({"karen"}) == []
    assert label.of("nairobi") == ["Kenyatta Centre"]
    assert label.of("mombasa") == []


def test_days_are_paired_in_order() -> None:
    told: list[list[tuple[str, list[str]]]] = [
        [("a", ["a"])],
        [("x", [])],
        [("c", ["c"]), ("d", ["d"])],
    ]
    assert _days_alike(told, [["a"], ["b"], ["c", "d"]]) == [0, None, 2]
    assert _days_alike(told[::-1], [["a"], ["c", "d"]]) == [1, None, None]
    assert _days_alike(told, []) == [None, None, None]


def _price(table: str, cents: int, **limits: str) -> dict[str, Any]:
    return {
        "table": table, "poi_id": "p1", "fact_field": "ticket_price", "value": str(cents // 100),
        "price_cents": cents, **limits,
    }  # fmt: skip


def test_a_childs_price_is_right_only_where_it_stands_as_one() -> None:
    label = Labelled({
        "doc": "testford/one.md", "trips": [],
        "places": [{"name": "Old Mill", "official": "Old Mill", "is_sight": True}],
        "facts": [
            {"place": "Old Mill", "kind": "price", "value": "$12", "who": ""},
            {"place": "Old Mill", "kind": "price", "value": "$5", "who": "child"},
        ],
    })  # fmt: skip
    general = [_price("poi_facts", 1200), _price("poi_facts", 500)]
    published: Any = SimpleNamespace(
        names={"p1": {fold("Old Mill")}},
        title={"p1": "Old Mill"},
        facts={"poi_facts": {"one.md": general}, "conditional_facts": {"one.md": []}},
    )
    assert measure_general_facts(label, published).row()[:5] == [1, 1, "100.0 %", 2, 1]
    assert measure_facts(label, published).row()[:5] == [2, 1, "50.0 %", 2, 1]
    published.facts["conditional_facts"]["one.md"] = [
        _price("conditional_facts", 500, audience="child")
    ]
    del general[1]
    assert measure_facts(label, published).row()[:5] == [2, 2, "100.0 %", 2, 0]


def test_cities_are_summed_up_by_group_and_all_together() -> None:
    measured = [
        ("lima", {"places": ItemTally(labelled=4, found=3, published=4, wrong=1)}),
        (
            "kyoto",
            {"places": ItemTally(labelled=6, found=2, published=2), "facts": ItemTally(1, 1, 1)},
        ),
        ("cairo", {"places": ItemTally(labelled=10, found=5, published=4)}),
    ]
    rows = sum_up(measured, ["kyoto", "cairo"])
    assert [(row[0], row[1]) for row in rows] == [
        ("lima", "places"), ("kyoto", "places"), ("kyoto", "facts"), ("cairo", "places"),
        ("cities looked at", "places"), ("cities held back", "facts"),
        ("cities held back", "places"), ("all cities", "facts"), ("all cities", "places"),
    ]  # fmt: skip
    assert rows[6][2:] == [16, 7, "43.8 %", 6, 0, "0.0 %"]
    assert rows[8][2:] == [20, 10, "50.0 %", 10, 1, "10.0 %"]
