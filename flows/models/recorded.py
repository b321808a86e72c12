"""Recorded figures of the estimate, for when no documents and no snapshot are named.

The sharing is that of the largest build so far: ten cities with the profile ``tprag-full`` over
176 different public documents. That is a small corpus, which queries share more than they would the open web:
the estimate says beside it how little sharing would do.
"""

from __future__ import annotations

from flows.models.request_costs import Cost, Counted, Spread
from flows.models.sharing import Sharing
from schemas.word_lists import Lists

_LISTS = Lists("flows.models")

RECORDED_SHARING = Sharing(
    queries=880, documents=83.69, places=50.34, trajectories=11.19, tags_per_place=0.49,
    places_per_context=26.27, source="ten cities, tprag-full, 2026-11-21",
)  # fmt: skip


def recorded_costs(*, by_one_request: bool) -> Counted:
    """By task what one unit takes, and what reading a document takes."""
    costs = {task: Cost(*map(float, figures)) for task, *figures in _LISTS.table("recorded_costs")}
    if by_one_request:
        spread = Spread(mean=3107.1, deviation=2585.1, low=1267.0, high=6388.0)
    else:
        spread = Spread(mean=6468.6, deviation=5473.1, low=2288.0, high=14791.0)
    return Counted(costs, spread, "213 public guides and diaries and 2317 names")
