"""Find the lines in a city's timetable, with the stations in order, the travel times and the
waiting times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import polars as pl

from sources.open.gtfs_feed import Feed, seconds

#: The waiting time is computed from the departures between 7:00 and 21:00 (seconds).
FROM_S, TO_S = 7 * 3600, 21 * 3600
#: Longest waiting time in seconds: if a line runs rarely, people look at the timetable first.
LONGEST_WAIT_S = 1800
#: Longest possible ride between two neighbouring stations of a city, in seconds.
_LONGEST_HOP_S = 3 * 3600


def line_rows(
    stops: pl.DataFrame, calls: pl.DataFrame, feed: Feed, trips: pl.DataFrame
) -> Iterator[dict[str, Any]]:
    """Yield rows for ``metro_stations`` with line, station, ``ride_s`` and ``wait_s``.

    ``stops`` has the columns ``s`` and ``label``. ``calls`` contains the stops of each trip in
    order. ``trips`` has the columns ``t``, ``trip_id`` and ``line``. The courses of a line, which
    are its sequences of stations, are processed from the longest to the shortest. A course is left
    out if earlier courses already contain all its pairs of neighbouring stations, in either
    direction.
    """
    here = _hops(stops, calls, trips)
    rides = _rides(here)
    leaving = _departures(here, feed, trips)
    courses = _courses(here)
    done: dict[str, set[frozenset[str]]] = defaultdict(set)
    names: dict[str, int] = defaultdict(int)
    for line, course in courses:
        hops = {frozenset(pair) for pair in pairwise(course)}
        if not hops - done[line]:
            continue
        is_first = not done[line]
        done[line] |= hops
        name = line if is_first else f"{line} ({course[0]} - {course[-1]})"
        names[name] += 1
        if names[name] > 1:
            name = f"{name} #{names[name]}"
        for at, label in enumerate(course):
            beside = [course[n] for n in (at - 1, at + 1) if 0 <= n < len(course)]
            most = max(leaving.get((line, label, other), 0.0) for other in beside)
            ride = rides.get((line, frozenset((course[at - 1], label)))) if at else None
            yield {
                "base": line, "line": name, "name": label, "ride_s": ride,
                "wait_s": _wait_s(most),
            }  # fmt: skip


def _wait_s(departures: float) -> int:
    """Return half the average time between two departures, in seconds."""
    if departures <= 0:
        return LONGEST_WAIT_S
    return min(round((TO_S - FROM_S) / departures / 2), LONGEST_WAIT_S)


def _hops(stops: pl.DataFrame, calls: pl.DataFrame, trips: pl.DataFrame) -> pl.DataFrame:
    """Add the label, the line and the next station to each stop of a trip.

    If a trip stops at the same station twice in a row, the second stop is removed.
    """
    named = calls.join(stops.select("s", "label"), on="s", maintain_order="left").join(
        trips.select("t", "line"), on="t", maintain_order="left"
    )
    again = (pl.col("label") == pl.col("label").shift(1)).over("t").fill_null(False)
    return named.filter(~again).with_columns(
        next=pl.col("label").shift(-1).over("t"), next_arr=pl.col("arr").shift(-1).over("t")
    )


def _rides(hops: pl.DataFrame) -> dict[tuple[str, frozenset[str]], int]:
    """Return the median travel time between neighbouring stations on a line, for both directions
    together.
    """
    told = hops.drop_nulls("next").with_columns(ride=pl.col("next_arr") - pl.col("dep"))
    told = told.filter(pl.col("ride").is_between(0, _LONGEST_HOP_S))
    pair = told.with_columns(
        one=pl.min_horizontal("label", "next"), two=pl.max_horizontal("label", "next")
    )
    medians = pair.group_by("line", "one", "two").agg(pl.col("ride").median().round())
    return {(line, frozenset((a, b))): int(ride) for line, a, b, ride in medians.iter_rows()}


def _departures(
    hops: pl.DataFrame, feed: Feed, trips: pl.DataFrame
) -> dict[tuple[str, str, str], float]:
    """Count the departures between 7:00 and 21:00, by line, station and next station."""
    often = _frequent(feed, trips)
    usual = pl.col("dep").is_between(FROM_S, TO_S, closed="left").fill_null(False).cast(pl.Float64)
    counted = (
        hops.drop_nulls("next")
        .join(often, on="t", how="left")
        .with_columns(n=pl.coalesce("often", usual))
        .group_by("line", "label", "next").agg(pl.col("n").sum())
    )  # fmt: skip
    return {(line, a, b): n for line, a, b, n in counted.iter_rows()}


def _frequent(feed: Feed, trips: pl.DataFrame) -> pl.DataFrame:
    """Count the departures between 7:00 and 21:00 of trips that are scheduled by their interval."""
    told = feed.read("frequencies.txt", ("trip_id", "start_time", "end_time", "headway_secs"))
    spans = told.with_columns(
        start=seconds("start_time").clip(FROM_S, TO_S), end=seconds("end_time").clip(FROM_S, TO_S),
        headway=pl.col("headway_secs").cast(pl.Int32, strict=False),
    ).filter(pl.col("headway") > 0)  # fmt: skip
    each = spans.with_columns(
        n=(pl.col("end") - pl.col("start")).clip(lower_bound=0) / pl.col("headway")
    )
    return (
        each.group_by("trip_id")
        .agg(often=pl.col("n").sum())
        .join(trips.select("trip_id", "t"), on="trip_id")
        .select("t", pl.col("often").cast(pl.Float64))
    )


def _courses(hops: pl.DataFrame) -> list[tuple[str, list[str]]]:
    """Return the courses of each line, the longest first and, among equally long ones, the most
    frequent first.
    """
    runs = hops.group_by("t", maintain_order=True).agg(pl.col("line").first(), pl.col("label"))
    known = (
        runs.with_columns(n=pl.col("label").list.len(), key=pl.col("label").list.join("\x1f"))
        .filter(pl.col("n") > 1)
        .group_by("line", "key").agg(pl.col("n").first(), trips=pl.len())
        .sort("line", "n", "trips", "key", descending=[False, True, True, False])
    )  # fmt: skip
    return [(row["line"], row["key"].split("\x1f")) for row in known.iter_rows(named=True)]
