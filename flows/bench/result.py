"""What a planner is, and what it returns: a plan, or a problem in words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Protocol

from flows.bench.questions import BenchQuestion

#: Bytes of an answer at most.
MOST_BYTES = 1_000_000


@dataclass(frozen=True)
class Planned:
    """The result of a planner: a plan, or the problem in words. ``calls`` counts the tool calls."""

    plan: Any = None
    problem: str | None = None
    calls: int = 0


class Planner(Protocol):
    """Makes plans. ``identity`` names what its plans depend on, without secrets."""

    identity: str
    workers: int

    def plan(self, question: BenchQuestion) -> Planned:
        """Plan for a query; a problem with this query alone is returned, not raised."""
        ...


def read_answer(text: str) -> Planned:
    """Read the plan in a program's output: JSON in the whole output or in its last line."""
    for part in (text, *text.strip().splitlines()[-1:]):
        try:
            value = json.loads(part)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and set(value) <= {"plan", "problem"} and value:
            return Planned(value.get("plan"), _problem(value))
        return Planned(value)
    said = text.strip()[:100]
    return Planned(problem=f"the answer is not JSON: {said!r}" if said else "the answer is empty")


def _problem(value: dict[str, Any]) -> str | None:
    if value.get("plan") is not None:
        return None
    return str(value.get("problem") or "no plan was given")[:500]
