"""ChinaTravel's checks of a plan, written from what its evaluator was seen to compare.

Journeys are found by number and both ends, and the first of them must have the plan's times and
price; places by name; a hotel has one room; ways are those of ``goto`` at their times, to a tenth
of a kilometre and a tenth of a yuan; between two activities at one place there is no way.
"""

from __future__ import annotations

from typing import Any

from tests.support.warehouse.peer import CITIES, Environment

_SLUGS = {zh: slug for slug, zh in CITIES.items()}
_MEALS = {
    "breakfast": ("06:00", "09:00"),
    "lunch": ("11:00", "14:00"),
    "dinner": ("17:00", "20:00"),
}


class Checker:
    """Problems of plans in an environment."""

    def __init__(self, peer: Environment):
        self.peer = peer

    def problems(self, query: dict[str, Any], plan: dict[str, Any]) -> list[str]:
        """What a plan breaks, in words."""
        slug, found = _SLUGS[query["target_city"]], []
        activities = [a for day in plan["itinerary"] for a in day["activities"]]
        there, back = query["start_city"], query["target_city"]
        found += self._journey(activities[0], there, back) + self._journey(
            activities[-1], back, there
        )
        place = activities[0]["end"]
        for activity in activities:
            begins = activity.get("position") or activity["start"]
            if activity["type"] not in ("train", "airplane"):
                found += self._stay(activity, slug, query["people_number"])
                place = activities[0]["end"] if place is None else place
            if activity is not activities[0]:
                found += self._way(activity["transports"], place, begins, slug)
            place = activity.get("position") or activity["end"]
            ways = activity["transports"]
            if ways and ways[-1]["end_time"] > activity["start_time"]:
                found.append(f"too late at {begins}")
        visits = [
            a["position"] for a in activities if a["type"] in ("attraction", "lunch", "dinner")
        ]
        if len(set(visits)) < len(visits):
            found.append("a place twice")
        return found

    def _journey(self, told: dict[str, Any], start: str, end: str) -> list[str]:
        kind, key = told["type"], "TrainID" if told["type"] == "train" else "FlightID"
        for row in self.peer.intercity(start, end, kind, "00:00").to_dict("records"):
            if (row[key], row["From"], row["To"]) == (told[key], told["start"], told["end"]):
                times = (row["BeginTime"], row["EndTime"], row["Cost"])
                same = times == (told["start_time"], told["end_time"], told["price"])
                paid = abs(told["price"] * told["tickets"] - told["cost"]) <= 0.1
                return [] if same and paid else [f"{told[key]}: {row} is told as {told}"]
        return [f"no {told[key]} from {told['start']} to {told['end']}"]

    def _stay(self, told: dict[str, Any], slug: str, people: int) -> list[str]:
        kind = {"attraction": "attractions", "accommodation": "hotels"}.get(
            told["type"], "restaurants"
        )
        rows = self.peer.select(kind, slug, "name", lambda name: name == told["position"])
        at_hotel = kind == "restaurants" and rows.empty and told["type"] == "breakfast"
        if at_hotel:
            rows = self.peer.select("hotels", slug, "name", lambda name: name == told["position"])
        if len(rows) != 1:
            return [f"{told['position']} stands for {len(rows)} {kind}"]
        row = rows.to_dict("records")[0]
        price = 0 if at_hotel else row["price"]
        found = [f"{told['position']} costs {price}"] if price != told["price"] else []
        number = (
            told.get("rooms")
            if kind == "hotels"
            else people
            if kind == "restaurants"
            else told["tickets"]
        )
        if abs(told["price"] * number - told["cost"]) > 0.1:
            found.append(f"{told['position']}: {told['cost']} is not {number} x {told['price']}")
        if kind == "hotels" and told["room_type"] != row["numbed"]:
            found.append(f"{told['position']} has rooms {row['numbed']}")
        if kind != "hotels" and not at_hotel:
            opens, closes = _minutes(row["opentime"]), _minutes(row["endtime"])
            closes += 1440 if closes <= opens else 0
            if not opens <= _minutes(told["start_time"]) <= _minutes(told["end_time"]) <= closes:
                found.append(f"{told['position']} is closed at {told['start_time']}")
        if told["type"] in _MEALS:
            first, last = _MEALS[told["type"]]
            if told["start_time"] >= last or told["end_time"] <= first:
                found.append(f"{told['type']} at {told['start_time']}")
        return found

    def _way(self, told: list[dict[str, Any]], place: str, begins: str, slug: str) -> list[str]:
        if place == begins:
            return ["a way where none is needed"] if told else []
        if not told or (told[0]["start"], told[-1]["end"]) != (place, begins):
            return [f"no way from {place} to {begins}"]
        mode = "metro" if len(told) == 3 else told[0]["mode"]
        legs = self.peer.goto(slug, place, begins, told[0]["start_time"], mode)
        same = len(legs) == len(told) and all(
            (a["start"], a["end"], a["end_time"]) == (b["start"], b["end"], b["end_time"])
            and abs(a["price"] - b["cost"]) <= 0.1 and abs(a["distance"] - b["distance"]) <= 0.1
            for a, b in zip(told, legs, strict=True)
        )  # fmt: skip
        return [] if same else [f"another way from {place} to {begins}: {legs}"]

    def holds(self, program: str, plan: dict[str, Any]) -> bool:
        """What a program of a constraint finds."""
        slug = _SLUGS[plan["target_city"]]

        def told(kind: str, column: str) -> Any:
            def look(activity: dict[str, Any], _city: str) -> str:
                rows = self.peer.select(kind, slug, "name", lambda n: n == activity["position"])
                return str(rows[column].iloc[0]) if len(rows) else ""

            return look

        names = {
            "plan": plan,
            "day_count": lambda p: len(p["itinerary"]),
            "people_count": lambda p: p["people_number"],
            "target_city": lambda p: p["target_city"],
            "allactivities": lambda p: [a for day in p["itinerary"] for a in day["activities"]],
            "activity_type": lambda a: a["type"],
            "activity_position": lambda a: a.get("position", ""),
            "activity_cost": lambda a: a["cost"],
            "activity_transports": lambda a: a["transports"],
            "activity_end_time": lambda a: a["end_time"],
            "room_count": lambda a: a.get("rooms", 0),
            "room_type": lambda a: a.get("room_type", 0),
            "intercity_transport_type": lambda a: a["type"],
            "innercity_transport_cost": lambda legs: sum(leg["cost"] for leg in legs),
            "innercity_transport_type": lambda legs: {
                0: "empty",
                1: legs[0]["mode"] if legs else "",
            }.get(len(legs), "metro"),
            "attraction_type": told("attractions", "type"),
            "restaurant_type": told("restaurants", "cuisine"),
            "accommodation_type": told("hotels", "featurehoteltype"),
        }
        exec(compile(program, "a program of ours", "exec"), {"__builtins__": {"set": set}}, names)
        return bool(names["result"])


def _minutes(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)
