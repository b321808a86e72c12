"""Seasons by latitude: they differ north and south of the equator, and there are none near it."""

from __future__ import annotations

#: Degrees from the equator within which a year has no four seasons.
TROPIC = 15.0
#: Months of each season north of the equator, as meteorologists count.
NORTHERN_MONTHS = {
    "spring": (3, 4, 5), "summer": (6, 7, 8), "autumn": (9, 10, 11), "winter": (12, 1, 2),
}  # fmt: skip


def season_months(season: str, lat: float) -> tuple[int, ...]:
    """List the months of a season at a latitude in degrees; in the south, half a year later.

    The list is empty near the equator. Raises KeyError for an unknown season.
    """
    months = NORTHERN_MONTHS[season]
    if abs(lat) < TROPIC:
        return ()
    return months if lat > 0 else tuple((month + 5) % 12 + 1 for month in months)


def season_of(month: int, lat: float) -> str | None:
    """Find the season of a month (1 to 12) at a latitude in degrees; None near the equator."""
    return next((name for name in NORTHERN_MONTHS if month in season_months(name, lat)), None)
