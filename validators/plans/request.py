"""Read the cities, days, people, dates and requirements for a plan from a query."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.expressions import Expression, parse_constraint
from schemas.money import YUAN, unit

_MEALS = "{'breakfast', 'lunch', 'dinner'}"
#: Kind of requirement: what is looked at, and which activities.
_SETS = {
    "attraction_type": ("t for a in plan.activities if a.kind == 'attraction' for t in a.types"),
    "attraction_name": ("a.name for a in plan.activities if a.kind == 'attraction'"),
    "cuisine": (f"t for a in plan.activities if a.kind in {_MEALS} for t in a.types"),
    "restaurant_name": (f"a.name for a in plan.activities if a.kind in {_MEALS}"),
    "hotel_feature": ("t for a in plan.activities if a.kind == 'accommodation' for t in a.types"),
    "hotel_name": ("a.name for a in plan.activities if a.kind == 'accommodation'"),
    "transport": ("t for a in plan.activities if a.kind in {'train', 'airplane'} for t in a.types"),
}
#: Category of a TravelEval query: kind of requirement.
_CATEGORIES = {
    "transportation": "transport", "accommodations": "hotel_feature", "diet": "cuisine",
    "attractions": "attraction_type",
}  # fmt: skip
_FOUND = {
    "attraction_type": "attractions of the type", "attraction_name": "the attraction",
    "cuisine": "the cuisine", "restaurant_name": "the restaurant",
    "hotel_feature": "a hotel with", "hotel_name": "the hotel", "transport": "a journey by",
}  # fmt: skip


#: Families of queries that ask for a whole plan.
FAMILIES = ("traveleval", "chinatravel")


class RequestError(ValueError):
    """Raised if a query cannot be read as a request for a plan."""


@dataclass(frozen=True)
class Requirement:
    """A constraint on all, any or none of ``values``, depending on ``mode``; the amount is as in
    the query.
    """

    kind: str
    mode: str
    values: tuple[str, ...]
    amount: int | None
    expression: Expression = field(compare=False)
    hard: bool = True
    currency: str = YUAN

    @property
    def words(self) -> str:
        """The requirement in words."""
        if self.kind == "budget":
            return f"a budget of {self.amount} {unit(self.currency)}"
        if self.kind == "rooms":
            return f"{self.amount} rooms of the type {self.values[0]}"
        if self.kind == "time":
            end = "back" if self.mode == "back" else "there"
            return f"being {end} by {(self.amount or 0) // 60}:00"
        if self.kind == "city_transport":
            only = "only" if self.mode == "all" else "no"
            return f"{only} {', '.join(self.values)} in the city"
        if self.kind == "expression":
            return self.expression.text
        joint = {"all": " and ", "any": " or ", "none": " or "}[self.mode]
        lead = "not " if self.mode == "none" else ""
        return f"{lead}{_FOUND[self.kind]} {joint.join(self.values)}"


@dataclass(frozen=True)
class Request:
    """A query in the form that the checker and the solver use, with city names as in the query.

    If ``round_trip`` is False, the query has no origin, and a plan begins and ends in the city.
    ``first_weekday`` (Monday is 0) is the weekday of the first day if the query has no dates.
    """

    query_id: str
    start_city: str
    target_city: str
    days: int
    people: int
    start_date: dt.date | None
    requirements: tuple[Requirement, ...]
    currency: str = YUAN
    round_trip: bool = True
    first_weekday: int | None = None

    def date(self, day: int) -> dt.date | None:
        """Return the date of a day (counted from 1), or None if the query has no dates."""
        return self.start_date + dt.timedelta(days=day - 1) if self.start_date else None

    def weekday(self, day: int) -> int | None:
        """Return the weekday of a day (Monday is 0), or None if the query states neither dates nor
        a weekday.
        """
        if self.start_date is not None:
            return (self.start_date + dt.timedelta(days=day - 1)).weekday()
        return None if self.first_weekday is None else (self.first_weekday + day - 1) % 7

    def when(self, day: int) -> dt.date | int | None:
        """Return the date of a day, or its weekday if the query has no date."""
        return self.date(day) or self.weekday(day)

    @property
    def hard(self) -> tuple[Requirement, ...]:
        """The requirements that a plan must meet."""
        return tuple(r for r in self.requirements if r.hard)


def request_of(row: Mapping[str, Any]) -> Request | None:
    """Return the request in a query, or None if its family has no hard constraints on a whole plan.

    Raises RequestError if the structure lacks fields that its family requires.
    """
    if row["family"] not in FAMILIES:
        return None
    structure = row["structure"]
    if isinstance(structure, str):
        structure = json.loads(structure)
    return request_of_structure(row["query_id"], structure)


def request_of_structure(query_id: str, structure: Mapping[str, Any]) -> Request:
    """Return the request in a query in the layout of TravelEval or ChinaTravel.

    Raises RequestError if the query lacks cities, days or people.
    """
    try:
        common = (
            query_id, str(structure["start_city"]), str(structure["target_city"]),
            int(structure["days"]), int(structure["people_number"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise RequestError(
            f"{query_id}: cities, days and people_number are needed: {error}"
        ) from None
    if common[3] < 1 or common[4] < 1:
        raise RequestError(f"{query_id}: days and people_number must be 1 or more")
    read = _chinatravel if "constraints" in structure else _traveleval
    currency = str(structure.get("currency", YUAN))
    return Request(*common, _first_date(structure.get("dates")), tuple(read(structure)), currency)


def _first_date(text: Any) -> dt.date | None:
    try:
        return dt.date.fromisoformat(str(text).split(" to ")[0].strip()) if text else None
    except ValueError:
        return None


def _chinatravel(structure: Mapping[str, Any]) -> list[Requirement]:
    return [
        Requirement(
            c["kind"], c["mode"], tuple(c["values"]), c["amount"], parse_constraint(c["expression"])
        )
        for c in structure["constraints"]
    ]


def _traveleval(structure: Mapping[str, Any]) -> list[Requirement]:
    """Read TravelEval's requirements: the budget and exclusions are hard.

    Wishes are not hard; a plan meets the wishes in a category if it meets any one of them.
    """
    found = []
    if structure.get("budget"):
        currency = str(structure.get("currency", YUAN))
        found.append(
            make_requirement("budget", "all", (), int(structure["budget"]), currency=currency)
        )
    for category, kind in _CATEGORIES.items():
        asked = structure.get(category) or {}
        if excluded := tuple(asked.get("constraints") or ()):
            found.append(make_requirement(kind, "none", excluded))
        if wished := tuple(asked.get("preferences") or ()):
            found.append(make_requirement(kind, "any", wished, hard=False))
    return found


def make_requirement(
    kind: str,
    mode: str,
    values: Sequence[str],
    amount: int | None = None,
    *,
    hard: bool = True,
    currency: str = YUAN,
) -> Requirement:
    """Return a requirement with its expression.

    In the expression, ``cny`` stands for the currency of the plan.
    """
    if kind == "budget":
        text = f"plan.cost <= cny({amount})"
    else:
        each = [f"{value!r} in {{{_SETS[kind]}}}" for value in values]
        text = {
            "all": " and ".join(each), "any": " or ".join(each),
            "none": " and ".join(f"not {e}" for e in each),
        }[mode]  # fmt: skip
    return Requirement(kind, mode, tuple(values), amount, parse_constraint(text), hard, currency)
