"""Computes the cost of rides on public transport, based on fares for lines and zones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class FareRule:
    """A fare per person, in hundredths of the currency's unit.

    The fare applies to rides on ``line`` between the two zones; None stands for any line or zone.
    Passengers may change lines ``transfers`` times, or any number of times if it is None.
    """

    price_cents: int
    line: str | None = None
    from_zone: str | None = None
    to_zone: str | None = None
    transfers: int | None = None


@dataclass(frozen=True)
class FareRide:
    """A ride on one line between two stations. A station can be in several zones or in none."""

    line: str
    from_zones: frozenset[str]
    to_zones: frozenset[str]


def fare_cents(rules: Iterable[FareRule], rides: Sequence[FareRide]) -> int | None:
    """Find the lowest cost of consecutive rides, paid with a single fare or with one fare for each
    ride.

    Returns None if a ride has no fare.
    """
    rules = list(rules)
    whole = FareRide("", rides[0].from_zones, rides[-1].to_zones)
    together = [
        rule.price_cents for rule in rules
        if (rule.transfers is None or rule.transfers >= len(rides) - 1)
        and all(rule.line in (None, ride.line) for ride in rides)
        and _fits(rule, whole)
    ]  # fmt: skip
    each = [
        min((r.price_cents for r in rules if r.line in (None, ride.line) and _fits(r, ride)),
            default=None)
        for ride in rides
    ]  # fmt: skip
    known = [price for price in each if price is not None]
    if len(known) == len(rides):
        together.append(sum(known))
    return min(together, default=None)


def _fits(rule: FareRule, ride: FareRide) -> bool:
    return (rule.from_zone is None or rule.from_zone in ride.from_zones) and (
        rule.to_zone is None or rule.to_zone in ride.to_zones
    )
