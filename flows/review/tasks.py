"""The commands ``tripbed review export`` and ``import``, and the choice of rows to review."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from flows.console import print_json
from flows.errors import SettingsError
from flows.review.apply import APPLIED, LEFT_OUT, LINKED
from flows.review.forms import Row, label_of, read_decisions, write_csv, write_labelstudio
from flows.review.store import check_keeps, list_decisions, store_decisions
from flows.settings.environment import Settings
from schemas.ids import canonical_json
from schemas.nouns import count_noun
from schemas.review import fact_hash, row_id
from storage.places import address_of
from validators.gates.control import double_decisions, kappa
from warehouse.read import Snapshot

#: The prefix of a finding that needs a review; the place's id follows.
SEVERAL_ANSWERS = "several_answers/"
#: A name that is resolved with a lower score is reviewed.
_SURE = 0.9


@dataclass(frozen=True)
class ReviewTask:
    """A row to review, with the reason for the review."""

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
    """Yield facts whose value for a place, field and time was different in an earlier snapshot."""
    key = ["poi_id", "fact_field", "valid_when"]
    then = before.table("poi_facts").group_by(key).agg(was=pl.col("value").unique().sort())
    rows = after.table("poi_facts").join(then, on=key)
    for row in rows.filter(~pl.col("was").list.contains(pl.col("value"))).to_dicts():
        was = ", ".join(row.pop("was"))
        yield ReviewTask("poi_facts", f"was {was}", row)


def export_rows(
    snapshot: Snapshot, tasks: Iterable[ReviewTask], decided: Iterable[Row]
) -> list[Row]:
    """Return one row per task in the form that reviewers see.

    Unchanged rows with a decision are left out.
    """
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


def export_tasks(
    path: Path,
    target: Path,
    form: str,
    sample: int,
    seed: int,
    against: Path | None,
    settings: Settings,
    as_json: bool,
) -> None:
    """Write the rows to review to a file, and print how many there are in each table."""
    snapshot = Snapshot(path)
    tasks = uncertain(snapshot, sample, seed)
    if against is not None:
        tasks = [*find_drifted(Snapshot(against), snapshot), *tasks]
    decided = list_decisions(snapshot.path.parent, settings.reviews)
    rows = export_rows(snapshot, tasks, decided)
    unique = list({(row["table"], row["row_id"]): row for row in reversed(rows)}.values())[::-1]
    write = write_csv if form == "csv" else write_labelstudio
    write(unique, target)
    counts = dict(sorted(Counter(row["table"] for row in unique).items()))
    if as_json:
        print_json({"path": str(target), "tasks": len(unique), "tables": counts})
    else:
        tables = "".join(f", {number} of {name}" for name, number in counts.items())
        print(f"{target}: {count_noun(len(unique), 'row')} to review{tables}")


def import_decisions(decisions: Path, store: Path, settings: Settings, as_json: bool) -> None:
    """Import decisions into a store, and print the reviewers' agreement.

    Also prints decisions that a build cannot apply. Raises SettingsError if the decisions or the
    store cannot be used.
    """
    check_keeps(store, settings.reviews)
    if address_of(store) is None and not store.is_dir():
        raise SettingsError(
            f"{store} is not a store: give the folder that `tripbed build` wrote to"
        )
    given = read_decisions(decisions)
    new, total = store_decisions(store, settings.reviews, given)
    agreement = {
        f"{one}/{other}": {"rows": len(both), "kappa": round(kappa(both), 3)}
        for (one, other), both in double_decisions(
            _label(list_decisions(store, settings.reviews))
        ).items()
    }
    by_source = [
        row for row in given
        if row["decision"] == "reject"
        and row["table"] not in (*APPLIED, *LEFT_OUT, *LINKED)
    ]  # fmt: skip
    if as_json:
        print_json(
            {
                "read": len(given),
                "new": new,
                "held": total,
                "agreement": agreement,
                "to_mend_in_source": [row["row_id"] for row in by_source],
            }
        )
        return
    print(f"{count_noun(len(given), 'decision')} read, {new} new, {total} now in {store}")
    for names, found in agreement.items():
        print(f"{names}: kappa {found['kappa']} over {count_noun(int(found['rows']), 'row')}")
    for row in by_source:
        print(
            f"{row['table']} {row['row_id']}: the decision is recorded, but builds cannot apply it;"
            " fix the row in its source"
        )


def _label(decisions: list[Row]) -> pl.DataFrame:
    """Return decisions with labels for comparison. If two reviewers name different places, they
    count as disagreeing.
    """
    columns = ("city_id", "table", "row_id", "fact_hash", "reviewer")
    rows = [{**{c: r[c] for c in columns}, "decision": label_of(r)} for r in decisions]
    return pl.DataFrame(rows, schema=dict.fromkeys((*columns, "decision"), pl.String), orient="row")
