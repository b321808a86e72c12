"""Finds the months of each season by latitude; places near the equator have no seasons."""

from __future__ import annotations

#: Latitude in degrees below which a year does not have four seasons.
TROPIC = 15.0
#: Months of each meteorological season north of the equator.
NORTHERN_MONTHS = {
    "spring": (3, 4, 5), "summer": (6, 7, 8), "autumn": (9, 10, 11), "winter": (12, 1, 2),
}  # fmt: skip


def season_months(season: str, lat: float) -> tuple[int, ...]:
    """Return the months of a season (1 to 12) at a latitude in degrees.

    Near the equator, the result is empty. Raises KeyError if the season is unknown.
    """
    months = NORTHERN_MONTHS[season]
    if abs(lat) < TROPIC:
        return ()
    return months if lat > 0 else tuple((month + 5) % 12 + 1 for month in months)


def season_of(month: int, lat: float) -> str | None:
    """Return the season of a month (1 to 12) at a latitude in degrees, or None near the equator."""
    return next((name for name in NORTHERN_MONTHS if month in season_months(name, lat)), None)
