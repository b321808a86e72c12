"""Judging with an engine of our own in the model's place:
samples, gaps, a spent budget, agreement.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from extractors.llm.errors import BudgetSpent
from flows.judging.score import _tables, agreement, judge, with_judged
from flows.judging.tasks import JudgedVisit, ShownPlan
from schemas.tasks import Grounded, Unanswered
from validators.metrics.judged import JUDGED

VISITS = (
    JudgedVisit(day=1, name="museum", times="09:00-10:00"),
    JudgedVisit(day=1, name="garden", times="11:00-12:00"),
)
PLAN = ShownPlan(
    city="away", query="two days", visits=VISITS, plan="day 1:", reference="day 1: inn"
)
BY_LABEL = {metric.label: metric for metric in JUDGED}


class Scripted:
    """Answers each question by a function of its task's name and its draw."""

    name = "scripted"
    concurrency = 2

    def __init__(self, answer: Callable[[str, int], dict[str, Any]]):
        self._answer, self.asked = answer, 0

    def run(self, task: Any, item: Any) -> Any:
        self.asked += 1
        return Grounded(output=task.parse(self._answer(task.name, item.draw), item))


def points(name: str, draw: int) -> dict[str, Any]:
    """The second visit is good in the first sample only; the plan is better than its reference."""
    if name == "judge_both":
        return (
            {"reason": "", "first": 2, "second": 4}
            if draw % 2
            else {"reason": "", "first": 4, "second": 2}
        )
    if name in ("judge_start_times", "judge_relevance", "judge_schedule"):
        return {"verdicts": [{"number": 1, "good": True}, {"number": 2, "good": draw == 0}]}
    return {"reason": "", "points": 3 + draw % 2}


def test_each_question_is_asked_as_often_as_it_has_samples() -> None:
    engine = Scripted(points)
    found = judge({"a": PLAN}, ["tprag", "tripscore", "triptailor"], engine, 3)
    assert (engine.asked, found.asked, found.unanswered) == (7 * 3, 7 * 3, 0)
    assert found.of("a", BY_LABEL["STR"]) == [(1, 1), (1, 0), (1, 0)]
    assert found.of("a", BY_LABEL["iconic_landmarks"]) == [(3,), (4,), (3,)]
    assert found.of("a", BY_LABEL["Surpassing Rate"]) == [(4, 2)] * 3, "whichever was shown first"
    assert judge({"a": PLAN}, ["chinatravel"], engine, 3).asked == 0


def test_agreement_is_over_what_all_samples_judged() -> None:
    found = judge({"a": PLAN}, ["tprag"], Scripted(points), 3)
    agreed = agreement(found, BY_LABEL["STR"], 3)
    assert agreed is not None
    # One visit by three alike, one by two of three: pairs that agree are 1 and 1/3 of all.
    assert agreed.n_items == 2
    assert agreed.observed == pytest.approx(2 / 3)
    # Yes is said 4 times of 6: chance 20/36.
    assert agreed.kappa == pytest.approx((2 / 3 - 20 / 36) / (1 - 20 / 36))
    assert agreement(found, BY_LABEL["STR"], 4) is None, "no plan has four samples"


def test_what_is_not_answered_is_left_out() -> None:
    def silent(name: str, draw: int) -> dict[str, Any]:
        if draw == 1:
            raise Unanswered("refusal")
        return points(name, draw)

    found = judge({"a": PLAN}, ["tprag"], Scripted(silent), 3)
    assert (found.asked, found.unanswered) == (9, 3)
    assert found.of("a", BY_LABEL["PR"]) == [(1, 1), (1, 0)]
    assert agreement(found, BY_LABEL["PR"], 3) is None


def test_a_spent_budget_keeps_what_was_answered() -> None:
    said = 0

    def dear(name: str, draw: int) -> dict[str, Any]:
        nonlocal said
        said += 1
        if said > 4:
            raise BudgetSpent("budget_tokens is spent")
        return points(name, draw)

    engine = Scripted(dear)
    engine.concurrency = 1
    found = judge({"a": PLAN, "b": PLAN}, ["tprag"], engine, 3)
    assert found.stopped == "budget_tokens is spent"
    assert found.asked == 4
    assert len(found.of("a", BY_LABEL["STR"])) == 3
    assert found.of("b", BY_LABEL["STR"]) == []


def test_columns_are_null_where_nothing_was_judged() -> None:
    found = judge({"a": PLAN}, ["tprag", "triptailor"], Scripted(points), 3)
    rows = with_judged(pl.DataFrame({"plan_id": ["a", "b"]}), found, ["tprag", "triptailor"])
    assert rows["judged_tprag_str"].to_list() == [pytest.approx(4 / 6), None]
    assert rows["judged_triptailor_surpassing_rate"].to_list() == [1.0, None]
    told = _tables(rows, ["tprag", "triptailor"])
    assert told["tprag"]["STR"] == {"value": pytest.approx(4 / 6), "plans": 1}
    assert "tripscore" not in told
