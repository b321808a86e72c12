"""Finds the metro station nearest to each place, and computes distances along the lines."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from geocoding.clusters import radians
from schemas.arrow import frame
from schemas.geo import EARTH_RADIUS_M
from schemas.rows import DistancesRow, MetroEdgesRow
from schemas.typed_rows import read_rows

#: A station farther away than this (metres) is too far to walk.
WALK_M = 2_000.0
_KEYS = {"pois": "poi_id", "hotels": "hotel_id", "restaurants": "restaurant_id"}


def nearest_stations(tables: Mapping[str, pl.DataFrame], stations: pl.DataFrame) -> pl.DataFrame:
    """Return the table ``nearest_stations``, with the straight-line distance in metres from each
    place to its nearest station, however far away the station is.

    ``tables`` maps table names to POIs, hotels and restaurants. Places without coordinates and
    places in cities without a metro get no row. If several stations are equally near, the one with
    the lowest id is used.
    """
    rows: list[Mapping[str, object]] = []
    for table, places in tables.items():
        located = places.drop_nulls(["lat", "lon"]).sort(_KEYS[table])
        near = zip(located.iter_rows(named=True), _nearest(located, stations), strict=False)
        rows += [
            {
                "city_id": row["city_id"], "table": table, "row_id": row[_KEYS[table]],
                "station_id": station, "distance_m": round(metres, 1),
            }
            for row, (station, metres) in near
        ]  # fmt: skip
    return frame("nearest_stations", rows)


def _nearest(located: pl.DataFrame, stations: pl.DataFrame) -> list[tuple[str, float]]:
    """Return the nearest station to each row and the distance, or no rows if there are no
    stations.
    """
    once = stations.unique("station_id", keep="first", maintain_order=True).sort("station_id")
    if once.is_empty() or located.is_empty():
        return []
    # Importing scikit-learn takes a second and a half.
    from sklearn.neighbors import BallTree

    tree = BallTree(radians(once), metric="haversine")
    count = min(2, once.height)
    metres, positions = tree.query(radians(located), k=count)
    ids = once["station_id"].to_list()
    nearest = (
        min(
            (round(float(m) * EARTH_RADIUS_M, 3), ids[int(p)])
            for m, p in zip(distances, found, strict=True)
        )
        for distances, found in zip(metres, positions, strict=True)
    )
    return [(station, away_m) for away_m, station in nearest]


def metro_distances(
    pairs: pl.DataFrame, pois: pl.DataFrame, stations: pl.DataFrame, edges: pl.DataFrame
) -> pl.DataFrame:
    """Return rows of ``distances`` with the method ``metro`` for pairs of places that the metro
    connects.

    The distance has three parts: the straight-line distances from the two places to their nearest
    stations (each at most ``WALK_M``), and the length of the lines between these stations.
    Passengers can change lines at shared stations. No travel times are estimated. Pairs with the
    same station and pairs without a connection get no row.
    """
    located = pois.drop_nulls(["lat", "lon"]).sort("poi_id")
    near = {
        poi_id: found
        for poi_id, found in zip(located["poi_id"], _nearest(located, stations), strict=False)
        if found[1] <= WALK_M
    }
    ways = _ways({station for station, _ in near.values()}, edges)
    rows = []
    for row in read_rows(pairs, DistancesRow):
        start, end = near.get(row["from_id"]), near.get(row["to_id"])
        if start is None or end is None or start[0] == end[0]:
            continue
        if (way := ways.get(start[0], {}).get(end[0])) is not None:
            total = round(start[1] + way + end[1], 1)
            rows.append({**row, "distance_method": "metro", "distance_m": total})
    return frame("distances", rows)


def _ways(wanted: set[str], edges: pl.DataFrame) -> dict[str, dict[str, float]]:
    """Return the shortest distances along the lines, in metres, from each requested station to
    all others.
    """
    # Importing SciPy takes half a second.
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import dijkstra

    ids = sorted({*edges["from_id"], *edges["to_id"]})
    place = {station: at for at, station in enumerate(ids)}
    starts = sorted(wanted & place.keys())
    if not starts:
        return {}
    lengths: dict[tuple[int, int], float] = {}
    for row in read_rows(edges, MetroEdgesRow):
        ends = sorted((place[row["from_id"]], place[row["to_id"]]))
        key = (ends[0], ends[1])
        lengths[key] = min(lengths.get(key, np.inf), max(row["distance_m"], 0.1))
    one, two = zip(*sorted(lengths), strict=True)
    metres = [lengths[key] for key in sorted(lengths)]
    graph = coo_matrix((metres, (one, two)), (len(ids), len(ids))).tocsr()
    ways = dijkstra(graph, directed=False, indices=[place[start] for start in starts])
    return {
        start: {ids[at]: float(way) for at, way in enumerate(row) if np.isfinite(way)}
        for start, row in zip(starts, ways, strict=True)
    }
