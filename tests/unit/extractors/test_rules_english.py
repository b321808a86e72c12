"""Names, roles, routes and facts of English pages, each on invented places."""

from __future__ import annotations

import pytest

from tests.support.extractors.reading_documents import facts, read, roles, route


def test_a_second_name_is_no_second_place() -> None:
    text = """
    # Walks in Testford
    ## Heron Bridge / Moonrise Bridge (白鹭桥)
    Built long ago. Moonrise Bridge is lit at night.
    ## Elm Old Town (榆古城, Phoenix Old Town)
    We liked it. Phoenix Old Town sleeps early.
    """
    found = read(text, "en")
    standards = {m.name: m.standard for m in found.mentions}
    assert standards["Moonrise Bridge"] == "Heron Bridge"
    assert standards["Phoenix Old Town"] == "Elm Old Town"


def test_a_general_name_beside_its_chinese_form_is_taken_whole() -> None:
    found = roles(read("# Testford\n## Ancient City Museum (古城博物馆)\nOld maps.", "en"))
    assert set(found) == {"Ancient City Museum"}


def test_the_towns_of_a_days_drive_are_no_stops() -> None:
    text = """
    # Two days
    ## Day 1: Kalting (卡亭) to Borlam (波林)
    - Visit Fern Monastery
    ## Day 2: Borlam (波林) to Zelding (泽顶)
    - Visit Salt Lake Temple
    """
    assert route(read(text, "en")) == {1: ["Fern Monastery"], 2: ["Salt Lake Temple"]}


def test_wishes_of_a_diary_are_no_visits() -> None:
    text = """
    # Our week in Testford
    ## Day 1
    - Willow Temple. We walked and we loved it
    - We visited Heron Park
    ## Things I would like to visit next time
    - Mossgate Palace
    """
    found = roles(read(text, "en"))
    assert found["Willow Temple"] == "visited"
    assert found.get("Mossgate Palace") != "visited"


def test_peoples_and_common_nouns_are_no_sights() -> None:
    text = """
    # Testford
    ## Willow Temple (柳寺)
    Home of the Karo (卡若) minority. It calls itself a Wildlife Reserve.
    """
    assert set(roles(read(text, "en"))) == {"Willow Temple"}


def test_an_apposition_says_what_a_name_is() -> None:
    text = "# Trip\nWe were in Testford and we made a trip to Lindao, a small water town nearby."
    assert roles(read(text, "en"))["Lindao"] == "visited"


def test_bare_names_among_headings_of_sights() -> None:
    text = """
    # Around Testford
    ## Mount Alder
    Steep.
    ## Willow Temple
    Old.
    ## Lindao
    Quiet.
    ## Top Destinations
    Many.
    """
    assert set(roles(read(text, "en"))) == {"Mount Alder", "Willow Temple", "Lindao"}


def test_a_day_of_a_diary_without_a_verb_of_visiting_has_its_sights_as_stops() -> None:
    text = "# A day\nWe woke late and we were lazy. Fern Square was full, we laughed and we ate."
    assert route(read(text, "en")) == {1: ["Fern Square"]}


@pytest.mark.parametrize(
    ("sentence", "field", "value"),
    [
        ("Best time: 18:30-21:00", "arrival_time", "18:30-21:00"),
        ("Best time: Evening/night", "arrival_time", "evening/night"),
        ("Great at sunrise or late afternoon for soft light.", "arrival_time",
         "sunrise or late afternoon"),
        ("Best around 8:00 PM when the lights are on.", "arrival_time", "20:00"),
        ("Visit early to avoid the crowds.", "arrival_time", "early morning"),
        ("Autumn: best balance of weather and people.", "season", "autumn"),
        ("Spring and autumn have the best weather.", "season", "spring"),
        ("We spent two hours here.", "duration_hours", "2"),
        ("Allow 30 minutes to 1 hour.", "duration_hours", "0.5-1"),
        ("Duration: Half to full day", "duration_hours", "4-8"),
        ("Opens at 8:30 AM and closes at 5 PM.", "opening_hours", "08:30-17:00"),
        ("Ticket office closes at 4 pm.", "last_admission", "16:00"),
        ("Open daily except Tuesdays.", "closed_days", "Tue"),
        ("Tickets are 60 kuai.", "ticket_price_cny", "60"),
        ("The palace is free but crowded.", "ticket_price_cny", "0"),
    ],
)  # fmt: skip
def test_statements_below_a_heading(sentence: str, field: str, value: str) -> None:
    found = read(f"# Testford\n## Willow Palace (柳宫)\nA fine place.\n\n{sentence}", "en")
    assert ("Willow Palace", field, value, "always") in facts(found)


@pytest.mark.parametrize(
    "sentence",
    [
        "Arrive early to secure a spot for the show.",
        "Bus to Testford: 40 min, 10 RMB.",
        "12.25 we met again.",
        "Combine with Mossgate Park for a full half-day.",
        "Best months: April and October.",
    ],
)
def test_what_states_no_fact(sentence: str) -> None:
    found = read(f"# Testford\n## Willow Palace (柳宫)\nA fine place.\n\n- {sentence}", "en")
    assert not facts(found)


def test_prices_behind_names_and_labels_of_whole_lines() -> None:
    text = """
    # Testford
    ## Willow Palace (柳宫)
    Old and red.

    **Heron Temple** (20 min away): a quiet yard with a pond. Allow 2 hours.

    **Costs:**
    - Fern Tower: 40 RMB
    - Bus: 5 RMB
    """
    assert facts(read(text, "en")) == {
        ("Heron Temple", "duration_hours", "2", "always"),
        ("Fern Tower", "ticket_price_cny", "40", "always"),
    }


def test_beds_in_a_table_are_no_tickets() -> None:
    text = """
    # Testford
    ## Accommodation on the mountain
    | Temple | Cost |
    |---|---|
    | Willow Temple (柳寺) | 50 RMB/person |
    """
    assert not facts(read(text, "en"))
