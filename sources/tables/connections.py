"""Read trains and flights; find their cities, and check that durations agree with clock times."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from schemas.cities import City, UnknownCityError, find_city
from schemas.ids import digest
from schemas.values import MINUTES_PER_DAY, clock_minutes
from sources.tables.cell_values import Price, money
from sources.tables.intake import Intake, Row, RowError, SourceRow

#: The stated duration may differ this much from the clock times, because hours are rounded.
AGREE_MIN = 2
#: If the difference is larger than this, the row contradicts itself.
CONTRADICT_MIN = 60
#: Columns that are equal for all flight numbers of one aircraft.
_SAME_AIRCRAFT = ("origin_station", "destination_station", "departure_min", "duration_min")
#: Fast trains (classes G, D, C) do not travel for longer than a day.
FAST_CLASSES = ("G", "D", "C")


@cache
def city_named(name: str) -> City | None:
    """Return the city with this name, or None if there is no such city."""
    try:
        return find_city(name)
    except UnknownCityError:
        return None


def is_named(name: str, city: City) -> bool:
    """Check whether a name is one of the city's names."""
    named = city_named(name)
    return named is not None and named.city_id == city.city_id


def concerns(city: City, ends: Sequence[City | None]) -> bool:
    """Check whether a connection is read for this city, given the cities at its two ends.

    A connection is read if it begins or ends in the city. A connection whose two ends are both
    unknown (None) is read for every city, so that broken rows are always reported.
    """
    return all(end is None for end in ends) or any(
        end is not None and end.city_id == city.city_id for end in ends
    )


def timing(row: SourceRow, departure: str, arrival: str, stated_min: int | None) -> Row:
    """Return the columns for departure, arrival, day offset and duration, based on the clock times.

    The stated duration shows on which day the train or flight arrives. If there is no duration, the
    arrival may be marked with a day, such as ``+1``; an arrival without a mark is within 24 hours
    of the departure. Raises RowError if a time cannot be read, or if the duration contradicts the
    clock times.
    """
    leaves, arrives = _clock("departure", departure), _clock("arrival", arrival)
    leaves %= MINUTES_PER_DAY
    clock_min = arrives - leaves if "+" in arrival else (arrives - leaves) % MINUTES_PER_DAY
    if stated_min is None:
        row.mark("duration_missing", "no duration is given; it is computed from the clock times")
    elif "+" not in arrival:
        days = round((stated_min - clock_min) / MINUTES_PER_DAY)
        clock_min += max(days, 0) * MINUTES_PER_DAY
    if clock_min <= 0:
        raise RowError("duration", f"{departure} to {arrival} has no length")
    if stated_min is not None:
        _compare(row, departure, arrival, clock_min, stated_min)
    arrival_day_offset, arrival_min = divmod(leaves + clock_min, MINUTES_PER_DAY)
    if arrival_day_offset > 7:
        raise RowError("duration", f"{departure} to {arrival} takes {arrival_day_offset} days")
    return {
        "departure_min": leaves,
        "arrival_min": arrival_min,
        "arrival_day_offset": arrival_day_offset,
        "duration_min": clock_min,
    }


def _clock(column: str, text: str) -> int:
    try:
        return clock_minutes(text)
    except ValueError as error:
        raise RowError("time", f"{column}: {error}") from None


def _compare(row: SourceRow, departure: str, arrival: str, clock_min: int, stated_min: int) -> None:
    gap = abs(stated_min - clock_min)
    message = (
        f"departure {departure} to arrival {arrival} takes {clock_min} minutes, duration_min says"
        f" {stated_min}"
    )
    if gap > CONTRADICT_MIN:
        raise RowError("duration", message)
    if gap > AGREE_MIN:
        row.mark("duration_clock", f"{message}; the clock times are used")


def check_fast_train(number: str, duration_min: int) -> None:
    """Check a train's duration. Raises RowError if a fast train takes more than a day."""
    if number.startswith(FAST_CLASSES) and duration_min > MINUTES_PER_DAY:
        raise RowError("fast_train_over_a_day", f"{number} travels for {duration_min} minutes")


def connection(
    row: SourceRow,
    kind: str,
    number: str,
    cities: tuple[City, City],
    stations: tuple[str, str],
    times: Row,
    price: Price,
) -> Row:
    """Return a row for ``trains`` or ``flights`` with its id; ``kind`` is ``train`` or ``flight``.

    Raises RowError if the connection begins and ends in the same city.
    """
    origin, destination = cities
    if origin.city_id == destination.city_id:
        raise RowError("same_city", f"{number} stays in {origin.name_en}")
    key = (number, *stations, str(times["departure_min"]), str(times["duration_min"]))
    return {
        f"{kind}_id": f"{kind}_{digest(kind, *key)}",
        "origin_city_id": origin.city_id,
        "destination_city_id": destination.city_id,
        f"{kind}_no": number,
        "origin_station": stations[0],
        "destination_station": stations[1],
        **times,
        **money(*price),
        "is_simulated": False,
        **row.origin,
    }


def merge_connections(intake: Intake, kind: str) -> None:
    """Merge rows that have the same id, keeping the cheapest.

    Prices are compared only within a currency; currencies are ordered by their codes. Trains and
    flights whose number is also used at other times are marked, and code shares are grouped.
    """
    intake.kept.sort(
        key=lambda row: (
            row["price_cents"] is None,
            row["currency"] or "",
            row["price_cents"] or 0,
            row["source_file"],
            row["source_line"],
        )
    )
    intake.merge(lambda row: row[f"{kind}_id"], f"{kind}_repeated")
    _mark_other_times(intake, kind)
    if kind == "flight":
        _group_code_shares(intake)


def _mark_other_times(intake: Intake, kind: str) -> None:
    """Mark each train or flight whose number is also used between the same stations at other
    times.
    """
    seen: dict[tuple[str, str, str], Row] = {}
    for row in sorted(intake.kept, key=lambda row: (row["source_file"], row["source_line"])):
        route = (row[f"{kind}_no"], row["origin_station"], row["destination_station"])
        first = seen.setdefault(route, row)
        if first is not row:
            intake.note(
                "mark",
                f"{kind}_other_times",
                row["source_file"],
                row["source_line"],
                f"{route[0]} also runs at the times of line {first['source_line']}",
            )


def _group_code_shares(intake: Intake) -> None:
    """Give flights on the same aircraft the same ``code_share_group``, and mark all but the first.

    An airline may sell seats on one aircraft under several flight numbers. Flights on the same
    aircraft have the same airports, departure and duration. A flight that is sold under only one
    number has no group.
    """
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in sorted(intake.kept, key=lambda row: str(row["flight_no"])):
        key = tuple(row[column] for column in _SAME_AIRCRAFT)
        groups.setdefault(key, []).append(row)
    for key, rows in groups.items():
        shared = len({row["flight_no"] for row in rows}) > 1
        for row in rows:
            row["code_share_group"] = f"share_{digest(*map(str, key))}" if shared else None
            if shared and row is not rows[0]:
                message = f"{row['flight_no']} flies with {rows[0]['flight_no']}"
                where = row["source_file"], row["source_line"]
                intake.note("mark", "code_share", *where, message)
