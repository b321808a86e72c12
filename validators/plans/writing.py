"""Write a planned day as activities in ChinaTravel's form, with the routes between them.

Travel to a stop or to the return journey starts as late as possible; the way back to the hotel
starts at once. Longer stays at sights fill small gaps. Breakfast, nights and the journeys between
cities are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.plans import Activity, Transport
from validators.plans.activities import journey_activity, night_activity, transports_of
from validators.plans.appeal import VisitStyle
from validators.plans.comfort import SLACK_MIN
from validators.plans.lodging import Lodging
from validators.plans.map import Map
from validators.plans.outing import Course, Frame, Here, OutingStop, Seat
from validators.plans.trip import TripRequest
from validators.plans.world import Journey, Place
from warehouse.ways import Leg, Mode, Network

#: The minute by which breakfast ends.
_BREAKFAST_ENDS = 540


@dataclass(frozen=True)
class Writer:
    """The places, modes of travel, rooms and journeys needed to write the course of a day.

    ``by`` lists the modes of travel, and ``modes`` contains, for each pair of nodes, an index into
    this list.
    """

    trip: TripRequest
    nodes: Map
    restaurants: Map
    modes: Sequence[Sequence[int]]
    by: Sequence[Mode]
    visits: Sequence[VisitStyle]
    nights: Sequence[Lodging]
    pair: tuple[Journey, Journey] | None
    network: Network

    def activities(self, frame: Frame, course: Course) -> list[Activity]:
        """Return the day in ChinaTravel's form.

        Travel starts as late as possible, and longer stays fill small gaps.
        """
        found: list[Activity] = []
        people = self.trip.request.people
        place: Place | None = None if frame.start is None else self.nodes.places[frame.start]
        free = frame.begins
        if frame.number == 1 and self.pair:
            found.append(journey_activity(self.pair[0], people))
        if frame.number > 1:
            found += self._breakfast(frame, course)
        here: Here = Here(frame.start)
        stops = course.stops
        for n, stop in enumerate(stops):
            target = self._place(stop)
            legs = self._legs_to(here, place, stop, target, free, frame)
            end = self._stretch_stay(stop, stops[n + 1] if n + 1 < len(stops) else None, frame)
            found.append(self._stay(stop, target, end, legs))
            free, place = end, target
            here = Here(stop.node, stop.seat)
        end_place = None if frame.end is None else self.nodes.places[frame.end]
        if end_place is None:
            return found
        legs = self._legs(
            place, end_place, self._mode(here, frame.end), self._leaves(frame, course, free)
        )
        if frame.number == self.trip.request.days:
            assert self.pair is not None
            found.append(journey_activity(self.pair[1], people, self._write_legs(legs)))
        else:
            arrived = legs[-1].end_min if legs else free
            found.append(
                night_activity(self.nights[frame.number - 1], arrived, self._write_legs(legs))
            )
        return found

    def _leaves(self, frame: Frame, course: Course, free: int) -> int:
        """Return the minute of departure: at once for the hotel, as late as possible for the return
        journey.
        """
        if frame.number < self.trip.request.days:
            return free
        return max(free, frame.deadline - course.to_end)

    def _breakfast(self, frame: Frame, course: Course) -> list[Activity]:
        """Return a free breakfast at the hotel if there is enough time before the day begins."""
        length = 40 if self.trip.gentle or self.trip.pace == "slow" else 30
        if frame.begins < 360 + length:
            return []
        first = course.stops[0] if course.stops else None
        leaves = frame.begins
        if first is not None and first.node is not None:
            leaves = max(
                leaves, first.start - frame.queue(first.node, first.arrives) - first.minutes
            )
        start = min(leaves, _BREAKFAST_ENDS) - length
        name = self.nights[frame.number - 2].hotel.name
        return [
            Activity.model_construct(
                type="breakfast", start_time=start // 5 * 5, end_time=start // 5 * 5 + length,
                position=name, price=0, cost=0, transports=[],
            )
        ]  # fmt: skip

    def _place(self, stop: OutingStop) -> Place:
        if stop.seat is not None:
            return self.restaurants.places[stop.seat.at]
        assert stop.node is not None
        return self.nodes.places[stop.node]

    def _mode(self, here: Here, node: int | None, seat: Seat | None = None) -> int:
        if seat is not None:
            return seat.mode
        assert node is not None
        if here.seat is not None:
            return int(here.seat.onward_modes[node])
        return 0 if here.node is None else int(self.modes[here.node][node])

    def _legs_to(
        self,
        here: Here,
        place: Place | None,
        stop: OutingStop,
        target: Place,
        free: int,
        frame: Frame,
    ) -> list[Leg]:
        mode = self._mode(here, stop.node, stop.seat)
        queue = 0 if stop.node is None else frame.queue(stop.node, stop.arrives)
        walking = self.by[mode] == "walk"
        raw = stop.minutes - (0 if walking else SLACK_MIN)
        return self._legs(place, target, mode, max(free, stop.start - queue - raw))

    def _legs(self, place: Place | None, target: Place, mode: int, leaves: int) -> list[Leg]:
        if place is None or place.name == target.name:
            return []
        assert place.point is not None
        assert target.point is not None
        ends = (place.name, place.point), (target.name, target.point)
        return self.network.way(*ends, leaves, self.by[mode]) or []

    def _write_legs(self, legs: Sequence[Leg]) -> list[Transport]:
        return transports_of(legs, self.trip.request.people)

    def _stretch_stay(self, stop: OutingStop, after: OutingStop | None, frame: Frame) -> int:
        """Return the end of a stay, which is later if there is time to spare before the next
        stop.
        """
        if stop.node is None or after is None:
            return stop.end
        queue = 0 if after.node is None else frame.queue(after.node, after.arrives)
        spare = after.start - queue - after.minutes - stop.end
        longest = max(self.visits[stop.node].most_min, stop.end - stop.start)
        limit = min(frame.closes[stop.node], frame.latest, stop.start + longest)
        return max(stop.end, min(stop.end + spare // 5 * 5, limit // 5 * 5))

    def _stay(self, stop: OutingStop, place: Place, end: int, legs: Sequence[Leg]) -> Activity:
        people = self.trip.request.people
        price = place.price_cents or 0
        return Activity.model_construct(
            type=stop.kind, start_time=stop.start, end_time=end, position=place.name, price=price,
            cost=price * people, tickets=people if stop.kind == "attraction" else None,
            transports=self._write_legs(legs),
        )  # fmt: skip
