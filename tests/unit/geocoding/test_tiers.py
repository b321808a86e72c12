"""How well it is known where a place lies: its own point, its container's, or only its city."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from geocoding.locate import with_tiers
from geocoding.places import TablePlaces, places_from_tables
from schemas.arrow import frame
from tests.support.geocoding.builders import CITY, attraction, attractions

ALL = ("location_tier", "lat", "coordinate_provider", "geocode_status")


def places(*parts: tuple[int, int]) -> TablePlaces:
    """Four places, the last two without a point; ``parts`` are (part, whole) by number."""
    made = places_from_tables(
        attractions(attraction(1, "青莲山"), attraction(2, "竹篮巷", 900.0),
                    attraction(3, "望湖亭", None), attraction(4, "听雨楼", None)),
        CITY,
    )  # fmt: skip
    ids = {row["name_zh"]: row["poi_id"] for row in made.pois.to_dicts()}
    of = [ids[name] for name in ("青莲山", "竹篮巷", "望湖亭", "听雨楼")]
    rows = [
        {"poi_id": of[part - 1], "city_id": CITY.city_id, "parent_poi_id": of[whole - 1],
         "relation": "part_of", "reason": "said"}
        for part, whole in parts
    ]  # fmt: skip
    return replace(made, hierarchy=frame("poi_hierarchy", rows))


def told(found: TablePlaces) -> dict[str, list[Any]]:
    rows = found.pois.select("name_zh", *ALL).rows()
    return {name: rest for name, *rest in rows}


def test_a_part_without_a_point_has_that_of_its_container() -> None:
    found = told(with_tiers(places((3, 1))))
    lat = found["青莲山"][1]
    assert [found[name][0] for name in ("青莲山", "竹篮巷", "望湖亭", "听雨楼")] == [
        "located", "located", "within", "city",
    ]  # fmt: skip
    assert found["望湖亭"][1:] == [lat, "container", "resolved"]
    assert found["听雨楼"][1:] == [None, None, "unresolved"]


def test_a_point_is_handed_down_once_and_asking_again_changes_nothing() -> None:
    once = with_tiers(places((3, 1), (4, 3)))
    assert told(once)["听雨楼"][0] == "city"
    assert with_tiers(once).pois.equals(once.pois)


def test_a_container_that_goes_takes_the_point_with_it() -> None:
    once = with_tiers(places((3, 1)))
    after = told(with_tiers(replace(once, hierarchy=frame("poi_hierarchy", []))))
    assert after["望湖亭"] == ["city", None, None, "unresolved"]


def test_a_part_with_a_point_keeps_it() -> None:
    found = with_tiers(places((2, 1))).pois.filter(pl.col("name_zh") == "竹篮巷").row(0, named=True)
    assert found["location_tier"] == "located"
    assert found["coordinate_provider"] != "container"
