"""TravelEval's two rule-based reference plans, experience first and budget first (appendix A.4).

The paper tells what each gives up, not how days are filled; that is the solver's part here.
*Experience*: every wish is met and the budget may be broken; a wish goes only where no plan meets
it. *Budget*: the budget holds; wishes are given up one category after another until a plan fits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from validators.plans.check import check
from validators.plans.request import Request, Requirement
from validators.plans.solve import LIMIT_S, Outcome, solve
from validators.plans.world import World

Approach = Literal["experience", "budget"]
#: Wishes in the order in which they are given up: what the stay is about goes last.
_GIVEN_UP = ("transport", "hotel_feature", "cuisine", "attraction_type")


def reference_plan(
    request: Request, world: World, approach: Approach, limit_s: float | None = LIMIT_S
) -> Outcome:
    """The reference plan of an approach, its style prefixed; seconds are those of each try.

    The report is the checker's on the request itself: an experience-first plan may fail ``budget``
    there. Where no plan exists even without wishes, the outcome says why.
    """
    outcome = None
    for wished in _fewer_and_fewer(request):
        outcome = solve(_demanding(request, wished, approach), world, limit_s)
        if outcome.plan is not None:
            report = check(outcome.plan, world, request)
            return replace(outcome, style=f"{approach}: {outcome.style}", report=report)
    assert outcome is not None, "the last try has no wishes, and is always made"
    return outcome


def _fewer_and_fewer(request: Request) -> Iterator[tuple[Requirement, ...]]:
    """The wishes, then without one category after another, down to none."""
    wished = tuple(r for r in request.requirements if not r.hard)
    yield wished
    for kind in _GIVEN_UP:
        fewer = tuple(r for r in wished if r.kind != kind)
        if fewer != wished:
            wished = fewer
            yield wished
    if wished:
        yield ()


def _demanding(request: Request, wished: tuple[Requirement, ...], approach: Approach) -> Request:
    """The request with its wishes as demands, and for experience without its budget."""
    hard = tuple(r for r in request.hard if approach == "budget" or r.kind != "budget")
    return replace(request, requirements=(*hard, *(replace(r, hard=True) for r in wished)))
