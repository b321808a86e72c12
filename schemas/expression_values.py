"""Evaluates constraints with three-valued logic and with sets that may be only partly known."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from schemas.expression_types import ExpressionError
from schemas.geo import distance_m
from schemas.plan_view import ATTRIBUTES, ActivityView, PlanView, RideView
from schemas.values import clock_minutes

#: An evaluation stops after this number of steps. A real constraint takes a few thousand.
LIMIT_STEPS = 1_000_000
_OWNERS = {PlanView: "plan", ActivityView: "activity", RideView: "ride"}
_FACTORS = {"cny": 100, "minutes": 1, "hours": 60, "metres": 1, "km": 1000}
_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
}  # fmt: skip
_AGGREGATES: dict[str, Callable[[list[Any]], Any]] = {"sum": sum, "min": min, "max": max}
_ORDER: dict[type, Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


@dataclass(frozen=True)
class PartSet:
    """A set; ``complete`` is False if the set may also have members that are not known."""

    known: frozenset[Any]
    complete: bool

    def has(self, value: Any) -> bool | None:
        """Check whether a value is in the set; return None if this is unknown."""
        if value is None:
            return None
        return True if value in self.known else False if self.complete else None

    def within(self, other: PartSet) -> bool | None:
        """Check whether all members of this set are in the other set; return None if unknown."""
        inside = conjunction(other.has(value) for value in self.known)
        return inside if inside is False or self.complete else None

    def join(self, symbol: ast.operator, other: PartSet) -> PartSet:
        """Return the union, intersection or difference of two sets."""
        both = self.complete and other.complete
        if isinstance(symbol, ast.BitOr):
            return PartSet(self.known | other.known, both)
        if isinstance(symbol, ast.BitAnd):
            return PartSet(self.known & other.known, both)
        return PartSet(self.known - other.known if other.complete else frozenset(), both)


def conjunction(values: Iterable[bool | None]) -> bool | None:
    """Return False if any value is False, else None if any is unknown, else True."""
    found: bool | None = True
    for value in values:
        if value is False:
            return False
        if value is None:
            found = None
    return found


def negation(value: bool | None) -> bool | None:
    """Negate a value; an unknown value (None) stays unknown."""
    return None if value is None else not value


def disjunction(values: Iterable[bool | None]) -> bool | None:
    """Return True if any value is True, else None if any is unknown, else False."""
    return negation(conjunction(negation(value) for value in values))


class Evaluator:
    """Evaluates checked expressions for one plan."""

    def __init__(self, plan: PlanView):
        self.plan = plan
        self.steps = 0

    def value(self, tree: ast.expr) -> Any:
        """Evaluate a checked expression; return None if the value is unknown."""
        found = self._at(tree, {"plan": self.plan})
        if isinstance(found, PartSet):
            return found.known if found.complete else None
        return found

    def _at(self, node: ast.expr, scope: dict[str, Any]) -> Any:
        self.steps += 1
        if self.steps > LIMIT_STEPS:
            raise ExpressionError("the expression takes too many steps", 0)
        rule: Callable[[Any, dict[str, Any]], Any] = getattr(self, f"_{type(node).__name__}")
        return rule(node, scope)

    def _Constant(self, node: ast.Constant, scope: dict[str, Any]) -> Any:
        return node.value

    def _Name(self, node: ast.Name, scope: dict[str, Any]) -> Any:
        return scope[node.id]

    def _Attribute(self, node: ast.Attribute, scope: dict[str, Any]) -> Any:
        owner = self._at(node.value, scope)
        name, kind = ATTRIBUTES[_OWNERS[type(owner)]][node.attr]
        found = getattr(owner, name)
        if kind.startswith("set of"):
            return PartSet(frozenset(found or ()), found is not None)
        return found

    def _BoolOp(self, node: ast.BoolOp, scope: dict[str, Any]) -> bool | None:
        values = (self._at(value, scope) for value in node.values)
        return conjunction(values) if isinstance(node.op, ast.And) else disjunction(values)

    def _UnaryOp(self, node: ast.UnaryOp, scope: dict[str, Any]) -> Any:
        found = self._at(node.operand, scope)
        if isinstance(node.op, ast.Not):
            return negation(found)
        return None if found is None else -found

    def _BinOp(self, node: ast.BinOp, scope: dict[str, Any]) -> Any:
        left, right = self._at(node.left, scope), self._at(node.right, scope)
        if isinstance(left, PartSet):
            return left.join(node.op, right)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Div):
            return left / right if right else None
        return _ARITHMETIC[type(node.op)](left, right)

    def _Compare(self, node: ast.Compare, scope: dict[str, Any]) -> bool | None:
        values = [self._at(value, scope) for value in (node.left, *node.comparators)]
        pairs = zip(values, node.ops, values[1:], strict=False)
        return conjunction(_compare(left, symbol, right) for left, symbol, right in pairs)

    def _IfExp(self, node: ast.IfExp, scope: dict[str, Any]) -> Any:
        test = self._at(node.test, scope)
        if test is None:
            return None
        return self._at(node.body if test else node.orelse, scope)

    def _Set(self, node: ast.Set, scope: dict[str, Any]) -> PartSet:
        return _part_set(self._at(element, scope) for element in node.elts)

    def _SetComp(self, node: ast.SetComp, scope: dict[str, Any]) -> PartSet:
        rows = self._rows(node.generators, node.elt, scope)
        return _part_set(value if sure else None for sure, value in rows)

    def _Call(self, node: ast.Call, scope: dict[str, Any]) -> Any:
        assert isinstance(node.func, ast.Name)
        name, argument = node.func.id, node.args[0]
        if isinstance(argument, ast.GeneratorExp):
            return _aggregate(name, self._rows(argument.generators, argument.elt, scope))
        if name == "time":
            return clock_minutes(self._at(argument, scope))
        if name == "distance":
            return self._distance(*(self._at(value, scope) for value in node.args))
        found = self._at(argument, scope)
        if name == "len":
            return _length(found)
        if found is None or name == "to_number":
            return found
        return found * _FACTORS[name]

    def _distance(self, first: str | None, second: str | None) -> float | None:
        a, b = self.plan.places.get(first or ""), self.plan.places.get(second or "")
        return None if a is None or b is None else float(distance_m(*a, *b))

    def _rows(
        self, generators: list[ast.comprehension], element: ast.expr, scope: dict[str, Any]
    ) -> Iterator[tuple[bool | None, Any]]:
        """For each row that may belong to a comprehension, yield whether it does (True, or None if
        unknown) and its value.
        """
        if not generators:
            yield True, self._at(element, scope)
            return
        first, *rest = generators
        assert isinstance(first.target, ast.Name)
        values, complete = _members(self._at(first.iter, scope))
        for value in values:
            inner = {**scope, first.target.id: value}
            belongs = conjunction(self._at(condition, inner) for condition in first.ifs)
            if belongs is not False:
                for sure, found in self._rows(rest, element, inner):
                    yield conjunction((belongs, sure)), found
        if not complete:
            yield None, None


def _members(source: Any) -> tuple[Iterable[Any], bool]:
    if isinstance(source, PartSet):
        return sorted(source.known), source.complete
    return (source, True) if source is not None else ((), False)


def _length(found: Any) -> int | None:
    if isinstance(found, PartSet):
        return len(found.known) if found.complete else None
    return None if found is None else len(found)


def _part_set(values: Iterable[Any]) -> PartSet:
    found = list(values)
    return PartSet(frozenset(v for v in found if v is not None), None not in found)


def _compare(left: Any, symbol: ast.cmpop, right: Any) -> bool | None:
    if isinstance(symbol, ast.In):
        found: bool | None = right.has(left)
        return found
    if isinstance(symbol, ast.NotIn):
        return negation(right.has(left))
    if isinstance(left, PartSet):
        return _compare_sets(left, symbol, right)
    if left is None or right is None:
        return None
    return bool(_ORDER[type(symbol)](left, right))


def _compare_sets(left: PartSet, symbol: ast.cmpop, right: PartSet) -> bool | None:
    below, above = left.within(right), right.within(left)
    equal = conjunction((below, above))
    verdicts: dict[type, bool | None] = {
        ast.LtE: below,
        ast.GtE: above,
        ast.Lt: conjunction((below, negation(above))),
        ast.Gt: conjunction((above, negation(below))),
        ast.Eq: equal,
        ast.NotEq: negation(equal),
    }
    return verdicts[type(symbol)]


def _aggregate(name: str, rows: Iterable[tuple[bool | None, Any]]) -> Any:
    if name == "any":
        return disjunction(conjunction(row) for row in rows)
    if name == "all":
        return conjunction(disjunction((negation(sure), value)) for sure, value in rows)
    found = list(rows)
    if any(sure is None for sure, _ in found):
        return None
    if name == "count":
        return len(found)
    values = [value for _, value in found]
    if None in values or (not values and name != "sum"):
        return None
    return _AGGREGATES[name](values)
