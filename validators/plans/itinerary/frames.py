"""Determine how much time journeys, hotels and the party's pace leave on each day of a trip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from validators.plans.departures import AHEAD_MIN, LEAVING_MIN
from validators.plans.itinerary.setting import Booking, Setting
from validators.plans.itinerary.sights import Sights
from validators.plans.itinerary.ways import Ways
from validators.plans.map import Map
from validators.plans.outing import EARLIEST, HASTY_MIN, Frame, Ground, latest_start
from validators.plans.trip import TripRequest

#: When a day begins at the hotel, by pace, and when a day without nights and journeys begins.
_BEGINS = {"slow": 540, "family": 540, "regular": 510, "special_forces": 480}
_BEGINS_ANYWHERE = 540
#: When the last visit of a day ends at the latest, by pace; with children or old people; and on
#: trips that wish for nightlife.
_LATEST = {"slow": 1260, "family": 1260, "regular": 1290, "special_forces": 1320}
_LATEST_GENTLE, _LATEST_OUT = 1230, 1350
#: When the last day ends if no journey follows.
_ENDS_ANYWHERE = 1290
#: When the party must be at the hotel; there is no limit on the first day and on nights out.
HOME_BY, _NO_LIMIT = 1380, 1439
#: Minutes for leaving bags at a hotel, and the most minutes of the detour to it.
_BAGS_MIN, _BAGS_DETOUR_MIN = 10, 20
#: A party that must be at the station before this minute takes its bags along in the morning.
_EARLY_BACK = 660
#: The length of a full day; shorter days of arrival and departure have fewer sights.
_FULL_DAY_MIN = 660
#: A day of arrival or departure has at least one sight if it is longer than this.
_ONE_SIGHT_MIN = 180
#: Minutes to a restaurant that is not chosen yet.
_TO_TABLE_MIN = 15
#: Minutes in a queue if the trip has no dates.
_NO_DATE_MIN = 10


def frame_days(
    setting: Setting, booking: Booking, sights: Sights, ways: Ways, ground: Ground
) -> list[Frame]:
    """Return the frame for each day of a trip."""
    calendar = _Calendar(setting.trip, booking, ways, ground)
    days = range(1, setting.trip.request.days + 1)
    return [_frame_day(setting, sights, calendar, number) for number in days]


def _frame_day(setting: Setting, sights: Sights, calendar: _Calendar, number: int) -> Frame:
    """Return the time that journeys and nights leave free on a day."""
    trip = setting.trip
    travels_back = calendar.booking.pair is not None and number == trip.request.days
    start, begins = calendar.find_start(number)
    end, deadline = calendar.find_end(number)
    latest = _LATEST_GENTLE if trip.gentle else _LATEST[trip.pace]
    latest = max(latest, _LATEST_OUT) if trip.nights_out else latest
    if travels_back:
        latest = min(latest, deadline)
    leaves = deadline - (calendar.measure_way_out() if travels_back else 0)
    meal_min = calendar.ground.meal_min
    usual = _list_meals(begins, leaves, meal_min)
    hasty = _list_meals(begins, leaves, min(meal_min, HASTY_MIN))
    opens, closes = _find_hours(setting, sights, number)
    return Frame(
        number,
        start,
        begins,
        end,
        deadline,
        hasty,
        _limit_sights(trip, number, max(min(deadline, latest) - begins, 0)),
        latest,
        opens,
        closes,
        _time_queues(setting, sights, number),
        hasty=frozenset(hasty) - set(usual),
    )


def _limit_sights(trip: TripRequest, number: int, minutes: int) -> int:
    """Return the maximum number of sights for one day, which is lower on a trip's first and last
    days.
    """
    most = trip.sights_a_day
    if 1 < number < trip.request.days:
        return most
    least = 1 if minutes > _ONE_SIGHT_MIN else 0
    return min(most, max((most * minutes + _FULL_DAY_MIN // 2) // _FULL_DAY_MIN, least))


def _list_meals(begins: int, leaves: int, minutes: int) -> tuple[str, ...]:
    """Return the meals of this length that fit in between the day's journeys."""
    return tuple(
        meal for meal in ("lunch", "dinner")
        if begins <= latest_start(meal, minutes) - _TO_TABLE_MIN
        and leaves >= EARLIEST[meal] + minutes + _TO_TABLE_MIN
    )  # fmt: skip


def _find_hours(setting: Setting, sights: Sights, number: int) -> tuple[list[int], list[int]]:
    """Return each sight's opening and closing times, allowing for the earliest visiting time of its
    kind.
    """
    places = Map(tuple(sights.places), setting.world.network)
    opens, closes = places.opening(setting.trip.request.when(number))
    floors = np.array([v.floor for v in sights.visits], dtype=np.int64)
    return np.maximum(opens, floors).tolist(), closes.tolist()


def _time_queues(setting: Setting, sights: Sights, number: int) -> Callable[[int, int], int]:
    """Return a function that looks up queueing times by node and minute in TravelEval's table."""
    date = setting.trip.request.date(number)
    codes = [setting.renown.base_types.get(s.place_id) for s in sights.places]

    @cache
    def minutes(code: str | None, minute: int) -> int:
        told = None if date is None else setting.queues.minutes(code, date, minute)
        return _NO_DATE_MIN if told is None else int(told + 0.5)

    return lambda node, minute: minutes(codes[node], minute)


@dataclass(frozen=True)
class _Calendar:
    """The start and the end of each day, between the journeys and nights of a trip."""

    trip: TripRequest
    booking: Booking
    ways: Ways
    ground: Ground

    def find_start(self, number: int) -> tuple[int | None, int]:
        """Return the node and the minute at which a day starts."""
        if number > 1:
            return self._start_at_hotel(number)
        if self.booking.pair is None:
            return None, _BEGINS_ANYWHERE
        out, hub = self.booking.pair[0], self.ways.hubs[0]
        assert hub is not None
        free = out.arrives_min + LEAVING_MIN[out.kind]
        # A party that would miss a meal by going to the hotel takes its bags along.
        with_bags = free + self._time_bags(hub, 0)
        leaves = 1440 if self.trip.request.days > 1 else self.find_end(1)[1]
        if _list_meals(free, leaves, HASTY_MIN) == _list_meals(with_bags, leaves, HASTY_MIN):
            return hub, with_bags
        return hub, free

    def _start_at_hotel(self, number: int) -> tuple[int, int]:
        """Return the hotel and the minute at which a day starts (earlier if a journey is early)."""
        hotel, begins = self.ways.nights[number - 2], _BEGINS[self.trip.pace]
        if number == self.trip.request.days and self.booking.pair:
            _, deadline = self.find_end(number)
            way = self.ground.minutes[hotel][self.ways.hubs[1] or 0]
            begins = min(begins, max(deadline - way, 0))
        return hotel, begins

    def find_end(self, number: int) -> tuple[int | None, int]:
        """Return the node at which a day ends, and the minute by which the party must be there."""
        if number < self.trip.request.days:
            late = number == 1 or self.trip.nights_out
            return self.ways.nights[number - 1], _NO_LIMIT if late else HOME_BY
        if self.booking.pair is None:
            return None, _LATEST_OUT if self.trip.nights_out else _ENDS_ANYWHERE
        back, hub = self.booking.pair[1], self.ways.hubs[1]
        assert hub is not None
        deadline = back.departs_min - AHEAD_MIN[back.kind]
        out, with_bags = self.measure_way_out(), deadline - self._time_bags(hub, -1)
        misses_no_meal = _list_meals(0, deadline - out, HASTY_MIN) == _list_meals(
            0, with_bags - out, HASTY_MIN
        )
        return hub, with_bags if deadline >= _EARLY_BACK and misses_no_meal else deadline

    def measure_way_out(self) -> int:
        """Return the minutes from the last hotel to the place where the return journey starts.

        If there is no hotel, the route starts at the centre of the sights.
        """
        hub = self.ways.hubs[1]
        assert hub is not None
        if not self.ways.hotels:
            return self.ways.centre_minutes[hub]
        return self.ground.minutes[self.ways.find_home(self.trip.request.days - 1)][hub]

    def _time_bags(self, hub: int, night: int) -> int:
        """Return the extra minutes for taking bags to, or fetching them from, the hotel for a given
        night.
        """
        if not self.ways.nights:
            return 0
        way = self.ground.minutes[hub][self.ways.nights[night]]
        return min(way // 2, _BAGS_DETOUR_MIN) + _BAGS_MIN
