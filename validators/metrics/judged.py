"""Computes the metrics of TP-RAG, TripScore and TripTailor for which a model is the judge.

The model judges each plan several times, and each answer is a sample. A sample is a tuple of
integers: 1 or 0 for each visit, the points of a plan, or the points of a plan and its reference
plan. A sample without an answer is left out. If there are no samples, the metric is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from validators.metrics.case import Value, mean

Sample = tuple[int, ...]
Samples = Sequence[Sample]


def _share(samples: Samples) -> Value:
    """Return the share of visits that are judged good, as a mean over the samples."""
    return mean(sum(sample) / len(sample) for sample in samples if sample)


def start_time_rationality(samples: Samples) -> Value:
    """STR (table 4, appendix B): visits whose start is judged appropriate / all visits, as a mean
    over the samples.

    The judge sees the information about each place in the snapshot: its opening hours, arrival
    times and lengths of stay.
    """
    return _share(samples)


def poi_relevance(samples: Samples) -> Value:
    """PR (table 4, appendix B): visits judged to suit the query's wishes / all visits, as a mean
    over the samples.
    """
    return _share(samples)


def time_schedule_relevance(samples: Samples) -> Value:
    """TSR (table 4, appendix B): visits at a time that is judged to suit the query / all visits, as
    a mean over the samples.
    """
    return _share(samples)


def _likert(samples: Samples) -> Value:
    return mean((sample[0] - 1) / 4 for sample in samples)


def iconic_landmarks(samples: Samples) -> Value:
    """Iconic landmarks (table 2, appendix F, formula 16): (points - 1) / 4, as a mean over the
    samples.

    The judge gives 1 to 5 points.
    """
    return _likert(samples)


def attraction_diversity(samples: Samples) -> Value:
    """Attraction diversity (table 2, appendix F, formula 16): (points - 1) / 4, as a mean over the
    samples.

    The judge gives 1 to 5 points.
    """
    return _likert(samples)


def user_request(samples: Samples) -> Value:
    """User request fulfilment (table 2, appendix G, formula 21): 0.2 x points, as a mean over the
    samples.

    The judge gives 1 to 5 points, or 0 points if the query makes no particular request; samples
    with 0 points are left out.
    """
    return mean(0.2 * sample[0] for sample in samples if sample[0])


def surpasses(samples: Samples) -> Value:
    """Final surpassing rate (TourPlanner, C.2): 1 if the plan's mean number of points is at least
    that of the query's witness plan.

    In every other sample, the judge sees the two plans in reverse order.
    """
    if not samples:
        return None
    return float(sum(sample[0] for sample in samples) >= sum(sample[1] for sample in samples))


@dataclass(frozen=True)
class JudgedMetric:
    """A metric that a model judges.

    ``task`` is the task that the model gets. ``of`` says whether the numbers in a sample are for
    visits, for a plan, or for both plans.
    """

    paper: str
    label: str
    task: str
    of: str
    count: Callable[[Samples], Value]

    @property
    def column(self) -> str:
        """The metric's column in a table of scores."""
        return f"judged_{self.paper}_{self.label.lower().replace(' ', '_')}"


JUDGED: tuple[JudgedMetric, ...] = (
    JudgedMetric("tprag", "STR", "judge_start_times", "visits", start_time_rationality),
    JudgedMetric("tprag", "PR", "judge_relevance", "visits", poi_relevance),
    JudgedMetric("tprag", "TSR", "judge_schedule", "visits", time_schedule_relevance),
    JudgedMetric("tripscore", "iconic_landmarks", "judge_landmarks", "plan", iconic_landmarks),
    JudgedMetric(
        "tripscore", "attraction_diversity", "judge_diversity", "plan", attraction_diversity
    ),
    JudgedMetric("tripscore", "user_request", "judge_request", "plan", user_request),
    JudgedMetric("triptailor", "Surpassing Rate", "judge_both", "both", surpasses),
)


def units(metric: JudgedMetric, samples: Samples) -> list[tuple[int, ...]]:
    """Return the verdicts of all samples for each item: a visit, a plan, or a pair of plans.

    The agreement of the samples is computed from these verdicts.
    """
    if metric.of == "visits":
        return list(zip(*samples, strict=True))
    if metric.of == "both":
        return [tuple(int(own >= other) for own, other in samples)]
    return [tuple(sample[0] for sample in samples)]
