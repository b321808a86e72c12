"""Check and score one plan against a snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.plans.check import check_record, query_of
from flows.plans.files import record_of
from flows.plans.material import material_of
from flows.plans.metrics import ABOUT, measure_plans, papers_of
from validators.plans.check import Report
from warehouse.addresses import open_snapshot

#: How a plan without an id of its own is called.
_NAME = "plan"


@dataclass(frozen=True)
class Score:
    """A plan's metrics, by the names of the columns that ``tripbed plans score`` writes.

    A metric without anything to count is None. ``problem`` says why a plan could not be read.
    """

    metrics: Mapping[str, float | None]
    problem: str | None = None


def check_plan(
    snapshot: str | Path, plan: Mapping[str, Any], query_id: str | None = None
) -> Report:
    """A verdict with its reason for every constraint, as ``tripbed plans check`` gives it.

    The plan is in ChinaTravel's form, by itself or as ``{"plan": ..., "query_id": ...}``. Without a
    query, or with one that sets no constraints on a whole plan, it is judged by itself. Raises
    SettingsError for a query that the snapshot does not hold, SnapshotError and StorageError.

    >>> report = check_plan("snapshots/latest", plan, query_id="q1")
    >>> report.passed, report.failed()
    (False, ['intercity_present'])
    """
    record = record_of(_NAME, dict(plan))
    material = material_of(open_snapshot(snapshot).resolve())
    return check_record(record, material, query_of(record, material, query_id))


def score_plan(
    snapshot: str | Path,
    plan: Mapping[str, Any],
    query_id: str | None = None,
    papers: Sequence[str] = ("tprag",),
) -> Score:
    """The metrics of papers for a plan of any form, as ``tripbed plans score --metrics`` counts
    them.

    ``papers`` are some of tprag, traveleval, chinatravel, tripscore and triptailor, or ``["all"]``.
    Raises SettingsError for unknown papers and queries, SnapshotError and StorageError.

    >>> score_plan("snapshots/latest", plan, query_id="q1").metrics["time_buffer"]
    0.25
    """
    record = record_of(_NAME, dict(plan))
    folder = open_snapshot(snapshot).resolve()
    if query_id is not None:
        material_of(folder).query(query_id)
    row = measure_plans(folder, [record], papers_of(",".join(papers)), query_id).row(0, named=True)
    metrics = {name: row[name] for name in row if name not in ABOUT}
    return Score(metrics, row["problem"])
