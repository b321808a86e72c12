"""Real attraction tables: nothing lost, little merged, far-away sights kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from geocoding.places import places_from_tables
from schemas.cities import find_city
from schemas.geo import distance_m
from sources.tables.registry import read_tables


@pytest.mark.parametrize("slug", ["chengdu", "nanjing"])
def test_real_attractions(shared: Path, slug: str) -> None:
    folder = shared / "data" / "traveleval" / "environment" / "database"
    city = find_city(slug)
    rows = read_tables(folder, "traveleval", city).attractions
    places = places_from_tables(rows, city)
    assert places.pois.height + places.merged + places.quarantine.height == rows.height
    assert places.merged <= 0.01 * rows.height
    assert places.hierarchy.height >= 8
    parents = dict(zip(places.hierarchy["poi_id"], places.hierarchy["parent_poi_id"], strict=True))
    assert not [part for part, whole in parents.items() if parents.get(whole) == part]


def test_far_away_sights_are_kept(shared: Path) -> None:
    folder = shared / "data" / "traveleval" / "environment" / "database"
    city = find_city("chongqing")
    rows = read_tables(folder, "traveleval", city).attractions
    pois = places_from_tables(rows, city).pois.drop_nulls("lat")
    far = distance_m(city.lat, city.lon, pois["lat"].to_numpy(), pois["lon"].to_numpy()) > 100_000
    assert far.sum() >= 50
