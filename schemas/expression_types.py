"""Checks the types in a constraint: booleans, texts, quantities, rows, lists and sets."""

from __future__ import annotations

import ast
from collections.abc import Callable

from schemas.plan_view import ATTRIBUTES
from schemas.values import clock_minutes

LIMIT_DEPTH = 60
LIMIT_GENERATORS = 3
QUANTITIES = ("number", "money", "minutes", "metres")
#: Functions that give a unit to a number.
UNITS = {
    "cny": "money",
    "minutes": "minutes",
    "hours": "minutes",
    "metres": "metres",
    "km": "metres",
}
QUANTIFIERS = ("any", "all", "count", "sum", "min", "max")
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_LARGEST = 10**12


class ExpressionError(ValueError):
    """Raised if an expression breaks the rules of the constraint language.

    ``column`` is the position of the error, counted from 1.
    """

    def __init__(self, message: str, column: int):
        self.column = column
        super().__init__(f"{message} (column {column})" if column else message)


def check(tree: ast.expr) -> str:
    """Return the type of an expression. Raises ExpressionError if the type is invalid."""
    return _Checker({"plan": "plan"}).type_of(tree)


def _wrong(node: ast.AST, message: str) -> ExpressionError:
    return ExpressionError(message, getattr(node, "col_offset", -1) + 1)


class _Checker:
    """Finds the type of each node in an expression, given the types of the names in scope."""

    def __init__(self, scope: dict[str, str]):
        self.scope = scope

    def type_of(self, node: ast.expr) -> str:
        rule: Callable[[ast.expr], str] | None = getattr(self, f"_{type(node).__name__}", None)
        if rule is None:
            raise _wrong(node, f"{type(node).__name__} is not part of the constraint language")
        return rule(node)

    def _expect(self, node: ast.expr, *types: str) -> str:
        found = self.type_of(node)
        if found not in types:
            raise _wrong(node, f"{' or '.join(types)} is needed here, not {found}")
        return found

    def _Constant(self, node: ast.Constant) -> str:
        if isinstance(node.value, bool):
            return "bool"
        if isinstance(node.value, int | float):
            if not abs(node.value) < _LARGEST:
                raise _wrong(node, "this number is too large")
            return "number"
        if isinstance(node.value, str):
            return "text"
        raise _wrong(node, f"{node.value!r} is not part of the constraint language")

    def _Name(self, node: ast.Name) -> str:
        if node.id not in self.scope:
            raise _wrong(
                node, f"unknown name {node.id!r}; known names: {', '.join(sorted(self.scope))}"
            )
        return self.scope[node.id]

    def _Attribute(self, node: ast.Attribute) -> str:
        owner = self.type_of(node.value)
        known = ATTRIBUTES.get(owner, {})
        if node.attr not in known:
            raise _wrong(
                node, f"{owner} has no {node.attr!r}; known names: {', '.join(known) or 'none'}"
            )
        return known[node.attr][1]

    def _BoolOp(self, node: ast.BoolOp) -> str:
        for value in node.values:
            self._expect(value, "bool")
        return "bool"

    def _UnaryOp(self, node: ast.UnaryOp) -> str:
        if isinstance(node.op, ast.Not):
            return self._expect(node.operand, "bool")
        if isinstance(node.op, ast.USub):
            return self._expect(node.operand, *QUANTITIES)
        raise _wrong(node, "only `not` and `-` can come before a value")

    def _BinOp(self, node: ast.BinOp) -> str:
        left, right = self.type_of(node.left), self.type_of(node.right)
        if isinstance(node.op, ast.BitOr | ast.BitAnd | ast.Sub) and left.startswith("set of"):
            if left == right:
                return left
        elif left in QUANTITIES and right in QUANTITIES:
            found = _arithmetic(node.op, left, right)
            if found:
                return found
        raise _wrong(node, f"{left} and {right} cannot be combined here")

    def _Compare(self, node: ast.Compare) -> str:
        left = self.type_of(node.left)
        for operator, other in zip(node.ops, node.comparators, strict=True):
            right = self.type_of(other)
            if isinstance(operator, ast.In | ast.NotIn):
                fits = right == f"set of {left}"
            elif isinstance(operator, _COMPARISONS):
                fits = left == right and (left in QUANTITIES or left.startswith("set of"))
            elif isinstance(operator, ast.Eq | ast.NotEq):
                fits = left == right and not left.startswith("list of")
            else:
                fits = False
            if not fits:
                raise _wrong(node, f"{left} and {right} cannot be compared this way")
            left = right
        return "bool"

    def _IfExp(self, node: ast.IfExp) -> str:
        self._expect(node.test, "bool")
        return self._expect(node.orelse, self.type_of(node.body))

    def _Set(self, node: ast.Set) -> str:
        first = self._expect(node.elts[0], "text", *QUANTITIES)
        for element in node.elts[1:]:
            self._expect(element, first)
        return f"set of {first}"

    def _SetComp(self, node: ast.SetComp) -> str:
        return f"set of {self._inner(node)._expect(node.elt, 'text', *QUANTITIES)}"

    def _Call(self, node: ast.Call) -> str:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise _wrong(node, "only the functions of the constraint language can be called")
        name, arguments = node.func.id, node.args
        if name in QUANTIFIERS:
            return self._quantifier(node, name)
        if name == "distance" and len(arguments) == 2:
            for argument in arguments:
                self._expect(argument, "text")
            return "metres"
        if len(arguments) != 1:
            raise _wrong(node, f"{name} does not accept {len(arguments)} values")
        if name in UNITS:
            self._expect(arguments[0], "number")
            return UNITS[name]
        if name == "to_number":
            self._expect(arguments[0], *QUANTITIES)
            return "number"
        if name == "len":
            found = self.type_of(arguments[0])
            if found.startswith(("set of", "list of")):
                return "number"
        if name == "time":
            return _clock(node, arguments[0])
        raise _wrong(node, f"{name} does not accept this value")

    def _quantifier(self, node: ast.Call, name: str) -> str:
        if len(node.args) != 1 or not isinstance(node.args[0], ast.GeneratorExp):
            raise _wrong(node, f"{name} must be written as {name}(... for x in ...)")
        argument = node.args[0]
        inner = self._inner(argument)
        if name in ("any", "all"):
            return inner._expect(argument.elt, "bool")
        if name == "count":
            inner.type_of(argument.elt)
            return "number"
        return inner._expect(argument.elt, *QUANTITIES)

    def _inner(self, node: ast.SetComp | ast.GeneratorExp) -> _Checker:
        """Return a checker whose scope also includes the variables of a comprehension."""
        if len(node.generators) > LIMIT_GENERATORS:
            raise _wrong(node, f"a comprehension can have at most {LIMIT_GENERATORS} loops")
        inner = _Checker(dict(self.scope))
        for generator in node.generators:
            source = inner.type_of(generator.iter)
            if not source.startswith(("list of ", "set of ")):
                raise _wrong(generator.iter, f"cannot loop over {source}")
            if not isinstance(generator.target, ast.Name) or generator.target.id == "plan":
                raise _wrong(
                    generator.target,
                    "a loop needs exactly one variable, and its name must not be `plan`",
                )
            inner.scope[generator.target.id] = source.split(" of ", 1)[1]
            for condition in generator.ifs:
                inner._expect(condition, "bool")
        return inner


def _clock(node: ast.Call, argument: ast.expr) -> str:
    if not isinstance(argument, ast.Constant) or not isinstance(argument.value, str):
        raise _wrong(node, 'write a time as time("18:00")')
    try:
        clock_minutes(argument.value)
    except ValueError as error:
        raise _wrong(node, str(error)) from None
    return "minutes"


def _arithmetic(operator: ast.operator, left: str, right: str) -> str | None:
    if isinstance(operator, ast.Add | ast.Sub):
        return left if left == right else None
    if isinstance(operator, ast.Mult):
        return left if right == "number" else right if left == "number" else None
    if isinstance(operator, ast.Div):
        return "number" if left == right else left if right == "number" else None
    return None
