"""Choose the candidates for each query by score, and a pool for each reference trajectory.

In each list of candidates, a share is reserved for places that match the query, and another share
for places from the tables. The pool for a reference trajectory ignores the document that describes
the trajectory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from schemas.arrow import frame
from schemas.ranking import (
    LISTED_FAMILIES,
    OF_ALIKE,
    OF_EACH_TYPE,
    OF_SAME,
    TABLE_SHARE,
)
from validators.candidates.asked import QueryDemand, read_asked
from validators.candidates.kinds import Counts, Marks
from validators.candidates.places import CandidatePlaces, Tables, places_of
from validators.candidates.points import QueryFindings, Scores, score_places

Row = dict[str, Any]
#: The least and most candidates of a query, by city.
Bounds = Mapping[str, tuple[int, int]]


def candidates(tables: Tables, bounds: Bounds) -> pl.DataFrame:
    """Return the rows of ``query_pois`` for every query about the cities in ``bounds``."""
    rows: list[Row] = []
    for city_id in sorted(bounds):
        least, most = bounds[city_id]
        for query, places, found in _queries(city_id, tables):
            wish = read_asked(query)
            scores = score_places(places, wish, found)
            rows += _rows(query, places, scores, _choose(places, wish, scores, (least, most)))
    return frame("query_pois", rows)


def pools_without(tables: Tables, references: pl.DataFrame) -> pl.DataFrame:
    """Return, for each reference trajectory, the candidates that its query would have without the
    trajectory's document.

    ``references`` are rows of ``query_trajectories``. The columns of the result are query_id,
    trajectory_id and poi_id. Each pool has as many places as the query has candidates. Only the
    stops of the query's other trajectories are certain to be in the pool.
    """
    documents = dict(tables("trajectories").select("trajectory_id", "doc_id").iter_rows())
    sizes = dict(tables("query_pois").group_by("query_id").len().iter_rows())
    routes = dict(
        references.sort("query_id", "trajectory_id")
        .group_by("query_id")
        .agg("trajectory_id")
        .iter_rows()
    )
    parts: list[tuple[str, str, str]] = []
    for city_id in references["city_id"].unique().sort():
        for query, places, found in _queries(city_id, tables):
            for trajectory in routes.get(query["query_id"], []):
                size = sizes.get(query["query_id"], 0)
                scores = score_places(places, read_asked(query), found, documents[trajectory])
                pool = _choose(places, read_asked(query), scores, (size, size))
                parts += [(query["query_id"], trajectory, places.ids[at]) for at in pool]
    columns = ("query_id", "trajectory_id", "poi_id")
    return pl.DataFrame(parts, dict.fromkeys(columns, pl.String), orient="row")


def _queries(city_id: str, tables: Tables) -> Iterator[tuple[Row, CandidatePlaces, QueryFindings]]:
    """Yield a city's queries, with the facts about its places and the findings for each query."""
    mine = pl.col("city_id") == city_id
    places = places_of(city_id, tables)
    trips = {
        row["trajectory_id"]: (row["doc_id"], [stop["poi_id"] for stop in row["clean_visits"]])
        for row in tables("trajectories")
        .filter(mine)
        .select("trajectory_id", "doc_id", "clean_visits")
        .to_dicts()
    }
    routes = (
        tables("query_trajectories")
        .filter(mine)
        .group_by("query_id", maintain_order=True)
        .agg("trajectory_id")
    )
    stops = {query_id: [trips[trip] for trip in own] for query_id, own in routes.iter_rows()}
    found = (
        tables("query_documents")
        .filter(mine, pl.col("purpose") != "inquiry")
        .group_by("query_id", "purpose", maintain_order=True)
        .agg("doc_id")
    )
    documents = {(query_id, purpose): own for query_id, purpose, own in found.iter_rows()}
    for query in tables("queries").filter(mine).sort("query_id").to_dicts():
        key = query["query_id"]
        # Queries of tripscore use the documents found for both purposes.
        purposes = ("poi", "route") if query["family"] == "tripscore" else ("poi",)
        own = [doc_id for purpose in purposes for doc_id in documents.get((key, purpose), ())]
        yield query, places, QueryFindings(stops.get(key, ()), own)


def _choose(
    places: CandidatePlaces, asked: QueryDemand, scores: Scores, bounds: tuple[int, int]
) -> list[int]:  # fmt: skip
    """Return the indexes of the candidates, best first.

    Required places come first, then the reserved shares, then the best of the remaining places.
    """
    total, fits = scores.total, scores.fits(asked)
    ranked = [int(at) for at in np.lexsort((np.arange(len(total)), -total)) if scores.may_be[at]]
    few = OF_ALIKE * (1 + (fits if asked.category else np.zeros(len(fits), np.int64)))
    ranked = _vary(places, ranked, scores.is_stop | places.mark_called(asked.named), few)
    must = _sure(places, asked, scores, ranked)
    size = _size(asked, must, scores, bounds)
    pool = dict.fromkeys(must)
    is_new = places.is_of_table & ~scores.is_found & ~scores.is_stop
    for share, mark in ((asked.fitting_share, fits & ~scores.is_behind), (TABLE_SHARE, is_new)):
        lacking = min(
            -(-size * share // 100) - sum(bool(mark[at]) for at in pool), size - len(pool)
        )
        others = [at for at in ranked if mark[at] and at not in pool]
        pool |= dict.fromkeys(others[: max(lacking, 0)])
    others = [at for at in ranked if at not in pool]
    pool |= dict.fromkeys(others[: max(size - len(pool), 0)])
    return [at for at in ranked if at in pool]


def _vary(places: CandidatePlaces, ranked: list[int], sure: Marks, few: Counts) -> list[int]:
    """Keep only the best places of each narrow kind, and return the shortened list.

    Stops and named places are never removed.
    """
    n: Counter[str] = Counter()
    kept = []
    for at in ranked:
        same = [kind for kind, marks in places.same.items() if marks[at]]
        is_new = all(n[word] < few[at] for word in places.alike[at])
        is_new &= all(n[kind] < OF_SAME for kind in same)
        if sure[at] or is_new:
            n.update((*places.alike[at], *same))
            kept.append(at)
    return kept


def _sure(
    places: CandidatePlaces, asked: QueryDemand, scores: Scores, ranked: list[int]
) -> list[int]:
    """Return the stops in the query's trajectories, the named places, and the best places of each
    wished type.
    """
    named = places.mark_called(asked.named)
    sure = [at for at in ranked if scores.is_stop[at] or named[at]]
    for code in asked.wished:
        by_type, by_name, is_of = places.of_wish(code)
        says = is_of & (by_type + by_name >= 0) & ~scores.is_behind
        sure += [at for at in ranked if says[at]][:OF_EACH_TYPE]
    return sure


def _size(asked: QueryDemand, must: list[int], scores: Scores, bounds: tuple[int, int]) -> int:
    """Return the number of candidates, which depends on the length of the trip.

    The number is at least the minimum. Above the minimum, the number is limited so that the
    matching places can fill their share. The number grows if stops that do not match would
    otherwise take up the share of the matching places.
    """
    least, most = bounds
    size = asked.size(least, most)
    if asked.asks:
        fits, share = scores.fits(asked), asked.fitting_share
        size = max(
            least, min(size, int((fits & ~scores.is_behind & scores.may_be).sum()) * 100 // share)
        )
        stray = len({at for at in must if not fits[at]})
        size = max(size, min(stray * 100 // (100 - share), most))
    return max(size, len(set(must)))


def _rows(query: Row, places: CandidatePlaces, scores: Scores, pool: list[int]) -> list[Row]:
    total = scores.total
    return [
        {
            "query_id": query["query_id"], "city_id": query["city_id"], "poi_id": places.ids[at],
            "rank": rank, "candidate_source": _source(places, scores, at),
            "score": float(total[at]), "reasons": scores.reasons(at),
        }
        for rank, at in enumerate(pool, 1)
    ]  # fmt: skip


def _source(places: CandidatePlaces, scores: Scores, at: int) -> str:
    """Return the source of a candidate: a trajectory, a document or a table."""
    if scores.is_stop[at]:
        return "trajectory"
    if scores.is_found[at] or not places.is_of_table[at]:
        return "document"
    return "table"


def list_candidates(tables: Tables) -> pl.DataFrame:
    """Return the candidates (query_id, poi_id) for the queries whose plans must use only
    candidates.
    """
    queries = tables("queries").filter(pl.col("family").is_in(LISTED_FAMILIES))
    return (
        tables("query_pois")
        .join(queries, on="query_id", how="semi")
        .select("query_id", "poi_id")
        .unique()
    )
