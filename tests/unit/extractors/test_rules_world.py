"""English texts about cities whose sights keep the words of another language."""

from __future__ import annotations

import pytest

from schemas.sight_words import type_abroad
from tests.support.extractors.reading_documents import facts, read, roles, route


@pytest.mark.parametrize(
    "name",
    [
        "Musée du Sel", "Place de la Lune", "Piazza Bellavista", "Castello dei Tre Fiumi",
        "Jardin d’Hiver", "Lindenplatz", "Schloss Hohenau", "Wat Nakhon", "Eski Kule Camii",
        "Mirador del Valle",
    ],
)  # fmt: skip
def test_types_of_other_languages_are_seen(name: str) -> None:
    assert type_abroad(name)


@pytest.mark.parametrize(
    "name", ["Place To Stay", "Hamburg", "Kindly Note", "Maria", "Dom", "Check-in"]
)
def test_words_that_only_look_like_them_are_not(name: str) -> None:
    assert type_abroad(name) is None


def test_names_are_read_whole_with_their_little_words() -> None:
    found = read(
        "# A day in Valmont\nWe visited the Musée d'Orval in the morning, crossed the Pont de la "
        "Dame and strolled through the Jardin des Tilleuls.",
        "en",
    )
    assert set(roles(found)) == {"Musée d'Orval", "Pont de la Dame", "Jardin des Tilleuls"}


def test_a_day_may_be_a_row_of_stops() -> None:
    found = read(
        "# Two days\nDay 1: Sunfall Taisha at dawn, Kiriyama-dera, Yanone, Oku Shrine.\n"
        "Day 2: Train to Harbourton. Mika-ji (500 yen), Ueda Park and Lantern Alley. Home.",
        "en",
    )
    assert route(found) == {
        1: ["Sunfall Taisha", "Kiriyama-dera", "Yanone", "Oku Shrine"],
        2: ["Mika-ji", "Ueda Park", "Lantern Alley"],
    }


def test_a_row_of_things_to_do_is_no_row_of_stops() -> None:
    found = read("# One day\nDay 1: Check in, Breakfast, Swim in the sea, Sleep.", "en")
    assert found.mentions == ()


def test_a_name_joined_to_a_visited_one_is_visited() -> None:
    found = read(
        "# Valmont\nAfter lunch we visited the Salt Museum, the Rotunda and Saint-Vaury. "
        "Later Anna and Peter went home.",
        "en",
    )
    assert roles(found) == {
        "Salt Museum": "visited", "Rotunda": "visited", "Saint-Vaury": "visited",
    }  # fmt: skip


def test_brackets_behind_an_unknown_name_say_nothing_of_the_place_before() -> None:
    found = read(
        "# Valmont\nWe loved the Salt Museum, then Zyzzva Lumen (closed on Mondays), and left.",
        "en",
    )
    assert facts(found) == set()
    near = read("# Valmont\nWe loved the Salt Museum (closed on Mondays) and left.", "en")
    assert {fact[:3] for fact in facts(near)} == {("Salt Museum", "closed_days", "Mon")}


def test_paragraphs_count_their_days_in_words() -> None:
    found = read(
        "# Valmont\nOn the first day we visited the Salt Museum.\nOn our second day we walked "
        "through the Jardin des Tilleuls.",
        "en",
    )
    assert route(found) == {1: ["Salt Museum"], 2: ["Jardin des Tilleuls"]}


def test_hours_beside_a_price_in_brackets_are_those_of_the_place() -> None:
    found = read("# Valmont\n## Salt Museum (9:30 a.m. to 5 p.m., 12 euros)\nNice.", "en")
    assert {fact[:3] for fact in facts(found)} == {
        ("Salt Museum", "opening_hours", "09:30-17:00"),
        ("Salt Museum", "ticket_price", "12 euros"),
    }
    plan = read("# Valmont\nFirst the Salt Museum (9:30-11:00), then lunch.", "en")
    assert not [fact for fact in facts(plan) if fact[1] == "opening_hours"]


def test_free_for_some_is_not_free() -> None:
    some = read("# Valmont\n## Salt Museum\nFree for worshippers; others pay 25 euros.", "en")
    assert facts(some) == set()
    every = read("# Valmont\n## Salt Museum\nFree for everyone.", "en")
    assert {fact[:3] for fact in facts(every)} == {("Salt Museum", "ticket_price_cny", "0")}


def test_an_hour_before_a_place_is_that_places() -> None:
    found = read(
        "# 云州三日游记\n第一天,我们参观了松风寺,晚上登上镜水塔。\n"
        "第二天,早上8点到青石古镇排队,很挤。"
    )
    assert ("青石古镇", "arrival_time", "08:00") in {fact[:3] for fact in facts(found)}
    assert ("镜水塔", "arrival_time", "08:00") not in {fact[:3] for fact in facts(found)}


def test_a_short_sentence_heads_no_day() -> None:
    found = read("# 云州游记\n第一天，我们参观了松风寺，然后去了镜水广场。\n第二天去了云州博物馆。")
    assert route(found) == {1: ["松风寺", "镜水广场"], 2: ["云州博物馆"]}
