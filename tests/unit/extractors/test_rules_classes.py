"""Classes of errors that reading unseen documents showed, each on invented places."""

from __future__ import annotations

import pytest

from schemas.reading import GazetteerEntry
from tests.support.extractors.reading_documents import facts, read, roles, route


def entries(*names: str, **parents: str) -> tuple[GazetteerEntry, ...]:
    """Gazetteer entries of sights; ``parents`` gives the container of some."""
    return tuple(
        GazetteerEntry(standard=name, kind="poi", parent=parents.get(name)) for name in names
    )


def test_a_known_name_that_opens_a_list_item_stays_beside_chains() -> None:
    text = """
    # 柳州湾三日
    ## 第一天
    上午：白鹭公园 → 青岩古镇
    - 听雨（傍晚去，风大）
    - 10:30 望渔，坐船往返
    """
    known = entries("听雨", "望渔")
    assert route(read(text, gazetteer=known)) == {1: ["白鹭公园", "青岩古镇", "听雨", "望渔"]}


def test_a_known_stop_fills_a_segment_of_a_chain() -> None:
    text = "# 柳州湾两日\n## 第一天\n- 白鹭公园 → 听雨(需预约：提前一天) → 青岩古镇"
    found = route(read(text, gazetteer=entries("听雨")))
    assert found == {1: ["白鹭公园", "听雨", "青岩古镇"]}


@pytest.mark.parametrize("name", ["清和塔", "永和寺", "人和桥"])
def test_a_name_that_holds_he_is_one_name(name: str) -> None:
    text = f"# 柳州湾两日\n## 第一天\n- 白鹭公园 → {name} → 青岩古镇"
    assert route(read(text)) == {1: ["白鹭公园", name, "青岩古镇"]}
    known = route(read(text, gazetteer=entries(name)))
    assert known == {1: ["白鹭公园", name, "青岩古镇"]}


def test_two_names_joined_by_he_are_two() -> None:
    text = "# 柳州湾两日\n## 第一天\n行程：白鹭公园和青岩古镇、云栖寺"
    assert route(read(text)) == {1: ["白鹭公园", "青岩古镇", "云栖寺"]}


def test_the_theme_of_a_day_is_no_stop() -> None:
    text = """
    # 柳州湾三日
    ## 第一天 湖西
    早上去白鹭公园散步，然后逛了云栖寺。
    ## 第二天 城北
    上午去青岩古镇。
    """
    found = read(text)
    assert route(found) == {1: ["白鹭公园", "云栖寺"], 2: ["青岩古镇"]}
    assert "湖西" not in roles(found)


def test_the_container_in_a_heading_gives_way_to_listed_parts() -> None:
    known = entries("柳溪", "听雨阁", "望渔台", 听雨阁="柳溪", 望渔台="柳溪")
    text = "# 柳州湾\n## 第三天｜柳溪\n- 听雨阁\n- 望渔台\n## 第四天\n- 白鹭公园"
    assert route(read(text, gazetteer=known)) == {3: ["听雨阁", "望渔台"], 4: ["白鹭公园"]}


def test_the_name_of_a_hotel_holds_no_sight() -> None:
    text = """
    # 柳州湾两日
    ## 第一天
    入住听雨云栖酒店，放下行李就去白鹭公园。白鹭公园很大。
    晚上回望渔湾国际大酒店。
    """
    found = read(text, gazetteer=entries("听雨", "望渔"))
    assert set(roles(found)) == {"白鹭公园"}
    beside = read("# 柳州湾\n## 第一天\n去听雨看湖边的酒店。", gazetteer=entries("听雨"))
    assert "听雨" in roles(beside)


def test_a_known_name_wins_over_its_ending_in_english() -> None:
    text = "# Testford\n## Day 1\n- Take the Willow Cruise\n- Visit Heron Park\n## Day 2\n- Walk"
    found = read(text, lang="en", gazetteer=entries("Willow Cruise"))
    assert roles(found).get("Willow Cruise") == "recommended"
    assert "Willow Cruise" not in found.decoys
    hotel = read("# Testford\nWe slept at the Willow Cruise Hotel.", "en", entries("Willow Cruise"))
    assert "Willow Cruise" not in roles(hotel)


def test_countries_and_lengths_are_no_cities() -> None:
    found = read("# 中国杭州四日游\n## 第一天\n- 白鹭公园")
    assert found.cities == ("杭州",)


def test_a_bracketed_item_is_the_name_in_it() -> None:
    text = "# 柳州湾\n## 第一天\n- 【听雨】湖边的老戏台\n- [望渔] 坐船\n- （青岩古镇）"
    found = read(text, gazetteer=entries("听雨", "望渔"))
    assert route(found) == {1: ["听雨", "望渔", "青岩古镇"]}


def test_remarks_below_the_last_day_add_no_stop() -> None:
    text = """
    # 柳州湾两日
    ## 第一天
    早上去了白鹭公园。
    ## 第二天
    上午逛了云栖寺。
    评论（2）
    小舟：我们上次去了青岩古镇，也很好。
    """
    assert route(read(text)) == {1: ["白鹭公园"], 2: ["云栖寺"]}


def test_a_season_inside_a_name_is_no_season() -> None:
    text = "# Testford\n## Hidden Spring\nHidden Spring is best in the late afternoon."
    assert not [f for f in facts(read(text, "en")) if f[1] == "season"]
    stated = "# Testford\n## Heron Park\nHeron Park is best in spring, in bloom."
    assert ("Heron Park", "season", "spring", "always") in facts(read(stated, "en"))


def test_a_denied_visit_is_no_stop() -> None:
    text = """
    # 柳州湾日记
    ## 第一天
    我们上午去了白鹭公园，走了很久。下雨了，没去云栖寺，直接去了青岩古镇。
    ## 第二天
    我们补上了遗憾，去了云栖寺。
    """
    assert route(read(text)) == {1: ["白鹭公园", "青岩古镇"], 2: ["云栖寺"]}


@pytest.mark.parametrize("told", ["傍晚登云栖塔", "走到云栖塔", "最后到云栖塔"])
def test_verbs_of_going(told: str) -> None:
    text = f"# 柳州湾日记\n## 第一天\n我们早上去了白鹭公园。{told}，看了夜景，我们很累了。"
    assert route(read(text)) == {1: ["白鹭公园", "云栖塔"]}


def test_both_names_behind_one_verb_are_visits() -> None:
    text = "# 柳州湾日记\n## 第一天\n我们早上去了白鹭公园和青岩古镇，中午逛了云栖寺与清和塔。"
    assert route(read(text)) == {1: ["白鹭公园", "青岩古镇", "云栖寺", "清和塔"]}


def test_a_told_row_of_stops_in_english() -> None:
    text = (
        "# A day in Testford\nWe visited Heron Park, then Willow Temple, and ended at Moss Tower."
    )
    found = read(text, "en")
    assert route(found) == {1: ["Heron Park", "Willow Temple", "Moss Tower"]}
    assert set(roles(found).values()) == {"visited"}


def test_a_citation_of_a_page_is_no_chain() -> None:
    text = "# 柳州湾\n## 第一天\n- 建议：哪里最好玩？ - 甲乙丙的回答 - 问答网\n- 白鹭公园"
    assert route(read(text)) == {1: ["白鹭公园"]}


def test_numbered_sections_are_no_dates() -> None:
    text = """
    # 柳州湾攻略
    ## 2.1 白鹭公园
    | 名称 | 门票 | 时间 |
    ## 2.2 云栖寺
    开放 8:00-18:00
    ## 2.3 青岩古镇
    # 3、其他
    ## 3.1 白鹭公园
    """
    found = read(text)
    assert found.route is None
    assert found.kind == "guide"


def test_a_price_is_no_stop() -> None:
    text = "# 柳州湾\n## 第一天\n白鹭公园 → 票280 → 云栖寺（门票60）→ 青岩古镇"
    assert route(read(text)) == {1: ["白鹭公园", "云栖寺", "青岩古镇"]}


def test_a_standard_name_outranks_a_branch_without_its_brackets() -> None:
    branch = GazetteerEntry(
        standard="云栖茶馆博物馆(东馆区)", names=("云栖茶馆博物馆",), kind="poi"
    )
    own = GazetteerEntry(standard="云栖茶馆博物馆", kind="poi")
    for known in ((branch, own), (own, branch)):
        found = read("# 柳州湾\n## 第一天\n- 云栖茶馆博物馆", gazetteer=known)
        assert {m.standard for m in found.mentions} == {"云栖茶馆博物馆"}


def test_a_table_says_in_its_header_what_its_columns_hold() -> None:
    text = "\n".join(
        ["# 柳州湾攻略", "## 景点"]
        + [
            f"| {row}"
            for row in (
                "名称 | 门票 | 备注 | 时间",
                "听雨岩 | 53元 | 步行10分钟 | 1h",
                "青岩古镇 | 免 | 周一有集 | 8:00-18:00 周一休",
                "望渔往返船票 | 68元 | 早订便宜 | 2h",
            )
        ]
    )
    assert facts(read(text)) == {
        ("听雨岩", "ticket_price_cny", "53", "always"),
        ("听雨岩", "duration_hours", "1", "always"),
        ("青岩古镇", "ticket_price_cny", "0", "always"),
        ("青岩古镇", "opening_hours", "08:00-18:00", "always"),
        ("青岩古镇", "closed_days", "Mon", "always"),
    }


def test_an_actual_day_list_replaces_the_plan() -> None:
    text = """
    # 柳州湾两日
    计划：
    - D1，4/17周六：白鹭公园，青岩古镇
    - D2，4/18周日：云栖寺，听雨岩
    实际：
    - D1，4/17周六：白鹭公园
    - D2，4/18周日：云栖寺，青岩古镇
    ## Day1-白鹭公园
    下午逛完白鹭公园，已经五点多了。
    ## Day2-云栖寺
    一早起来去云栖寺。
    """
    assert route(read(text)) == {1: ["白鹭公园"], 2: ["云栖寺", "青岩古镇"]}


def test_what_leads_in_to_a_known_name_is_no_part_of_it() -> None:
    text = """
    # 柳州湾日记
    ## 五亭长桥
    没想到五亭长桥这么长。第二年，邑人筹资重修五亭长桥，我们走了很久。
    """
    assert set(roles(read(text))) == {"五亭长桥"}


def test_numbers_of_sections_are_no_part_of_a_name() -> None:
    found = read("# 柳州湾攻略\n## 2.1 听雨岩\n很好看。\n### 3.9望渔大桥\n很长。")
    assert set(roles(found)) == {"听雨岩", "望渔大桥"}


def test_bare_names_in_the_list_of_a_day_in_english() -> None:
    text = """
    # Trip report: Testford
    ## Day 1
    - Breakfast: Mossgate Bakery
    - Mossgate. Crowded, so we did not stay
    - Hallow Ferns
    - Checked in to Harrow House
    ## Day 2
    - We visited the Sunken Way and the Willow Temple
    """
    found = route(read(text, "en"))
    assert found == {1: ["Mossgate", "Hallow Ferns"], 2: ["Sunken Way", "Willow Temple"]}


def test_a_diary_without_its_we() -> None:
    text = (
        "# Testford\nTrain arrived at eight. Headed to a cafe for breakfast, then visited the "
        "Willow Temple. Walked up to Moss Tower before dinner. Had noodles and slept."
    )
    found = read(text, "en")
    assert found.kind == "diary"
    assert route(found) == {1: ["Willow Temple", "Moss Tower"]}


def test_a_passage_on_meals_lasts_over_its_smaller_headings() -> None:
    text = """
    # 柳州湾攻略
    ## 餐饮
    ### 老城
    - 望江楼(和平店)：临江，菜很好
    - 青岩古镇小院：人均￥48
    ## 景点
    ### 白鹭公园
    时间：9:00-18:00
    票价：成人￥50
    """
    found = read(text)
    assert set(roles(found)) == {"白鹭公园"}
    assert facts(found) == {
        ("白鹭公园", "opening_hours", "09:00-18:00", "always"),
        ("白鹭公园", "ticket_price_cny", "50", "always"),
    }


def test_a_kind_of_place_is_not_split_off_a_name() -> None:
    text = "# 柳州湾两日\n## 第一天\n路线：白鹭公园-云山师范学院-青岩古镇-听雨楼"
    assert route(read(text)) == {1: ["白鹭公园", "云山师范学院", "青岩古镇", "听雨楼"]}


@pytest.mark.parametrize("text", ["周一闭馆，周二开馆", "从W2口出来"])
def test_what_no_sight_is_called(text: str) -> None:
    assert roles(read(f"# 柳州湾\n## 第一天\n- {text}\n- 白鹭公园")) == {"白鹭公园": "recommended"}


def test_the_times_of_a_schedule_or_a_train_are_no_opening_hours() -> None:
    text = "\n".join(
        [
            "# 柳州湾攻略",
            "## 周六",
            "| 时间 | 活动 | 具体安排",
            "| 8:30-10:00 | 白鹭公园 | 散步",
            "## 周日",
            "- 周日晚：韶关，云栖寺火车转柳州（16:48-19:01），住白鹭公园旁",
            "- 云栖寺（8.00-17.00）",
        ]
    )
    found = {f[:3] for f in facts(read(text)) if f[1] in ("opening_hours", "closed_days")}
    assert found == {("云栖寺", "opening_hours", "08:00-17:00")}


def test_activities_in_the_list_of_a_day_are_no_sights() -> None:
    text = "# 柳州湾\n## 第一天\n- 行程：住一晚，进去景区，游玩，环游白鹭湖，青岩古镇，云栖寺"
    assert route(read(text)) == {1: ["白鹭湖", "青岩古镇", "云栖寺"]}
