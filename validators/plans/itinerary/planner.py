"""Make plans that a traveller would follow, at one level of comfort.

The best known sights are distributed over the days first, each to the day on which it adds the
least travel. Other sights that are worth the travel fill the time between the best known ones.
Finally, the planner chooses a restaurant for each meal and fills gaps. All scores are integers, so
that the same tables always give the same plans.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.plans import Plan
from validators.plans.comfort import Level, Riders
from validators.plans.departures import journeys_of, nights_of
from validators.plans.itinerary.candidates import choose_candidates
from validators.plans.itinerary.making import begin_draft, make_plan
from validators.plans.itinerary.scope import FIRST_KNOWN, LONG_TRIP
from validators.plans.itinerary.setting import Booking, Setting
from validators.plans.itinerary.ways import measure_ways
from validators.plans.offers import Offers
from validators.plans.renown import Renown
from validators.plans.trip import TripRequest
from validators.plans.world import Journey, World


class ReferencePlanner:
    """Makes plans for a trip at any level of comfort."""

    def __init__(self, trip: TripRequest, offers: Offers, world: World, renown: Renown):
        self.setting = Setting.of(trip, offers, world, renown)

    def plans(self, level: Level) -> list[Plan]:
        """Return a list with the plan for the best possible pair of journeys, or an empty list."""
        trip, offers, world = self.setting.trip, self.setting.offers, self.setting.world
        riders = Riders.of(trip, level, offers.modes)
        centre = self.setting.find_centre()
        pairs: Sequence[tuple[Journey, Journey] | None] = [None]
        if trip.request.round_trip:
            pairs = journeys_of(trip, offers, world, level, riders, centre)
        for pair in pairs:
            hubs = [world.point(pair[0].end), world.point(pair[1].start)] if pair else []
            nights = nights_of(offers, level, centre, [h for h in hubs if h])
            if trip.request.days > 1 and not nights:
                continue
            plan = _make_best(self.setting, Booking(level, riders, pair, nights, centre))
            if plan is not None:
                return [plan]
        return []


def _make_best(setting: Setting, booking: Booking) -> Plan | None:
    """Return the best of up to three attempts.

    The first attempt visits night sights at night. If the first plan contains too few of the best
    known sights, the second attempt also visits night sights by day. The third attempt lets the
    best known sights take precedence over everything else, unless the trip is about a category.
    """
    candidates = choose_candidates(setting, booking)
    ways = measure_ways(candidates.places, booking, setting.world)
    found: list[tuple[int, Plan]] = []
    attempts = ((True, False), (False, False), (True, True))
    for strict, keen in attempts[: 2 if setting.trip.category else 3]:
        draft = begin_draft(setting, booking, candidates, ways, strict=strict)
        plan = make_plan(draft, keen=keen)
        if plan is not None:
            known = draft.count_known()
            found.append((-min(known, FIRST_KNOWN), plan))
            if setting.trip.request.days < LONG_TRIP or known >= FIRST_KNOWN:
                break
    return min(found, key=lambda f: f[0])[1] if found else None
