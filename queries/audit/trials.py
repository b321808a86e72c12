"""Compare each constraint's expression with the constraint's fields, using small trial plans.

The trial plans are made from the fields alone. Some trial plans meet the constraint, and others
only just fail it. The expression agrees with the fields if it gives the correct result for every
trial plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from schemas.expressions import Expression, evaluate
from schemas.plan_view import ActivityView, PlanView, RideView

_START, _TARGET = "the start", "the target"
#: For each kind of constraint, the kind of activity, and whether it is about names or tags.
_PLACES = {
    "attraction_type": ("attraction", "types"), "attraction_name": ("attraction", "name"),
    "cuisine": ("dinner", "types"), "restaurant_name": ("lunch", "name"),
    "hotel_feature": ("accommodation", "types"), "hotel_name": ("accommodation", "name"),
}  # fmt: skip
_OTHER = {
    "attraction": "dinner",
    "dinner": "attraction",
    "lunch": "accommodation",
    "accommodation": "lunch",
}
_JOURNEYS = {"高铁": "train", "飞机": "airplane"}
_MODES = {"地铁": "metro", "打车": "taxi", "步行": "walk"}
#: Values of the kinds of constraints that have only a few.
ROOM_TYPES = frozenset({"单人间", "大床房", "双床房", "家庭房"})
JOURNEYS, MODES = frozenset(_JOURNEYS), frozenset(_MODES)


def agrees(constraint: Mapping[str, Any], expression: Expression) -> bool:
    """Check whether the expression gives the same result as the fields for every trial plan."""
    return all(evaluate(expression, plan) is kept for plan, kept in trials(constraint))


def trials(constraint: Mapping[str, Any]) -> Iterator[tuple[PlanView, bool]]:
    """Yield trial plans, each with a flag that shows whether the plan meets the constraint.

    Raises KeyError if the kind or a value is unknown.
    """
    kind, mode, values, amount = (constraint[k] for k in ("kind", "mode", "values", "amount"))
    match kind:
        case "transport":
            for tag, way in _JOURNEYS.items():
                yield _plan(ActivityView(1, way), ActivityView(2, way)), [tag] == values
        case "rooms":
            for rooms, room_type in ((amount, values[0]), (amount + 1, values[0]), (amount, "?")):
                stay = ActivityView(1, "accommodation", rooms=rooms, room_type=room_type)
                yield _plan(stay), (rooms, room_type) == (amount, values[0])
        case "budget":
            for cents in (amount * 100 - 1, amount * 100, amount * 100 + 1):
                yield _plan(ActivityView(1, "other", cost_cents=cents)), cents <= amount * 100
        case "city_transport":
            for tag, way in _MODES.items():
                kept = tag not in values if mode == "none" else tag in (*values, "步行")
                yield _plan(rides=(RideView(1, way),)), kept
        case "time":
            end, other = (_START, _TARGET) if mode == "back" else (_TARGET, _START)
            for minute in (amount - 1, amount, amount + 1):
                train = ActivityView(1, "train", end_min=minute, destination=end)
                early = ActivityView(2, "airplane", end_min=amount + 60, destination=other)
                yield _plan(train, early), minute <= amount
        case _:
            yield from _of_places(kind, mode, values)


def _of_places(kind: str, mode: str, values: list[str]) -> Iterator[tuple[PlanView, bool]]:
    """Yield plans that contain none, one, all but one, or all of the values.

    The last plan contains all the values, but in activities of a different kind.
    """
    sets = [set(), {*values}, *({v} for v in values), *({*values} - {v} for v in values)]
    for there in sets:
        yield _visits(kind, there, elsewhere=False), _keeps(mode, values, there)
    yield _visits(kind, {*values}, elsewhere=True), _keeps(mode, values, set())


def _keeps(mode: str, values: list[str], there: set[str]) -> bool:
    if mode == "all":
        return {*values} <= there
    return bool({*values} & there) == (mode == "any")


def _visits(kind: str, values: set[str], *, elsewhere: bool) -> PlanView:
    activity, by = _PLACES[kind]
    activity = _OTHER[activity] if elsewhere else activity
    if by == "types":
        return _plan(ActivityView(1, activity, "a place", frozenset(values)))
    return _plan(*(ActivityView(1, activity, name, frozenset()) for name in sorted(values)))


def _plan(*activities: ActivityView, rides: tuple[RideView, ...] = ()) -> PlanView:
    return PlanView(2, 2, _START, _TARGET, activities, rides)
