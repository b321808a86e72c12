"""Choose real restaurants along the course of a day."""

from __future__ import annotations

from collections.abc import Sequence

from validators.plans.itinerary.draft import Draft
from validators.plans.outing import Course, Frame, Ground, Here, Seat, walk
from validators.plans.tables_near import NearTables
from warehouse.ways import Point

#: The most minutes that a hasty meal may lead off the way.
_HASTY_DETOUR_MIN = 40


def seat_meals(
    draft: Draft, frame: Frame, order: Sequence[int], tables: NearTables
) -> Course | None:
    """Return the day with a restaurant for each meal, or None if the order of sights is not
    possible.
    """
    kept = tables.state()
    # A day that may end anywhere ends in town, so that nobody dines beside a remote sight.
    back = (
        _locate(tables, Here(draft.ways.find_home(frame.number - 1))) if draft.ways.hotels else None
    )

    def seater(meal: str, here: Here, free: int, node: int | None) -> Seat | None:
        onward = _locate(tables, Here(node)) or back
        last = meal == "dinner" and node == frame.end
        minutes = frame.meal_min(meal, draft.ground)
        seat = tables.seat(meal, _locate(tables, here), free, onward, last=last, meal_min=minutes)
        if seat is None or (meal in frame.hasty and leads_off(draft.ground, here, seat, node)):
            return None
        tables.take(seat)
        return seat

    course = walk(frame, order, draft.ground, seater)
    if course is None:
        tables.restore(kept)
    return course


def leads_off(ground: Ground, here: Here, seat: Seat, node: int | None) -> bool:
    """Check whether the detour to a restaurant is so long that skipping a hasty meal is better."""
    if node is None:
        return False
    off = seat.minutes + seat.onward[node] - ground.way(here, node)
    return off > _HASTY_DETOUR_MIN


def _locate(tables: NearTables, here: Here) -> Point | None:
    """Return the traveller's location, or None on a day that may start anywhere."""
    if here.seat is not None:
        return tables.places.places[here.seat.at].point
    return None if here.node is None else tables.nodes.places[here.node].point
