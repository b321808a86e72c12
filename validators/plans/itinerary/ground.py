"""Prepare the data with which a day is simulated: the routes, and the best times to visit each
sight.
"""

from __future__ import annotations

from validators.plans.daylight import EARLY_DUSK, dusk_of
from validators.plans.itinerary.setting import Booking, Setting
from validators.plans.itinerary.sights import Sights
from validators.plans.itinerary.ways import NEAR_HOME_MIN, Ways
from validators.plans.outing import Ground

#: The length of a meal in minutes, and with children or old people.
_MEAL_MIN, _MEAL_GENTLE_MIN = 60, 75
#: Kinds that are dark and cold on winter evenings.
_COLD = frozenset({"waterside", "park", "great_park", "lake", "island", "beach", "nature"})
#: Kinds that are better in the morning.
_BY_MORNING = frozenset({"zoo", "great_wall", "mountain"})
#: Kinds without shade or a roof.
_OUTDOORS = _COLD | {
    "zoo", "rides", "fun", "waterside", "grand_garden", "garden", "mountain", "great_wall",
    "old_town", "campus", "palace", "square", "bridge",
}  # fmt: skip


def lay_ground(setting: Setting, booking: Booking, sights: Sights, ways: Ways) -> Ground:
    """Return the nodes for simulating a day, with their travel times, stays and properties."""
    trip, visits = setting.trip, sights.visits
    dusk = dusk_of(trip, booking.centre)
    dark = dusk < EARLY_DUSK
    return Ground(
        ways.minutes,
        [v.minutes for v in visits],
        [v.evening and not (dark and v.kind in _COLD) for v in visits],
        [v.late for v in visits],
        [bool(met) or n in sights.best for n, met in enumerate(sights.met)],
        _MEAL_GENTLE_MIN if trip.gentle else _MEAL_MIN,
        dusk,
        bool(ways.hotels) and all(ways.centre_efforts[h] > NEAR_HOME_MIN for h in ways.hotels),
        frozenset(n for n, v in enumerate(visits) if v.lit),
        frozenset(n for n, v in enumerate(visits) if trip.is_hot and v.kind in _OUTDOORS),
        trip.nights_out,
        frozenset(n for n, v in enumerate(visits) if v.kind in _BY_MORNING),
        ceilings={n: v.ceiling for n, v in enumerate(visits) if v.ceiling < 1440},
    )
