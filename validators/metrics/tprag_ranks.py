"""Computes TP-RAG's ranks of methods, where 1 is best (section 3.3, tables 1 and 6).

Methods are ranked by the mean of each metric over all plans. Methods with equal means share the
better of their ranks, as in the tables. The rank in a dimension is the mean of the ranks by the
metrics of this dimension. A metric that is unknown for any of the methods is ignored; most of these
are metrics that a model judges. If no metric of a dimension is left, the rank in this dimension is
unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

Floats = NDArray[np.float64]
#: Ranks by the name of the metric in the paper, with one row per method.
Ranks = Mapping[str, Floats]
#: The metrics by which methods are ranked, and whether a high or a low value is better.
RANKED = {
    "DMR": "low",
    "STR": "high",
    "DUR": "low",
    "TBR": "high",
    "PP": "high",
    "PR": "high",
    "TSR": "high",
}
#: Means that are equal to this number of digits share a rank.
_DECIMALS = 9


def rank_values(values: Floats, better: str) -> Floats:
    """Rank the values in each column from 1; equal values share the better of their ranks."""
    signed = -values if better == "high" else values
    found: Floats = rankdata(np.round(signed, _DECIMALS), method="min", axis=0).astype(np.float64)
    return found


def ranks_of(means: Mapping[str, Floats]) -> dict[str, Floats]:
    """Rank methods by each metric. ``means`` has one row per method and any number of columns."""
    return {
        name: rank_values(means[name], better) for name, better in RANKED.items() if name in means
    }


def _mean(parts: Iterable[Floats | None]) -> Floats | None:
    known = [part for part in parts if part is not None]
    return np.mean(known, axis=0) if known else None


def spatial_rank(ranks: Ranks) -> Floats | None:
    """R_S (table 1): the method's rank by DMR."""
    return ranks.get("DMR")


def temporal_rank(ranks: Ranks) -> Floats | None:
    """R_T (table 1): (rank by STR + rank by DUR + rank by TBR) / 3."""
    return _mean(map(ranks.get, ("STR", "DUR", "TBR")))


def semantic_rank(ranks: Ranks) -> Floats | None:
    """R_P (table 1): the method's rank by PP."""
    return ranks.get("PP")


def relevance_rank(ranks: Ranks) -> Floats | None:
    """R_R (table 1): (rank by PR + rank by TSR) / 2."""
    return _mean(map(ranks.get, ("PR", "TSR")))


def comprehensive_rank(ranks: Ranks) -> Floats | None:
    """R_C (table 1): (R_S + R_T + R_P + R_R) / 4."""
    parts = (spatial_rank, temporal_rank, semantic_rank, relevance_rank)
    return _mean(rank(ranks) for rank in parts)


#: The rank metrics by name.
RANKS: Mapping[str, Callable[[Ranks], Floats | None]] = {
    "R_S": spatial_rank, "R_T": temporal_rank, "R_P": semantic_rank, "R_R": relevance_rank,
    "R_C": comprehensive_rank,
}  # fmt: skip


def rank_metrics(
    means: Mapping[str, Mapping[str, float | None]],
) -> dict[str, dict[str, float | None]]:
    """Compute the rank metrics of each method from its means; a single method gets no ranks."""
    methods = list(means)
    if len(methods) < 2:
        return {}
    columns = {name: [means[method].get(name) for method in methods] for name in RANKED}
    ranks = ranks_of(
        {
            name: np.array(values, dtype=np.float64)[:, None]
            for name, values in columns.items()
            if None not in values
        }
    )
    made = {name: rank(ranks) for name, rank in RANKS.items()}
    return {
        method: {
            name: None if column is None else float(column[at, 0]) for name, column in made.items()
        }
        for at, method in enumerate(methods)
    }
