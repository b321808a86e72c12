"""Collect the data for a city's charts: queries, prices, opening hours and known values."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from flows.report.contents import failure_classes
from flows.report.texts import clean
from queries.home import CHINESE_SPEAKING, terms_at
from queries.tprag import strata
from schemas.money import YUAN, price_scale
from schemas.taxonomy import FACT_FIELDS

Tables = Mapping[str, pl.DataFrame]

#: The lower edges of the bars; the last bar has no upper edge. Prices are in cents of a yuan, and
#: durations in minutes.
EDGES: dict[str, tuple[int, ...]] = {
    "poi_price": (0, 1, 2_000, 5_000, 10_000, 20_000, 50_000),
    "poi_duration": (0, 30, 60, 120, 180, 240, 360),
    "hotel_price": (0, 15_000, 30_000, 50_000, 80_000, 120_000),
    "restaurant_price": (0, 3_000, 6_000, 10_000, 15_000, 30_000),
}
#: Columns in which null means that a value is unknown. Elsewhere, it means that there is none.
KNOWN: dict[str, tuple[str, ...]] = {
    "pois": ("name_zh", "name_en", "category", "base_type", "trend_types", "lat", "rating"),
    "documents": ("title", "published_on", "url", "licence_hint"),
    "hotels": ("name_zh", "name_en", "feature", "lat"),
    "restaurants": ("name_zh", "name_en", "cuisine", "lat", "price_cents", "hours_osm", "dishes"),
    "trains": ("train_type", "price_cents"),
    "flights": ("price_cents",),
}
_HOURS_A_WEEK = 7 * 24


def edges_in(currency: str | None) -> dict[str, tuple[int, ...]]:
    """Return ``EDGES`` with the prices scaled to a currency's price level, in cents of that
    currency.
    """
    scale = price_scale(currency) or 1.0
    return {
        name: tuple(e if e <= 1 else round(e * scale) for e in edges) if "price" in name else edges
        for name, edges in EDGES.items()
    }


def collect(tables: Tables, profile: Mapping[str, Any]) -> dict[str, Any]:
    """Collect a city's queries, histograms, opening hours and counts of known values."""
    facts = _one_statement(tables["poi_facts"])
    money = tables["cities"]["currency"].item() or YUAN
    return {
        "plan": _plan(profile, tables["cities"]),
        "queries": _queries(tables["queries"]),
        "failures": failure_classes(tables["trajectory_scores"]["failure_rate"]),
        "currency": money,
        "edges": {name: list(edges) for name, edges in edges_in(money).items()},
        "histograms": _histograms(tables, facts, money),
        "open_hours": _open_hours(facts),
        "known": _count_known(tables, profile.get("gates", {}).get("known_share", {})),
    }


def _plan(profile: Mapping[str, Any], cities: pl.DataFrame) -> list[list[Any]] | None:
    """List the planned strata for the family tprag as [kind, constraint, days].

    Returns None if the profile does not include the family tprag.
    """
    if "tprag" not in profile.get("families", ()):
        return None
    settings = profile["queries"]
    (home,) = cities.select("country_code", "slug", "lat").iter_rows()
    return [
        [stratum.kind, stratum.constraint_code, stratum.n_days]
        for stratum in strata(settings["days"], settings["constraint_kinds"], terms_at(*home))
    ]


def _queries(rows: pl.DataFrame) -> list[dict[str, Any]]:
    columns = (
        "query_id", "family", "constraint_kind", "constraint_code", "n_days", "stratum", "split",
        "status", "n_trajectories", "n_candidates",
    )  # fmt: skip
    return [
        {
            **{column: row[column] for column in columns},
            "text": [clean(row["text_zh"]), clean(row["text_en"])],
            "reason": clean(row["reason"]),
        }
        for row in rows.sort("query_id").to_dicts()
    ]


def _one_statement(facts: pl.DataFrame) -> pl.DataFrame:
    """Choose one fact per place and field: the latest fact that is always valid or, if there is
    none, the latest of all facts.
    """
    return (
        facts.with_columns(seasonal=pl.col("valid_when") != "always")
        .sort(
            "seasonal", "source_date", "fact_id", descending=[False, True, False], nulls_last=True
        )
        .unique(["poi_id", "fact_field"], keep="first", maintain_order=True)
    )


def _histograms(tables: Tables, facts: pl.DataFrame, money: str) -> dict[str, list[int]]:
    """Count the values in each bar. Prices in a currency other than the city's are not counted."""
    facts, hotels, meals = (
        rows.filter(pl.col("currency").is_null() | (pl.col("currency") == money))
        for rows in (facts, tables["hotels"], tables["restaurants"])
    )
    rooms = hotels.select("hotel_id", "rooms").explode("rooms").unnest("rooms")
    cheapest = rooms.group_by("hotel_id").agg(pl.col("price_cents").min())
    middle = (pl.col("duration_min_min") + pl.col("duration_max_min")) / 2
    values: dict[str, pl.Series] = {
        "poi_price": facts["price_cents"],
        "poi_duration": facts.select(middle).to_series(),
        "hotel_price": cheapest["price_cents"],
        "restaurant_price": meals["price_cents"],
    }
    return {
        name: histogram(series.drop_nulls().to_list(), edges_in(money)[name])
        for name, series in values.items()
    }


def histogram(values: Iterable[float], edges: tuple[int, ...]) -> list[int]:
    """Count the values in each bar. ``edges`` are the bars' lower ends, which are inclusive."""
    bars = Counter(bisect_right(edges, value) - 1 for value in values)
    return [bars[number] for number in range(len(edges))]


def _open_hours(facts: pl.DataFrame) -> dict[str, Any]:
    """Count the places with known hours, and those that are open in each hour of the week.

    A place is open in an hour if it is open for at least half of that hour.
    """
    known = facts.filter(pl.col("hours_weekly").is_not_null())["hours_weekly"].to_list()
    counts = [0] * _HOURS_A_WEEK
    for spans in known:
        minutes = [0] * _HOURS_A_WEEK
        for span in spans:
            start = span["weekday"] * 1440 + span["open_min"]
            end = span["weekday"] * 1440 + span["close_min"]
            for hour in range(start // 60, -(-end // 60)):
                inside = min(end, (hour + 1) * 60) - max(start, hour * 60)
                minutes[hour % _HOURS_A_WEEK] += inside
        for hour, inside in enumerate(minutes):
            counts[hour] += inside >= 30
    return {"known": len(known), "open": counts}


def _count_known(tables: Tables, floors: Mapping[str, float]) -> list[list[Any]]:
    """List [table, field, known, all, floor] for every field in the chart.

    For facts, ``known`` is the number of places that have the fact; ``floor`` is the minimum share
    that the profile requires.
    """
    stated = Counter(tables["poi_facts"].unique(["poi_id", "fact_field"])["fact_field"])
    places = tables["pois"].height
    counted = [("poi_facts", field, stated[field], places) for field in FACT_FIELDS]
    counted += [
        (table, column, _count_known_values(tables[table][column]), tables[table].height)
        for table, columns in KNOWN.items()
        for column in columns
    ]
    is_chinese = bool(CHINESE_SPEAKING & set(tables["cities"]["country_code"]))
    return [
        [table, field, known, rows, floors.get(f"{table}.{field}")]
        for table, field, known, rows in counted
        if known or is_chinese or field != "name_zh"  # elsewhere, Chinese names are not expected
    ]


def _count_known_values(column: pl.Series) -> int:
    if isinstance(column.dtype, pl.List):
        return int((column.list.len() > 0).sum())
    return len(column) - column.null_count()
