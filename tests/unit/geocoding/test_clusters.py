from __future__ import annotations

import polars as pl
from polars.testing import assert_frame_equal

from geocoding.clusters import clusters, distances
from geocoding.places import places_from_tables
from schemas.arrow import to_arrow
from schemas.geo import distance_m
from tests.support.geocoding.builders import CITY, attraction, attractions

_WORDS = "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉"


def pois(*groups: tuple[float, int, float]) -> pl.DataFrame:
    """Groups of sights: (metres north, how many, metres between)."""
    rows, line = [], 2
    for north, count, step in groups:
        for index in range(count):
            name = f"{_WORDS[(line // 20) % 20]}{_WORDS[line % 20]}阁"
            rows.append(attraction(line, name, north + index * step))
            line += 1
    return places_from_tables(attractions(*rows), CITY).pois


def test_at_least_as_many_clusters_as_days_where_the_places_allow_it() -> None:
    frame = clusters(pois((0, 6, 100), (1_500, 5, 100), (3_000, 4, 100), (90_000, 1, 0)), CITY)
    to_arrow("clusters", frame)
    assert sorted(frame["n_days_planned"].unique()) == [2, 3, 4, 5, 6, 7]
    for n_days in (2, 3):
        part = frame.filter(pl.col("n_days_planned") == n_days)
        assert max(part["cluster"].to_list()) + 1 >= n_days
        assert part["epsilon_m"].n_unique() == 1
    assert frame.filter(pl.col("n_days_planned") == 2).height == 16


def test_epsilon_starts_at_one_kilometre_and_labels_go_by_size() -> None:
    frame = clusters(pois((0, 4, 100), (20_000, 6, 100)), CITY)
    two_days = frame.filter(pl.col("n_days_planned") == 2)
    assert two_days["epsilon_m"][0] == 1_000.0
    sizes = two_days.group_by("cluster").len().sort("cluster")["len"].to_list()
    assert sizes == [6, 4]


def test_epsilon_shrinks_until_clusters_part() -> None:
    frame = clusters(pois((0, 5, 50), (800, 5, 50)), CITY)
    two_days = frame.filter(pl.col("n_days_planned") == 2)
    assert two_days["cluster"].max() == 1
    assert two_days["epsilon_m"][0] < 700


def test_epsilon_grows_where_places_are_sparse() -> None:
    frame = clusters(pois((0, 4, 2_000), (60_000, 4, 2_000)), CITY)
    two_days = frame.filter(pl.col("n_days_planned") == 2)
    assert two_days["epsilon_m"][0] > 1_000
    assert two_days["cluster"].max() == 1


def test_too_few_places_have_no_clusters_and_order_does_not_matter() -> None:
    assert clusters(pois((0, 3, 100)), CITY).height == 0
    some = pois((0, 6, 100), (3_000, 5, 100))
    assert_frame_equal(clusters(some, CITY), clusters(some.reverse(), CITY))


def test_distances_to_the_nearest_others() -> None:
    places = pois((0, 14, 200))
    frame = distances(places, nearest=3)
    to_arrow("distances", frame)
    assert frame.height == 14 * 3
    assert (frame["from_id"] != frame["to_id"]).all()
    where = {row["poi_id"]: (row["lat"], row["lon"]) for row in places.iter_rows(named=True)}
    row = frame.row(5, named=True)
    expected = float(distance_m(*where[row["from_id"]], *where[row["to_id"]]))
    assert abs(row["distance_m"] - expected) < 0.2
    all_metres = [
        float(distance_m(*where[row["from_id"]], *spot))
        for poi_id, spot in where.items()
        if poi_id != row["from_id"]
    ]
    mine = frame.filter(pl.col("from_id") == row["from_id"])["distance_m"].sort().to_list()
    assert all(abs(m - e) < 0.2 for m, e in zip(mine, sorted(all_metres)[:3], strict=True))


def test_places_without_coordinates_have_no_distances() -> None:
    rows = attractions(attraction(2, "甲寺", None), attraction(3, "乙园", 0))
    assert distances(places_from_tables(rows, CITY).pois).height == 0
