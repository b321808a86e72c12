"""Gates on hotels, restaurants and transport, and on the row counts in a build."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from schemas.taxonomy import CUISINES, HOTEL_FEATURES, ROOM_TYPES, codes
from validators.gates.base import (
    Failure,
    Gate,
    GateContext,
    RowCheck,
    failing,
    failing_any,
    gathered,
    together,
)

MINUTES_PER_DAY = 1440
#: Tables that report on other tables, or that are created after the control stage.
_NOT_CONTROLLED = ("quarantine", "stage_counts", "witness_plans", "review_decisions")
#: Numbers of fast trains in China, none of which travels for a whole day.
_FAST_TRAIN = r"^[GDC]\d"


@gathered
def clocks(context: GateContext) -> Iterator[pl.DataFrame]:
    """The departure time plus the duration equals the arrival time, and a journey connects two
    different cities and two different stations.
    """
    arrival = pl.col("arrival_day_offset") * MINUTES_PER_DAY + pl.col("arrival_min")
    real = arrival - pl.col("departure_min")
    checks: list[RowCheck] = [
        (
            real != pl.col("duration_min"),
            "duration_min",
            pl.format(
                "according to the departure and arrival times, the journey takes {} minutes", real
            ),
        ),
        (
            pl.col("origin_city_id") == pl.col("destination_city_id"),
            "destination_city_id",
            "the journey ends in the city where it begins",
        ),
        (
            pl.col("origin_station") == pl.col("destination_station"),
            "destination_station",
            "the journey ends at the station where it begins",
        ),
    ]
    for table in ("trains", "flights"):
        yield failing_any(table, context.table(table), checks)
    slow = pl.col("train_no").str.contains(_FAST_TRAIN) & (pl.col("duration_min") > MINUTES_PER_DAY)
    yield failing(
        "trains",
        context.table("trains"),
        slow,
        "duration_min",
        "the journey of a fast train must not take more than a day",
    )


def rooms(context: GateContext) -> pl.DataFrame:
    """Each room type is known and appears only once per hotel, and prices and numbers of free rooms
    are not negative.
    """
    each = (
        context.table("hotels")
        .select("hotel_id", "rooms")
        .explode("rooms")
        .drop_nulls("rooms")
        .unnest("rooms")
    )
    return together(
        [
            failing(
                "hotels",
                each,
                ~pl.col("room_type").is_in(list(codes(ROOM_TYPES))),
                "room_type",
                "this room type is unknown",
            ),
            failing(
                "hotels",
                each,
                pl.struct("hotel_id", "room_type").is_duplicated(),
                "room_type",
                "the hotel lists this room type twice",
            ),
            failing(
                "hotels",
                each,
                pl.col("price_cents") <= 0,
                "price_cents",
                "the price must be above zero",
            ),
            failing(
                "hotels",
                each,
                pl.col("stock") < 0,
                "stock",
                "the number of free rooms must not be negative",
            ),
        ]
    )


def tags(context: GateContext) -> pl.DataFrame:
    """Cuisines and hotel features belong to the published tag sets."""
    return together(
        failing(
            table,
            context.table(table),
            ~pl.col(column).is_in(list(codes(terms))),
            column,
            "this tag is unknown",
        )
        for table, column, terms in (
            ("hotels", "feature", HOTEL_FEATURES),
            ("restaurants", "cuisine", CUISINES),
        )
    )


def accounts(context: GateContext) -> pl.DataFrame:
    """At every stage, the number of rows that came in equals the sum of the rows kept, merged,
    quarantined and pending.
    """
    rows = context.table("stage_counts")
    out = sum(
        (pl.col(f"rows_{kind}") for kind in ("kept", "merged", "quarantined", "pending")), pl.lit(0)
    )
    return failing(
        "stage_counts",
        rows,
        out != pl.col("rows_in"),
        "rows_in",
        pl.format("{} rows came out", out),
    )


@gathered
def published_rows(context: GateContext) -> Iterator[Failure]:
    """For each table, the snapshot contains exactly the rows that the control stage kept."""
    counts = context.table("stage_counts").filter(pl.col("stage") == "control")
    cities = context.table("cities")["city_id"].implode()
    for row in counts.to_dicts():
        name, city = row["table"], row["city_id"]
        real = _rows_held(context, name, city, cities)
        if real is not None and real != row["rows_kept"]:
            yield (
                "stage_counts",
                "rows_kept",
                f"{city}/control/{name}",
                str(row["rows_kept"]),
                f"there are {real} rows",
            )
    accounted = set(counts.select("city_id", "table").iter_rows())
    yield from (
        (
            "stage_counts",
            "table",
            f"{city}/control/{name}",
            None,
            "the control stage has not counted the rows of this table",
        )
        for name, table in context.definitions.items()
        if table.partition == "city" and name not in _NOT_CONTROLLED
        for city in context.table("cities")["city_id"].to_list()
        if (city, name) not in accounted
    )


def _rows_held(context: GateContext, name: str, city: str, cities: pl.Series) -> int | None:
    """Return how many rows of a table belong to a city, or None if another city may share the rows.

    A table that a migration removed has no rows.
    """
    if name not in context.definitions:
        return 0
    rows = context.table(name)
    if "city_id" in rows.columns:
        return rows.filter(pl.col("city_id") == city).height
    ends = (pl.col("origin_city_id"), pl.col("destination_city_id"))
    rows = rows.filter((ends[0] == city) | (ends[1] == city))
    if rows.filter(ends[0].is_in(cities) & ends[1].is_in(cities)).height:
        return (
            None  # the city that was built last has the journeys between two cities of the snapshot
        )
    return rows.height


def quarantine_counts(context: GateContext) -> pl.DataFrame:
    """The rows that each stage quarantined are in the table ``quarantine``."""
    real = (
        context.table("quarantine")
        .group_by("city_id", "stage", "table")
        .agg(real=pl.len().cast(pl.Int64))
    )
    keys = ["city_id", "stage", "table"]
    rows = (
        context.table("stage_counts")
        .join(real, on=keys, how="full", coalesce=True)
        .with_columns(pl.col("real", "rows_quarantined").fill_null(0))
    )
    bad = pl.col("real") != pl.col("rows_quarantined")
    return failing(
        "stage_counts",
        rows,
        bad,
        "rows_quarantined",
        pl.format("the table `quarantine` has {} rows", "real"),
    )


def quarantine_share(context: GateContext) -> pl.DataFrame:
    """No stage sets aside a larger share of a table than the profile allows."""
    rows = context.table("stage_counts").join(context.demands, on="city_id", how="left")
    share = pl.col("rows_quarantined") / pl.col("rows_in")
    bad = (pl.col("rows_in") >= 20) & (share > pl.col("quarantine_share"))
    return failing(
        "stage_counts",
        rows,
        bad,
        "rows_quarantined",
        pl.format("the stage quarantined {} % of the rows", (share * 100).round(1)),
    )


def quarantine_words(context: GateContext) -> pl.DataFrame:
    """Each quarantined row is recorded with its content and a reason."""
    rows = context.table("quarantine")
    return together(
        failing(
            "quarantine", rows, pl.col(column).str.strip_chars() == "", column, "the value is blank"
        )
        for column in ("row_id", "check", "message", "table")
    )


def stored_verdicts(context: GateContext) -> pl.DataFrame:
    """The stored verdicts of the gates are consistent, and no gate of severity error failed."""
    rows = context.table("gates")
    blocked = ~pl.col("passed") & (pl.col("severity") == "error")
    odd = pl.col("passed") != (pl.col("n_failed") == 0)
    return together(
        [
            failing("gates", rows, blocked, "passed", "a gate with the severity `error` failed"),
            failing(
                "gates", rows, odd, "n_failed", "a gate passes if and only if it has no failures"
            ),
        ]
    )


GATES = (
    Gate(
        "clocks",
        clocks,
        "If durations do not match departure and arrival times, plans can contain impossible "
        "journeys.",
        "Quarantine the connection.",
    ),
    Gate(
        "rooms",
        rooms,
        "Planners choose rooms by type, price and number of free rooms.",
        "Check the source row; use null for unknown values.",
    ),
    Gate(
        "tags_known",
        tags,
        "Preferences are taken from the published tag sets (TravelEval, appendix C).",
        "Map the tag to a published one, or leave it unknown.",
    ),
    Gate("accounts", accounts, "No row may be lost.", "Find out where the stage loses rows."),
    Gate(
        "published_rows",
        published_rows,
        "No row may be lost while the files are written.",
        "Publish again.",
    ),
    Gate(
        "quarantine_counts",
        quarantine_counts,
        "Rows that were set aside must be kept for inspection.",
        "Record the quarantined row.",
    ),
    Gate(
        "quarantine_share",
        quarantine_share,
        "If many rows are in quarantine, the source is probably broken.",
        "Fix the source. If the loss is acceptable, raise `gates.quarantine_share`.",
        "table",
        "warning",
    ),
    Gate(
        "quarantine_words",
        quarantine_words,
        "Nobody can fix a quarantined row if the reason for the quarantine is unknown.",
        "Record which check the row failed, and the message from the check.",
    ),
    Gate(
        "stored_verdicts",
        stored_verdicts,
        "A rejected snapshot must not look like a good one.",
        "Build again.",
        "table",
    ),
)
