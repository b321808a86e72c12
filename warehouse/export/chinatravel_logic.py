"""Constraints of a query as the programs that ChinaTravel's checker runs over a plan.

A program sets ``result``. Its language is small: assignments, loops, conditions, comparisons and
calls of named concepts (``activity_type``, ``room_count``, ...); comprehensions are none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from schemas.plans import ROOM_NUMBERS
from schemas.taxonomy import BASE_TYPES, ROOM_TYPES, TREND_TYPES

#: How the layout names a place, by the table and the name that a query uses.
Renamed = Callable[[str, str], str]
_EVERY = "for activity in allactivities(plan):\n  "
_MEALS = "in ['breakfast','lunch','dinner']"
#: Kind of constraint: which activities, what is looked at, the table that names its values.
_SETS = {
    "attraction_type": ("=='attraction'", "attraction_type(activity, target_city(plan))", None),
    "attraction_name": ("=='attraction'", "activity_position(activity)", "attractions"),
    "cuisine": (_MEALS, "restaurant_type(activity, target_city(plan))", None),
    "restaurant_name": (_MEALS, "activity_position(activity)", "restaurants"),
    "hotel_feature": ("=='accommodation'", "accommodation_type(activity, target_city(plan))", None),
    "hotel_name": ("=='accommodation'", "activity_position(activity)", "hotels"),
}
_JOURNEYS = {"高铁": "train", "飞机": "airplane"}
_MODES = {"地铁": "metro", "打车": "taxi", "步行": "walk"}
_ROOMS = {term.zh: ROOM_NUMBERS[term.code] for term in ROOM_TYPES if term.code in ROOM_NUMBERS}
_BASE = {term.zh for term in BASE_TYPES}
_TREND = {term.zh for term in TREND_TYPES}


class Unsaid(ValueError):
    """A constraint that the layout cannot express; the message says why."""


def programs(structure: Mapping[str, Any], renamed: Renamed) -> list[str]:
    """One program for the days, one for the people, and one for each constraint.

    Raises Unsaid for a kind, a room type or a type of attraction that the layout does not know.
    """
    asked = [f"result=(day_count(plan)=={structure['days']})"]
    asked.append(f"result=(people_count(plan)=={structure['people_number']})")
    return asked + [program(constraint, renamed) for constraint in structure["constraints"]]


def program(constraint: Mapping[str, Any], renamed: Renamed) -> str:
    """The program of one constraint. Raises Unsaid where the layout cannot express it."""
    kind, mode, amount = constraint["kind"], constraint["mode"], constraint["amount"]
    values: Sequence[str] = constraint["values"]
    if kind in _SETS:
        return _set_program(kind, mode, values, renamed)
    if kind == "transport":
        way = _JOURNEYS[values[0]]
        gather = (
            "if activity_type(activity) in ['train','airplane']:"
            " found.add(intercity_transport_type(activity))"
        )
        return f"found=set()\n{_EVERY}{gather}\nresult=(found=={{{way!r}}})"
    if kind == "rooms":
        return _rooms_program(values[0], amount)
    if kind == "budget":
        ways = "  total+=innercity_transport_cost(activity_transports(activity))"
        return f"total=0\n{_EVERY}total+=activity_cost(activity)\n{ways}\nresult=(total<={amount})"
    if kind == "city_transport":
        way = _MODES[values[0]]
        gather = "found.add(innercity_transport_type(activity_transports(activity)))"
        test = f"{way!r} not in found" if mode == "none" else f"found<={{'walk',{way!r},'empty'}}"
        return f"found=set()\n{_EVERY}{gather}\nresult=({test})"
    if kind == "time":
        # The first activity of a plan is the way there and the last the way back.
        which = -1 if mode == "back" else 0
        until = f"{amount // 60:02d}:{amount % 60:02d}"
        return f"result=(activity_end_time(allactivities(plan)[{which}])<={until!r})"
    raise Unsaid(f"no program for a constraint of kind {kind}")


def _set_program(kind: str, mode: str, values: Sequence[str], renamed: Renamed) -> str:
    which, look, table = _SETS[kind]
    if kind == "attraction_type" and (unknown := [v for v in values if v in _TREND - _BASE]):
        raise Unsaid(f"asks for a type of the second layer, which no table tells: {unknown[0]}")
    told = [_text(renamed(table, value) if table else value) for value in values]
    gather = f"found=set()\n{_EVERY}if activity_type(activity) {which}: found.add({look})\n"
    if mode == "all":
        return f"{gather}result=({{{','.join(told)}}}<=found)"
    joint, word = (" or ", "in") if mode == "any" else (" and ", "not in")
    return f"{gather}result=({joint.join(f'{value} {word} found' for value in told)})"


def _rooms_program(kind: str, rooms: int) -> str:
    number = _ROOMS.get(kind)
    if number not in (1, 2):
        raise Unsaid(f"asks for a room type that the layout does not know: {kind}")
    other = f"room_count(activity)!={rooms} or room_type(activity)!={number}"
    test = f"if activity_type(activity)=='accommodation' and ({other}): result=False"
    return f"result=True\n{_EVERY}{test}"


def _text(value: str) -> str:
    """A text in double quotes: their code reads names in single quotes by a rule of its own."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
