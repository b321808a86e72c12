"""Boroughs that GeoNames lists as towns of their own, and towns beside a city."""

from __future__ import annotations

from typing import Any

import pytest

from geocoding.linking.told import Link, Name
from schemas.cities import find_city
from tests.support.geocoding.builders import attraction
from tests.support.geocoding.linking import index_of, linked, place_of, told

NEW_YORK = find_city("New York City")
#: GeoNames' points of Manhattan, Queens and Yonkers.
MANHATTAN, QUEENS, YONKERS = (40.7834, -73.9663), (40.6815, -73.8365), (40.9312, -73.8988)


def _row(line: int, name: str, lat: float, lon: float) -> dict[str, Any]:
    return attraction(line, None, name_en=name) | {"lat": lat, "lon": lon}


INDEX = index_of(
    {
        NEW_YORK: (
            _row(2, "Larkhaven Museum", *MANHATTAN),
            _row(3, "Cloudrock Tower", MANHATTAN[0] + 0.01, MANHATTAN[1]),
            _row(4, "Bluestone Garden", MANHATTAN[0] - 0.01, MANHATTAN[1]),
            _row(5, "Willow Creek House", QUEENS[0] + 0.09, QUEENS[1]),
            _row(6, "New York Lantern Library", *MANHATTAN),
        )
    }
)


def _link(name: str, where: str | None, city: str = "New York City") -> Link:
    names: list[str | Name] = [Name(1, (name,), (), where=where), "Cloudrock Tower"]
    _, (found, _) = linked(told([city, f"{name}, then Cloudrock Tower."], names), INDEX)
    return found


@pytest.mark.parametrize("where", ["Manhattan", "Lower Manhattan", "New York City", None])
def test_a_borough_is_a_part_of_its_city(where: str | None) -> None:
    found = _link("Larkhaven Museum", where)
    assert found.poi_id == place_of(INDEX, NEW_YORK, "Larkhaven Museum")


def test_what_no_table_has_lies_in_the_city_of_its_borough() -> None:
    found = _link("Nameless Hall", "Manhattan")
    assert (found.outcome, found.city_id) == ("city", NEW_YORK.city_id)


def test_a_place_of_the_table_beside_the_town_is_the_one_meant() -> None:
    found = _link("Willow Creek House", "Queens")
    assert found.poi_id == place_of(INDEX, NEW_YORK, "Willow Creek House")


def test_a_town_of_its_own_stays_elsewhere() -> None:
    for name in ("Larkhaven Museum", "Nameless Hall"):
        found = _link(name, "Yonkers")
        assert found.poi_id is None
        assert found.city_id != NEW_YORK.city_id


def test_a_quarter_called_like_a_city_abroad_is_the_one_that_tables_know() -> None:
    lisbon = find_city("Lisbon")
    rows = [
        _row(n, f"Belém {what}", 38.69, -9.2 - n / 1000)
        for n, what in enumerate(("Lantern Tower", "Quince Garden", "Tile House"), 2)
    ]
    index = index_of({lisbon: (*rows, _row(9, "Larkhaven Museum", 38.72, -9.13))})
    hall = Name(1, ("Nameless Hall",), (), where="Belém")
    text = ["Two days", "Nameless Hall and the Larkhaven Museum."]
    _, (found, _) = linked(told(text, [hall, "Larkhaven Museum"]), index)
    assert (found.outcome, found.city_id) == ("city", lisbon.city_id)
    _, (found,) = linked(told(text, [hall]), index)
    assert found.city_id != lisbon.city_id


def test_the_citys_name_may_be_left_out_in_front() -> None:
    found = _link("Lantern Library", None)
    assert found.poi_id == place_of(INDEX, NEW_YORK, "New York Lantern Library")
