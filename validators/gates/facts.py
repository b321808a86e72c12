"""Gates on facts about places from documents and tables, and on when the facts apply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from schemas.dates import date_documents
from schemas.hours import weekly_spans
from schemas.ids import digest
from schemas.taxonomy import CONSTRAINTS, FACT_FORMS
from validators.gates.base import (
    Gate,
    GateContext,
    fact_tables,
    failing,
    failing_any,
    faulty,
    gathered,
    together,
)

#: Personal data that no published text may contain: Chinese mobile numbers, identity numbers and
#: e-mail addresses.
_PERSONAL = r"(?:^|\D)1[3-9]\d{9}(?:\D|$)|(?:^|\D)\d{17}[\dXx](?:\D|$)|[\w.+-]+@[\w-]+\.[\w.]+"
_TYPED = {
    "opening_hours": ("hours_osm", "hours_weekly"),
    "ticket_price": ("price_cents",),
    # A source may state only the longest visit.
    "duration_hours": ("duration_max_min",),
}


@gathered
def hours(context: GateContext) -> Iterator[pl.DataFrame]:
    """Opening hours can be parsed, and the weekly opening minutes agree with them."""
    for table in (*fact_tables(context), "restaurants"):
        rows = context.table(table).filter(
            pl.col("hours_osm").is_not_null() | pl.col("hours_weekly").is_not_null()
        )
        spans = {
            text: weekly_spans(text) for text in rows["hours_osm"].drop_nulls().unique().to_list()
        }
        stated = rows.select("hours_osm", "hours_weekly").iter_rows()
        faults = [_hours_fault(text, week, spans) for text, week in stated]
        yield faulty(table, rows, "hours_osm", faults)


def _hours_fault(text: str | None, week: object, spans: Mapping[str, object]) -> str | None:
    if text is None:
        return "there are weekly opening minutes but no opening hours"
    if spans[text] is None:
        return "the value does not follow the syntax of OSM's opening_hours"
    return (
        None if week == spans[text] else "the weekly opening minutes do not match the opening hours"
    )


def fact_values(context: GateContext) -> pl.DataFrame:
    """The value of a fact has the format of its field, and the typed columns contain the same
    value.
    """
    return together(
        failing_any(table, context.table(table), _list_value_checks())
        for table in fact_tables(context)
    )


def _list_value_checks() -> list[tuple[pl.Expr, str, str]]:
    """Return the checks on fact values, each with the failing rows, the column and the message."""
    kind, value = pl.col("fact_field"), pl.col("value")
    least, most = pl.col("duration_min_min"), pl.col("duration_max_min")
    price, low, high = (
        value.str.extract(number).cast(pl.Float64)
        for number in (r"^(\d+(?:\.\d+)?)$", r"^(\d+(?:\.\d+)?)(?:-|$)", r"(\d+(?:\.\d+)?)$")
    )
    # A table may state only the longest visit, but a range or a text states both.
    both = value.str.contains("-") | pl.col("fact_id").str.starts_with("f_")
    return [
        *(
            (
                (kind == name) & ~value.str.contains(form),
                "value",
                f"the value does not have the format required for the field {name}",
            )
            for name, form in FACT_FORMS.items()
        ),
        *(
            (
                (kind == name) != pl.col(column).is_not_null(),
                column,
                f"a fact must have a value in this column if and only if its field is {name}",
            )
            for name, columns in _TYPED.items()
            for column in columns
        ),
        (
            (price * 100).round() != pl.col("price_cents"),
            "price_cents",
            "the price differs from the price in the column `value`",
        ),
        # Durations are whole minutes, while values are in rounded hours.
        (
            (low * 60 - least).abs() > 0.5,
            "duration_min_min",
            "the duration differs from the duration in the column `value`",
        ),
        (
            (high * 60 - most).abs() > 0.5,
            "duration_max_min",
            "the duration differs from the duration in the column `value`",
        ),
        (
            least.is_not_null() & most.is_null(),
            "duration_min_min",
            "there is a minimum duration of a visit but no maximum",
        ),
        (
            (kind == "duration_hours") & both & least.is_null(),
            "duration_min_min",
            "the column `value` states a minimum duration, but this column is empty",
        ),
        (
            least > most,
            "duration_min_min",
            "the minimum duration of a visit is greater than the maximum",
        ),
    ]


@gathered
def fact_ids(context: GateContext) -> Iterator[pl.DataFrame]:
    """The id of a fact ends in the hash of its content, including its evidence and condition."""
    for table in fact_tables(context):
        limits = [c for c in ("audience", "condition") if c in context.table(table).columns]
        parts = ["poi_id", "fact_field", "valid_when", "value", "evidence_id", *limits]
        rows = context.table(table)
        made = [digest(*row) for row in rows.select(pl.col(parts).fill_null("")).iter_rows()]
        rows = rows.with_columns(made=pl.Series(made, dtype=pl.String))
        bad = ~pl.col("fact_id").str.ends_with(pl.col("made"))
        yield failing(
            table,
            rows,
            bad,
            "fact_id",
            pl.format("according to the fact's content, the id should end in {}", "made"),
        )


def conditions(context: GateContext) -> pl.DataFrame:
    """A conditional fact states who it applies to, or under what condition it holds."""
    rows = context.table("conditional_facts")
    bad = pl.col("audience").is_null() & pl.col("condition").fill_null("").str.strip_chars().eq("")
    return failing(
        "conditional_facts",
        rows,
        bad,
        "condition",
        "the fact states neither who it applies to nor under what condition",
    )


def visit_fits_hours(context: GateContext) -> pl.DataFrame:
    """The minimum duration of a visit fits into at least one opening period of the place."""
    facts = context.table("poi_facts")
    longest = (
        facts.filter(pl.col("hours_weekly").list.len() > 0)
        .explode("hours_weekly")
        .unnest("hours_weekly")
        .group_by("poi_id")
        .agg(span=(pl.col("close_min") - pl.col("open_min")).max())
    )
    return failing(
        "poi_facts",
        facts.filter(pl.col("duration_min_min").is_not_null()).join(longest, on="poi_id"),
        pl.col("duration_min_min") > pl.col("span"),
        "duration_min_min",
        pl.format(
            "a visit cannot take this long, because the place is open for at most {} "
            "minutes at a time",
            "span",
        ),
    )


def personal_data(context: GateContext) -> pl.DataFrame:
    """No published text contains a phone number, identity number or e-mail address."""
    columns = {
        "pois": ("name_zh", "name_en"),
        "poi_aliases": ("alias",),
        "poi_mentions": ("name",),
        "documents": ("title", "path"),
        "queries": ("text_zh", "text_en"),
        "hotels": ("name_zh", "name_en"),
        "restaurants": ("name_zh", "name_en"),
        "quarantine": ("message", "payload"),
        "evidence": ("quote",),
        "poi_facts": ("value",),
        "conditional_facts": ("value", "condition"),
        "context_tags": ("description",),
    }
    return together(
        failing(
            table,
            context.table(table),
            pl.col(column).str.contains(_PERSONAL),
            column,
            "this looks like personal data",
        )
        for table, names in columns.items()
        if table in context.definitions
        for column in names
    )


def documents(context: GateContext) -> pl.DataFrame:
    """A near-duplicate refers to a different document that is not a near-duplicate itself."""
    rows = context.table("documents")
    copies = rows.filter(pl.col("near_duplicate_of").is_not_null())["doc_id"].unique().implode()
    return together(
        [
            failing(
                "documents",
                rows,
                pl.col("near_duplicate_of") == pl.col("doc_id"),
                "near_duplicate_of",
                "the document is listed as a copy of itself",
            ),
            failing(
                "documents",
                rows,
                pl.col("near_duplicate_of").is_in(copies),
                "near_duplicate_of",
                "the document listed as the original is itself a copy",
            ),
        ]
    )


def tags(context: GateContext) -> pl.DataFrame:
    """The evidence for a tag is a mention of the place in a document, and popularity ranks start at
    1.
    """
    mentioned = context.table("poi_mentions").select("evidence_id", mentioned="poi_id")
    rows = context.table("poi_tags").join(
        context.table("evidence").select("evidence_id", "evidence_kind"),
        on="evidence_id",
        how="left",
    )
    named = rows.join(mentioned.drop_nulls().unique(), on="evidence_id")
    ranks = (
        context.table("poi_popularity")
        .sort("city_id", "context_id", "rank")
        .with_columns(
            expected=pl.int_range(1, pl.len() + 1).over("city_id", "context_id"),
            before=pl.col("score").shift(1).over("city_id", "context_id"),
        )
    )
    return together(
        [
            failing(
                "poi_tags",
                rows,
                pl.col("evidence_kind") != "document",
                "evidence_id",
                "the evidence must be a span of a document",
            ),
            failing(
                "poi_tags",
                named,
                pl.col("poi_id") != pl.col("mentioned"),
                "poi_id",
                "this span of the document names a different place",
            ),
            failing(
                "poi_popularity",
                ranks,
                pl.col("rank") != pl.col("expected"),
                "rank",
                "there is a gap in the ranks",
            ),
            failing(
                "poi_popularity",
                ranks,
                pl.col("score") > pl.col("before"),
                "score",
                "the score is higher than the score of the row with the previous rank",
            ),
        ]
    )


def contexts(context: GateContext) -> pl.DataFrame:
    """A context is a term of its taxonomy, with the names given there, and its id consists of its
    kind and code.
    """
    names = {
        f"{kind}:{term.code}": (term.zh, term.en)
        for kind, terms in CONSTRAINTS.items()
        for term in terms
    }
    names["any:any"] = ("不限", "any")
    rows = context.table("contexts")
    made = pl.col("context_kind") + ":" + pl.col("context_code")
    zh, en = (
        made.replace_strict({k: v[i] for k, v in names.items()}, default=None) for i in (0, 1)
    )
    return together(
        [
            failing(
                "contexts",
                rows,
                ~made.is_in(list(names)),
                "context_code",
                "the taxonomy does not contain this term",
            ),
            failing(
                "contexts",
                rows,
                pl.col("context_id") != made,
                "context_id",
                "the id does not consist of the kind and the code",
            ),
            failing(
                "contexts",
                rows,
                pl.col("name_zh") != zh,
                "name_zh",
                "the taxonomy gives this term a different name",
            ),
            failing(
                "contexts",
                rows,
                pl.col("name_en") != en,
                "name_en",
                "the taxonomy gives this term a different name",
            ),
        ]
    )


def source_dates(context: GateContext) -> pl.DataFrame:
    """A fact or tag from a document has the date of that document."""
    dates = (
        context.table("evidence")
        .filter(pl.col("evidence_kind") == "document")
        .join(date_documents(context.table("documents")), on=["city_id", "doc_id"])
        .select("evidence_id", "stated_on")
    )
    message = pl.format(
        "the document's date is {}", pl.col("stated_on").cast(pl.String).fill_null("unknown")
    )
    return together(
        failing(
            name,
            context.table(name).join(dates, on="evidence_id"),
            pl.col("source_date").ne_missing(pl.col("stated_on")),
            "source_date",
            message,
        )
        for name in (*fact_tables(context), "poi_tags")
    )


GATES = (
    Gate(
        "hours",
        hours,
        "Other values are computed from the opening hours.",
        "Correct the opening hours, or leave them unknown.",
    ),
    Gate(
        "fact_values",
        fact_values,
        "The typed columns, such as `price_cents`, must agree with the value.",
        "Derive the typed columns from the value.",
    ),
    Gate(
        "fact_ids",
        fact_ids,
        "If an id were made from fewer parts, it would stay the same when the fact moved to a "
        "different place or span.",
        "Make the id from the fact's place, field, period, value, evidence and condition.",
    ),
    Gate(
        "conditions",
        conditions,
        "Without its condition, a conditional fact would seem to apply always.",
        "State who the fact applies to or under what condition. If the fact always applies, move "
        "it "
        "to `poi_facts`.",
    ),
    Gate(
        "visit_fits_hours",
        visit_fits_hours,
        "A visit cannot last longer than the place is open.",
        "Check the source: either the hours or the duration given there must be wrong.",
        severity="warning",
    ),
    Gate(
        "personal_data",
        personal_data,
        "Personal data must not be published.",
        "Mask personal data in a text before an engine reads the text.",
    ),
    Gate(
        "documents",
        documents,
        "In a chain of copies, it is unclear which document is the original.",
        "Make all copies refer to the original document.",
    ),
    Gate(
        "tags",
        tags,
        "If no document mentions the place, a tag for the place would be a guess.",
        "Drop the tag.",
    ),
    Gate(
        "contexts",
        contexts,
        "Contexts connect queries, tags and popularity.",
        "Take the term from `schemas.taxonomy`.",
    ),
    Gate(
        "source_dates",
        source_dates,
        "A fact is only as recent as the document that states it.",
        "Take the date from the document.",
    ),
)
