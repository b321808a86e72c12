"""Checks the frames of every stage, and sets aside the rows that break their contract.

``flows.pipeline.graph.run_shard`` calls the check for every shard of every stage, so every frame is
checked, whichever executor is used. For each frame, the module checks that the number of rows
received equals the number passed on plus the number set aside.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from flows.pipeline.shards import ACCOUNTS, Frames
from flows.pipeline.stages.base import Job, Stage, stage_count
from schemas.arrow import frame, sort_by_key
from schemas.cities import City
from schemas.contracts import CHECK, MESSAGE, split
from schemas.rows import StageCountsRow
from schemas.typed_rows import read_rows
from validators.control import find_unreferenced, quarantine_rows

#: Frames that report on rows. An error in such a frame is an error of the program, not of a row.
REPORTING = ACCOUNTS | {
    "set_aside",
    "reviewed",
    "rejected",
    "copies",
    "originals",
    "unread",
    "unanswered",
    "untagged",
    "hits",
    "chosen",
    "addresses",
    "pages",
    "waiting",
}
#: Rows of a frame that are set aside, with ``CHECK`` and ``MESSAGE``.
_Faults = dict[str, pl.DataFrame]


class ContractError(RuntimeError):
    """The error for a frame that has no contract or that breaks its contract as a whole."""


def check_frames(stage: Stage, job: Job, frames: Frames) -> Frames:
    """Return a shard's frames with only the good rows; report the other rows as quarantined.

    A row that breaks its contract is set aside, along with each row of the shard that refers to it.
    Raises ContractError if a frame has no contract, or breaks its contract as a whole.
    """
    unknown = sorted(set(frames) - set(stage.outputs))
    if unknown:
        raise ContractError(
            f"stage {stage.name} returned frames that have no contract: {', '.join(unknown)}"
        )
    kept: Frames = {}
    faults: _Faults = {}
    for name, rows in frames.items():
        kept[name], bad = _split(stage, name, rows)
        if bad.height:
            faults[name] = bad
    if not faults:
        return kept
    if job.city is None:
        return _without_documents(stage, kept, faults)
    _follow(stage, kept, faults)
    for name, rows in frames.items():
        if kept[name].height + (faults[name].height if name in faults else 0) != rows.height:
            raise RuntimeError(f"the contract check of stage {stage.name} lost rows of {name}")
    return _account(stage, job.city, kept, faults)


def _split(stage: Stage, name: str, rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    # Importing pandera takes a second, and most shards need none of its errors.
    from pandera.errors import SchemaErrors

    table = stage.outputs[name].table
    try:
        good, bad = split(table, rows)
    except SchemaErrors as error:
        raise ContractError(f"stage {stage.name}, frame {name}: {error}") from error
    if bad.height and name in REPORTING:
        raise ContractError(
            f"stage {stage.name}: the reporting frame {name} breaks its contract: {bad.row(0)}"
        )
    return good, bad


def _follow(stage: Stage, kept: Frames, faults: _Faults) -> None:
    """Move rows to ``faults`` if they refer to a row in ``faults``, until no such row is left."""
    gone = dict(faults)
    while gone:
        later: _Faults = {}
        for name in sorted(kept):
            for column, target in stage.outputs[name].table.references.items():
                other, _, other_column = target.partition(".")
                if other not in gone or name in REPORTING:
                    continue
                lost = gone[other][other_column].implode()
                left = kept[other][other_column].implode()
                names_it = pl.col(column).is_in(lost) & ~pl.col(column).is_in(left)
                bad = kept[name].filter(names_it).with_columns(*find_unreferenced(column, other))
                kept[name] = kept[name].filter(~names_it.fill_null(False))
                if bad.height:
                    later[name] = pl.concat([later[name], bad]) if name in later else bad
        for name, bad in later.items():
            faults[name] = pl.concat([faults[name], bad]) if name in faults else bad
        gone = later


def _without_documents(stage: Stage, kept: Frames, faults: _Faults) -> Frames:
    """In a shard without a city, remove all documents that have bad rows; report them as not read.

    Raises ContractError if the stage has no frame in which to report documents that were not read.
    """
    first = pl.concat([bad.select("doc_id", CHECK, MESSAGE) for bad in faults.values()])
    first = first.unique("doc_id", keep="first", maintain_order=True).sort("doc_id")
    told = first.rename({CHECK: "check", MESSAGE: "message"})
    going = pl.col("doc_id").is_in(first["doc_id"].implode())
    left = {
        name: rows.filter(~going) if "doc_id" in rows.columns else rows
        for name, rows in kept.items()
    }
    if "unread" in kept:
        return {**left, "unread": pl.concat([left["unread"], told]).sort("doc_id")}
    if "rejected" not in kept:
        raise ContractError(f"stage {stage.name} broke its contract: {told.row(0)}")
    meta = [kept["meta"], faults.get("meta", kept["meta"]).select(kept["meta"].columns)]
    rejected = told.join(
        pl.concat(meta).select("doc_id", "path").unique("doc_id"), on="doc_id", how="left"
    ).select(pl.coalesce("path", "doc_id").alias("path"), "check", "message")
    return {**left, "rejected": pl.concat([kept["rejected"], rejected]).sort("path")}


def _account(stage: Stage, city: City, kept: Frames, faults: _Faults) -> Frames:
    """Return the frames with the faults added to the quarantined rows and to the counts."""
    counts = "counts" if "counts" in stage.outputs else "stage_counts"
    counted = read_rows(kept.get(counts, frame("stage_counts", [])), StageCountsRow)
    accounts = {(row["stage"], row["table"]): row for row in counted}
    rejected: list[dict[str, Any]] = []
    for name, bad in sorted(faults.items()):
        output = stage.outputs[name]
        where = output.account or (stage.name, name)
        rejected += quarantine_rows(output.table, bad, city.city_id, *where)
        _count(accounts, city, where, kept[name].height, bad)
    before = kept.get("quarantine", frame("quarantine", []))
    return {
        **kept,
        "quarantine": sort_by_key("quarantine", pl.concat([before, frame("quarantine", rejected)])),
        counts: frame("stage_counts", accounts.values()),
    }


def _count(
    accounts: dict[tuple[str, str], StageCountsRow],
    city: City,
    where: tuple[str, str],
    n_kept: int,
    bad: pl.DataFrame,
) -> None:
    """Count rows as quarantined in the stage's own row of ``stage_counts``, or add such a row.

    If a quarantined query was waiting, it is no longer counted as pending.
    """
    stage, table = where
    mine, n_bad = accounts.get(where), bad.height
    if mine is None:
        accounts[where] = stage_count(
            city, stage, table, rows_in=n_kept + n_bad, kept=n_kept, quarantined=n_bad
        )
        return
    waiting = bad.filter(pl.col("status") != "kept").height if "status" in bad.columns else 0
    waiting = min(waiting, mine["rows_pending"])
    accounts[where] = stage_count(
        city, stage, table, rows_in=mine["rows_in"], merged=mine["rows_merged"],
        pending=mine["rows_pending"] - waiting, kept=mine["rows_kept"] - n_bad + waiting,
        quarantined=mine["rows_quarantined"] + n_bad,
    )  # fmt: skip
