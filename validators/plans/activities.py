"""Write journeys, nights and local travel as activities of a plan in ChinaTravel's form."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.plans import ROOM_NUMBERS, Activity, Transport
from validators.plans.lodging import Lodging
from validators.plans.world import Journey
from warehouse.ways import Leg, cars, leg_cost_cents


def transports_of(legs: Sequence[Leg], people: int) -> list[Transport]:
    """Return the legs of a route, with the costs for a number of people."""
    return [
        Transport.model_construct(
            start=leg.start, end=leg.end, mode=leg.mode, start_time=leg.start_min,
            end_time=leg.end_min, price=leg.price_cents, cost=leg_cost_cents(leg, people),
            distance=leg.distance_m, tickets=people if leg.mode == "metro" else None,
            cars=cars(people) if leg.mode == "taxi" else None,
        )
        for leg in legs
    ]  # fmt: skip


def journey_activity(
    journey: Journey, people: int, transports: Sequence[Transport] = ()
) -> Activity:
    """Return a train or flight, together with the travel to its station or airport."""
    price = journey.price_cents or 0
    train = journey.kind == "train"
    return Activity.model_construct(
        type=journey.kind, start_time=journey.departs_min, end_time=journey.arrives_min,
        position=None, start=journey.start, end=journey.end,
        train_id=journey.number if train else None, flight_id=None if train else journey.number,
        price=price, cost=price * people, tickets=people, transports=list(transports),
    )  # fmt: skip


def night_activity(lodging: Lodging, arrived: int, transports: Sequence[Transport]) -> Activity:
    """Return a night at a hotel, starting on arrival, together with the travel to the hotel."""
    price = lodging.night_cents // lodging.rooms
    return Activity.model_construct(
        type="accommodation", start_time=arrived, end_time=1440, position=lodging.hotel.name,
        price=price, cost=lodging.night_cents, rooms=lodging.rooms,
        room_type=ROOM_NUMBERS[lodging.room_type], transports=list(transports),
    )  # fmt: skip
