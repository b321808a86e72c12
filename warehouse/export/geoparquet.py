"""Exports attractions, hotels, restaurants and hubs with coordinates as GeoParquet 1.1."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from warehouse.beside import write_points
from warehouse.export.account import ExportAccount
from warehouse.read import Snapshot

_TABLES = (
    ("pois", "places", "poi_id"),
    ("hotels", "hotels", "hotel_id"),
    ("restaurants", "restaurants", "restaurant_id"),
    ("hubs", "hubs", "name"),
)


def write(snapshot: Snapshot, out: Path, account: ExportAccount) -> None:
    """Write one file per table; rows without coordinates are recorded as left out."""
    for table, file, key in _TABLES:
        if table not in snapshot.tables():
            continue
        rows = snapshot.table(table)
        located = rows.drop_nulls(["lat", "lon"])
        write_points(table, located, out / f"{file}.parquet")
        slugs = dict(snapshot.table("cities").select("city_id", "slug").iter_rows())
        for city, number in located.group_by("city_id").len().sort("city_id").iter_rows():
            account.count_written(slugs.get(city, city), table, number)
        for row in rows.filter(pl.col("lat").is_null() | pl.col("lon").is_null()).to_dicts():
            name = row.get("name") or row.get("name_zh") or row.get("name_en") or ""
            account.leave_out(
                slugs.get(row["city_id"], row["city_id"]), table, row[key], name, "no coordinates"
            )
