"""Gates on the number of queries, and on the counts and texts of each query."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import polars as pl

from schemas.ids import digest
from schemas.money import YUAN
from schemas.taxonomy import CONSTRAINTS, QUERY_LEVELS, codes
from validators.gates.base import (
    Failure,
    Gate,
    GateContext,
    failing,
    failures,
    faulty,
    gathered,
    report,
    together,
    unlike,
)

#: Number words in query texts; the number two has two words.
_NUMBERS_ZH = {**dict(enumerate("一二三四五六七八九十", 1)), 2: "二两"}
_NUMBERS_EN = dict(
    enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1)
)


def enough(context: GateContext) -> pl.DataFrame:
    """A query that needs documents is kept if and only if it has as many trajectories and
    candidates as the profile asks for.
    """
    rows = context.table("queries").join(context.demands, on="city_id", how="left")
    needing = pl.col("family") == "tprag"
    kept_ = needing & (pl.col("status") == "kept")
    lacks = {
        column: pl.col(column) < pl.col(wanted)
        for column, wanted in (
            ("n_trajectories", "trajectories_per_query"),
            ("n_candidates", "candidates_per_query"),
        )
    }
    waits = needing & (pl.col("status") == "pending_documents")
    return together(
        [
            *(
                failing(
                    "queries",
                    rows,
                    kept_ & bad,
                    column,
                    "this number is too low for a query with the status `kept`",
                )
                for column, bad in lacks.items()
            ),
            failing(
                "queries",
                rows,
                waits & ~pl.any_horizontal(*lacks.values()),
                "status",
                "the query has enough trajectories and candidates to be kept",
            ),
        ]
    )


def counted(context: GateContext) -> pl.DataFrame:
    """For each query, the stated numbers of trajectories and candidates are correct."""
    rows = context.table("queries")
    for table, column in (
        ("query_trajectories", "real_trajectories"),
        ("query_pois", "real_candidates"),
    ):
        real = context.table(table).group_by("query_id").agg(pl.len().cast(pl.Int64).alias(column))
        rows = rows.join(real, on="query_id", how="left").with_columns(pl.col(column).fill_null(0))
    return together(
        failing(
            "queries",
            rows,
            pl.col(f"n_{kind}") != pl.col(f"real_{kind}"),
            f"n_{kind}",
            pl.format("there are {}", f"real_{kind}"),
        )
        for kind in ("trajectories", "candidates")
    )


def kept(context: GateContext) -> pl.DataFrame:
    """At least one query is kept in total, and at least one in each family that the profile
    requests and that can be planned.

    A family that includes a journey cannot be planned if the tables have no journeys; the gate
    ``pending_cities`` then reports the city.
    """
    return failures(row for row, excused in _without_queries(context) if not excused)


def pending_cities(context: GateContext) -> pl.DataFrame:
    """Each city has at least one kept query of each family that the profile asks for."""
    return failures(row for row, excused in _without_queries(context) if excused)


def _without_queries(context: GateContext) -> Iterator[tuple[Failure, bool]]:
    """Yield each city and requested family without a kept query, and whether the gap is excused.

    The gap is excused if another city has a kept query of the family. The gap is also excused if
    queries of other families are kept and the city clearly lacks something that the family needs.
    """
    queries = context.table("queries")
    have = set(
        queries.filter(pl.col("status") == "kept").select("city_id", "family").unique().iter_rows()
    )
    somewhere = {family for _, family in have}
    for row in context.demands.to_dicts():
        for family in row["families"]:
            if (row["city_id"], family) not in have:
                lacks = _lacks(context, row, family)
                why = lacks or _why_none(queries, row, family)
                excused = family in somewhere or (lacks is not None and bool(have))
                yield ("queries", "status", f"{row['slug']}/{family}", "0", why), excused


#: Families whose trips begin in another city.
_FROM_ELSEWHERE = frozenset({"traveleval", "chinatravel", "triptailor"})
#: Families whose budgets are in yuan.
_IN_YUAN = frozenset({"chinatravel", "triptailor"})


def _lacks(context: GateContext, demand: dict[str, Any], family: str) -> str | None:
    """Return what a city lacks for queries in a family, or None if nothing is clearly missing."""
    if family == "tprag" and demand["may_lack_documents"]:
        read = (context.table("documents")["city_id"] == demand["city_id"]).any()
        return None if read else "the city has no documents, which the profile allows"
    if family not in _FROM_ELSEWHERE:
        has_sights = (context.table("pois")["city_id"] == demand["city_id"]).any()
        return (
            None
            if has_sights or family == "tprag"
            else "the city has no attractions: add gazetteer.csv"
        )
    money = (
        context.table("cities").filter(pl.col("city_id") == demand["city_id"])["currency"].item()
    )
    if family in _IN_YUAN and money != YUAN:
        return (
            "queries of this family state amounts in yuan, but the city uses "
            f"{money or 'an unknown currency'}, and tripbed never converts amounts: choose the "
            "family traveleval, tripscore or tprag"
        )
    ends, here = ("origin_city_id", "destination_city_id"), demand["city_id"]
    rows = pl.concat(
        context.table(t).select(*ends, "price_cents", "currency", "arrival_day_offset")
        for t in ("trains", "flights")
    )
    fit = (
        (pl.col("arrival_day_offset") == 0)
        & pl.col("price_cents").is_not_null()
        & (pl.col("currency") == money)
    )
    for known, what in (
        (rows, ""),
        (
            rows.filter(fit),
            f" that arrive on the day of departure and have a known price in {money}",
        ),
    ):
        there = set(known.filter(pl.col(ends[1]) == here)[ends[0]])
        back = set(known.filter(pl.col(ends[0]) == here)[ends[1]])
        if not there & back:
            return (
                f"no trains or flights{what} connect the city with another city in both "
                "directions: add trains.csv or flights.csv, or also build a city that a feed "
                "connects by train (--from gtfs=FILE)"
            )
    return None


def _why_none(queries: pl.DataFrame, demand: dict[str, object], family: str) -> str:
    """Explain why a city has no kept query of a family, and suggest what to change."""
    mine = queries.filter((pl.col("city_id") == demand["city_id"]) & (pl.col("family") == family))
    reasons = mine["reason"].drop_nulls().mode().sort().to_list()
    often = f"; the most common reason is: {reasons[0]}" if reasons else ""
    return (
        f"none of the {mine.height} planned queries was kept{often}: add documents or tables, or "
        "lower trajectories.per_query and candidates.per_query in the profile"
    )


def reasons(context: GateContext) -> pl.DataFrame:
    """A query that is not kept has a reason, and a kept query has none."""
    rows = context.table("queries")
    bad = (pl.col("status") == "kept") != pl.col("reason").is_null()
    return failing(
        "queries",
        rows,
        bad,
        "reason",
        "a query must have a reason if and only if it is not kept",
    )


@gathered
def ranks(context: GateContext) -> Iterator[pl.DataFrame]:
    """Ranks start at 1 and have no gaps, and scores never rise from one rank to the next."""
    lists = {
        "query_trajectories": ["query_id"],
        "query_pois": ["query_id"],
        "query_documents": ["query_id", "purpose"],
        "sub_queries": ["query_id", "purpose"],
    }
    for table, group in lists.items():
        rows = (
            context.table(table)
            .sort(*group, "rank")
            .with_columns(expected=pl.int_range(1, pl.len() + 1).over(group))
        )
        yield failing(
            table, rows, pl.col("rank") != pl.col("expected"), "rank", "there is a gap in the ranks"
        )
        if "score" in rows.columns:
            rows = rows.with_columns(before=pl.col("score").shift(1).over(group))
            bad = pl.col("score") > pl.col("before") + 1e-9
            yield failing(
                table,
                rows,
                bad,
                "score",
                "the score is higher than the score of the row with the previous rank",
            )


@gathered
def visits_are_candidates(context: GateContext) -> Iterator[pl.DataFrame]:
    """Each clean stop with coordinates in a query's trajectories is a candidate for the query.
    Every candidate has coordinates, unless no place in the city has coordinates.
    """
    visits = (
        context.table("trajectories")
        .select(
            "trajectory_id",
            poi=pl.col("clean_visits").list.eval(pl.element().struct.field("poi_id")),
        )
        .explode("poi")
        .unique()
    )
    wanted = context.table("query_trajectories").join(visits, on="trajectory_id").drop_nulls("poi")
    known = context.table("query_pois").select("query_id", poi="poi_id")
    located = pl.col("lat").count().over("city_id") > 0
    nowhere = context.table("pois").filter(pl.col("lat").is_null() & located).select("poi_id")
    wanted = wanted.join(nowhere, left_on="poi", right_on="poi_id", how="anti")
    yield report(
        "query_trajectories",
        wanted.join(known, on=["query_id", "poi"], how="anti").sort("query_id", "rank", "poi"),
        "trajectory_id",
        pl.format("the stop {} is not a candidate for the query", "poi"),
    )
    if "reasons" in context.table("query_pois").columns:
        ranked = context.table("query_pois").filter(pl.col("reasons").is_not_null())
        yield report(
            "query_pois",
            ranked.join(nowhere, on="poi_id", how="semi"),
            "poi_id",
            "the place has no coordinates",
        )


def length_gaps(context: GateContext) -> pl.DataFrame:
    """The stated difference in days agrees with the lengths of the query and the trajectory."""
    rows = (
        context.table("query_trajectories")
        .join(context.table("queries").select("query_id", "n_days"), on="query_id", how="left")
        .join(
            context.table("trajectories").select("trajectory_id", "n_trip_days"),
            on="trajectory_id",
            how="left",
        )
        .with_columns(gap=(pl.col("n_trip_days") - pl.col("n_days")).abs())
    )
    bad = pl.col("length_gap_days").ne_missing(pl.col("gap"))
    return failing(
        "query_trajectories",
        rows,
        bad,
        "length_gap_days",
        pl.format("the difference is {}", pl.col("gap").cast(pl.String).fill_null("unknown")),
    )


def once(context: GateContext) -> pl.DataFrame:
    """No trajectory is used twice for a query, and none comes from a near-duplicate."""
    rows = context.table("query_trajectories")
    repeated = pl.struct("query_id", "trajectory_id").is_duplicated()
    copies = (
        context.table("trajectories").join(
            context.table("documents").filter(pl.col("near_duplicate_of").is_not_null()),
            on=["doc_id", "city_id"],
            how="semi",
        )
    )["trajectory_id"].implode()
    return together(
        [
            failing(
                "query_trajectories",
                rows,
                repeated,
                "trajectory_id",
                "the trajectory occurs twice among the references for this query",
            ),
            failing(
                "query_trajectories",
                rows,
                pl.col("trajectory_id").is_in(copies),
                "trajectory_id",
                "the trajectory's document is a near-duplicate of another document",
            ),
        ]
    )


def texts(context: GateContext) -> pl.DataFrame:
    """The texts of a query name the city, the number of days and the constraint. If the query has
    no number of days, the texts do not name a number of days.

    A query has no English text if it names a place without an English name. Texts written by people
    are kept unchanged; the gate ``given_queries`` checks them.
    """
    cities = context.table("cities").select("city_id", city_zh="name_zh", city_en="name_en")
    rows = (
        context.table("queries")
        .filter(~_is_given(context.table("queries")))
        .join(cities, on="city_id", how="left")
    )
    city_zh = pl.col("city_zh").fill_null(pl.col("city_en"))
    asked = pl.col("n_days").is_not_null()
    free_zh = pl.col("text_zh").str.contains(r"[0-9一二两三四五六七八九十](?:日游|天)")
    free_en = pl.col("text_en").str.contains(
        rf"(?i)\b(?:\d+|{'|'.join(_NUMBERS_EN.values())})[ -]days?\b"
    )
    named_zh = pl.col("text_zh").str.contains(city_zh, literal=True)
    named_en = pl.col("text_en").str.contains(pl.col("city_en"), literal=True)
    checks = (
        (
            "text_zh",
            pl.col("text_zh").is_null(),
            "a planned query must have a text in both languages",
        ),
        (
            "text_en",
            pl.col("text_en").is_null() & _nameable_in_english(rows),
            "a planned query must have a text in both languages",
        ),
        ("text_zh", ~named_zh, "the text does not name the city"),
        ("text_en", ~named_en, "the text does not name the city"),
        ("text_zh", asked & ~names_days_zh(), "the text does not state the number of days"),
        ("text_en", asked & ~names_days_en(), "the text does not state the number of days"),
        (
            "text_zh",
            ~asked & free_zh,
            "the text states a number of days, but the query has none",
        ),
        (
            "text_en",
            ~asked & free_en,
            "the text states a number of days, but the query has none",
        ),
        ("text_zh", ~_names_constraint("text_zh"), "the text does not mention the constraint"),
        ("text_en", ~_names_constraint("text_en"), "the text does not mention the constraint"),
    )
    return together(failing("queries", rows, bad, column, what) for column, bad, what in checks)


def names_days_zh() -> pl.Expr:
    """Check whether ``text_zh`` states the number in ``n_days``, in digits or as a word."""
    number = pl.col("n_days").cast(pl.String)
    word = pl.col("n_days").replace_strict(_NUMBERS_ZH, default="?", return_dtype=pl.String)
    return pl.col("text_zh").str.contains(
        pl.format("(?:^|[^0-9十])(?:{}|[{}])(?:日游|天)", number, word)
    )


def names_days_en() -> pl.Expr:
    """Check whether ``text_en`` states the number in ``n_days``, in digits or as a word."""
    number = pl.col("n_days").cast(pl.String)
    word = pl.col("n_days").replace_strict(_NUMBERS_EN, default="-", return_dtype=pl.String)
    return pl.col("text_en").str.contains(pl.format(r"(?i)\b(?:{}|{})[ -]days?\b", number, word))


def _nameable_in_english(rows: pl.DataFrame) -> pl.Expr:
    """Check whether a query's structure contains the English names of all places in the query."""
    good = [_all_in_english(structure) for structure in rows["structure"]]
    return pl.lit(pl.Series(good, dtype=pl.Boolean))


def _all_in_english(structure: str | None) -> bool:
    """Check whether all places named in a structure have English names.

    The result is True for a structure that cannot be read.
    """
    try:
        plan = json.loads(structure or "{}")
        named = {
            value
            for wish in plan["constraints"]
            if wish["kind"].endswith("_name")
            for value in wish["values"]
        }
        named |= {goal["value"] for goal in plan["objectives"] if goal["value"]}
        return named <= set(plan.get("names_en", ()))
    except (ValueError, TypeError, KeyError, AttributeError):
        return True


def _is_given(rows: pl.DataFrame) -> pl.Expr:
    """Check whether a query has an external source; queries in older snapshots have none."""
    return pl.col("given_file").is_not_null() if "given_file" in rows.columns else pl.lit(False)


def given_queries(context: GateContext) -> pl.DataFrame:
    """A query from an external source has a text. The query's row shows how much of the text was
    understood, and quotes the parts that were not.
    """
    every = context.table("queries")
    if "given_file" not in every.columns:
        return failures([])
    told = pl.col("understanding").is_not_null() & pl.col("given_line").is_not_null()
    missed = pl.col("not_understood").list.len().fill_null(0)
    rows = every.filter(_is_given(every))
    return together(
        [
            failing(
                "queries",
                every,
                ~_is_given(every) & (told | (missed > 0)),
                "given_file",
                "a planned query must not have values that describe how well it was understood",
            ),
            failing(
                "queries",
                rows,
                ~told,
                "understanding",
                "the row does not state how much of the query was understood",
            ),
            failing(
                "queries",
                rows,
                pl.col("text_zh").is_null() & pl.col("text_en").is_null(),
                "text_zh",
                "the query has no text",
            ),
            failing(
                "queries",
                rows,
                (pl.col("understanding") == "whole") != (missed == 0),
                "understanding",
                "the value contradicts the list of parts that were not understood",
            ),
            failing(
                "queries",
                rows,
                ~_quotes(rows),
                "not_understood",
                "the quoted words do not occur in the query's text",
            ),
        ]
    )


def _quotes(rows: pl.DataFrame) -> pl.Expr:
    """Check whether each part that was not understood is a quote or begins with a field name."""
    good = [
        all(": " in part or part in f"{zh or ''}\n{en or ''}" for part in missed or ())
        for zh, en, missed in rows.select("text_zh", "text_en", "not_understood").iter_rows()
    ]
    return pl.lit(pl.Series(good, dtype=pl.Boolean))


def _names_constraint(column: str) -> pl.Expr:
    """Check whether a text contains a word for the constraint (null if there is no constraint)."""
    kind_and_code = pl.col("constraint_kind") + ":" + pl.col("constraint_code")
    words = {
        f"{kind}:{term.code}": "|".join(
            re.escape(word.lower()) for word in (term.zh, term.en, *term.words)
        )
        for kind, terms in CONSTRAINTS.items()
        for term in terms
    }
    known = kind_and_code.replace_strict(words, default=None, return_dtype=pl.String)
    return pl.col(column).str.to_lowercase().str.contains(known)


def constraints(context: GateContext) -> pl.DataFrame:
    """A constraint is a term of its taxonomy; a generic query has none."""
    known: dict[str, set[str | None]] = {
        **{kind: set(codes(terms)) for kind, terms in CONSTRAINTS.items()},
        **{kind: set(levels) for kind, levels in QUERY_LEVELS.items()},
        "generic": {None},
    }
    rows = context.table("queries")
    fits = [
        code in known.get(kind, set())
        for kind, code in rows.select("constraint_kind", "constraint_code").iter_rows()
    ]
    rows = rows.with_columns(fits=pl.Series(fits, dtype=pl.Boolean))
    return failing(
        "queries",
        rows,
        ~pl.col("fits"),
        "constraint_code",
        "the taxonomy has no constraint of this kind with this code",
    )


@gathered
def asked_for(context: GateContext) -> Iterator[pl.DataFrame]:
    """Each document for a query was found by a sub-query of that query with the same purpose."""
    asked = context.table("sub_queries").select("query_id", "purpose").unique()
    found = context.table("query_documents")
    yield report(
        "query_documents",
        found.join(asked, on=["query_id", "purpose"], how="anti"),
        "purpose",
        "the query has no sub-query with this purpose",
    )
    if "sub_query_id" in found.columns:
        keys = ["query_id", "purpose", "sub_query_id"]
        yield report(
            "query_documents",
            found.drop_nulls("sub_query_id").join(
                context.table("sub_queries"), on=keys, how="anti"
            ),
            "sub_query_id",
            "the query has no sub-query with this id and purpose",
        )


def sub_query_ids(context: GateContext) -> pl.DataFrame:
    """The id of a sub-query is the hash of its purpose and text."""
    rows = context.table("sub_queries")
    made = [f"sq_{digest(*parts)}" for parts in rows.select("purpose", "text").iter_rows()]
    return unlike(
        "sub_queries",
        rows,
        "sub_query_id",
        made,
        "the id made from the purpose and the text is {}",
    )


def structure(context: GateContext) -> pl.DataFrame:
    """The structure of a query is JSON that agrees with the columns, and no two queries have the
    same text.
    """
    rows = context.table("queries")
    return together(
        [
            faulty("queries", rows, "structure", map(_structure_fault, rows.to_dicts())),
            failing(
                "queries",
                rows,
                pl.col("text_zh").is_not_null() & pl.col("text_zh").is_duplicated(),
                "text_zh",
                "another query has the same text",
            ),
        ]
    )


def _structure_fault(row: dict[str, object]) -> str | None:
    try:
        plan = json.loads(str(row["structure"]))
    except json.JSONDecodeError:
        return "the structure is not JSON"
    if not isinstance(plan, dict):
        return "the structure is not a JSON object"
    if plan.get("days") != row["n_days"]:
        return f"the structure gives the number of days as {plan.get('days')}"
    code = plan.get(str(row["constraint_kind"]), plan.get("constraint", plan.get("tag")))
    return (
        None if code == row["constraint_code"] else f"the structure gives the constraint as {code}"
    )


def splits(context: GateContext) -> pl.DataFrame:
    """Queries for the same city and constraint that differ only in their number of days are in the
    same split.
    """
    rows = (
        context.table("queries")
        .filter(pl.col("family") == "tprag")
        .with_columns(
            n=pl.col("split").n_unique().over("city_id", "constraint_kind", "constraint_code")
        )
    )
    return failing(
        "queries",
        rows,
        pl.col("n") > 1,
        "split",
        "near-duplicates of this query are in a different split",
    )


GATES = (
    Gate(
        "enough",
        enough,
        "The profile sets how many trajectories and candidates a query needs; TP-RAG requires 8 "
        "trajectories per query.",
        "Set the status of the query to `pending_documents`.",
    ),
    Gate("counted", counted, "Published counts must be correct.", "Count again."),
    Gate(
        "kept_queries",
        kept,
        "A snapshot without queries is useless.",
        "Add documents, or lower the requirements in the profile.",
        "table",
    ),
    Gate(
        "pending_cities",
        pending_cities,
        "Queries about a city that has no documents must wait, but the other cities can be "
        "published.",
        "Add documents about the city, or lower the requirements in the profile.",
        "table",
        severity="warning",
    ),
    Gate(
        "reasons",
        reasons,
        "Users must be able to see why a query was not kept.",
        "State the reason.",
    ),
    Gate(
        "ranks",
        ranks,
        "Programs that read the tables rely on the ranks.",
        "Rank by score and then by id, starting at 1.",
    ),
    Gate(
        "visits_are_candidates",
        visits_are_candidates,
        "The candidates include the stops of the reference trajectories (TP-RAG, appendix A.2).",
        "Add the place to the candidates.",
    ),
    Gate(
        "length_gaps",
        length_gaps,
        "The rank of a trajectory depends partly on the difference between its length and the "
        "length of the requested trip.",
        "Compute the difference again.",
    ),
    Gate(
        "trajectory_once",
        once,
        "A copy of a trajectory does not count as a second reference.",
        "Leave out the copy.",
    ),
    Gate(
        "texts", texts, "The text and the structure of a query must agree.", "Write the text again."
    ),
    Gate(
        "given_queries",
        given_queries,
        "Users must be able to see which parts of a query were not understood.",
        "Read the query file again.",
    ),
    Gate(
        "constraints",
        constraints,
        "The stratum of a query depends on its constraint.",
        "Take the term from `schemas.taxonomy`.",
    ),
    Gate(
        "asked_for",
        asked_for,
        "Every search result must belong to a published sub-query.",
        "Publish the sub-query together with the documents that it found.",
    ),
    Gate(
        "sub_query_ids",
        sub_query_ids,
        "Identical sub-queries must have the same id, so that each search runs only once.",
        "Make the id from the purpose and the text.",
    ),
    Gate(
        "structure",
        structure,
        "The text and the structure of a query must agree.",
        "Write the structure again.",
    ),
    Gate(
        "splits",
        splits,
        "Near-duplicates in different splits would leak answers from one split to another.",
        "Put these queries into the same split.",
    ),
)
