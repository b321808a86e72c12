"""Defines a small, safe language for constraints on plans and for objectives.

>>> wish = parse("{'火锅'} <= {t for a in plan.activities if a.kind == 'dinner' for t in a.types}")
>>> wish.type
'bool'
>>> evaluate(wish, view)  # True, False, or None if the plan does not contain the information

The syntax is a subset of Python expressions and follows ChinaTravel (table 1 and appendix D.2). The
language consists of attributes, comparisons, ``and or not in``, sets with ``| & -``, arithmetic,
``x if c else y`` and comprehensions. An expression is parsed, and its types and units are checked.
The evaluation does not execute any code. ``schemas.plan_view`` lists the parts of a plan that an
expression can read. The language has these functions:

- ``any all count sum min max`` apply to a comprehension, and ``len`` applies to a set.
- ``cny(5000)``, ``time("18:00")``, ``minutes(90)``, ``hours(2)``, ``metres(500)`` and ``km(2)``
  make quantities.
- ``distance("A", "B")`` is the distance in metres between two named places.
- ``to_number(x)`` removes the unit.

The logic is three-valued: a result is unknown if the plan does not contain enough information.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from schemas.expression_types import LIMIT_DEPTH, ExpressionError, check
from schemas.expression_values import Evaluator
from schemas.plan_view import PlanView

#: Length of the longest text that is parsed, in characters.
LIMIT_CHARACTERS = 4_000

__all__ = [
    "Expression",
    "ExpressionError",
    "evaluate",
    "parse",
    "parse_constraint",
    "parse_objective",
]


@dataclass(frozen=True)
class Expression:
    """A parsed and type-checked expression. ``text`` is its canonical form."""

    text: str
    type: str
    tree: ast.expr = field(compare=False)


def parse(text: str) -> Expression:
    """Parse and type-check an expression.

    Raises ExpressionError, which gives the position of the error, if the expression is invalid.
    """
    if len(text) > LIMIT_CHARACTERS:
        raise ExpressionError(f"the expression is longer than {LIMIT_CHARACTERS} characters", 0)
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ExpressionError(f"not an expression: {error.msg}", error.offset or 0) from None
    except (ValueError, MemoryError, RecursionError):
        raise ExpressionError(
            "not an expression: the text cannot be parsed or is nested too deeply", 0
        ) from None
    _check_depth(tree)
    return Expression(ast.unparse(tree), check(tree), tree)


def parse_constraint(text: str) -> Expression:
    """Parse an expression that is true or false. Raises ExpressionError for any other type."""
    expression = parse(text)
    if expression.type != "bool":
        raise ExpressionError(f"a constraint must have the type bool, not {expression.type}", 0)
    return expression


def parse_objective(text: str) -> Expression:
    """Parse an expression that is a quantity. Raises ExpressionError for any other type."""
    expression = parse(text)
    if expression.type not in ("number", "money", "minutes", "metres"):
        raise ExpressionError(f"an objective must be a quantity, not {expression.type}", 0)
    return expression


def evaluate(expression: Expression, plan: PlanView) -> Any:
    """Evaluate an expression for a plan.

    The result is a bool, a number (cents, minutes or metres), a text, a frozenset, or None if it is
    unknown. Raises ExpressionError if the evaluation takes too many steps.
    """
    return Evaluator(plan).value(expression.tree)


def _check_depth(tree: ast.expr) -> None:
    level: list[ast.AST] = [tree]
    for _ in range(LIMIT_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise ExpressionError(f"the expression is nested more than {LIMIT_DEPTH} levels deep", 0)
