"""Gates on the origin of rows, including lines, ids, findings and the row counts of every stage."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from schemas.contracts import CHECKS
from schemas.facts_aside import describe_fact
from schemas.findings import MESSAGES, always
from schemas.ids import digest
from schemas.read_hash import READ_TABLES, read_hashes
from schemas.tables import Table
from validators.gates.base import (
    Failure,
    Gate,
    GateContext,
    failing,
    failing_any,
    failures,
    faulty,
    gathered,
    in_untouched_city,
    together,
    unlike,
)

_READ = ("hotels", "restaurants", "trains", "flights", "metro_stations")
#: The first stage passes on exactly the rows that the second receives.
_CHAIN = (
    ("tables/attractions", "places/pois"),
    ("tables/hotels", "control/hotels"),
    ("tables/restaurants", "control/restaurants"),
    ("tables/trains", "control/trains"),
    ("tables/flights", "control/flights"),
    ("tables/metro_stations", "control/metro_stations"),
    ("tables/metro_fares", "control/metro_fares"),
    ("documents/documents answers/documents", "control/documents"),
    ("mentions/poi_mentions", "feedback/poi_mentions"),
    ("feedback/poi_mentions", "control/poi_mentions"),
    ("queries/queries", "candidates/queries"),
    ("trajectories/trajectories", "control/trajectories"),
)
#: The rows that the first stage passes on are only a part of those that the second receives.
_PARTS = (
    ("places/pois", "control/pois"), ("tags/poi_facts", "control/poi_facts"),
    ("retrieve/sub_queries", "control/sub_queries"), ("corpus/documents", "documents/documents"),
)  # fmt: skip


@gathered
def lines(context: GateContext) -> Iterator[pl.DataFrame]:
    """Each line of a source file yields only one row of a table."""
    for name in _READ:
        rows = context.table(name)
        line = [c for c in ("city_id", "source_file", "source_line") if c in rows.columns]
        yield failing(
            name,
            rows,
            pl.struct(line).is_duplicated(),
            "source_line",
            "another row comes from the same line of the source file",
        )


@gathered
def connection_ids(context: GateContext) -> Iterator[pl.DataFrame]:
    """The id of a train or flight is the hash of its number, stations, departure and duration."""
    for name, kind in (("trains", "train"), ("flights", "flight")):
        rows = context.table(name)
        parts = rows.select(
            f"{kind}_no", "origin_station", "destination_station",
            pl.col("departure_min", "duration_min").cast(pl.String),
        )  # fmt: skip
        made = [f"{kind}_{digest(kind, *row)}" for row in parts.iter_rows()]
        yield unlike(
            name,
            rows,
            f"{kind}_id",
            made,
            "according to the content of the row, the id should be {}",
        )


@gathered
def read_rows(context: GateContext) -> Iterator[pl.DataFrame]:
    """Each row from a source still contains what the reader of the source read. The gate compares
    each row with the hash that the reader made of it.
    """
    checks = [
        (pl.col("read_hash").is_null(), "read_hash", "the reader recorded no hash"),
        (
            pl.col("read_hash") != pl.col("made"),
            "read_hash",
            "the row differs from the one that the reader read",
        ),
    ]
    for name in READ_TABLES:
        rows = context.table(name)
        yield failing_any(name, rows.with_columns(made=read_hashes(rows)), checks)


def paths(context: GateContext) -> pl.DataFrame:
    """No two documents for a city have the same path."""
    rows = context.table("documents")
    twice = pl.struct("city_id", "path").is_duplicated()
    return failing("documents", rows, twice, "path", "another document has the same path")


def trajectory_ids(context: GateContext) -> pl.DataFrame:
    """The id of a trajectory is the hash of its city and document. The ids of a document's shorter
    trajectories also depend on their stops.
    """
    rows = context.table("trajectories").with_columns(
        stops=pl.col("noisy_visits").list.eval(pl.element().struct.field("evidence_id"))
    )
    longest = pl.col("stops").list.len() == pl.col("stops").list.len().max().over(
        "city_id", "doc_id"
    )
    made = [
        _trip_id(
            row["trajectory_id"],
            row["city_id"],
            row["doc_id"],
            row["stops"],
            is_longest=row["longest"],
        )
        for row in rows.with_columns(longest=longest).iter_rows(named=True)
    ]
    return unlike(
        "trajectories",
        rows,
        "trajectory_id",
        made,
        "according to the trajectory's document, the id should be {}",
    )


def _trip_id(
    held: str, city_id: str, doc_id: str, stops: Sequence[str], *, is_longest: bool
) -> str:
    """Return the id that a trajectory should have; the id of the longest trip has a different form.

    The longest trip may have been set aside, so the longest of the remaining trips may have either
    form of id.
    """
    own, other = f"tr_{digest(city_id, doc_id)}", f"tr_{digest(city_id, doc_id, *stops)}"
    return other if held == other or not is_longest else own


def findings(context: GateContext) -> pl.DataFrame:
    """The findings that readers must always report are present, and each finding has the standard
    wording.
    """
    rows = context.table("findings")
    wanted = pl.col("finding").replace_strict(MESSAGES, default=None, return_dtype=pl.String)
    said = failing(
        "findings",
        rows,
        pl.col("message") != wanted,
        "message",
        "this is not the standard message for the finding",
    )
    have = set(rows.select("city_id", "table", "finding").iter_rows())
    missing = [
        (
            "findings",
            "finding",
            f"{city}/{table}/{finding}",
            None,
            "this finding is missing: it must be reported even if no row is affected",
        )
        for city in rows["city_id"].unique().sort().to_list()
        for table, finding in always()
        if (city, table, finding) not in have
    ]
    return together([said, failures(missing), *_count_findings(context)])


def _count_findings(context: GateContext) -> Iterator[pl.DataFrame]:
    """Check the findings whose number can be computed from other tables."""
    rows = context.table("findings")
    decided = context.table("place_decisions").with_columns(
        one=pl.col("name_a") == pl.col("name_b"), table=pl.lit("attractions")
    )
    kinds = {
        "same_place_two_names": (pl.col("outcome") == "merged") & ~pl.col("one"),
        "same_name_apart": (pl.col("outcome") == "kept_apart") & pl.col("one"),
    }
    tables = context.table("pois").filter(pl.col("poi_source") == "table")["poi_id"].implode()
    parts = context.table("poi_hierarchy").filter(pl.col("poi_id").is_in(tables))
    whole = in_untouched_city(context, "pois", "poi_hierarchy")
    coordinates, known = pl.col("finding") == "coordinates", pl.col("finding").is_in(list(MESSAGES))
    real = [
        *(decided.filter(kind).with_columns(finding=pl.lit(name)) for name, kind in kinds.items()),
        parts.filter(whole).with_columns(
            table=pl.lit("attractions"), finding=pl.lit("sub_attraction")
        ),
        context.table("quarantine")
        .filter(pl.col("stage") == "tables")
        .rename({"check": "finding"})
        .filter(coordinates | ~known),
    ]
    keys = ["city_id", "table", "finding"]
    counted = pl.concat([part.select(keys) for part in real]).group_by(keys).agg(real=pl.len())
    rows = rows.join(counted, on=keys, how="left").with_columns(
        real=pl.col("real").cast(pl.Int64).fill_null(0)
    )
    compared = in_untouched_city(context, "place_decisions")
    by_tables = (
        (pl.col("finding").is_in(list(kinds)) & compared)
        | (pl.col("finding") == "coordinates")
        | pl.col("message").str.starts_with("quarantine, ")
        | ((pl.col("finding") == "sub_attraction") & whole)
    )
    yield failing(
        "findings",
        rows,
        by_tables & (pl.col("n_rows") != pl.col("real")),
        "n_rows",
        pl.format("there are {}", "real"),
    )


def set_aside_rows(context: GateContext) -> pl.DataFrame:
    """Each row of a file that was set aside is recorded with its line number and its correct
    content.
    """
    rows = context.table("quarantine")
    line = pl.concat_str(
        pl.col("source_file"), pl.col("source_line").cast(pl.String), separator=":"
    )
    of_file = (pl.col("stage") == "tables") & ~pl.col("check").is_in(list(CHECKS))
    unnamed = of_file & ~pl.col("row_id").str.starts_with(line).fill_null(False)
    half = pl.col("source_file").is_null() != pl.col("source_line").is_null()
    faults = [
        (
            _payload_fault(row, context.definitions)
            if len(row["payload"]) < _PAYLOAD_CHARACTERS
            else None
        )
        for row in rows.select(
            "stage", "table", "city_id", "row_id", "check", "message", "payload"
        ).to_dicts()
    ]
    return together(
        [
            failing(
                "quarantine",
                rows,
                unnamed,
                "source_line",
                "the id of the row names a different line",
            ),
            failing(
                "quarantine",
                rows,
                ~unnamed & half,
                "source_line",
                "the row has a line but no file, or a file but no line",
            ),
            faulty("quarantine", rows, "payload", faults),
        ]
    )


#: Payloads are cut at this length.
_PAYLOAD_CHARACTERS = 2000


def _payload_fault(row: dict[str, str], tables: Mapping[str, Table]) -> str | None:
    """Return the fault in the recorded content of a row that was set aside, or None."""
    try:
        held = json.loads(row["payload"])
    except ValueError:
        return "the content is not JSON"
    if not isinstance(held, dict):
        return "the content is not a JSON object"
    table = tables.get(row["table"])
    if table is not None and (row["stage"] == "control" or row["check"] in CHECKS):
        made = "/".join(str(held.get(column)) for column in table.key)
    elif row["check"] in CHECKS:
        return None
    elif row["stage"] == "tags":
        said = [str(held.get(k)) for k in ("doc_id", "start", "poi", "field", "value")]
        if row["table"] == "conditional_facts":
            said += [str(held.get(k) or "") for k in ("audience", "condition")]
        made = digest(*said)
        fact = describe_fact(str(held.get("field")), str(held.get("poi")), row["check"])
        if row["message"] != fact:
            return "the message does not match the fact in the content"
    elif row["stage"] == "trajectories":
        made = _trip_id(
            row["row_id"],
            row["city_id"],
            str(held.get("doc_id")),
            held.get("stops", ()),
            is_longest=True,
        )
    elif row["stage"] == "tables" and not held:
        return "the recorded content is empty"
    else:
        return None
    return None if made == row["row_id"] else f"the content is that of a different row: {made}"


def _together(accounts: Mapping[str, tuple[int, int]], names: str) -> tuple[int, int] | None:
    """Return the total numbers of rows that several stages received and passed on.

    The result is None if the first stage has no row counts; for the other stages, the counts are
    optional.
    """
    first, *others = (accounts.get(name) for name in names.split())
    if first is None:
        return None
    held = [first, *(one for one in others if one)]
    return sum(one[0] for one in held), sum(one[1] for one in held)


@gathered
def chain(context: GateContext) -> Iterator[Failure]:
    """Each stage has row counts, and receives exactly the rows that the stage before it passed
    on.
    """
    rows = context.table("stage_counts").sort("city_id")
    for (city,), part in rows.group_by("city_id", maintain_order=True):
        counts = part.select("stage", "table", "rows_in", "rows_kept").iter_rows()
        mine = {f"{stage}/{table}": (rows_in, kept) for stage, table, rows_in, kept in counts}
        for before, after in (*_CHAIN, *_PARTS):
            handed, taken = _together(mine, before), mine.get(after)
            if handed is None and (taken is None or not taken[0]):
                continue
            if handed is None or taken is None:
                lost = before if handed is None else after
                yield (
                    "stage_counts",
                    "stage",
                    f"{city}/{lost}",
                    None,
                    f"the row counts of this stage are missing, but {before} passes rows on to "
                    f"{after}",
                )
            elif handed[1] > taken[0] or (handed[1] < taken[0] and (before, after) in _CHAIN):
                yield (
                    "stage_counts",
                    "rows_in",
                    f"{city}/{after}",
                    str(taken[0]),
                    f"the previous stage, {before}, passed on a different number of rows: "
                    f"{handed[1]}",
                )


GATES = (
    Gate(
        "lines",
        lines,
        "Two rows from the same line of a file are duplicates.",
        "Look for a join that duplicates the row.",
    ),
    Gate(
        "connection_ids",
        connection_ids,
        "If an id were made from fewer values, it would stay the same when the connection changed.",
        "Make the id from the row's number, stations, departure and duration.",
    ),
    Gate(
        "read_rows",
        read_rows,
        "If a join, split or merge is faulty, or a file comes from another build, a row can get "
        "the price or title of a different row while its id stays the same.",
        "Find the stage that changed the row after it was read. If the reader itself "
        "changed the row, it must recompute the hash.",
    ),
    Gate("paths", paths, "Each path must identify only one document.", "Read the documents again."),
    Gate(
        "trajectory_ids",
        trajectory_ids,
        "If an id were not made from the document, it would stay the same when the trajectory "
        "moved to a different document.",
        "Make the id from the city and the document.",
    ),
    Gate(
        "findings",
        findings,
        "All findings must be reported, and each must have its standard wording.",
        "Count the findings again.",
    ),
    Gate(
        "set_aside_rows",
        set_aside_rows,
        "Users must be able to find every quarantined row in its source.",
        "Record the line number and the content of the row itself.",
    ),
    Gate(
        "chain",
        chain,
        "No row may be lost between stages.",
        "Find the stage that loses or adds rows.",
        "table",
    ),
)
