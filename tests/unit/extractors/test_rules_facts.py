"""Facts: value forms, seasons, subjects, and figures that are no facts of the place."""

from __future__ import annotations

import pytest

from tests.support.extractors.reading_documents import document, facts, read


@pytest.mark.parametrize(
    ("sentence", "field", "value"),
    [
        ("门票60元一张。", "ticket_price_cny", "60"),
        ("门票只要五块钱。", "ticket_price_cny", "5"),
        ("门票免费，需要预约。", "ticket_price_cny", "0"),
        ("开放时间：8：30-17：00。", "opening_hours", "08:30-17:00"),
        ("最晚入园时间16:30。", "last_admission", "16:30"),
        ("每周一闭馆。", "closed_days", "Mon"),
        ("游玩需要2-3个小时。", "duration_hours", "2-3"),
        ("逛了一个半小时。", "duration_hours", "1.5"),
        ("参观了3个多小时。", "duration_hours", "3-4"),
        ("我们逛了一上午。", "duration_hours", "4"),
        ("建议傍晚去。", "arrival_time", "dusk"),
        ("入园时间：8：00-12：00。", "arrival_time", "08:00-12:00"),
        ("晚上 7 点和 8 点两场。", "opening_hours", "19:00, 20:00"),
    ],
)
def test_chinese_statements_under_a_heading(sentence: str, field: str, value: str) -> None:
    found = read(f"# 云州\n## 松风寺\n松风寺，{sentence}")
    assert ("松风寺", field, value, "always") in facts(found)


@pytest.mark.parametrize(
    ("sentence", "field", "value", "when"),
    [
        ("60 RMB (Apr-Oct), 40 RMB (Nov-Mar).", "ticket_price_cny", "60", "Apr-Oct"),
        ("60 RMB (Apr-Oct), 40 RMB (Nov-Mar).", "ticket_price_cny", "40", "Nov-Mar"),
        ("Free entry to most halls.", "ticket_price_cny", "0", "always"),
        ("Hours 9:00-16:30.", "opening_hours", "09:00-16:30", "always"),
        (
            "Opening hours: 7 AM - 7 PM (peak season).",
            "opening_hours",
            "07:00-19:00",
            "peak season",
        ),
        ("Last entry 16:00.", "last_admission", "16:00", "always"),
        ("Closed Mondays.", "closed_days", "Mon", "always"),
        ("Allow 3-5 hours minimum.", "duration_hours", "3-5", "always"),
        ("Museum tour (~45 minutes).", "duration_hours", "0.75", "always"),
        ("Go before sunrise when the lanes are empty.", "arrival_time", "before sunrise", "always"),
        ("Go early (before 9 AM).", "arrival_time", "before 09:00", "always"),
    ],
)
def test_english_statements_under_a_heading(
    sentence: str, field: str, value: str, when: str
) -> None:
    found = read(f"# Testford guide\n## Willow Palace (柳宫)\nA fine place. {sentence}", "en")
    assert ("Willow Palace", field, value, when) in facts(found)


def test_seasonal_hours_in_chinese() -> None:
    found = read("# 云州\n## 松风寺\n开放时间 8:00-18:00（夏季），冬季开放 9:00-17:00。")
    assert ("松风寺", "opening_hours", "09:00-17:00", "winter") in facts(found)


def test_a_section_states_a_duration_for_its_places_unless_one_has_its_own() -> None:
    found = read(
        """# Testford guide
        ## Tier 1: Half Day Each
        ### Willow Palace
        Large.
        ### Copper Museum
        Small.
        ### Amber Garden
        Allow 1-2 hours.""",
        "en",
    )
    hours = {(f.poi, f.value) for f in found.facts if f.field == "duration_hours"}
    assert hours == {("Willow Palace", "4"), ("Copper Museum", "4"), ("Amber Garden", "1-2")}


def test_schedule_times_are_arrival_times() -> None:
    found = read("# Plan\n## Day 1\n- 09:30 Taxi to Willow Temple.\n- 12:00 Lunch at hotel.", "en")
    assert facts(found) == {("Willow Temple", "arrival_time", "09:30", "always")}


@pytest.mark.parametrize(
    "sentence",
    [
        "租自行车45元。", "缆车往返80元。", "打车30元。", "讲解器20元。",
        "坐车3个小时。", "排队2小时。", "附近的面15元一碗。",
    ],
)  # fmt: skip
def test_other_prices_and_times_are_no_facts(sentence: str) -> None:
    assert facts(read(f"# 云州\n## 松风寺\n{sentence}")) == set()


def test_evidence_of_a_fact_is_in_the_text() -> None:
    text = "# 云州\n## 松风寺\n这里门票60元一张。\n## 镜水湖公园\n每周二闭园。"
    page = document(text).text
    quotes = {f.poi: page[f.span.start : f.span.end] for f in read(text).facts}
    assert "60元" in quotes["松风寺"]
    assert "周二闭" in quotes["镜水湖公园"]
