"""Compare each call of ChinaTravel's environment on an export with the snapshot's answer."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from itertools import permutations
from typing import Any

from benchmarks.peer_world import TABLES, CallTally, PeerWorld
from schemas.geo import geodesic_m
from schemas.taxonomy import BASE_TYPES, CUISINES, HOTEL_FEATURES
from schemas.values import clock_minutes

_TOOLS = {"attractions": "Attractions", "restaurants": "Restaurants", "hotels": "Accommodations"}
#: An ordinary Wednesday: no public holiday, and no day when museums are closed.
DATE = dt.date(2026, 6, 3)
_HOURS = ("00:10", "06:30", "09:00", "12:15", "17:45", "20:30", "23:50")
UNKNOWN = "未知"
#: Largest allowed differences in metres and cents.
_METRES, _CENTS = 1.0, 1.01
_MAY_LACK = {"recommendmintime", "recommendmaxtime"}
#: ChinaTravel's columns that contain words, with tripbed's field and its words by code.
_CODES = {
    column: (field, {t.code: t.zh for t in terms})
    for column, field, terms in (
        ("type", "base_type", BASE_TYPES), ("cuisine", "cuisine", CUISINES),
        ("featurehoteltype", "feature", HOTEL_FEATURES),
    )
}  # fmt: skip


#: Reasons for which ChinaTravel's answer may differ.
_UNKNOWN_HOURS = "if the opening hours are unknown, ChinaTravel counts the place as open"
_NO_JOURNEY = "if no journey connects two cities, ChinaTravel fails"


def select(world: PeerWorld, every: int) -> CallTally:
    """Compare the results of ``select`` for each value of each column, and for a function of the
    price.

    Every row has its own id and coordinates, so only every n-th id or coordinate is tested.
    """
    tally = CallTally()
    for zh in world.cities:
        for table in TABLES:
            tool, ours = world.tools[_TOOLS[table]], world.places[zh, table]
            frame = tool.data[zh]
            for key, _ in tool.keys(zh):
                wanted = _by_value(frame, ours, key)
                values = frame[key].dropna().unique()
                for value in values[:: every if key in ("id", "lat", "lon") else 1]:
                    found = tool.select(zh, key, lambda x, v=value: x == v)
                    tally.note(set(found["name"]) == wanted.get(value), (zh, table, key, value))
                tally.note(not frame[key].isna().any() or key in _MAY_LACK, (zh, table, key, "NaN"))
            cheap = set(tool.select(zh, "price", lambda x: x <= 100)["name"])
            prices = dict(zip(frame["name"], frame["price"], strict=True))
            told = {n: _told_by(ours[n], "price", cell) for n, cell in prices.items()}
            same = {n for n, price in told.items() if price is not None and price <= 100}
            tally.note(cheap == same, (zh, table, "price <= 100", cheap ^ same))
    return tally


def _by_value(frame: Any, ours: dict[str, Any], key: str) -> dict[Any, set[str]]:
    """Group the names in a table by the values that the snapshot has for a ChinaTravel column."""
    found: dict[Any, set[str]] = {}
    for name, cell in zip(frame["name"], frame[key], strict=True):
        found.setdefault(_told_by(ours[name], key, cell), set()).add(name)
    return found


def _told_by(place: Any, key: str, cell: Any) -> Any:
    """Return the snapshot's value of a column, or ``cell`` if the snapshot has no such column.

    A hotel has several rooms, so its price counts as equal if it is the price of any of the rooms.
    """
    if key in _CODES:
        field, words_of = _CODES[key]
        return words_of.get(getattr(place, field) or "", UNKNOWN)
    if key in ("lat", "lon"):
        return getattr(place, key)
    if key == "price" and hasattr(place, "rooms"):
        return cell if round(100 * cell) in {room.price_cents for room in place.rooms} else None
    if key == "price":
        return None if place.price_cents is None else place.price_cents / 100
    if key in _MAY_LACK:
        minutes = place.duration_min_min if key == "recommendmintime" else place.duration_max_min
        return None if minutes is None else round(minutes / 60, 4)
    return cell


def words(world: PeerWorld) -> CallTally:
    """Compare the types and cuisines in a table, and the restaurants that serve each dish."""
    tally = CallTally()
    for zh in world.cities:
        sights, meals = world.tools["Attractions"], world.tools["Restaurants"]
        for told, column, table in (
            (sights.get_type_list(zh), "type", "attractions"),
            (meals.get_cuisine_list(zh), "cuisine", "restaurants"),
        ):
            written = world.tools[_TOOLS[table]].data[zh]["name"]
            ours = {_told_by(world.places[zh, table][name], column, None) for name in written}
            tally.note(set(told) == ours, (zh, column, set(told) ^ ours))
        held = dict(zip(meals.data[zh]["name"], meals.data[zh]["recommendedfood"], strict=True))
        for dish in sorted({d for dishes in held.values() for d in dishes.split(",") if d.strip()}):
            wanted = {name for name, dishes in held.items() if dish in dishes}
            try:
                found = set(meals.restaurants_with_recommended_food(zh, dish)["name"])
            except Exception as error:  # ChinaTravel's search uses the dish as a pattern
                tally.note(False, (zh, dish, error))
                continue
            tally.note(found == wanted, (zh, dish, found ^ wanted))
    return tally


def opening(world: PeerWorld) -> CallTally:
    """Compare which places with hours are open at fixed times, and at their opening and closing
    times.
    """
    tally = CallTally()
    for zh, slug in world.cities.items():
        for table in ("attractions", "restaurants"):
            tool = world.tools[_TOOLS[table]]
            for row in tool.data[zh].to_dict("records"):
                place = world.places[zh, table][row["name"]]
                edges = [clock_minutes(row[key]) for key in ("opentime", "endtime")]
                around = [edge + by for edge in edges for by in (-1, 0, 1)]
                times = [*_HOURS, *(f"{m // 60}:{m % 60:02d}" for m in around if 0 <= m < 1440)]
                for time in times:
                    theirs = bool(tool.id_is_open(zh, row["id"], time))
                    ours = world.box.is_open(slug, place, DATE, time)
                    why = None
                    if ours is None:
                        why = _UNKNOWN_HOURS
                    elif clock_minutes(time) in edges[1:]:
                        why = "ChinaTravel counts a place as open at its exact closing time"
                    elif _differ_by_day(place):
                        why = (
                            "if the opening hours differ by day, ChinaTravel uses only one range of"
                            " hours"
                        )
                    tally.note(theirs is ours, (zh, row, time, ours), why)
    return tally


def _differ_by_day(place: Any) -> bool:
    week = {place.hours.on(DATE + dt.timedelta(days=n)) for n in range(7)}
    return len(week) > 1 or len(place.hours.on(DATE)) > 2


def nearby(world: PeerWorld, every: int) -> CallTally:
    """Compare the places near every n-th named place of a city, and their distances."""
    tally = CallTally()
    for zh, slug in world.cities.items():
        names = sorted(world.tools["Poi"].data[zh])[::every]
        for name in names:
            point = world.tools["Poi"].search(zh, name)
            for table in TABLES:
                tool, km = world.tools[_TOOLS[table]], 5 if table == "hotels" else 2
                found = tool.nearby(zh, name, None, km)
                theirs = dict(zip(found["name"], found["distance"], strict=True))
                written = set(tool.data[zh]["name"])
                back = {p.place_id: n for n, p in world.places[zh, table].items()}
                near = world.box.nearby(slug, table, point, radius_m=1000 * km + _METRES)
                ours = {back[n.place.place_id]: n.distance_m for n in near}
                ours = {n: m for n, m in ours.items() if n in written}
                # At the limit, rounding may decide whether a place is included.
                edge = {n for n, m in ours.items() if abs(m - 1000 * km) <= _METRES}
                same = set(theirs) - edge == set(ours) - edge and all(
                    abs(1000 * theirs[n] - ours[n]) <= _METRES for n in set(theirs) & set(ours)
                )
                order = list(theirs.values())
                tally.note(same and order == sorted(order), (zh, table, name))
    return tally


def goto(world: PeerWorld, every: int) -> CallTally:
    """Compare routes between sampled places on foot, by taxi and by metro, at seven times."""
    tally = CallTally()
    for zh, slug in world.cities.items():
        points = world.tools["Poi"].data[zh]
        names = sorted(points)[:: max(1, every // 4)]
        for at, (start, end) in enumerate(zip(names, names[7:] + names[:7], strict=True)):
            time = _HOURS[at % len(_HOURS)]
            for mode in ("walk", "taxi", "metro"):
                theirs = world.tools["Transportation"].goto(zh, start, end, time, mode)
                ours = world.box.goto(slug, points[start], points[end], time, mode)
                if ours is None:
                    told = (
                        None
                        if isinstance(theirs, str)
                        else "if no line connects the stations, ChinaTravel still uses the metro"
                    )
                    tally.note(isinstance(theirs, str), (zh, start, end, theirs), told)
                    continue
                tally.note(_same_way(theirs, ours), (zh, start, end, time, mode, theirs, ours))
    return tally


def _same_way(theirs: Any, ours: Any) -> bool:
    if isinstance(theirs, str) or len(theirs) != len(ours):
        return False
    for leg, mine in zip(theirs, ours, strict=True):
        if leg["mode"] != mine.mode or abs(100 * leg["cost"] - mine.price_cents) > _CENTS:
            return False
        if abs(1000 * leg["distance"] - mine.distance_m) > 6:  # ChinaTravel rounds to 10 m
            return False
        hours, minutes = map(int, leg["end_time"].split(":"))
        if hours * 60 + minutes != mine.end_min:
            return False
    return True


def longest_ride(world: PeerWorld) -> float:
    """Return the length in kilometres of the longest metro ride under ChinaTravel's rules."""
    longest = 0.0
    for zh in world.cities:
        tool = world.tools["Transportation"]
        slug = tool.city_list[tool.city_list_chinese.index(zh)]
        points = sorted({s["position"] for s in tool.city_stations_dict[slug]})
        longest = max(
            [
                longest,
                *(geodesic_m(*a, *b) for at, a in enumerate(points) for b in points[at + 1 :]),
            ]
        )
    return longest / 1000


def intercity(world: PeerWorld) -> CallTally:
    """Compare the trains and flights between all ordered pairs of cities after four given times."""
    tally = CallTally()
    tool = world.tools["IntercityTransport"]
    for start, end in permutations(world.cities, 2):
        for kind in ("train", "airplane"):
            for earliest in ("00:00", "08:00", "12:30", "20:00"):
                ours = list(world.box.intercity(start, end, kind, earliest))
                ours = [c for c in ours if c.price_cents is not None]
                every = [
                    c for c in world.box.intercity(start, end, kind) if c.price_cents is not None
                ]
                try:
                    theirs = tool.select(start, end, kind, earliest)
                except TypeError as error:
                    why = None if every else _NO_JOURNEY
                    tally.note(False, (start, end, kind, error), why)
                    continue
                same = sorted(_list_journeys(theirs)) == sorted(map(_connection, ours))
                number = "TrainID" if kind == "train" else "FlightID"
                once = not theirs.duplicated([number, "From", "To"]).any()
                tally.note(same and once, (start, end, kind, earliest))
    return tally


#: The counter that is added if several journeys between two stations have the same number.
_COUNT = re.compile(r"\(\d+\)$")


def _list_journeys(frame: Any) -> Iterator[tuple[Any, ...]]:
    for row in frame.to_dict("records"):
        number = row.get("TrainID", row.get("FlightID"))
        yield (
            _COUNT.sub("", number),
            clock_minutes(row["BeginTime"]),
            clock_minutes(row["EndTime"]) % 1440,
            round(100 * row["Cost"]),
            round(60 * row["Duration"]),
        )


def _connection(held: Any) -> tuple[Any, ...]:
    return (
        held.number,
        held.departure_min,
        held.arrival_min % 1440,
        held.price_cents,
        held.duration_min,
    )


def names(world: PeerWorld) -> CallTally:
    """Check that every name in a table belongs to only one place, which is located where its row
    says.
    """
    tally = CallTally()
    for zh in world.cities:
        held = [n for table in TABLES for n in world.tools[_TOOLS[table]].data[zh]["name"]]
        for table in TABLES:
            for row in world.tools[_TOOLS[table]].data[zh].to_dict("records"):
                place = world.places[zh, table].get(row["name"])
                at = world.tools["Poi"].search(zh, row["name"])
                good = at == (row["lat"], row["lon"]) and place is not None and place.point == at
                tally.note(good and held.count(row["name"]) == 1, (zh, table, row["name"]))
    return tally
