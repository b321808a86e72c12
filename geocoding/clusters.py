"""Computes spatial clusters of places and distances between neighbours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from schemas.arrow import frame
from schemas.cities import City
from schemas.geo import EARTH_RADIUS_M

#: TourPlanner, section 3.2 and table 4: minimum samples 4, epsilon 1 (assumed to be kilometres),
#: at least as many clusters as days. The paper leaves the steps of the adaptation open.
MIN_SAMPLES = 4
START_EPSILON_M = 1_000.0
N_DAYS = range(2, 8)
_STEP = 0.8
_SMALLEST_EPSILON_M = 50.0


def clusters(pois: pl.DataFrame, city: City) -> pl.DataFrame:
    """Return the table ``clusters``: DBSCAN labels of the places, for trips of 2 to 7 days.

    Epsilon starts at 1 km and is reduced by a fifth at a time until the number of clusters is at
    least the number of days. If no epsilon down to 50 m gives enough clusters, epsilon grows from 1
    km instead. If no value gives enough clusters, the epsilon with the most clusters is used; among
    equals, the epsilon nearest to 1 km. The largest cluster has label 0, the next one label 1, and
    so on; -1 is noise.
    """
    located = _select_located(pois)
    if located.height < MIN_SAMPLES:
        return frame("clusters", [])
    points = radians(located)
    labels_of = cache(lambda epsilon: _labels(points, epsilon))
    fitting = ((n_days, _fitting(labels_of, n_days)) for n_days in N_DAYS)
    rows = [
        {
            "city_id": city.city_id, "n_days_planned": n_days, "poi_id": poi_id, "cluster": label,
            "epsilon_m": epsilon,
        }
        for n_days, epsilon in fitting
        for poi_id, label in zip(located["poi_id"], labels_of(epsilon), strict=True)
    ]  # fmt: skip
    return frame("clusters", rows)


def _select_located(pois: pl.DataFrame) -> pl.DataFrame:
    both = pl.col("lat").is_not_null() & pl.col("lon").is_not_null()
    return pois.filter(both).sort("poi_id")


def radians(located: pl.DataFrame) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the latitude and longitude of each row in radians, which ball trees require."""
    return np.asarray(np.radians(located.select("lat", "lon").to_numpy()), dtype=np.float64)


def _epsilons() -> list[float]:
    """Return 1 km, then smaller and smaller values, then larger and larger values (in metres)."""
    steps = [START_EPSILON_M]
    while steps[-1] * _STEP >= _SMALLEST_EPSILON_M:
        steps.append(steps[-1] * _STEP)
    larger = [START_EPSILON_M / _STEP**power for power in range(1, 16)]
    return [round(epsilon, 1) for epsilon in (*steps, *larger)]


def _fitting(labels_of: Callable[[float], list[int]], n_days: int) -> float:
    """Return the first epsilon that gives enough clusters, or else the first that gives the
    most.
    """
    best, most = START_EPSILON_M, -1
    for epsilon in _epsilons():
        count = max(labels_of(epsilon)) + 1
        if count >= n_days:
            return epsilon
        if count > most:
            best, most = epsilon, count
    return best


def _labels(points: np.ndarray[Any, np.dtype[np.float64]], epsilon_m: float) -> list[int]:
    # Importing scikit-learn takes a second and a half.
    from sklearn.cluster import DBSCAN

    model = DBSCAN(eps=epsilon_m / EARTH_RADIUS_M, min_samples=MIN_SAMPLES, metric="haversine",
                   algorithm="ball_tree")  # fmt: skip
    raw = [int(label) for label in model.fit_predict(points)]
    first = {label: raw.index(label) for label in set(raw)}
    order = sorted(set(raw) - {-1}, key=lambda label: (-raw.count(label), first[label]))
    renamed = {label: position for position, label in enumerate(order)}
    return [renamed.get(label, -1) for label in raw]


def distances(pois: pl.DataFrame, nearest: int = 10) -> pl.DataFrame:
    """Return the table ``distances``: straight-line distances in metres from each located place to
    its nearest neighbours.

    Places at equal distances are ordered by id.
    """
    located = _select_located(pois)
    rows: list[dict[str, Any]] = []
    if located.height < 2:
        return frame("distances", rows)
    # Importing scikit-learn takes a second and a half.
    from sklearn.neighbors import BallTree

    points = radians(located)
    count = min(located.height, nearest + 1)
    metres, positions = BallTree(points, metric="haversine").query(points, k=count)
    poi_ids, city_ids = located["poi_id"].to_list(), located["city_id"].to_list()
    for here in range(located.height):
        near = [
            (round(float(m) * EARTH_RADIUS_M, 1), poi_ids[int(p)])
            for m, p in zip(metres[here], positions[here], strict=True)
            if int(p) != here
        ]
        rows += [
            {
                "city_id": city_ids[here], "from_id": poi_ids[here], "to_id": other,
                "distance_method": "straight", "distance_m": metre,
            }
            for metre, other in sorted(near)[:nearest]
        ]  # fmt: skip
    return frame("distances", rows)


def stay_clusters(
    labelled: pl.DataFrame, pois: pl.DataFrame, tables: Mapping[str, pl.DataFrame]
) -> pl.DataFrame:
    """Return the table ``stay_clusters``: the cluster of nearby places for each hotel and
    restaurant.

    Each row gets the label of the nearest place in a cluster. If that place is farther away than
    the epsilon for the number of days, the row is labelled -1 (noise). Only attractions form
    clusters. ``tables`` maps table names to hotels and restaurants; rows without coordinates get no
    label.
    """
    spots = labelled.filter(pl.col("cluster") >= 0).join(
        pois.select("poi_id", "lat", "lon"), on="poi_id"
    )
    rows: list[dict[str, Any]] = []
    for table, stays in tables.items():
        located = stays.drop_nulls(["lat", "lon"]).sort(_STAY_KEYS[table])
        if located.is_empty():
            continue
        for days, part in spots.partition_by("n_days_planned", as_dict=True).items():
            rows += _stays(table, located, int(days[0]), part.sort("poi_id"))
    return frame("stay_clusters", rows)


_STAY_KEYS = {"hotels": "hotel_id", "restaurants": "restaurant_id"}


def _stays(
    table: str, located: pl.DataFrame, n_days: int, spots: pl.DataFrame
) -> list[dict[str, Any]]:
    # Importing scikit-learn takes a second and a half.
    from sklearn.neighbors import BallTree

    tree = BallTree(radians(spots), metric="haversine")
    angles, positions = tree.query(radians(located), k=1)
    epsilon = float(spots["epsilon_m"][0])
    labels, key = spots["cluster"].to_list(), _STAY_KEYS[table]
    return [
        {
            "city_id": row["city_id"],
            "n_days_planned": n_days,
            "table": table,
            "row_id": row[key],
            "cluster": labels[int(at)] if metres <= epsilon else -1,
            "distance_m": metres,
        }
        for row, metres, at in zip(
            located.iter_rows(named=True),
            (round(float(r[0]) * EARTH_RADIUS_M, 1) for r in angles),
            (p[0] for p in positions),
            strict=True,
        )
    ]
