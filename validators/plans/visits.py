"""Join the visits in plans and reference trajectories with a snapshot's facts about the places.

``validators.plans.scores`` computes its metrics from the result. A place in the plan's city can be
found by any of its names. If a name refers to several places, candidates for the query take
precedence over other places, and names over aliases. If a name still refers to several places, the
place is known but has no coordinates, recommended stay or rank. If a query has no list of
candidates, every place in the city is a candidate. If the city has a leaderboard for the query's
own constraint (season, holiday, type of traveller), that leaderboard is used. If the city has no
leaderboard for the constraint, the general leaderboard is used.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from schemas.tables import TABLES
from validators.candidates.pools import list_candidates, pools_without
from validators.plans.scores import METRICS, VISITS, quality, score

Tables = Callable[[str], pl.DataFrame]
#: One row per stop of a plan; ``query_id`` is null if the plan answers no query.
STOPS = pl.Schema(
    {
        "plan_id": pl.String, "query_id": pl.String, "city_id": pl.String, "day": pl.Int64,
        "order": pl.Int64, "name": pl.String, "start_min": pl.Int64, "end_min": pl.Int64,
    }
)  # fmt: skip
_GENERAL = "any:any"
#: The number of decimals of published shares and ratios, and of metres.
RATE_DECIMALS, METRE_DECIMALS = 6, 1


def plan_visits(stops: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    """Return a frame with the columns ``VISITS`` for the stops in plans.

    A stop whose name is in no table is kept but is not a candidate.
    """
    return _join_known(_resolve(stops.select(list(STOPS)).cast(STOPS), tables), tables)


def score_plans(plans: pl.DataFrame, stops: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    """Return a row of scores for each row of ``plans``, in the same order.

    All columns of ``plans`` are kept. A plan without visits has 0 in ``n_visits``, and no metrics.
    """
    scored = score(plan_visits(stops, tables))
    rows = plans.join(scored, on="plan_id", how="left", maintain_order="left")
    return rows.with_columns(pl.col("n_visits").fill_null(0))


def trajectory_scores(tables: Tables) -> pl.DataFrame:
    """Return the rows of ``trajectory_scores``: one for each reference trajectory of each query.

    Trajectories contain no clock times, so the two time metrics are empty. A stop counts as a
    failure unless its place would be a candidate even without the trajectory's own document. A
    place that only the trajectory's own document mentions therefore does not count as a candidate.
    The metrics are rounded before ranking, so that sorting the published rows gives the same order.
    """
    routes = tables("query_trajectories").select("query_id", "trajectory_id", "city_id").unique()
    visits = (
        tables("trajectories").select("trajectory_id", "clean_visits").explode("clean_visits")
        .drop_nulls("clean_visits").unnest("clean_visits")
        .select("trajectory_id", "day", "order", "poi_id")
    )  # fmt: skip
    keyed = routes.with_columns(plan_id=pl.concat_str("query_id", "trajectory_id", separator="/"))
    rows = keyed.join(visits, on="trajectory_id").with_columns(
        place=pl.col("poi_id"),
        start_min=pl.lit(None, pl.Int64),
        end_min=pl.lit(None, pl.Int64),
    )
    rows = rows.join(_pools(tables), on=["query_id", "trajectory_id", "poi_id"], how="left")
    rows = rows.with_columns(pl.col("is_candidate").fill_null(value=False))
    scored = score(_join_known(rows, tables)).with_columns(
        pl.col(METRICS).round(RATE_DECIMALS), pl.col("length_m", "optimal_m").round(METRE_DECIMALS)
    )
    ranked = quality(keyed.join(scored, on="plan_id", how="left"), "trajectory_id")
    assert ranked.height == routes.height, "every reference trajectory must have exactly one row"
    table = TABLES["trajectory_scores"]
    return ranked.select(table.column_names).sort(table.key)


def _resolve(stops: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    """Add the columns ``poi_id``, ``place`` and ``is_candidate`` to the stops."""
    own = list_candidates(tables)
    has_list = pl.col("query_id").is_in(own["query_id"].unique().implode()).fill_null(False)
    rows = stops.with_row_index("row")
    found = (
        rows.select("row", "query_id", "city_id", "name")
        .join(_names(tables), on=["city_id", "name"])
        .join(own.with_columns(own=pl.lit(True)), on=["query_id", "poi_id"], how="left")
        .with_columns(own=pl.col("own").fill_null(False) | ~has_list)
        .with_columns(worth=2 * pl.col("own").cast(pl.Int8) + (~pl.col("is_alias")).cast(pl.Int8))
        .filter(pl.col("worth") == pl.col("worth").max().over("row"))
        .group_by("row")
        .agg(pl.col("poi_id").min(), own=pl.col("own").any(), n=pl.col("poi_id").n_unique())
        .with_columns(poi_id=pl.when(pl.col("n") == 1).then("poi_id"))
    )
    return (
        rows.join(found, on="row", how="left")
        .with_columns(
            place=pl.coalesce("poi_id", "name"), is_candidate=pl.col("own").fill_null(False)
        )
        .drop("row", "own", "n")
    )


def _join_known(rows: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    """Add the coordinates, recommended stay and leaderboard rank to each visit."""
    pois = tables("pois").select("poi_id", "lat", "lon")
    stays = (
        tables("poi_facts")
        .filter((pl.col("valid_when") == "always") & pl.col("duration_min_min").is_not_null())
        .sort("source_date", "fact_id", nulls_last=False)
        .unique("poi_id", keep="last", maintain_order=True)
        .select("poi_id", recommended_min="duration_min_min")
    )
    boards = tables("poi_popularity").select("context_id", "city_id", "poi_id", "rank")
    sizes = boards.group_by("context_id", "city_id").agg(leaderboard=pl.col("rank").max())
    contexts = tables("queries").select(
        "query_id",
        "city_id",
        context_id=pl.concat_str("constraint_kind", "constraint_code", separator=":"),
    )
    with_board = contexts.join(sizes, on=["context_id", "city_id"]).select("query_id", "context_id")
    return (
        rows.join(pois, on="poi_id", how="left")
        .join(stays, on="poi_id", how="left")
        .join(with_board, on="query_id", how="left")
        .with_columns(context_id=pl.col("context_id").fill_null(_GENERAL))
        .join(boards, on=["context_id", "city_id", "poi_id"], how="left")
        .join(sizes, on=["context_id", "city_id"], how="left")
        .with_columns(leaderboard=pl.col("leaderboard").fill_null(0))
        .select(list(VISITS))
        .cast(VISITS)
    )


def _pools(tables: Tables) -> pl.DataFrame:
    """Return the pool of candidates for each reference trajectory: query_id, trajectory_id, poi_id.

    Candidates without reasons come from an earlier build of the city, which did not leave out any
    document.
    """
    candidates, routes = tables("query_pois"), tables("query_trajectories")
    reasons = pl.col("reasons") if "reasons" in candidates.columns else pl.lit(None)
    of_before = candidates.filter(reasons.is_null())["city_id"].unique()
    is_of_before = pl.col("city_id").is_in(of_before.implode())
    listed_then = (
        routes.filter(is_of_before)
        .select("query_id", "trajectory_id")
        .join(list_candidates(tables), on="query_id")
    )
    own = pl.concat([listed_then, pools_without(tables, routes.filter(~is_of_before))])
    return own.with_columns(is_candidate=pl.lit(True))


def _names(tables: Tables) -> pl.DataFrame:
    """Return every name of every place that is not superseded, with names before aliases."""
    pois = tables("pois").filter(pl.col("superseded_by").is_null())
    kept = pois.select("poi_id")
    parts = [
        pois.select("city_id", "poi_id", name=column, is_alias=pl.lit(False))
        for column in ("name_zh", "name_en")
    ]
    aliases = tables("poi_aliases").join(kept, on="poi_id", how="semi")
    parts.append(aliases.select("city_id", "poi_id", name="alias", is_alias=pl.lit(True)))
    return (
        pl.concat(parts)
        .drop_nulls("name")
        .group_by("city_id", "name", "poi_id")
        .agg(pl.col("is_alias").min())
    )
