"""Run ChinaTravel's evaluator on exported plans: schema, environment and logic checks."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.peer_world import Missing

_CHECKS = (
    "Is_activity_grounded", "Is_intercity_transport_correct", "Is_attractions_correct",
    "Is_hotels_correct", "Is_restaurants_correct", "Is_transport_correct", "Is_time_correct",
    "Is_space_correct",
)  # fmt: skip
_SCHEMA = "chinatravel/evaluation/output_schema.json"


@dataclass
class PlanCounts:
    """How many plans pass each check, and how often the other plans break each rule."""

    plans: int = 0
    queries: int = 0
    schema: int | None = None
    environment: int = 0
    logic: int = 0
    everything: int = 0
    programs: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def breaks(self, what: str, example: str) -> None:
        """Count a broken rule, and keep its first example."""
        self.broken[what] += 1
        self.examples.setdefault(what, example)


def evaluate(source: Path, export: Path) -> PlanCounts:
    """Evaluate all exported plans. Raises Missing if ChinaTravel's checkers cannot be found."""
    marks = PlanCounts(
        queries=len(list((export / "queries").glob("*.json"))), left_out=_left_out(export)
    )
    checks, run = _checkers()
    schema = _schema(source)
    marks.schema = 0 if schema else None
    for path in sorted((export / "plans").glob("*.json")):
        plan = json.loads(path.read_text(encoding="utf-8"))
        query = json.loads((export / "queries" / path.name).read_text(encoding="utf-8"))
        marks.plans += 1
        well = schema is None or _fits(plan, schema, path.stem, marks)
        if schema is not None:
            marks.schema = (marks.schema or 0) + well
        sound = _holds(checks, query, plan, marks)
        marks.environment += sound
        met = run(query["hard_logic_py"], plan)
        marks.programs += len(met)
        marks.logic += all(met)
        for program, good in zip(query["hard_logic_py"], met, strict=True):
            if not good:
                marks.breaks("logic", f"{path.stem}: {program}")
        marks.everything += well and sound and all(met)
    return marks


def _left_out(export: Path) -> Counter[str]:
    """Count the reasons why queries and plans are not exported; ignore details after a colon."""
    told = json.loads((export / "export.json").read_text(encoding="utf-8"))["left_out"]
    kinds = {"queries": "query", "witness_plans": "plan"}
    return Counter(
        f"{kinds[e['table']]}: {e['reason'].split(':')[0]}" for e in told if e["table"] in kinds
    )


def _checkers() -> tuple[list[Any], Any]:
    try:
        rules = importlib.import_module("chinatravel.symbol_verification.commonsense_constraint")
        logic = importlib.import_module("chinatravel.symbol_verification.hard_constraint")
        concepts = importlib.import_module("chinatravel.symbol_verification.concept_func")
    except ModuleNotFoundError as error:
        raise Missing(
            f"ChinaTravel's checkers need the package {error.name}: install it first"
        ) from None
    for name in ("Accommodations", "Restaurants", "Attractions"):
        _any_language(concepts, name)
    return [
        getattr(rules, name) for name in _CHECKS if hasattr(rules, name)
    ], logic.evaluate_constraints_py


def _any_language(module: Any, name: str) -> None:
    """Wrap a tool that does not accept the argument ``lang``, so that calls with ``lang`` work."""
    tool = getattr(module, name)
    try:
        tool(lang="zh")
    except TypeError:
        held: list[Any] = []

        def chinese(**_: Any) -> Any:
            if not held:
                held.append(tool())
            return held[0]

        setattr(module, name, chinese)


def _schema(source: Path) -> Any:
    path = source / _SCHEMA
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def _fits(plan: Any, schema: Any, name: str, marks: PlanCounts) -> bool:
    jsonschema = importlib.import_module("jsonschema")
    problems = list(jsonschema.Draft7Validator(schema).iter_errors(plan))
    for problem in problems:
        marks.breaks("schema", f"{name}: {problem.json_path}: {problem.message}")
    return not problems


def _holds(checks: list[Any], query: Any, plan: Any, marks: PlanCounts) -> bool:
    """Check whether a plan passes all environment checks, and record the rules that it breaks.

    In the table that a check returns, each 1 stands for a broken rule.
    """
    sound = True
    for check in checks:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                table, errors = check(query, plan)
        except Exception as error:
            marks.breaks(f"{check.__name__} fails", f"{query['uid']}: {error!r}")
            sound = False
            continue
        for column, bad in table.iloc[0].items():
            if bad:
                marks.breaks(str(column), f"{query['uid']}: {errors[:2]}")
                sound = False
    return sound
