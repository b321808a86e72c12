"""Human review: what is uncertain goes out, decisions come back and hold until a row changes.

A decision rests on what the row said, by hash. A rejected row of a leaf table is set aside when
the next snapshot is published. A rejected place or mention leaves the next build in the stage
``feedback``, so that routes, candidates and counts are made without it.
"""

from __future__ import annotations

import csv
import datetime as dt
import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from flows.decisions import stored_decisions
from flows.settings import SettingsError
from flows.stages.base import Inputs, Rejection
from flows.stages.geocode import SEVERAL_ANSWERS
from flows.stages.reviewed import REVIEWED, Gone, rejected_because, set_aside_row
from schemas.arrow import frame, sort_by_key
from schemas.ids import canonical_json, digest
from schemas.review import fact_hash, row_id
from schemas.tables import TABLES
from warehouse.read import Snapshot

Frames = dict[str, pl.DataFrame]
Row = dict[str, Any]

#: Tables whose rows nothing else counts or names: a rejected row can be set aside at once.
APPLIED = ("poi_aliases", "poi_facts", "poi_hierarchy", "poi_tags")
#: Tables whose rejected rows leave in the stage ``feedback``, before anything is made of them.
LEFT_OUT = ("pois", "poi_mentions")
COLUMNS = (
    "city_id", "table", "row_id", "fact_hash", "why", "name", "claim", "document", "start", "end",
    "reviewer", "decision", "reason", "decided_on",
)  # fmt: skip
_DECISIONS = ("accept", "reject", "unsure")
#: Scores of a resolved name below this are looked at.
_SURE = 0.9


@dataclass(frozen=True)
class Task:
    """One row to be looked at, and why."""

    table: str
    why: str
    row: Row


def uncertain(snapshot: Snapshot, sample: int, seed: int) -> list[Task]:
    """Ambiguous places, weak names, facts that disagree, and a seeded sample of the rest."""
    tasks: dict[tuple[str, str], Task] = {}
    found = (_uncertain_names, _several_answers, _disagreements, _twins)
    for task in (task for look in found for task in look(snapshot)):
        tasks.setdefault((task.table, row_id(task.table, task.row)), task)
    rest = [
        Task(table, "sample", row)
        for table in (*LEFT_OUT, *APPLIED)
        for row in snapshot.table(table).to_dicts()
        if (table, row_id(table, row)) not in tasks
    ]
    drawn = random.Random(seed).sample(rest, min(sample, len(rest)))
    return [*tasks.values(), *sorted(drawn, key=lambda t: (t.table, row_id(t.table, t.row)))]


def _uncertain_names(snapshot: Snapshot) -> Iterator[Task]:
    rows = snapshot.table("poi_mentions").filter(
        (pl.col("resolution") == "review")
        | (pl.col("poi_id").is_not_null() & (pl.col("resolution_score") < _SURE))
    )
    for row in rows.to_dicts():
        yield Task("poi_mentions", f"resolved with a score of {row['resolution_score']:.2f}", row)


def _several_answers(snapshot: Snapshot) -> Iterator[Task]:
    """Places without coordinates for which a geocoder knows several places."""
    asked = pl.col("finding").str.starts_with(SEVERAL_ANSWERS)
    told = snapshot.table("findings").filter(asked).select(
        "message", poi_id=pl.col("finding").str.strip_prefix(SEVERAL_ANSWERS)
    )  # fmt: skip
    said = dict(told.select("poi_id", "message").iter_rows())
    for row in snapshot.table("pois").filter(pl.col("poi_id").is_in(list(said))).to_dicts():
        yield Task("pois", said[row["poi_id"]], row)


def _disagreements(snapshot: Snapshot) -> Iterator[Task]:
    """Facts of one place, field and time that say different things."""
    rows = snapshot.table("poi_facts").with_columns(
        n=pl.col("value").n_unique().over("poi_id", "fact_field", "valid_when")
    )
    for row in rows.filter(pl.col("n") > 1).drop("n").to_dicts():
        yield Task("poi_facts", "sources disagree", row)


def _twins(snapshot: Snapshot) -> Iterator[Task]:
    """Places of one H3 cell of which one's name holds the other's."""
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
                    yield Task("pois", f"next to {other['name_zh']} ({other['poi_id']})", one)


def drifted(before: Snapshot, after: Snapshot) -> Iterator[Task]:
    """Facts whose place, field and time had another value in an earlier snapshot."""
    key = ["poi_id", "fact_field", "valid_when"]
    then = before.table("poi_facts").group_by(key).agg(was=pl.col("value").unique().sort())
    rows = after.table("poi_facts").join(then, on=key)
    changed = rows.filter(~pl.col("was").list.contains(pl.col("value")))
    for row in changed.to_dicts():
        was = ", ".join(row.pop("was"))
        yield Task("poi_facts", f"was {was}", row)


def export_rows(snapshot: Snapshot, tasks: Iterable[Task], decided: Iterable[Row]) -> list[Row]:
    """What a reviewer sees, one row a task; rows with a decision that still holds are left out."""
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


def write_csv(rows: list[Row], target: Path) -> None:
    """The tasks as CSV; the last four columns are the reviewer's."""
    with target.open("w", encoding="utf-8-sig", newline="") as handle:
        writer = csv.DictWriter(handle, COLUMNS)
        writer.writeheader()
        # A cell that begins like a formula would be run by a spreadsheet.
        writer.writerows({k: _harmless(v) for k, v in row.items()} for row in rows)


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def write_labelstudio(rows: list[Row], target: Path) -> None:
    """The tasks as Label Studio imports them, and the labelling interface beside them."""
    tasks = [{"data": {k: row[k] for k in COLUMNS[:10]}} for row in rows]
    target.write_text(json.dumps(tasks, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    choices = "".join(f'<Choice value="{decision}"/>' for decision in _DECISIONS)
    view = (
        '<View><Header value="$name"/><Text name="why" value="$why"/>'
        '<Text name="claim" value="$claim"/><Text name="document" value="$document"/>'
        f'<Choices name="decision" toName="claim" required="true">{choices}</Choices>'
        '<TextArea name="reason" toName="claim"/></View>\n'
    )
    target.with_suffix(".xml").write_text(view, encoding="utf-8")


def read_decisions(path: Path) -> list[Row]:
    """Decisions of a CSV that was filled in, or of a Label Studio export (JSON).

    Raises SettingsError with the line that is wrong. Rows without a decision are left out.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
    rows = list(_from_labelstudio(text, path) if text.lstrip()[:1] == "[" else _from_csv(text, path))  # fmt: skip
    return [_checked(row, path, number) for number, row in enumerate(rows, 1) if row["decision"]]


def _from_csv(text: str, path: Path) -> Iterator[Row]:
    reader = csv.DictReader(text.splitlines())
    missing = {*COLUMNS[:4], *COLUMNS[-4:]} - set(reader.fieldnames or ())
    if missing:
        raise SettingsError(f"{path} is no review: the column {sorted(missing)[0]} is missing")
    for row in reader:
        cells = {k: (v or "").strip() for k, v in row.items() if k}
        yield {k: v[1:] if v[:1] == "'" and v[1:2] in "=+-@" else v for k, v in cells.items()}


def _from_labelstudio(text: str, path: Path) -> Iterator[Row]:
    try:
        tasks = json.loads(text)
        for task in tasks:
            for done in task.get("annotations") or [{}]:
                results = {r["from_name"]: r["value"] for r in done.get("result", [])}
                choice = (results.get("decision", {}).get("choices") or [""])[0]
                reason = " ".join(results.get("reason", {}).get("text") or [])
                by = done.get("completed_by", "")
                by = by.get("id", "") if isinstance(by, dict) else by
                yield {
                    **{k: str(task["data"][k]) for k in COLUMNS[:4]}, "decision": choice,
                    "reason": reason, "reviewer": f"labelstudio-{by}",
                    "decided_on": str(done.get("created_at", ""))[:10],
                }  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingsError(f"{path} is no export of Label Studio: {error!r}") from None


def _checked(row: Row, path: Path, number: int) -> Row:
    where = f"{path}, row {number}"
    if row["table"] not in TABLES:
        raise SettingsError(f"{where}: no table {row['table']!r}")
    if row["decision"] not in _DECISIONS:
        raise SettingsError(f"{where}: {row['decision']!r} is none of {', '.join(_DECISIONS)}")
    if not row.get("reviewer"):
        raise SettingsError(f"{where}: no reviewer: any name that tells reviewers apart will do")
    try:
        day = dt.date.fromisoformat(row.get("decided_on") or "")
    except ValueError:
        raise SettingsError(f"{where}: decided_on is no day like 2026-03-01") from None
    kept = {k: row[k] for k in ("city_id", "table", "row_id", "fact_hash", "reviewer", "decision")}
    made = {**kept, "reason": row.get("reason") or "", "decided_on": day.isoformat()}
    parts = [kept[k] for k in ("city_id", "table", "row_id", "fact_hash", "reviewer")]
    return {**made, "decision_id": f"r_{digest(*parts)}"}


def dated(decisions: Iterable[Row]) -> list[Row]:
    """Decisions as rows of ``review_decisions``: their days as dates."""
    return [{**row, "decided_on": dt.date.fromisoformat(row["decided_on"])} for row in decisions]


def verdicts(decisions: Iterable[Row]) -> dict[tuple[str, str, str], str]:
    """One verdict a row and hash: what most decided; a tie is unsure."""
    votes: dict[tuple[str, str, str], list[str]] = {}
    for row in decisions:
        votes.setdefault((row["table"], row["row_id"], row["fact_hash"]), []).append(row["decision"])  # fmt: skip
    found = {}
    for key, given in votes.items():
        ranked = sorted({*given}, key=lambda d: (-given.count(d), d))
        tie = len(ranked) > 1 and given.count(ranked[0]) == given.count(ranked[1])
        found[key] = "unsure" if tie else ranked[0]
    return found


def rejections(decisions: list[Row]) -> dict[tuple[str, str], str]:
    """Table and row of what most reviewers rejected, and their reasons."""
    found = {}
    for key, verdict in verdicts(decisions).items():
        if verdict == "reject":
            said = {
                row["reason"]
                for row in decisions
                if (row["table"], row["row_id"], row["fact_hash"]) == key
                and row["decision"] == "reject"
            }
            found[key] = "; ".join(sorted(said - {""}))
    return {key[:2]: reason for key, reason in found.items()}


def with_rejections(inputs: Inputs, store: Path) -> Inputs:
    """The inputs of a build with the places and mentions that a store's reviewers rejected."""
    decisions = [row for row in stored_decisions(store) if row["table"] in LEFT_OUT]
    made = []
    for city_id in sorted({row["city_id"] for row in decisions}):
        mine = [row for row in decisions if row["city_id"] == city_id]
        for mark in sorted({row["fact_hash"] for row in mine}):
            same = [row for row in mine if row["fact_hash"] == mark]
            for (table, where), reason in sorted(rejections(same).items()):
                made.append(Rejection(city_id, table, where, mark, reason))
    return replace(inputs, rejections=tuple(made))


def apply(frames: Frames, decisions: list[Row], city_id: str) -> Frames:
    """A city's tables with the decisions that still hold.

    Rejected rows of the applied tables go to ``quarantine``, with what only they stand on, and
    the accounts of control follow. Decisions on rows that changed or went are left out.
    """
    mine = [row for row in decisions if row["city_id"] == city_id]
    if not mine:
        return frames
    hashes = {
        (table, row_id(table, row)): fact_hash(row)
        for table in sorted({row["table"] for row in mine} & frames.keys())
        for row in frames[table].to_dicts()
    }
    left = frames.get("reviewed", pl.DataFrame(schema=REVIEWED))
    hashes |= {(table, where): mark for table, where, mark in left.iter_rows()}
    holding = [r for r in mine if hashes.get((r["table"], r["row_id"])) == r["fact_hash"]]
    reasons = rejections(holding)
    made, gone = dict(frames), []
    for table in APPLIED:
        rows = frames[table].to_dicts()
        why = [reasons.get((table, row_id(table, row))) for row in rows]
        made[table] = frames[table].filter(pl.Series([w is None for w in why], dtype=pl.Boolean))
        gone += [(table, r, rejected_because(w)) for r, w in zip(rows, why, strict=True) if w is not None]  # fmt: skip
    made["review_decisions"] = sort_by_key(
        "review_decisions", frame("review_decisions", dated(holding))
    )
    return _accounted(frames, made, gone, city_id)


def _accounted(before: Frames, made: Frames, gone: list[Gone], city_id: str) -> Frames:
    """Rows that were set aside stand in quarantine and in the accounts of control."""
    if not gone:
        return made
    set_aside = [set_aside_row(city_id, *each) for each in gone]
    parts = [made["quarantine"], frame("quarantine", set_aside)]
    made["quarantine"] = sort_by_key("quarantine", pl.concat(parts))
    number = {table: sum(t == table for t, _, _ in gone) for table in APPLIED}
    controlled = pl.col("stage") == "control"
    lost = pl.when(controlled).then(
        pl.col("table").replace_strict(number, default=0, return_dtype=pl.Int64)
    ).otherwise(0)  # fmt: skip
    made["stage_counts"] = made["stage_counts"].with_columns(
        rows_kept=pl.col("rows_kept") - lost, rows_quarantined=pl.col("rows_quarantined") + lost
    )
    for table in APPLIED:
        if before[table].height != made[table].height + number[table]:
            raise RuntimeError(f"the review lost rows of {table}")
    return made
