"""Recorded figures of the estimate, for when no documents and no snapshot are named.

The sharing is that of the largest build so far: ten cities with the profile ``tprag-full`` over
176 different public documents. That is a small corpus, which queries share more than they would the open web:
the estimate says beside it how little sharing would do.
"""

from __future__ import annotations

from flows.models.request_costs import Cost, Counted, Spread
from flows.models.sharing import Sharing

RECORDED_SHARING = Sharing(
    queries=880, documents=83.69, places=50.34, trajectories=11.19, tags_per_place=0.49,
    places_per_context=26.27, source="ten cities, tprag-full, 2026-11-21",
)  # fmt: skip
#: By task: requests, tokens in and tokens out of a document, a place, a route or a query.
RECORDED_COSTS = Counted(
    {
        "attraction_classification": Cost(0.03, 86.28, 39.28),
        "consistency_judgement": Cost(1.0, 1312.0, 205.0),
        "context_tagging": Cost(1.0, 678.81, 342.22),
        "fact_extraction": Cost(0.94, 1169.17, 100.54),
        "poi_extraction": Cost(1.08, 2415.54, 456.72),
        "poi_purification": Cost(0.03, 14.54, 4.54),
        "poi_review": Cost(6.91, 1682.02, 20.72),  # on every fourth of these documents
        "popularity_ranking": Cost(1.0, 1768.66, 247.21),
        "query_writing": Cost(1.0, 203.0, 12.0),
        "sub_query_rewriting": Cost(1.0, 213.0, 47.0),
        "trajectory_denoising": Cost(1.0, 346.33, 139.47),
        "trajectory_extraction": Cost(1.08, 2235.51, 91.16),
        "translation": Cost(0.03, 12.79, 15.1),
    },
    Spread(mean=6468.6, deviation=5473.1, low=2288.0, high=14791.0),
    "213 public guides and diaries and 2317 names",
)
