"""Turn the wishes in a free-form text into constraints, with fields and matching expressions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from queries.audit.chinatravel import read_constraints
from queries.audit.reading import ReadRequest
from queries.audit.tags import refuses, tags_of
from queries.audit.trials import JOURNEYS, ROOM_TYPES, agrees
from queries.chinatravel_constraints import expression_of
from queries.given.wording import clauses
from schemas.expressions import ExpressionError, parse_constraint

Constraint = dict[str, Any]
_KIND = {"accommodations": "hotel_feature", "diet": "cuisine", "attractions": "attraction_type"}
_ANY = re.compile(r"任选|任一|其中之一|或者|或|\beither\b|any (?:one )?of|\bor\b", re.IGNORECASE)
#: With the first words, a budget covers only part of the costs; with the second, one person.
_PART = re.compile(
    r"不含|不包括|不包含|不算|除去|除了|只是|不计|exclud|not includ|without", re.IGNORECASE
)
_EACH = re.compile(r"人均|每人|每个人|一人|per person|each", re.IGNORECASE)
_MONEY = re.compile(r"预算|花费|费用|元|块|人民币|budget|rmb|yuan|cny|¥|￥", re.IGNORECASE)


@dataclass(frozen=True)
class TextWishes:
    """The wishes in a text; ``made`` shows, for each clause, whether its tags became
    constraints.
    """

    constraints: tuple[Constraint, ...] = ()
    pace: str | None = None
    names: tuple[str, ...] = ()
    made: Mapping[int, bool] = field(default_factory=dict)


def read_wishes(text: str, read: ReadRequest, names: Mapping[str, str]) -> TextWishes:
    """Read the wishes in a text that uses the published words.

    ``names`` maps the names of known places to kinds of constraints.
    """
    found: list[Constraint] = []
    made: dict[int, bool] = {}
    named: list[str] = []
    pace: str | None = None
    for number, clause in enumerate(clauses(text)):
        here = _find_names(clause, names)
        named += here
        rest = clause
        for name in here:
            rest = rest.replace(name, " ")
        mode = "none" if refuses(rest) else "any" if _ANY.search(rest) else "all"
        parts = _of_names(here, names, mode) + _of_clause(rest)
        tagged, paced = _of_tags(rest, mode, {v for c in parts for v in c["values"]})
        pace = paced or pace
        good = [c for c in (*parts, *tagged) if _holds(c)]
        if len(good) < len(parts) + len(tagged):
            made[number] = False
        found += good
        if read.budget is not None and _MONEY.search(clause):
            budget = _budget(clause, read)
            found += [budget] if budget else []
            made[number] = made.get(number, True) and budget is not None
    once = {c["expression"]: c for c in found}
    return TextWishes(tuple(once.values()), pace, tuple(named), made)


def _find_names(clause: str, names: Mapping[str, str]) -> list[str]:
    """Return the names of places in a clause, except names that are part of longer names."""
    found = [name for name in names if name in clause]
    return [n for n in found if not any(n != other and n in other for other in found)]


def _of_names(here: Sequence[str], names: Mapping[str, str], mode: str) -> list[Constraint]:
    kinds: dict[str, list[str]] = defaultdict(list)
    for name in here:
        kinds[names[name]].append(name)
    return [_make(kind, mode, sorted(values)) for kind, values in sorted(kinds.items())]


def _of_clause(clause: str) -> list[Constraint]:
    """Read constraints on rooms, times and city transport in a clause, as the audit does."""
    return [
        _make(kind, mode, sorted(values), amount)
        for kind, mode, values, amount in read_constraints(clause)
        if kind in ("rooms", "time", "city_transport") and (values or kind == "time")
    ]


def _of_tags(clause: str, mode: str, taken: set[str]) -> tuple[list[Constraint], str | None]:
    kinds: dict[str, list[str]] = defaultdict(list)
    pace = None
    for category, tag in tags_of(clause):
        match category:
            case "rhythm":
                pace = tag
            case "transportation":
                kinds["transport" if tag in JOURNEYS else "other"].append(tag)
            case _ if tag not in taken and tag not in ROOM_TYPES:
                kinds[_KIND[category]].append(tag)
    found = [_make(k, mode, list(dict.fromkeys(tags))) for k, tags in kinds.items()]
    return found, pace


def _make(kind: str, mode: str, values: list[str], amount: int | None = None) -> Constraint:
    return {"kind": kind, "mode": mode, "values": values, "amount": amount}


def _holds(constraint: Constraint) -> bool:
    """Add the expression to a constraint, or return False if no expression matches its fields."""
    kind, mode, values = constraint["kind"], constraint["mode"], constraint["values"]
    if kind == "other" or (kind in ("transport", "city_transport") and len(values) != 1):
        return False
    if (kind == "transport" and mode != "all") or (kind == "rooms" and not constraint["amount"]):
        return False
    expression = parse_constraint(expression_of(constraint))
    constraint["expression"] = expression.text
    return agrees(constraint, expression)


def express(fields: Mapping[str, Any]) -> Constraint | None:
    """Return a constraint with its expression, or None if no expression matches its fields."""
    constraint = dict(fields)
    try:
        return constraint if _holds(constraint) else None
    except (KeyError, ExpressionError):
        return None


def _budget(clause: str, read: ReadRequest) -> Constraint | None:
    """Return the whole party's budget as a constraint, or None if the budget covers only some of
    the costs.
    """
    assert read.budget is not None
    if _PART.search(clause) or (_EACH.search(clause) and read.people is None):
        return None
    amount = read.budget * ((read.people or 1) if _EACH.search(clause) else 1)
    made = _make("budget", "all", [], amount)
    return made if _holds(made) else None


def contradicts(constraints: Sequence[Constraint]) -> str | None:
    """Return a value that the text both wishes for and refuses, or None if there is no such
    value.
    """
    wished = {(c["kind"], v) for c in constraints if c["mode"] != "none" for v in c["values"]}
    refused = {(c["kind"], v) for c in constraints if c["mode"] == "none" for v in c["values"]}
    both = sorted(wished & refused)
    return both[0][1] if both else None
