"""Import queries in ChinaTravel's format, including queries that people wrote.

The published constraints are small programs that collect values in a loop and then compute a result
from them. These programs are parsed but never run. Each program is translated into one expression
of ``schemas.expressions``. A constraint that cannot be translated is kept as text in
``untranslated``.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.expressions import Expression, ExpressionError, parse, parse_constraint

_ROW = "a"
#: ChinaTravel's functions of an activity (tables 9 to 12), with the matching attributes here.
_OF_ACTIVITY = {
    "activity_type": "kind", "intercity_transport_type": "kind", "activity_cost": "cost",
    "activity_position": "name", "activity_tickets": "tickets", "activity_start_time": "start",
    "activity_end_time": "end", "activity_time": "duration", "room_count": "rooms",
    "room_type": "room_type", "intercity_transport_origin": "origin",
    "intercity_transport_destination": "destination", "poi_recommend_time": "recommended",
}  # fmt: skip
_TYPES = {"restaurant_type", "attraction_type", "accommodation_type"}
_OF_PLAN = {
    "day_count": "days",
    "people_count": "people",
    "start_city": "start_city",
    "target_city": "target_city",
}
_OF_RIDES = {
    "innercity_transport_cost": "cost",
    "innercity_transport_distance": "distance",
    "innercity_transport_time": "duration",
}
_LOOPS = {"allactivities", "all_activities"}
_MEALS = "{'breakfast', 'lunch', 'dinner'}"
#: The expressions for the names that short constraints use.
_SHORT = {
    "days": "plan.days", "people_number": "plan.people", "cost": "plan.cost",
    "food_type": f"{{t for a in plan.activities if a.kind in {_MEALS} for t in a.types}}",
    "spot_type": "{t for a in plan.activities if a.kind == 'attraction' for t in a.types}",
    "hotel_feature": "{t for a in plan.activities if a.kind == 'accommodation' for t in a.types}",
    "attraction_names": "{a.name for a in plan.activities if a.kind == 'attraction'}",
    "restaurant_names": f"{{a.name for a in plan.activities if a.kind in {_MEALS}}}",
    "hotel_names": "{a.name for a in plan.activities if a.kind == 'accommodation'}",
    "intercity_transport": "{a.kind for a in plan.activities if a.kind in {'train', 'airplane'}}",
    "transport_type": "{r.mode for r in plan.rides}",
}  # fmt: skip


class _Unknown(ValueError):
    """Raised if part of a constraint has no counterpart in ``schemas.expressions``."""


@dataclass(frozen=True)
class ImportedQuery:
    """An imported query with its original fields, and its constraints as expressions."""

    uid: str
    plan: Mapping[str, Any]
    constraints: tuple[str, ...]
    untranslated: tuple[str, ...]


def import_query(raw: Mapping[str, Any]) -> ImportedQuery:
    """Import a query, with the constraints from ``hard_logic_py`` or, if that is missing, from
    ``hard_logic``.
    """
    programs = raw.get("hard_logic_py") or raw.get("hard_logic") or []
    done: list[str] = []
    left: list[str] = []
    for program in programs:
        try:
            done.append(translate(str(program)).text)
        except (_Unknown, ExpressionError):
            left.append(str(program))
    return ImportedQuery(str(raw.get("uid")), raw, tuple(done), tuple(left))


def translate(program: str) -> Expression:
    """Translate a published constraint into an expression.

    Raises ValueError if the constraint cannot be translated.
    """
    try:
        body = ast.parse(program.strip()).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise _Unknown("not a program") from None
    if len(body) == 1 and isinstance(body[0], ast.Expr):
        return parse_constraint(_Names(dict(_SHORT)).text(body[0].value))
    return parse_constraint(_Program().run(body))


@dataclass
class _Names:
    """Translates expressions; ``known`` maps names to the text that replaces them."""

    known: dict[str, str] = field(default_factory=dict)

    def text(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name) if name in self.known:
                return self.known[name]
            case ast.Constant(value=value):
                return repr(value)
            case ast.Set(elts=[_, *_]) | ast.List(elts=[_, *_]) | ast.Tuple(elts=[_, *_]):
                return "{" + ", ".join(self.text(element) for element in node.elts) + "}"
            case ast.BoolOp(op=op, values=values):
                word = " and " if isinstance(op, ast.And) else " or "
                return "(" + word.join(self.text(value) for value in values) + ")"
            case ast.UnaryOp(op=op, operand=operand):
                return f"({'not ' if isinstance(op, ast.Not) else '-'}{self.text(operand)})"
            case ast.BinOp(left=one, op=op, right=two):
                return f"({self.text(one)} {_symbol(op)} {self.text(two)})"
            case ast.Compare(left=one, ops=[op], comparators=[two]):
                left, right = self.text(one), self.text(two)
                return f"({_unit(left, right)} {_symbol(op)} {_unit(right, left)})"
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self.call(name, arguments)
        raise _Unknown(getattr(node, "id", type(node).__name__))

    def call(self, name: str, arguments: Sequence[ast.expr]) -> str:
        """Return the attribute that corresponds to a call to one of ChinaTravel's functions."""
        if name in _OF_PLAN:
            return f"plan.{_OF_PLAN[name]}"
        if name in _OF_ACTIVITY and arguments:
            return f"{_ROW}.{_OF_ACTIVITY[name]}"
        if name == "len" and len(arguments) == 1:
            return f"len({self.text(arguments[0])})"
        raise _Unknown(name)


_SYMBOLS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.BitOr: "|", ast.BitAnd: "&",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


def _symbol(node: ast.AST) -> str:
    if type(node) not in _SYMBOLS:
        raise _Unknown(type(node).__name__)
    return _SYMBOLS[type(node)]


def _unit(side: str, other: str) -> str:
    """Add a unit to a number or time that is compared with money, minutes or metres."""
    unit = _type_of(other)
    if unit == "minutes" and side[:1] in "'\"":
        return f"time({side})"
    if _type_of(side) != "number" or unit not in ("money", "minutes", "metres"):
        return side
    return {"money": f"cny({side})", "minutes": f"minutes({side})", "metres": f"km({side})"}[unit]


def _type_of(text: str) -> str | None:
    """Return the type of an expression.

    An expression about an activity cannot be parsed alone, so it is put into a loop.
    """
    for form in ("{}", "min({} for a in plan.activities)"):
        try:
            return parse(form.format(text)).type
        except ExpressionError:
            continue
    return None


class _Program:
    """Translates programs that collect sums and sets in a loop and then compute a result."""

    def __init__(self) -> None:
        self.gathered: dict[str, list[str]] = {}
        self.aliases: dict[str, str] = {}
        self.sets: set[str] = set()

    def run(self, body: Sequence[ast.stmt]) -> str:
        for statement in body[:-1]:
            self._statement(statement, None, ())
        last = body[-1] if body else None
        if isinstance(last, ast.Assign | ast.Return) and last.value is not None:
            names = {name: self._value(name) for name in self.gathered}
            return _Names(names).text(last.value)
        raise _Unknown("no result")

    def _value(self, name: str) -> str:
        parts = self.gathered[name]
        if not parts:
            raise _Unknown(f"{name} stays empty")
        return "(" + (" | " if name in self.sets else " + ").join(parts) + ")"

    def _statement(self, node: ast.stmt, row: str | None, conditions: tuple[str, ...]) -> None:
        match node:
            case ast.For(target=ast.Name(id=each), iter=rows, body=body) if row is None:
                if not _find_called(rows, _LOOPS):
                    raise _Unknown("loop")
                for inner in body:
                    self._statement(inner, each, ())
            case ast.If(test=condition, body=body, orelse=[]) if row is not None:
                test = _Names(dict(self.aliases)).text(condition)
                for inner in body:
                    self._statement(inner, row, (*conditions, test))
            case ast.Assign(targets=[ast.Name(id=name), *_], value=value):
                self._assign(name, value, row, conditions)
            case ast.AugAssign(op=ast.Add(), target=ast.Name(id=name), value=value):
                self._gather(name, value, conditions)
            case ast.Expr(value=ast.Call() as call):
                self._add(call, conditions)
            case _:
                raise _Unknown(type(node).__name__)

    def _assign(
        self, name: str, value: ast.expr, row: str | None, conditions: tuple[str, ...]
    ) -> None:
        if row is None:
            self.gathered[name] = []
            if isinstance(value, ast.Call):
                self.sets.add(name)
        elif (
            isinstance(value, ast.BinOp)
            and isinstance(value.op, ast.Add)
            and isinstance(value.left, ast.Name)
            and value.left.id == name
        ):
            self._gather(name, value.right, conditions)
        elif not conditions:
            self.aliases[name] = _Names(dict(self.aliases)).text(value)
        else:
            raise _Unknown(f"{name} is set under a condition")

    def _gather(self, name: str, value: ast.expr, conditions: tuple[str, ...]) -> None:
        if name not in self.gathered:
            raise _Unknown(name)
        rides = _find_called(value, _OF_RIDES)
        if rides and conditions:
            raise _Unknown("rides of some activities")
        if rides:
            part = f"sum(r.{_OF_RIDES[rides]} for r in plan.rides)"
        elif isinstance(value, ast.Constant) and value.value == 1:
            part = f"count(a for a in plan.activities{_where(conditions)})"
        else:
            text = _Names(dict(self.aliases)).text(value)
            part = f"sum({text} for a in plan.activities{_where(conditions)})"
        self.gathered[name].append(part)

    def _add(self, call: ast.Call, conditions: tuple[str, ...]) -> None:
        func = call.func
        if (
            not isinstance(func, ast.Attribute)
            or func.attr != "add"
            or not isinstance(func.value, ast.Name)
        ):
            raise _Unknown("call")
        rows = f"for a in plan.activities{_where(conditions)}"
        if _find_called(call.args[0], _TYPES):
            part = f"{{t {rows} for t in a.types}}"
        else:
            part = f"{{{_Names(dict(self.aliases)).text(call.args[0])} {rows}}}"
        self.gathered[func.value.id].append(part)


def _find_called(node: ast.expr, names: Collection[str]) -> str | None:
    """Return the name of the function that a node calls if that name is in ``names``, or else
    None.
    """
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
        return node.func.id
    return None


def _where(conditions: tuple[str, ...]) -> str:
    return f" if {' and '.join(conditions)}" if conditions else ""
