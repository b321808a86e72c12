"""Read a feed's timetable for a typical day: stations, lines, and trips with their stops.

To save memory, a row of ``stop_times`` is loaded only if its trip runs on the typical day and stops
in the areas.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from schemas.geo import distance_m
from schemas.ids import canonical_json
from sources.open.errors import OpenDataError
from sources.open.gtfs_feed import Feed, ServiceDay, seconds, service_day
from sources.open.provider import RowAccount
from sources.tables.intake import PAYLOAD_CHARACTERS

#: Stops with the same name that are closer than this are one station; the code of the stop is added
#: to the name of any other.
ONE_STATION_M = 500.0
#: Largest number of broken rows per kind that are saved; further ones are only counted.
_SHOWN = 1_000
_TIMES = ("trip_id", "stop_id", "stop_sequence", "arrival_time", "departure_time")
#: Route types of trains between cities, in the basic and the extended list.
_RAIL = (2, *range(100, 118))
_MODES = {0: "tram", 1: "metro", 2: "rail", 3: "bus", 4: "ferry", 5: "cable tram", 6: "aerial lift",
          7: "funicular", 11: "trolleybus", 12: "monorail"}  # fmt: skip


@dataclass
class FeedRows:
    """Counts the rows in a feed, and keeps a limited number of broken rows."""

    account: RowAccount = field(default_factory=RowAccount)

    def leave(self, rows: int, reason: str) -> None:
        """Count rows that are left out, by reason."""
        if rows:
            self.account.left_out[reason] += rows

    def quarantine(
        self, table: str, rows: list[dict[str, Any]], reason: str, n: int | None = None
    ) -> None:
        """Set broken rows aside; if only some of these rows are given, ``n`` is the total
        number.
        """
        for row in rows[:_SHOWN]:
            payload = canonical_json({k: v for k, v in row.items() if v is not None})
            self.account.set_aside.append(
                {"provider": "gtfs", "table": table, "id": "", "check": "gtfs", "reason": reason,
                 "payload": payload[:PAYLOAD_CHARACTERS]}
            )  # fmt: skip
        rest = (len(rows) if n is None else n) - len(rows[:_SHOWN])
        self.leave(rest, f"{reason} (only counted; the first {_SHOWN} rows are listed)")


@dataclass(frozen=True)
class FeedTimetable:
    """The stops, trips and lines in an entire feed.

    ``stops`` has the columns ``stop_id``, ``station``, ``name``, ``code``, ``lat``, ``lon`` and
    ``zone``. ``trips`` contains the trips on the chosen day, numbered in the column ``t``.
    ``lines`` maps routes to the names of their lines.
    """

    feed: Feed
    day: ServiceDay
    stops: pl.DataFrame
    trips: pl.DataFrame
    lines: Mapping[str, str]
    all_trips: pl.DataFrame


def read_timetable(feed: Feed, rows: FeedRows) -> FeedTimetable:
    """Read a feed's stops, lines and trips, and count all rows.

    Raises OpenDataError if none of the feed's trips can be used.
    """
    stops = _stops(feed, rows)
    routes, lines = _routes(feed, rows)
    trips = feed.read("trips.txt", ("trip_id", "route_id", "service_id", "trip_short_name"))
    rows.account.rows_in += trips.height
    bad = trips.filter(pl.any_horizontal(pl.col("trip_id", "route_id", "service_id").is_null()))
    rows.quarantine(
        "trips",
        bad.head(_SHOWN).to_dicts(),
        "a trip that lacks an id, a route or a service",
        bad.height,
    )
    good = trips.drop_nulls(["trip_id", "route_id", "service_id"])
    once = good.unique("trip_id", keep="first", maintain_order=True)
    rows.leave(good.height - once.height, "trips with the same id as an earlier trip")
    known = once.join(routes, on="route_id", how="inner", maintain_order="left")
    rows.leave(once.height - known.height, "trips on a route that is not in routes.txt")
    if known.is_empty():
        raise OpenDataError(f"gtfs={feed.name}: no trip refers to a route in routes.txt")
    counts = dict(known["service_id"].value_counts().iter_rows())
    day = service_day(feed, counts)
    running = known.filter(pl.col("service_id").is_in(list(day.services)))
    rows.leave(known.height - running.height, "trips that do not run on the chosen day")
    rows.account.kept += running.height
    numbered = running.with_row_index("t")
    return FeedTimetable(feed, day, stops, numbered, lines, once.select("trip_id"))


def _stops(feed: Feed, rows: FeedRows) -> pl.DataFrame:
    """Return one row for each stop, with the station to which the stop belongs."""
    columns = (
        "stop_id",
        "stop_name",
        "stop_code",
        "stop_lat",
        "stop_lon",
        "zone_id",
        "location_type",
        "parent_station",
    )
    told = feed.read("stops.txt", columns)
    rows.account.rows_in += told.height
    by_id: dict[str, dict[str, Any]] = {}
    repeated, nameless = [], []
    for row in told.iter_rows(named=True):
        if row["stop_id"] is None:
            nameless.append(row)
        elif row["stop_id"] in by_id:
            repeated.append(row)
        else:
            by_id[row["stop_id"]] = row
    rows.quarantine("stops", nameless, "a stop without an id")
    rows.quarantine("stops", repeated, "a stop with the same id as an earlier stop")
    found, lost = [], []
    for key, row in by_id.items():
        if row["location_type"] not in (None, "0", "1", "4"):
            rows.leave(1, "entrances of stations, or points inside stations")
            continue
        station = _station(row, by_id)
        point = _point(station) or _point(row)
        name = station["stop_name"] or row["stop_name"]
        if point is None or name is None:
            lost.append(row)
            continue
        found.append((key, station["stop_id"], name, station["stop_code"] or station["stop_id"],
                      *point, row["zone_id"] or station["zone_id"]))  # fmt: skip
    rows.quarantine("stops", lost, "a stop without a name or valid coordinates")
    schema = {"stop_id": pl.String, "station": pl.String, "name": pl.String, "code": pl.String,
              "lat": pl.Float64, "lon": pl.Float64, "zone": pl.String}  # fmt: skip
    return pl.DataFrame(found, schema=schema, orient="row")


def _station(row: dict[str, Any], by_id: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the station to which a stop belongs, or the stop itself if it has no parent."""
    for _ in range(3):
        parent = by_id.get(row["parent_station"] or "")
        if parent is None or parent is row:
            break
        row = parent
    return row


def _point(row: Mapping[str, Any]) -> tuple[float, float] | None:
    try:
        lat, lon = float(row["stop_lat"]), float(row["stop_lon"])
    except (TypeError, ValueError):
        return None
    # Some publishers write 0, 0 if they do not know the location.
    return (lat, lon) if abs(lat) <= 90 and abs(lon) <= 180 and (lat, lon) != (0, 0) else None


def _routes(feed: Feed, rows: FeedRows) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return the routes, each with its line and whether it is a train route, and also return a
    mapping from routes to lines.
    """
    columns = ("route_id", "agency_id", "route_short_name", "route_long_name", "route_type")
    told = feed.read("routes.txt", columns)
    rows.account.rows_in += told.height
    good = told.drop_nulls("route_id").unique("route_id", keep="first", maintain_order=True)
    bad = told.filter(pl.col("route_id").is_null() | pl.col("route_id").is_duplicated())
    lost = told.height - good.height
    rows.quarantine(
        "routes",
        bad.head(min(lost, _SHOWN)).to_dicts(),
        "a route whose id is missing or repeated",
        lost,
    )
    rows.account.kept += good.height
    named = good.with_columns(
        kind=pl.col("route_type").cast(pl.Int32, strict=False).fill_null(3),
        base=pl.coalesce("route_short_name", "route_long_name", "route_id"),
    )
    owners = named.group_by("base").agg(
        kinds=pl.col("kind").n_unique(), agencies=pl.col("agency_id").n_unique()
    )
    joined = named.join(owners, on="base", maintain_order="left")
    lines = {}
    for row in joined.iter_rows(named=True):
        parts = [_MODES.get(row["kind"], f"type {row['kind']}")] if row["kinds"] > 1 else []
        parts += [row["agency_id"] or ""] if row["agencies"] > 1 else []
        lines[row["route_id"]] = f"{row['base']} ({', '.join(parts)})" if parts else row["base"]
    return joined.select(
        "route_id", "base", is_rail=pl.col("kind").is_in(_RAIL),
        line=pl.col("route_id").replace_strict(lines, return_dtype=pl.String),
    ), lines  # fmt: skip


def stations_in(stops: pl.DataFrame, inside: NDArray[np.bool_]) -> pl.DataFrame:
    """Return the stops inside an area, each with the ``label`` and the location of its station.

    Each label is used for only one location.
    """
    held = stops.filter(pl.Series(inside, dtype=pl.Boolean))
    labels: dict[str, tuple[str, float, float]] = {}
    by_name: dict[str, list[tuple[str, float, float]]] = {}
    taken = set(held["name"])
    for row in (
        held.unique("station", keep="first", maintain_order=True)
        .sort("name", "station")
        .iter_rows(named=True)
    ):
        namesakes = by_name.setdefault(row["name"], [])
        for label, lat, lon in namesakes:
            if float(distance_m(lat, lon, row["lat"], row["lon"])) <= ONE_STATION_M:
                labels[row["station"]] = (label, lat, lon)
                break
        else:
            label = row["name"]
            if namesakes:
                label = f"{row['name']} ({row['code']})"
                while label in taken:
                    label += "*"
            taken.add(label)
            labels[row["station"]] = (label, row["lat"], row["lon"])
            namesakes.append(labels[row["station"]])
    places = pl.DataFrame(
        [(station, *place) for station, place in labels.items()],
        schema={"station": pl.String, "label": pl.String, "at_lat": pl.Float64,
                "at_lon": pl.Float64},
        orient="row",
    )  # fmt: skip
    return held.join(places, on="station", maintain_order="left")


def calls(
    table: FeedTimetable, inside: pl.DataFrame, trips: pl.DataFrame, rows: FeedRows, least: int = 1
) -> pl.DataFrame:
    """Return the stops of trips that stop in at least ``least`` of the groups in ``inside``.

    Stops that are not in ``inside``, a frame with the columns ``stop_id`` and ``group``, are left
    out. The result has the columns ``t``, ``seq``, ``s``, ``group``, ``arr`` and ``dep``, and is
    sorted by trip and by the order of stops. Times are in seconds after the start of the day.
    Missing times are interpolated; before the first known time and after the last, times are null.
    """
    told = table.feed.scan("stop_times.txt", _TIMES).with_columns(
        seq=pl.col("stop_sequence").cast(pl.Int32, strict=False)
    )
    stops = table.stops.select("stop_id").with_row_index("s")
    ours = stops.join(inside.select("stop_id", "group"), on="stop_id", how="left")
    base = (
        told.join(trips.lazy().select("trip_id", "t"), on="trip_id")
        .join(ours.lazy(), on="stop_id")
        .filter(pl.col("seq").is_not_null())
    )
    touching = (
        base.filter(pl.col("group").is_not_null()).group_by("t")
        .agg(pl.col("group").n_unique()).filter(pl.col("group") >= least).select("t")
        .collect(engine="streaming")
    )  # fmt: skip
    found = (
        base.join(touching.lazy(), on="t", how="semi")
        .select(
            "t", "seq", "s", "group", arr=seconds("arrival_time"), dep=seconds("departure_time")
        )
        .collect(engine="streaming")
        .sort("t", "seq", "s")
    )
    once = found.unique(["t", "seq"], keep="first", maintain_order=True)
    if found.height > once.height:
        rows.account.marks[
            "stop times that repeat a stop_sequence of their trip; the first one is used"
        ] += found.height - once.height
    timed = once.with_columns(arr=pl.coalesce("arr", "dep"), dep=pl.coalesce("dep", "arr"))
    silent = timed["arr"].null_count()
    if silent:
        rows.account.marks[
            "stops without a time; the time is interpolated from the stops before and after"
        ] += silent
        timed = timed.with_columns(
            pl.col("arr", "dep").cast(pl.Float64).interpolate().over("t").round().cast(pl.Int32)
        )
    return timed.filter(pl.col("group").is_not_null())


def account_calls(table: FeedTimetable, inside: pl.DataFrame, rows: FeedRows) -> None:
    """Count the rows in ``stop_times``, and the unused rows by reason."""
    told = table.feed.scan("stop_times.txt", _TIMES)
    broken = pl.any_horizontal(
        pl.col("trip_id", "stop_id").is_null(),
        pl.col("stop_sequence").cast(pl.Int32, strict=False).is_null(),
    )
    trips = table.all_trips.with_columns(known=True).join(
        table.trips.select("trip_id", runs=True), on="trip_id", how="left"
    )
    stops = table.stops.select("stop_id", exists=True).join(
        inside.select("stop_id", here=True), on="stop_id", how="left"
    )
    reason = (
        pl.when(broken)
        .then(pl.lit("a stop time that lacks a trip, a stop or a sequence number"))
        .when(pl.col("known").is_null())
        .then(pl.lit("stop times for an unknown trip"))
        .when(pl.col("exists").is_null())
        .then(pl.lit("stop times for an unknown stop"))
        .when(pl.col("runs").is_null())
        .then(pl.lit("stop times for a trip that does not run on the chosen day"))
        .when(pl.col("here").is_null())
        .then(pl.lit("stop times outside the city"))
    )
    counts = (
        told.join(trips.lazy(), on="trip_id", how="left")
        .join(stops.lazy(), on="stop_id", how="left")
        .group_by(reason=reason).len().collect(engine="streaming")
    )  # fmt: skip
    counted: Counter[str | None] = Counter(dict(counts.iter_rows()))
    rows.account.rows_in += counted.total()
    rows.account.kept += counted.pop(None, 0)
    lost = "a stop time that lacks a trip, a stop or a sequence number"
    n_lost = counted.pop(lost, 0)
    if n_lost:
        rows.quarantine(
            "stop_times", told.filter(broken).head(_SHOWN).collect().to_dicts(), lost, n_lost
        )
    for why, n in counted.items():
        rows.leave(n, str(why))
