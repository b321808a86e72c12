from __future__ import annotations

import polars as pl
import pytest

from geocoding.clusters import clusters, distances, stay_clusters
from geocoding.metro import metro_distances, nearest_stations
from schemas.arrow import frame
from tests.support.geocoding.builders import CITY, METRE

KM = 1_000 * METRE


def poi(name: str, north_km: float | None) -> dict[str, object]:
    return {
        "poi_id": f"poi_{name * 16}"[:20], "city_id": CITY.city_id,
        "lat": None if north_km is None else 30 + north_km * KM,
        "lon": None if north_km is None else 110.0,
    }  # fmt: skip


def pois(*rows: dict[str, object]) -> pl.DataFrame:
    schema = {"poi_id": pl.String, "city_id": pl.String, "lat": pl.Float64, "lon": pl.Float64}
    return pl.DataFrame(list(rows), schema=schema)


def stations(*names: tuple[str, float]) -> pl.DataFrame:
    return frame(
        "metro_stations",
        [
            {"station_id": name, "city_id": CITY.city_id, "line": "1", "sequence": n, "name": name,
             "lat": 30 + north * KM, "lon": 110.0, "datum_original": "gcj02",
             "source_file": "m.json", "source_line": n}
            for n, (name, north) in enumerate(names, 1)
        ],
    )  # fmt: skip


def edges(*ends: tuple[str, str, float]) -> pl.DataFrame:
    return frame(
        "metro_edges",
        [
            {"city_id": CITY.city_id, "line": "1", "from_id": a, "to_id": b, "distance_m": m}
            for a, b, m in ends
        ],
    )


def test_nearest_station() -> None:
    places = pois(poi("a", 0.2), poi("b", 4.0), poi("c", None))
    found = nearest_stations({"pois": places}, stations(("s0", 0.0), ("s5", 5.0)))
    assert found.select("row_id", "station_id").rows() == [
        (poi("a", 0)["poi_id"], "s0"),
        (poi("b", 0)["poi_id"], "s5"),
    ]
    assert found["distance_m"].to_list() == pytest.approx([200, 1_000], rel=1e-3)
    assert nearest_stations({"pois": places}, stations()).is_empty()


def test_metro_distance_follows_the_lines() -> None:
    """North by a detour: 0.2 km walk, 3 + 4 km ride, 0.1 km walk."""
    places = pois(poi("a", 0.2), poi("b", 5.1))
    net = edges(("s0", "far", 3_000.0), ("far", "s5", 4_000.0))
    stops = stations(("s0", 0.0), ("far", 20.0), ("s5", 5.0))
    found = metro_distances(distances(places), places, stops, net)
    assert found["distance_method"].unique().to_list() == ["metro"]
    assert found.height == 2
    assert found["distance_m"].to_list() == pytest.approx([7_300, 7_300], rel=1e-3)


def test_no_metro_distance_without_a_way_or_a_near_station() -> None:
    places = pois(poi("a", 0.2), poi("b", 5.1), poi("c", 30.0))
    stops = stations(("s0", 0.0), ("s5", 5.0))
    straight = distances(places)
    assert metro_distances(straight, places, stops, edges()).is_empty()
    found = metro_distances(straight, places, stops, edges(("s0", "s5", 5_000.0)))
    assert poi("c", 0)["poi_id"] not in {*found["from_id"], *found["to_id"]}
    assert found.height == 2


def test_stays_take_the_cluster_around_them() -> None:
    groups = [poi(name, 0.05 * at) for at, name in enumerate("0123")]
    groups += [poi(name, 20 + 0.05 * at) for at, name in enumerate("456789")]
    places = pois(*groups)
    hotels = pl.DataFrame(
        {"hotel_id": ["h1", "h2", "h3", "h4"], "city_id": [CITY.city_id] * 4,
         "lat": [30.0, 30 + 20 * KM, 30 + 10 * KM, None], "lon": [110.0, 110.0, 110.0, None]}
    )  # fmt: skip
    found = stay_clusters(clusters(places, CITY), places, {"hotels": hotels})
    two = found.filter(pl.col("n_days_planned") == 2)
    assert two.select("row_id", "cluster").rows() == [("h1", 1), ("h2", 0), ("h3", -1)]
    assert found["n_days_planned"].unique().sort().to_list() == [2, 3, 4, 5, 6, 7]
