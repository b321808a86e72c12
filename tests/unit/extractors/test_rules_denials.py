"""Visits that an English text takes back, or only planned."""

from __future__ import annotations

import pytest

from schemas.reading import GazetteerEntry
from tests.support.extractors.reading_documents import read, roles, route

_DAY = (
    "# Two days in Valmont\n\n## Day 1\n\nWe visited the Clay Museum. {}\n\n## Day 2\n\nWe visited"
    " Lotus Park."
)


@pytest.mark.parametrize(
    "told",
    [
        "We wanted to visit the Salt Museum, but a storm cut the power.",
        "We had planned to see the Salt Museum and slept through it.",
        "I meant to see the Salt Museum.",
        "The Salt Museum turned out to be closed.",
        "The Salt Museum we passed up.",
        "We never got to the Salt Museum.",
        "We hadn't been to the Salt Museum.",
        "The Salt Museum? Guards shook their heads: no visits that week.",
        "The Salt Museum is next door and we did not go.",
        "We walked to the Salt Museum. It was closed.",
        "The plan said Salt Museum, but a plan is paper.",
        "We went to the hotel instead of the Salt Museum.",
        "Next time: the Salt Museum.",
    ],
)
def test_what_is_taken_back_is_no_stop(told: str) -> None:
    found = read(_DAY.format(told), "en")
    assert route(found) == {1: ["Clay Museum"], 2: ["Lotus Park"]}


@pytest.mark.parametrize(
    "told",
    [
        "We wanted to visit the Salt Museum, so we took the tram there.",
        "We visited the Salt Museum, which is closed on Mondays.",
        "We visited the Salt Museum and didn't climb all of it.",
        "We hadn't seen the Salt Museum before, so we visited the Salt Museum.",
        "We visited the Salt Museum. We did not want to leave.",
    ],
)
def test_what_only_sounds_so_is_a_stop(told: str) -> None:
    found = read(_DAY.format(told), "en")
    assert route(found)[1] == ["Clay Museum", "Salt Museum"]


def test_a_place_missed_one_day_and_seen_the_next_is_visited_then() -> None:
    found = read(
        "# Two days in Valmont\n\n## Day 1\n\nWe visited the Clay Museum. We wanted to visit the "
        "Salt Museum, but it rained.\n\n## Day 2\n\nWe visited the Salt Museum.",
        "en",
    )
    assert route(found) == {1: ["Clay Museum"], 2: ["Salt Museum"]}
    assert roles(found)["Salt Museum"] == "visited"


_GRID = (
    "# A week in Valmont\n| Day | Morning | Afternoon\n| Saturday | Salt Museum | Clay Museum\n"
    "| Sunday | Lotus Park | Fowler Gallery\n{}\n"
)


@pytest.mark.parametrize(
    ("told", "gone"),
    [
        ("Afterwards: wind grounded the boats and Lotus Park was struck out.", "Lotus Park"),
        ("Fowler's lions were there, but the doors weren't open.", "Fowler Gallery"),
        ("The Fowler Gallery isn't open on Sundays at all.", "Fowler Gallery"),
        ("The Fowler Gallery is shut on Mondays.", None),
        ("The Salt Museum does not let in children.", None),
    ],
)
def test_a_postscript_takes_stops_out_of_a_plan(told: str, gone: str | None) -> None:
    found = read(_GRID.format(told), "en")
    stops = [name for day in route(found).values() for name in day]
    every = ["Salt Museum", "Clay Museum", "Lotus Park", "Fowler Gallery"]
    assert stops == [name for name in every if name != gone]


def test_a_walk_that_leads_its_reader_is_a_day() -> None:
    found = read(
        "# Salt to clay, on foot\nBegin at Salt Market with bread. Two blocks north stands the "
        "Clay Museum. Past Grand Opera House, turn into Mill Lane for sweets.\n"
        "Finish in Lotus Park.",
        "en",
        tuple(
            GazetteerEntry(standard=n)
            for n in ("Salt Market", "Clay Museum", "Grand Opera House", "Lotus Park")
        ),
    )
    assert route(found) == {1: ["Salt Market", "Clay Museum", "Lotus Park"]}


def test_a_guide_that_names_a_start_is_no_walk() -> None:
    text = "# Valmont\nStart at the Salt Museum if you have a day. The Clay Museum is good."
    assert read(text, "en").route is None


@pytest.mark.parametrize(
    ("told", "field", "value"),
    [
        ("The Salt Museum (shut on Mondays) is small.", "closed_days", "Mon"),
        ("The Salt Museum takes seventy-five minutes.", "duration_hours", "1.25"),
    ],
)
def test_words_for_closed_and_for_minutes(told: str, field: str, value: str) -> None:
    found = read(f"# Valmont\n{told}", "en")
    assert ("Salt Museum", field, value) in {(f.poi, f.field, f.value) for f in found.facts}
