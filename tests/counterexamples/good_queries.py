"""The good snapshot: queries and what was found for them."""

from __future__ import annotations

import datetime as dt
import itertools
import math
from collections.abc import Sequence

from schemas.ids import (
    canonical_json,
    digest,
)
from tests.counterexamples.good_plans import witness
from tests.counterexamples.town import (
    CANDIDATES,
    PLACES,
    Row,
    Town,
    trajectory_id,
)


def queries(town: Town, other: Town) -> dict[str, list[Row]]:
    generic, any_days, autumn = (f"tprag-{town.slug}-{s}" for s in ("3d", "any", "autumn-2d"))
    asked = f"traveleval-{town.slug}-easy-2d-01"
    queries = [
        _query(town, generic, "generic", None, 3, f"{town.zh}三日游", f"3-day trip in {town.en}"),
        _query(town, any_days, "generic", None, None, f"{town.zh}旅游", f"trip in {town.en}"),
        _query(
            town,
            autumn,
            "season",
            "autumn",
            2,
            f"{town.zh}秋季两日游",
            f"2-day trip in {town.en} in autumn",
        ),
        _query(
            town,
            asked,
            "difficulty",
            "easy",
            2,
            f"从{other.zh}去{town.zh}玩2天",
            f"From {other.en} to {town.en}, 2 days",
        ),
    ]
    queries[2] |= {"status": "pending_documents", "reason": "found 0 of 2 trajectories"}
    queries[2]["split"] = "validation"
    wish = {
        "days": 2, "tag": "easy", "start_city": other.slug, "target_city": town.slug,
        "people_number": 2, "budget": 1200,
    }  # fmt: skip
    queries[3] |= {"family": "traveleval", "structure": canonical_json(wish)}
    for row in queries:
        row["n_candidates"] = len(CANDIDATES)
    for row in queries[:2]:
        row["n_trajectories"] = 2
    sub_queries = [
        {
            "query_id": query, "city_id": town.city_id, "purpose": purpose, "rank": rank,
            "sub_query_id": f"sq_{digest(purpose, text)}", "text": text, "lang": "zh",
        }
        for query, more in ((generic, ""), (any_days, "推荐"))
        for purpose, rank, words in (("poi", 1, "景点"), ("route", 1, "路线"), ("route", 2, "行程"))
        for text in [words + more]
    ]  # fmt: skip
    found = [("poi", 1, "route_zh"), ("route", 1, "route_zh"), ("route", 2, "route_en")]
    return {
        "queries": queries,
        "sub_queries": sub_queries,
        "query_documents": [
            {
                "query_id": query,
                "city_id": town.city_id,
                "purpose": purpose,
                "rank": rank,
                "doc_id": town.doc(doc),
                "score": 9.0 - rank,
            }
            for query in (generic, any_days)
            for purpose, rank, doc in found
        ],
        "query_pois": [
            {
                "query_id": query,
                "city_id": town.city_id,
                "poi_id": town.poi(name),
                "rank": rank,
                "candidate_source": source if name != "hill" else "table",
                "score": float(sum(points.values())),
                "reasons": [{"code": code, "points": n} for code, n in points.items()],
            }
            for query, source, ranked in (
                (generic, "trajectory", _placed(town, _GENERIC, ("park", 168))),
                (any_days, "trajectory", _ANY_DAYS),
                (autumn, "table", _placed(town, _AUTUMN, ("park", 362))),
                (asked, "table", _placed(town, _ASKED, ("park", 362))),
            )
            for rank, (name, points) in enumerate(ranked.items(), 1)
        ],
        "query_trajectories": [
            {
                "query_id": query,
                "city_id": town.city_id,
                "rank": rank,
                "trajectory_id": trajectory_id(town, doc),
                "score": round((9.0 - rank) / 8.0 - (0.15 if query == generic else 0), 6),
                "length_gap_days": 1 if query == generic else None,
            }
            for query in (generic, any_days)
            for rank, doc in enumerate(("route_zh", "route_en"), 1)
        ],
        "trajectory_scores": [
            _score(town, query, doc) for query in (generic, any_days) for doc in _ROUTES
        ],
        "witness_plans": [
            {
                "query_id": asked,
                "city_id": town.city_id,
                "plan_kind": "proof",
                "solvability": "solved",
                "plan": canonical_json(witness(town, other)),
                "plan_style": "bare",
                "wishes_met": True,
            }
        ],
        "review_decisions": [
            {
                "decision_id": f"r_{town.slug}",
                "city_id": town.city_id,
                "table": "pois",
                "row_id": town.poi("lake"),
                "reviewer": "one",
                "decision": "accept",
                "reason": "looked at the map",
                "decided_on": dt.date(2025, 3, 1),
                "fact_hash": "0" * 16,
            }
        ],
    }


def _query(
    town: Town, query_id: str, kind: str, code: str | None, n_days: int | None, zh: str, en: str
) -> Row:
    plan = {"city": town.city_id, "constraint": code, "constraint_kind": kind, "days": n_days}
    return {
        "query_id": query_id,
        "city_id": town.city_id,
        "family": "tprag",
        "constraint_kind": kind,
        "constraint_code": code,
        "n_days": n_days,
        "text_zh": zh,
        "text_en": en,
        "structure": canonical_json(plan),
        "stratum": f"{kind}/{code or kind}-{f'{n_days}d' if n_days else 'any'}",
        "split": "train",
        "status": "kept",
        "n_trajectories": 0,
        "n_candidates": 0,
    }


#: Points of candidates by reason.
Ranked = dict[str, dict[str, int]]
#: Candidates with their reasons, best first: the lake and the park are stops of both routes and
#: liked by both documents, the temple and the museum by one; the first was found for places. The
#: hill is the nearest that is left. Metres to the middle: lake 1,470, park 1,915, temple 2,220,
#: museum 673, hill 11,100.
_GENERIC: Ranked = {
    "lake": {"stop": 133, "found": 37, "popular": 200, "rated": 100, "landmark": 100, "near": 174},
    "park": {"stop": 133, "found": 37, "popular": 200, "rated": 100, "near": 167},
    "temple": {"stop": 100, "found": 37, "popular": 133, "rated": 100, "near": 163},
    "museum": {"stop": 100, "popular": 133, "rated": 100, "near": 187},
    "hill": {"rated": 100, "near": 94},
}


def _placed(town: Town, ranked: Ranked, *nearer: tuple[str, int]) -> Ranked:
    """Candidates of a city: in the second one, a degree further north, some are nearer, as degrees
    eastward are shorter."""
    there = {name: ranked[name] | {"near": near} for name, near in nearer}
    return ranked | there if town.lat > 31 else ranked


_ANY_DAYS: Ranked = {
    "lake": {"stop": 133, "found": 37, "popular": 200, "rated": 100, "landmark": 100, "near": 182},
    "park": {"stop": 133, "found": 37, "popular": 200, "rated": 100, "near": 177},
    "temple": {"stop": 100, "found": 37, "popular": 133, "rated": 100, "near": 174},
    "museum": {"stop": 100, "popular": 133, "rated": 100, "near": 191},
    "hill": {"rated": 100, "near": 114},
}
_AUTUMN: Ranked = {
    "lake": {"type": 180, "told": 120, "popular": 200, "rated": 100, "landmark": 100, "near": 386},
    "park": {"type": 60, "season": 200, "popular": 200, "rated": 100, "near": 361},
    "temple": {"type": 120, "popular": 133, "rated": 100, "near": 346},
    "museum": {"popular": 133, "rated": 100, "near": 440},
    "hill": {"type": 180, "name": 120, "rated": 100, "near": 155},
}
_ASKED: Ranked = {
    "lake": {"popular": 200, "rated": 100, "landmark": 100, "near": 386},
    "museum": {"popular": 133, "rated": 100, "near": 440},
    "park": {"popular": 200, "rated": 100, "near": 361},
    "temple": {"popular": 133, "rated": 100, "near": 346},
    "hill": {"rated": 100, "near": 155},
}

#: Stops of the two routes, the share of the leaderboard's first three (lake, museum, park) that
#: they visit, and their place by it.
_ROUTES: dict[str, tuple[tuple[str, ...], float, int]] = {
    "route_zh": (("lake", "temple", "park"), 0.666667, 2),
    "route_en": (("museum", "lake", "park"), 1.0, 1),
}


def _score(town: Town, query: str, doc: str) -> Row:
    stops, popular, rank = _ROUTES[doc]
    length = _length(town, stops)
    shortest = min(_length(town, order) for order in itertools.permutations(stops))
    return {
        "query_id": query, "city_id": town.city_id, "trajectory_id": trajectory_id(town, doc),
        "quality_rank": rank, "poi_popularity": popular, "failure_rate": 0.0,
        "repetition_rate": 0.0, "distance_margin_ratio": round(length / shortest - 1, 6),
        "length_m": round(length, 1), "optimal_m": round(shortest, 1), "optimum_proven": True,
    }  # fmt: skip


def _length(town: Town, stops: Sequence[str]) -> float:
    """Metres along great circles, from the chords between points of the unit sphere."""
    points = [_unit(town.lat + PLACES[s][2], town.lon + PLACES[s][3]) for s in stops]  # type: ignore[operator]
    chords = [math.dist(a, b) for a, b in itertools.pairwise(points)]
    return sum(2 * 6_371_008.8 * math.asin(chord / 2) for chord in chords)


def _unit(lat: float, lon: float) -> tuple[float, float, float]:
    phi, lam = math.radians(lat), math.radians(lon)
    return math.cos(phi) * math.cos(lam), math.cos(phi) * math.sin(lam), math.sin(phi)
