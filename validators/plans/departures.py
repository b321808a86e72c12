"""Choose the journeys and rooms that suit a level of comfort; scores are in whole cents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from schemas.cities import large_cities
from schemas.geo import distance_m
from validators.plans.build import Style
from validators.plans.choices import stays
from validators.plans.comfort import Level, Riders
from validators.plans.kinds import is_home, is_shared, only_for_some
from validators.plans.lodging import Lodging
from validators.plans.map import Map
from validators.plans.offers import Offers
from validators.plans.trip import TripRequest
from validators.plans.view import FAST_TRAIN, journey_types
from validators.plans.world import Journey, Place, World
from warehouse.ways import Point

#: Minutes from a train or plane to the street, and minutes in the station or airport before
#: departure.
LEAVING_MIN = {"train": 15, "airplane": 40}
AHEAD_MIN = {"train": 55, "airplane": 120}
#: How many minutes before a departure the party leaves home.
_FROM_HOME_MIN = {"train": 60, "airplane": 120}
#: The number of journeys in each direction that are combined, and of pairs that are tried.
_MOST, _PAIRS = 10, 3
#: The minutes in the city that make a day trip worth the journeys.
_A_DAY_MIN = 300
#: The value of an hour on short trips by their number of days, in halves of the usual value.
_SHORT = {1: 5, 2: 5, 3: 3}
#: The penalty in minutes for a journey back before ten, which leaves nothing of the day.
_DAY_LOST_MIN = 120
#: Nobody who arrives after this minute reaches a hotel on the same day.
_LAST_ARRIVAL, _MIDNIGHT = 1395, 1439
#: The penalty in cents for a slow train if the query asks for fast trains.
_SLOW = 10**6
#: The penalty in cents for a departure outside the requested part of the day, and for each minute
#: by which it lies outside.
_UNASKED, _OFF_CENTS = 10**7, 10**4
#: The minutes from the station to the front door, if a query states by when the party must be home,
#: and the penalty in cents for each minute that is missing.
_TO_THE_DOOR_MIN, _LATE_HOME_CENTS = 45, 2_000
#: The minutes that are not yet hard on travellers: on the way to a station or airport, and of a
#: journey, in general and with children or old people. All minutes at night are hard.
_FAR_MIN, _LONG_MIN, _LONG_GENTLE_MIN = 60, 360, 300
#: The penalty in minutes for a first evening without dinner. Travellers who arrive after the second
#: of these minutes find no table in time.
_NO_DINNER_MIN, _LAST_DINNER = 60, 1095
#: Nobody goes to a station that is more than this many minutes away.
_OUT_OF_REACH_MIN = 120
#: The minute before which nobody should have to leave the hotel, in general and with children or
#: old people.
_DAWN, _DAWN_GENTLE = 360, 405
#: The lowest cost in cents of a hard minute, by what the level pays for a minute. Thrift
#: alone makes nobody travel at night, but dire need does. Children and old people never do.
_HARD_CENTS = ((25, 60), (12, 25), (0, 0))
#: The lowest cost in cents of a minute of a journey, except for the cheapest levels. Travellers who
#: save on beds still want whole days.
_MINUTE_CENTS = 18
#: The distance in metres from the centre of the sights beyond which a hotel's distance counts
#: twice.
_OUT_OF_TOWN_M = 8_000.0
#: The penalty points for a bed in a dormitory.
_SHARED = 100
#: The price of a room in cents from which a much cheaper room is no substitute.
_GOOD_ROOM = 80_000
#: The highest penalty in minutes for a station at home with hardly any journeys.
_SELDOM_MIN = 150
#: The straight-line metres covered per minute on the way to a station.
_METRES_A_MIN = 250
#: The penalty in minutes for a station that is named after another town, the lowest
#: population of such a town, and the minutes to a station whose location is unknown.
_OTHER_TOWN_MIN, _TOWN, _UNKNOWN_WAY_MIN = 120, 100_000, 240
#: The hotel feature for homestays.
_HOMESTAY = "民宿"
#: The penalty points for a place like a homestay if the query excludes homestays.
_LIKE_REFUSED = 150
_PUBLISHED = ("king", "double")


def journeys_of(
    trip: TripRequest, offers: Offers, world: World, level: Level, riders: Riders, centre: Point
) -> list[tuple[Journey, Journey]]:
    """Return pairs of an outward and a return journey, best first."""
    seldom = _seldom(offers, level.minute_cents * trip.request.people)
    ways = _ways(offers, world, riders, centre)
    outs = sorted(
        offers.outs,
        key=lambda j: (_out(j, trip, level, ways) + seldom[j.start], j.number, j.end),
    )
    backs = sorted(
        offers.backs,
        key=lambda j: (_back(j, trip, level, ways) + seldom[j.end], j.number, j.start),
    )
    if trip.request.days == 1:
        outs.sort(key=lambda j: j.arrives_min)
        backs.sort(key=lambda j: -j.departs_min)
    pairs = [
        (i + j, i, j)
        for i, out in enumerate(outs[:_MOST])
        for j, back in enumerate(backs[:_MOST])
        if trip.request.days > 1 or back.departs_min - out.arrives_min >= _A_DAY_MIN
    ]
    return [(outs[i], backs[j]) for _, i, j in sorted(pairs)[:_PAIRS]]


def _seldom(offers: Offers, minute_cents: int) -> Mapping[str, int]:
    """Return the penalty in cents for each station in the home city.

    Few people live near a station with few departures and arrivals, so its penalty is higher.
    """
    ends = [(j.kind, j.start) for j in offers.outs] + [(j.kind, j.end) for j in offers.backs]
    counts = Counter(ends)
    most = {kind: max(n for (k, _), n in counts.items() if k == kind) for kind, _ in counts}
    return {
        name: ((most[kind] - n) * _SELDOM_MIN // most[kind] + _OTHER_TOWN_MIN * _is_of_a_town(name))
        * minute_cents
        for (kind, name), n in counts.items()
    }


@cache
def _is_of_a_town(station: str) -> bool:
    """Check whether a station is named after a smaller town near its city.

    Residents of the city do not start their journeys at a station named after a smaller town.
    """
    name = station.removesuffix("站").rstrip("东西南北")
    return any(name.endswith(town) and name != town for town in _town_names())


@cache
def _town_names() -> frozenset[str]:
    return frozenset(
        city.name_zh.removesuffix("市") for city in large_cities("CN", _TOWN) if city.name_zh
    )


def _ways(offers: Offers, world: World, riders: Riders, centre: Point) -> Mapping[str, int]:
    """Return the minutes between the centre of the sights and each station at the destination.

    The result is the longer of two times: one derived from the distance, and one from the party's
    mode of travel.
    """
    names = sorted({j.end for j in offers.outs} | {j.start for j in offers.backs})
    points = {name: point for name in names if (point := world.point(name))}
    hubs = Map(tuple(Place("hub", n, n, p, frozenset()) for n, p in points.items()), world.network)
    gone = riders.reach(hubs, centre).minutes.tolist() if points else []
    known = {
        name: max(int(float(np.asarray(distance_m(*point, *centre))) / _METRES_A_MIN), minutes)
        for (name, point), minutes in zip(points.items(), gone, strict=True)
    }
    return {name: known.get(name, _UNKNOWN_WAY_MIN) for name in names}


def _out(journey: Journey, trip: TripRequest, level: Level, ways: Mapping[str, int]) -> int:
    """Return the cost of an outward journey, including a penalty for inconvenient hours."""
    lost = max(journey.arrives_min - 660, 0)
    early = max((480 if trip.gentle else 420) - journey.departs_min, 0)
    late = max(journey.arrives_min - 1290, 0)
    lost += _NO_DINNER_MIN * (journey.arrives_min + LEAVING_MIN[journey.kind] > _LAST_DINNER)
    free = journey.arrives_min + LEAVING_MIN[journey.kind]
    if free > _LAST_ARRIVAL or free + ways[journey.end] > _MIDNIGHT:
        late += 10**6
    return _cents(journey, trip, level, ways[journey.end], lost + 2 * early + 3 * late, trip.leaves)


def _back(journey: Journey, trip: TripRequest, level: Level, ways: Mapping[str, int]) -> int:
    """Return the cost of a return journey; departing before ten leaves no time on that day."""
    lost = max(1050 - journey.departs_min, 0)
    early = max(600 - journey.departs_min, 0) + _DAY_LOST_MIN * (journey.departs_min < 600)
    late = max(journey.arrives_min - (1320 if trip.gentle else 1380), 0)
    way = ways[journey.start]
    cents = _cents(journey, trip, level, way, lost + early + 3 * late, trip.returns, way)
    return cents + _late_home(journey, trip) * _LATE_HOME_CENTS


def _late_home(journey: Journey, trip: TripRequest) -> int:
    """Return the number of minutes by which the party gets home too late.

    The time from the last station to the home is included.
    """
    limits = [
        r.amount for r in trip.request.hard if r.kind == "time" and r.mode == "back" and r.amount
    ]
    return max(journey.arrives_min + _TO_THE_DOOR_MIN - min(limits, default=1440 * 2), 0)


def _cents(
    journey: Journey, trip: TripRequest, level: Level, way: int, minutes: int,
    window: tuple[int, int] | None, before: int = 0,
) -> int:  # fmt: skip
    """Return the cost of a journey in cents.

    ``way`` is the number of minutes to or from the station at the destination. ``before`` is how
    many of ``minutes`` come before the departure.
    """
    people = trip.request.people
    minutes = minutes * _SHORT.get(trip.request.days, 2) // 2
    minutes += journey.arrives_min - journey.departs_min + way
    minutes += LEAVING_MIN[journey.kind] + AHEAD_MIN[journey.kind]
    hard = _hardship(journey, trip, before) + 2 * max(way - _FAR_MIN, 0)
    hard += 10 * max(way - _OUT_OF_REACH_MIN, 0)
    hard_cents = max(
        level.minute_cents,
        _HARD_CENTS[0][1]
        if trip.gentle
        else next(c for least, c in _HARD_CENTS if level.minute_cents >= least),
    )
    off = _minutes_off(journey.departs_min, window)
    minute_cents = level.minute_cents if level.snacks else max(level.minute_cents, _MINUTE_CENTS)
    cents = (journey.price_cents or 0) + minutes * minute_cents + hard * hard_cents
    slow = _wants_fast(trip) and FAST_TRAIN not in journey_types(journey.kind, journey.number)
    return cents * people + (_UNASKED + off * _OFF_CENTS if off else 0) + _SLOW * slow


def _minutes_off(departs_min: int, window: tuple[int, int] | None) -> int:
    """Return the number of minutes by which a departure misses the requested part of the day."""
    if window is None or window[0] <= departs_min < window[1]:
        return 0
    return max(window[0] - departs_min, departs_min - window[1] + 1)


def _wants_fast(trip: TripRequest) -> bool:
    """Check whether the query asks for high-speed trains.

    Some queries have expressions that accept any train as a high-speed train.
    """
    return FAST_TRAIN in trip.list_wished("transport")


def _hardship(journey: Journey, trip: TripRequest, way_min: int) -> int:
    """Return three times the number of minutes by which a journey reaches into the night or is too
    long.
    """
    before = AHEAD_MIN[journey.kind] + way_min if way_min else _FROM_HOME_MIN[journey.kind]
    up = journey.departs_min - before
    night = max((_DAWN_GENTLE if trip.gentle else _DAWN) - up, 0)
    night += max(journey.arrives_min - 1350, 0)
    sat = journey.arrives_min - journey.departs_min
    longest = _LONG_GENTLE_MIN if trip.gentle else _LONG_MIN
    return 3 * (night + max(sat - longest, 0))


def nights_of(
    offers: Offers, level: Level, centre: Point, hubs: Sequence[Point]
) -> tuple[Lodging, ...]:
    """Return rooms for all nights in one hotel that is near the centre of the sights and whose
    price is close to the level's room price.

    If no single hotel meets all requirements, several hotels are used.
    """
    nights = offers.request.days - 1
    if nights == 0:
        return ()
    weight = 1 if offers.modes == ("walk",) else 10
    named = {r.values for r in offers.request.hard if r.kind == "hotel_name"}
    fitting = [
        x for x in offers.lodgings
        if all(x.hotel.name in d.names for d in offers.beds)
        and (named or not only_for_some(x.hotel.name))
    ]  # fmt: skip
    if not fitting:
        style = Style("reference", float(level.minute_cents * offers.request.people), 0, "all")
        found = stays(offers, [centre], style)
        return found[0] if found else ()
    refused = any(
        r.kind == "hotel_feature" and r.mode == "none" and _HOMESTAY in r.values
        for r in offers.request.hard
    )
    best = min(
        fitting,
        key=lambda x: (
            _room_score(x, level, centre, hubs, weight)
            + _LIKE_REFUSED * (refused and is_home(x.hotel.name)),
            x.hotel.name,
            x.room_type,
        ),
    )
    return (best,) * nights


def _room_score(
    lodging: Lodging, level: Level, centre: Point, hubs: Sequence[Point], weight: int
) -> int:
    """Return penalty points for the price difference and for the distances to the centre and the
    hubs.

    Distances are counted in hundreds of metres, and price differences in per cent. Normally, the
    distance to the hubs counts only in part. The distance to the hubs counts in full if the party
    walks everywhere, because it is best for such a party to stay between the station and the
    sights.
    """
    point = lodging.hotel.point
    assert point is not None, "a hotel whose location is unknown must not be offered"
    away = float(np.asarray(distance_m(*point, *centre)))
    away += max(away - _OUT_OF_TOWN_M, 0.0)
    away += sum(float(np.asarray(distance_m(*point, *hub))) for hub in hubs) / weight
    price = lodging.night_cents // lodging.rooms
    off = (price - level.room_cents) * 100 // level.room_cents
    dear = off * 2 if off > 0 else -off * (2 if level.room_cents >= _GOOD_ROOM else 1)
    bed = _SHARED if is_shared(lodging.hotel.name) and not level.snacks else 0
    return int(away) // 100 + dear + bed + (0 if lodging.room_type in _PUBLISHED else 60)
