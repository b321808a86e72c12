"""Tables, lists and labelled lines that set out journeys, prices and hours."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from benchmarks.structure import FOLDER, score
from extractors.evidence import value_problem
from extractors.rules.en.hours import hours_in
from extractors.rules.en.prices import prices_in
from tests.support.extractors.reading_documents import facts, read, roles

#: At least this share of the labelled visits and facts, and of those that are read.
_FOUND, _RIGHT = 0.95, 0.95


@pytest.mark.parametrize("name", ["first.yaml", "second.yaml"])
def test_labelled_documents_are_read(name: str) -> None:
    scores = score([Path(FOLDER / name)]).values()
    for what in ("visit", "fact"):
        found, labelled, told = (
            sum(getattr(s, part)[what] for s in scores) for part in ("found", "labelled", "read")
        )
        assert labelled > 40
        assert found >= _FOUND * labelled
        assert found >= _RIGHT * told


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("10am–5pm", {("10:00-17:00", "always")}),
        ("1–5pm", {("13:00-17:00", "always")}),
        ("9–5", {("09:00-17:00", "always")}),
        ("9h30 - 18h", {("09:30-18:00", "always")}),
        ("noon to midnight", {("12:00-24:00", "always")}),
        ("open 24/7", {("00:00-24:00", "always")}),
        ("10:00-13:00, 14:00-18:00", {("10:00-13:00", "always"), ("14:00-18:00", "always")}),
        ("Mon–Sat 10:00–18:00; Sun 12–5pm", {("10:00-18:00", "Mon-Sat"), ("12:00-17:00", "Sun")}),
        (
            "7 AM - 7 PM (peak) / 8 AM - 5 PM (off-season)",
            {("07:00-19:00", "peak season"), ("08:00-17:00", "off season")},
        ),
        ("2-3 hours", set()),
        ("6-7 hrs", set()),
        ("2019–2021", set()),
        ("99:00–98:00", set()),
    ],
)
def test_opening_hours_are_read_in_their_forms(text: str, right: set[tuple[str, str]]) -> None:
    found = {(s.value, s.limits.when) for s in hours_in(text) if s.field == "opening_hours"}
    assert found == right


def test_days_off_and_last_entry_are_read_from_hours() -> None:
    found = {
        (s.field, s.value)
        for s in hours_in("10:00–18:00 daily except Tuesday, last entry 45 min before closing")
    }
    assert found == {
        ("opening_hours", "10:00-18:00"), ("closed_days", "Tue"), ("last_admission", "17:15"),
    }  # fmt: skip
    two = "Apr–Sep 10:00–18:00, Oct–Mar 10:00–16:00, last entry 30 min before closing"
    assert all(s.field == "opening_hours" for s in hours_in(two))


def test_a_time_before_closing_stands_in_its_evidence_and_another_does_not() -> None:
    quote = "10:00–18:00, last entry 30 min before closing"
    assert value_problem("last_admission", "17:30", quote) is None
    assert value_problem("last_admission", "17:00", quote) is not None


@pytest.mark.parametrize(
    ("text", "header", "right"),
    [
        ("€12 (children €5)", "", {("12 €", None), ("5 €", "child")}),
        (
            "adults $25, seniors $18, under 12 free",
            "",
            {("25 $", "adult"), ("18 $", "senior"), ("0", "child")},
        ),
        ("KSh 1,500", "", {("1500 KSh", None)}),
        ("17.50", "Admission (EUR)", {("17.5 EUR", None)}),
        ("6", "Child, €", {("6 €", "child")}),
        ("17.50", "Admission", set()),
        ("free", "", {("0", None)}),
        ("-5 EUR", "", set()),
        ("99999999999 EUR", "", set()),
        ("free audio guide €4", "", set()),
    ],
)
def test_prices_are_for_whom_their_words_say(
    text: str, header: str, right: set[tuple[str, str | None]]
) -> None:
    assert {(s.value, s.limits.audience) for s in prices_in(text, header)} == right


def test_the_price_of_a_child_is_never_that_of_an_adult() -> None:
    found = read("# Testford\n| Museum | Child | Adult |\n| Mossgate Museum | €3 | €9 |\n", "en")
    told = {(f.value, f.audience) for f in found.facts}
    assert told == {("3 €", "child"), ("9 €", "adult")}


def test_weekdays_of_hours_are_no_days_of_a_journey() -> None:
    text = """
    # Testford
    ## Mossgate Museum
    - Monday: closed
    - Tuesday: 10:00–18:00
    - Saturday: 10:00–20:00
    """
    found = read(text, "en")
    assert found.route is None
    assert ("Mossgate Museum", "closed_days", "Mon", "always") in facts(found)


def test_timetables_and_tables_of_beds_name_no_sights() -> None:
    text = """
    # Testford
    | Time | Train | Platform |
    | 07:02 | Mossgate Castle Express | 1 |
    | 08:02 | Lowmere Palace Line | 2 |
    | 09:02 | Highmoor Abbey Express | 2 |
    """
    found = read(text, "en")
    assert found.route is None
    assert not {name for name, role in roles(found).items() if role != "mentioned"}


def test_rows_of_values_name_no_places_and_rides_cost_no_entry() -> None:
    text = """
    # Testford
    ## Mossgate Museum
    | Cost | $50/p ($8 entrance + $125/3 shared guide) |
    | Duration | 3-4 hours |
    | Getting there | bus |
    ## Ways to go
    | Option | Price |
    | High-speed train | $20 |
    | Private Car | $60 |
    """
    found = read(text, "en")
    assert {fact.poi for fact in found.facts} == {"Mossgate Museum"}
    assert "125 $" not in {fact.value for fact in found.facts}


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "# Testford\n" + "| Museum | Hours |\n" + "| Mossgate Museum | 10:00-18:00 |\n" * 10_000,
        "# Testford\n| Day | Morning |\n" + "| 1 | Mossgate Museum |\n" * 10_000,
        "# Testford\n| " + "Day 1 | Day 2 | " * 5_000 + "\n| " + "Mossgate Museum | " * 10_000,
        "# Testford\n" + "| a | b | c | d | e |\n" * 10_000,
        "# Testford\n- Monday: " + "Mossgate Museum, " * 10_000 + "\n- Tuesday: Lowmere Park\n",
        "# Testford\n## Mossgate Museum\n- Hours: " + "10:00–18:00, " * 5_000,
        "# Testford\n## Mossgate Museum\n- Admission: " + "€12, " * 5_000,
    ],
    ids=["facts", "days", "columns", "cells", "weekday", "hours", "prices"],
)
def test_endless_tables_and_lines_are_read_in_bounded_time(text: str) -> None:
    read("# Testford\n", "en")  # tables and patterns are loaded once, whatever the text
    begun = time.process_time()
    read(text, "en")
    assert time.process_time() - begun < 6


@pytest.mark.parametrize(
    ("value", "quote", "holds"),
    [
        ("05:30", "last entry 5:30", False),
        ("05:30", "last entry 05:30", True),
        ("05:30", "last entry 5:30 a.m.", True),
        ("17:30", "last entry 5:30 p.m.", True),
        ("09:30", "last entry 9:30", True),
    ],
)
def test_a_last_entry_says_which_half_of_the_day(value: str, quote: str, holds: bool) -> None:
    assert (value_problem("last_admission", value, quote) is None) is holds
