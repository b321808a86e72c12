"""Gates that recompute three rankings: of popular places, candidates and reference trajectories."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import polars as pl

from schemas.dates import date_documents
from schemas.ranking import DAY_PENALTY, LIKED_ROLES
from validators.candidates import pools
from validators.gates.base import (
    Gate,
    GateContext,
    RowCheck,
    failing,
    failing_any,
    gathered,
    in_untouched_city,
    report,
    together,
)

#: Scores are rounded to six decimals.
_ROUNDING = 2e-6
_ANYWHERE = "any:any"


def _positions(context: GateContext) -> pl.DataFrame:
    """Return what each document adds to the score of each place that it recommends.

    A document adds the reciprocal of a place's position to the score of the place. If a document
    ranks places, the places get their ranks as positions, and other places that the document
    recommends follow in the order of the text. Places that are only in unranked lists, and copies
    of documents, add nothing to the score.
    """
    originals = context.table("documents").filter(pl.col("near_duplicate_of").is_null())
    document, place = ["city_id", "doc_id"], ["city_id", "doc_id", "poi_id"]
    named = _list_named(context)
    ranked = named.filter(pl.col("list_rank") > 0).group_by(place).agg(at=pl.col("list_rank").min())
    last = ranked.group_by(document).agg(last=pl.col("at").max())
    outside = named.filter(pl.col("list_rank").is_null())
    first = (
        context.table("poi_mentions")
        .filter(pl.col("role").is_in(LIKED_ROLES))
        .join(outside, on=place, how="semi")
        .group_by(place)
        .agg(pl.col("start").min())
    )
    order = pl.col("start").rank("ordinal").over(document) + pl.col("last").fill_null(0)
    told = pl.concat(
        [
            ranked,
            first.join(ranked, on=place, how="anti")
            .join(last, on=document, how="left")
            .select(*place, at=order.cast(pl.Int64)),
        ]
    )
    return (
        told.join(originals.select(document), on=document, how="semi")
        .join(date_documents(originals).select(*document, "stated_on"), on=document, how="left")
        .with_columns(share=1.0 / pl.col("at"))
    )


def _list_named(context: GateContext) -> pl.DataFrame:
    """Return the mentions of known places, with their positions in a ranked list."""
    mentions = context.table("poi_mentions").drop_nulls("poi_id")
    if "list_rank" not in mentions.columns:
        return mentions.with_columns(list_rank=pl.lit(None, pl.Int64))
    return mentions


def popularity(context: GateContext) -> pl.DataFrame:
    """The popularity of a place is the sum, over all documents, of 1 divided by the position of the
    place among the document's places.

    The snapshot does not state which titles name a context. Therefore, any document that recommends
    a place may have added to the place's score in a context. In the context ``any``, every document
    that recommends the place has added to its score.
    """
    whole = in_untouched_city(context, "poi_mentions", "poi_popularity", "pois")
    first = _positions(context).filter(whole)
    rows = context.table("poi_popularity").filter(whole)
    adding = first.join(rows.select("city_id", "context_id", "poi_id"), on=["city_id", "poi_id"])
    keys = ["city_id", "context_id", "poi_id"]
    most = adding.group_by(keys).agg(
        most=pl.col("share").sum(), least=pl.col("share").min(), newest=pl.col("stated_on").max()
    )
    rows = rows.join(most, on=keys, how="left")
    above = pl.col("most").is_null() | (pl.col("score") > pl.col("most") + _ROUNDING)
    below = (
        pl.col("score")
        < pl.when(pl.col("context_id") == _ANYWHERE).then("most").otherwise("least") - _ROUNDING
    )
    return together(
        [
            failing(
                "poi_popularity",
                rows,
                above,
                "score",
                pl.format(
                    "according to the documents, the score should be at most {}",
                    pl.col("most").round(6).fill_null(0),
                ),
            ),
            failing(
                "poi_popularity",
                rows,
                ~above & below,
                "score",
                pl.format(
                    "according to the documents, the score should be at least {}",
                    pl.col("least").round(6),
                ),
            ),
            *_find_misdated(rows),
        ]
    )


def _find_misdated(rows: pl.DataFrame) -> list[pl.DataFrame]:
    """Return scores whose date is not that of the newest document that contributed to them.

    Older snapshots have no dates, so the gate does not check them.
    """
    if "source_date" not in rows.columns:
        return []
    anywhere = pl.col("context_id") == _ANYWHERE
    other = pl.col("source_date").ne_missing(pl.col("newest"))
    dated = pl.col("source_date").is_not_null()
    return [
        failing(
            "poi_popularity",
            rows,
            dated & ((anywhere & other) | (pl.col("source_date") > pl.col("newest"))),
            "source_date",
            pl.format(
                "the date of the newest document is {}",
                pl.col("newest").cast(pl.String).fill_null("unknown"),
            ),
        )
    ]


def tagged(context: GateContext) -> pl.DataFrame:
    """Each tag is a role that its document gives to the place, and the place has a popularity in
    the context of the tag.
    """
    mentions = context.table("poi_mentions")
    roles = mentions.select("evidence_id", "doc_id", "poi_id").join(
        mentions.group_by("doc_id", "poi_id").agg(roles=pl.col("role").unique()),
        on=["doc_id", "poi_id"],
    )
    rows = context.table("poi_tags")
    keys = ["city_id", "context_id", "poi_id"]
    ranked = context.table("poi_popularity").select(keys)
    asked = _of_inquiries(context)
    unranked = rows.join(ranked, on=keys, how="anti").join(asked, on="evidence_id", how="anti")
    return together(
        [
            failing(
                "poi_tags",
                rows.join(roles, on="evidence_id"),
                ~pl.col("roles").list.contains(pl.col("tag")),
                "tag",
                "the document gives the place a different role",
            ),
            failing(
                "poi_tags",
                unranked,
                in_untouched_city(context, "poi_popularity"),
                "context_id",
                "the place has no rank in this context",
            ),
        ]
    )


def _list_inquiry_pages(context: GateContext) -> pl.DataFrame:
    """Return the city and document of each page fetched only for questions about places."""
    documents = context.table("documents")
    if "fetched_for" not in documents.columns:
        return documents.select("city_id", "doc_id").clear()
    return documents.filter(pl.col("fetched_for") == "inquiry").select("city_id", "doc_id")


def _of_inquiries(context: GateContext) -> pl.DataFrame:
    """Return evidence that affects no ranking, from pages fetched for questions about places."""
    pages = _list_inquiry_pages(context)
    return (context.table("evidence").join(pages, on=["city_id", "doc_id"], how="semi")).select(
        "evidence_id"
    )


def tagging_documents(context: GateContext) -> pl.DataFrame:
    """A document that tags a place in a context also adds to the place's score in that context."""
    whole = in_untouched_city(context, "poi_mentions", "poi_popularity", "pois")
    spans = context.table("evidence").select("evidence_id", "doc_id")
    rows = context.table("poi_tags").filter(whole).join(spans, on="evidence_id")
    keys = ["city_id", "context_id", "poi_id"]
    least = (
        rows.select(*keys, "doc_id")
        .unique()
        .join(_positions(context), on=["city_id", "doc_id", "poi_id"])
        .group_by(keys)
        .agg(least=pl.col("share").sum())
    )
    scores = context.table("poi_popularity").select(*keys, "score")
    short = least.join(scores, on=keys, how="left").filter(
        pl.col("score").is_null() | (pl.col("score") < pl.col("least") - _ROUNDING)
    )
    return report(
        "poi_tags",
        rows.join(short.select(keys), on=keys, how="semi"),
        "context_id",
        "this document should give the place a higher score in this context",
    )


def answers(context: GateContext) -> pl.DataFrame:
    """Queries with the same constraint and sub-query find the same documents and scores."""
    whole = in_untouched_city(context, "sub_queries", "query_documents")
    kinds = context.table("queries").select("query_id", "constraint_kind", "constraint_code")
    asked = (
        context.table("sub_queries")
        .filter(whole)
        .sort("query_id", "purpose", "rank")
        .group_by("city_id", "query_id", "purpose", maintain_order=True)
        .agg(asked=pl.col("sub_query_id").str.join(" "))
        .join(kinds, on="query_id")
    )
    rows = context.table("query_documents").join(asked, on=["city_id", "query_id", "purpose"])
    same = ["city_id", "purpose", "asked", "constraint_kind", "constraint_code"]
    rows = rows.with_columns(
        askers=pl.col("query_id").n_unique().over(same),
        agreeing=pl.col("query_id").n_unique().over(*same, "rank", "doc_id", "score"),
    )
    # The minority is wrong; if there are only two, it may be either.
    most = pl.col("agreeing").max().over(*same, "rank")
    odd = (pl.col("agreeing") < pl.col("askers")) & (
        (pl.col("agreeing") < most) | (2 * pl.col("agreeing") <= pl.col("askers"))
    )
    return failing(
        "query_documents",
        rows,
        odd,
        "doc_id",
        "for another query, the same sub-query found a different document",
    )


def candidates(context: GateContext) -> pl.DataFrame:
    """Each query's candidates, with their ranks, scores and reasons, are those that follow from the
    tables. The points given for the reasons add up to the score.
    """
    stated = context.table("query_pois")
    if "reasons" not in stated.columns:
        raise context.lacks("reasons of candidates")
    whole = _count_ranked(context, stated)
    stated = stated.filter(pl.col("city_id").is_in(list(whole)))
    made = pools.candidates(_as_ranked(context), whole)
    keys = ["query_id", "poi_id"]
    both = stated.join(made, on=keys, suffix="_made").with_columns(
        summed=pl.col("reasons").list.eval(pl.element().struct.field("points")).list.sum(),
        why=_in_words("reasons_made"),
    )
    checks: list[RowCheck] = [
        (
            pl.col("candidate_source") != pl.col("candidate_source_made"),
            "candidate_source",
            pl.format(
                "according to the tables, the source of the candidate is a {}",
                "candidate_source_made",
            ),
        ),
        (
            pl.col("reasons") != pl.col("reasons_made"),
            "reasons",
            pl.format("the tables give {}", "why"),
        ),
        (
            pl.col("summed") != pl.col("score"),
            "score",
            pl.format("the points for the reasons add up to {}", "summed"),
        ),
        (
            pl.col("rank") != pl.col("rank_made"),
            "rank",
            pl.format("according to the scores, the rank should be {}", "rank_made"),
        ),
    ]
    missing, extra = made.join(stated, on=keys, how="anti"), stated.join(made, on=keys, how="anti")
    return together(
        [
            failing_any("query_pois", both, checks),
            report("query_pois", missing, "poi_id", "a candidate is missing"),
            report(
                "query_pois",
                extra,
                "poi_id",
                "other places fit the query better, so the place should not be a candidate",
            ),
        ]
    )


def _in_words(column: str) -> pl.Expr:
    """Write reasons as text, such as ``popular 120, near 30``."""
    item = pl.element().struct
    told = pl.format("{} {}", item.field("code"), item.field("points"))
    return pl.col(column).list.eval(told).list.join(", ")


def _count_ranked(context: GateContext, stated: pl.DataFrame) -> dict[str, tuple[int, int]]:
    """Return the minimum and maximum number of candidates for each city whose ranking can be
    recomputed.

    A city is left out in three cases: rows that affect candidates were set aside, its candidates
    were ranked by an earlier version without reasons, or its settings are unknown.
    """
    whole = in_untouched_city(
        context, "documents", "evidence", "pois", "poi_facts", "poi_hierarchy", "poi_mentions",
        "poi_tags",
        "queries", "query_documents", "query_pois", "query_trajectories", "trajectories",
    )  # fmt: skip
    before = stated.filter(pl.col("reasons").is_null())["city_id"].unique()
    known = [slug for slug in context.demands["slug"] if context.find_demands(slug) is not None]
    rows = context.demands.filter(
        whole & ~pl.col("city_id").is_in(before.implode()) & pl.col("slug").is_in(known)
    )
    columns = ("city_id", "candidates_per_query", "candidates_maximum")
    return {city: (least, most) for city, least, most in rows.select(columns).iter_rows()}


def _as_ranked(context: GateContext) -> Callable[[str], pl.DataFrame]:
    """Return the tables as they were when candidates were ranked, without the results of
    inquiries.
    """
    later = _of_inquiries(context)

    def table(name: str) -> pl.DataFrame:
        rows = context.table(name)
        if name in ("poi_facts", "poi_tags"):
            return rows.join(later, on="evidence_id", how="anti")
        return rows

    return table


def references(context: GateContext) -> pl.DataFrame:
    """The score of a reference trajectory follows from how well it fits the query, the rank of its
    document and the difference in days.

    Only the document determines how well a trajectory fits a season, holiday, kind of traveller or
    pace. How well the trajectory fits is a number between 0 and 1, and is the same for every query
    with the constraint.
    """
    whole = in_untouched_city(
        context, "query_documents", "query_trajectories", "trajectories", "pois"
    )
    found = context.table("query_documents").filter(pl.col("purpose") == "route")
    found = found.select(
        "query_id", "doc_id", found="score", best=pl.col("score").max().over("query_id")
    )
    documents = context.table("trajectories").select("trajectory_id", "doc_id")
    asked = context.table("queries").select("query_id", "constraint_kind", "constraint_code")
    rows = (
        context.table("query_trajectories")
        .filter(whole)
        .join(documents, on="trajectory_id")
        .join(found, on=["query_id", "doc_id"])
        .join(asked, on="query_id")
        .join(_shares(context), on=["trajectory_id", "constraint_code"], how="left")
    )
    gap = pl.col("length_gap_days").fill_null(0) * DAY_PENALTY
    rows = rows.with_columns(fit=pl.col("score") - pl.col("found") / pl.col("best") + gap)
    kind = pl.col("constraint_kind")
    group = ["trajectory_id", "constraint_kind", "constraint_code"]
    rows = rows.with_columns(
        spread=pl.col("fit").max().over(group) - pl.col("fit").min().over(group)
    )
    checks = [
        (
            (kind == "generic") & (pl.col("fit").abs() > _ROUNDING),
            "score",
            "the score does not match the score of the document",
        ),
        (
            (kind == "poi_category") & ((pl.col("fit") - pl.col("share")).abs() > _ROUNDING),
            "score",
            "the score does not match the share of stops that fit the constraint",
        ),
        (
            (pl.col("fit") < -_ROUNDING) | (pl.col("fit") > 1 + _ROUNDING),
            "score",
            "the score for how well the trajectory fits the query must be between 0 and 1",
        ),
        (
            ~kind.is_in(["generic", "poi_category"]) & (pl.col("spread") > 2 * _ROUNDING),
            "score",
            "the trajectory must fit all queries with the same constraint equally well",
        ),
    ]
    return failing_any("query_trajectories", rows, checks)


def _shares(context: GateContext) -> pl.DataFrame:
    """Return the share of each category among a trajectory's stops with a known category."""
    categories = context.table("pois").select("poi_id", constraint_code="category").drop_nulls()
    stops = context.table("trajectories").select("trajectory_id", "clean_visits")
    stops = stops.explode("clean_visits").drop_nulls("clean_visits").unnest("clean_visits")
    return (
        stops.join(categories, on="poi_id")
        .group_by("trajectory_id", "constraint_code")
        .agg(n=pl.len())
        .with_columns(share=pl.col("n") / pl.col("n").sum().over("trajectory_id"))
        .drop("n")
    )


def inquiries(context: GateContext) -> pl.DataFrame:
    """Each inquiry names one of the candidates for its query."""
    pois = context.table("pois").select("poi_id", name=pl.coalesce("name_zh", "name_en"))
    asked = context.table("sub_queries").filter(pl.col("purpose") == "inquiry")
    name = pl.col("name").str.replace_all(r"\s+", " ")
    naming = (
        asked.join(context.table("query_pois").select("query_id", "poi_id"), on="query_id")
        .join(pois, on="poi_id")
        .filter(pl.col("text").str.contains(name, literal=True))
    )
    rows = asked.join(
        naming.select("query_id", "rank").unique(), on=["query_id", "rank"], how="anti"
    )
    return failing(
        "sub_queries",
        rows,
        in_untouched_city(context, "query_pois"),
        "text",
        "the text of the inquiry does not name any candidate for the query",
    )


@gathered
def inquiry_pages(context: GateContext) -> Iterator[pl.DataFrame]:
    """A page fetched only for questions about places supplies only facts and tags."""
    pages, spans = _list_inquiry_pages(context), _of_inquiries(context)
    if pages.is_empty():  # older snapshots also lack some of the tables below
        return
    message = (
        "the document was fetched only for questions about places, so it must not be used here"
    )
    yield from (
        report(
            table,
            context.table(table).join(pages, on=["city_id", "doc_id"], how="semi"),
            "doc_id",
            message,
        )
        for table in ("poi_mentions", "links", "unlinked_names", "trajectories")
    )
    others = context.table("query_documents").filter(pl.col("purpose") != "inquiry")
    yield report(
        "query_documents",
        others.join(pages, on=["city_id", "doc_id"], how="semi"),
        "doc_id",
        message,
    )
    yield from (
        report(
            table,
            context.table(table).join(spans, on="evidence_id", how="semi"),
            "evidence_id",
            message,
        )
        for table in ("pois", "poi_aliases")
    )


def reasons(context: GateContext) -> pl.DataFrame:
    """The reason why a query is waiting states correct counts."""
    rows = context.table("queries").filter(pl.col("family") == "tprag")
    told = {
        column: pl.col("reason").str.extract(rf"(\d+) of \d+ {name}").cast(pl.Int64)
        for column, name in (("n_trajectories", "trajectories"), ("n_candidates", "candidates"))
    }
    return failing_any(
        "queries",
        rows,
        (
            (
                number != pl.col(column),
                "reason",
                f"the number in the reason differs from the number in the column {column}",
            )
            for column, number in told.items()
        ),
    )


GATES = (
    Gate(
        "popularity",
        popularity,
        "Travellers rely on the popularity of places.",
        "Rank the places again by their mentions.",
    ),
    Gate(
        "tagged",
        tagged,
        "A tag must agree with the document that it comes from.",
        "Read the tags of the document again.",
    ),
    Gate(
        "tagging_documents",
        tagging_documents,
        "A tag for the wrong season or holiday misleads people who travel at that time.",
        "Read the contexts of the document again.",
    ),
    Gate(
        "equal_answers",
        answers,
        "If the same sub-query finds different documents, either the searches used different "
        "indexes or rows were mixed up.",
        "Search again for all queries of the city at once.",
    ),
    Gate(
        "candidates",
        candidates,
        "Only the stated reasons may determine which places are candidates and how they are "
        "ranked.",
        "Rank the candidates again.",
    ),
    Gate(
        "references_ranked",
        references,
        "The rank of a reference trajectory depends on the search results.",
        "Rank the trajectories again.",
    ),
    Gate(
        "inquiries",
        inquiries,
        "A question about a place must name the place.",
        "Write the inquiries again.",
    ),
    Gate(
        "inquiry_pages",
        inquiry_pages,
        "A page found by a search for a place does not necessarily describe a traveller's route.",
        "If a page was fetched only for questions about places, take only facts and tags from "
        "the page.",
    ),
    Gate(
        "counts_in_reasons",
        reasons,
        "A reason that states a wrong count is misleading.",
        "State how many trajectories and candidates the query has.",
    ),
)
