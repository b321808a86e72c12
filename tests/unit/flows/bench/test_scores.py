"""What plans are worth, counted by hand; intervals; answers of commands."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from flows.bench import leaderboard
from flows.bench.leaderboard import Line, metrics_of, shown
from flows.bench.nearest import _whole
from flows.bench.page import page
from flows.bench.result import read_answer
from flows.bench.scores import MOST_ACTIVITIES, _activities, _share
from schemas.plans import read_plan
from tests.support.validators.plans.invented import request, world
from validators.plans.check import check
from validators.plans.verdicts import Verdict


class TestNearest:
    def test_its_plan_keeps_the_world_s_constraints(self) -> None:
        asked = request()
        plan = _whole(asked, world())
        assert plan is not None
        report = check(read_plan(plan), world(), asked)
        assert [v.constraint for v in report.environment if v.passed is False] == []

    def test_it_looks_at_no_budget(self) -> None:
        dear, cheap = (_whole(request(budget=yuan), world()) for yuan in (20_000, 1))
        assert cheap == dear

    def test_without_journeys_there_is_no_plan(self) -> None:
        assert _whole(request(), replace(world(), journeys=())) is None


class TestAnswers:
    @pytest.mark.parametrize(
        "text",
        ['{"Day 1": []}', 'thinking...\n{"Day 1": []}', '{"plan": {"Day 1": []}}', ' {"Day 1": []}\n'],
    )  # fmt: skip
    def test_a_plan_is_read(self, text: str) -> None:
        assert read_answer(text).plan == {"Day 1": []}

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("", "empty"), ("I think so", "not JSON: 'I think so'"), ('{"plan": null}', "no plan"),
            ('{"problem": "too dear"}', "too dear"), ("[" * 100_000, "not JSON"),
        ],
    )  # fmt: skip
    def test_anything_else_is_told(self, text: str, told: str) -> None:
        found = read_answer(text)
        assert found.plan is None
        assert told in str(found.problem)


class TestFigures:
    def test_shares_count_what_is_known_to_hold(self) -> None:
        verdicts = [Verdict("a", True), Verdict("b", False), Verdict("c", None), Verdict("d", True)]
        assert _share(verdicts) == 0.5
        assert _share([]) == 0.0

    def test_activities_are_counted_in_every_form(self) -> None:
        stop = {"POI name": "x"}
        assert _activities({"Day 1": [stop, stop]}) == 2
        many = {"itinerary": [{"activities": [{"type": "attraction"}] * 10_000}]}
        assert _activities(many) == 10_000 > MOST_ACTIVITIES
        assert _activities("no plan") == 0

    def test_the_interval_of_one_value_is_that_value(self) -> None:
        figure = leaderboard._figure(np.array([0.25]))
        assert (figure.mean, figure.low, figure.high, figure.n) == (0.25, 0.25, 0.25, 1)

    def test_the_interval_is_that_of_the_binomial(self) -> None:
        values = np.array([1.0] * 50 + [0.0] * 50)
        figure = leaderboard._figure(values)
        assert figure.mean == 0.5
        # Half of 100 tosses: the standard error is 0.05, 1.96 of them each side.
        assert figure.low == pytest.approx(0.402, abs=0.015)
        assert figure.high == pytest.approx(0.598, abs=0.015)
        assert leaderboard._figure(values) == figure, "drawn with a fixed seed"

    def test_a_new_column_of_numbers_is_a_metric(self) -> None:
        rows = pl.DataFrame({"query_id": ["a"], "days": [2], "split": ["test"], "family": ["f"],
                             "problem": [None], "delivered": [1.0], "brand_new": [0.3]})  # fmt: skip
        assert metrics_of(rows) == ["delivered", "brand_new"]
        about = {"name": "r", "planner": "p", "snapshot": "s"}
        lines = list(leaderboard.lines_of(about, rows))
        assert [(line.group, line.value) for line in lines] == [
            ("all", "all"), ("split", "test"), ("family", "f"), ("days", "2"),
        ]  # fmt: skip
        assert "brand_new" in page([{**about, "split": "test", "planned": 1, "queries": 1}], lines)

    def test_what_nothing_has_is_a_dash(self) -> None:
        assert shown(None) == "–"


def test_names_never_become_markup() -> None:
    about = {"name": "<img src=x>", "planner": "<b>", "snapshot": "s", "split": "&", "planned": 0, "queries": 0}  # fmt: skip
    made = page([about], [Line("<img src=x>", "<b>", "s", "all", "all", 0, {})])
    assert "<img" not in made
    assert "<b>" not in made
    assert "&lt;img src=x&gt;" in made


def test_a_line_that_a_kill_cut_short_is_taken_away(tmp_path: Path) -> None:
    from flows.bench.run import RESULTS, read_results

    whole = json.dumps({"query_id": "b", "plan": None}) + "\n"
    (tmp_path / RESULTS).write_text(whole + '{"query_id": "a", "pl', encoding="utf-8")
    assert list(read_results(tmp_path)) == ["b"]
    assert (tmp_path / RESULTS).read_text(encoding="utf-8") == whole
    assert read_results(tmp_path / "nowhere") == {}
