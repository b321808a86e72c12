"""Names and roles: endings, boundaries, decoys, gazetteers, what is told of a place."""

from __future__ import annotations

from schemas.reading import GazetteerEntry
from tests.support.extractors.reading_documents import document, read, roles, route


def test_spans_hold_the_names() -> None:
    text = (
        "# 云州游记\n## Day1\n我们去了松风寺，又去了镜水湖公园。\n"
        "## Day2\n### 青石古镇\n我们逛了一天。"
    )
    page = document(text).text
    mentions = read(text).mentions
    assert len(mentions) == 3
    assert all(page[m.span.start : m.span.end] == m.name for m in mentions)


def test_names_in_sentences_end_where_they_should() -> None:
    found = read("""# 云州游记
        我们从酒店出来，步行去了宋玉楼广场和云州艺术博物馆，我们都很喜欢。
        之后我们来到二龙喉公园，我们从二龙喉公园出来就回去了。""")
    assert set(roles(found)) == {"宋玉楼广场", "云州艺术博物馆", "二龙喉公园"}


def test_generic_words_are_no_names() -> None:
    found = read(
        "# 云州游记\n我们去了公园，看了博物馆，又爬了山，我们在广场上坐了一会儿，路过一座寺庙。"
    )
    assert found.mentions == ()


def test_hotels_restaurants_stations_roads_and_lines_are_decoys() -> None:
    found = read("""# 云州攻略
        ## Day 1
        云州东站 → 松风寺 → 翠竹火锅店 → 镜水湖公园 → 镜水湖大酒店
        乘坐1号线到松风寺站换乘3号线到青石广场站下车。""")
    assert set(roles(found)) == {"松风寺", "镜水湖公园"}
    assert {"云州东站", "翠竹火锅店"} <= set(found.decoys)


def test_names_of_verses_and_works_are_left_out() -> None:
    found = read("""# 云州游记
        ## Day1
        我们去了镜水湖公园，我们坐了一会儿就走了。
        孤雁寺前亭子西，寒鸦塔下水流低。
        我们想起了《登白鹤楼》。""")
    assert set(roles(found)) == {"镜水湖公园"}


def test_roles_in_a_diary() -> None:
    found = read("""# 云州游记
        ## Day1
        我们上午去了松风寺，我们很喜欢。我们本来想看云州博物馆，可惜周一闭馆，没去成。
        这里的老街和海州的铜雀古街很像，我们都这么觉得。""")
    assert roles(found)["松风寺"] == "visited"
    assert roles(found)["云州博物馆"] == "rejected"
    assert roles(found)["铜雀古街"] == "mentioned"


def test_stops_of_a_plan_are_recommended() -> None:
    found = read("# 云州攻略\n## 第一天\n松风寺 → 镜水湖公园\n## 第二天\n青石古镇 → 云州博物馆")
    assert set(roles(found).values()) == {"recommended"}
    assert found.kind == "route"
    assert found.days_stated == 2


def test_gazetteer_names_and_aliases_get_their_standard() -> None:
    gazetteer = (
        GazetteerEntry(standard="镜水湖风景区", names=("镜水", "鏡水湖")),
        GazetteerEntry(standard="断雁亭", parent="镜水湖风景区"),
    )
    found = read("# 云州攻略\n## 第一天\n鏡水湖 → 断雁亭\n## 第二天\n松风寺", gazetteer=gazetteer)
    linked = {m.name: (m.standard, m.parent) for m in found.mentions}
    assert linked["鏡水湖"] == ("镜水湖风景区", None)
    assert linked["断雁亭"] == ("断雁亭", "镜水湖风景区")
    assert linked["松风寺"] == (None, None)
    assert route(found) == {1: ["断雁亭"], 2: ["松风寺"]}, "scenes stand for an open area"


def test_gazetteer_names_inside_stations_and_hotels_do_not_count() -> None:
    gazetteer = (
        GazetteerEntry(standard="松风阁"),
        GazetteerEntry(standard="天府"),
        GazetteerEntry(standard="镜水客栈", kind="hotel"),
    )
    found = read(
        "# 攻略\n坐到松风阁站，住在松风阁酒店，天府大道很宽，镜水客栈不错。", gazetteer=gazetteer
    )
    assert found.mentions == ()


def test_longest_gazetteer_name_wins() -> None:
    gazetteer = (GazetteerEntry(standard="雁塔"), GazetteerEntry(standard="双雁塔"))
    found = read("# 攻略\n## 第一天\n双雁塔 → 松风寺", gazetteer=gazetteer)
    assert found.mentions[0].standard == "双雁塔"


def test_english_guide_headings_with_chinese_names() -> None:
    found = read(
        """# Testford guide
        ## Willow Old Town (柳河古城)
        Narrow lanes and teahouses. Best reached on foot.
        ## Copper Lantern Street Food (铜灯火锅)
        Spicy.
        ## Where to Stay
        Near Amber Garden there is the Grand Lotus Hotel.""",
        "en",
    )
    assert roles(found) == {"Willow Old Town": "recommended", "Amber Garden": "mentioned"}


def test_english_rejection_and_comparison() -> None:
    found = read(
        """# A day in Testford
        We walked to the Willow Temple and we loved it. We skipped Hollow Museum as we were tired.
        The stalls were like Amber Market. We took a taxi to Copper Tower and we climbed it.""",
        "en",
    )
    assert roles(found) == {
        "Willow Temple": "visited", "Hollow Museum": "rejected",
        "Amber Market": "mentioned", "Copper Tower": "visited",
    }  # fmt: skip


def test_a_page_without_sights_is_of_no_kind() -> None:
    found = read("# 记账\n今天买了三本书，花了九十元。")
    assert (found.kind, found.mentions, found.route) == ("none", (), None)
