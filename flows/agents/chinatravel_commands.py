"""Parses the commands that an agent writes for ChinaTravel's environment.

A command is parsed as a tree and never run as Python. A command is one call with plain values or a
filter, or ``Results[N]`` or ``Results[N].next_page()``. A filter is a ``lambda x: ...`` with
comparisons, ``and``, ``or``, ``not``, and a few string methods. Anything else is refused with an
explanation. The caller checks whether the function exists.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from warehouse.errors import SandboxError

_MOST_CHARACTERS = 2000
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
_METHODS = ("startswith", "endswith", "lower", "upper", "strip")


@dataclass(frozen=True)
class ToolCall:
    """A call: its name, positional values and named values.

    ``result`` is the number N in ``Results[N]``.
    """

    name: str
    arguments: tuple[Any, ...] = ()
    named: tuple[tuple[str, Any], ...] = ()
    result: int | None = None


def read_command(text: str) -> ToolCall:
    """Parse a command; if the command is invalid, raise SandboxError with the expected form."""
    if len(text) > _MOST_CHARACTERS:
        raise SandboxError(f"a command can have at most {_MOST_CHARACTERS:,} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _refuse("the text is not a single call") from None
    if isinstance(tree, ast.Subscript):
        return ToolCall("Results", result=_result_of(tree))
    if not isinstance(tree, ast.Call):
        raise _refuse("the text is not a call")
    if isinstance(tree.func, ast.Attribute) and tree.func.attr == "next_page":
        return ToolCall("next_page", result=_result_of(tree.func.value))
    if not isinstance(tree.func, ast.Name):
        raise _refuse("only calls to the environment are allowed")
    if any(word.arg is None for word in tree.keywords):
        raise _refuse("every argument must be written out (** is not allowed)")
    named = tuple((str(word.arg), _value(word.value)) for word in tree.keywords)
    return ToolCall(tree.func.id, tuple(_value(one) for one in tree.args), named)


def _refuse(why: str) -> SandboxError:
    return SandboxError(
        f"{why}: commands are not run as Python. Write one call with plain values, such as "
        "attractions_nearby('杭州', '西湖', 5, 2)"
    )


def _result_of(tree: ast.expr) -> int:
    if not (isinstance(tree, ast.Subscript) and isinstance(tree.value, ast.Name)):
        raise _refuse("only calls to the environment are allowed")
    number = _value(tree.slice)
    if tree.value.id != "Results" or not isinstance(number, int):
        raise _refuse("Results[...] must contain a whole number")
    return number


def _value(tree: ast.expr) -> Any:
    if isinstance(tree, ast.Lambda):
        return _filter(tree)
    try:
        value = ast.literal_eval(tree)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise _refuse("a value must be a string, a number, None or a filter") from None
    if not isinstance(value, str | int | float | None):
        raise _refuse("a value must be a string, a number, None or a filter")
    return value


def _filter(tree: ast.Lambda) -> Callable[[Any], bool]:
    arguments = tree.args
    plain = not (arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults)
    if not plain or len(arguments.args) != 1:
        raise _refuse("a filter must have exactly one parameter")
    made = _make_getter(tree.body, arguments.args[0].arg)
    return lambda value: bool(made(value))


def _make_getter(tree: ast.expr, name: str) -> Callable[[Any], Any]:
    """Return a function that evaluates a filter's expression for a given value."""
    if isinstance(tree, ast.Constant):
        constant = tree.value
        return lambda _value: constant
    if isinstance(tree, ast.Name) and tree.id == name:
        return lambda value: value
    if isinstance(tree, ast.List | ast.Tuple | ast.Set):
        parts = [_make_getter(one, name) for one in tree.elts]
        return lambda value: [part(value) for part in parts]
    if isinstance(tree, ast.BoolOp):
        parts, every = (
            [_make_getter(one, name) for one in tree.values],
            isinstance(tree.op, ast.And),
        )
        return lambda value: (all if every else any)(part(value) for part in parts)
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not | ast.USub):
        part = _make_getter(tree.operand, name)
        act: Callable[[Any], Any] = operator.not_ if isinstance(tree.op, ast.Not) else operator.neg
        return lambda value: act(part(value))
    if isinstance(tree, ast.Compare):
        return _comparison(tree, name)
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute):
        return _method(tree, tree.func, name)
    raise _refuse("a filter can use only comparisons, `and`, `or`, `not` and string methods")


def _comparison(tree: ast.Compare, name: str) -> Callable[[Any], Any]:
    parts = [_make_getter(one, name) for one in (tree.left, *tree.comparators)]
    tests = [_COMPARE[type(one)] for one in tree.ops]

    def holds(value: Any) -> bool:
        found = [part(value) for part in parts]
        return all(test(a, b) for test, a, b in zip(tests, found, found[1:], strict=False))

    return holds


def _method(tree: ast.Call, function: ast.Attribute, name: str) -> Callable[[Any], Any]:
    if function.attr not in _METHODS or tree.keywords:
        raise _refuse(f"a filter can call only the methods {', '.join(_METHODS)}")
    owner, arguments = (
        _make_getter(function.value, name),
        [_make_getter(one, name) for one in tree.args],
    )

    def call_method(value: Any) -> Any:
        text = owner(value)
        if not isinstance(text, str):
            raise TypeError(f"{function.attr} works only on strings")
        return getattr(text, function.attr)(*(one(value) for one in arguments))

    return call_method
