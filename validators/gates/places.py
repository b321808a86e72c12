"""Gates on where places are and how they relate."""

from __future__ import annotations

import numpy as np
import polars as pl

from schemas.geo import distance_m
from validators.gates.base import Context, Gate, failing, failures, together
from validators.reach import FARTHEST_M, LOCATED, distance_from_city_m

#: A recomputed distance may differ by this much.
TOLERANCE_M = 1.0
#: Two places of one name within this distance are one place.
SAME_PLACE_M = 100.0


def coordinates(context: Context) -> pl.DataFrame:
    """Places, hotels, restaurants and stations lie in reach of their city."""
    found = []
    for name in LOCATED:
        rows = context.table(name)
        rows = rows.with_columns(away=distance_from_city_m(rows, context.table("cities")))
        message = pl.format("{} km from the city's centre", (pl.col("away") / 1000).round(0))
        found.append(failing(name, rows, pl.col("away") > FARTHEST_M, "lat", message))
        half = pl.col("lat").is_null() != pl.col("lon").is_null()
        found.append(failing(name, rows, half, "lat", "latitude and longitude are not both known"))
    return together(found)


def geocode_status(context: Context) -> pl.DataFrame:
    """A resolved place has coordinates, cell, provider and datum; an unresolved one has none."""
    rows = context.table("pois")
    resolved = pl.col("geocode_status") == "resolved"
    return together(
        failing(
            "pois",
            rows,
            resolved != pl.col(column).is_not_null(),
            column,
            "does not fit geocode_status",
        )
        for column in ("lat", "h3_cell", "coordinate_provider", "datum_original")
    )


def h3_cell(context: Context) -> pl.DataFrame:
    """The H3 cell is the one that holds the coordinates."""
    import h3

    rows = context.table("pois").filter(pl.col("lat").is_not_null() & pl.col("lon").is_not_null())
    cells = [h3.latlng_to_cell(lat, lon, 8) for lat, lon in rows.select("lat", "lon").iter_rows()]
    rows = rows.with_columns(cell=pl.Series(cells, dtype=pl.String))
    message = pl.format("the coordinates lie in {}", "cell")
    return failing("pois", rows, pl.col("h3_cell") != pl.col("cell"), "h3_cell", message)


def names(context: Context) -> pl.DataFrame:
    """Every place has a name, and says where each name comes from."""
    found = []
    for table in ("pois", "hotels", "restaurants"):
        rows = context.table(table)
        blank = [pl.col(c).fill_null("").str.strip_chars() == "" for c in ("name_zh", "name_en")]
        found.append(
            failing(table, rows, blank[0] & blank[1], "name_zh", "no name in any language")
        )
    rows = context.table("pois")
    for lang in ("zh", "en"):
        unknown = pl.col(f"name_{lang}_origin") == "unknown"
        message = f"name_{lang} and its origin disagree"
        bad = pl.col(f"name_{lang}").is_null() != unknown
        found.append(failing("pois", rows, bad, f"name_{lang}_origin", message))
    return together(found)


def duplicates(context: Context) -> pl.DataFrame:
    """No two located places of a city share a name and a spot."""
    rows = context.table("pois").filter(
        pl.col("lat").is_not_null() & pl.col("name_zh").is_not_null()
    )
    named = rows.with_columns(key=pl.col("name_zh").str.replace_all(r"[\s()（）·]", ""))
    pairs = named.join(named, on=["city_id", "key"], suffix="_b").filter(
        pl.col("poi_id") < pl.col("poi_id_b")
    )
    away = distance_m(pairs["lat"], pairs["lon"], pairs["lat_b"], pairs["lon_b"])
    near = pairs.with_columns(away=pl.Series(away, dtype=pl.Float64))
    message = pl.format("the same name and place as {}", "poi_id_b")
    return failing("pois", near, pl.col("away") < SAME_PLACE_M, "name_zh", message)


def hierarchy(context: Context) -> pl.DataFrame:
    """A parent is in the same city, is another place, and no chain of parents returns."""
    rows = context.table("poi_hierarchy")
    city = context.table("pois").select(parent_poi_id="poi_id", parent_city="city_id")
    joined = rows.join(city, on="parent_poi_id", how="left")
    other = failing(
        "poi_hierarchy", joined, pl.col("parent_city") != pl.col("city_id"), "parent_poi_id", "the parent is in another city"
    )  # fmt: skip
    parents: dict[str, set[str]] = {}
    for child, parent in rows.select("poi_id", "parent_poi_id").iter_rows():
        parents.setdefault(child, set()).add(parent)
    looping = [child for child in sorted(parents) if child in _ancestors(child, parents)]
    loops = failing(
        "poi_hierarchy", rows, pl.col("poi_id").is_in(looping), "parent_poi_id", "the place is its own ancestor"
    )  # fmt: skip
    return together([other, loops])


def _ancestors(child: str, parents: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    rest = list(parents.get(child, ()))
    while rest:
        parent = rest.pop()
        if parent not in found:
            found.add(parent)
            rest += parents.get(parent, ())
    return found


def distances(context: Context) -> pl.DataFrame:
    """Straight distances are those of the coordinates, and no place is its own neighbour."""
    places = context.table("pois").select("poi_id", "lat", "lon")
    rows = context.table("distances").filter(pl.col("distance_method") == "straight")
    joined = rows.join(places, left_on="from_id", right_on="poi_id", how="left").join(
        places, left_on="to_id", right_on="poi_id", how="left", suffix="_to"
    )
    real = distance_m(joined["lat"], joined["lon"], joined["lat_to"], joined["lon_to"])
    joined = joined.with_columns(real=pl.Series(real, dtype=pl.Float64))
    off = ((pl.col("distance_m") - pl.col("real")).abs() > TOLERANCE_M) | pl.col("real").is_nan()
    message = pl.format("the coordinates are {} m apart", pl.col("real").round(1))
    own = failing("distances", joined, pl.col("from_id") == pl.col("to_id"), "to_id", "from itself")
    return together([failing("distances", joined, off, "distance_m", message), own])


def clusters(context: Context) -> pl.DataFrame:
    """Each city's places are clustered for each number of days, with labels from 0 on."""
    rows = context.table("clusters")
    labels = (
        rows.filter(pl.col("cluster") >= 0)
        .group_by("city_id", "n_days_planned")
        .agg(n=pl.col("cluster").n_unique(), top=pl.col("cluster").max())
    )
    gaps = labels.filter(pl.col("top") + 1 != pl.col("n")).sort("city_id", "n_days_planned")
    return failures(
        (
            "clusters",
            "cluster",
            f"{row['city_id']}/{row['n_days_planned']}",
            str(row["top"]),
            "labels leave a gap",
        )
        for row in gaps.to_dicts()
    )


def metro(context: Context) -> pl.DataFrame:
    """A metro edge joins two stations of one city at their distance."""
    stations = (
        context.table("metro_stations")
        .unique("station_id")
        .select("station_id", "city_id", "lat", "lon")
    )
    rows = context.table("metro_edges")
    for end in ("from", "to"):
        rows = rows.join(
            stations.rename({"station_id": f"{end}_id", "city_id": f"city_{end}", "lat": f"lat_{end}", "lon": f"lon_{end}"}),
            on=f"{end}_id", how="left",
        )  # fmt: skip
    real = distance_m(rows["lat_from"], rows["lon_from"], rows["lat_to"], rows["lon_to"])
    rows = rows.with_columns(real=pl.Series(np.asarray(real), dtype=pl.Float64))
    message = pl.format("the stations are {} m apart", pl.col("real").round(0))
    # A station on several lines has a position a line: platforms differ by a walk.
    off = (pl.col("distance_m") - pl.col("real")).abs() > 1_000
    other = (pl.col("city_from") != pl.col("city_id")) | (pl.col("city_to") != pl.col("city_id"))
    return together(
        [
            failing("metro_edges", rows, off, "distance_m", message),
            failing("metro_edges", rows, other, "from_id", "a station of another city"),
        ]
    )


def aliases(context: Context) -> pl.DataFrame:
    """An alias is not blank."""
    rows = context.table("poi_aliases")
    return failing(
        "poi_aliases", rows, pl.col("alias").str.strip_chars() == "", "alias", "a blank alias"
    )


def mention_counts(context: Context) -> pl.DataFrame:
    """The mentions that a place counts are those that there are."""
    counted = (
        context.table("poi_mentions")
        .drop_nulls("poi_id")
        .group_by("poi_id")
        .agg(real=pl.len(), real_documents=pl.col("doc_id").n_unique())
    )
    rows = (
        context.table("pois")
        .join(counted, on="poi_id", how="left")
        .with_columns(pl.col("real", "real_documents").fill_null(0))
    )
    return together(
        failing(
            "pois", rows, pl.col(column) != pl.col(real), column, pl.format("there are {}", real)
        )
        for column, real in (("n_mentions", "real"), ("n_documents", "real_documents"))
    )


GATES = (
    Gate("coordinates", coordinates, "Places geocoded into another city ruin every route.", "Geocode again, or leave the coordinates unknown."),
    Gate("geocode_status", geocode_status, "A place is located or it is not; half is neither.", "Set all of status, coordinates, cell, provider and datum, or none."),
    Gate("h3_cell", h3_cell, "A moved place would keep its old cell.", "Compute the cell from the coordinates."),
    Gate("names", names, "A place without a name cannot be asked for.", "Quarantine the row."),
    Gate("duplicates", duplicates, "One place in two rows splits its mentions.", "Merge them, or tell their names apart.", severity="warning"),
    Gate("hierarchy", hierarchy, "Sub-sights must lead up to their place.", "Remove the edge that closes the loop."),
    Gate("distances", distances, "Distances are recomputed from the coordinates.", "Compute the table again."),
    Gate("clusters", clusters, "Cluster labels count from 0 (TourPlanner, section 3.2).", "Compute the table again.", "table"),
    Gate("metro", metro, "Nobody rides a metro edge of a hundred kilometres.", "Look at the stations' coordinates."),
    Gate("aliases", aliases, "A blank alias matches everything.", "Drop it."),
    Gate("mention_counts", mention_counts, "Counts that are quoted must be true.", "Count again after resolving."),
)  # fmt: skip
