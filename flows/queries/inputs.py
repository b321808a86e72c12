"""Inputs that users give to query builds: destinations with durations, and real requests."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from flows.errors import SettingsError
from schemas.cities import UnknownCityError, find_city

_MOST_DURATIONS = 5


def read_durations(path: Path) -> dict[str, Sequence[int]]:
    """City ids with their most frequent durations in days, most frequent first.

    The CSV has columns city, days and count. Raises SettingsError with the line that is wrong.
    """
    counts: dict[str, dict[int, int]] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for number, row in enumerate(csv.DictReader(file), 2):
                try:
                    city_id = find_city(row["city"]).city_id
                    days, count = int(row["days"]), int(row["count"])
                except (KeyError, TypeError, ValueError, UnknownCityError) as error:
                    raise SettingsError(
                        f"{path}, line {number}: {error}; a line needs city, days and count"
                    ) from None
                if days < 1 or count < 0:
                    raise SettingsError(
                        f"{path}, line {number}: days must be at least 1, and count at least 0"
                    )
                by_days = counts.setdefault(city_id, {})
                by_days[days] = by_days.get(days, 0) + count
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read as CSV: {error}") from None
    return {
        city_id: tuple(sorted(by_days, key=lambda d: (-by_days[d], d))[:_MOST_DURATIONS])
        for city_id, by_days in counts.items()
    }
