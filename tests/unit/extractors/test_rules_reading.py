"""What reading further unseen documents taught the rules, each on invented places."""

from __future__ import annotations

import pytest

from tests.support.extractors.reading_documents import facts, read, roles, route


def test_a_page_that_sets_its_own_text_as_quotes_is_read() -> None:
    text = (
        "# 湖边一日\n> 我们早上去了白鹭公园，我们然后逛了青岩古镇。\n> 累了，我们回到酒店了。\n完"
    )
    found = roles(read(text))
    assert found["白鹭公园"] == found["青岩古镇"] == "visited"


def test_a_place_is_introduced_by_its_name() -> None:
    text = "# 一日\n我们走了很久，来到了一座小院，名字叫做石巷记忆。然后我们逛了白鹭公园，累了。"
    found = read(text)
    assert route(found) == {1: ["石巷记忆", "白鹭公园"]}
    assert "小胖" not in roles(read("# 一日\n我们有一个朋友，名字叫做小胖。后来去了白鹭公园。"))


def test_a_caption_without_a_telling_word_needs_a_visit() -> None:
    text = "# 动物\n狸獭\n我们去了白鹭公园，被狸獭吸引了。"
    assert "狸獭" not in roles(read(text))
    text = "# 海边\n镜砂\n民宿在镜砂附近，我们去了白鹭公园。"
    assert roles(read(text))["镜砂"] == "visited"


def test_where_a_place_lies_is_not_what_a_price_is_about() -> None:
    text = "# 湖边\n我们去了几个地方。\n云栖寺就在白鹭公园和听雨塔对面，门票也是 10 元。"
    assert facts(read(text)) == {("云栖寺", "ticket_price_cny", "10", "always")}


def test_hours_in_brackets_belong_to_the_name_before_them() -> None:
    text = "# 两日\n## 第一天\n白鹭公园 → 青岩古镇 → 民俗博物馆(9.30-4.30) → 云栖寺"
    assert facts(read(text)) == {("民俗博物馆", "opening_hours", "09:30-16:30", "always")}


def test_words_that_refuse_a_ticket_mean_free() -> None:
    text = "# 湖边\n我们去了白鹭公园，里面不要门票，随便进。"
    assert facts(read(text)) == {("白鹭公园", "ticket_price_cny", "0", "always")}


def test_one_sight_that_the_title_names_is_a_route() -> None:
    text = "# 松涛博物馆\n放假了，我们然后就去了松涛博物馆，我们看了三层，走了一圈。"
    assert route(read(text)) == {1: ["松涛博物馆"]}


def test_a_turn_of_the_path_leads_to_a_stop() -> None:
    text = "# 古镇一日\n我们然后去了云栖寺了。我们顺着河往西，有青石博物馆，看了。"
    assert route(read(text)) == {1: ["云栖寺", "青石博物馆"]}


def test_a_diary_without_a_we_is_told_by_its_tense() -> None:
    text = "# 湖边\n到了云栖寺，逛了一圈，吃了斋饭，又走了半里，到了听雨塔，看完了，回了。"
    assert read(text).kind == "diary"


def test_rows_of_short_names_in_a_sentence() -> None:
    text = "# 指南\n打卡的地点很多，春柳路，文渊院，青石巷子，我们都去看了看。"
    assert {"春柳路", "文渊院", "青石巷子"} <= set(roles(read(text)))
    text = "# 指南\n镇里有白鹭公园、白鹭广场、清河堤公园，晚上可以散步。地铁7号线直达。"
    assert {"白鹭公园", "白鹭广场", "清河堤公园"} <= set(roles(read(text)))


def test_a_row_of_people_is_no_row_of_sights() -> None:
    assert roles(read("# 见闻\n同行的有小王、小李、小张、小赵，大家都很开心。")) == {}


def test_dates_in_chinese_numerals_are_days() -> None:
    text = "# 行记\n六月七日，至白鹭公园，又游云栖寺，归。\n六月八日，往游青岩古镇，日落返。"
    assert route(read(text)) == {1: ["白鹭公园", "云栖寺"], 2: ["青岩古镇"]}


def test_a_leg_between_towns_opens_a_day_and_is_no_stop() -> None:
    text = """
    # 游记
    - 10月20日，新门客运站-松涛沟，住宿：松涛酒店
    - 10月21日，松涛沟景区：景区门口—白石沟—树影沟—景区门口
    - 10月22日，松涛沟-成都（08:00-18:00），返程
    """
    assert route(read(text)) == {2: ["白石沟", "树影沟"]}


def test_a_date_of_news_far_off_is_no_day_of_the_journey() -> None:
    text = """
    # 游记
    ## 10月20日
    去了白鹭公园。
    ## 10月21日
    去了青岩古镇。
    ## 10月22日
    去了云栖寺。
    ## 2024年1月30日
    听雨塔重新开放，去了听雨塔。
    """
    assert set(route(read(text)) or {}) == {1, 2, 3}


def test_an_arrow_as_a_bullet_makes_no_chain_and_a_section_keeps_its_parts() -> None:
    text = """
    # 苏城
    我们玩了一天，然后回家了。早上出发了，走了很久了。
    ## 观鹭街
    早上去没人。
    ## 虎啸山
    -> 憨石泉
    喝了水了。
    ## 听雨塔
    晚上很多人来了。
    """
    assert route(read(text)) == {1: ["观鹭街", "虎啸山", "听雨塔"]}


def test_a_remark_in_a_table_is_no_recommendation() -> None:
    text = """
    # 指南
    | 名称 | 门票 | 特点
    | 白鹭公园 | 33元 | 旁有钢琴博物馆
    """
    found = roles(read(text))
    assert found["白鹭公园"] == "recommended"
    assert found.get("钢琴博物馆", "mentioned") == "mentioned"


def test_headings_between_sights_are_sights() -> None:
    text = """
    # 指南
    ## 景点
    ### 1.1 白鹭公园
    开阔
    ### 1.2 青岩古镇
    热闹
    ### 1.3 云栖寺
    清静
    ### 1.4 镇潮角
    偏远
    """
    assert roles(read(text))["镇潮角"] == "recommended"


def test_notes_of_a_day_lead_to_stops() -> None:
    text = """
    # 海边
    ## 5月18日 老城
    - 早餐肠粉，太多人了
    - 观音庙烧香求签，问事业了
    - 骑电动车去海潮博物馆，走的真累了
    - 骑电动车去中山公园，走走逛逛了
    - 晚上再骑六公里去明珠路美食街，失望了
    ## 5月19日 渡轮
    - 去了听雨塔
    """
    found = route(read(text)) or {}
    assert found[1] == ["观音庙", "海潮博物馆", "中山公园", "明珠路美食街"]


def test_numbers_of_headings_are_no_hours() -> None:
    text = "# 指南\n## 2.11 白鹭公园\n## 2.12 青岩古镇\n## 2.13 云栖寺"
    assert facts(read(text)) == set()


@pytest.mark.parametrize(
    "text",
    ["相对云栖寺，白鹭公园人少", "规模与云栖寺一样的白鹭公园", "比云栖寺好看的白鹭公园"],
)
def test_what_is_compared_is_not_visited(text: str) -> None:
    assert roles(read(f"# 湖边\n我们去了白鹭公园。\n{text}。")).get("云栖寺") != "visited"


EN = """
# Testford in Three Days
## Key Highlights
- Lowmere Island: old houses
- Fernhill Cathedral: the largest in the county
- Chen Clan Hall: carvings
- Harbour Road: ancient pavement
- Airport Express: 30 minutes
"""


def test_labels_of_a_list_of_sights() -> None:
    found = roles(read(EN, "en"))
    assert {"Lowmere Island", "Fernhill Cathedral", "Chen Clan Hall", "Harbour Road"} <= set(found)
    assert "Airport Express" not in found


def test_the_stops_of_a_table_of_days() -> None:
    text = """
    # Testford Guide
    | Day | Base | Attraction | Transport
    | Day 1 | Testford | Mossgate Mountain | Walk
    | Day 2 | Lowmere | Forest Park (Yellowstone Peak + Golden Whip) | Bus
    """
    assert route(read(text, "en")) == {
        1: ["Mossgate Mountain"], 2: ["Yellowstone Peak", "Golden Whip"],
    }  # fmt: skip


def test_a_row_of_names_behind_a_label() -> None:
    text = "# Testford\nGreat Wall sections: Mosstian (restored), Jinsham (quiet), Gubek (wild)."
    assert {"Mosstian", "Jinsham", "Gubek"} <= set(roles(read(text, "en")))
    apps = "# Testford\n## Apps to download\nApps such as Mosstian, Jinsham, Gubek."
    assert roles(read(apps, "en")) == {}


def test_a_person_with_a_chinese_name_is_no_sight() -> None:
    text = "# Testford\nNotable residents include Wong Mei-fan (黄梅芬) and Li Bo (李波)."
    assert roles(read(text, "en")) == {}


def test_papers_and_borders_name_no_sights() -> None:
    text = """
    # Testford
    ## Border Crossings
    ### Lowu (罗浮)
    Open: 6:30 AM - 10:30 PM
    ## Attractions
    ### Mossgate Park
    Open: 9:00 AM - 5:00 PM
    """
    found = read(text, "en")
    assert set(roles(found)) == {"Mossgate Park"}
    assert facts(found) == {("Mossgate Park", "opening_hours", "09:00-17:00", "always")}


def test_a_street_with_its_chinese_name_heads_a_section() -> None:
    text = "# Testford\n## Wukan Road 武阚路 — The Star Street\nLeafy."
    assert "Wukan Road" in roles(read(text, "en"))


def test_names_that_stand_alone_where_a_heading_announces_sights() -> None:
    text = """
    # Testford
    ## Must-See Photo Spots
    Romeo Balcony (No. 210)
    Famous for weddings.
    """
    assert "Romeo Balcony" in roles(read(text, "en"))


def test_ranges_of_prices_and_prices_of_nights() -> None:
    text = """
    # Testford
    ## Mossgate Park
    - Price: ¥180-220 per park
    - Hotels ¥300-800/night
    """
    assert facts(read(text, "en")) == {("Mossgate Park", "ticket_price_cny", "180-220", "always")}


def test_best_seasons_of_a_page_in_words_and_in_months() -> None:
    text = """
    # Testford
    ## Mossgate Park
    - Best time to visit: Late October or early November
    ## Fern Palace
    - Best seasons: Spring and autumn
    """
    assert facts(read(text, "en")) == {
        ("Mossgate Park", "season", "autumn", "always"),
        ("Fern Palace", "season", "spring", "always"),
        ("Fern Palace", "season", "autumn", "always"),
    }


def test_plans_of_several_lengths_are_no_route() -> None:
    text = """
    # Testford
    ### 2-Day Visit
    - Day 1: Mossgate Park
    - Day 2: Fern Palace
    ### 3-Day Visit
    - Day 1: Fern Palace
    """
    assert read(text, "en").route is None


def test_longer_plans_offered_below_leave_the_told_one_a_route() -> None:
    told = (
        "# Mossgate trip\n## A 2-day plan\n### Day 1\n- Visit Heron Park\n### Day 2\n- Visit Cloud"
        " Temple\n"
    )
    more = (
        "## Extended options\n### 3 days\n- Day 3: visit Listening Tower\n### 5 days\n- Day 5:"
        " visit Reed Lake\n"
    )
    assert route(read(told + more, "en")) == {1: ["Heron Park"], 2: ["Cloud Temple"]}
    assert read(told + more.replace("Extended options", "And then"), "en").route is None


def test_a_passage_that_presents_a_place_tells_of_it() -> None:
    text = "# 游记\n我们去了白鹭公园了，我们累了。\n明珠大教堂是1923年为了外国人而建造的地标。"
    assert roles(read(text))["明珠大教堂"] == "visited"


def test_the_next_door_of_a_stop_is_gone_to() -> None:
    text = "# 游记\n我们看完了，然后我们就去了隔壁的普安禅寺了，我们又逛了白鹭公园。"
    assert route(read(text)) == {1: ["普安禅寺", "白鹭公园"]}


def test_a_length_belongs_to_the_subject_and_not_to_where_it_lies() -> None:
    text = "# 游记\n我们去了白鹭公园。\n云栖寺在松涛景区里面，在这里可以坐上一下午，很不错。"
    assert facts(read(text)) == {("云栖寺", "duration_hours", "4", "always")}


def test_countries_and_descriptions_are_no_sights() -> None:
    text = "# 游记\n我们去了菲律宾的海边，登上了高高的城楼，逛了白鹭公园。"
    assert set(roles(read(text))) == {"白鹭公园"}


def test_a_leg_from_a_town_to_a_sight_keeps_the_sight_and_dates_are_no_hours() -> None:
    text = """
    # 行程
    - 07.09 台州-杭州
    - 07.10 博乐-松涛湖
    - 07.11 白石沟-汉人街
    """
    found = read(text)
    assert route(found) == {2: ["松涛湖"], 3: ["白石沟", "汉人街"]}
    assert facts(found) == set()


def test_items_below_a_heading_that_announces_a_route() -> None:
    text = "# 攻略\n## 计划游玩路线\n- 石三巴\n- 渔人码头\n- 步行到 3 路车站"
    assert {"石三巴", "渔人码头"} == set(roles(read(text)))


def test_the_sight_of_a_title_is_what_key_facts_are_about() -> None:
    text = """
    # Lowmere Ancient Bridge (低湖古桥): History & Visitor Guide
    ## Quick Facts
    | Detail | Info
    | Ticket price | 54 RMB
    | Hours | 8:00 AM - 10:00 PM
    """
    assert facts(read(text, "en")) == {
        ("Lowmere Ancient Bridge", "ticket_price_cny", "54", "always"),
        ("Lowmere Ancient Bridge", "opening_hours", "08:00-22:00", "always"),
    }


def test_weekdays_that_head_passages_are_days_and_a_timetable_names_its_stops() -> None:
    text = """
    # 松涛山行程
    ## 周五：出发
    | 时间 | 活动 | 安排
    | 18:30-22:00 | 自驾 | 早睡，为次日松涛山游玩储备体力
    ## 周六：松涛山
    | 时间 | 活动 | 安排
    | 9:00-10:00 | 吃午饭 | 在松涛山餐馆
    | 10:00-12:30 | 游玩白鹭公园 | 白鹭公园→云栖寺→青岩古镇
    ## 周日：返程
    | 时间 | 活动 | 安排
    | 7:00-11:30 | 游玩松涛山景区 | 石梯亭→望云阁
    """
    found = read(text)
    days = route(found) or {}
    assert days[2] == ["白鹭公园", "云栖寺", "青岩古镇"]
    assert 1 not in days
    assert ("白鹭公园", "arrival_time", "10:00", "always") in facts(found)
    assert not any(value in ("09:00", "18:30") for _, _, value, _ in facts(found))


def test_a_surprise_is_no_refusal() -> None:
    text = "# 游记\n我们去了传说中的白鹭公园了。\n没想到云栖寺这么大，我们逛了很久了。"
    found = roles(read(text))
    assert found["白鹭公园"] == found["云栖寺"] == "visited"
