"""Gates on evidence, and on the mentions that the evidence supports."""

from __future__ import annotations

import polars as pl

from schemas.ids import SAID_OF_MENTION, mention_id, row_evidence_id, span_evidence_id, text_sha256
from validators.gates.base import (
    Gate,
    GateContext,
    fact_tables,
    failing,
    failing_any,
    together,
    unlike,
)


def evidence_shape(context: GateContext) -> pl.DataFrame:
    """Evidence from a document has a hash and a span within that document. Evidence from a table
    has a file name and a line number.
    """
    lengths = context.table("documents").group_by("doc_id").agg(pl.col("n_chars").max())
    rows = context.table("evidence").join(lengths, on="doc_id", how="left")
    document = pl.col("evidence_kind") == "document"
    span, line = ("doc_id", "start", "end", "quote_sha256"), ("source_file", "source_line")
    told = {column: pl.col(column).is_not_null() for column in (*span, "quote", *line)}
    beyond = pl.format(
        "the span ends after the end of the document, which has {} characters", "n_chars"
    )
    return failing_any(
        "evidence",
        rows,
        [
            *(
                (
                    document & ~told[c],
                    c,
                    "evidence from a document must have a value in this column",
                )
                for c in span
            ),
            *(
                (~document & ~told[c], c, "evidence from a table must have a value in this column")
                for c in line
            ),
            *(
                (
                    ~document & told[c],
                    c,
                    "evidence from a table must not have a value in this column",
                )
                for c in (*span, "quote")
            ),
            *(
                (
                    document & told[c],
                    c,
                    "evidence from a document must not have a value in this column",
                )
                for c in line
            ),
            (pl.col("end") <= pl.col("start"), "end", "the span ends before it starts"),
            (pl.col("end") > pl.col("n_chars"), "end", beyond),
        ],
    )


def evidence_ids(context: GateContext) -> pl.DataFrame:
    """The id of an evidence row is the hash of its position in the source."""
    rows = context.table("evidence")
    spans = rows.select("city_id", "doc_id", "start", "end").iter_rows()
    lines = rows.select("city_id", "source_file", "source_line").iter_rows()
    made = [
        span_evidence_id(*span) if kind == "document" else row_evidence_id(*line)
        for kind, span, line in zip(rows["evidence_kind"], spans, lines, strict=True)
        # The gate ``evidence_shape`` reports rows without a position.
        if None not in (span if kind == "document" else line)
    ]
    document = pl.col("evidence_kind") == "document"
    placed = (
        pl.when(document)
        .then(pl.all_horizontal(pl.col("doc_id", "start", "end").is_not_null()))
        .otherwise(pl.all_horizontal(pl.col("source_file", "source_line").is_not_null()))
    )
    return unlike(
        "evidence",
        rows.filter(placed),
        "evidence_id",
        made,
        "according to the span or row, the id should be {}",
    )


def quote_licence(context: GateContext) -> pl.DataFrame:
    """A text is quoted only if its document names a licence; the hash must match the text."""
    hints = context.table("documents").select("city_id", "doc_id", "licence_hint")
    rows = (
        context.table("evidence")
        .filter(pl.col("quote").is_not_null())
        .join(hints, on=["city_id", "doc_id"], how="left")
    )
    real = [text_sha256(quote) for quote in rows["quote"].to_list()]
    rows = rows.with_columns(real=pl.Series(real, dtype=pl.String))
    return together(
        [
            failing(
                "evidence",
                rows,
                pl.col("licence_hint").is_null(),
                "quote",
                "the document does not state a licence",
            ),
            failing(
                "evidence",
                rows,
                pl.col("quote_sha256") != pl.col("real"),
                "quote",
                "the hash does not match the quoted text",
            ),
        ]
    )


def evidence_used(context: GateContext) -> pl.DataFrame:
    """Every evidence row supports at least one other row."""
    used = [
        context.table(name).select("evidence_id")
        for name in ("pois", "poi_aliases", "poi_mentions", *fact_tables(context), "poi_tags")
    ]
    stops = (
        context.table("trajectories")
        .select("noisy_visits")
        .explode("noisy_visits")
        .drop_nulls()
        .unnest("noisy_visits")
    )
    tags = [context.table("context_tags")] if "context_tags" in context.definitions else []
    used += [
        rows.select(evidence_id=column).drop_nulls()
        for rows in (stops, *tags)
        for column in rows.columns
        if column.endswith("evidence_id")
    ]
    known = pl.concat(used)["evidence_id"].unique().implode()
    return failing(
        "evidence",
        context.table("evidence"),
        ~pl.col("evidence_id").is_in(known),
        "evidence_id",
        "no row refers to this evidence",
    )


def quotes(context: GateContext) -> pl.DataFrame:
    """The evidence for a mention gives its span and name. The mention's id is the hash of
    everything that the reader recorded about the mention.
    """
    evidence = context.table("evidence").select(
        "evidence_id", "quote_sha256", ev_doc="doc_id", ev_start="start", ev_end="end"
    )
    rows = context.table("poi_mentions").join(evidence, on="evidence_id", how="left")
    hashes = [text_sha256(name) for name in rows["name"].to_list()]
    made = [mention_id(*said) for said in rows.select(SAID_OF_MENTION).iter_rows()]
    rows = rows.with_columns(
        real=pl.Series(hashes, dtype=pl.String), made=pl.Series(made, dtype=pl.String)
    )
    moved = (
        (pl.col("ev_start") != pl.col("start"))
        | (pl.col("ev_end") != pl.col("end"))
        | (pl.col("ev_doc") != pl.col("doc_id"))
    )
    length = pl.col("end") - pl.col("start") != pl.col("name").str.len_chars()
    return together(
        [
            failing(
                "poi_mentions",
                rows,
                moved,
                "start",
                "the span of the evidence differs from the span of the mention",
            ),
            failing(
                "poi_mentions",
                rows,
                pl.col("quote_sha256") != pl.col("real"),
                "name",
                "the evidence quotes a different text",
            ),
            failing(
                "poi_mentions", rows, length, "end", "the span and the name have different lengths"
            ),
            failing(
                "poi_mentions",
                rows,
                pl.col("mention_id") != pl.col("made"),
                "mention_id",
                "the id does not match the values that the reader recorded",
            ),
        ]
    )


def mention_days(context: GateContext) -> pl.DataFrame:
    """A linked mention has a place. A stop has either both a day and an order, or neither. A reason
    has either both a start and an end, or neither.
    """
    rows = context.table("poi_mentions")
    linked = pl.col("resolution").is_in(["linked", "new"])
    # Mentions with fewer points than the least certain link must not be linked automatically.
    least = (
        pl.col("resolution_score").filter(pl.col("resolution") == "linked").min().over("city_id")
    )
    reason = pl.col("reason_start"), pl.col("reason_end")
    no_range = (reason[0].is_null() != reason[1].is_null()) | (reason[0] >= reason[1]).fill_null(
        False
    )
    above = ~linked & (pl.col("resolution_score") >= least)
    return together(
        [
            failing(
                "poi_mentions",
                rows,
                above,
                "resolution_score",
                "the mention is certain enough to be linked, but is not linked",
            ),
            failing(
                "poi_mentions",
                rows,
                linked != pl.col("poi_id").is_not_null(),
                "poi_id",
                "a mention must have a place if and only if it is linked",
            ),
            failing(
                "poi_mentions",
                rows,
                pl.col("day").is_null() != pl.col("order").is_null(),
                "day",
                "`day` must have a value if and only if `order` has one",
            ),
            failing(
                "poi_mentions",
                rows,
                no_range,
                "reason_end",
                "the reason must have both a start and an end, and the start must come first",
            ),
        ]
    )


GATES = (
    Gate(
        "evidence_shape",
        evidence_shape,
        "Evidence must be either a span of a document or a row of a source file.",
        "Quarantine the row as `ungrounded`.",
    ),
    Gate(
        "evidence_ids",
        evidence_ids,
        "If an id were not made from the span or row, it would stay the same when the evidence "
        "moved.",
        "Make ids with `schemas.ids`.",
    ),
    Gate(
        "quote_licence",
        quote_licence,
        "A text by someone else may be quoted only if its licence allows this.",
        "Leave out the quote; its hash is enough.",
    ),
    Gate(
        "evidence_used",
        evidence_used,
        "If no row refers to a piece of evidence, the row that it supported may have been lost.",
        "Look for the missing row.",
        severity="warning",
    ),
    Gate(
        "quotes",
        quotes,
        "The span in the evidence must contain exactly the quoted name.",
        "Read the document again.",
    ),
    Gate(
        "mention_days",
        mention_days,
        "A mention with incomplete values cannot be used.",
        "Link the mentions again.",
    ),
)
