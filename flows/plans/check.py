"""The commands ``tripbed plans check`` and ``tripbed plans score``."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from flows.plans.desk import PlanDesk
from flows.plans.files import Record, read_records, ready
from schemas.nouns import count_noun
from schemas.plans import PlanError, read_plan
from validators.plans.check import Report, report_malformed
from validators.plans.check import check as check_plan
from validators.plans.scores import METRICS
from validators.plans.visits import STOPS, score_plans, trajectory_scores
from warehouse.read import Snapshot


def check(snapshot: Path, files: Sequence[Path], query_id: str | None, as_json: bool) -> int:
    """Check every plan and print the verdicts. Returns 0 if all plans pass, and otherwise 1.

    Raises SettingsError if a file or a query does not exist.
    """
    desk = PlanDesk(Snapshot(snapshot))
    if query_id is not None:
        desk.request(query_id)
    reports = [_check_record(record, desk, query_id) for record in read_records(files)]
    if as_json:
        sys.stdout.write(_dump(reports) + "\n")
    else:
        for report in reports:
            sys.stdout.write(_in_words(report))
        passed = sum(report["passed"] for report in reports)
        sys.stdout.write(f"{passed} of {len(reports)} plans pass\n")
    return 0 if all(report["passed"] for report in reports) else 1


#: The message for a plan whose form has no prices, tickets and transport.
_ONLY_STOPS = (
    "the plan: well-formed, but {}'s form does not contain what the constraints are about "
    "(tickets, transport, rooms): give it in ChinaTravel's form, or use plans score"
)


def _check_record(record: Record, desk: PlanDesk, query_id: str | None) -> dict[str, Any]:
    asked = query_of(record, desk, query_id)
    head = {
        "plan_id": record.plan_id,
        "query_id": asked,
        "note": _explain_left_out(record, asked, desk),
    }
    return {**head, **check_record(record, desk, asked).to_json()}


def query_of(record: Record, desk: PlanDesk, query_id: str | None) -> str | None:
    """Return the id of the query for which a plan is checked, or None if there is none.

    This is ``query_id`` if it is given, and otherwise the plan's own query if it has constraints.
    """
    return query_id or (record.query_id if _has_constraints(record.query_id, desk) else None)


def check_record(record: Record, desk: PlanDesk, query_id: str | None) -> Report:
    """Check a plan, and return a verdict for every constraint.

    Raises SettingsError if the query does not exist or has no constraints on a whole plan.
    """
    request = desk.request(query_id) if query_id else None
    try:
        if record.problem is not None:
            raise PlanError([record.problem])
        if record.form is not None:
            record.itinerary()
            raise PlanError([_ONLY_STOPS.format(record.form)])
        plan = read_plan(record.value)
    except PlanError as error:
        return report_malformed(error, request)
    city_id = desk.city_id(query_id, plan.target_city)
    if city_id is None:
        held = ", ".join(desk.snapshot.table("cities")["slug"])
        told = f"target_city: {plan.target_city!r} is not in the snapshot, which contains {held}"
        return report_malformed(PlanError([told]), request)
    return check_plan(plan, desk.world(city_id), request)


def _explain_left_out(record: Record, asked: str | None, desk: PlanDesk) -> str | None:
    """Say why a plan is judged without the query that it names; None if it is not."""
    if asked is not None or record.query_id is None:
        return None
    if record.query_id in desk.queries:
        return f"judged without its query: {record.query_id} sets no constraints on a whole plan"
    return f"judged without its query: the snapshot has no query {record.query_id}"


def _has_constraints(query_id: str | None, desk: PlanDesk) -> bool:
    """Check whether a query is in the snapshot and has constraints on a whole plan."""
    if query_id is None or query_id not in desk.queries:
        return False
    return desk.queries[query_id]["family"] in ("traveleval", "chinatravel")


def _in_words(report: Mapping[str, Any]) -> str:
    verdicts = [v for group in ("environment", "tripscore", "query") for v in report[group]]
    if all(v["passed"] is None for v in report["environment"]):
        form = next(v for v in verdicts if v["constraint"] == "response_format")
        problems = "\n".join(f"  {reason}" for reason in form["reasons"])
        return f"{report['plan_id']}: cannot be read as a plan (response_format)\n{problems}\n"
    lines = [f"{report['plan_id']}: {'passes' if report['passed'] else 'does not pass'}"]
    if report["note"]:
        lines.append(f"  {report['note']}")
    for verdict in verdicts:
        if verdict["passed"] is not True:
            word = "fails" if verdict["passed"] is False else "unknown"
            reasons = "; ".join(verdict["reasons"])
            lines.append(f"  {verdict['constraint']} {word}: {reasons}")
    lines += [
        f"  wish not met: {'; '.join(v['reasons'])}" for v in report["wishes"] if not v["passed"]
    ]
    return "\n".join(lines) + "\n"


def score(
    snapshot: Path, files: Sequence[Path], out: Path, query_id: str | None, as_json: bool
) -> int:
    """Score every plan, and write one Parquet file with one row per plan.

    Returns 0, or 1 if a plan has a problem. Raises SettingsError if a file or query does not exist.
    """
    ready(out)
    desk = PlanDesk(Snapshot(snapshot))
    if query_id is not None:
        desk.query(query_id)
    records = read_records(files)
    stops, plans = _stops(records, desk, query_id)
    scored = score_plans(plans, stops, desk.snapshot.table)
    assert scored.height == len(records), "every plan has a row"
    scored.write_parquet(out)
    bad = scored.filter(pl.col("problem").is_not_null())
    means = scored.select(pl.col(METRICS).mean()).to_dicts()[0]
    summary = {"plans": len(records), "problems": bad.height, "means": means, "out": str(out)}
    if as_json:
        sys.stdout.write(_dump(summary) + "\n")
    else:
        for name, value in means.items():
            sys.stdout.write(f"{name:24}{'unknown' if value is None else f'{value:.4f}'}\n")
        for row in bad.head(20).to_dicts():
            sys.stdout.write(f"{row['plan_id']}: {row['problem']}\n")
        sys.stdout.write(
            f"{count_noun(len(records), 'plan')}, {bad.height} with a problem: {out}\n"
        )
    return 1 if bad.height else 0


def score_trajectories(snapshot: Path, out: Path, as_json: bool) -> int:
    """Score the reference trajectories of every query, and write one Parquet file. Returns 0."""
    ready(out)
    scored = trajectory_scores(Snapshot(snapshot).table)
    scored.write_parquet(out)
    summary = {
        "trajectories": scored.height,
        "queries": scored["query_id"].n_unique(),
        "out": str(out),
    }
    text = (
        f"{count_noun(scored.height, 'trajectory')} of"
        f" {count_noun(scored['query_id'].n_unique(), 'query')}: {out}"
    )
    sys.stdout.write((_dump(summary) if as_json else text) + "\n")
    return 0


def _stops(
    records: Sequence[Record], desk: PlanDesk, query_id: str | None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a row for each attraction in the plans, and a row for each plan.

    A plan's row contains its query and its problem, if it has any.
    """
    stops: list[tuple[Any, ...]] = []
    plans: list[tuple[str, str | None, str | None]] = []
    for record in records:
        asked = query_id or (record.query_id if record.query_id in desk.queries else None)
        try:
            itinerary, target = record.itinerary()
            city_id = desk.city_id(asked, target)
            if city_id is None:
                raise PlanError(
                    [f"the city is not clear ({target or 'none is named'}): give --query"]
                )
        except PlanError as error:
            plans.append((record.plan_id, asked, str(error)))
            continue
        plans.append((record.plan_id, asked, None))
        stops += [
            (record.plan_id, asked, city_id, s.day, order, s.name, s.start_min, s.end_min)
            for order, s in enumerate(itinerary.visits(), 1)
        ]
    text = pl.String
    named = pl.DataFrame(plans, {"plan_id": text, "query_id": text, "problem": text}, orient="row")
    return pl.DataFrame(stops, STOPS, orient="row"), named


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
