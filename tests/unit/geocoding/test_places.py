from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from geocoding.places import TablePlaces, gazetteer_entries, places_from_tables
from schemas import ids
from schemas.arrow import to_arrow
from tests.support.geocoding.builders import CITY, attraction, attractions

TABLES = {
    "pois": "pois", "poi_aliases": "aliases", "poi_hierarchy": "hierarchy", "poi_facts": "facts",
    "evidence": "evidence", "quarantine": "quarantine",
}  # fmt: skip


def build(*rows: dict[str, object]) -> TablePlaces:
    places = places_from_tables(attractions(*rows), CITY)
    for table, attribute in TABLES.items():
        to_arrow(table, getattr(places, attribute))
    return places


def names(places: TablePlaces) -> dict[str, str]:
    return {row["poi_id"]: row["name_zh"] for row in places.pois.iter_rows(named=True)}


def parents(places: TablePlaces) -> dict[str, str]:
    name = names(places)
    rows = places.hierarchy.iter_rows(named=True)
    return {name[row["poi_id"]]: name[row["parent_poi_id"]] for row in rows}


def test_one_place_twice_is_merged_and_keeps_both_names() -> None:
    places = build(
        attraction(2, "灵峰寺", 0, price_cents=4550),
        attraction(3, "云州靈峰寺", 40, rating=4.5, hours_osm="08:00-17:00"),
    )
    assert (places.pois.height, places.merged) == (1, 1)
    row = places.pois.row(0, named=True)
    assert (row["name_zh"], row["rating"], row["lat"]) == ("灵峰寺", 4.5, 30.0)
    assert places.aliases["alias"].to_list() == ["云州靈峰寺"]
    assert places.aliases["alias_source"].to_list() == ["merge"]
    by_field = {f["fact_field"]: f for f in places.facts.iter_rows(named=True)}
    assert by_field["ticket_price"]["value"] == "45.5"
    second = ids.row_evidence_id(CITY.city_id, "attractions.csv", 3)
    assert by_field["opening_hours"]["evidence_id"] == second
    assert second in places.evidence["evidence_id"].to_list()


def test_equal_names_far_apart_stay_two_places() -> None:
    places = build(attraction(2, "灵峰寺", 0), attraction(3, "灵峰寺", 30_000))
    assert (places.pois.height, places.merged) == (2, 0)
    assert places.pois["poi_id"].n_unique() == 2


def test_equal_names_in_two_cities_have_two_ids() -> None:
    import dataclasses

    other = dataclasses.replace(CITY, city_id="gn900002")
    rows = attractions(attraction(2, "灵峰寺", 0))
    one, two = (places_from_tables(rows, city).pois["poi_id"][0] for city in (CITY, other))
    assert one != two


def test_a_nameless_spot_far_off_is_kept_and_a_namesake_without_coordinates_not_guessed() -> None:
    places = build(
        attraction(2, "灵峰寺", 0),
        attraction(3, "灵峰寺", 150_000),
        attraction(4, "灵峰寺", None),
    )
    assert places.pois.height == 3
    assert places.pois["geocode_status"].to_list().count("unresolved") == 1


def test_likeness_never_joins_two_certain_strangers() -> None:
    places = build(
        attraction(2, "云州美术馆(东馆)", 0),
        attraction(3, "云州美术馆", 10),
        attraction(4, "云州美术馆(西馆)", 20),
    )
    assert {"云州美术馆(东馆)", "云州美术馆(西馆)"} <= set(places.pois["name_zh"])


def test_branches_and_siblings_are_not_merged() -> None:
    places = build(
        attraction(2, "金鳞河游船(南桥码头)", 0),
        attraction(3, "金鳞河游船（北桥码头）", 200),
        attraction(4, "奉天殿", 400),
        attraction(5, "奉天门", 450),
    )
    assert places.merged == 0


def test_names_within_a_name_become_aliases() -> None:
    places = build(attraction(2, "银环（云州体育馆）"), attraction(3, "甲戌剧场(江北店)", 5_000))
    assert set(places.aliases["alias"]) == {"银环", "云州体育馆"}
    assert set(places.aliases["alias_source"]) == {"table"}


def test_hierarchy_by_source_by_dash_and_by_name() -> None:
    places = build(
        attraction(2, "青莲湖风景名胜区", 0, source_id="a"),
        attraction(3, "青莲湖-望月亭", 900),
        attraction(4, "听雨轩", 400, source_id="b", parent_source_id="a"),
        attraction(5, "灵峰寺", 9_000),
        attraction(6, "灵峰寺北门", 9_100),
        attraction(7, "无关楼", 9_050),
    )
    assert parents(places) == {
        "青莲湖-望月亭": "青莲湖风景名胜区",
        "听雨轩": "青莲湖风景名胜区",
        "灵峰寺北门": "灵峰寺",
    }


def test_circular_containers_are_broken() -> None:
    places = build(
        attraction(2, "甲园", 0, source_id="a", parent_source_id="b"),
        attraction(3, "乙亭", 900, source_id="b", parent_source_id="a"),
    )
    assert places.hierarchy.height == 1


def test_forms_of_facts() -> None:
    places = build(
        attraction(2, "灵峰寺", 0, price_cents=0, duration_min_min=90, duration_max_min=90),
        attraction(3, "丹鹤楼", 9_000, duration_min_min=120, duration_max_min=180),
        attraction(4, "青莲湖", 20_000, hours_osm="Mo-Fr 09:00-17:00"),
    )
    values = {(f["fact_field"], f["value"]) for f in places.facts.iter_rows(named=True)}
    assert values == {
        ("ticket_price", "0"),
        ("duration_hours", "1.5"),
        ("duration_hours", "2-3"),
        ("opening_hours", "Mo-Fr 09:00-17:00"),
    }
    hours = places.facts.filter(pl.col("fact_field") == "opening_hours")["hours_weekly"][0]
    assert len(hours) == 5
    assert set(places.facts["valid_when"]) == {"always"}


def test_category_from_type_and_from_a_religious_name() -> None:
    places = build(
        attraction(2, "灵峰寺", 0, base_type="historic_site"),
        attraction(3, "丹鹤楼", 9_000, base_type="historic_site"),
        attraction(4, "石林奇观", 20_000),
        attraction(5, "乙园", 30_000, base_type="park", category="art_technology"),
    )
    found = dict(zip(places.pois["name_zh"], places.pois["category"], strict=True))
    assert found == {
        "灵峰寺": "religious_spiritual",
        "丹鹤楼": "historical_cultural",
        "石林奇观": None,
        "乙园": "art_technology",
    }


@pytest.mark.parametrize(
    ("change", "check"),
    [
        ({"name_zh": "  "}, "name_missing"),
        ({"lat": 95.0}, "coordinates_out_of_range"),
        ({"lon": None}, "coordinates_incomplete"),
        ({"lat": float("nan")}, "coordinates_out_of_range"),
        ({"category": "nonsense"}, "unknown_code"),
        ({"base_type": "nonsense"}, "unknown_code"),
        ({"source_line": None}, "source_missing"),
    ],
)
def test_unusable_rows_are_set_aside(change: dict[str, object], check: str) -> None:
    places = build(attraction(2, "丹鹤楼"), {**attraction(3, "灵峰寺"), **change})
    assert places.pois["name_zh"].to_list() == ["丹鹤楼"]
    assert places.quarantine["check"].to_list() == [check]


def test_anchors() -> None:
    places = build(attraction(2, "灵峰寺", 0, source_id="x7"), attraction(3, "丹鹤楼", None))
    assert set(places.pois["anchor"]) == {f"{CITY.city_id}|src|x7", f"{CITY.city_id}|丹鹤楼|"}
    for row in places.pois.iter_rows(named=True):
        assert row["poi_id"] == ids.poi_id(row["anchor"])


def test_rows_with_one_source_id_are_one_place() -> None:
    places = build(
        attraction(2, "灵峰寺", 0, source_id="x"), attraction(3, "丹鹤楼", 5_000, source_id="x")
    )
    assert (places.pois.height, places.merged) == (1, 1)


def test_order_of_rows_does_not_matter() -> None:
    rows = attractions(
        attraction(2, "青莲湖", 0),
        attraction(3, "青莲湖景区", 100),
        attraction(4, "青莲湖-望月亭", 300),
        attraction(5, "灵峰寺", 4_000),
        attraction(6, "靈峰寺", 4_020),
        attraction(7, None, 10),
    )
    straight, turned = (places_from_tables(f, CITY) for f in (rows, rows.reverse()))
    for attribute in TABLES.values():
        assert_frame_equal(getattr(straight, attribute), getattr(turned, attribute))


def test_no_rows() -> None:
    places = places_from_tables(attractions(), CITY)
    assert (places.pois.height, places.merged, places.evidence.height) == (0, 0, 0)


def test_english_only_row_meets_a_row_that_has_the_name() -> None:
    places = build(
        attraction(2, "灵峰寺", 0, name_en="Lingfeng Temple"),
        attraction(3, None, 30, name_en="Lingfeng  temple"),
    )
    assert (places.pois.height, places.merged) == (1, 1)
    row = places.pois.row(0, named=True)
    assert (row["name_zh_origin"], row["name_en_origin"]) == ("original", "original")


def test_gazetteer_entries() -> None:
    places = build(
        attraction(2, "青莲湖", 0, name_en="Green Lotus Lake", aliases=["莲湖"]),
        attraction(3, "青莲湖-望月亭", 500),
    )
    entries = {entry.standard: entry for entry in gazetteer_entries(places)}
    assert entries["青莲湖"].names == ("Green Lotus Lake", "莲湖")
    assert entries["青莲湖-望月亭"].parent == "青莲湖"
