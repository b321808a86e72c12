"""General rules found on fresh pairs. Every name is made up; none stands on a list of pairs."""

from __future__ import annotations

import pytest

from geocoding.asked import evidence
from geocoding.names import NameReader, spellings
from geocoding.pairs import NameVerdict, compare
from geocoding.translation import read_entries, translations
from tests.support.geocoding.builders import CITY

READER = NameReader.of(CITY)


def verdict(a: str, b: str, metres: float | None = None) -> NameVerdict:
    return compare(READER.read(a), READER.read(b), metres)


@pytest.mark.parametrize(
    ("a", "b", "label"),
    [
        ("松风省博物馆", "松风省博", "same"),
        ("竹篮老街", "竹篮步行街", "same"),
        ("竹篮巷", "竹篮巷小吃街", "same"),
        ("云栖大峡谷", "云栖峡谷", "same"),
        ("灵峰寺", "灵峰寺庙", "same"),
        ("竹村", "竹村古村", "same"),
        ("古镇云栖", "云栖古镇景区", "same"),
        ("青莲桥", "青莲索桥", "same"),
        ("云栖山后山", "云栖后山", "same"),
        ("灵峰寺飞云洞", "灵峰飞云洞", "same"),
        ("云栖山公园", "云栖公园", "different"),
        ("灵峰塔", "灵峰塔寺", "part-of"),
        ("青莲湖", "青莲湖生态旅游风景区", "same"),
        ("京畿云栖峡旅游区", "云栖峡", "same"),
        ("云栖亲王府", "云栖王府", "same"),
        ("白云集团灵峰植物园", "灵峰植物园", "same"),
        ("灵峰轻轨站", "灵峰站", "same"),
        ("竹鸣馆(原松涛乐园)", "松涛乐园", "same"),
        ("松鹤馆和青莲阁博物馆", "青莲阁", "parent-of"),
        ("青莲阁和松鹤馆", "青莲阁", "parent-of"),
        ("灵峰飞云岩景区", "灵峰寺", "parent-of"),
        ("青莲阁", "夜上青莲阁", "parent-of"),
        ("竹篮园", "竹篮园商城", "different"),
        ("云栖国际会展中心", "青莲新云栖国际会展中心", "different"),
        ("云栖大厦观光厅", "云栖大厦雨林", "different"),
        ("白鹭公园", "白鹭体育中心", "different"),
        ("竹篮巷", "竹篮巷小吃一条街", "same"),
        ("青莲塔", "青莲塔文化公园", "same"),
        ("云栖", "云栖滨海旅游度假区", "same"),
        ("青莲画廊", "青莲画廊(西段)", "parent-of"),
        ("竹篮滩", "北竹篮滩广场", "different"),
        ("Guo's Villa", "郭庄", "same"),
        ("云州长城", "云州博物院", "different"),
        ("云州博物馆", "云州文化公园", "different"),
        ("竹篮广场商贸旅游区", "竹篮广场", "same"),
        ("青莲坊灵峰院历史文化保护区", "灵峰院", "parent-of"),
        ("青莲江夜游", "青莲江夜游(石桥码头)", "parent-of"),
    ],
)
def test_rules_about_kinds(a: str, b: str, label: str) -> None:
    d = 4_000.0 if b.endswith("体育中心") else None
    assert verdict(a, b, d).label == label


def test_reach_of_parks_decks_and_joined_areas() -> None:
    assert verdict("青莲湖湿地公园", "青莲湖", 1_500.0).label == "same"
    assert verdict("竹篮之巅", "竹篮之巅观景平台", 3_500.0).label == "parent-of"
    assert verdict("青莲峡·白鹭景区", "青莲峡", 15_000.0).label == "parent-of"


@pytest.mark.parametrize(
    ("a", "b", "metres", "label"),
    [
        ("青莲江", "青莲江夜游", 12_000.0, "parent-of"),
        ("青莲江", "青莲江夜游", 80_000.0, "different"),
        ("青莲山", "青莲山滑雪场", 14_000.0, "parent-of"),
        ("东山", "东山滑雪场", 14_000.0, "different"),
        ("青莲湖景区", "青莲湖石林景区", 24_000.0, "parent-of"),
        ("青莲湖竹谷景区", "青莲湖石林景区", 3_000.0, "different"),
        ("松涛园", "松涛园冰雪嘉年华", 2_400.0, "parent-of"),
        ("“白鹭公主”青莲江游船", "“快乐水手”青莲江游船", 10.0, "different"),
        ("云栖坊青莲湾海洋公园", "青莲湾海洋乐园", 40.0, "same"),
        ("竹篮路", "长夜鬼屋(竹篮路银厦店)", 260.0, "parent-of"),
        ("竹篮路", "长夜鬼屋(竹篮路银厦店)", 1_500.0, "different"),
    ],
)
def test_reach_of_names_that_go_on(a: str, b: str, metres: float, label: str) -> None:
    assert verdict(a, b, metres).label == label


def test_a_second_name_of_the_city_may_be_a_word_of_the_name() -> None:
    reader = NameReader(("云州",), frozenset({"yunzhou", "songtao"}), "yunzhou")
    assert compare(reader.read("Songtao Square"), reader.read("松涛广场")).label == "same"


def test_a_museum_in_a_palace_reaches_as_far_as_the_palace() -> None:
    palace, hall = READER.read("灵宫博物院"), READER.read("望月殿")
    assert palace.house is not None
    assert palace.house.code == "palace"
    assert evidence(palace, hall, 450.0)["beyond"] == 0.0
    assert evidence(READER.read("青莲博物院"), hall, 450.0)["beyond"] > 0.5


def test_a_name_of_another_large_city_in_front_is_that_citys_place() -> None:
    assert verdict("灵峰塔", "沈阳灵峰塔").label == "different"
    assert verdict("灵峰塔", "沈阳灵峰塔", 50.0).label == "same"


def test_a_shop_that_names_its_place_in_brackets_lies_in_it() -> None:
    assert verdict("青莲中心", "探灯工场(青莲中心旗舰店)", 200.0).label == "parent-of"
    assert verdict("青莲中心", "探灯工场(青莲中心旗舰店)", 3_000.0).label == "different"


def test_the_other_name_in_brackets_is_compared_as_well() -> None:
    assert verdict("雀窝(灵峰体育场)", "灵峰体育场北门").label == "parent-of"
    assert verdict("雀窝(灵峰体育场)", "灵峰体育场").label == "same"


@pytest.mark.parametrize(
    ("zh", "en", "label"),
    [
        ("青莲仙境", "Qinglian Wonderland", "same"),  # a word only the dictionary translates
        ("石涌", "Shichong", "same"),  # another reading of the character
        ("恭文府", "Kungwen Mansion", "same"),  # Wade-Giles
        ("青莲湖", "Qinglian Lake Scenic Area", "same"),
        ("尚青湖风景区", "Shangqinghu Lake", "same"),
        ("灵虎山", "Linghu Temple", "parent-of"),
        ("白虎丘山风景区", "White Tiger Hill Pagoda", "parent-of"),
        ("融星雪世界", "Sunstella Snow World", "same"),  # a brand that is no pinyin
        ("融星雪世界", "Jingshan Snow World", "different"),
        ("青莲丝绸博物馆", "Qinglian Railway Museum", "different"),
    ],
)
def test_translations(zh: str, en: str, label: str) -> None:
    assert verdict(zh, en).label == label


def test_other_readings_and_spellings() -> None:
    assert {"shichong", "shiyong"} <= spellings("石涌")
    assert "kung" in spellings("恭")


def test_translations_come_from_the_dictionary_by_form() -> None:
    assert ("wonderland",) in translations("仙境")
    assert translations("仙境仙境") == ()
    lines = ["茶 茶 [cha2] /tea/CL:杯[bei1]/", "# comment [x] /y/", "X 一二三四五六 [x] /long/"]
    assert read_entries(lines) == {"茶": ["tea/CL:杯[bei1]"]}


def test_an_area_named_after_two_sights_holds_both() -> None:
    for sight in ("青莲城", "云栖峡"):
        assert verdict("青莲城·云栖峡景区", sight).label == "parent-of"


@pytest.mark.parametrize(
    ("a", "b", "label"),
    [
        ("灵峰动物园", "灵峰森林动物园", "same"),
        ("灵峰动物园", "灵峰竹篮动物园", "different"),
        ("青莲寨博物馆", "青莲寨松涛园旅游博物馆", "different"),
        ("中共二大会址", "中国共产党第二次全国代表大会会址", "same"),
        ("青莲寺遗址景区", "青莲寺", "same"),
        ("沈阳松涛源", "松涛源景区", "same"),
        ("沈阳", "松涛源景区", "different"),
        ("深浅巷子", "浅巷子", "parent-of"),
        ("大浅巷子", "浅巷子", "different"),
        ("灵峰大学(青莲校区)", "灵峰大学(青莲校区)-标本馆", "parent-of"),
        ("灵峰大学(青莲校区)", "灵峰大学(白鹭校区)-标本馆", "different"),
    ],
)
def test_short_forms_and_branches(a: str, b: str, label: str) -> None:
    assert verdict(a, b).label == label


def test_a_museum_in_the_house_of_its_name_is_the_house_at_one_point() -> None:
    assert verdict("青莲关博物馆", "青莲关大楼", 10.0).label == "same"
    assert verdict("青莲关博物馆", "青莲关大楼", 300.0).label != "same"


@pytest.mark.parametrize(
    ("zh", "en", "label"),
    [
        ("青莲堰景区", "Qinglianyan Irrigation System", "same"),
        ("青莲堰景区", "Qinglianyan Bridge", "parent-of"),
        ("腾洛水上乐园", "Sumelong Water Park", "different"),
        ("松隆水上乐园", "Chumelong Water Park", "same"),
        ("松山公园", "Jingshan Park", "different"),
        ("云栖海洋馆", "Yunqi Ocean World", "same"),
    ],
)
def test_brands_and_words_beside_a_translated_name(zh: str, en: str, label: str) -> None:
    assert verdict(zh, en).label == label


@pytest.mark.parametrize(
    ("a", "b", "label"),
    [
        ("Museo Ana Verde", "Ana Verde Museum", "same"),
        ("Plaza Verdemar", "Verdemar Square", "same"),
        ("Mosteiro dos Verdes", "Verdes Monastery", "same"),
        ("Museo Nacional de las Aves", "Museo Nacional de Aves", "same"),
        ("Museo Nacional de Aves", "Museo Nacional de Arte", "different"),
        ("El-Nasim Street", "Al-Nasim Street", "same"),
        ("Saint Brannock's Chapel", "St. Brannock's Chapel", "same"),
        ("Seigan-ji", "Seiganji Temple", "same"),
        ("Verdemar Market", "Verdemar Avenue", "different"),
        ("Verdemar Road", "Verdemar Street", "same"),
        ("Museo Verdemar in Casiano", "Verdemar Museum", "same"),
        ("Tacos in Casiano", "Casiano", "different"),
        ("Museum of Birds in America", "Museum of Birds in Africa", "different"),
    ],
)
def test_types_and_little_words_of_other_languages(a: str, b: str, label: str) -> None:
    assert verdict(a, b).label == label


@pytest.mark.parametrize(
    ("a", "b", "label"),
    [
        ("青莲口镇", "清廉口古镇", "same"),  # by ear
        ("西冷松社", "西泠松社", "same"),  # one sign for another that sounds like it
        ("东冷松社", "西泠松社", "different"),  # two signs, one of them a direction
        ("青坛公园", "请灯公园", "different"),  # too short to be a slip
        ("白鹭坊第三馆社", "白鹭坊第四馆社", "different"),  # numbers are no slips
        ("云州白鹭繁育研究基地", "白鹭研究繁育基地", "same"),  # words in another order
        ("白鹭竹石坊", "竹石白鹭坊", "different"),  # five characters say too little
    ],
)
def test_slips_of_the_pen(a: str, b: str, label: str) -> None:
    assert verdict(a, b).label == verdict(b, a).turn().label == label


def test_a_slip_makes_no_verdict_surer() -> None:
    assert verdict("西冷松社", "西泠松社").score < verdict("西泠松社", "西泠松社").score


@pytest.mark.parametrize(
    ("a", "b", "label"),
    [
        ("灵峰夕照", "灵峰塔", "same"),
        ("灵峰夕照", "青莲湖灵峰塔", "same"),
        ("灵峰夕照", "白鹭塔", "different"),
        ("青莲桥", "青莲桥附近", "same"),
        ("松江省博物馆", "松江博物馆", "same"),
        ("湖滨三公园", "三公园", "same"),
        ("湖滨三公园", "四公园", "different"),
        ("大运河", "青莲大运河云州景区", "same"),
        ("大运河", "青莲大运河沈阳景区", "parent-of"),
        ("青莲路", "青莲历史文化街区", "same"),
        ("青莲路", "青莲大道", "different"),
        ("云栖部落森林", "云栖部落森林假日公园", "parent-of"),  # says its kind already
        ("松鼠竹屋", "松鼠竹屋假日公园", "same"),
        ("松屋", "松屋假日公园", "parent-of"),  # too short for a name of nobody else
        ("云栖岭", "云栖岭长城", "same"),
        ("云栖岭", "云栖岭古街", "parent-of"),
        ("竹篮坊", "长夜鬼屋(云州竹篮坊店)", "parent-of"),
        ("竹篮坊", "长夜鬼屋(青莲竹篮坊店)", "different"),
    ],
)
def test_views_places_about_and_the_citys_own(a: str, b: str, label: str) -> None:
    assert verdict(a, b).label == label


def test_a_province_before_its_museum() -> None:
    assert verdict("省博物馆", "湖北省博物馆").label == "same"
    assert verdict("省博物馆", "青莲竹博物馆").label == "different"
