"""Define the constraints for which plans are checked, and the verdict on each constraint."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from schemas.word_lists import Lists

_LISTS = Lists("validators.plans")

#: ChinaTravel's 25 environment constraints (table 5) in its order: id and meaning.
ENVIRONMENT = _LISTS.pairs("environment_constraints")
#: TripScore's format and commonsense constraints (table 2).
TRIPSCORE = _LISTS.pairs("tripscore_constraints")
#: TripScore's constraints that combine several of ChinaTravel's.
SUMS = {
    "information_verified": (
        "intercity_exists", "attraction_exists", "restaurant_exists", "hotel_exists",
    ),
    "information_accurate": (
        "intercity_details", "way_details", "attraction_price", "restaurant_price", "hotel_room",
    ),
    "chronological": ("order",),
    "operating_hours": ("attraction_open",),
}  # fmt: skip
#: Our own constraint: the plan answers the query.
ANSWERS = {"request": "the cities and the numbers of days and people match the query"}
CATALOGUE = {**ENVIRONMENT, **TRIPSCORE, **ANSWERS}


@dataclass(frozen=True)
class ConstraintVerdict:
    """The verdict on one constraint: passed, failed, or None if the snapshot lacks the facts."""

    constraint: str
    passed: bool | None
    reasons: tuple[str, ...] = ()


@dataclass
class Findings:
    """The failures and doubts found while a plan is checked."""

    failures: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    doubts: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def fail(self, constraint: str, where: str, why: str) -> None:
        """Record that a constraint is violated."""
        assert constraint in CATALOGUE, constraint
        self.failures[constraint].append(f"{where}: {why}")

    def doubt(self, constraint: str, where: str, why: str) -> None:
        """Record that a constraint cannot be decided."""
        assert constraint in CATALOGUE, constraint
        self.doubts[constraint].append(f"{where}: {why}")

    def verdict(self, constraint: str) -> ConstraintVerdict:
        """Return the verdict: failed if there is a failure, unknown if there are only doubts, else
        passed.
        """
        parts = SUMS.get(constraint, (constraint,))
        if failures := [reason for part in parts for reason in self.failures[part]]:
            return ConstraintVerdict(constraint, False, tuple(failures))
        doubts = tuple(reason for part in parts for reason in self.doubts[part])
        return ConstraintVerdict(constraint, None if doubts else True, doubts)
