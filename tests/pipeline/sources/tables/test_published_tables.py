"""The ten published cities: every row is accounted for, and the tables hold to their schemas."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from schemas.arrow import to_arrow
from schemas.cities import find_city
from schemas.tables import TABLES
from sources.tables.city_stats import city_stats
from sources.tables.imported import Imported
from sources.tables.registry import available_cities, read_tables
from tests.conftest import SHARED

#: Rows of the whole source (TravelEval, appendix A.2; metro counted); a train or a flight
#: belongs to both its cities.
ROWS_IN = {
    "attractions": 3411, "hotels": 4976, "restaurants": 4655, "trains": 2 * 8089,
    "flights": 2 * 1703, "metro_stations": 3635, "hubs": 66,
}  # fmt: skip
KEYED = ("hotels", "restaurants", "trains", "flights", "metro_stations", "metro_edges", "hubs")


@pytest.fixture(scope="module")
def shared_database() -> Path:
    database = SHARED / "data" / "traveleval" / "environment" / "database"
    if not database.is_dir():
        pytest.skip(f"the published tables are not at {database}")
    return database


@pytest.fixture(scope="module")
def imports(shared_database: Path) -> dict[str, Imported]:
    names = available_cities(shared_database, "traveleval")
    assert names is not None
    assert len(names) == 10
    return {n: read_tables(shared_database, "traveleval", find_city(n)) for n in names}


def test_no_row_is_lost(imports: dict[str, Imported]) -> None:
    counts = pl.concat([imported.counts for imported in imports.values()])
    total = counts.group_by("table").agg(pl.col("rows_in").sum())
    assert dict(total.iter_rows()) == ROWS_IN
    parts = pl.col("rows_kept") + pl.col("rows_merged") + pl.col("rows_quarantined")
    assert counts.filter(pl.col("rows_in") != parts + pl.col("rows_pending")).is_empty()
    assert counts["rows_quarantined"].sum() == sum(i.quarantine.height for i in imports.values())


@pytest.mark.parametrize("table", KEYED)
def test_tables_hold_to_their_schema_and_key(imports: dict[str, Imported], table: str) -> None:
    for name, imported in imports.items():
        rows: pl.DataFrame = getattr(imported, table)
        to_arrow(table, rows)
        assert rows.select(TABLES[table].key).is_unique().all(), name


def test_references_and_clocks_hold(imports: dict[str, Imported]) -> None:
    for imported in imports.values():
        stations = set(imported.metro_stations["station_id"])
        assert set(imported.metro_edges["from_id"]) | set(imported.metro_edges["to_id"]) <= stations
        for rows in (imported.trains, imported.flights):
            end = pl.col("arrival_min") + 1440 * pl.col("arrival_day_offset")
            wrong = rows.filter(end - pl.col("departure_min") != pl.col("duration_min"))
            assert wrong.is_empty()
        fast = imported.trains.filter(pl.col("train_no").str.contains("^[GDC]"))
        assert (fast["duration_min"] <= 1440).all()


def test_most_places_lie_near_their_city(imports: dict[str, Imported]) -> None:
    for name, imported in imports.items():
        city = find_city(name)
        near = (imported.hotels["lat"] - city.lat).abs() < 0.3
        assert near.sum() > 0.5 * imported.hotels.height, name


def test_what_is_known_to_be_wrong_is_found(imports: dict[str, Imported]) -> None:
    findings = pl.concat([imported.findings for imported in imports.values()])
    found = set(findings["kind"])
    assert found >= {
        "duration_clock", "fast_train_over_a_day", "hotel_repeated", "types_run_together",
        "type_unknown", "hours_filler", "price_filler", "visit_longer_than_hours",
        "flight_repeated", "line_repeated", "station_repeated", "far_from_city",
    }  # fmt: skip
    museums = pl.concat([i.attractions for i in imports.values()]).filter(
        pl.col("base_type") == "museum_memorial"
    )
    assert not (museums["hours_osm"] == "24/7").any()


def test_a_second_import_gives_the_same(
    imports: dict[str, Imported], shared_database: Path
) -> None:
    again = read_tables(shared_database, "traveleval", find_city("suzhou"))
    for name, rows in vars(imports["suzhou"]).items():
        assert rows.equals(getattr(again, name)), name


def test_statistics_of_each_city(imports: dict[str, Imported]) -> None:
    for name, imported in imports.items():
        stats = city_stats(imported, find_city(name))
        to_arrow("city_stats", stats)
        values = dict(stats.select("metric", "metric_value").iter_rows())
        assert values["count_attractions"] == imported.attractions.height
        assert values["hotel_price_king_p10"] < values["hotel_price_king_p90"]
        assert ("flight_price_min" in values) == (imported.flights.height > 0)
