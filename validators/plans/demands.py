"""Determine what a single requirement means for journeys and places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from validators.plans.request import Requirement
from validators.plans.view import journey_types
from validators.plans.world import Journey, Place

_JOURNEYS = {"高铁": "train", "飞机": "airplane"}
#: The kind of place that a requirement is about, and whether it names places or their types.
_OF_PLACES = {
    "attraction_type": ("attraction", False), "attraction_name": ("attraction", True),
    "cuisine": ("restaurant", False), "restaurant_name": ("restaurant", True),
    "hotel_feature": ("hotel", False), "hotel_name": ("hotel", True),
}  # fmt: skip


@dataclass(frozen=True)
class Group:
    """A set of names or types; the plan must contain a place with at least one of these."""

    kind: str
    words: str
    names: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()

    def meets(self, place: Place) -> bool:
        """Check whether a place has one of the names or types in the group."""
        return place.name in self.names or bool(place.types & self.types)


def groups_of(requirement: Requirement, kind: str) -> list[Group]:
    """Return the groups for a kind of place; a plan must contain a place from each group."""
    of_kind, named = _OF_PLACES.get(requirement.kind, ("", False))
    if of_kind != kind or requirement.mode == "none":
        return []
    values = requirement.values
    sets = [frozenset(values)] if requirement.mode == "any" else [frozenset((v,)) for v in values]
    return [
        Group(kind, requirement.words, names=s)
        if named
        else Group(kind, requirement.words, types=s)
        for s in sets
    ]


def hosts_of(place: Place, hard: Sequence[Requirement]) -> bool:
    """Check that no requirement excludes a place."""
    for requirement in hard:
        kind, named = _OF_PLACES.get(requirement.kind, ("", False))
        if kind != place.kind or requirement.mode != "none":
            continue
        if place.name in requirement.values if named else place.types & set(requirement.values):
            return False
    return True


def travels(requirement: Requirement, journey: Journey, side: str) -> bool:
    """Check whether a plan with this journey, ``there`` or ``back``, can meet a requirement.

    A requirement may name several means of transport. It is enough if one of a plan's two journeys
    uses one of the named means, so either journey alone may use a different means of transport.
    """
    if requirement.kind == "time":
        return requirement.mode != side or journey.arrives_min <= (requirement.amount or 0)
    if requirement.kind != "transport":
        return True
    if requirement.mode == "all":
        return all(journey.kind == _JOURNEYS.get(value) for value in requirement.values)
    tags = journey_types(journey.kind, journey.number)
    return requirement.mode == "any" or not tags & set(requirement.values)
