"""Makes the tables of published parameters for the simulation of trips.

The values are copied from TravelEval, appendix A.2: table A5 (queueing times) and table A2
(attractions per day). Types, dates and hours that are not in TravelEval's tables have no row, so
their parameters are unknown.
"""

from __future__ import annotations

import polars as pl

from schemas.arrow import frame

#: Queueing time on a weekday in minutes, by base type (table A5; medians of 2 to 6 samples).
BASE_QUEUE_MIN = {
    "cultural_landscape": 3.0,
    "garden": 3.0,
    "natural_scenery": 3.5,
    "historic_site": 4.0,
    "amusement_sports": 6.0,
    "museum_memorial": 10.0,
}
#: Factor for the date, by grade and kind of day (table A5).
DATE_FACTOR = {
    "S:golden_week": 10.06,
    "A:special_peak": 4.63,
    "A:short_holiday": 4.39,
    "B:weekend": 7.55,
    "C:winter_summer": 3.94,
    "D:weekday": 1.00,
}
#: If a date has several grades, the first one applies. The grades are in the order of the paper;
#: within grade A, the larger factor comes first. The paper itself states no precedence.
DATE_PRECEDENCE = tuple(DATE_FACTOR)
#: Factor for the time of day (table A5).
TIME_FACTOR = {
    "08:00-10:00": 0.85,
    "10:00-12:00": 0.90,
    "12:00-16:00": 1.10,
    "16:00-20:00": 1.10,
    "20:00-close": 0.70,
}
#: Mean and median number of attractions per day, by pace (table A2).
ATTRACTIONS_A_DAY = {
    "slow": (2.24, 2.00),
    "family": (2.82, 2.75),
    "regular": (3.67, 3.54),
    "special_forces": (5.56, 6.00),
}


def queue_parameters() -> pl.DataFrame:
    """Make the table ``queue_parameters``.

    The queueing time is ``base_min`` x ``date_factor`` x ``time_factor``. If several kinds of date
    apply, the one with the lowest ``date_precedence`` is used.
    """
    parts = (
        ("base_min", BASE_QUEUE_MIN, "minute"),
        ("date_factor", DATE_FACTOR, "factor"),
        ("time_factor", TIME_FACTOR, "factor"),
    )
    rows = [
        _row(name, key, value, unit)
        for name, values, unit in parts
        for key, value in values.items()
    ]
    rows += [
        _row("date_precedence", grade, float(rank), "rank")
        for rank, grade in enumerate(DATE_PRECEDENCE, 1)
    ]
    return frame("queue_parameters", rows)


def density_baseline() -> pl.DataFrame:
    """Make the table ``density_baseline``: attractions per day (mean and median) by pace."""
    unit = "attractions a day"
    return frame(
        "density_baseline",
        [
            row
            for rhythm, (mean, median) in ATTRACTIONS_A_DAY.items()
            for row in (_row("mean", rhythm, mean, unit), _row("median", rhythm, median, unit))
        ],
    )


def _row(parameter: str, key: str, value: float, unit: str) -> dict[str, str | float]:
    return {"parameter": parameter, "key": key, "metric_value": value, "unit": unit}
