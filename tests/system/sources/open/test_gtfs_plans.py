"""Plans of a small foreign city ride by the timetable of a made feed, and the checker counts the
same.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from geocoding.places import places_from_tables
from schemas.arrow import frame
from schemas.cities import find_city
from schemas.plans import Plan
from sources.tables.registry import read_tables
from tests.support.sources.open import feeds, made
from tests.system.sources.open.conftest import Run
from validators.plans.check import check
from validators.plans.map import subset
from validators.plans.request import Request, request_of_structure
from validators.plans.solve import solve
from validators.plans.world import World, world_of
from warehouse.ways import STATION_SUFFIX

EVORA = find_city("Évora")
BBOX = "-7.95,38.51,-7.85,38.62"
_TABLES = {
    "gazetteer.csv": ("name_en,lat,lon,types,price,currency,opening_hours", [
        ("West Castle", 0.001, -0.031, "historic_site,5,EUR,09:00-18:00"),
        ("East Museum", -0.001, 0.021, "museum_memorial,6,EUR,09:00-18:00"),
        ("Hill Chapel", 0.031, 0.001, "historic_site,2,EUR,09:00-18:00"),
        ("South Garden", -0.031, 0.001, "park,0,EUR,24/7"),
        ("Market Hall", 0.001, 0.001, "museum_memorial,0,EUR,09:00-18:00"),
    ]),
    "hotels.csv": ("name_en,lat,lon,room_type,price,currency,stock", [
        (name, north, east, f"{kind},60,EUR,5")
        for name, north, east in (("Market Inn", 0.0005, 0.0005), ("Hill Lodge", 0.0295, 0.0005))
        for kind in ("single", "king", "double")
    ]),
    "restaurants.csv": ("name_en,lat,lon,cuisine,price,currency,opening_hours", [
        ("Market Table", 0.0006, 0.0002, "seafood,18,EUR,07:00-23:00"),
        ("East Grill", 0.0006, 0.0195, "barbecue,22,EUR,07:00-23:00"),
        ("Hill Kitchen", 0.0297, 0.0001, "seafood,20,EUR,07:00-23:00"),
    ]),
}  # fmt: skip
_TRAINS = (
    "train_id,from_city,from_station,to_city,to_station,departure,arrival,price,currency\nIC"
    " 1,Beja,Beja,Évora,West Station,07:00,08:00,9,EUR\nIC 2,Évora,West"
    " Station,Beja,Beja,20:00,21:00,9,EUR\n"
)
#: Minutes (half a headway of 20 or 30 minutes, hops of 4 or 5, a change of 2) and euros, counted by
#: hand.
RIDES = {
    frozenset(("West Gate", "East Gate")): (10 + 12, 1.5),
    frozenset(("West Gate", "Market")): (10 + 8, 1.5),
    frozenset(("Market", "East Gate")): (10 + 4, 1.5),
    frozenset(("South Park", "North Hill")): (15 + 10, 2.3),
    frozenset(("South Park", "Market")): (15 + 5, 1.5),
    frozenset(("Market", "North Hill")): (15 + 5, 2.3),
    frozenset(("West Gate", "North Hill")): (10 + 8 + 2 + 15 + 5, 2.3),
    frozenset(("West Gate", "South Park")): (10 + 8 + 2 + 15 + 5, 1.5),
    frozenset(("East Gate", "North Hill")): (10 + 4 + 2 + 15 + 5, 2.3),
    frozenset(("East Gate", "South Park")): (10 + 4 + 2 + 15 + 5, 1.5),
}


def _world(run: Run, tmp_path: Path, **changed: str | None) -> World:
    """The city of a feed, with places of its own."""
    path = feeds.write(tmp_path / "feed.zip", feeds.feed(**changed))
    folder = run(f"gtfs={path}", bbox=BBOX).folder
    for file, (head, rows) in _TABLES.items():
        lines = [f"{name},{made.LAT + a},{made.LON + b},{rest}" for name, a, b, rest in rows]
        (folder / file).write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    (folder / "trains.csv").write_text(_TRAINS, encoding="utf-8")
    (folder / "hubs.csv").write_text(
        f"city,name,lat,lon\nevora,West Station,{made.LAT},{made.LON - 0.0295}\n", encoding="utf-8"
    )
    imported = read_tables(folder, "tripbed", EVORA)
    places = places_from_tables(imported.attractions, EVORA)
    tables = {
        "pois": places.pois,
        "poi_facts": places.facts,
        **{
            name: getattr(imported, name)
            for name in (
                "hotels",
                "restaurants",
                "trains",
                "flights",
                "hubs",
                "metro_stations",
                "metro_edges",
                "metro_fares",
            )
        },
    }
    return world_of(tables, frame("cities", [EVORA.row()]), EVORA.city_id)


@pytest.fixture
def world(run: Run, tmp_path: Path) -> World:
    return _world(run, tmp_path)


def test_a_way_takes_what_the_timetable_says(world: World) -> None:
    stops = {station.name: station.point for station in world.network.stations}
    found = {}
    for one, here in stops.items():
        for two, there in stops.items():
            legs = world.network.way(("a", here), ("b", there), 600, "metro")
            pair = frozenset((one, two))
            if pair in RIDES:
                assert legs is not None
                assert [leg.mode for leg in legs] == ["walk", "metro", "walk"]
                assert legs[0].end_min == 600
                price = legs[1].price_cents
                found[pair] = (
                    legs[1].end_min - legs[1].start_min,
                    None if price is None else price / 100,
                )
    assert found == RIDES


def test_the_planner_counts_with_the_same_minutes_and_fares_as_the_checker(world: World) -> None:
    places = [p for kind in ("attraction", "restaurant", "hotel") for p in world.all_of(kind)]
    whole = subset(places, world.network)
    for start in places:
        assert start.point is not None
        travel = whole.travel(start.point, ("metro",), 2)
        back = whole.travel
        for at, end in enumerate(places):
            assert end.point is not None
            legs = world.network.way(("a", start.point), ("b", end.point), 0, "metro")
            if legs is None:
                assert travel.minutes[0, at] >= 10**6
                continue
            assert travel.minutes[0, at] == legs[-1].end_min
            assert travel.cents[0, at] == 2 * (legs[1].price_cents or 0)
            number = places.index(start)
            assert back(end.point, ("metro",), 2).minutes[0, number] == travel.minutes[0, at], (
                "as long back"
            )


def _asked(budget: int, **more: object) -> Request:
    return request_of_structure(
        "q",
        {
            "start_city": "beja",
            "target_city": "evora",
            "days": 2,
            "people_number": 2,
            "budget": budget,
            "currency": "EUR",
            "dates": "2026-09-08 to 2026-09-09",
            **more,
        },
    )


def test_a_solved_plan_rides_and_passes_and_a_wrong_minute_does_not(world: World) -> None:
    request = _asked(400)
    outcome = solve(request, world)
    assert outcome.solvability == "solved", outcome.reason
    assert outcome.plan is not None
    legs = [leg for day in outcome.plan.itinerary for a in day.activities for leg in a.transports]
    ridden = [leg for leg in legs if leg.mode == "metro"]
    assert ridden
    assert not [leg for leg in legs if leg.mode == "taxi"], "no fare of a taxi is known in euros"
    for leg in ridden:
        minutes, euros = RIDES[
            frozenset(name.removesuffix(STATION_SUFFIX) for name in (leg.start, leg.end))
        ]
        assert (leg.end_time - leg.start_time, leg.price) == (minutes, round(euros * 100))
        assert leg.cost == 2 * leg.price
    said = outcome.plan.to_json()
    text = json.dumps(said)
    price = f'"price": {ridden[0].price / 100:g}, "cost"'
    wrong = Plan.model_validate(json.loads(text.replace(price, '"price": 9.9, "cost"')))
    assert check(outcome.plan, world, request).passed
    report = check(wrong, world, request)
    assert [
        v.constraint for v in report.verdicts if v.passed is False and v.constraint == "way_details"
    ]


def test_without_fares_plans_walk_and_say_what_is_missing(run: Run, tmp_path: Path) -> None:
    world = _world(run, tmp_path, fare_attributes=None, fare_rules=None)
    assert world.network.modes == ("walk",)
    legs = world.network.way(
        ("a", world.points["West Castle"]), ("b", world.points["East Museum"]), 600, "metro"
    )
    assert legs is not None
    assert legs[1].price_cents is None
    plan = solve(_asked(400), world).plan
    assert plan is not None
    assert {leg.mode for day in plan.itinerary for a in day.activities for leg in a.transports} == {
        "walk"
    }
