"""Gates on ``context_tags``, the table of what is known about a place in a context: a season, a
holiday, a kind of traveller or a pace.

Each value has its own evidence. In tags made by rules, times come from facts about the place.
Descriptions come from their passages. Each tagged place is a candidate for a query with the tag's
context. The context ``any:any`` has the values that always apply.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from schemas.descriptions import MOST_WORDS, word_count
from schemas.ids import text_sha256
from schemas.taxonomy import CONTEXT_KINDS
from validators.gates.base import (
    Gate,
    GateContext,
    failing_any,
    gathered,
    in_untouched_city,
    report,
)

_ANY = "any:any"
#: The column of each value and the column of its evidence.
_VALUES = {
    "hours_osm": "hours_evidence_id", "arrive": "arrive_evidence_id",
    "duration_max_min": "duration_evidence_id", "description": "description_evidence_id",
}  # fmt: skip
#: The columns that a tag takes from each kind of fact.
_OF_FACTS = {
    "opening_hours": ("hours_evidence_id", ("hours_osm", "hours_weekly")),
    "duration_hours": ("duration_evidence_id", ("duration_min_min", "duration_max_min")),
}
_NUMBER = r"\d+"
_NAME = r"\b[A-Z][A-Za-z]{2,}"


def proven(context: GateContext) -> pl.DataFrame:
    """A tag has at least one value, and every value has its own evidence. Evidence for the context
    is given only if the tag has a description.
    """
    nothing = pl.all_horizontal(pl.col(column).is_null() for column in _VALUES)
    checks = [
        (nothing, "context_id", "the tag has no value"),
        *(
            (
                pl.col(value).is_null() != pl.col(proof).is_null(),
                value,
                "this value must be present if and only if its evidence is present",
            )
            for value, proof in _VALUES.items()
        ),
        (
            pl.col("hours_osm").is_null() != pl.col("hours_weekly").is_null(),
            "hours_weekly",
            "the weekly opening minutes must be present if and only if the hours are present",
        ),
        (
            pl.col("description").is_null() & pl.col("context_evidence_id").is_not_null(),
            "context_evidence_id",
            "the tag has evidence for its context but no description",
        ),
        (
            (pl.col("context_id") == _ANY) & pl.col("context_evidence_id").is_not_null(),
            "context_evidence_id",
            "a tag for the context `any` must not have evidence for its context",
        ),
    ]
    return failing_any("context_tags", context.table("context_tags"), checks)


@gathered
def from_facts(context: GateContext) -> Iterator[pl.DataFrame]:
    """The hours, arrival time and length of stay in a tag come from a fact about the place. A tag
    for a specific context gives one of these values only if it differs from the value for any
    context.

    A tag for any context uses only facts that always hold. A tag for a specific context uses
    only facts that do not always hold. Passages that a model read do not count as facts.
    """
    rows = context.table("context_tags").filter(pl.col("tagged_by") == "rules")
    facts = context.table("poi_facts").select(
        "poi_id", "evidence_id", "fact_field", "valid_when", "hours_osm", "hours_weekly",
        "duration_min_min", "duration_max_min",
    )  # fmt: skip
    always = pl.col("context_id") == _ANY
    whole = in_untouched_city(context, "poi_facts")
    for name, (proof, columns) in _OF_FACTS.items():
        mine = rows.filter(pl.col(proof).is_not_null() & whole)
        own = facts.filter(fact_field=name).rename({"evidence_id": proof})
        fits = pl.all_horizontal(pl.col(c).eq_missing(pl.col(f"{c}_right")) for c in columns)
        in_time = (pl.col("valid_when") == "always") == always
        held = (
            mine.join(own, on=["poi_id", proof], suffix="_right")
            .filter(fits & in_time)
            .select("context_id", "poi_id")
        )
        strange = mine.join(held, on=["context_id", "poi_id"], how="anti")
        yield report(
            "context_tags",
            strange,
            columns[0],
            "no fact about the place gives this value for this context",
        )
        anywhere = rows.filter(always).select(
            "poi_id", *(pl.col(c).alias(f"{c}_any") for c in columns)
        )
        same = pl.all_horizontal(pl.col(c).eq_missing(pl.col(f"{c}_any")) for c in columns)
        yield report(
            "context_tags",
            mine.filter(~always).join(anywhere, on="poi_id").filter(same),
            columns[0],
            "this value is the same as in the context `any`, so the tag must not repeat it",
        )
    told = facts.filter(fact_field="arrival_time").select(
        "poi_id", arrive_evidence_id="evidence_id"
    )
    strange = rows.filter(pl.col("arrive").is_not_null() & whole).join(
        told, on=["poi_id", "arrive_evidence_id"], how="anti"
    )
    yield report(
        "context_tags", strange, "arrive", "no fact about the place gives this arrival time"
    )


def descriptions(context: GateContext) -> pl.DataFrame:
    """A description is short, and its words are found in its evidence.

    A description made by rules has the hash of the passage from which it was made. The numbers and
    Latin names in a model's description must be found in its passage, provided that this passage is
    published. If the passage is not published, only the build can check the numbers and names in
    the description.
    """
    rows = _join_evidence(context)
    quoted = pl.col("tagged_by") == "rules"
    foreign = pl.any_horizontal(
        pl.col("description")
        .str.extract_all(pattern)
        .list.set_difference(pl.col("quote").str.extract_all(pattern))
        .list.len()
        > 0
        for pattern in (_NUMBER, _NAME)
    )
    return failing_any(
        "context_tags",
        rows,
        [
            (
                pl.col("evidence_kind") != "document",
                "description_evidence_id",
                "the evidence must be a span of a document",
            ),
            (
                pl.col("words") > MOST_WORDS,
                "description",
                pl.format(
                    f"the description has {{}} words, but the maximum is {MOST_WORDS}", "words"
                ),
            ),
            (
                quoted & (pl.col("real") != pl.col("quote_sha256")),
                "description",
                "the description does not quote its evidence word for word",
            ),
            (
                ~quoted & foreign,
                "description",
                "the description contains numbers or names that do not occur in its evidence",
            ),
            (
                pl.col("named_in") != pl.col("doc_id"),
                "context_evidence_id",
                "the evidence for the context must come from the same document as the description",
            ),
        ],
    )


def _join_evidence(context: GateContext) -> pl.DataFrame:
    """Return the tags with a description, with the description's evidence, hash and word count."""
    evidence = context.table("evidence").select(
        "evidence_id", "doc_id", "quote_sha256", "quote", "evidence_kind"
    )
    rows = (
        context.table("context_tags")
        .filter(pl.col("description").is_not_null())
        .join(evidence, left_on="description_evidence_id", right_on="evidence_id", how="left")
        .join(
            evidence.select("evidence_id", named_in="doc_id"),
            left_on="context_evidence_id", right_on="evidence_id", how="left",
        )
    )  # fmt: skip
    said = rows["description"].to_list()
    return rows.with_columns(
        words=pl.Series([word_count(text) for text in said], dtype=pl.Int64),
        real=pl.Series([text_sha256(text) for text in said], dtype=pl.String),
    )


def candidates(context: GateContext) -> pl.DataFrame:
    """Each tag is for a place that is a candidate for a query with the same context. A tag for any
    context may belong to any query's candidate.
    """
    queries = context.table("queries").select(
        "query_id",
        "constraint_kind",
        own=pl.concat_str("constraint_kind", pl.lit(":"), "constraint_code"),
    )
    places = (
        context.table("query_pois")
        .select("query_id", "city_id", "poi_id")
        .join(queries, on="query_id")
    )
    wanted = pl.concat(
        [
            places.select("poi_id", context_id=pl.lit(_ANY)),
            places.filter(pl.col("constraint_kind").is_in(CONTEXT_KINDS)).select(
                "poi_id", context_id="own"
            ),
        ]
    ).unique()
    strange = (
        context.table("context_tags")
        .filter(in_untouched_city(context, "queries", "query_pois"))
        .join(wanted, on=["poi_id", "context_id"], how="anti")
    )
    return report(
        "context_tags",
        strange,
        "poi_id",
        "the place is not a candidate for any query with this context",
    )


GATES = (
    Gate(
        "tags_proven",
        proven,
        "A tag without evidence is a guess.",
        "If there is no evidence, leave the value unknown.",
    ),
    Gate(
        "tags_from_facts",
        from_facts,
        "If a tag gives the opening hours for a different season, travellers may find the place "
        "closed.",
        "Use the facts that apply in the tag's context.",
    ),
    Gate(
        "descriptions",
        descriptions,
        "A description must be based on its evidence alone.",
        "Quote the evidence word for word, or leave out the description.",
    ),
    Gate(
        "tags_of_candidates",
        candidates,
        "A place needs a tag for a context only if it is a candidate for a query with this "
        "context.",
        "Recreate the tags for the candidates.",
    ),
)
