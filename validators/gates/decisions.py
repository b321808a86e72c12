"""Gates on what was compared, what was decided, and the source row of each value."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from schemas.ids import comparison_id
from schemas.read_hash import value_hash
from schemas.taxonomy import CATEGORY_OF_BASE_TYPE
from validators.gates.base import (
    Gate,
    GateContext,
    failing,
    failing_any,
    faulty,
    gathered,
    read_set_aside,
    report,
    together,
    unlike,
    with_distances,
)
from validators.gates.space import ROUNDING_M

#: Fields of a place and the column that shows whether they are known.
_OF_PLACES = {
    "name_zh": "name_zh", "name_en": "name_en", "category": "category", "base_type": "base_type",
    "coordinates": "lat", "rating": "rating", "grade": "grade",
}  # fmt: skip


@gathered
def comparisons(context: GateContext) -> Iterator[pl.DataFrame]:
    """The id of a comparison is the hash of its two rows and the decision. The two rows of a
    comparison belong to the two places that were compared.
    """
    rows = context.table("place_decisions")
    said = rows.select("evidence_id", "other_evidence_id", "verdict", "score", "reason")
    made = [comparison_id(*row) for row in said.iter_rows()]
    yield unlike(
        "place_decisions",
        rows,
        "comparison_id",
        made,
        "according to the rows and the decision, the id should be {}",
    )
    owner = context.table("pois").select(own="poi_id", row="evidence_id")
    for poi, evidence in (("poi_id", "evidence_id"), ("other_poi_id", "other_evidence_id")):
        owned = rows.join(owner, left_on=evidence, right_on="row")
        yield unlike("place_decisions", owned, poi, owned["own"], "the row belongs to the place {}")


@gathered
def compared_names(context: GateContext) -> Iterator[pl.DataFrame]:
    """The two names that were compared belong to the two places of the comparison."""
    pois = context.table("pois")
    named = [
        *(pois.select("poi_id", name=column) for column in ("name_zh", "name_en")),
        context.table("poi_aliases").select("poi_id", name="alias"),
    ]
    names = pl.concat(named).drop_nulls().unique()
    dropped = list(read_set_aside(context, "poi_aliases"))
    rows = context.table("place_decisions")
    for poi, name in (("poi_id", "name_a"), ("other_poi_id", "name_b")):
        strange = rows.join(names, left_on=[poi, name], right_on=["poi_id", "name"], how="anti")
        bad = ~pl.concat_str(poi, name, separator="/").is_in(dropped)
        yield failing("place_decisions", strange, bad, name, "this is not a name of the place")


def compared_distances(context: GateContext) -> pl.DataFrame:
    """The distance given for two compared rows is the distance between their places, and the reason
    states the same distance.
    """
    spots = (
        context.table("pois")
        .select("poi_id", "lat", "lon")
        .drop_nulls()
        .join(
            context.table("poi_origins")
            .filter(pl.col("poi_field") == "coordinates")
            .select("poi_id", "evidence_id"),
            on="poi_id",
        )
        .drop("poi_id")
    )
    rows = context.table("place_decisions")
    ends = rows.join(spots, on="evidence_id").join(
        spots, left_on="other_evidence_id", right_on="evidence_id", suffix="_to"
    )
    ends = with_distances(ends)
    off = pl.col("distance_m").is_null() | (
        (pl.col("distance_m") - pl.col("real")).abs() > ROUNDING_M
    )
    message = pl.format("the places are {} m apart", pl.col("real").round(1))
    told = pl.col("reason").str.extract(r", (\d+) m apart$").cast(pl.Float64)
    far = pl.col("reason").str.extract(r", but (\d+\.\d) km apart$").cast(pl.Float64)
    other = ((told - pl.col("distance_m")).abs() > 0.56) | (
        (far * 1000 - pl.col("distance_m")).abs() > 50.06
    )
    return together(
        [
            failing("place_decisions", ends, off, "distance_m", message),
            failing(
                "place_decisions",
                rows,
                other,
                "reason",
                "the distance in the reason differs from `distance_m`",
            ),
        ]
    )


def outcomes(context: GateContext) -> pl.DataFrame:
    """Rows with the outcome `merged` belong to one place. Rows with the outcome `part_of` belong to
    two places, and the hierarchy contains this pair of places.
    """
    edges = context.table("poi_hierarchy").select("poi_id", "parent_poi_id")
    nested = {*edges.iter_rows(), *(pair[::-1] for pair in edges.iter_rows())}
    gone = {tuple(key.split("/")) for key in read_set_aside(context, "poi_hierarchy")}
    doubtful = gone | {pair[::-1] for pair in gone}
    rows = context.table("place_decisions")
    faults = [
        None if (one, other) in doubtful else _outcome_fault(one, other, outcome, nested)
        for one, other, outcome in rows.select("poi_id", "other_poi_id", "outcome").iter_rows()
    ]
    return faulty("place_decisions", rows, "outcome", faults)


def _outcome_fault(one: str, other: str, outcome: str, nested: set[tuple[str, ...]]) -> str | None:
    apart = "part_of" if (one, other) in nested else "kept_apart"
    made = "merged" if one == other else apart
    return None if outcome == made else f"according to the other tables, the outcome was {made}"


def parents(context: GateContext) -> pl.DataFrame:
    """A place is part of another only if a source or a comparison states this."""
    rows = context.table("poi_hierarchy").with_columns(
        why=pl.col("reason").str.extract(r"^(.*) \(\d\.\d\d\)$", 1),
        told=pl.col("reason").str.extract(r" \((\d\.\d\d)\)$", 1).cast(pl.Float64),
    )
    compared = context.table("place_decisions").select("poi_id", "other_poi_id", "reason", "score")
    both = pl.concat(
        [
            compared.rename({"other_poi_id": "parent_poi_id"}),
            compared.rename({"poi_id": "parent_poi_id", "other_poi_id": "poi_id"}).select(
                "poi_id", "parent_poi_id", "reason", "score"
            ),
        ]
    ).rename({"reason": "why"})
    keys = ["poi_id", "parent_poi_id", "why"]
    table_places = context.table("pois").filter(pl.col("poi_source") == "table")["poi_id"].implode()
    read = rows.filter(
        pl.col("why").is_not_null()
        & pl.col("poi_id").is_in(table_places)
        & pl.col("parent_poi_id").is_in(table_places)
    )
    unread = read.join(both, on=keys, how="anti")
    scored = read.join(both, on=keys).filter((pl.col("told") - pl.col("score")).abs() > 0.0056)
    anchors = context.table("pois").select(parent_poi_id="poi_id", anchor="anchor")
    stated = rows.with_columns(
        id=pl.col("reason").str.extract(STATED, 1), part=pl.col("reason").str.extract(STATED, 2)
    ).join(anchors, on="parent_poi_id")
    other = ~pl.col("anchor").str.ends_with(pl.concat_str(pl.lit("|"), pl.col("id")))
    # The row that names the container need not be the row that gave the place its anchor.
    named = stated.with_columns(anchor=pl.format("{}|src|{}", "city_id", "part"))
    owned = named.join(context.table("pois").select("anchor", own="poi_id"), on="anchor")
    strange = failing(
        "poi_hierarchy",
        owned,
        pl.col("own") != pl.col("poi_id"),
        "poi_id",
        pl.format("according to the source, the place that belongs to this parent is {}", "own"),
    )
    return together(
        [
            report(
                "poi_hierarchy",
                unread,
                "reason",
                "no comparison of the two places shows that one contains the other",
            ),
            report("poi_hierarchy", scored, "reason", "the comparison has a different score"),
            failing(
                "poi_hierarchy",
                stated,
                pl.col("id").is_not_null() & other,
                "parent_poi_id",
                "the source names a different parent",
            ),
            strange,
        ]
    )


#: The reason if a source names the container, with the ids of the container and the part.
STATED = r"^the source names it: (.+?)(?:, of (.+))?$"


@gathered
def origins(context: GateContext) -> Iterator[pl.DataFrame]:
    """For a place from the tables, each known field names its source row, and that row is one of
    the place's own rows.
    """
    rows = context.table("poi_origins")
    pois = context.table("pois")
    owner = pois.select(own="poi_id", row="evidence_id").unique("row")
    owned = rows.join(owner, left_on="evidence_id", right_on="row")
    yield failing(
        "poi_origins",
        owned,
        pl.col("own") != pl.col("poi_id"),
        "evidence_id",
        pl.format("the row belongs to the place {}", "own"),
    )
    for field, column in _OF_PLACES.items():
        have = rows.filter(pl.col("poi_field") == field).select("poi_id", has=pl.lit(True))
        joined = pois.join(have, on="poi_id", how="left")
        checks = [
            (
                pl.col("has").is_not_null() & pl.col(column).is_null(),
                column,
                "a source row has a value for this field, but the place has none",
            ),
            (_from_nowhere(field), column, "no source row is recorded for this value"),
        ]
        yield failing_any("pois", joined, checks)
    of_field = (
        context.table("poi_facts")
        .rename({"fact_field": "poi_field"})
        .join(rows.select("poi_id", "poi_field", row="evidence_id"), on=["poi_id", "poi_field"])
    )
    other = pl.col("fact_id").str.starts_with("fact_") & (pl.col("row") != pl.col("evidence_id"))
    yield failing(
        "poi_facts",
        of_field,
        other,
        "evidence_id",
        "the field's value does not come from this source row",
    )


@gathered
def given_values(context: GateContext) -> Iterator[pl.DataFrame]:
    """Each field of a place has the value that the field's source row gave. The gate compares
    hashes of the values.
    """
    rows = context.table("poi_origins").drop_nulls("value_hash")
    pois = context.table("pois")
    for field, column in _OF_PLACES.items():
        columns = [column, "lon"] if field == "coordinates" else [column]
        joined = rows.filter(pl.col("poi_field") == field).join(
            pois.select("poi_id", *columns), on="poi_id"
        )
        made = [value_hash(list(values)) for values in joined.select(columns).iter_rows()]
        joined = joined.with_columns(made=pl.Series(made, dtype=pl.String))
        bad = pl.col("value_hash") != pl.col("made")
        yield failing(
            "poi_origins",
            joined,
            bad,
            "value_hash",
            f"the source row and the place have different values in the field {field}",
        )
    table = pois.filter(pl.col("poi_source") == "table")["poi_id"].implode()
    unhashed = pl.col("poi_id").is_in(table) & pl.col("value_hash").is_null()
    yield failing(
        "poi_origins",
        context.table("poi_origins"),
        unhashed,
        "value_hash",
        "the hash of the value from the source row is missing",
    )


def _from_nowhere(field: str) -> pl.Expr:
    """Check whether a known field lacks the source row that it should have."""
    from_table = pl.col("poi_source") == "table"
    known = {
        "name_zh": pl.col("name_zh_origin") == "original",
        "name_en": pl.col("name_en_origin") == "original",
        # Without a source row, a category follows from the type or from the ending of the name.
        "category": pl.lit(False),
        "base_type": pl.col("base_type").is_not_null(),
        "coordinates": pl.col("coordinate_provider") == "table",
        "rating": pl.col("rating").is_not_null(),
        "grade": pl.col("grade").is_not_null(),
    }[field]
    return from_table & known & pl.col("has").is_null()


def own_rows(context: GateContext) -> pl.DataFrame:
    """A place from the tables has its own source row, and one of its names comes from that row."""
    pois = context.table("pois")
    kinds = context.table("evidence").select("evidence_id", "evidence_kind")
    rows = pois.join(kinds, on="evidence_id")
    odd = (pl.col("poi_source") == "table") != (pl.col("evidence_kind") == "table")
    table = pois.filter((pl.col("poi_source") == "table") & pl.col("superseded_by").is_null())
    named = context.table("poi_origins").filter(
        pl.col("poi_field").is_in(["name_zh", "name_en", "coordinates", "category", "base_type"])
    )
    return together(
        [
            failing(
                "pois",
                rows,
                odd,
                "poi_source",
                "the kind of evidence does not match the value in `poi_source`",
            ),
            failing(
                "pois",
                table,
                pl.col("evidence_id").is_duplicated(),
                "evidence_id",
                "another place comes from the same source row",
            ),
            report(
                "pois",
                table.join(named, on=["poi_id", "evidence_id"], how="anti"),
                "evidence_id",
                "none of the place's fields comes from this row",
            ),
        ]
    )


def categories(context: GateContext) -> pl.DataFrame:
    """If no source gives a category, it follows from the type, unless the name shows a religion."""
    given = context.table("poi_origins").filter(pl.col("poi_field") == "category")["poi_id"]
    rows = context.table("pois").filter(
        (pl.col("poi_source") == "table") & ~pl.col("poi_id").is_in(given.implode())
    )
    made = pl.col("base_type").replace_strict(
        CATEGORY_OF_BASE_TYPE, default=None, return_dtype=pl.String
    )
    rows = rows.with_columns(made=made)
    odd = pl.col("category").ne_missing(pl.col("made")) & (
        pl.col("category").ne_missing(pl.lit("religious_spiritual"))
    )
    return failing(
        "pois",
        rows,
        odd,
        "category",
        pl.format(
            "according to the place's type, the category should be {}",
            pl.col("made").fill_null("none"),
        ),
    )


GATES = (
    Gate(
        "comparisons",
        comparisons,
        "Users must be able to see which two rows led to a merge.",
        "Look for a join that does not match on the ids of both rows.",
    ),
    Gate(
        "compared_names",
        compared_names,
        "If the compared names do not belong to the two places, the comparison proves nothing.",
        "Compare the places again.",
    ),
    Gate(
        "compared_distances",
        compared_distances,
        "The decision depends on both the names and the distance.",
        "Compare the places again.",
    ),
    Gate(
        "outcomes",
        outcomes,
        "The recorded outcome must match what happened to the places.",
        "Merge the places, make one part of the other or keep them apart, as decided.",
    ),
    Gate(
        "parents",
        parents,
        "Users must be able to see why one place is part of another.",
        "Name the source or the comparison that shows how the places are related.",
    ),
    Gate(
        "origins",
        origins,
        "Every value of a place must be traceable to its source row.",
        "Record the source row together with the value.",
    ),
    Gate(
        "given_values",
        given_values,
        "If a join is off by one row, places get other places' ratings and coordinates.",
        "Find the faulty join, and read each value from the source row that has the id beside it.",
    ),
    Gate(
        "own_rows",
        own_rows,
        "Two places from the same source row are really one place.",
        "Merge the places, or link each place to its own source row.",
    ),
    Gate(
        "categories",
        categories,
        "A category that comes from no source is a guess.",
        "Derive the category from the type, or leave it unknown.",
    ),
)
