"""Gates that recompute how places are connected by stations, metro routes and clusters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from schemas.geo import EARTH_RADIUS_M
from validators.gates.base import (
    Gate,
    GateContext,
    failing,
    gathered,
    in_untouched_city,
    report,
    together,
)

Floats = NDArray[np.float64]

#: Distances are rounded to a tenth of a metre.
ROUNDING_M = 0.06
#: Nobody walks farther than this to a station.
_WALK_M = 2_000.0
#: A metro route is the sum of three rounded distances.
_WAY_ROUNDING_M = 0.2
_KEYS = {"pois": "poi_id", "hotels": "hotel_id", "restaurants": "restaurant_id"}
_TENTHS = ("distances", "stay_clusters", "nearest_stations", "place_decisions")


def tenths(context: GateContext) -> pl.DataFrame:
    """Distances between places are rounded to a tenth of a metre."""
    off = (pl.col("distance_m") * 10 - (pl.col("distance_m") * 10).round()).abs() > 1e-6
    return together(
        failing(
            name,
            context.table(name),
            off,
            "distance_m",
            "the distance is not rounded to a tenth of a metre",
        )
        for name in _TENTHS
    )


@gathered
def nearest_stations(context: GateContext) -> Iterator[pl.DataFrame]:
    """A place, hotel or restaurant is assigned to the station nearest to it, and the distance to
    this station is correct.
    """
    stations = context.table("metro_stations").unique("station_id").sort("station_id")
    rows = _list_located(context, context.table("nearest_stations")).join(
        stations.select("station_id", lat_to="lat", lon_to="lon"), on="station_id", how="left"
    )
    for near in rows.partition_by("city_id"):
        mine = stations.filter(pl.col("city_id") == near["city_id"][0])
        if mine.is_empty() or near["lat_to"].null_count():
            continue  # reported by the gate ``references``
        nearest = _nearest(_points(mine), _points(near), 1)[0][:, 0]
        apart = _points(near) - _points(near, "lat_to", "lon_to")
        own = _arc(np.linalg.norm(apart, axis=1))
        part = near.with_columns(nearest=pl.Series(nearest), own=pl.Series(own))
        off = (pl.col("distance_m") - pl.col("own")).abs() > ROUNDING_M
        message = pl.format("the distance to the station is {} m", pl.col("own").round(1))
        farther = pl.col("own") > pl.col("nearest") + 2 * ROUNDING_M
        yield failing("nearest_stations", part, off, "distance_m", message)
        yield failing(
            "nearest_stations", part, ~off & farther, "station_id", "another station is nearer"
        )
    yield _of_nothing(context, "nearest_stations")


@gathered
def stay_clusters(context: GateContext) -> Iterator[pl.DataFrame]:
    """A hotel or restaurant is in the same cluster as the nearest place that has a cluster, if this
    place is within reach.
    """
    places = context.table("pois").select("poi_id", "lat", "lon").drop_nulls()
    spots = (
        context.table("clusters").filter(pl.col("cluster") >= 0).join(places, on="poi_id")
    ).partition_by("city_id", "n_days_planned", as_dict=True)
    rows = _list_located(context, context.table("stay_clusters"))
    rows = rows.filter(in_untouched_city(context, "pois", "clusters"))
    yield _of_nothing(context, "stay_clusters")
    for key, stays in rows.partition_by("city_id", "n_days_planned", as_dict=True).items():
        around = spots.get(key)
        if around is None:
            yield report(
                "stay_clusters",
                stays,
                "n_days_planned",
                "no place belongs to a cluster for this number of days",
            )
            continue
        metres, at = _nearest(_points(around), _points(stays), min(2, around.height))
        labels = around["cluster"].to_numpy()[at]
        tied = metres[:, -1] - metres[:, 0] <= 2 * ROUNDING_M
        part = stays.with_columns(
            nearest=pl.Series(metres[:, 0]), one=pl.Series(labels[:, 0]),
            other=pl.Series(np.where(tied, labels[:, -1], labels[:, 0])),
        )  # fmt: skip
        off = (pl.col("distance_m") - pl.col("nearest")).abs() > ROUNDING_M
        reached = pl.col("distance_m") <= float(around["epsilon_m"][0])
        is_label = (pl.col("cluster") == pl.col("one")) | (pl.col("cluster") == pl.col("other"))
        wrong = pl.when(reached).then(~is_label).otherwise(pl.col("cluster") != -1)
        yield failing(
            "stay_clusters",
            part,
            off,
            "distance_m",
            pl.format(
                "the distance to the nearest place in a cluster is {} m", pl.col("nearest").round(1)
            ),
        )
        yield failing(
            "stay_clusters",
            part,
            ~off & wrong,
            "cluster",
            "the nearest place in a cluster belongs to a different cluster, or is too far away",
        )


@gathered
def metro_ways(context: GateContext) -> Iterator[pl.DataFrame]:
    """A metro route consists of a walk to a station, the shortest route along the lines, and a walk
    from a station.
    """
    rows = context.table("distances").filter(pl.col("distance_method") == "metro")
    near = (
        context.table("nearest_stations")
        .filter((pl.col("table") == "pois") & (pl.col("distance_m") <= _WALK_M + ROUNDING_M))
        .select(poi_id="row_id", station="station_id", walk="distance_m")
    )
    ends = rows.join(near, left_on="from_id", right_on="poi_id", how="left").join(
        near, left_on="to_id", right_on="poi_id", how="left", suffix="_to"
    )
    known = ends.drop_nulls(["station", "station_to"])
    yield report(
        "distances",
        ends.filter(pl.col("station").is_null() | pl.col("station_to").is_null()),
        "distance_m",
        "there is no station within walking distance of one end of the route",
    )
    edges = context.table("metro_edges")
    for joined in known.partition_by("city_id"):
        ways = _ways(joined, edges.filter(pl.col("city_id") == joined["city_id"][0]))
        part = joined.with_columns(
            real=pl.col("walk") + pl.col("walk_to") + pl.Series(ways, dtype=pl.Float64)
        )
        off = (pl.col("distance_m") - pl.col("real")).abs() > _WAY_ROUNDING_M
        yield failing(
            "distances",
            part,
            off,
            "distance_m",
            pl.format("the shortest metro route is {} m long", pl.col("real").round(1)),
        )


def _ways(rows: pl.DataFrame, edges: pl.DataFrame) -> Floats:
    """Return, for each row, the distance in metres along the lines between its two stations, or
    infinity if they are not connected.
    """
    # SciPy takes half a second to import.
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import dijkstra

    shortest = (
        edges.group_by(
            one=pl.min_horizontal("from_id", "to_id"), two=pl.max_horizontal("from_id", "to_id")
        )
        .agg(pl.col("distance_m").clip(0.1).min())
        .sort("one", "two")
    )
    ids = sorted({*shortest["one"], *shortest["two"]})
    place = {station: at for at, station in enumerate(ids)}
    ends = [[place[station] for station in shortest[end]] for end in ("one", "two")]
    graph = coo_matrix((shortest["distance_m"].to_list(), ends), (len(ids), len(ids))).tocsr()
    starts = sorted({place[s] for s in rows["station"].to_list() if s in place})
    table = dijkstra(graph, directed=False, indices=starts) if starts else np.empty((0, 0))
    line = {at: number for number, at in enumerate(starts)}
    return np.array(
        [
            table[line[place[a]], place[b]] if a in place and b in place else np.inf
            for a, b in rows.select("station", "station_to").iter_rows()
        ],
        dtype=float,
    )


def _list_located(context: GateContext, rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows that name a place, hotel or restaurant by table and id, with its coordinates."""
    spots = pl.concat(
        context.table(name).select("city_id", "lat", "lon", table=pl.lit(name), row_id=key)
        for name, key in _KEYS.items()
    ).drop_nulls(["lat", "lon"])
    return rows.join(spots, on=["city_id", "table", "row_id"]).sort(
        "city_id", "table", "row_id", maintain_order=True
    )


def _of_nothing(context: GateContext, name: str) -> pl.DataFrame:
    """Report rows about a place, hotel or restaurant that does not exist or lacks coordinates."""
    rows = context.table(name)
    keys = ["city_id", "table", "row_id"]
    return report(
        name,
        rows.join(_list_located(context, rows).select(keys).unique(), on=keys, how="anti"),
        "row_id",
        "the table has no row with this id, or that row has no coordinates",
    )


def _points(rows: pl.DataFrame, lat: str = "lat", lon: str = "lon") -> Floats:
    """Convert coordinates to points on the unit sphere."""
    a, b = np.radians(rows.select(lat, lon).to_numpy().astype(float)).T
    return np.column_stack([np.cos(a) * np.cos(b), np.cos(a) * np.sin(b), np.sin(a)])


def _arc(chord: Floats) -> Floats:
    """Convert chord lengths on the unit sphere to metres on the surface of the earth."""
    return np.asarray(2 * np.arcsin(np.clip(chord / 2, 0, 1)) * EARTH_RADIUS_M, dtype=float)


def _nearest(targets: Floats, points: Floats, count: int) -> tuple[Floats, Any]:
    """Return the distances in metres from each point to its nearest targets, and the indexes of
    these targets.
    """
    # SciPy takes half a second to import.
    from scipy.spatial import cKDTree

    chords, at = cKDTree(targets).query(points, k=np.arange(1, count + 1))
    return _arc(chords), at


GATES = (
    Gate(
        "tenths",
        tenths,
        "tripbed rounds its distances, so a distance with more decimals must come from elsewhere.",
        "Round the distance to a tenth of a metre.",
    ),
    Gate(
        "nearest_stations",
        nearest_stations,
        "Plans use the route to the nearest station.",
        "Compute the table again.",
    ),
    Gate(
        "stay_clusters",
        stay_clusters,
        "The best area to stay in depends on where the sights are.",
        "Compute the table again.",
    ),
    Gate("metro_ways", metro_ways, "Plans use metro routes.", "Compute the table again."),
)
