"""Planners that ask a model: ``direct`` asks once, and ``react`` works in steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from extractors.llm.errors import Unanswered
from flows.agents import words
from flows.agents.calls import CallDesk, CallLog
from flows.agents.registry import TOOLS
from flows.bench.questions import BenchQuestion
from flows.bench.result import Planned
from flows.bench.tasks import NextStep, PlanAtOnce, PlannerTask, call_text
from flows.models.engines import engine_identity, engine_named
from flows.settings.environment import Settings
from validators.plans.request import request_of
from warehouse.errors import SandboxError
from warehouse.sandbox import Sandbox

#: Calls of tools for one plan.
MOST_STEPS = 30
#: Rows of each list that a model is shown at once.
_PLACES, _JOURNEYS = 40, 15
_NOT_FOR_PLANNING = ("chinatravel", "queries", "query", "best_trajectories", "city_stats")


class _ModelPlanner:
    """What both share: a sandbox, and an engine whose answers and budget are the run's."""

    name = "model"

    def __init__(self, snapshot: Path, settings: Settings, run_id: str):
        self._box = Sandbox(snapshot)
        self._engine = engine_named("openai", settings, run_id)
        self.identity = f"{self.name} {engine_identity('openai', settings)}"
        self.workers = int(getattr(self._engine, "concurrency", 1))

    def _ask(self, question: BenchQuestion, **more: Any) -> PlannerTask:
        return PlannerTask(
            query_id=question.query_id,
            text=str(question.row["text_zh"] or question.row["text_en"])[:4_000],
            form="chinatravel" if question.wants_whole_plan else "tprag",
            days=question.days,
            **more,
        )


class Direct(_ModelPlanner):
    """Asks for one answer, from a list of places and journeys."""

    name = "direct"

    def plan(self, question: BenchQuestion) -> Planned:
        """Return the model's plan, or say that it wrote none."""
        item = self._ask(question, shown=self._describe_city(question))
        try:
            return Planned(self._engine.run(PlanAtOnce(), item).output.plan)
        except Unanswered as error:
            return Planned(problem=f"the model gave no plan that can be read: {error.reason}")

    def _describe_city(self, question: BenchQuestion) -> str:
        """The city's places by rating, and for a whole plan rooms and journeys."""
        tables = (
            ("attractions", "restaurants", "hotels")
            if question.wants_whole_plan
            else ("attractions",)
        )
        parts = []
        for table in tables:
            places = sorted(
                self._box.select(question.city, table, "lat", "known"),
                key=lambda p: (-(getattr(p, "rating", None) or 0), p.place_id),
            )[:_PLACES]
            parts.append(f"{table}:\n" + "\n".join(words.line(place, "zh") for place in places))
        return "\n\n".join([*parts, *self._journeys(question)])

    def _journeys(self, question: BenchQuestion) -> list[str]:
        request = request_of(question.row)
        if request is None:
            return []
        parts = []
        for ends in ((request.start_city, question.city), (question.city, request.start_city)):
            found = [one for kind in ("train", "airplane") for one in self._rides(*ends, kind)]
            parts.append(
                f"{ends[0]} to {ends[1]}:\n" + "\n".join(map(words.connection_line, found))
            )
        return parts

    def _rides(self, origin: str, destination: str, kind: str) -> list[Any]:
        try:
            return list(self._box.intercity(origin, destination, kind, "06:00")[:_JOURNEYS])
        except SandboxError:
            return []


class React(_ModelPlanner):
    """Works in steps: the model calls tools and reads the answers until it gives a plan."""

    name = "react"

    def __init__(self, snapshot: Path, settings: Settings, run_id: str):
        super().__init__(snapshot, settings, run_id)
        self._desk = CallDesk(self._box, CallLog(None))
        self._tools = "\n".join(
            f"- {t.name}({', '.join(t.schema.get('properties', {}))}): {t.description}"
            for t in TOOLS.values()
            if t.name not in _NOT_FOR_PLANNING
        )

    def plan(self, question: BenchQuestion) -> Planned:
        """Return the plan at the end of the conversation, or say why there is none."""
        steps: list[tuple[str, str]] = []
        for number in range(MOST_STEPS + 1):
            last = number == MOST_STEPS
            item = self._ask(question, tools=self._tools, steps=tuple(steps), last=last)
            try:
                step = self._engine.run(NextStep(), item).output
            except Unanswered as error:
                return Planned(
                    problem=f"the model's step cannot be read: {error.reason}", calls=len(steps)
                )
            if step.action == "finish":
                return _finish(step.arguments, len(steps))
            if last:
                break
            said = self._observe(step.action, step.arguments, question.query_id)
            steps.append((call_text(step.action, step.arguments), said))
        return Planned(problem=f"no plan after {MOST_STEPS} calls", calls=len(steps))

    def _observe(self, action: str, arguments: dict[str, Any], client: str) -> str:
        if action in _NOT_FOR_PLANNING:
            return f"{action} is not for planning: use another tool"
        return self._desk.answer(action, arguments, client).text


def _finish(arguments: dict[str, Any], calls: int) -> Planned:
    plan = arguments.get("plan")
    problem = None if isinstance(plan, dict) else "it finished without a plan"
    return Planned(plan if problem is None else None, problem, calls)
