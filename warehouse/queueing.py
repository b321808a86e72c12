"""Estimates queueing times with TravelEval's formula T = B(category) x K(date) x K(time).

The queueing formula is in appendix A.2, table A5. If the table lists no value for a type or an
hour, the time is unknown. The paper names grades of dates but does not define which days they
include, so tripbed defines them. If several of these grades apply to a date, the first one in
``date_precedence`` of the snapshot's table is used:

- ``S:golden_week``: days off for National Day and Spring Festival
- ``A:special_peak``: used only if the caller asks for it
- ``A:short_holiday``: days off for the other public holidays
- ``B:weekend``: Saturday and Sunday, unless they are working days
- ``C:winter_summer``: school holidays, 15 January to 20 February and July to August
- ``D:weekday``: any other day

Outside mainland China, public holidays count as short holidays, and the weekends are those of the
country (Friday and Saturday in Egypt). School holidays outside mainland China are unknown and are
ignored.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from schemas.festivals import is_public_holiday, weekend
from schemas.mainland import MAINLAND
from schemas.values import clock_minutes

_GOLDEN = ("National Day", "Spring Festival")
#: First and last day of each school holiday, as month and day.
_SCHOOL = (((1, 15), (2, 20)), ((7, 1), (8, 31)))


@dataclass(frozen=True)
class Queues:
    """The parameters of the queueing formula, as given in a snapshot."""

    base_min: Mapping[str, float]
    date_factor: Mapping[str, float]
    time_factor: Mapping[str, float]
    precedence: tuple[str, ...]

    @staticmethod
    def of(rows: list[dict[str, object]]) -> Queues:
        """Read the parameters from rows of ``queue_parameters``."""
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for row in rows:
            found[str(row["parameter"])][str(row["key"])] = float(str(row["metric_value"]))
        ranks = found["date_precedence"] or dict.fromkeys(found["date_factor"], 0.0)
        return Queues(
            found["base_min"], found["date_factor"], found["time_factor"],
            tuple(sorted(ranks, key=lambda grade: (ranks[grade], grade))),
        )  # fmt: skip

    def minutes(
        self,
        base_type: str | None,
        date: dt.date,
        minute: int,
        grade: str | None = None,
        country: str = MAINLAND,
    ) -> float | None:
        """Return the queueing time in minutes at a given minute of a given date, or None if it is
        unknown.

        If ``grade`` is given, it is used instead of the grade of the date.
        """
        base = self.base_min.get(base_type or "")
        of_date = self.date_factor.get(grade or self.grade(date, country) or "")
        of_time = next((f for key, f in self.time_factor.items() if _within(key, minute)), None)
        if base is None or of_date is None or of_time is None:
            return None
        return base * of_date * of_time

    def grade(self, date: dt.date, country: str = MAINLAND) -> str | None:
        """Return the grade of a date in a country (ISO 3166-1).

        Returns None if the public holidays are unknown.
        """
        holds = _kinds(date) if country == MAINLAND else _kinds_abroad(date, country)
        if holds is None:
            return None
        return next((g for g in self.precedence if g.partition(":")[2] in holds), None)


def _within(hours: str, minute: int) -> bool:
    start, _, end = hours.partition("-")
    return clock_minutes(start) <= minute < (1440 if end == "close" else clock_minutes(end))


def _kinds_abroad(date: dt.date, country: str) -> frozenset[str] | None:
    """Return all grades that apply to a date outside mainland China."""
    is_holiday = is_public_holiday(country, date)
    if is_holiday is None:
        return None
    holds = {
        "weekday": True, "short_holiday": is_holiday,
        "weekend": date.weekday() in weekend(country),
    }  # fmt: skip
    return frozenset(kind for kind, is_one in holds.items() if is_one)


def _kinds(date: dt.date) -> frozenset[str] | None:
    """Return all grades that apply to a date in mainland China."""
    # Imported only for holidays in China.
    import chinese_calendar

    try:
        off, name = chinese_calendar.get_holiday_detail(date)
    except NotImplementedError:
        return None
    holds = {
        "weekday": True,
        "golden_week": off and name in _GOLDEN,
        "short_holiday": off and name and name not in _GOLDEN,
        "weekend": off and date.weekday() >= 5,
        "winter_summer": any(one <= (date.month, date.day) <= end for one, end in _SCHOOL),
    }
    return frozenset(kind for kind, is_one in holds.items() if is_one)
