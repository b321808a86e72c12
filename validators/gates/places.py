"""Gates on the locations of places, and on relations between places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from schemas.cities import GazetteerCity, gazetteer_entries
from schemas.geo import distance_m
from schemas.geo import h3_cell as cell_of
from schemas.ids import poi_id, text_sha256
from validators.gates.base import (
    NONE,
    Demands,
    Gate,
    GateContext,
    RowCheck,
    fact_tables,
    failing,
    failing_any,
    failures,
    gathered,
    report,
    together,
    unlike,
    with_distances,
)
from validators.reach import FARTHEST_M, LOCATED, distance_from_city_m

#: The tolerance for a recomputed distance.
TOLERANCE_M = 0.06
#: Two places with the same name within this distance are the same place.
SAME_PLACE_M = 100.0
#: The trip lengths for which a city's places are clustered.
_PLANNED_DAYS = range(2, 8)


@gathered
def coordinates(context: GateContext) -> Iterator[pl.DataFrame]:
    """Places, hotels, restaurants and stations are not too far from their city."""
    checks: list[RowCheck] = [
        (
            pl.col("away") > FARTHEST_M,
            "lat",
            pl.format(
                "the location is {} km from the city's centre", (pl.col("away") / 1000).round(0)
            ),
        ),
        (
            pl.col("lat").is_null() != pl.col("lon").is_null(),
            "lat",
            "a row must have either both latitude and longitude or neither",
        ),
    ]
    for name in LOCATED:
        rows = context.table(name)
        away = distance_from_city_m(rows, context.table("cities"))
        yield failing_any(name, rows.with_columns(away=away), checks)


def geocode_status(context: GateContext) -> pl.DataFrame:
    """A resolved place has coordinates, an H3 cell, a provider and a datum; an unresolved place
    lacks all four.
    """
    rows = context.table("pois")
    resolved = pl.col("geocode_status") == "resolved"
    return together(
        failing(
            "pois",
            rows,
            resolved != pl.col(column).is_not_null(),
            column,
            "the value contradicts `geocode_status`",
        )
        for column in ("lat", "h3_cell", "coordinate_provider", "datum_original")
    )


def city_gazetteer(context: GateContext) -> pl.DataFrame:
    """A city has the coordinates and country given in the bundled gazetteer, and one of the names
    given there.

    The gate does not check a city that is not in the gazetteer.
    """
    rows = context.table("cities")
    known = gazetteer_entries(rows["city_id"].unique().to_list())
    held = rows.filter(pl.col("city_id").is_in(list(known)))
    if held.is_empty():
        return NONE
    held = _compare_cities(context, held, known)
    return together(
        [
            failing(
                "cities",
                held,
                pl.col("away") > pl.col("limit"),
                "lat",
                pl.format(
                    "the city's coordinates are {} km from its centre in the gazetteer",
                    (pl.col("away") / 1000).round(1),
                ),
            ),
            failing(
                "cities",
                held,
                pl.col("country_code") != pl.col("country"),
                "country_code",
                pl.format("the gazetteer says {}", "country"),
            ),
            *(
                failing(
                    "cities",
                    held,
                    ~pl.col(f"is_{column}"),
                    column,
                    "the gazetteer does not give the city this name",
                )
                for column in ("name_zh", "name_en")
            ),
        ]
    )


def _compare_cities(
    context: GateContext, held: pl.DataFrame, known: Mapping[str, GazetteerCity]
) -> pl.DataFrame:
    """Add columns that compare the cities with the gazetteer by distance, country and names."""
    cities = [known[city_id] for city_id in held["city_id"]]
    away = distance_m(
        held["lat"].to_numpy(), held["lon"].to_numpy(),
        np.array([city.lat for city in cities]), np.array([city.lon for city in cities]),
    )  # fmt: skip
    limits = [
        (context.find_demands(slug) or Demands()).gates.city_offset_m
        for slug in held["slug"].to_list()
    ]
    return held.with_columns(
        away=pl.Series(away, dtype=pl.Float64),
        limit=pl.Series(limits, dtype=pl.Float64),
        country=pl.Series([city.country_code for city in cities]),
        **{
            f"is_{column}": pl.Series(
                [
                    name is None or name in city.names
                    for name, city in zip(held[column], cities, strict=True)
                ]
            )
            for column in ("name_zh", "name_en")
        },
    )


@gathered
def h3_cell(context: GateContext) -> Iterator[pl.DataFrame]:
    """The H3 cell contains the coordinates."""
    for table in ("cities", "pois", "hotels", "restaurants"):
        rows = context.table(table)
        held = rows.filter(pl.col("lat").is_not_null() & pl.col("lon").is_not_null())
        cells = [cell_of(lat, lon) for lat, lon in held.select("lat", "lon").iter_rows()]
        held = held.with_columns(cell=pl.Series(cells, dtype=pl.String))
        bad = pl.col("h3_cell") != pl.col("cell")
        if table != "pois":  # for places, the gate ``geocode_status`` reports this
            bad = pl.col("h3_cell").ne_missing(pl.col("cell"))
            half = pl.col("lat").is_null() & pl.col("h3_cell").is_not_null()
            yield failing(
                table, rows, half, "h3_cell", "the place has an H3 cell but no coordinates"
            )
        yield failing(
            table,
            held,
            bad,
            "h3_cell",
            pl.format("the coordinates are in a different cell: {}", "cell"),
        )


@gathered
def names(context: GateContext) -> Iterator[pl.DataFrame]:
    """Every place has a name, and the origin of each name is known."""
    for table in ("pois", "hotels", "restaurants"):
        rows = context.table(table)
        blank = [pl.col(c).fill_null("").str.strip_chars() == "" for c in ("name_zh", "name_en")]
        yield failing(
            table, rows, blank[0] & blank[1], "name_zh", "the place has no name in any language"
        )
    rows = context.table("pois")
    for lang in ("zh", "en"):
        unknown = pl.col(f"name_{lang}_origin") == "unknown"
        message = f"the origin must be `unknown` if and only if name_{lang} is null"
        bad = pl.col(f"name_{lang}").is_null() != unknown
        yield failing("pois", rows, bad, f"name_{lang}_origin", message)


def duplicates(context: GateContext) -> pl.DataFrame:
    """No two located places in a city have the same name and coordinates."""
    named = (
        context.table("pois")
        .filter(pl.col("lat").is_not_null() & pl.col("name_zh").is_not_null())
        .with_columns(key=pl.col("name_zh").str.replace_all(r"[\s()（）·]", ""))
    )
    pairs = named.join(named, on=["city_id", "key"], suffix="_b").filter(
        pl.col("poi_id") < pl.col("poi_id_b")
    )
    near = with_distances(pairs, "_b")
    return failing(
        "pois",
        near,
        pl.col("real") < SAME_PLACE_M,
        "name_zh",
        pl.format("the place has the same name and position as {}", "poi_id_b"),
    )


@gathered
def hierarchy(context: GateContext) -> Iterator[pl.DataFrame]:
    """A place's parent is a different place in the same city, and no chain of parents leads back to
    its start.
    """
    rows = context.table("poi_hierarchy")
    city = context.table("pois").select(parent_poi_id="poi_id", parent_city="city_id")
    joined = rows.join(city, on="parent_poi_id", how="left")
    other = pl.col("parent_city") != pl.col("city_id")
    yield failing(
        "poi_hierarchy", joined, other, "parent_poi_id", "the parent is in a different city"
    )
    parents = {
        child: set(above)
        for child, above in rows.group_by("poi_id").agg("parent_poi_id").iter_rows()
    }
    looping = [child for child in sorted(parents) if child in _ancestors(child, parents)]
    bad = pl.col("poi_id").is_in(looping)
    yield failing("poi_hierarchy", rows, bad, "parent_poi_id", "the place is its own ancestor")


def _ancestors(child: str, parents: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    rest = parents.get(child, set())
    while rest:
        found |= rest
        rest = {above for parent in rest for above in parents.get(parent, ())} - found
    return found


def distances(context: GateContext) -> pl.DataFrame:
    """Straight-line distances agree with the coordinates, other distances are plausible, and no
    distance is from a place to itself.
    """
    places = context.table("pois").select("poi_id", "lat", "lon")
    joined = (
        context.table("distances")
        .join(places, left_on="from_id", right_on="poi_id", how="left")
        .join(places, left_on="to_id", right_on="poi_id", how="left", suffix="_to")
    )
    joined = with_distances(joined)
    straight = pl.col("distance_method") == "straight"
    off = (pl.col("distance_m") - pl.col("real")).abs() > TOLERANCE_M
    # A route is never shorter than the straight line, nor longer than ten times it plus 20 km.
    short = pl.col("distance_m") < pl.col("real") - TOLERANCE_M
    long = pl.col("distance_m") > 10 * pl.col("real") + 20_000
    wrong = pl.when(straight).then(off).otherwise(short | long) | pl.col("real").is_nan()
    message = pl.format(
        "the straight-line distance between the places is {} m", pl.col("real").round(1)
    )
    own = failing(
        "distances",
        joined,
        pl.col("from_id") == pl.col("to_id"),
        "to_id",
        "a distance must be between two different places",
    )
    return together([failing("distances", joined, wrong, "distance_m", message), own])


def clusters(context: GateContext) -> pl.DataFrame:
    """For each number of days, each located place has a cluster label, and the clusters are
    numbered from 0 in order of size.
    """
    rows = _clusterings(context)
    checks = (
        (
            "cluster",
            "top",
            pl.col("top") + 1 != pl.col("labels"),
            "there is a gap in the cluster numbers",
        ),
        (
            "cluster",
            "sizes",
            pl.col("grows"),
            "clusters must be numbered by size, starting with the largest",
        ),
        (
            "epsilon_m",
            "radii",
            pl.col("radii") != 1,
            "all rows for this number of days must have the same radius",
        ),
        (
            "poi_id",
            "places",
            pl.col("places").ne_missing(pl.col("located")),
            "a place must have a cluster label if and only if it has coordinates",
        ),
        (
            "n_days_planned",
            "lengths",
            pl.col("lengths") != len(_PLANNED_DAYS),
            "clusters are missing for some trip lengths from 2 to 7 days",
        ),
    )
    return failures(
        ("clusters", column, f"{row['city_id']}/{row['n_days_planned']}", str(row[shown]), message)
        for column, shown, bad, message in checks
        for row in rows.filter(bad).sort("city_id", "n_days_planned").to_dicts()
    )


def _clusterings(context: GateContext) -> pl.DataFrame:
    """Count labels, places and radii, by city and number of days."""
    groups = (
        context.table("clusters")
        .group_by("city_id", "n_days_planned")
        .agg(
            labels=pl.col("cluster").filter(pl.col("cluster") >= 0).n_unique().cast(pl.Int64),
            top=pl.col("cluster").max(),
            radii=pl.col("epsilon_m").n_unique(),
            places=pl.len().cast(pl.Int64),
        )
    )
    located = (
        context.table("pois")
        .filter(pl.col("lat").is_not_null())
        .group_by("city_id")
        .agg(located=pl.len().cast(pl.Int64))
    )
    sizes = (
        context.table("clusters")
        .filter(pl.col("cluster") >= 0)
        .group_by("city_id", "n_days_planned", "cluster")
        .len()
        .sort("city_id", "n_days_planned", "cluster")
        .group_by("city_id", "n_days_planned", maintain_order=True)
        .agg(sizes=pl.col("len"), grows=(pl.col("len").cast(pl.Int64).diff() > 0).any())
    )
    groups = groups.join(sizes, on=["city_id", "n_days_planned"], how="left")
    lengths = groups.group_by("city_id").agg(lengths=pl.len())
    return groups.join(located, on="city_id", how="left").join(lengths, on="city_id")


def metro(context: GateContext) -> pl.DataFrame:
    """A metro edge connects two stations in the same city, and its length agrees with the distance
    between them.
    """
    stations = (
        context.table("metro_stations")
        .unique("station_id")
        .select("station_id", "lat", "lon", city="city_id")
    )
    rows = with_distances(
        context.table("metro_edges")
        .join(stations, left_on="from_id", right_on="station_id", how="left")
        .join(stations, left_on="to_id", right_on="station_id", how="left", suffix="_to")
    )
    message = pl.format("the stations are {} m apart", pl.col("real").round(0))
    # A station on several lines has one position per line, because its platforms are apart.
    off = (pl.col("distance_m") - pl.col("real")).abs() > 1_000
    other = (pl.col("city") != pl.col("city_id")) | (pl.col("city_to") != pl.col("city_id"))
    return together(
        [
            failing("metro_edges", rows, off, "distance_m", message),
            failing(
                "metro_edges",
                rows,
                other,
                "from_id",
                "one end of the edge is a station in a different city",
            ),
        ]
    )


@gathered
def metro_lines(context: GateContext) -> Iterator[pl.DataFrame]:
    """A line's stations are numbered from 1, and each edge connects two neighbouring stations of
    its line.
    """
    stations = context.table("metro_stations").select("city_id", "line", "sequence", "station_id")
    rows = stations.with_columns(
        expected=pl.int_range(1, pl.len() + 1).over("city_id", "line", order_by="sequence")
    )
    gap = pl.col("sequence") != pl.col("expected")
    yield failing(
        "metro_stations", rows, gap, "sequence", "there is a gap in the sequence of stations"
    )
    edges = context.table("metro_edges")
    ends = stations.rename({"station_id": "from_id"}).join(
        stations.rename({"station_id": "to_id", "sequence": "next"}), on=["city_id", "line"]
    )
    neighbours = ends.filter((pl.col("next") - pl.col("sequence")).abs() == 1)
    yield report(
        "metro_edges",
        edges.join(neighbours, on=["city_id", "line", "from_id", "to_id"], how="anti"),
        "to_id",
        "the stations are not neighbours on the line",
    )


@gathered
def metro_fares(context: GateContext) -> Iterator[pl.DataFrame]:
    """Each fare is for a line and zones that exist in the city. No two fares come from the same row
    in the file.
    """
    stations = context.table("metro_stations")
    rows = context.table("metro_fares")
    lines = stations.select("city_id", "line").unique().with_columns(runs=True)
    zones = (
        stations.select("city_id", "zones").explode("zones").drop_nulls().unique()
        .rename({"zones": "zone"}).with_columns(exists=True)
    )  # fmt: skip
    told = rows.join(lines, on=["city_id", "line"], how="left")
    nowhere = pl.col("line").is_not_null() & pl.col("runs").is_null()
    line = ("city_id", "source_file", "source_line")
    twice = pl.struct(line).is_duplicated()
    yield failing("metro_fares", told, nowhere, "line", "the city has no metro line with this name")
    yield failing(
        "metro_fares",
        rows,
        twice,
        "source_line",
        "another row comes from the same line of the source file",
    )
    for column in ("from_zone", "to_zone"):
        held = rows.join(
            zones, left_on=["city_id", column], right_on=["city_id", "zone"], how="left"
        )
        yield failing(
            "metro_fares",
            held,
            pl.col(column).is_not_null() & pl.col("exists").is_null(),
            column,
            "the city has no station in this zone",
        )


def aliases(context: GateContext) -> pl.DataFrame:
    """An alias is neither blank nor the place's own name; an alias from a document stands at its
    text span.
    """
    names_ = context.table("pois").select("poi_id", "name_zh", "name_en")
    quotes = context.table("evidence").select("evidence_id", "quote_sha256")
    rows = (
        context.table("poi_aliases")
        .join(names_, on="poi_id", how="left")
        .join(quotes, on="evidence_id", how="left")
    )
    hashes = [text_sha256(alias) for alias in rows["alias"].to_list()]
    rows = rows.with_columns(real=pl.Series(hashes, dtype=pl.String))
    elsewhere = pl.col("quote_sha256") != pl.col("real")
    own = (pl.col("alias") == pl.col("name_zh")) | (pl.col("alias") == pl.col("name_en"))
    blank = pl.col("alias").str.strip_chars() == ""
    return together(
        [
            failing("poi_aliases", rows, blank, "alias", "the alias is blank"),
            failing("poi_aliases", rows, own, "alias", "the alias is the place's own name"),
            failing(
                "poi_aliases", rows, elsewhere, "alias", "the evidence quotes a different text"
            ),
        ]
    )


def poi_ids(context: GateContext) -> pl.DataFrame:
    """The id of a place is the hash of its anchor."""
    rows = context.table("pois")
    return unlike(
        "pois",
        rows,
        "poi_id",
        map(poi_id, rows["anchor"]),
        "the id made from the anchor is {}",
    )


def superseded(context: GateContext) -> pl.DataFrame:
    """A merged place points to an existing place, and no other row refers to the merged place."""
    pois = context.table("pois")
    merged = pois.filter(pl.col("superseded_by").is_not_null())["poi_id"].implode()
    chained = pl.col("superseded_by").is_in(merged)
    users = (
        "query_pois", "poi_mentions", *fact_tables(context), "poi_tags", "poi_popularity",
        "poi_aliases",
    )  # fmt: skip
    return together(
        [
            failing(
                "pois", pois, chained, "superseded_by", "this place was itself merged into another"
            ),
            *(
                failing(
                    name,
                    context.table(name),
                    pl.col("poi_id").is_in(merged),
                    "poi_id",
                    "this place was merged into another",
                )
                for name in users
            ),
        ]
    )


def mention_counts(context: GateContext) -> pl.DataFrame:
    """The mention count of each place is correct."""
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
    Gate(
        "coordinates",
        coordinates,
        "If a place has coordinates in another city, every route that includes the place is "
        "unusable.",
        "Geocode again, or leave the coordinates unknown.",
    ),
    Gate(
        "geocode_status",
        geocode_status,
        "A place must have either a complete location or none at all.",
        "Set the coordinates, cell, provider and datum together, or leave all of them out.",
    ),
    Gate(
        "city_gazetteer",
        city_gazetteer,
        "Distances from a city are measured from the city's centre.",
        "Take the city's names, country and coordinates from the bundled gazetteer. If the "
        "distance is correct, raise `gates.city_offset_m`.",
    ),
    Gate(
        "h3_cell",
        h3_cell,
        "If the coordinates were changed, a cell that was not recomputed from them is out of date.",
        "Compute the cell from the coordinates.",
    ),
    Gate("names", names, "Nobody can look up a place that has no name.", "Quarantine the row."),
    Gate(
        "duplicates",
        duplicates,
        "If a place has two rows, its mentions are split between them.",
        "If they are the same place, merge them; otherwise, give them different names.",
        severity="warning",
    ),
    Gate(
        "hierarchy",
        hierarchy,
        "If places form a loop in the hierarchy, none of them has an outermost parent.",
        "Remove the link to the parent that closes the loop.",
    ),
    Gate(
        "distances",
        distances,
        "Planners rely on the distances between places.",
        "Compute the table again.",
    ),
    Gate(
        "clusters",
        clusters,
        "Cluster labels start at 0 (TourPlanner, section 3.2).",
        "Compute the clusters again.",
        "table",
    ),
    Gate(
        "metro",
        metro,
        "If an edge is longer or shorter than the distance between its stations, their "
        "coordinates may be wrong.",
        "Check the coordinates of the stations.",
    ),
    Gate(
        "metro_fares",
        metro_fares,
        "A fare for a line that does not exist is useless.",
        "Keep only fares for the city's lines and zones.",
    ),
    Gate(
        "metro_lines",
        metro_lines,
        "If a station is missing from a line, one of the line's edges is too long.",
        "Renumber the stations, and connect each station to its neighbours.",
    ),
    Gate(
        "aliases",
        aliases,
        "A blank alias would match any text, and the place's own name adds nothing as an alias.",
        "Drop the alias.",
    ),
    Gate(
        "poi_ids",
        poi_ids,
        "An id stays the same across builds only if it is made from the anchor alone.",
        "Make the id with `schemas.ids.poi_id`.",
    ),
    Gate(
        "superseded",
        superseded,
        "If a place is merged into another, its rows belong to the place that remains.",
        "Write the rows with the id in `superseded_by`.",
    ),
    Gate(
        "mention_counts",
        mention_counts,
        "Published counts must be correct.",
        "Count the mentions after they have been linked.",
    ),
)
