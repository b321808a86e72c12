"""Decide which hours, prices and durations in source tables are facts, and which are filler values.

Published tables often contain the hours 0:00-24:00 or a price of 0 where the value is unknown. A
value that is treated as filler becomes null, and a finding records the original value.
"""

from __future__ import annotations

from schemas.hours import daily_osm
from schemas.values import clock_minutes, clock_text
from sources.tables.intake import RowError, SourceRow

#: Base types of places without a gate, which are usually open day and night.
OPEN_AIR_TYPES = frozenset(
    {
        "park", "natural_scenery", "cultural_landscape", "commercial_district",
        "cultural_tourism_area", "university_campus",
    }
)  # fmt: skip
#: Most historic sites have a gate; those whose names end like this, such as streets, do not.
OPEN_AIR_ENDINGS = (
    "镇", "村", "街", "街区", "风貌区", "路", "巷", "坊", "里", "桥", "胡同", "广场", "古道",
    "城墙",
)  # fmt: skip
#: The base type of places that live on ticket sales.
TICKETED_TYPE = "amusement_sports"
#: A visit of at least this length to such a place is unlikely to be free.
TICKETED_VISIT_MIN = 60
_DAY_MIN = 1440


def is_open_air(
    name: str, base_type: str | None, category: str | None, price_cents: int | None
) -> bool:
    """Check whether a place has no gate: it is free and not a temple, and its type or name shows
    that it is in the open air.
    """
    if price_cents or category == "religious_spiritual":
        return False
    if base_type == "historic_site":
        return name.endswith(OPEN_AIR_ENDINGS)
    return base_type in OPEN_AIR_TYPES


def daily_hours(
    row: SourceRow, open_column: str, close_column: str, believe_midnight: bool
) -> tuple[str | None, int | None]:
    """Return the daily hours in OSM syntax and the number of minutes per day that the place is
    open.

    Both results are None if the hours are unknown or are filler. ``believe_midnight`` is True if
    the place can be open at midnight.
    """
    opens, closes = row.text(open_column), row.text(close_column)
    if opens is None or closes is None:
        return None, None
    shown = f"{opens}-{closes}"
    try:
        start, end = clock_minutes(opens), _closing_minutes(closes)
    except ValueError as error:
        row.mark("hours_unreadable", f"{shown}: {error}")
        return None, None
    if start == end:
        row.mark("hours_empty", f"{shown} is an empty period; the hours are unknown")
        return None, None
    round_the_clock = (start, end) == (0, _DAY_MIN)
    if start == 0 and not believe_midnight:
        kind = "hours_filler" if round_the_clock else "hours_from_midnight"
        row.mark(kind, f"{shown} is treated as filler; the hours are unknown")
        return None, None
    if start == 0 and not round_the_clock:
        row.mark("hours_from_midnight", f"{shown} opens at midnight; the hours are kept")
    return daily_osm(clock_text(start), clock_text(end)), (end - start) % _DAY_MIN or _DAY_MIN


def _closing_minutes(text: str) -> int:
    """Return a closing time in minutes; a time after midnight may be written as 26:00 for 2:00."""
    hours, _, rest = text.replace("：", ":").partition(":")
    if hours.isdigit() and 24 <= int(hours) < 48 and (int(hours), rest) != (24, "00"):
        return clock_minutes(f"{int(hours) - 24}:{rest}")
    return clock_minutes(text) % (_DAY_MIN + 1)


def ticket_cents(
    row: SourceRow, price: int | None, base_type: str | None, longest_visit_min: int | None
) -> int | None:
    """Return the price of a ticket; 0 usually means that admission is free.

    If a place depends on ticket sales and visits to it are long, 0 is filler and the price is
    unknown.
    """
    if price == 0 and base_type == TICKETED_TYPE and (longest_visit_min or 0) >= TICKETED_VISIT_MIN:
        row.mark(
            "price_filler",
            f"price 0 at a place of type {base_type} with visits of {longest_visit_min} minutes "
            "is treated as filler; the price is unknown",
        )
        return None
    if price == 0 and base_type == "garden":
        row.mark("price_zero_doubtful", "the price of a classical garden is 0; it is kept")
    return price


def paid_cents(row: SourceRow, price: int | None, column: str) -> int | None:
    """Return the price of something that is never free, such as a meal; 0 means unknown."""
    if price == 0:
        row.mark("price_filler", f"{column} 0 is treated as filler; the price is unknown")
        return None
    return price


def visit_minutes(
    row: SourceRow, shortest_column: str, longest_column: str, minutes_per_unit: int
) -> tuple[int | None, int | None]:
    """Return the minimum and maximum recommended duration of a visit in minutes; 0 means unknown.

    Both results are None if only the minimum duration is given, or if it is longer than the maximum
    duration.
    """
    shortest = _minutes(row, shortest_column, minutes_per_unit)
    longest = _minutes(row, longest_column, minutes_per_unit)
    if shortest == 0:
        row.mark("visit_minimum_zero", f"{shortest_column} is 0; the minimum is unknown")
        shortest = None
    if longest == 0:
        row.mark("visit_maximum_zero", f"{longest_column} is 0; the maximum is unknown")
        longest = None
    if shortest is not None and longest is not None and shortest > longest:
        row.mark(
            "visit_order",
            (
                f"the minimum visit, {shortest}, is longer than the maximum, {longest}; both are"
                " unknown"
            ),
        )
        return None, None
    if shortest is not None and longest is None:
        row.mark(
            "visit_maximum_missing",
            f"the minimum visit, {shortest}, is given without a maximum; both are unknown",
        )
        return None, None
    return shortest, longest


def _minutes(row: SourceRow, column: str, minutes_per_unit: int) -> int | None:
    value = row.number(column)
    if value is None:
        return None
    if value < 0:
        raise RowError("duration", f"{column} is negative: {value}")
    return round(value * minutes_per_unit)


def rating(row: SourceRow, column: str) -> float | None:
    """Return the rating; a number outside the range from 0 to 5 is marked and becomes None."""
    value = row.number(column)
    if value is not None and not 0 <= value <= 5:
        row.mark("rating_range", f"{column} {value} is not between 0 and 5; the rating is unknown")
        return None
    return value


def compare_visit_with_hours(
    row: SourceRow, shortest_visit_min: int | None, open_min: int | None
) -> None:
    """Mark a place whose daily opening hours are shorter than the minimum recommended visit."""
    if shortest_visit_min is not None and open_min is not None and open_min < shortest_visit_min:
        row.mark(
            "visit_longer_than_hours",
            f"open for {open_min} minutes a day, but the minimum visit takes {shortest_visit_min}",
        )


def stock(row: SourceRow, column: str, most: int | None = None) -> int | None:
    """Return the number of free rooms, and mark the number if it is larger than ``most``.

    Raises RowError if the number is negative or a fraction.
    """
    value = row.number(column)
    if value is None:
        return None
    if value < 0 or value != int(value):
        raise RowError("stock", f"{column} is not a number of rooms: {value}")
    if most is not None and value > most:
        row.mark(
            "stock_range", f"{column} {value:.0f} is more than the {most} that the layout allows"
        )
    return int(value)
