"""Reports for every row in the query files whether it was kept, quarantined or left pending, and
why.

This module checks that the rows kept, quarantined and pending add up to all rows, so that every row
is in the report. The report is stored beside the snapshot's tables (``warehouse.given``), because
some rows do not belong to any city in the snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from flows.pipeline.shards import Ref, Workspace
from flows.pipeline.stages.base import Inputs, Row
from schemas.cities import City
from schemas.nouns import count_noun
from warehouse.given import make_frame

_WAITING = "pending_documents"


def account_of(inputs: Inputs, workspace: Workspace, refs: Iterable[Ref]) -> pl.DataFrame:
    """Return one row for each row in the query files; raise RuntimeError if a row is missing."""
    given = inputs.queries
    if given is None:
        return make_frame("given_queries", [])
    built_for = sorted(city.slug for city in inputs.cities)
    rows: list[Row] = [
        {
            "given_file": one.entry.file, "given_line": one.entry.line, "form": one.entry.form,
            "status": "quarantined", "reason": one.check, "why": one.message, "masked": 0,
        }
        for one in given.rejected
    ]  # fmt: skip
    found = {(ref.stage, ref.shard): ref for ref in refs if ref.stage in ("queries", "control")}
    for city in inputs.cities:
        told = workspace.read(found["queries", city.slug], "given").to_dicts()
        rows += _of_city(city, told, workspace, found["control", city.slug])
    if len(rows) != given.total:
        raise RuntimeError(
            f"the query files have {count_noun(given.total, 'row')}, but {len(rows)} are"
            " accounted for"
        )
    return make_frame("given_queries", [{**row, "built_for": built_for} for row in rows])


def frame_account(account: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the table for ``warehouse.given``, or no table if no query file was given."""
    return {"given_queries": account} if account.height else {}


def _of_city(city: City, told: list[Row], workspace: Workspace, control: Ref) -> list[Row]:
    """Return the rows about a city, with the outcome of each query."""
    kept = {
        row["query_id"]: row
        for row in workspace.read(control, "queries", ("query_id", "status", "reason")).to_dicts()
    }
    aside = workspace.read(control, "quarantine", ("table", "row_id", "check", "message"))
    bad = {row["row_id"]: row for row in aside.filter(pl.col("table") == "queries").to_dicts()}
    found = []
    for row in told:
        query_id = row["query_id"]
        if query_id is None:
            outcome: Row = {"status": "quarantined"}
        elif query_id in kept:
            waits = kept[query_id]["status"] == _WAITING
            outcome = {"status": "pending" if waits else "kept"}
            if waits:
                outcome |= {"reason": _WAITING, "why": kept[query_id]["reason"]}
        elif query_id in bad:
            outcome = {
                "status": "quarantined", "reason": bad[query_id]["check"],
                "why": bad[query_id]["message"],
            }  # fmt: skip
        else:
            raise RuntimeError(
                f"the query {query_id} was lost between the stages queries and control"
            )
        found.append({**row, **outcome, "city": city.slug})
    return found
