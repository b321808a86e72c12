"""Routes: chains, day markers, dates, schedules, diaries, and when there is none."""

from __future__ import annotations

import pytest

from tests.support.extractors.reading_documents import read, route


@pytest.mark.parametrize("mark", ["→", "->", "—", "--", "➡️", "$\\rightarrow$", "-"], ids=repr)
def test_chain_marks_give_the_stops_in_order(mark: str) -> None:
    chain = f" {mark} ".join(["松风寺", "午餐", "镜水湖", "青石古镇"])
    found = read(
        f"# 云州两日游\n## Day 1\n{chain}\n## Day 2\n竹影公园 {mark} 云州博物馆 {mark} 返程"
    )
    assert route(found) == {1: ["松风寺", "镜水湖", "青石古镇"], 2: ["竹影公园", "云州博物馆"]}


def test_chain_of_cities_and_stations_is_no_route_of_sights() -> None:
    found = read("# 行程\n## 第一天\n杭州 → 南京 → 苏州\n## 第二天\n云州东站 → 松风酒店 → 休息")
    assert found.mentions == ()
    assert found.route is None


@pytest.mark.parametrize(
    ("first", "second", "days"),
    [
        ("## 第一天", "## 第二天", [1, 2]),
        ("## D1 抵达", "## D2", [1, 2]),
        ("## 第2日", "## 第3日", [2, 3]),
        ("## Day0", "## Day1", [0, 1]),
        ("## 10月2日", "## 10月3日", [1, 2]),
        ("## 2024.5.24 启程", "## 2024.5.25", [1, 2]),
    ],
)
def test_day_markers(first: str, second: str, days: list[int]) -> None:
    found = read(f"# 云州\n{first}\n松风寺、镜水湖公园\n{second}\n### 青石古镇\n在里面闲逛。")
    by_day = route(found)
    assert by_day is not None
    assert list(by_day) == days


def test_day_list_lines_carry_their_stops() -> None:
    found = read(
        "# 云州游记\n- Day1，周六，松风寺、镜水湖公园；\n- Day2，周日，青石古镇、云州博物馆；"
    )
    assert route(found) == {1: ["松风寺", "镜水湖公园"], 2: ["青石古镇", "云州博物馆"]}


def test_the_diary_orders_the_day_and_its_list_completes_it() -> None:
    found = read("""# 云州游记
        ## 行程
        - Day1，松风寺、镜水湖公园、竹影古街
        ## Day1
        我们早上出发，先去了镜水湖公园，我们在湖边走了很久。
        然后我们来到松风寺，我们上了香，又待了一会儿才走了。""")
    assert found.kind == "diary"
    assert route(found) == {1: ["镜水湖公园", "松风寺", "竹影古街"]}


def test_labelled_slots_of_a_plan_without_meals_and_beds() -> None:
    found = read("""# 云州攻略
        ## Day 1：初到
        - 上午：松风寺
        - 午餐：松风饭店 62元
        - 下午：镜水湖公园
        - 住宿：云州古城民宿
        ## Day 2
        - 傍晚：竹影古街/青石广场""")
    assert route(found) == {1: ["松风寺", "镜水湖公园"], 2: ["竹影古街", "青石广场"]}


def test_running_days_of_a_story_without_headings() -> None:
    found = read("""# 云州游记
        我们到了云州，我们先去了松风寺，拍了照，吃了饭，然后我们就睡了。
        第二天，我们去了青石古镇，我们逛了逛就回来了。""")
    assert route(found) == {1: ["松风寺"], 2: ["青石古镇"]}


def test_a_serial_post_has_the_day_of_its_title() -> None:
    found = read(
        "# 云州之旅 Day 2\n## 松风寺\n我们到了，我们逛了逛。\n## 镜水湖公园\n我们走了一圈。"
    )
    assert route(found) == {2: ["松风寺", "镜水湖公园"]}


def test_advice_without_order_has_no_route() -> None:
    found = read(
        "# 云州攻略\n## 景点\n- 松风寺：香火很旺\n- 镜水湖公园：适合散步\n- 云州博物馆：值得一看"
    )
    assert found.kind == "guide"
    assert found.route is None
    assert {mention.name for mention in found.mentions} == {"松风寺", "镜水湖公园", "云州博物馆"}


def test_section_numbers_are_no_dates() -> None:
    found = read(
        "# 云州攻略\n## 2.1 松风寺\n好。\n## 2.2 青石古镇\n好。\n## 3.1 竹影公园\n好。\n## 3.2"
        " 云州博物馆\n好。"
    )
    assert found.route is None
    assert len(found.mentions) == 4


def test_several_proposals_are_no_single_route() -> None:
    plan = "- Day 1: Willow Temple\n- Day 2: Copper Museum\n"
    found = read(f"# Plans\n## A\n{plan}## B\n{plan}## C\n{plan}", "en")
    assert found.route is None


def test_english_schedule_lines_leave_out_hotels_stations_and_meals() -> None:
    found = read(
        """# Two days in Testford
        ## Day 1: Testford
        - 08:00 Breakfast at hotel.
        - 09:00 Taxi to Willow Temple, photo walk.
        - 11:30 Walk to Copper Lake Park, explore grounds.
        - 13:00 Lunch at local izakaya.
        - 15:00 Check out, taxi to Testford Station.
        ## Day 2: Testford
        - 10:00 Visit Hollow Hill Museum or Amber Garden.""",
        "en",
    )
    assert route(found) == {
        1: ["Willow Temple", "Copper Lake Park"],
        2: ["Hollow Hill Museum", "Amber Garden"],
    }


def test_english_day_words_and_dates() -> None:
    told = "We walked to the {} and then we visited the {}. We were tired when we got home."
    first = told.format("Willow Temple", "Copper Museum")
    second = told.format("Amber Garden", "Hollow Bridge")
    for a, b in (("Day one", "Day two"), ("31 July", "1 August"), ("First day", "Second day")):
        found = read(f"# Testford\n## {a}\n{first}\n## {b}\n{second}", "en")
        assert route(found) == {
            1: ["Willow Temple", "Copper Museum"],
            2: ["Amber Garden", "Hollow Bridge"],
        }
