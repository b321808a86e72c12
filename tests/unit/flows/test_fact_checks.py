"""Facts are of the place that their sentence names, stated, and of the right thing."""

from __future__ import annotations

import pytest

from flows.pipeline.stages.fact_checks import ANOTHER, misread

PRICE, STAY = {"price_cents": 3600}, {"duration_min_min": 240}


def check(
    text: str, quote: str, values: dict[str, int], *names: str, of: int = 1,
    field: str = "", parts: tuple[str, ...] = (),
) -> str:  # fmt: skip
    """The check that a fact of the place ``of`` fails;
    places are numbered in the order of names.
    """
    spans = sorted(
        (text.index(name), text.index(name) + len(name), str(n)) for n, name in enumerate(names, 1)
    )
    at = text.rindex(quote)
    row = {"poi_id": str(of), "start": at, "end": at + len(quote), "field": field}
    return misread(row, values, text, spans, frozenset(parts))


@pytest.mark.parametrize(
    ("text", "quote", "values", "failed"),
    [
        ("听枫寺门票36元。", "36元", PRICE, ""),
        ("听枫寺往返36元一人。", "36元", PRICE, "of_something_else"),
        ("听枫寺一路可以品尝免费的小吃。", "免费", PRICE, "of_something_else"),
        ("听枫寺忘记门票是36元还是免费。", "36元", PRICE, "not_stated"),
        ("听枫寺门票36元值不值？", "36元", PRICE, "not_stated"),
        ("听枫寺原票价36元。", "36元", PRICE, "not_stated"),
        ("听枫寺门票貌似36元。", "36元", PRICE, "not_stated"),
        ("听枫寺可以逛半天。", "半天", STAY, ""),
        ("听枫寺真的可以坐上一下午。", "一下午", STAY, "not_stated"),
        ("听枫寺建议游玩4小时。", "4小时", STAY, ""),
        ("听枫寺门票以4小时为一个时段。", "4小时", STAY, "not_stated"),
        ("去听枫寺车程4小时。", "4小时", STAY, "travel_time"),
        ("听枫寺5分钟。", "5分钟", {"duration_min_min": 5}, "implausible_value"),
        ("听枫寺游玩不到4小时。", "4小时", STAY, "not_stated"),
        ("路线三：南门—听枫寺—北门，时长约4小时。", "4小时", STAY, "travel_time"),
        ("Tier 2: 4 hours each, as 听枫寺", "4 hours", STAY, "not_stated"),
        ("香料 | 听枫寺 | 20-36元", "36元", PRICE, "unreadable_value"),
        ("听枫寺门票几十元。", "门票几十元", PRICE, "unreadable_value"),
        ("听枫寺月票36元。", "票36元", PRICE, "of_something_else"),
        ("听枫寺门票36元。", "门票36元", PRICE, ""),
        ("听枫寺 with visa-free entry", "free entry", PRICE, "of_something_else"),
    ],
)
def test_what_is_told_of_the_place(
    text: str, quote: str, values: dict[str, int], failed: str
) -> None:
    assert check(text, quote, values, "听枫寺") == failed


@pytest.mark.parametrize(
    ("text", "of", "failed"),
    [
        ("听枫寺。望湖阁门票36元。", 1, "another_place"),
        ("听枫寺。望湖阁门票36元。", 2, ""),
        ("听枫寺\n望湖阁\n门票36元", 2, ""),
        ("听枫寺\n望湖阁\n门票36元", 1, "another_place"),
        ("听枫寺和望湖阁门票36元", 1, ""),
    ],
)
def test_a_fact_is_of_the_place_that_its_sentence_names(text: str, of: int, failed: str) -> None:
    assert check(text, "36元", PRICE, "听枫寺", "望湖阁", of=of) == failed


def test_a_part_named_before_leaves_the_fact_to_its_sight() -> None:
    text = "听枫寺\n有望湖阁。门票36元"
    assert check(text, "36元", PRICE, "听枫寺", "望湖阁") == "another_place"
    assert check(text, "36元", PRICE, "听枫寺", "望湖阁", parts=("2",)) == ""


def test_a_labelled_line_is_of_the_place_that_heads_it() -> None:
    text = "听枫寺\n地址：在望湖阁旁\n门票：36元"
    assert check(text, "36元", PRICE, "听枫寺", "望湖阁") == ""
    assert check(text, "36元", PRICE, "听枫寺", "望湖阁", of=2) == "another_place"
    assert (
        check("听枫寺\n望湖阁很近。门票36元", "36元", PRICE, "听枫寺", "望湖阁") == "another_place"
    )


def test_words_that_only_begin_like_a_name_are_passed_over() -> None:
    text = "听枫寺\n在听枫寺大街\n门票36元"
    row = {"poi_id": "1", "start": text.index("36"), "end": len(text), "field": ""}
    assert misread(row, PRICE, text, [(0, 3, "1"), (5, 10, ANOTHER)]) == ""


def test_what_is_done_at_a_namesake_says_nothing_of_the_sight() -> None:
    assert check("听枫滑雪攻略\n门票36元", "36元", PRICE, "听枫") == "another_place"
    assert check("听枫攻略\n门票36元", "36元", PRICE, "听枫") == ""


@pytest.mark.parametrize(
    ("text", "quote", "field", "failed"),
    [
        ("听枫寺建议早上8点前到。", "8点", "arrival_time", ""),
        ("我们8点到听枫寺。", "8点", "arrival_time", "not_stated"),
        ("16:00-20:30参观听枫寺", "16:00-20:30", "arrival_time", "not_stated"),
        ("听枫寺秋天红叶很美", "秋天", "season", ""),
        ("一年四季的听枫寺越野跑", "一年四季", "season", "not_stated"),
        ("听枫寺营业时间日场10:00-18:00", "日场10:00-18:00", "opening_hours", "of_something_else"),
        ("听枫寺营业时间10:00-18:00", "10:00-18:00", "opening_hours", ""),
    ],
)
def test_a_time_is_advice_and_holds_for_the_place(
    text: str, quote: str, field: str, failed: str
) -> None:
    assert check(text, quote, {}, "听枫寺", field=field) == failed


@pytest.mark.parametrize(
    ("text", "minutes", "failed"),
    [
        ("建议游玩2小时", 120, ""),
        ("全程1小时到杭州", 60, "travel_time"),
        ("步行2小时", 120, "travel_time"),
        ("地铁站\n游玩2小时", 120, ""),
        ("a 2 hour visit", 120, ""),
        ("by bus 2 hours", 120, "travel_time"),
        ("走2分钟到湖边", 2, "implausible_value"),
    ],
)
def test_a_way_is_no_stay(text: str, minutes: int, failed: str) -> None:
    start = next(at for at, sign in enumerate(text) if sign.isdigit())
    row = {"poi_id": "1", "start": start, "end": start + 3, "field": "duration_hours"}
    assert misread(row, {"duration_min_min": minutes}, text, []) == failed


@pytest.mark.parametrize(
    ("line", "quote", "values", "failed"),
    [
        ("Halls and a 望湖阁. 36 RMB (Apr-Oct).", "36 RMB", PRICE, ""),
        ("Halls and a 望湖阁. Allow 4 hours.", "4 hours", STAY, ""),
        ("Halls and a 望湖阁, which costs 36 RMB.", "36 RMB", PRICE, "another_place"),
        ("Halls and a 望湖阁. We paid 36 RMB.", "36 RMB", PRICE, "another_place"),
    ],
)
def test_a_bare_value_below_a_heading_is_of_the_place_that_heads(
    line: str, quote: str, values: dict[str, int], failed: str
) -> None:
    assert check(f"听枫寺\n{line}", quote, values, "听枫寺", "望湖阁") == failed


def test_a_bare_value_is_of_the_place_that_begins_its_line() -> None:
    text = f"听枫寺 — {'old stones and more ' * 4} by 望湖阁. 36 RMB. Near the gate."
    assert check(text, "36 RMB", PRICE, "听枫寺", "望湖阁") == ""


def test_a_labelled_value_is_not_of_a_place_named_in_a_later_clause() -> None:
    text = "听枫寺\n门票：36元，望湖阁另收10元"
    assert check(text, "36元", PRICE, "听枫寺", "望湖阁") == ""
    assert check(text, "10元", PRICE, "听枫寺", "望湖阁") == "another_place"


@pytest.mark.parametrize(
    ("text", "quote", "values"),
    [
        ("小吃街 | 36元", "36元", PRICE),
        ("小吃街是免费的，但是要预约", "免费", PRICE),
        ("小吃街(4小时)", "4小时", STAY),
        ("可以坐地铁去，整个小吃街大概要4小时才能逛完", "4小时", STAY),
    ],
)
def test_words_inside_a_name_or_of_the_way_before_say_nothing(
    text: str, quote: str, values: dict[str, int]
) -> None:
    assert check(text, quote, values, "小吃街") == ""


def test_a_line_that_begins_with_when_to_come_advises_it() -> None:
    advice = check(
        "听枫寺\nVisit early morning.", "early morning", {}, "听枫寺", field="arrival_time"
    )
    story = check(
        "听枫寺\nWe came early morning.", "early morning", {}, "听枫寺", field="arrival_time"
    )
    assert (advice, story) == ("", "not_stated")
