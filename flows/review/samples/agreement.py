"""Compute shares with confidence intervals, and how well reviewers agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from extractors.agreement import fleiss_kappa
from validators.gates.control import kappa as cohen_kappa


@dataclass(frozen=True)
class Share:
    """Counts of verdicts. ``share`` is right / (right + wrong), or None if there are neither.

    ``low`` and ``high`` are the ends of its 95 % confidence interval (Wilson 1927). Verdicts that
    are unsure do not affect the share.
    """

    right: int
    wrong: int
    unsure: int
    share: float | None
    low: float | None
    high: float | None


def share_of(verdicts: Iterable[str]) -> Share:
    """Return the share of verdicts that are right."""
    counted = Counter(verdicts)
    right, wrong, unsure = (counted[verdict] for verdict in ("right", "wrong", "unsure"))
    if not right + wrong:
        return Share(right, wrong, unsure, None, None, None)
    # SciPy takes half a second to import.
    from scipy.stats import binomtest

    within = binomtest(right, right + wrong).proportion_ci(0.95, method="wilson")
    share = right / (right + wrong)
    return Share(right, wrong, unsure, share, float(within.low), float(within.high))


@dataclass(frozen=True)
class Agreement:
    """How well reviewers agree about rows.

    ``observed`` is the share of pairs of reviewers that agree about a row. ``kappa`` is the
    agreement beyond chance; it is None if all verdicts are the same.
    """

    method: str
    readers: int
    rows: int
    observed: float
    kappa: float | None


def agreement(rows: Sequence[Sequence[str]]) -> Agreement | None:
    """Compute Cohen's kappa (1960) for two reviewers, or Fleiss' kappa (1971) for more.

    ``rows`` contains the verdicts on each row, always in the same order of reviewers. Returns None
    if there are no rows or fewer than two reviewers.
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
