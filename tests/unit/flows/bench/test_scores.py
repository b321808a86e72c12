"""What plans are worth, counted by hand; intervals; answers of commands."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from extractors.llm.answers import answer_schema
from flows.bench import leaderboard
from flows.bench.compare import page
from flows.bench.leaderboard import (
    RunLine,
    count_figures,
    figures_in,
    sections,
    show_figure,
    with_ranks,
)
from flows.bench.model import NextStep, PlanAtOnce, PlannerTask
from flows.bench.nearest import _whole
from flows.bench.questions import read_answer
from flows.bench.scores import MOST_ACTIVITIES, _activities, _share
from schemas.plans import read_plan
from tests.support.validators.plans.invented import request, world
from validators.metrics.catalogue import PAPERS
from validators.metrics.figures import MetricFigure as Counted
from validators.metrics.figures import figures_of, mean_of
from validators.metrics.measure import columns
from validators.plans.check import check
from validators.plans.scores import METRICS as TPRAG
from validators.plans.verdicts import ConstraintVerdict


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
        [
            '{"Day 1": []}',
            'thinking...\n{"Day 1": []}',
            '{"plan": {"Day 1": []}}',
            ' {"Day 1": []}\n',
        ],
    )
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
        verdicts = [
            ConstraintVerdict("a", True),
            ConstraintVerdict("b", False),
            ConstraintVerdict("c", None),
            ConstraintVerdict("d", True),
        ]
        assert _share(verdicts) == 0.5
        assert _share([]) == 0.0

    def test_activities_are_counted_in_every_form(self) -> None:
        stop = {"POI name": "x"}
        assert _activities({"Day 1": [stop, stop]}) == 2
        many = {"itinerary": [{"activities": [{"type": "attraction"}] * 10_000}]}
        assert _activities(many) == 10_000 > MOST_ACTIVITIES
        assert _activities("no plan") == 0

    def test_the_interval_of_one_value_is_that_value(self) -> None:
        figure = figures_in(rows(0.25, None), [mean("m")])["m"]
        assert (figure.mean, figure.n) == (0.25, 1)
        assert (figure.low, figure.high) == pytest.approx((0.25, 0.25))

    def test_the_interval_is_that_of_the_binomial(self) -> None:
        values = [1.0] * 50 + [0.0] * 50
        figure = figures_in(rows(*values), [mean("m")])["m"]
        assert figure.mean == 0.5
        # Half of 100 tosses: the standard error is 0.05, 1.96 of them each side.
        assert figure.low == pytest.approx(0.402, abs=0.015)
        assert figure.high == pytest.approx(0.598, abs=0.015)
        assert figures_in(rows(*values), [mean("m")])["m"] == figure, "drawn with a fixed seed"

    def test_a_rate_of_constraints_weighs_plans_by_what_they_were_asked(self) -> None:
        marks = {"delivered": 1.0, "environment": 25.0}
        found = pl.DataFrame(
            {
                f"chinatravel_{name}": values
                for name, values in {
                    **{k: [v, v, None] for k, v in marks.items()},
                    "logic": [1.0, 8.0, None],
                    "asked": [2.0, 8.0, None],
                }.items()
            }
        )
        (rate,) = (one for one in figures_of("chinatravel") if one.label == "LPR micro")
        figure = figures_in(found, [rate])["chinatravel_lpr_micro"]
        assert (figure.mean, figure.n) == (0.9, 2)
        # Either query alone is a sample: a half, or all of it.
        assert (figure.low, figure.high) == (0.5, 1.0)

    def test_a_new_column_of_numbers_is_a_check(self) -> None:
        found = pl.DataFrame(
            {
                "query_id": ["a"],
                "days": [2],
                "split": ["test"],
                "family": ["f"],
                "problem": [None],
                "delivered": [1.0],
                "brand_new": [0.3],
            }
        )
        wanted = count_figures(found)
        assert [one.key for one in wanted] == ["delivered", "brand_new"]
        about = {"name": "r", "planner": "p", "snapshot": "s"}
        lines = list(leaderboard.lines_of(about, found, wanted))
        assert [(line.group, line.value) for line in lines] == [
            ("all", "all"), ("split", "test"), ("family", "f"), ("days", "2"),
        ]  # fmt: skip
        shown = sections(lines, wanted)
        assert "brand new" in page(
            [{**about, "split": "test", "planned": 1, "queries": 1}], lines, shown
        )

    def test_papers_are_chosen(self) -> None:
        names = {key: [0.5] for key in (*TPRAG, *columns(PAPERS))}
        found = pl.DataFrame({"delivered": [1.0], **names})
        assert {one.paper for one in count_figures(found)} == {"checks", *PAPERS}, (
            "the main ones of each"
        )
        assert {one.paper for one in count_figures(found, ["tripscore"])} == {"tripscore"}
        assert len(count_figures(found, ["traveleval"])) == len(figures_of("traveleval"))
        assert count_figures(found.drop("traveleval_ccd"), ["traveleval"]) == [], (
            "scored before it was there"
        )

    def test_what_nothing_has_is_a_dash(self) -> None:
        assert show_figure(None) == "–"

    @pytest.mark.parametrize(
        ("value", "text"),
        [(0.12345, "0.123"), (-12.345, "-12.35"), (123.45, "123.5"), (12345.6, "12,346")],
    )
    def test_large_numbers_have_fewer_decimals(self, value: float, text: str) -> None:
        assert leaderboard.number(value) == text


def rows(*values: float | None) -> pl.DataFrame:
    return pl.DataFrame({"m": values}, {"m": pl.Float64})


def mean(column: str) -> Counted:
    return Counted("checks", column, column, "high", mean_of(column))


class TestRanks:
    def line(self, run: str, *values: float) -> RunLine:
        found = pl.DataFrame(
            {"distance_margin_ratio": values, "poi_popularity": [0.5] * len(values)}
        )
        wanted = [one for one in figures_of("tprag") if one.key in found.columns]
        return RunLine(run, "p", "s", "all", "all", len(values), figures_in(found, wanted))

    def test_runs_are_ranked_beside_each_other(self) -> None:
        one, two = with_ranks([self.line("a", 0.2, 0.1), self.line("b", 0.3, 0.2)])
        assert (one.figures["tprag_r_s"].mean, two.figures["tprag_r_s"].mean) == (1.0, 2.0)
        assert two.figures["tprag_r_s"].low == 2.0, "on the same queries b is always the longer"
        assert one.figures["tprag_r_p"].mean == two.figures["tprag_r_p"].mean == 1.0
        assert one.figures["tprag_r_c"].mean == 1.0
        assert two.figures["tprag_r_c"].mean == 1.5
        assert "tprag_r_r" not in one.figures, "relevance is judged by a model"

    def test_an_interval_is_that_of_the_queries(self) -> None:
        one, _ = with_ranks([self.line("a", 0.1, 0.4), self.line("b", 0.2, 0.3)])
        assert (one.figures["tprag_r_s"].low, one.figures["tprag_r_s"].high) == (1.0, 2.0)

    def test_a_run_alone_has_no_rank(self) -> None:
        (one,) = with_ranks([self.line("a", 0.2)])
        assert "tprag_r_s" not in one.figures


def test_names_never_become_markup() -> None:
    about = {
        "name": "<img src=x>",
        "planner": "<b>",
        "snapshot": "s",
        "split": "&",
        "planned": 0,
        "queries": 0,
    }
    made = page([about], [RunLine("<img src=x>", "<b>", "s", "all", "all", 0, {})], {})
    assert "<img" not in made
    assert "<b>" not in made
    assert "&lt;img src=x&gt;" in made


def test_preference_ranks_stand_on_the_page_where_there_are_any() -> None:
    rank = {"preference": "hotel_cost", "method": "mine & yours", "rank": 1.5, "queries": 4}
    made = page([], [], {}, [rank])
    assert (
        "<th scope='row'>hotel_cost</th><td>mine &amp; yours</td><td class='num'>1.50</td>" in made
    )
    assert "Preference ranks" not in page([], [], {})


def test_a_line_that_a_kill_cut_short_is_taken_away(tmp_path: Path) -> None:
    from flows.bench.run import RESULTS, read_results

    whole = json.dumps({"query_id": "b", "plan": None}) + "\n"
    (tmp_path / RESULTS).write_text(whole + '{"query_id": "a", "pl', encoding="utf-8")
    assert list(read_results(tmp_path)) == ["b"]
    assert (tmp_path / RESULTS).read_text(encoding="utf-8") == whole
    assert read_results(tmp_path / "nowhere") == {}


def test_answers_of_models_are_bounded_by_what_is_read() -> None:
    item = PlannerTask(query_id="q", text="两日游", form="tprag", days=2)
    step = answer_schema(NextStep(), item)
    assert step["required"] == ["thought", "action", "arguments"]
    assert step["properties"]["action"]["maxLength"] == 40
    assert step["properties"]["thought"]["maxLength"] > 0
    assert answer_schema(PlanAtOnce(), item)["properties"]["plan"]["type"] == "object"
