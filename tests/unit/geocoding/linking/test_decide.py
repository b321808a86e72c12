"""The city of each passage first, then the names given it; what is not certain is not linked."""

from __future__ import annotations

import pytest

from geocoding.linking.told import Name
from tests.support.geocoding.builders import attraction
from tests.support.geocoding.linking import HANGZHOU, NANJING, index_of, linked, place_of, told

INDEX = index_of(
    {
        HANGZHOU: ("青莲古塔", "竹篮巷", "人民公园", "望湖书院", "云栖碑林"),
        NANJING: ("玄石城墙", "听雨楼", "人民公园", "白鹭古渡", "夫子街碑亭", "夫子街"),
    }
)
H, N = HANGZHOU.city_id, NANJING.city_id


def test_a_common_name_is_of_the_city_that_the_passage_is_about() -> None:
    text = ["江南两日", "杭州：先去青莲古塔，再去人民公园。", "南京：玄石城墙。"]
    _, (tower, park, wall) = linked(told(text, ["青莲古塔", "人民公园", "玄石城墙"]), INDEX)
    assert (tower.city_id, park.city_id, wall.city_id) == (H, H, N)
    assert park.poi_id == place_of(INDEX, HANGZHOU, "人民公园")


def test_a_common_name_without_a_city_is_unknown() -> None:
    _, (park,) = linked(told(["随笔", "我们去了人民公园。"], ["人民公园"]), INDEX)
    assert (park.outcome, park.city_id, park.poi_id) == ("unknown", None, None)


def test_a_place_of_another_city_is_linked_where_that_city_is_named() -> None:
    there = ["杭州一日", "青莲古塔像南京的白鹭古渡一样好看。竹篮巷。"]
    names: list[str | Name] = ["青莲古塔", "白鹭古渡", "竹篮巷"]
    found, (_, ferry, _) = linked(told(there, names), INDEX)
    assert (ferry.outcome, ferry.city_id) == ("linked", N)
    assert max(found.stated, key=lambda city: found.stated[city]) == H
    silent = ["杭州一日", "青莲古塔像白鹭古渡一样好看。竹篮巷。"]
    _, (_, ferry, _) = linked(told(silent, names), INDEX)
    assert (ferry.outcome, ferry.city_id, ferry.poi_id) == ("review", None, None)
    assert ferry.rivals == (place_of(INDEX, NANJING, "白鹭古渡"),)


@pytest.mark.parametrize("name", ["北京听雨楼", "Beijing Tingyu Tower"])
def test_a_name_with_another_city_in_front_is_never_linked_here(name: str) -> None:
    _, (tower, wall) = linked(told(["南京", f"玄石城墙，{name}"], [name, "玄石城墙"]), INDEX)
    assert tower.poi_id is None
    assert tower.city_id not in (N, H)
    assert wall.outcome == "linked"


def test_what_the_reading_says_of_a_place_holds() -> None:
    park = Name(1, ("人民公园",), (), where="南京")
    _, (found, _) = linked(told(["杭州", "人民公园，青莲古塔"], [park, "青莲古塔"]), INDEX)
    assert found.poi_id == place_of(INDEX, NANJING, "人民公园")


def test_a_part_is_where_its_container_is() -> None:
    steps = Name(2, ("石阶",), (), parent=1)
    _, (_, found) = linked(told(["游记", "南京玄石城墙的石阶"], ["玄石城墙", steps]), INDEX)
    assert (found.outcome, found.city_id) == ("city", N)


def test_a_name_before_it_completes_a_name() -> None:
    text = ["南京", "夫子街一带：碑亭。"]
    _, (_, pavilion) = linked(told(text, ["夫子街", "碑亭"]), INDEX)
    assert pavilion.poi_id == place_of(INDEX, NANJING, "夫子街碑亭")


def test_each_day_is_in_the_city_of_most_of_its_stops() -> None:
    text = ["两城", "第一天 青莲古塔、竹篮巷、无名台", "第二天 玄石城墙、听雨楼、无名阁"]
    names: list[str | Name] = ["青莲古塔", "竹篮巷", "无名台", "玄石城墙", "听雨楼", "无名阁"]
    days: list[tuple[str | None, list[int]]] = [(None, [1, 2, 3]), (None, [4, 5, 6])]
    found, links = linked(told(text, names, days=days), INDEX)
    assert found.days == {(1, 1): H, (1, 2): N}
    assert [link.city_id for link in links] == [H, H, H, N, N, N]
    assert [link.outcome for link in links] == ["linked", "linked", "city"] * 2


def test_what_is_told_of_a_stop_counts_more_than_its_passage() -> None:
    text = ["杭州三日", "第三天 甲亭、乙亭、丙街"]
    names: list[str | Name] = [
        Name(n, (f"{sign}亭",), (), where="南京") for n, sign in ((1, "甲"), (2, "乙"))
    ]
    found, (*_, street) = linked(told(text, [*names, "丙街"], days=[(None, [1, 2, 3])]), INDEX)
    assert (found.days[1, 1], street.city_id) == (N, N)


def test_what_is_reached_from_a_city_and_back_does_not_lie_in_it() -> None:
    text = ["杭州三日", "第二天 杭州>丹霞寨>杭州", "青莲古塔、丹霞寨、寨门"]
    names: list[str | Name] = ["丹霞寨", "青莲古塔", Name(3, ("寨门",), (), parent=1)]
    _, (away, tower, gate) = linked(told(text, names, days=[(None, [2, 1])]), INDEX)
    assert (tower.outcome, away.outcome, gate.outcome) == ("linked", "unknown", "unknown")
    known = told(["杭州", "杭州-竹篮巷-杭州"], ["竹篮巷"])
    assert linked(known, INDEX)[1][0].outcome == "linked", "what its table has lies there"


def test_a_city_that_no_table_knows_is_elsewhere() -> None:
    text = ["东京三日", "浅草寺很热闹，人民公园也去了。东京塔。"]
    found, links = linked(told(text, ["浅草寺", "人民公园", "东京塔"]), INDEX)
    assert {link.city_id for link in links} == {"gn1850147"}
    assert all(link.poi_id is None for link in links)
    assert set(found.stated) == {"gn1850147"}


def test_links_depend_on_nothing_but_document_and_tables() -> None:
    alone = index_of({HANGZHOU: ("青莲古塔", "竹篮巷", "人民公园", "望湖书院", "云栖碑林")})
    document = told(["杭州", "青莲古塔、竹篮巷"], ["青莲古塔", "竹篮巷"])
    assert linked(document, alone)[1] == linked(document, INDEX)[1]
    assert linked(document, INDEX) == linked(document, INDEX)


def test_nothing_named() -> None:
    found, links = linked(told(["空白"], []), INDEX)
    assert (links, found.days, found.stated) == ([], {}, {})


def test_a_province_in_front_is_elsewhere_unless_the_city_lies_in_it() -> None:
    index = index_of({NANJING: ("南京市文献馆", "玄石城墙")})
    text = ["南京", "玄石城墙，辽宁省文献馆，江苏省文献馆"]
    names: list[str | Name] = ["玄石城墙", "辽宁省文献馆", "江苏省文献馆"]
    _, (_, far, near) = linked(told(text, names), index)
    assert (far.outcome, far.poi_id) == ("city", None)
    assert far.city_id != N
    assert near.city_id == N


def test_what_the_text_puts_in_an_unknown_place_is_not_of_its_surroundings() -> None:
    text = ["杭州三日", "第一天 青莲古塔、竹篮巷", "第二天 鹰嘴山：无名寺、无名亭"]
    apart = [Name(n, (form,), (), where="鹰嘴山") for n, form in ((3, "无名寺"), (4, "无名亭"))]
    days: list[tuple[str | None, list[int]]] = [(None, [1, 2]), (None, [3, 4])]
    found, links = linked(told(text, ["青莲古塔", "竹篮巷", *apart], days=days), INDEX)
    assert [link.outcome for link in links] == ["linked", "linked", "unknown", "unknown"]
    assert "鹰嘴山" in links[2].why
    assert found.days == {(1, 1): H, (1, 2): None}


@pytest.mark.parametrize("where", ["望湖", "杭州城外", "浙江省杭州市"])
def test_what_it_puts_in_a_known_place_or_by_a_city_is(where: str) -> None:
    names: list[str | Name] = ["青莲古塔", Name(2, ("无名寺",), (), where=where)]
    _, (_, temple) = linked(told(["杭州一日", "青莲古塔、无名寺"], names), INDEX)
    assert (temple.outcome, temple.city_id) == ("city", H)


def test_a_stop_among_known_ones_is_its_one_likely_place() -> None:
    text = ["杭州一日", "青莲古塔、竹篮巷、石室云栖碑林"]
    names: list[str | Name] = ["青莲古塔", "竹篮巷", "石室云栖碑林"]
    day: list[tuple[str | None, list[int]]] = [(None, [1, 2, 3])]
    _, (*_, steles) = linked(told(text, names, days=day), INDEX)
    assert steles.poi_id == place_of(INDEX, HANGZHOU, "云栖碑林")
    assert steles.why.endswith("a stop among known places")
    _, (*_, unsure) = linked(told(text, names, days=[(None, [1, 3])]), INDEX)
    assert (unsure.outcome, unsure.poi_id) == ("review", None), "one known stop says too little"
    _, (*_, unsure) = linked(told(text, names), INDEX)
    assert (unsure.outcome, unsure.poi_id) == ("review", None), "it is no stop"


def test_what_a_name_begins_is_not_likely() -> None:
    names: list[str | Name] = ["青莲古塔", "竹篮巷", "云栖碑"]
    day: list[tuple[str | None, list[int]]] = [(None, [1, 2, 3])]
    _, (*_, found) = linked(told(["杭州", "青莲古塔、竹篮巷、云栖碑"], names, days=day), INDEX)
    assert found.poi_id is None


def test_the_place_that_a_reading_gives_completes_a_name() -> None:
    pavilion = Name(1, ("碑亭",), (), where="夫子街")
    _, (found,) = linked(told(["南京", "夫子街的碑亭"], [pavilion]), INDEX)
    assert found.poi_id == place_of(INDEX, NANJING, "夫子街碑亭")


def test_places_without_points_are_linked_by_name_and_a_tie_stays_open() -> None:
    blank = {"lat": None, "lon": None}
    rows = tuple(
        attraction(at, name, 0) | blank
        for at, name in enumerate(["青莲古塔", "人民公园", "人民公园"], 2)
    )
    index = index_of({HANGZHOU: rows})
    _, (tower, park) = linked(told(["杭州", "青莲古塔、人民公园"], ["青莲古塔", "人民公园"]), index)
    assert tower.outcome == "linked"
    assert park.outcome in ("linked", "review"), "one row a name, or a person decides"
    assert (park.poi_id is None) == (park.outcome == "review")


def test_of_two_cities_of_one_name_the_larger_is_meant() -> None:
    _, (temple,) = linked(
        told(["Notes", "We went to Suzhou: Wuming Temple."], ["Wuming Temple"]), INDEX
    )
    assert temple.city_id == "gn1886760"


def test_a_document_of_many_names_gets_a_link_for_each() -> None:
    names: list[str | Name] = [f"无名{chr(0x5200 + at)}{chr(0x5900 + at)}寺" for at in range(400)]
    text = ["杭州名录", "、".join(map(str, names))]
    found, links = linked(told(text, names), INDEX)
    assert len(found.links) == len(names)
    assert {link.city_id for link in links} == {H}


def test_what_is_the_provinces_is_found_by_its_name() -> None:
    index = index_of({HANGZHOU: ("浙江省博物馆", "杭州博物馆", "竹篮巷")})
    for said in ("省博物馆", "杭州省博物馆"):
        _, (museum, _) = linked(told(["杭州", f"{said}，竹篮巷"], [said, "竹篮巷"]), index)
        assert museum.poi_id == place_of(index, HANGZHOU, "浙江省博物馆")


def test_a_short_form_is_not_what_its_full_name_cannot_be() -> None:
    index = index_of({HANGZHOU: ("青莲坊博物馆", "竹篮巷")})
    market = Name(1, ("Qinglianfang Electronics Market", "Qinglianfang"), ())
    text = "Qinglianfang Electronics Market, Qinglianfang, 竹篮巷"
    _, (found, _) = linked(told(["Hangzhou", text], [market, "竹篮巷"]), index)
    assert (found.outcome, found.poi_id) == ("review", None)
    _, (plain, _) = linked(
        told(["Hangzhou", text], [Name(1, ("Qinglianfang",), ()), "竹篮巷"]), index
    )
    assert plain.outcome == "linked"
