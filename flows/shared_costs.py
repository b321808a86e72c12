"""Recorded figures of the estimate, for when no documents and no snapshot are named.

The sharing is that of the largest build so far: nine cities with the profile ``tprag-full`` over
151 different public documents. That is a small corpus, which queries share more than they would the open web:
the estimate says beside it how little sharing would do.
"""

from __future__ import annotations

from flows.request_costs import Cost, Counted, Spread
from flows.sharing import Sharing

RECORDED_SHARING = Sharing(
    queries=792, documents=84.31, places=54.33, trajectories=12.05, tags_per_place=0.54,
    places_per_context=24.8, source="nine cities, tprag-full, 2026-11-21",
)  # fmt: skip
#: By task: requests, tokens in and tokens out of a document, a place, a route or a query.
RECORDED_COSTS = Counted(
    {
        "attraction_classification": Cost(0.03, 86.81, 39.27),
        "consistency_judgement": Cost(1.0, 1312.0, 205.0),
        "context_tagging": Cost(1.0, 677.47, 343.65),
        "fact_extraction": Cost(0.94, 1145.7, 92.1),
        "poi_extraction": Cost(1.08, 2364.57, 323.89),
        "poi_purification": Cost(0.03, 14.65, 4.52),
        "popularity_ranking": Cost(1.0, 1768.42, 243.58),
        "query_writing": Cost(1.0, 203.0, 12.0),
        "sub_query_rewriting": Cost(1.0, 213.0, 47.0),
        "trajectory_denoising": Cost(1.0, 346.93, 139.76),
        "trajectory_extraction": Cost(1.08, 2229.0, 89.97),
        "translation": Cost(0.03, 12.87, 15.1),
    },
    Spread(mean=0.0, deviation=0.0, low=0.0, high=0.0),
    "213 public guides and diaries and 2362 names",
)
