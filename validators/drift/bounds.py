"""Defines the bounds of drift, and formulas that prevent false alarms in tables with few rows.

Each bound is a pair of numbers. A value above the first number of the pair causes a warning, and a
value above the second stops the build.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

#: The bound for a warning, and the bound for a refusal.
Pair = tuple[float, float]
#: The levels of a change: no problem, a warning, or a refusal.
FINE, WARNED, REFUSED = 0, 1, 2


class DriftSettings(BaseModel):
    """Bounds for changes since the last good snapshot, and bounds that apply without one.

    Each bound consists of two numbers. A value above the first number causes a warning, and a value
    above the second stops the build.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sigmas: Pair = Field(
        default=(2.0, 2.5),
        description=(
            "number of standard errors that a change must exceed before tripbed rules out chance"
        ),
    )
    rows_lost: Pair = Field(
        default=(0.1, 0.2),
        description=("share of a table's rows that have been removed since the last good snapshot"),
    )
    rows_added: Pair = Field(
        default=(0.5, 9.0),
        description=(
            "number of added rows, as a share of the table's rows in the last good snapshot; "
            "added pages cause only a warning"
        ),
    )
    share: Pair = Field(
        default=(0.1, 0.3),
        description=(
            "change in a share, for example the share of values that are known, of rows that were "
            "corrected or set aside, of names that are linked, or of pages that are copies"
        ),
    )
    ratio: Pair = Field(
        default=(1.3, 2.0), description="factor by which a quantile of a column rose or fell"
    )
    codes: Pair = Field(
        default=(0.25, 0.5),
        description=(
            "difference between the old and new shares of a column's codes: half the sum of the "
            "absolute differences"
        ),
    )
    each: Pair = Field(
        default=(0.3, 0.6),
        description=(
            "of the rows whose name is unchanged, the share in which a code, id, clock time or "
            "number changed; a number counts as changed only if it rose or fell by more than "
            "the first factor in `ratio`"
        ),
    )
    alike: Pair = Field(
        default=(0.15, 0.4),
        description=(
            "of the rows whose name is unchanged, the share that have a different parent or have "
            "lost all their old aliases"
        ),
    )
    jumps: Pair = Field(
        default=(0.01, 0.3),
        description=(
            "of the rows whose name is unchanged, the share in which a number is now more than "
            "three times its old value, or less than a third of it"
        ),
    )
    disorder: Pair = Field(
        default=(0.05, 0.15),
        description=(
            "1 minus the rank correlation between the old and new values of a column, "
            "computed over the rows whose name is unchanged"
        ),
    )
    names_gone: Pair = Field(
        default=(0.3, 0.6),
        description=(
            "share of the names in the last good snapshot that are missing from the new snapshot"
        ),
    )
    moved_m: Pair = Field(
        default=(100.0, 300.0),
        description=(
            "distance in metres beyond which a place whose name is unchanged counts as moved"
        ),
    )
    moved: Pair = Field(
        default=(0.03, 0.1),
        description=(
            "of the places whose name is unchanged, the share that moved by more than `moved_m`"
        ),
    )
    far: Pair = Field(
        default=(0.05, 0.15),
        description=(
            "increase in the number of places that are far away, as a share of all places; a "
            "place is far away if its distance from the centre of the last good snapshot's places "
            "is more than 15 km, and more than twice the distance within which 95 % of those "
            "places lie"
        ),
    )
    centre_m: Pair = Field(
        default=(2_000.0, 10_000.0),
        description="distance in metres by which the centre of all places has moved",
    )
    implausible: Pair = Field(
        default=(0.0, 0.05),
        description="share of rows with values that do not occur in any source of this kind",
    )
    unusual: Pair = Field(
        default=(0.5, 0.8),
        description=("share of rows with a price that is rare for this kind of source"),
    )
    doubtful: Pair = Field(
        default=(0.2, 0.8), description="share of rows in which a value was rejected"
    )
    one_value: Pair = Field(
        default=(0.7, 0.9),
        description="share of rows that have the same value, such as the same price or rating",
    )
    one_point: Pair = Field(
        default=(0.2, 0.5),
        description="share of a table's places that lie at its most common coordinates",
    )
    garbled: Pair = Field(
        default=(0.02, 0.3),
        description=("share of names whose characters were decoded with the wrong encoding"),
    )
    copies: Pair = Field(
        default=(0.25, 0.4),
        description=("share of pages or rows that are copies of other pages or rows"),
    )

    @model_validator(mode="after")
    def _second_beyond_first(self) -> DriftSettings:
        for name in type(self).model_fields:
            first, second = getattr(self, name)
            if not 0 <= first <= second:
                raise ValueError(
                    f"{name}: both bounds must be at least 0, and the second must not be below the "
                    "first"
                )
        return self


def share_level(count: int, of: int, bounds: Pair, sigmas: Pair) -> int:
    """Return the level of the highest bound that a share exceeds with statistical confidence.

    The lower end of Wilson's score interval must exceed the bound (E. B. Wilson, Probable
    inference, J. Am. Stat. Assoc. 22, 1927), with p = count/of::

        (p + z²/2n - z·sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)
    """
    return level_of(
        wilson_low(count, of, z) > bound for bound, z in zip(bounds, sigmas, strict=True)
    )


def wilson_low(count: int, of: int, z: float) -> float:
    """Return the lower end of Wilson's score interval for count/of, or 0 if either number is 0."""
    if not of or not count:
        return 0.0
    p = count / of
    root = math.sqrt(max(0.0, p * (1 - p) / of + z * z / (4 * of * of)))
    return (p + z * z / (2 * of) - z * root) / (1 + z * z / of)


def change_level(then: tuple[int, int], now: tuple[int, int], bounds: Pair, sigmas: Pair) -> int:
    """Return the level of the difference between two shares, each given as (count, of).

    The difference must exceed the bound. The difference must also exceed z standard errors of the
    pooled test of two proportions: ``|p2 - p1| > z·sqrt(p(1-p)(1/n1 + 1/n2))``. Here, p is the
    share in the two samples combined.
    """
    if not then[1] or not now[1]:
        return FINE
    apart = abs(now[0] / now[1] - then[0] / then[1])
    p = (then[0] + now[0]) / (then[1] + now[1])
    error = math.sqrt(max(0.0, p * (1 - p)) * (1 / then[1] + 1 / now[1]))
    return level_of(
        apart > bound and apart > z * error for bound, z in zip(bounds, sigmas, strict=True)
    )


def farthest_apart(old: NDArray[np.float64], new: NDArray[np.float64]) -> float:
    """Return the Kolmogorov-Smirnov distance D of two samples, given as equally many quantiles."""
    at = np.union1d(old, new)
    cumulated = (np.searchsorted(q, at, side="right") / len(q) for q in (old, new))
    return float(np.abs(np.subtract(*cumulated)).max())


def critical_distance(rows: tuple[int, int], z: float) -> float:
    """Return the value that D exceeds by chance as rarely as a normal variable is more than z
    standard deviations from its mean.

    The formula is Smirnov's approximation ``sqrt(-ln(a/2)/2) · sqrt((n+m)/(n·m))`` with ``a =
    erfc(z/sqrt(2))``.
    """
    chance = math.erfc(z / math.sqrt(2))
    n, m = rows
    return math.sqrt(-math.log(chance / 2) / 2) * math.sqrt((n + m) / (n * m))


def farthest_ratio(old: NDArray[np.float64], new: NDArray[np.float64], unit: float) -> float:
    """Return the largest factor between corresponding quantiles; ``unit`` avoids division by 0."""
    factors = np.log((np.maximum(new, 0) + unit) / (np.maximum(old, 0) + unit))
    return float(np.exp(np.abs(factors).max()))


def highest_correlation(correlation: float, rows: int, z: float) -> float:
    """Return the upper end of Fisher's interval: ``tanh(atanh(r) + z/sqrt(n - 3))``."""
    inner = min(max(correlation, -0.999999), 0.999999)
    return math.tanh(math.atanh(inner) + z / math.sqrt(rows - 3))


def level_of(beyond: Iterable[bool]) -> int:
    """Return REFUSED if the second bound is exceeded, WARNED if only the first is, or else FINE."""
    first, second = beyond
    return REFUSED if second else WARNED if first else FINE


@dataclass(frozen=True)
class Change:
    """A change or an implausible value in a source. ``level`` is WARNED or REFUSED.

    ``check`` is the name that ``--accept-drift TABLE.CHECK`` uses. ``message`` begins with the name
    of the source.
    """

    table: str
    column: str
    check: str
    level: int
    value: str
    message: str
