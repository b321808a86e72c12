"""Ask a model about plans, several times each, until all are answered or the budget is spent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice

from extractors.agreement import Fleiss, fleiss_kappa
from extractors.llm.errors import BudgetSpent
from flows.judging.tasks import TASKS, ShownPlan
from schemas.tasks import Engine, Unanswered
from validators.metrics.judged import JUDGED, JudgedMetric, Sample, Samples, units


@dataclass
class JudgeAnswers:
    """What was said: samples by plan and metric, how many have no answer,
    and why it ended early.
    """

    samples: dict[tuple[str, str], list[Sample]] = field(default_factory=dict)
    asked: int = 0
    unanswered: int = 0
    stopped: str | None = None

    def of(self, plan_id: str, metric: JudgedMetric) -> Samples:
        """The samples of a plan, empty where it was not judged."""
        return self.samples.get((plan_id, metric.column), [])


@dataclass(frozen=True)
class _Job:
    plan_id: str
    metric: JudgedMetric
    shown: ShownPlan


def judge(
    plans: Mapping[str, ShownPlan], papers: Sequence[str], engine: Engine, samples: int
) -> JudgeAnswers:
    """Every metric of the papers for every plan, each asked ``samples`` times.

    Raises EngineStopped for what fails for every question but a spent budget: that ends the work,
    and what was answered counts.
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
    sample: Sample = task.sample(engine.run(task, job.shown).output, job.shown)
    return sample


def agreement(found: JudgeAnswers, metric: JudgedMetric, samples: int) -> Fleiss | None:
    """How far the samples agree, over what all of them judged; None with one sample or nothing
    judged.
    """
    full = [
        s
        for (_, column), s in found.samples.items()
        if column == metric.column and len(s) == samples
    ]
    return fleiss_kappa([unit for one in full for unit in units(metric, one)])
