"""Attractions, hotels and restaurants of the traveleval layout."""

from __future__ import annotations

import polars as pl
import pytest

from schemas.arrow import to_arrow
from schemas.geo import distance_m, from_wgs84, wgs84_to_gcj02
from schemas.places import ATTRACTIONS
from tests.unit.sources.tables.conftest import PARK, Source, count, kinds


def attraction(source: Source, **cells: str) -> dict[str, object]:
    """The attraction that a row becomes; cells by column name, the rest from PARK."""
    names = "id name type lat lon opentime endtime price recommendmintime recommendmaxtime star"
    row = {**dict(zip(names.split(), PARK.split(","), strict=True)), **cells}
    source.attractions(",".join(row.values()))
    return source.read().attractions.row(0, named=True)


def test_an_attraction_row_is_read_whole(source: Source) -> None:
    imported = source.read()
    assert imported.attractions.schema == ATTRACTIONS
    row = imported.attractions.row(0, named=True)
    assert (row["name_zh"], row["name_en"], row["source_id"]) == ("青石公园", None, None)
    assert (row["base_type"], row["trend_types"]) == ("park", ["family_friendly"])
    assert row["category"] == "leisure_recreation"
    assert (row["hours_osm"], row["price_cents"]) == ("06:30-18:00", 0)
    assert (row["duration_min_min"], row["duration_max_min"], row["rating"]) == (30, 90, 4.6)
    assert (row["source_file"], row["source_line"]) == ("attractions/hangzhou/attractions.csv", 2)
    assert kinds(imported, "attractions") == set()


def test_attractions_come_from_bd09_and_the_rest_from_gcj02(source: Source) -> None:
    lat, lon = 30.2450, 120.1500
    gcj = wgs84_to_gcj02(lat, lon)
    bd = from_wgs84(lat, lon, "bd09")
    source.attractions(f"0,石塔,{{历史古迹}},{bd[0]},{bd[1]},8:00,17:00,10,1,2,4")
    source.hotels(f"0,塔下酒店,,湖景房,{gcj[0]},{gcj[1]},1,1,1,1,1,1,1,1")
    source.restaurants(f"0,塔前面馆,{gcj[0]},{gcj[1]},20,小吃,8:00,20:00,面")
    imported = source.read()
    for table, datum in (("attractions", "bd09"), ("hotels", "gcj02"), ("restaurants", "gcj02")):
        row = getattr(imported, table).row(0, named=True)
        assert distance_m(lat, lon, row["lat"], row["lon"]) < 1
        assert row["datum_original"] == datum
    assert imported.attractions["coordinate_provider"].to_list() == ["baidu"]


@pytest.mark.parametrize(
    ("written", "base_type", "trends", "finding"),
    [
        (
            "{自然风光;历史古迹;城市地标}",
            "natural_scenery",
            ["city_landmark"],
            ("mark", "base_type_several"),
        ),
        ("{公园夜经济热点}", "park", ["night_economy"], ("fix", "types_run_together")),
        ("公园", "park", [], ("fix", "type_brackets")),
        ("[公园;小众秘境}", "park", ["hidden_gem"], ("fix", "type_brackets")),
        ("{公园;亲子友好;}", "park", ["family_friendly"], ("fix", "type_blank")),
        ("{公园;会飞的鱼}", "park", [], ("mark", "type_unknown")),
        ("{网红打卡点}", None, ["internet_famous"], ("mark", "base_type_missing")),
        ("{公园;公园}", "park", [], ("fix", "type_repeated")),
        ("", None, [], ("mark", "type_missing")),
    ],
)
def test_type_lists(
    source: Source, written: str, base_type: str | None, trends: list[str], finding: tuple[str, str]
) -> None:
    row = attraction(source, type=written)
    assert (row["base_type"], row["trend_types"]) == (base_type, trends)
    assert kinds(source.read(), "attractions") == {finding}


@pytest.mark.parametrize(
    ("name", "written", "price", "hours"),
    [
        ("青石公园", "{公园}", "0", "24/7"),
        ("青石公园", "{公园}", "30", None),  # a ticket, so a gate
        ("古钱博物馆", "{博物馆/纪念馆}", "0", None),
        ("陈家老宅", "{历史古迹}", "0", None),
        ("青石古镇", "{历史古迹}", "0", "24/7"),
        ("云栖禅寺", "{人文景观}", "0", None),  # a temple has a gate, whatever its type
    ],
)
def test_round_the_clock_is_believed_only_without_a_gate(
    source: Source, name: str, written: str, price: str, hours: str | None
) -> None:
    row = attraction(source, name=name, type=written, price=price, opentime="0:00", endtime="24:00")
    assert row["hours_osm"] == hours
    expected = set() if hours else {("mark", "hours_filler")}
    assert kinds(source.read(), "attractions") == expected


@pytest.mark.parametrize(
    ("opens", "closes", "hours", "finding"),
    [
        ("17:30", "2:00", "17:30-02:00", None),
        ("9:00", "24:00", "09:00-24:00", None),
        ("0:00", "0:00", None, "hours_empty"),
        ("9.00", "17:00", None, "hours_unreadable"),
        ("0:00", "22:00", "00:00-22:00", "hours_from_midnight"),
        ("12:00", "12:20", "12:00-12:20", "visit_longer_than_hours"),
        ("", "17:00", None, None),
    ],
)
def test_hours(
    source: Source, opens: str, closes: str, hours: str | None, finding: str | None
) -> None:
    assert attraction(source, opentime=opens, endtime=closes)["hours_osm"] == hours
    expected = {("mark", finding)} if finding else set()
    assert kinds(source.read(), "attractions") == expected


@pytest.mark.parametrize(
    ("written", "longest", "price"),
    [
        ("{游乐园/体育娱乐}", "3", None),
        ("{游乐园/体育娱乐}", "0.75", 0),
        ("{博物馆/纪念馆}", "3", 0),
        ("{园林}", "3", 0),
    ],
)
def test_price_zero(source: Source, written: str, longest: str, price: int | None) -> None:
    row = attraction(source, type=written, recommendmaxtime=longest, price="0")
    assert row["price_cents"] == price
    assert (("mark", "price_filler") in kinds(source.read(), "attractions")) == (price is None)


def test_the_finding_keeps_the_original(source: Source) -> None:
    attraction(source, type="{博物馆/纪念馆}", opentime="0:00", endtime="24:00")
    finding = source.read().findings.filter(pl.col("kind") == "hours_filler").row(0, named=True)
    assert "0:00-24:00" in finding["message"]
    assert (finding["source_file"], finding["source_line"]) == (
        "attractions/hangzhou/attractions.csv", 2,
    )  # fmt: skip


def test_unknown_minimum_and_order_of_visits(source: Source) -> None:
    row = attraction(source, recommendmintime="0", recommendmaxtime="2")
    assert (row["duration_min_min"], row["duration_max_min"]) == (None, 120)
    row = attraction(source, recommendmintime="3", recommendmaxtime="2")
    assert (row["duration_min_min"], row["duration_max_min"]) == (None, None)


@pytest.mark.parametrize(
    ("cells", "check"),
    [
        ({"price": "-5"}, "price"),
        ({"price": "免费"}, "number"),
        ({"price": "1e300"}, "number"),
        ({"lat": "0", "lon": "0"}, "coordinates"),
        ({"lat": "130.2"}, "coordinates"),
        ({"lat": "nan"}, "coordinates"),
        ({"lat": "inf"}, "coordinates"),
        ({"name": " "}, "empty"),
        ({"star": "五星"}, "number"),
        ({"recommendmintime": "-1"}, "duration"),
        ({"star": "4.6,1"}, "shape"),
    ],
)
def test_a_broken_row_is_set_aside_and_the_rest_goes_on(
    source: Source, cells: dict[str, str], check: str
) -> None:
    names = "id name type lat lon opentime endtime price recommendmintime recommendmaxtime star"
    row = {**dict(zip(names.split(), PARK.split(","), strict=True)), **cells}
    good = PARK.replace("青石公园", "白石公园")
    source.attractions(",".join(row.values()), good)
    imported = source.read()
    assert count(imported, "attractions") == (2, 1, 0, 1)
    assert imported.attractions["name_zh"].to_list() == ["白石公园"]
    (aside,) = imported.quarantine.rows(named=True)
    assert (aside["check"], aside["source_line"], aside["stage"]) == (check, 2, "tables")
    assert aside["message"]
    assert aside["table"] == "attractions"
    assert ("quarantine", check) in kinds(imported, "attractions")
    to_arrow("quarantine", imported.quarantine)


def test_blank_words_are_unknown(source: Source) -> None:
    row = attraction(source, price="NaN", recommendmintime="null", star="")
    assert (row["price_cents"], row["duration_min_min"], row["rating"]) == (None, None, None)
    assert count(source.read(), "attractions") == (1, 1, 0, 0)


def test_rating_out_of_range_is_unknown(source: Source) -> None:
    assert attraction(source, star="9.5")["rating"] is None
    assert kinds(source.read(), "attractions") == {("mark", "rating_range")}


def test_swapped_coordinates_are_put_right(source: Source) -> None:
    right = attraction(source)
    swapped = attraction(source, lat="120.1657", lon="30.2569")
    assert (swapped["lat"], swapped["lon"]) == (right["lat"], right["lon"])
    assert kinds(source.read(), "attractions") == {("fix", "coordinates_swapped")}


def test_a_place_far_away_is_marked_and_kept(source: Source) -> None:
    attraction(source, lat="39.9", lon="116.4")
    imported = source.read()
    assert count(imported, "attractions") == (1, 1, 0, 0)
    assert kinds(imported, "attractions") == {("mark", "far_from_city")}


def test_missing_coordinates_stay_unknown(source: Source) -> None:
    row = attraction(source, lat="", lon="")
    assert (row["lat"], row["lon"], row["coordinate_provider"]) == (None, None, None)
    assert kinds(source.read(), "attractions") == {("mark", "coordinates_missing")}


@pytest.mark.parametrize(
    ("name", "written", "category"),
    [
        ("云栖禅寺", "{历史古迹}", "religious_spiritual"),
        ("云栖禅寺(北门)", "{历史古迹}", "religious_spiritual"),
        ("紫烟观", "{历史古迹}", "religious_spiritual"),
        ("江城大观", "{人文景观}", "city_sightseeing"),
        ("寺前街", "{商业街区}", "city_sightseeing"),
        ("什么", "{其它}", None),
    ],
)
def test_category(source: Source, name: str, written: str, category: str | None) -> None:
    assert attraction(source, name=name, type=written)["category"] == category


def test_a_hotel_row_holds_its_rooms(source: Source) -> None:
    imported = source.read()
    row = imported.hotels.row(0, named=True)
    assert (row["name_zh"], row["name_en"], row["feature"]) == (
        "柳岸酒店", "Willow Bank Hotel", "lake_view",
    )  # fmt: skip
    assert row["rooms"] == [
        {"room_type": "single", "price_cents": 30000, "stock": 1},
        {"room_type": "king", "price_cents": 35050, "stock": 0},
        {"room_type": "double", "price_cents": 36000, "stock": 2},
        {"room_type": "family", "price_cents": 50000, "stock": 3},
    ]
    to_arrow("hotels", imported.hotels)


def test_repeated_hotels_are_merged_into_the_first(source: Source) -> None:
    source.hotels(
        "0,云水酒店(湖滨店),,湖景房,30.2500,120.1600,300,1,350,0,360,2,500,3",
        "1,云水酒店（湖滨店）,,湖景房,30.2500,120.1600,300,5,350,5,360,5,500,5",
        "2,云水 酒店(湖滨店),,湖景房,30.2505,120.1605,200,1,250,0,260,2,400,3",  # 70 m away
        "3,云水酒店(湖滨店),,湖景房,30.2700,120.1600,300,1,350,0,360,2,500,3",  # 2 km away
        "4,云水酒店(城站店),,湖景房,30.2500,120.1600,300,1,350,0,360,2,500,3",
    )
    imported = source.read()
    assert count(imported, "hotels") == (5, 3, 2, 0)
    assert imported.hotels["hotel_id"].n_unique() == 3
    assert sorted(imported.hotels["source_line"]) == [2, 5, 6]
    messages = imported.findings.filter(pl.col("kind") == "hotel_repeated")["message"].to_list()
    assert all("accommodations.csv:2" in message for message in messages)
    assert ["price differs" in message for message in messages] == [False, True]


def test_hotel_features_and_stock(source: Source) -> None:
    source.hotels(
        "0,甲酒店,,普普通通,30.25,120.16,300,1,0,0,360,2,500,3",
        "1,乙酒店,,湖景房 ,30.25,120.17,300,-1,350,0,360,2,500,3",
        "2,丙酒店,,湖景房 ,30.25,120.17,300,1,350,0,360,2,500,3",
    )
    imported = source.read()
    features = dict(imported.hotels.select("name_zh", "feature").iter_rows())
    assert features == {"甲酒店": None, "丙酒店": "lake_view"}
    assert imported.quarantine["check"].to_list() == ["stock"]
    assert ("mark", "feature_unknown") in kinds(imported, "hotels")
    assert ("fix", "feature_spaces") in kinds(imported, "hotels")
    rooms = imported.hotels.filter(pl.col("name_zh") == "甲酒店")["rooms"][0]
    assert rooms.struct.field("price_cents").to_list() == [30000, None, 36000, 50000]


def test_a_restaurant_row(source: Source) -> None:
    imported = source.read()
    row = imported.restaurants.row(0, named=True)
    assert (row["cuisine"], row["price_cents"], row["dishes"]) == (
        "jiangzhe", 8850, ["藕粉", "糖醋排骨"],
    )  # fmt: skip
    assert row["hours_osm"] == "10:30-21:00"
    assert row["hours_weekly"][0] == {"weekday": 0, "open_min": 630, "close_min": 1260}
    assert len(row["hours_weekly"]) == 7
    to_arrow("restaurants", imported.restaurants)


def test_blank_dishes_and_cuisine_are_empty_and_unknown(source: Source) -> None:
    source.restaurants("0,无名小馆,30.2510,120.1610,20, ,18:00,02:00, ")
    row = source.read().restaurants.row(0, named=True)
    assert (row["dishes"], row["cuisine"]) == ([], None)
    assert {"weekday": 1, "open_min": 1080, "close_min": 1560} in row["hours_weekly"]


def test_ids_do_not_depend_on_other_rows(source: Source) -> None:
    before = source.read()
    source.hotels(
        "0,新开酒店,,湖景房,30.21,120.11,300,1,350,0,360,2,500,3",
        "1,柳岸酒店,Willow Bank Hotel,湖景房,30.2500,120.1600,999,1,350.5,0,360,2,500,3",
    )
    after = source.read()
    assert before.hotels["hotel_id"][0] in after.hotels["hotel_id"].to_list()
