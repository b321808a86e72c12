"""The good snapshot: a witness plan for each town's query, and the trains that it takes."""

from __future__ import annotations

from tests.counterexamples.good_tables import train
from tests.counterexamples.town import Row, Town, connection_id

NUMBER = "G125"


def day_train(town: Town, other: Town) -> Row:
    """A train from a town to the other one that arrives on the day on which it leaves."""
    times = {"departure_min": 9 * 60, "arrival_min": 10 * 60 + 10, "arrival_day_offset": 0}
    found = train(town, other)
    own = {"train_id": connection_id(town, other, NUMBER, 540), "train_no": NUMBER}
    return {**found, **own, **times, "source_line": found["source_line"] + 2}


def witness(town: Town, other: Town) -> Row:
    """A plan for the town's query: by train to the second hotel and back, on foot in between."""
    hotel, stations = f"{town.zh}客舍2", (f"{other.zh}站", f"{town.zh}站")

    def ride(start: str, end: str, ways: list[Row]) -> Row:
        return {
            "type": "train", "start_time": "09:00", "end_time": "10:10", "start": start,
            "end": end, "TrainID": NUMBER, "price": 88, "cost": 176, "tickets": 2,
            "transports": ways,
        }  # fmt: skip

    def walk(start: str, end: str, leaves: str, arrives: str) -> list[Row]:
        way = {"start": start, "end": end, "mode": "walk", "start_time": leaves}
        return [{**way, "end_time": arrives, "price": 0, "cost": 0, "distance": 1.11}]

    night = {
        "type": "accommodation", "start_time": "10:23", "end_time": "24:00", "position": hotel,
        "price": 199, "cost": 398, "rooms": 2, "room_type": 3,
        "transports": walk(stations[1], hotel, "10:10", "10:23"),
    }  # fmt: skip
    back = walk(hotel, stations[1], "08:00", "08:13")
    return {
        "people_number": 2, "start_city": other.slug, "target_city": town.slug,
        "itinerary": [
            {"day": 1, "activities": [ride(*stations, []), night]},
            {"day": 2, "activities": [ride(*stations[::-1], back)]},
        ],
    }  # fmt: skip
