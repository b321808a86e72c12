"""City statistics and the published parameters."""

from __future__ import annotations

from schemas.arrow import to_arrow
from schemas.parameters import density_baseline, queue_parameters
from schemas.taxonomy import BASE_TYPES, RHYTHMS, codes
from sources.tables.city_stats import city_stats
from tests.unit.sources.tables.conftest import Tripbed


def test_prices_are_quantiles_of_what_is_known(tripbed: Tripbed) -> None:
    tripbed.write(
        "hotels.csv", "id,name_zh,lat,lon,room_type,price_cny",
        *(f"h{i},酒店{i},30.2,120.1,king,{i * 100}" for i in range(1, 12)),
        "h12,酒店12,30.2,120.1,king,", "h13,酒店13,30.2,120.1,family,800",
    )  # fmt: skip
    tripbed.write(
        "trains.csv",
        "train_id,from_city,from_station,to_city,to_station,departure,arrival,price_cny",
        *(f"K{i},杭州,a,上海,b,08:00,10:00,{price}" for i, price in enumerate((50, 70, 90, ""))),
    )
    stats = city_stats(tripbed.read(), tripbed.city)
    to_arrow("city_stats", stats)
    rows = {row["metric"]: (row["metric_value"], row["n_rows"]) for row in stats.rows(named=True)}
    assert rows["hotel_price_king_p10"] == (20000, 11)
    assert rows["hotel_price_king_p50"] == (60000, 11)
    assert rows["hotel_price_king_p90"] == (100000, 11)
    assert rows["hotel_price_family_p50"] == (80000, 1)
    assert rows["train_price_min"] == (5000, 3)
    assert rows["train_price_median"] == (7000, 3)
    assert rows["count_hotels"] == (13, 13)
    assert not any(metric.startswith(("meal", "hotel_price_single")) for metric in rows)


def test_queue_parameters_are_those_of_table_a5() -> None:
    table = queue_parameters()
    to_arrow("queue_parameters", table)
    value = {(r["parameter"], r["key"]): r["metric_value"] for r in table.rows(named=True)}
    assert len(value) == 17 + 6
    assert value["base_min", "museum_memorial"] == 10.0
    assert value["date_factor", "S:golden_week"] == 10.06
    assert value["time_factor", "20:00-close"] == 0.70
    assert value["date_precedence", "S:golden_week"] == 1.0
    assert value["date_precedence", "D:weekday"] == 6.0
    base = {key for parameter, key in value if parameter == "base_min"}
    assert base <= set(codes(BASE_TYPES))
    assert "park" not in base


def test_density_baseline_is_that_of_table_a2() -> None:
    table = density_baseline()
    to_arrow("density_baseline", table)
    value = {(r["parameter"], r["key"]): r["metric_value"] for r in table.rows(named=True)}
    assert {key for _, key in value} == set(codes(RHYTHMS))
    assert value["median", "special_forces"] == 6.0
    assert value["mean", "slow"] == 2.24
