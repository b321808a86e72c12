"""Computes the metrics of the selected papers for one plan, as a row of numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from schemas.plans import Plan, read_plan
from schemas.trip_forms import form_of, read_trip, trip_of_plan
from schemas.trips import Trip
from validators.metrics import chinatravel, tripscore, triptailor
from validators.metrics.case import AskedTrip, Case, Value
from validators.metrics.catalogue import METRICS, of_paper
from validators.metrics.guide import Guide
from validators.plans.check import Report, check
from validators.plans.request import Request
from validators.plans.verdicts import TRIPSCORE

#: The columns from which ChinaTravel's rates are computed.
MARKS = ("delivered", "environment", "logic", "asked")


@dataclass(frozen=True)
class PlanAnswer:
    """A readable plan, as a trip and, if it is in ChinaTravel's form, also in that form."""

    trip: Trip
    plan: Plan | None


def read_answer(value: Any) -> PlanAnswer:
    """Read a plan in any form.

    Raises PlanError, which lists each faulty element with the reason.
    """
    if form_of(value) == "chinatravel":
        plan = read_plan(value)
        return PlanAnswer(trip_of_plan(plan), plan)
    return PlanAnswer(read_trip(value), None)


@dataclass(frozen=True)
class AnsweredQuery:
    """The query that a plan answers, with the request and the reference plan if they exist."""

    asked: AskedTrip
    request: Request | None = None
    reference: Case | None = None


def columns(papers: Collection[str]) -> list[str]:
    """Return the columns for the papers' metrics, in order, except those for TP-RAG."""
    others = {
        "chinatravel": (*MARKS, *chinatravel.PREFERENCES),
        "tripscore": (*TRIPSCORE, "format", "commonsense", "reward"),
        "triptailor": ("route_ratio", "final_pass", "s_route"),
    }
    found = [m.column for m in METRICS if m.paper in papers]
    found += [f"{p}_{name}" for p, names in others.items() if p in papers for name in names]
    return sorted(found, key=lambda column: column.partition("_")[0])


def measure(
    answer: PlanAnswer, guide: Guide, question: AnsweredQuery, papers: Collection[str]
) -> dict[str, Value]:
    """Compute all columns for a plan; a value that cannot be computed is None."""
    case = Case(answer.trip, guide, question.asked)
    row: dict[str, Value] = {m.column: m.count(case) for m in METRICS if m.paper in papers}
    report = None
    if answer.plan is not None and {"chinatravel", "tripscore"} & set(papers):
        report = check(answer.plan, guide.world, question.request)
    if "chinatravel" in papers:
        row |= _chinatravel(answer.plan, report, case, question.request)
    if "tripscore" in papers:
        row |= _tripscore(report, row)
    if "triptailor" in papers:
        reference = question.reference
        row["triptailor_route_ratio"] = triptailor.route_ratio(case, reference)
        row["triptailor_final_pass"] = triptailor.final_pass(case, reference)
        row["triptailor_s_route"] = triptailor.route_score(case, reference)
    return row


def unread(question: AnsweredQuery | None, papers: Collection[str]) -> dict[str, Value]:
    """Return the row for a plan that cannot be read, which counts as not delivered."""
    row: dict[str, Value] = {}
    if "chinatravel" in papers:
        row |= _marks_row(chinatravel.mark_undelivered(question.request if question else None))
    if "tripscore" in papers:
        row |= {"tripscore_format": 0.0, "tripscore_reward": tripscore.reward(0.0, None, {})}
    return row


def _marks_row(marks: chinatravel.Marks) -> dict[str, Value]:
    return {f"chinatravel_{name}": float(getattr(marks, name)) for name in MARKS}


def _chinatravel(
    plan: Plan | None, report: Report | None, case: Case, request: Request | None
) -> dict[str, Value]:
    if plan is None or report is None:
        return {}  # ChinaTravel judges only plans in its own form
    return {
        **_marks_row(chinatravel.marks(plan, report, request)),
        **{f"chinatravel_{n}": count(case) for n, (count, _) in chinatravel.PREFERENCES.items()},
    }


def _tripscore(report: Report | None, scores: Mapping[str, Value]) -> dict[str, Value]:
    """Return the verdicts as 1 and 0, and the reward, or nothing if the plan was not checked."""
    if report is None:
        return {}
    row: dict[str, Value] = {
        f"tripscore_{v.constraint}": None if v.passed is None else float(v.passed)
        for v in report.tripscore
    }
    parts = {m.label: scores[m.column] for m in of_paper("tripscore")}
    good, sensible = tripscore.score_delivery(report), tripscore.sensible(report)
    row["tripscore_format"], row["tripscore_commonsense"] = good, sensible
    row["tripscore_reward"] = tripscore.reward(good, sensible, parts)
    return row
