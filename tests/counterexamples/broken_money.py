"""Ways to break what a snapshot says of money, and changes that must pass."""

from __future__ import annotations

from tests.counterexamples.breaking import Case, add, put
from tests.counterexamples.broken_places import PRICE, UNPLANNED
from tests.counterexamples.broken_queries import HOTEL, HOTEL_ROW, OUTWARD
from tests.counterexamples.broken_structure import fails
from tests.counterexamples.town import A

REST = f"rest_{A.slug}_1"
_MEAL = {"restaurant_id": REST}
_COUNT = {"metric": "count_hotels"}
_FARE = {"metric": "taxi_fare", "metric_value": 1100.0, "n_rows": 1}
_ROOMS = [{"room_type": "king", "price_cents": None, "stock": 1}]

CASES = [
    Case(
        "a meal in no money",
        put("restaurants", _MEAL, currency=None),
        fails(("currency", "restaurants", "currency", REST)),
    ),
    Case(
        "a room in no money",
        put("hotels", HOTEL_ROW, currency=None),
        fails(("currency", "hotels", "currency", HOTEL)),
    ),
    Case(
        "a currency of a price that nobody knows",
        put("restaurants", _MEAL, price_cents=None),
        fails(("currency", "restaurants", "currency", REST)),
    ),
    Case(
        "a currency of rooms without prices",
        put("hotels", HOTEL_ROW, rooms=_ROOMS),
        fails(("currency", "hotels", "currency", HOTEL)),
    ),
    Case(
        "a ticket in money that no country has",
        put("poi_facts", {"fact_id": PRICE}, currency="QQQ"),
        fails(
            ("currency", "poi_facts", "currency", PRICE),
            ("one_currency", "poi_facts", "currency", A.city_id),
        ),
    ),
    Case(
        "a figure in no known money",
        add("city_stats", _COUNT, unit="cent of QQQ", **_FARE),
        fails(("currency", "city_stats", "unit", f"{A.city_id}/taxi_fare/cent of QQQ")),
    ),
    Case(
        "a fare in money that no train takes",
        add(
            "city_stats",
            _COUNT,
            metric="train_price_min",
            metric_value=8800.0,
            unit="cent of JPY",
            n_rows=4,
        ),
        fails(("city_stats", "city_stats", "unit", f"{A.city_id}/train_price_min/cent of JPY")),
    ),
    Case(
        "a city that pays with its neighbour's money",
        put("cities", {}, currency="KRW"),
        fails(("home_currency", "cities", "currency", A.city_id), UNPLANNED),
    ),
    Case(
        "a city whose money was forgotten",
        put("cities", {}, currency=None),
        fails(("home_currency", "cities", "currency", A.city_id), UNPLANNED),
    ),
    Case(
        "a meal in yen among yuan",
        put("restaurants", _MEAL, currency="JPY"),
        fails(("one_currency", "restaurants", "currency", A.city_id)),
    ),
]

NEAR_MISSES = [
    Case(
        "a room of unknown price in no money", put("hotels", HOTEL_ROW, rooms=_ROOMS, currency=None)
    ),
    Case("a figure in other money", add("city_stats", _COUNT, unit="cent of JPY", **_FARE)),
    Case("a city whose population has grown", put("cities", {}, population=900_000)),
    Case("a flight paid in other money", put("flights", {}, OUTWARD, currency="HKD")),
]
