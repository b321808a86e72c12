"""Gates that repeat the computations of a stage to find values that were misplaced or lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from schemas.geo import EARTH_RADIUS_M
from schemas.ids import quarantine_id
from schemas.money import amount_unit
from schemas.parameters import density_baseline, queue_parameters
from schemas.rows import CityStatsRow
from schemas.typed_rows import read_rows
from validators.gates.base import (
    Failure,
    Gate,
    GateContext,
    failing,
    failing_any,
    gathered,
    report,
    together,
)

#: DBSCAN's minimum number of samples, including the point itself (TourPlanner, section 3.2).
MIN_SAMPLES = 4
#: Cities with more located places are not checked: memory grows with the number of pairs.
_MOST_PLACES = 20_000


@gathered
def parameters(context: GateContext) -> Iterator[Failure]:
    """Queue parameters and visits per day have the published values (TravelEval, tables A2 and
    A5).
    """
    for name, published in (
        ("queue_parameters", queue_parameters()),
        ("density_baseline", density_baseline()),
    ):
        wanted = {(p, k): (v, u) for p, k, v, u in published.iter_rows()}
        have = {(p, k): (v, u) for p, k, v, u in context.table(name).iter_rows()}
        yield from (
            (
                name,
                "metric_value",
                f"{p}/{k}",
                str(have.get((p, k))),
                f"the value in the paper is {wanted.get((p, k))}",
            )
            for p, k in sorted(wanted.keys() | have.keys())
            if wanted.get((p, k)) != have.get((p, k))
        )


@gathered
def stats(context: GateContext) -> Iterator[pl.DataFrame | Failure]:
    """The counts and prices given for a city's hotels and meals agree with the city's tables."""
    rows = context.table("city_stats")
    metric = pl.col("metric").str.replace(r"_p\d\d$", "")
    families = rows.with_columns(
        sizes=pl.col("n_rows").n_unique().over("city_id", metric, "unit"),
        # Each currency has its own prices; a missing quantile is in another unit.
        lacking=pl.len().over("city_id", metric, "unit")
        < pl.col("metric").n_unique().over("city_id", metric),
    )
    counted = pl.col("metric").str.starts_with("count_")
    of_others = counted & (pl.col("metric_value") != pl.col("n_rows"))
    yield failing_any(
        "city_stats",
        families,
        [
            (of_others, "n_rows", "if a metric is a count, n_rows must be equal to its value"),
            (
                pl.col("sizes") > 1,
                "n_rows",
                "the quantiles of this metric were computed from different numbers of rows",
            ),
            (pl.col("lacking"), "unit", "a quantile of this metric is missing for this unit"),
            (
                counted != (pl.col("unit") == "rows"),
                "unit",
                "the unit must be `rows` if and only if the metric is a count",
            ),
        ],
    )
    for city_id, part in rows.group_by("city_id"):
        yield from _differing_stats(part, _real_stats(context, str(city_id[0])))


_Stats = dict[tuple[str, str], tuple[float, int]]


def _differing_stats(part: pl.DataFrame, real: _Stats) -> Iterator[Failure]:
    """Yield the statistics for a city that differ from the city's tables."""
    metrics = {metric for metric, _unit in real}
    for row in read_rows(part.sort("metric", "unit"), CityStatsRow):
        want = real.get((row["metric"], row["unit"]))
        key = f"{row['city_id']}/{row['metric']}/{row['unit']}"
        if want is None:
            if row["metric"] in metrics:
                yield (
                    "city_stats",
                    "unit",
                    key,
                    row["unit"],
                    "the tables contain no prices in this unit",
                )
            continue
        value, n_rows = want
        if abs(value - row["metric_value"]) > 1e-6 * max(1.0, abs(value)):
            yield (
                "city_stats",
                "metric_value",
                key,
                str(row["metric_value"]),
                f"the tables give {value:g}",
            )
        if n_rows != row["n_rows"]:
            yield "city_stats", "n_rows", key, str(row["n_rows"]), f"there are {n_rows} rows"


def _real_stats(context: GateContext, city_id: str) -> _Stats:
    """Return the value and the number of rows for each metric and unit that the tables contain."""
    mine = {
        name: context.table(name).filter(pl.col("city_id") == city_id)
        for name in ("hotels", "restaurants", "metro_stations")
    }
    sizes = {
        "hotels": mine["hotels"].height,
        "restaurants": mine["restaurants"].height,
        "metro_stations": mine["metro_stations"]["station_id"].n_unique(),
    }
    found: _Stats = {(f"count_{n}", "rows"): (float(size), size) for n, size in sizes.items()}
    rooms = (
        mine["hotels"]
        .filter(~pl.col("is_simulated"))
        .select("rooms", "currency")
        .explode("rooms")
        .drop_nulls("rooms")
        .unnest("rooms")
        .drop_nulls("room_type")
    )
    by_type = {f"hotel_price_{kind}": part for (kind,), part in rooms.group_by("room_type")}
    for name, table in {"meal_price": mine["restaurants"], **by_type}.items():
        for unit, known in _by_unit(table):
            for label, share in (("p10", 0.1), ("p50", 0.5), ("p90", 0.9)):
                value = known.quantile(share, "linear")
                assert value is not None
                found[f"{name}_{label}", unit] = (value, known.len())
    return found | _journey_prices(context, city_id)


def _by_unit(rows: pl.DataFrame) -> list[tuple[str, pl.Series]]:
    """Return the known prices by the unit that the statistics use (none if the currency is
    unknown).
    """
    known = rows.drop_nulls(["price_cents", "currency"])
    return [
        (amount_unit(code), known.filter(pl.col("currency") == code)["price_cents"])
        for code in sorted(known["currency"].unique())
    ]


def _journey_prices(context: GateContext, city_id: str) -> _Stats:
    """Return the minimum and median prices of trains and flights to and from a city."""
    found: _Stats = {}
    for name, table in (("train", "trains"), ("flight", "flights")):
        ends = pl.col("origin_city_id"), pl.col("destination_city_id")
        rows = context.table(table).filter((ends[0] == city_id) | (ends[1] == city_id))
        for unit, prices in _by_unit(rows.unique(f"{name}_id")):
            for label, value in (("min", prices.min()), ("median", prices.quantile(0.5, "linear"))):
                found[f"{name}_price_{label}", unit] = (float(value), prices.len())  # type: ignore[arg-type]  # a price is a number
    return found


@gathered
def links(context: GateContext) -> Iterator[Failure]:
    """The places of a cluster are connected by steps no longer than the cluster's radius. No place
    labelled as noise is near a core point.
    """
    places = context.table("pois").select("poi_id", "lat", "lon").drop_nulls()
    rows = context.table("clusters").join(places, on="poi_id")
    known: dict[tuple[str, float], Any] = {}
    groups = rows.sort("city_id", "n_days_planned", "poi_id").group_by(
        "city_id", "n_days_planned", maintain_order=True
    )
    for (city_id, n_days), part in groups:
        if part.height > _MOST_PLACES:
            continue
        radius = float(part["epsilon_m"][0])
        key = (f"{city_id}/{part['poi_id'].hash().sum()}", radius)
        if key not in known:
            known[key] = _neighbours(part.select("lat", "lon").to_numpy(), radius)
        labels = part["cluster"].to_numpy()
        yield from (
            (
                "clusters",
                "cluster",
                f"{city_id}/{n_days}/{part['poi_id'][at]}",
                str(labels[at]),
                what,
            )
            for at, what in _label_faults(labels, known[key])
        )


def _neighbours(
    degrees: NDArray[np.float64], radius_m: float
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the pairs of points within the radius on the sphere, and the points that are core
    points.
    """
    # SciPy takes half a second to import.
    from scipy.spatial import cKDTree

    lat, lon = np.radians(degrees).T
    points = np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    chord = 2 * np.sin(radius_m / EARTH_RADIUS_M / 2)
    pairs = cKDTree(points).query_pairs(chord * (1 + 1e-9), output_type="ndarray")
    number = np.bincount(pairs.ravel(), minlength=len(points)) + 1
    return pairs, number >= MIN_SAMPLES


def _label_faults(
    labels: NDArray[np.int64], near: tuple[NDArray[np.int64], NDArray[np.bool_]]
) -> Iterator[tuple[int, str]]:
    pairs, core = near
    both = pairs[core[pairs].all(axis=1)]
    for a in both[labels[both[:, 0]] != labels[both[:, 1]]]:
        yield (
            int(a[0]),
            "a core point within the cluster radius of this place is in a different cluster",
        )
    supported = core.copy()
    for here, there in ((0, 1), (1, 0)):
        edge = pairs[core[pairs[:, there]] & ~core[pairs[:, here]]]
        for pair in edge[labels[edge[:, here]] == -1]:
            yield (
                int(pair[here]),
                "the place is marked as noise, but there is a core point within the cluster radius",
            )
        same = edge[labels[edge[:, here]] == labels[edge[:, there]]]
        supported[same[:, here]] = True
    for at in np.flatnonzero((labels >= 0) & ~supported):
        yield (
            int(at),
            "no core point of the place's cluster lies within the cluster radius of the place",
        )
    for at in np.flatnonzero((labels == -1) & core):
        yield int(at), "the place is a core point, but is marked as noise"


@gathered
def table_rows(context: GateContext) -> Iterator[pl.DataFrame]:
    """Each row of a source table supports only one place, along with that place's aliases and
    facts.
    """
    rows = context.table("evidence").filter(pl.col("evidence_kind") == "table")["evidence_id"]
    places = context.table("pois").select("evidence_id", "poi_id")
    owner = places.group_by("evidence_id").agg(own=pl.col("poi_id").min())
    for name in ("poi_aliases", "poi_facts"):
        part = context.table(name).filter(pl.col("evidence_id").is_in(rows.implode()))
        yield report(
            name,
            part.join(places, on=["evidence_id", "poi_id"], how="anti").join(
                owner, on="evidence_id"
            ),
            "evidence_id",
            pl.format("the row belongs to the place {}", "own"),
        )


def found_once(context: GateContext) -> pl.DataFrame:
    """A document appears only once in each of a query's document lists. The document of each
    reference trajectory is in one of the query's lists.
    """
    rows = context.table("query_documents")
    twice = pl.struct("query_id", "purpose", "doc_id").is_duplicated()
    documents = context.table("trajectories").select("trajectory_id", "doc_id")
    return together(
        [
            failing(
                "query_documents",
                rows,
                twice,
                "doc_id",
                "the list for this query and purpose contains the document twice",
            ),
            report(
                "query_trajectories",
                context.table("query_trajectories")
                .join(documents, on="trajectory_id")
                .join(rows, on=["query_id", "doc_id"], how="anti"),
                "trajectory_id",
                "no search for the query found the trajectory's document",
            ),
        ]
    )


def quarantine_ids(context: GateContext) -> pl.DataFrame:
    """The id of a quarantined row is the hash of everything that is recorded about it."""
    rows = context.table("quarantine")
    columns = ("city_id", "stage", "table", "row_id", "check", "message", "payload")
    groups = [tuple(row) for row in rows.select(columns).iter_rows()]
    seen = Counter(group[:5] for group in groups)
    faults = []
    for made, group in zip(rows["quarantine_id"], groups, strict=True):
        city_id, stage, table, row_id, check, message, payload = group
        checks = (check, *(f"{check}:{number}" for number in range(1, seen[group[:5]])))
        faults.append(
            made
            not in {
                quarantine_id(city_id, stage, table, row_id, name, message, payload)
                for name in checks
            }
        )
    return failing(
        "quarantine",
        rows.with_columns(fault=pl.Series(faults, dtype=pl.Boolean)),
        pl.col("fault"),
        "quarantine_id",
        "the id does not match the content of the row",
    )


def languages(context: GateContext) -> pl.DataFrame:
    """A text marked as Chinese contains at least one Chinese character; any other text contains
    none.
    """
    han = r"\p{Han}"
    return together(
        failing(
            name,
            context.table(name),
            written & wrong,
            "lang",
            "the text is in a different language from the one in the column `lang`",
        )
        for name, column in (("poi_aliases", "alias"), ("sub_queries", "text"))
        for written in [pl.col(column).str.strip_chars() != ""]
        for wrong in [(pl.col("lang") == "zh") != pl.col(column).str.contains(han)]
    )


GATES = (
    Gate(
        "parameters",
        parameters,
        "Figures from a paper must be quoted exactly.",
        "Take them from `schemas.parameters`.",
    ),
    Gate(
        "city_stats",
        stats,
        "Planners estimate demand from a city's counts and prices.",
        "Compute the table again.",
    ),
    Gate(
        "cluster_links",
        links,
        "The places of a cluster are meant for one day, so they must be close together "
        "(TourPlanner, section 3.2).",
        "Compute the table again.",
    ),
    Gate(
        "table_rows",
        table_rows,
        "A place must not have a name or price from the row of another place.",
        "Look for a join that does not match on the source row.",
    ),
    Gate(
        "found_once",
        found_once,
        "A document may be listed for a query only if a search for the query found it.",
        "Run the searches again.",
    ),
    Gate(
        "languages",
        languages,
        "Programs that read the tables select names by their language.",
        "Determine the language of the text again.",
        "row",
    ),
    Gate(
        "quarantine_ids",
        quarantine_ids,
        "The same faulty row must have the same id in every build.",
        "Make the id with `schemas.ids`.",
    ),
)
