"""Choose the rows that people should review: uncertain rows, changed rows and a random sample."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import polars as pl

from flows.review.apply import APPLIED, LEFT_OUT
from flows.review.forms import Row
from schemas.ids import canonical_json
from schemas.review import fact_hash, row_id
from warehouse.read import Snapshot

#: The prefix of a finding that needs a review; the place's id follows.
SEVERAL_ANSWERS = "several_answers/"
#: A name that is resolved with a lower score is reviewed.
_SURE = 0.9


@dataclass(frozen=True)
class ReviewTask:
    """A row to review, with the reason."""

    table: str
    why: str
    row: Row


def uncertain(snapshot: Snapshot, sample: int, seed: int) -> list[ReviewTask]:
    """Return uncertain names, places and facts, and a random sample of the other rows."""
    tasks: dict[tuple[str, str], ReviewTask] = {}
    found = (_uncertain_names, _several_answers, _disagreements, _twins)
    for task in (task for look in found for task in look(snapshot)):
        tasks.setdefault((task.table, row_id(task.table, task.row)), task)
    rest = [
        ReviewTask(table, "sample", row)
        for table in (*LEFT_OUT, *APPLIED)
        for row in snapshot.table(table).to_dicts()
        if (table, row_id(table, row)) not in tasks
    ]
    drawn = random.Random(seed).sample(rest, min(sample, len(rest)))
    return [*tasks.values(), *sorted(drawn, key=lambda t: (t.table, row_id(t.table, t.row)))]


def _uncertain_names(snapshot: Snapshot) -> Iterator[ReviewTask]:
    rows = snapshot.table("poi_mentions").filter(
        (pl.col("resolution") == "review")
        | (pl.col("poi_id").is_not_null() & (pl.col("resolution_score") < _SURE))
    )
    for row in rows.to_dicts():
        yield ReviewTask(
            "poi_mentions", f"resolved with a score of {row['resolution_score']:.2f}", row
        )


def _several_answers(snapshot: Snapshot) -> Iterator[ReviewTask]:
    """Yield places without coordinates for which a geocoder returns several places."""
    asked = pl.col("finding").str.starts_with(SEVERAL_ANSWERS)
    told = snapshot.table("findings").filter(asked).select(
        "message", poi_id=pl.col("finding").str.strip_prefix(SEVERAL_ANSWERS)
    )  # fmt: skip
    said = dict(told.select("poi_id", "message").iter_rows())
    for row in snapshot.table("pois").filter(pl.col("poi_id").is_in(list(said))).to_dicts():
        yield ReviewTask("pois", said[row["poi_id"]], row)


def _disagreements(snapshot: Snapshot) -> Iterator[ReviewTask]:
    """Yield facts that give different values for the same place, field and time."""
    rows = snapshot.table("poi_facts").with_columns(
        n=pl.col("value").n_unique().over("poi_id", "fact_field", "valid_when")
    )
    for row in rows.filter(pl.col("n") > 1).drop("n").to_dicts():
        yield ReviewTask("poi_facts", "sources disagree", row)


def _twins(snapshot: Snapshot) -> Iterator[ReviewTask]:
    """Yield places whose name contains the name of another place in the same H3 cell."""
    rows = snapshot.table("pois").filter(
        pl.col("superseded_by").is_null() & pl.col("h3_cell").is_not_null()
    )
    parts = set(snapshot.table("poi_hierarchy").select("poi_id", "parent_poi_id").iter_rows())
    for cell in rows.drop_nulls("name_zh").partition_by("h3_cell", maintain_order=True):
        listed = cell.to_dicts()
        for one in listed:
            for other in listed:
                pair = (one["poi_id"], other["poi_id"])
                if one is other or pair in parts or pair[::-1] in parts:
                    continue
                if other["name_zh"] in one["name_zh"]:
                    yield ReviewTask("pois", f"next to {other['name_zh']} ({other['poi_id']})", one)


def find_drifted(before: Snapshot, after: Snapshot) -> Iterator[ReviewTask]:
    """Yield facts whose value for a place, field and time differs from an earlier snapshot."""
    key = ["poi_id", "fact_field", "valid_when"]
    then = before.table("poi_facts").group_by(key).agg(was=pl.col("value").unique().sort())
    rows = after.table("poi_facts").join(then, on=key)
    for row in rows.filter(~pl.col("was").list.contains(pl.col("value"))).to_dicts():
        was = ", ".join(row.pop("was"))
        yield ReviewTask("poi_facts", f"was {was}", row)


def export_rows(
    snapshot: Snapshot, tasks: Iterable[ReviewTask], decided: Iterable[Row]
) -> list[Row]:
    """Return one row per task, as reviewers see it, except unchanged rows with a decision."""
    settled = {(d["table"], d["row_id"], d["fact_hash"]) for d in decided}
    names = {
        row["poi_id"]: row["name_zh"] or row["name_en"]
        for row in snapshot.table("pois").select("poi_id", "name_zh", "name_en").to_dicts()
    }
    spans = {row["evidence_id"]: row for row in snapshot.table("evidence").to_dicts()}
    paths = dict(snapshot.table("documents").select("doc_id", "path").iter_rows())
    made = []
    for task in tasks:
        where, mark = row_id(task.table, task.row), fact_hash(task.row)
        if (task.table, where, mark) in settled:
            continue
        span = spans.get(task.row.get("evidence_id") or "", {})
        made.append(
            {
                "city_id": task.row["city_id"], "table": task.table, "row_id": where,
                "fact_hash": mark, "why": task.why, "name": names.get(task.row.get("poi_id") or ""),
                "claim": canonical_json({k: v for k, v in task.row.items() if v not in (None, [])}),
                "document": paths.get(span.get("doc_id") or "") or span.get("source_file"),
                "start": span.get("start") or span.get("source_line"), "end": span.get("end"),
                "reviewer": None, "decision": None, "reason": None, "decided_on": None,
            }
        )  # fmt: skip
    return made
