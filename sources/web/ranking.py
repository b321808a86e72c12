"""Merge the addresses of several searches into one ranking, newer documents first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from sources.web.providers.base import SearchResult

#: Constant of reciprocal rank fusion (Cormack et al. 2009): damps the weight of the first ranks.
FUSION_K = 60
#: What a document of the newest date gains, as a share of its score; it halves every two years.
RECENCY_GAIN = 0.2
_HALF_LIFE_DAYS = 730.0
_DECIMALS = 9


class Ranked(NamedTuple):
    """One address in the fused ranking; ``rank`` is 1 for the best."""

    url: str
    rank: int
    score: float
    published_on: date | None


def fuse(searches: Iterable[list[SearchResult]], limit: int) -> list[Ranked]:
    """Best addresses of some searches by reciprocal rank and date of publication.

    Age is counted from the newest document found, not from the day of the run, so that the
    same answers always give the same ranking. An unknown date gains nothing.
    """
    scores: dict[str, float] = defaultdict(float)
    dates: dict[str, date] = {}
    for found in searches:
        for entry in found:
            scores[entry.url] += 1.0 / (FUSION_K + entry.rank)
            if entry.published_on is not None:
                dates[entry.url] = max(entry.published_on, dates.get(entry.url, date.min))
    newest = max(dates.values(), default=date.min)
    for url, published_on in dates.items():
        age_days = (newest - published_on).days
        scores[url] *= 1.0 + RECENCY_GAIN * 0.5 ** (age_days / _HALF_LIFE_DAYS)
    best = sorted((-round(score, _DECIMALS), url) for url, score in scores.items())[:limit]
    return [Ranked(url, rank, -score, dates.get(url)) for rank, (score, url) in enumerate(best, 1)]
