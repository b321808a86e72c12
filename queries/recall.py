"""Freeze the context of a tripscore query: the places in the tables of its destinations.

A planner under test sees only the query and the context, so all planners have the same knowledge
(TripScore, section 3.3). A context contains the source lines of its places, and is stored with its
SHA-256. Unknown values are null.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from schemas.ids import canonical_json
from schemas.taxonomy import BASE_TYPES, CUISINES, HOTEL_FEATURES, TREND_TYPES

Tables = Mapping[str, pl.DataFrame]
Context = list[dict[str, Any]]
#: Number of places per destination in each table; those with the best ratings are taken.
MOST_ROWS = {"attractions": 30, "restaurants": 20, "hotels": 10}
_CODES = {term.zh: term.code for term in (*BASE_TYPES, *TREND_TYPES)}
#: Chinese tags by code, for each table separately: types and cuisines both have a code ``other``.
_ZH = {
    "attractions": {term.code: term.zh for term in (*BASE_TYPES, *TREND_TYPES)},
    "restaurants": {term.code: term.zh for term in CUISINES},
    "hotels": {term.code: term.zh for term in HOTEL_FEATURES},
}
_COLUMNS = {
    "attractions": "hours_osm price_cents duration_min_min duration_max_min",
    "restaurants": "hours_osm price_cents",
    "hotels": "rooms",
}


def recall(structure: Mapping[str, Any], tables: Mapping[str, Tables]) -> Context | None:
    """Return the context of a query, with one entry per destination, in the order of the trip.

    ``tables`` maps each destination's slug to its tables. Returns None if a destination has no
    attraction of the requested types.
    """
    found: Context = []
    for slug in structure["destinations"]:
        held = tables[slug]
        rows = {
            "attractions": _of_types(held["attractions"], structure["attraction_types"]),
            "restaurants": held["restaurants"],
            "hotels": held["hotels"],
        }
        if rows["attractions"].is_empty():
            return None
        best = {name: _best(name, frame) for name, frame in rows.items()}
        found.append({"destination": slug, **best})
    return found


def sha256(context: Context) -> str:
    """Return the SHA-256 of a context's canonical JSON."""
    return hashlib.sha256(canonical_json(context).encode()).hexdigest()


def _of_types(attractions: pl.DataFrame, types: Sequence[str]) -> pl.DataFrame:
    """Return the attractions of the given types, or all attractions if no types are given."""
    codes = [_CODES[tag] for tag in types]
    if not codes:
        return attractions
    trends = pl.col("trend_types").list.set_intersection(codes).list.len() > 0
    return attractions.filter(pl.col("base_type").is_in(codes) | trends.fill_null(value=False))


def _best(table: str, rows: pl.DataFrame) -> list[dict[str, Any]]:
    order = ["rating", "source_file", "source_line"]
    ranked = rows.sort(order, descending=[True, False, False], nulls_last=True)
    return [_item(table, row) for row in ranked.head(MOST_ROWS[table]).to_dicts()]


def _item(table: str, row: Mapping[str, Any]) -> dict[str, Any]:
    tags = {
        "attractions": [row.get("base_type"), *(row.get("trend_types") or ())],
        "restaurants": [row.get("cuisine")],
        "hotels": [row.get("feature")],
    }[table]
    common = ("name_zh", "name_en", "rating", "lat", "lon", "source_file", "source_line")
    return {
        **{name: row[name] for name in (*common, *_COLUMNS[table].split())},
        "tags": [_ZH[table][code] for code in tags if code in _ZH[table]],
    }
