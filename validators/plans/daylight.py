"""Compute when it gets dark on a trip; parks, temples and gardens are not visited after dusk."""

from __future__ import annotations

import datetime as dt
import math

from schemas.money import YUAN
from validators.plans.trip import TripRequest
from warehouse.ways import Point

#: The minute of dusk if no season is known, and the latest possible minute.
USUAL_DUSK = 1110
#: Minutes of twilight after sunset; before which dusk evenings are cold and dark.
_TWILIGHT_MIN, EARLY_DUSK = 15, 1065
#: The sun's angle above the equator at midsummer, and the meridian of China's time zone (in
#: degrees).
_TILT, _MERIDIAN = 23.44, 120.0
#: A month in the middle of each occasion that indicates a season.
_MONTHS = {"winter": 1, "spring_festival": 2, "spring": 4, "autumn": 10, "national_day": 10}


def dusk_of(trip: TripRequest, centre: Point) -> int:
    """Return the minute of dusk on a trip to a city in China.

    If the season is unknown, the function returns the usual minute of dusk.
    """
    date = trip.request.start_date
    month = _MONTHS.get(trip.occasion or "")
    if trip.request.currency != YUAN or (date is None and month is None):
        return USUAL_DUSK
    day = date or dt.date(2025, month or 1, 15)
    return min(_sunset(day, *centre) + _TWILIGHT_MIN, USUAL_DUSK)


def _sunset(day: dt.date, lat: float, lon: float) -> int:
    """Return the minute of sunset in China's time zone, accurate to a few minutes."""
    turn = 2 * math.pi * (day.timetuple().tm_yday + 10) / 365
    declination = -math.radians(_TILT) * math.cos(turn)
    angle = math.acos(max(-1.0, min(1.0, -math.tan(math.radians(lat)) * math.tan(declination))))
    return round(720 + 4 * (_MERIDIAN - lon) + math.degrees(angle) * 4)
