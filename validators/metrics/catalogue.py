"""Lists all rule metrics of a single plan, with their papers and functions.

The metrics are listed in ``lists/metrics.tsv``. ChinaTravel's rates are computed over many plans
(``chinatravel``), and TP-RAG's metrics for many plans at once (``validators.plans.scores``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType

from schemas.word_lists import Lists
from validators.metrics import traveleval_facts, traveleval_quality, tripscore, triptailor
from validators.metrics.case import Case, Value

PAPERS = ("tprag", "traveleval", "chinatravel", "tripscore", "triptailor")
_MODULES: dict[str, tuple[ModuleType, ...]] = {
    "traveleval": (traveleval_facts, traveleval_quality),
    "tripscore": (tripscore,),
    "triptailor": (triptailor,),
}


@dataclass(frozen=True)
class Metric:
    """A metric of a single plan. ``better`` is ``high``, ``low`` or ``-`` (neither).

    ``agreement`` says whether the paper's public evaluator computes the same values for the same
    plans.
    """

    paper: str
    label: str
    better: str
    count: Callable[[Case], Value]
    agreement: str

    @cached_property
    def column(self) -> str:
        """Return the name of the metric's column in a table of scores."""
        return f"{self.paper}_{self.label.lower().replace(' ', '_').replace('-', '_')}"


def _function(paper: str, name: str) -> Callable[[Case], Value]:
    found: Callable[[Case], Value] = next(
        vars(module)[name] for module in _MODULES[paper] if name in vars(module)
    )
    return found


METRICS: tuple[Metric, ...] = tuple(
    Metric(paper, label, better, _function(paper, name), agreement)
    for paper, label, better, name, agreement in Lists("validators.metrics").table("metrics")
)


def of_paper(paper: str) -> list[Metric]:
    """Return all metrics in a paper that are computed for a single plan."""
    return [metric for metric in METRICS if metric.paper == paper]
