"""What a planner is and returns: a plan, or a problem in words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Protocol

from flows.bench.questions import BenchQuestion

#: Bytes of an answer at most.
MOST_BYTES = 1_000_000


@dataclass(frozen=True)
class Planned:
    """What a planner gave: a plan, or the problem in words. ``calls`` are those of tools."""

    plan: Any = None
    problem: str | None = None
    calls: int = 0


class Planner(Protocol):
    """Whoever plans. ``identity`` names what its plans depend on; it holds no secret."""

    identity: str
    workers: int

    def plan(self, question: BenchQuestion) -> Planned:
        """A plan for a query; a problem of this query alone is told, not raised."""
        ...


def read_answer(text: str) -> Planned:
    """The plan in what a program says: all of it, or its last line, as JSON."""
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
