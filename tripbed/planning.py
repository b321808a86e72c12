"""Checks and scores a single plan with the data of a snapshot."""

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

#: The name of a plan that has no id of its own.
_NAME = "plan"


@dataclass(frozen=True)
class Score:
    """The metrics of a plan, by the column names that ``tripbed plans score`` uses.

    A metric that cannot be computed is None. ``problem`` explains why a plan could not be read.
    """

    metrics: Mapping[str, float | None]
    problem: str | None = None


def check_plan(
    snapshot: str | Path, plan: Mapping[str, Any], query_id: str | None = None
) -> Report:
    """Check a plan as ``tripbed plans check`` does, with a verdict and reason for each constraint.

    The plan has ChinaTravel's form, either by itself or as ``{"plan": ..., "query_id": ...}``.
    Without a query, or if the query has no constraints on a whole plan, only general constraints
    are checked. Raises SettingsError if the snapshot does not contain the query, SnapshotError if
    the folder is not a snapshot, and StorageError if an address cannot be read.

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
    """Score a plan in any form by the metrics of the papers, as ``tripbed plans score --metrics``
    does.

    ``papers`` can contain tprag, traveleval, chinatravel, tripscore and triptailor, or be
    ``["all"]``. Raises SettingsError if a paper or the query is unknown, SnapshotError if there is
    no snapshot, and StorageError if an address cannot be read.

    >>> score_plan("snapshots/latest", plan, query_id="q1").metrics["time_buffer"]
    0.25
    """
    record = record_of(_NAME, dict(plan))
    folder = open_snapshot(snapshot).resolve()
    if query_id is not None:
        material_of(folder).query(query_id)
    row = measure_plans(folder, [record], papers_of(",".join(papers)), query_id).row(0, named=True)
    return Score({name: row[name] for name in row if name not in ABOUT}, row["problem"])
