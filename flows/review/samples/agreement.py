"""Compute shares with their intervals, and how far readers agree beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from extractors.agreement import fleiss_kappa
from validators.gates.control import kappa as cohen_kappa


@dataclass(frozen=True)
class Share:
    """Verdicts counted. ``share`` is right / (right + wrong), None where there are neither.

    ``low`` and ``high`` bound it with 95 % confidence (Wilson 1927); `unsure` counts apart.
    """

    right: int
    wrong: int
    unsure: int
    share: float | None
    low: float | None
    high: float | None


def share_of(verdicts: Iterable[str]) -> Share:
    """The share of verdicts that say right."""
    counted = Counter(verdicts)
    right, wrong, unsure = (counted[verdict] for verdict in ("right", "wrong", "unsure"))
    if not right + wrong:
        return Share(right, wrong, unsure, None, None, None)
    # It takes half a second to import.
    from scipy.stats import binomtest

    within = binomtest(right, right + wrong).proportion_ci(0.95, method="wilson")
    share = right / (right + wrong)
    return Share(right, wrong, unsure, share, float(within.low), float(within.high))


@dataclass(frozen=True)
class Agreement:
    """``observed``: the share of pairs of readers that agree on a row; ``kappa``: beyond chance.

    It is None where all verdicts are alike: chance alone would agree always.
    """

    method: str
    readers: int
    rows: int
    observed: float
    kappa: float | None


def agreement(rows: Sequence[Sequence[str]]) -> Agreement | None:
    """Cohen's kappa (1960) of two readers, Fleiss' (1971) of more; None for fewer, or no rows.

    ``rows`` has each reader's verdict, in one order of readers.
    """
    readers = len(rows[0]) if rows else 0
    if readers < 2:
        return None
    several = fleiss_kappa(rows)
    assert several is not None
    if readers > 2 or several.kappa is None:
        method = "fleiss" if readers > 2 else "cohen"
        return Agreement(method, readers, len(rows), several.observed, several.kappa)
    value = cohen_kappa([(row[0], row[1]) for row in rows])
    return Agreement("cohen", readers, len(rows), several.observed, value)
