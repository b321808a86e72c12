"""Cells, rows and headings as guides to cities of the world write them."""

from __future__ import annotations

import pytest

from extractors.rules.en.hours import find_closed_days, hours_in
from extractors.rules.en.prices import prices_in
from schemas.reading import GazetteerEntry
from tests.support.extractors.reading_documents import read, route

_KNOWN = (
    GazetteerEntry(standard="Harbour & Salt Museum"),
    GazetteerEntry(standard="Lund Terminal"),
)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("closed Mon-Wed", ["Mon", "Tue", "Wed"]),
        ("Sat to Mon closed", ["Sat", "Sun", "Mon"]),
        ("closed Mon, Tue", ["Mon", "Tue"]),
        ("closed Mon; Tue–Sun 10:00–17:00", ["Mon"]),
        ("closed, Tue–Sun 10:00–17:00", []),
    ],
)
def test_closed_days_of_a_range(text: str, days: list[str]) -> None:
    assert [found.value for found in find_closed_days(text)] == days


def test_days_that_close_later_and_open_later() -> None:
    told = {(s.value, s.limits.when) for s in hours_in("10–5, Fri & Sat till 9")}
    assert told == {("10:00-17:00", "always"), ("10:00-21:00", "Fri, Sat")}
    told = {(s.value, s.limits.when) for s in hours_in("10:00–18:00, Wed from 11:00")}
    assert told == {("10:00-18:00", "always"), ("11:00-18:00", "Wed")}


def test_bare_numbers_have_the_mark_of_their_header() -> None:
    told = [(s.value, s.limits.audience) for s in prices_in("220; children 150", "Entry (pesos)")]
    assert told == [("220 pesos", None), ("150 pesos", "child")]
    assert list(prices_in("220; room 12", "Entry (pesos)")) == []


def test_of_several_prices_an_unknown_word_limits_its_own() -> None:
    told = {s.value: s.limits.further for s in prices_in("Adult 30 EUR; Valmont adult 10 EUR")}
    assert told == {"30 EUR": (), "10 EUR": ("Valmont",)}


def test_a_column_with_one_mark_of_money_has_it_for_bare_numbers() -> None:
    found = read("| Museum | Entry\n| Salt Museum | 20 pesos\n| Reed Museum | 35", "en")
    assert {(f.poi, f.value) for f in found.facts} == {
        ("Salt Museum", "20 pesos"),
        ("Reed Museum", "35 pesos"),
    }


def test_a_label_speaks_of_every_place_in_its_row() -> None:
    known = tuple(GazetteerEntry(standard=n) for n in ("Salt Museum", "Reed Museum", "Lund Tower"))
    found = read(
        "# Tips\nFree any day: Salt Museum, Reed Museum on Sundays (otherwise 5), Lund Tower. "
        "Tours cost extra.",
        "en",
        known,
    )
    free = {f.poi for f in found.facts if f.field.startswith("ticket_price") and f.is_general}
    assert free == {"Salt Museum", "Lund Tower"}


def test_a_line_of_a_schedule_has_the_name_that_a_table_knows() -> None:
    found = read(
        "# One day\n## Day 1\n- 9:00 Harbour & Salt Museum (last entry 17:30)\n- 11:00 Lund"
        " Terminal\n- 12:00 Lunch near Lund Terminal\n- 14:00 Reed Museum",
        "en",
        _KNOWN,
    )
    assert route(found) == {1: ["Harbour & Salt Museum", "Lund Terminal", "Reed Museum"]}


def test_weekdays_of_another_language_head_days() -> None:
    found = read(
        "# Notes\n## Jueves\nWe visited the Salt Museum.\n## Viernes\nWe visited the Reed Museum.",
        "en",
    )
    assert route(found) == {1: ["Salt Museum"], 2: ["Reed Museum"]}


def test_a_calendar_of_weekdays_is_no_journey() -> None:
    days = "Monday: Salt Museum and Reed Museum.\nTuesday: Lund Tower and Old Gate Museum."
    assert route(read(f"# Four days\n{days}", "en"))
    assert read(f"# What's on which day\n{days}", "en").route is None


def test_what_follows_a_table_of_days_is_of_none_of_them() -> None:
    found = read(
        "# Week\n| Date | Morning\n| 30 Oct | Salt Museum\n| 31 Oct | Lund Tower\n"
        "We did not get to the Reed Museum, a museum of reeds.",
        "en",
    )
    assert route(found) == {1: ["Salt Museum"], 2: ["Lund Tower"]}
