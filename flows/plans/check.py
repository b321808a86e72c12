"""The commands ``tripbed plans check``, ``tripbed plans score`` and ``tripbed plans solve``."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from flows.console import print_json, write_json_lines
from flows.errors import SettingsError
from flows.plans.files import Record, read_records, ready, writable
from flows.plans.material import Material
from schemas.nouns import count_noun
from schemas.plans import PlanError, read_plan
from validators.plans.check import Report, report_malformed
from validators.plans.check import check as check_plan
from validators.plans.reference import Approach, reference
from validators.plans.request import FAMILIES, request_of
from validators.plans.scores import METRICS
from validators.plans.solve import outcome_json
from validators.plans.solve import solve as solved
from validators.plans.visits import STOPS, score_plans, trajectory_scores
from warehouse.read import Snapshot


def check(snapshot: Path, files: Sequence[Path], query_id: str | None, as_json: bool) -> int:
    """Check every plan and print the verdicts. Returns 0 if all plans pass, and otherwise 1.

    Raises SettingsError if a file or a query does not exist.
    """
    material = Material(snapshot)
    if query_id is not None:
        material.request(query_id)
    reports = [_check_record(record, material, query_id) for record in read_records(files)]
    passed = sum(report["passed"] for report in reports)
    if as_json:
        print_json(reports)
    else:
        print("".join(map(_in_words, reports)) + f"{passed} of {len(reports)} plans pass")
    return 0 if passed == len(reports) else 1


#: The message for a plan whose form has no prices, tickets and transport.
_ONLY_STOPS = (
    "the plan is well-formed, but {}'s form has no fields for the tickets, transport and rooms that"
    " the constraints concern: give the plan in ChinaTravel's form, or use `tripbed plans score`"
)


def _check_record(record: Record, material: Material, query_id: str | None) -> dict[str, Any]:
    asked = query_of(record, material, query_id)
    note = _explain_left_out(record, asked, material)
    report = check_record(record, material, asked).to_json()
    return {"plan_id": record.plan_id, "query_id": asked, "note": note, **report}


def query_of(record: Record, material: Material, query_id: str | None) -> str | None:
    """Return the id of the query that a plan is checked against, or None if there is no query.

    If ``query_id`` is not given, the query that the plan names is used, provided that this query
    has constraints.
    """
    families = ("traveleval", "chinatravel")
    own = material.queries.get(record.query_id or "", {})
    return query_id or (record.query_id if own.get("family") in families else None)


def check_record(record: Record, material: Material, query_id: str | None) -> Report:
    """Check a plan, and return a verdict for every constraint.

    Raises SettingsError if the query does not exist or has no constraints on a whole plan.
    """
    request = material.request(query_id) if query_id else None
    try:
        if record.form is not None:
            record.itinerary()
            raise PlanError([_ONLY_STOPS.format(record.form)])
        plan = read_plan(record.content)
    except PlanError as error:
        return report_malformed(error, request)
    city_id = material.city_id(query_id, plan.target_city)
    if city_id is None:
        held = ", ".join(material.snapshot.table("cities")["slug"])
        told = f"target_city: {plan.target_city!r} is not in the snapshot, which contains {held}"
        return report_malformed(PlanError([told]), request)
    return check_plan(plan, material.world(city_id), request)


def _explain_left_out(record: Record, asked: str | None, material: Material) -> str | None:
    """Explain why a plan is checked without the query that it names; return None if the query is
    used."""
    if asked is not None or record.query_id is None:
        return None
    if record.query_id in material.queries:
        return f"checked without a query: {record.query_id} has no constraints on a whole plan"
    return f"checked without a query: the snapshot has no query {record.query_id}"


def _in_words(report: Mapping[str, Any]) -> str:
    verdicts = [v for group in ("environment", "tripscore", "query") for v in report[group]]
    if all(v["passed"] is None for v in report["environment"]):
        form = next(v for v in verdicts if v["constraint"] == "response_format")
        problems = "\n".join(f"  {reason}" for reason in form["reasons"])
        return f"{report['plan_id']}: cannot be read as a plan (response_format)\n{problems}\n"
    words = {False: "fails", None: "unknown"}
    lines = [
        f"{report['plan_id']}: {'passes' if report['passed'] else 'does not pass'}",
        *([f"  {report['note']}"] if report["note"] else ()),
        *(
            f"  {v['constraint']} {words[v['passed']]}: {'; '.join(v['reasons'])}"
            for v in verdicts
            if v["passed"] is not True
        ),
        *(
            f"  wish not met: {'; '.join(v['reasons'])}"
            for v in report["wishes"]
            if not v["passed"]
        ),
    ]
    return "\n".join(lines) + "\n"


def score(
    snapshot: Path, files: Sequence[Path], out: Path, query_id: str | None, as_json: bool
) -> int:
    """Score every plan, and write one Parquet file with one row per plan.

    Returns 0, or 1 if a plan has a problem. Raises SettingsError if a file or query does not exist.
    """
    ready(out)
    material = Material(snapshot)
    if query_id is not None:
        material.query(query_id)
    records = read_records(files)
    stops, plans = _stops(records, material, query_id)
    scored = score_plans(plans, stops, material.snapshot.table)
    assert scored.height == len(records), "every plan must have exactly one row"
    scored.write_parquet(out)
    bad = scored.filter(pl.col("problem").is_not_null())
    means = scored.select(pl.col(METRICS).mean()).to_dicts()[0]
    summary = {"plans": len(records), "problems": bad.height, "means": means, "out": str(out)}
    if as_json:
        print_json(summary)
    else:
        for name, value in means.items():
            print(f"{name:24}{'unknown' if value is None else f'{value:.4f}'}")
        for row in bad.head(20).to_dicts():
            print(f"{row['plan_id']}: {row['problem']}")
        print(f"{count_noun(len(records), 'plan')} scored, {bad.height} with problems; see {out}")
    return 1 if bad.height else 0


def score_trajectories(snapshot: Path, out: Path, as_json: bool) -> int:
    """Score the reference trajectories of every query, and write one Parquet file. Returns 0."""
    ready(out)
    scored = trajectory_scores(Snapshot(snapshot).table)
    scored.write_parquet(out)
    found, queries = scored.height, scored["query_id"].n_unique()
    if as_json:
        print_json({"trajectories": found, "queries": queries, "out": str(out)})
    else:
        print(f"{count_noun(found, 'trajectory')} of {count_noun(queries, 'query')}: {out}")
    return 0


def _stops(
    records: Sequence[Record], material: Material, query_id: str | None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a row for each attraction in the plans, and a row for each plan.

    A plan's row contains the query and, if the plan has a problem, the problem.
    """
    stops: list[tuple[Any, ...]] = []
    plans: list[tuple[str, str | None, str | None]] = []
    for record in records:
        asked = material.find_query(record, query_id)
        try:
            itinerary, target = record.itinerary()
            city_id = material.find_city(asked, target)
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


_EVERY = 25


def solve(
    snapshot: Path, query: str | None, limit_s: float,
    approach: Approach | None, out: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Find proofs or reference plans for a snapshot's queries, and print the results.

    Returns 0, or 1 if it remains unknown whether a query has a plan. ``out`` is a file that
    receives one JSON object per query. Raises SettingsError if the snapshot has no query to solve.
    """
    if limit_s <= 0:
        raise SettingsError("--time-limit: give a number of seconds greater than 0")
    if out is not None:
        writable(out)
    started, outcomes = time.perf_counter(), []
    for number, outcome in enumerate(_outcomes(snapshot, query, limit_s, approach), 1):
        outcomes.append(outcome)
        if as_json and out is None:
            print_json(outcome)
        elif query is not None:
            why = outcome["reason"] or outcome["style"]
            print(f"{outcome['query_id']}: {outcome['solvability']} {why}")
        if number % _EVERY == 0:
            took = f"{time.perf_counter() - started:.0f} s"
            print(f"{count_noun(number, 'query')}, {took}", file=sys.stderr)
    if not outcomes:
        wanted = "" if approach else " with hard constraints (families traveleval, chinatravel)"
        raise SettingsError(
            f"{query} is not a query{wanted}" if query else f"{snapshot} has no queries{wanted}"
        )
    if out is not None:
        write_json_lines(outcomes, out)
    counts = Counter(outcome["solvability"] for outcome in outcomes)
    summary = {name: counts[name] for name in ("solved", "infeasible", "unknown")}
    if as_json and out is not None:
        print_json(summary)
    elif not as_json:
        print(", ".join(f"{n} {name}" for name, n in summary.items()))
    return 1 if counts["unknown"] else 0


def _outcomes(
    path: Path, query: str | None, limit_s: float, approach: Approach | None
) -> Iterator[dict[str, Any]]:
    material = Material(path)
    if query is not None and query not in material.queries:
        raise SettingsError(f"no query {query!r} in {path}")
    for query_id in sorted(material.queries) if query is None else [query]:
        row = material.query(query_id)
        city = row["city_id"]
        if approach is not None:
            found = reference(row, material.world(city), material.renown(city), approach)
            yield outcome_json(found)
        elif row["family"] in FAMILIES and (request := request_of(row)) is not None:
            yield outcome_json(solved(request, material.world(city), limit_s))
