"""The command ``tripbed plans score --judged``.

The command scores plans by rules and, separately, by a model's judgement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import polars as pl

from extractors.agreement import Fleiss, fleiss_kappa
from extractors.llm.errors import BudgetSpent
from flows.errors import SettingsError
from flows.judging.showing import Showing
from flows.judging.tasks import TASKS, ShownPlan
from flows.models.engines import engine_named, read_spent
from flows.plans.files import Record
from flows.plans.material import Material
from flows.plans.metrics import (
    Row,
    figure,
    measure_plans,
    plans_in,
    rank_lines,
    summary_of,
    tell,
    tell_problems,
)
from flows.settings.environment import Settings
from schemas.plans import PlanError
from schemas.tasks import Engine, Unanswered
from validators.metrics.case import Value
from validators.metrics.catalogue import of_paper
from validators.metrics.figures import figures_of, value
from validators.metrics.judged import JUDGED, JudgedMetric, Sample, Samples, units
from validators.metrics.measure import read_answer
from validators.metrics.tprag_ranks import rank_metrics
from validators.metrics.tripscore import JUDGED as SOFT
from validators.metrics.tripscore import reward


@dataclass
class JudgeAnswers:
    """The model's answers, stored as samples for each plan and metric, and the numbers of requests.

    ``stopped`` is the reason why the judging ended early, or None if all plans were judged.
    """

    samples: dict[tuple[str, str], list[Sample]] = field(default_factory=dict)
    asked: int = 0
    unanswered: int = 0
    stopped: str | None = None

    def of(self, plan_id: str, metric: JudgedMetric) -> Samples:
        """Return the samples of a plan for a metric, or an empty list if the plan was not
        judged."""
        return self.samples.get((plan_id, metric.column), [])


@dataclass(frozen=True)
class _Job:
    plan_id: str
    metric: JudgedMetric
    shown: ShownPlan


def judge(
    plans: Mapping[str, ShownPlan], papers: Sequence[str], engine: Engine, samples: int
) -> JudgeAnswers:
    """Judge every plan by every metric of the papers, ``samples`` times each.

    If the budget runs out, the judging ends and the answers so far are returned. Raises
    EngineStopped if the model cannot answer any request.
    """
    found, jobs = JudgeAnswers(), _jobs(plans, papers, samples)
    workers = int(getattr(engine, "concurrency", 1))
    answers: dict[tuple[str, str, int], Sample] = {}
    under_way: dict[Future[Sample], _Job] = {}
    with ThreadPoolExecutor(workers) as pool:
        while True:
            if found.stopped is None:
                for job in islice(jobs, workers - len(under_way)):
                    under_way[pool.submit(_ask, engine, job)] = job
            if not under_way:
                break
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                job = under_way.pop(future)
                found.asked += 1
                try:
                    answers[job.plan_id, job.metric.column, job.shown.draw] = future.result()
                except Unanswered:
                    found.unanswered += 1
                except BudgetSpent as error:
                    found.asked -= 1
                    found.stopped = str(error)
    for (plan_id, column, _), sample in sorted(answers.items()):
        found.samples.setdefault((plan_id, column), []).append(sample)
    return found


def _jobs(plans: Mapping[str, ShownPlan], papers: Sequence[str], samples: int) -> Iterator[_Job]:
    for plan_id, shown in plans.items():
        for metric in JUDGED:
            if metric.paper in papers and TASKS[metric.task].can(shown):
                for draw in range(samples):
                    yield _Job(plan_id, metric, shown.model_copy(update={"draw": draw}))


def _ask(engine: Engine, job: _Job) -> Sample:
    task = TASKS[job.metric.task]
    return task.sample(engine.run(task, job.shown).output, job.shown)


def agreement(found: JudgeAnswers, metric: JudgedMetric, samples: int) -> Fleiss | None:
    """Return Fleiss' kappa between the samples for a metric, over the plans that were judged in
    every sample.

    Returns None if there is only one sample or if nothing was judged.
    """
    return fleiss_kappa([
        unit
        for (_, column), judged in found.samples.items()
        if column == metric.column and len(judged) == samples
        for unit in units(metric, judged)
    ])  # fmt: skip


#: The column of TripScore's reward that includes the model's scores.
REWARD = "judged_tripscore_reward"


def score(
    snapshot: Path, files: Sequence[Path], out: Path, query_id: str | None, papers: Sequence[str],
    samples: int, settings: Settings, as_json: bool,
) -> int:  # fmt: skip
    """Measure and judge every plan, write one Parquet file, and print a summary.

    Returns 0, or 1 if a plan has a problem or the budget ran out. Raises SettingsError if a model
    can judge none of the papers' metrics or if the options cannot be used, and EngineStopped if the
    model cannot answer any request.
    """
    if not any(metric.paper in papers for metric in JUDGED):
        known = ", ".join(dict.fromkeys(metric.paper for metric in JUDGED))
        raise SettingsError(
            f"--judged: a model can judge only the metrics of {known}: name at"
            " least one of these papers with --metrics"
        )
    engine = engine_named("openai", settings, None)  # the engine whose costs ``read_spent`` returns
    snapshot, records = plans_in(snapshot, files, out, query_id)
    scored = measure_plans(snapshot, records, papers, query_id)
    found = judge(show_plans(snapshot, records, query_id), papers, engine, samples)
    scored = with_judged(scored, found, papers)
    scored.write_parquet(out)
    summary = summary_of(scored, papers, out)
    summary["judged"] = _summary(scored, found, papers, samples, settings)
    tell(summary, as_json)
    if not as_json:
        print(in_words(summary["judged"]))
    return 1 if found.stopped else tell_problems(scored)


def show_plans(
    snapshot: Path, records: Sequence[Record], query_id: str | None
) -> dict[str, ShownPlan]:
    """Return each readable plan in the form that is shown to the judge, keyed by the plan's id."""
    material = Material(snapshot)
    showing = Showing(material)
    found = {}
    for record in records:
        with suppress(PlanError):  # the rule metrics report this problem
            answer = read_answer(record.content)
            found[record.plan_id] = showing.show(answer, material.find_query(record, query_id))
    return found


def with_judged(scored: pl.DataFrame, found: JudgeAnswers, papers: Sequence[str]) -> pl.DataFrame:
    """Add a column for each judged metric of the papers; the value is null if a plan was not
    judged."""
    made: dict[str, list[Value]] = {
        metric.column: [metric.count(found.of(plan_id, metric)) for plan_id in scored["plan_id"]]
        for metric in JUDGED
        if metric.paper in papers
    }
    rows = scored.with_columns(pl.Series(name, values, pl.Float64) for name, values in made.items())
    if "tripscore" not in papers:
        return rows
    rewards = pl.Series(REWARD, [_reward(row) for row in rows.iter_rows(named=True)], pl.Float64)
    return rows.with_columns(rewards)


def _reward(row: Row) -> Value:
    """Return TripScore's reward (formula 2), whose soft scores include the judged scores.

    Returns None if no soft score was judged.
    """
    scores = {m.label: row[m.column] for m in of_paper("tripscore")}
    scores |= {name: row[f"judged_tripscore_{name}"] for name in SOFT}
    if row["tripscore_reward"] is None or all(scores[name] is None for name in SOFT):
        return None
    return reward(row["tripscore_format"], row["tripscore_commonsense"], scores)


def _summary(
    scored: pl.DataFrame, found: JudgeAnswers, papers: Sequence[str], samples: int,
    settings: Settings,
) -> Row:  # fmt: skip
    metrics = [metric for metric in JUDGED if metric.paper in papers]
    agreed = {metric.column: agreement(found, metric, samples) for metric in metrics}
    tokens, micro_usd = read_spent("openai", settings)
    methods = scored["method"].unique().sort().to_list()
    by_method = {name: scored.filter(pl.col("method") == name) for name in methods}
    return {
        "model": settings.openai_model,
        "samples": samples,
        "asked": found.asked,
        "unanswered": found.unanswered,
        "stopped": found.stopped,
        "tokens": tokens,
        "usd": micro_usd / 1e6,
        "tables": _tables(scored, papers),
        "methods": (
            {name: _tables(rows, papers) for name, rows in by_method.items()}
            if len(methods) > 1
            else {}
        ),
        "tprag_ranks": _ranks(by_method) if "tprag" in papers else {},
        "agreement": {
            name: None if fleiss is None else vars(fleiss) for name, fleiss in agreed.items()
        },
    }


def _tables(rows: pl.DataFrame, papers: Sequence[str]) -> dict[str, Row]:
    """Return the mean of each judged metric and the number of judged plans, by paper."""
    tables: dict[str, Row] = {}
    reward_column = ("tripscore", "reward", REWARD)
    for paper, label, column in [*((m.paper, m.label, m.column) for m in JUDGED), reward_column]:
        if paper in papers:
            counted = {"value": _mean(rows, column), "plans": rows[column].count()}
            tables.setdefault(paper, {})[label] = counted
    return tables


def _mean(rows: pl.DataFrame, column: str) -> Value:
    """Return the mean of the known values, or None if no value is known."""
    mean = rows[column].mean()
    return float(mean) if isinstance(mean, float) else None


def _ranks(by_method: dict[str, pl.DataFrame]) -> dict[str, dict[str, Value]]:
    """Rank the methods by all metrics of TP-RAG, including the judged metrics."""
    judged = {m.label: m.column for m in JUDGED if m.paper == "tprag"}
    return rank_metrics({
        name: {
            **{one.short: value(one, rows) for one in figures_of("tprag")},
            **{label: _mean(rows, column) for label, column in judged.items()},
        }
        for name, rows in by_method.items()
    })  # fmt: skip


def in_words(judged: Row) -> str:
    """Format the judged figures as lines of text."""
    lines = [
        f"{judged['model']} judged each item {judged['samples']} times: {judged['asked']} requests,"
        f" {judged['unanswered']} without a usable answer; {judged['tokens']:,} tokens,"
        f" {judged['usd']:.4f} USD"
    ]
    for paper, table in judged["tables"].items():
        lines += [
            paper,
            *(
                f"  {label}: {figure(counted['value'])} ({counted['plans']} plans)"
                for label, counted in table.items()
            ),
        ]
    lines += [
        f"agreement on {name}: {agreed['observed']:.3f}, kappa {figure(agreed['kappa'])}"
        f" ({agreed['n_items']} items)"
        for name, agreed in judged["agreement"].items()
        if agreed is not None
    ]
    lines += rank_lines(judged["tprag_ranks"])
    if judged["stopped"]:
        lines.append(
            f"stopped: {judged['stopped']}; the answers so far are kept: run the command again to"
            " continue"
        )
    return "\n".join(lines)
