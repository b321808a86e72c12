"""Exports queries with their places and trajectories in the form that TP-RAG publishes.

The file ``data.json`` has an object for each query text, with ``query``, ``poi_list``,
``poi_list_sorted_by_popularity``, ``trajectories`` (noisy) and ``trajectories_clean``. The most
relevant trajectory comes first. ``trajectory_scores``, which is not part of TP-RAG's form, gives
each trajectory's rank by quality and the metrics PP, FR, RR and DMR. ``query_<constraint>.txt`` and
``query_day_<constraint>.txt`` contain the texts of the queries, as in TP-RAG's ``query_benchmark``.
Only kept queries are written; all other queries are recorded as left out.

Each place has the information for the query's context (season, holiday, kind of traveller or pace):
opening hours, time of arrival, length of stay and a description. If the query's context lacks a
value, the value is taken from the general context, which applies to all queries. Places are sorted
by popularity in the query's context; places without a rank in this context follow, sorted by their
general popularity. Days are counted from 1.

Unknown values are null, and coordinates are WGS 84.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from schemas.rows import (
    ContextTagsRow,
    PoiPopularityRow,
    QueriesRow,
    QueryPoisRow,
    QueryTrajectoriesRow,
    TrajectoriesRow,
    TrajectoryScoresRow,
)
from schemas.taxonomy import POI_CATEGORIES
from schemas.typed_rows import read_rows
from warehouse.export.account import ExportAccount, write_json
from warehouse.export.gather import Row, chinese, cities, clock, daily, hours, rows_of_city
from warehouse.read import Snapshot

#: TP-RAG's name for each kind of constraint, as used in file names.
_KINDS = {
    "generic": "none", "season": "season", "holiday": "holiday", "poi_category": "category",
    "traveller": "audience", "compactness": "compact",
}  # fmt: skip
_ANY = "any:any"
#: Groups of columns that are known together.
_TAGGED = (
    ("hours_weekly",), ("arrive",), ("duration_min_min", "duration_max_min"), ("description",),
)  # fmt: skip
_OfQuery = TypeVar("_OfQuery", QueryPoisRow, QueryTrajectoriesRow)
_DAYS = "一二三四五六七八九十"
_CATEGORY_ZH = chinese(POI_CATEGORIES)


def write(snapshot: Snapshot, out: Path, account: ExportAccount) -> None:
    """Write ``data.json`` and the text files with the queries."""
    data: dict[str, Row] = {}
    lists: dict[str, list[str]] = defaultdict(list)
    for city in cities(snapshot):
        slug = city["slug"]
        places = {row["poi_id"]: row for row in rows_of_city(snapshot, city).attractions}
        said = read_rows(snapshot.table("context_tags", slug), ContextTagsRow)
        tags = {(row["context_id"], row["poi_id"]): row for row in said}
        liked = read_rows(snapshot.table("poi_popularity", slug), PoiPopularityRow)
        popularity = {(row["context_id"], row["poi_id"]): row["rank"] for row in liked}
        candidates = _by_query(snapshot.table("query_pois", slug), QueryPoisRow)
        routes = _by_query(snapshot.table("query_trajectories", slug), QueryTrajectoriesRow)
        told = read_rows(snapshot.table("trajectory_scores", slug), TrajectoryScoresRow)
        scores = {(row["query_id"], row["trajectory_id"]): row for row in told}
        trajectories = read_rows(snapshot.table("trajectories", slug), TrajectoriesRow)
        trips = {trip["trajectory_id"]: trip for trip in trajectories}
        asked = snapshot.table("queries", slug).filter(pl.col("family") == "tprag")
        for query in read_rows(asked, QueriesRow):
            key, text = query["query_id"], query["text_zh"] or query["text_en"] or ""
            if query["status"] != "kept" or text in data:
                why = "written already" if text in data else f"{query['status']}: {query['reason']}"
                account.leave_out(slug, "queries", key, text, why)
                continue
            ids = [row["poi_id"] for row in candidates[key] if row["poi_id"] in places]
            context = f"{query['constraint_kind']}:{query['constraint_code']}"
            shown = {poi: _place(places[poi], _tag(tags, context, poi)) for poi in ids}
            ranked = sorted(ids, key=lambda poi: _rank(popularity, context, poi))
            own = [trips[row["trajectory_id"]] for row in routes[key]]
            data[text] = {
                "query": text,
                "poi_list": [shown[poi] for poi in ids],
                "poi_list_sorted_by_popularity": [shown[poi] for poi in ranked],
                "trajectories": [_days(trip["noisy_visits"]) for trip in own],
                "trajectories_clean": [_days(trip["clean_visits"]) for trip in own],
                "trajectory_scores": [_score(scores.get((key, t["trajectory_id"]))) for t in own],
            }
            kind = _KINDS.get(query["constraint_kind"], query["constraint_kind"])
            lists[f"query_{'day_' if query['n_days'] else ''}{kind}"].append(text)
            account.count_written(slug, "queries")
    write_json(out / "data.json", data)
    for name, texts in sorted(lists.items()):
        (out / f"{name}.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")


def _by_query(rows: pl.DataFrame, kind: type[_OfQuery]) -> dict[str, list[_OfQuery]]:
    found: dict[str, list[_OfQuery]] = defaultdict(list)
    for row in read_rows(rows.sort("query_id", "rank"), kind):
        found[row["query_id"]].append(row)
    return found


def _rank(popularity: dict[tuple[str, str], int], context: str, poi: str) -> tuple[int, int, str]:
    """Return a place's sort key: the rank in the query's context, then the general rank."""
    last = 1 << 62
    return popularity.get((context, poi), last), popularity.get((_ANY, poi), last), poi


def _tag(tags: dict[tuple[str, str], ContextTagsRow], context: str, poi: str) -> Row:
    """Return the values for a place in a context; take missing values from the general context."""
    own: Mapping[str, object] = tags.get((context, poi), {})
    anywhere: Mapping[str, object] = tags.get((_ANY, poi), {})
    return {
        columns[0]: {c: row.get(c) for c in columns}
        for columns in _TAGGED
        for row in [own if any(own.get(c) is not None for c in columns) else anywhere]
    }


def _score(row: TrajectoryScoresRow | None) -> Row | None:
    """Return the scores as shares, with the names that the paper gives to the metrics (table 4)."""
    if row is None:
        return None
    return {
        "quality_rank": row["quality_rank"],
        "PP": row["poi_popularity"],
        "FR": row["failure_rate"],
        "RR": row["repetition_rate"],
        "DMR": row["distance_margin_ratio"],
    }


def _place(row: Row, tag: Row) -> Row:
    """Return a place with the values of its tag; facts supply the values that the tag lacks."""
    span = daily(tag["hours_weekly"]["hours_weekly"] or row["hours_weekly"])
    located = row["lat"] is not None
    stay = tag["duration_min_min"]
    stay = stay if stay["duration_max_min"] is not None else row
    least, most = hours(stay["duration_min_min"]), hours(stay["duration_max_min"])
    known = [value for value in (least, most) if value is not None]
    return {
        "名称": row["name"],
        "坐标": {"lat": row["lat"], "lng": row["lon"]} if located else None,
        "类别": _CATEGORY_ZH.get(row["category"] or ""),
        "detail": {
            "开放时间": f"{clock(span.open_min, False)}-{clock(span.close_min, False)}"
            if span
            else None,
            "推荐到达时间": tag["arrive"]["arrive"],
            "预计游玩时长": "-".join(f"{value:g}" for value in dict.fromkeys(known)) or None,
            "描述": tag["description"]["description"],
        },
    }


def _days(visits: Sequence[Mapping[str, Any]]) -> dict[str, list[Row]]:
    """Return visits in the form of TP-RAG's plans: the places' names in order, by day.

    Days are counted from 1, and their numbers are written as words.

    Days without visits are counted too.
    """
    days: dict[str, list[Row]] = {}
    first = min((visit["day"] for visit in visits), default=1)
    for visit in sorted(visits, key=lambda v: (v["day"], v["order"])):
        number = visit["day"] - first + 1
        name = f"第{_DAYS[number - 1] if 1 <= number <= len(_DAYS) else number}天"
        days.setdefault(name, []).append({"名称": visit["name"]})
    return days
