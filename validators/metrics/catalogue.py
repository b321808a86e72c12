"""All rule metrics of one plan: their names, their papers, and the functions that compute them.

They are listed in ``lists/metrics.tsv``. Rates of ChinaTravel are of many plans (``chinatravel``),
TP-RAG's metrics are counted for many plans at once (``validators.plans.scores``).
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
    """One metric of one plan. ``better`` is high, low or - (neither).

    ``agreement`` says how the paper's public evaluator answers on the same plans.
    """

    paper: str
    label: str
    better: str
    count: Callable[[Case], Value]
    agreement: str

    @cached_property
    def column(self) -> str:
        """Its column in a table of scores."""
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
    """The metrics of one plan that a paper has here."""
    return [metric for metric in METRICS if metric.paper == paper]
