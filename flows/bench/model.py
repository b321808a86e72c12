"""Defines two planners that ask a model: ``direct`` asks once, and ``react`` works in steps.

``direct`` gives the model a list of places and journeys, and ``react`` lets the model use tools.
The requests of both planners are tasks of the engine. The ledger keeps every answer, so no answer
is paid for twice, and the budget limits the cost.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from extractors.llm.errors import Unanswered
from extractors.tasks.prompting import write_messages
from flows.agents import words
from flows.agents.calls import CallDesk, CallLog
from flows.agents.registry import TOOLS
from flows.bench.questions import BenchQuestion, Planned
from flows.models.engines import engine_identity, engine_named
from flows.settings.environment import Settings
from schemas.tasks import Grounded
from validators.plans.request import request_of
from warehouse.errors import SandboxError
from warehouse.sandbox import Sandbox

_FROZEN = ConfigDict(frozen=True)
#: The most characters of a tool's answer that a model is shown, and of a whole conversation.
MOST_OBSERVED, MOST_TALK = 2_500, 24_000

_FORMS = {
    "tprag": (
        'Form of the plan: {"Day 1": [{"POI name": "..", "Start visit time": "HH:MM", "End visit'
        ' time": "HH:MM"}], "Day 2": [..]}, a key a day. Use names of places as the sandbox has'
        " them."
    ),
    "chinatravel": (
        'Form of the plan: {"people_number": N, "start_city": "..", "target_city": "..",'
        ' "itinerary": [{"day": 1, "activities": [..]}]}. An activity has "type" (train, airplane,'
        ' attraction, breakfast, lunch, dinner, accommodation), "start_time", "end_time" (HH:MM),'
        ' "price" and "cost" in yuan (elsewhere in the money of the city), and "transports", a list'
        ' of ways to it: {"start", "end", "mode" (walk, metro, taxi), "start_time", "end_time",'
        ' "price", "cost", "distance" in km, "tickets" for metro, "cars" for taxi}. A journey has'
        ' "start" and "end" (stations), "TrainID" or "FlightID", and "tickets". Everything else has'
        ' "position", the name of the place; attractions have "tickets", nights "rooms" and'
        ' "room_type" (1 king, 2 double). The first and the last activity are journeys between the'
        " cities; every day but the last ends with accommodation."
    ),
}


class PlannerTask(BaseModel):
    """A query, with the other information that a model-based planner receives."""

    model_config = _FROZEN
    query_id: str
    text: str = Field(max_length=4_000)
    form: str
    days: int
    shown: str = Field(
        default="", description="places and journeys, for planners that answer in one step"
    )
    tools: str = Field(default="", description="tools, for planners that work in several steps")
    steps: tuple[tuple[str, str], ...] = Field(
        default=(), description="tool calls with their answers"
    )
    last: bool = Field(default=False, description="whether the next answer must be the plan")


class BenchPlan(BaseModel):
    """A plan in the requested form."""

    model_config = _FROZEN
    plan: dict[str, Any]


class PlannerStep(BaseModel):
    """The next call of a tool, or the plan."""  # part of the schema that models receive

    model_config = _FROZEN
    thought: str = ""
    action: str = Field(max_length=40)
    arguments: dict[str, Any] = {}


class PlanAtOnce:
    """The task of writing a whole plan in one answer, from a list of places and journeys."""

    name, version = "plan_at_once", 1
    input_model, output_model = PlannerTask, BenchPlan

    def prompt(self, item: PlannerTask) -> list[dict[str, str]]:
        """Return the chat messages."""
        rules = (
            "Plan a trip for the query, with places and journeys that are shown and no others. "
            f'{_FORMS[item.form]} Answer: {{"plan": ..}}.'
        )
        return write_messages(rules, f"Query ({item.days} days): {item.text}\n\n{item.shown}")

    def parse(self, raw: dict[str, Any], _item: PlannerTask) -> BenchPlan:
        """Read a raw answer; raise ValueError if it is not valid."""
        return BenchPlan.model_validate(raw)

    def check(self, _item: PlannerTask, output: BenchPlan) -> Grounded[BenchPlan]:
        """Accept any answer, because the plan is scored later."""
        return Grounded(output=output)


class NextStep:
    """The next step of planning: a tool call, or ``finish`` with the plan."""

    name, version = "plan_step", 1
    input_model, output_model = PlannerTask, PlannerStep

    def prompt(self, item: PlannerTask) -> list[dict[str, str]]:
        """Return the chat messages: rules and tools, then the query and the conversation."""
        rules = (
            "Plan a trip for the query by asking the sandbox with its tools, one call at a time."
            ' Answer: {"thought": "..", "action": NAME, "arguments": {..}}; when you know'
            ' enough: {"thought": "..", "action": "finish", "arguments": {"plan": ..}}.'
            f" {_FORMS[item.form]}\n\nTools:\n{item.tools}"
        )
        end = "\n\nNo calls are left: finish now." if item.last else ""
        return write_messages(
            rules, f"Query ({item.days} days): {item.text}\n\n{_talk(item.steps)}{end}"
        )

    def parse(self, raw: dict[str, Any], _item: PlannerTask) -> PlannerStep:
        """Read a raw answer; raise ValueError if it is not valid."""
        return PlannerStep.model_validate(raw)

    def check(self, _item: PlannerTask, output: PlannerStep) -> Grounded[PlannerStep]:
        """Accept any answer; if the answer is an invalid call, the tool explains the mistake."""
        return Grounded(output=output)


def _talk(steps: tuple[tuple[str, str], ...]) -> str:
    """Return the conversation so far; leave out the oldest answers if the text is too long."""
    told = [f"Call: {call}\nAnswer: {said[:MOST_OBSERVED]}" for call, said in steps]
    for at in range(len(told)):
        if sum(map(len, told)) <= MOST_TALK:
            break
        told[at] = f"Call: {steps[at][0][:200]}\nAnswer: (left out)"
    return "\n\n".join(told)


#: The most calls of tools for one plan.
MOST_STEPS = 30
#: The rows of each list that a model is shown at once.
_PLACES, _JOURNEYS = 40, 15
_NOT_FOR_PLANNING = ("chinatravel", "queries", "query", "best_trajectories", "city_stats")


class _ModelPlanner:
    """The base class of both planners, with a sandbox and an engine that has a budget."""

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
    """Gives the model a list of places and journeys, and asks for a whole plan in one answer."""

    name = "direct"

    def plan(self, question: BenchQuestion) -> Planned:
        """Return the model's plan, or a description of the problem if the model wrote no plan."""
        item = self._ask(question, shown=self._describe_city(question))
        try:
            return Planned(self._engine.run(PlanAtOnce(), item).output.plan)
        except Unanswered as error:
            return Planned(problem=f"the model gave no readable plan: {error.reason}")

    def _describe_city(self, question: BenchQuestion) -> str:
        """List the city's places by rating; for a whole plan, also list rooms and journeys."""
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
    """Works in steps: the model calls tools and reads their answers until it gives a plan."""

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
        """Return the plan at the end of the conversation, or the reason why there is no plan."""
        steps: list[tuple[str, str]] = []
        for number in range(MOST_STEPS + 1):
            last = number == MOST_STEPS
            item = self._ask(question, tools=self._tools, steps=tuple(steps), last=last)
            try:
                step = self._engine.run(NextStep(), item).output
            except Unanswered as error:
                return Planned(
                    problem=f"the model's next step cannot be read: {error.reason}",
                    calls=len(steps),
                )
            if step.action == "finish":
                return _finish(step.arguments, len(steps))
            if last:
                break
            said = self._observe(step.action, step.arguments, question.query_id)
            call = f"{step.action} {json.dumps(step.arguments, ensure_ascii=False)}"
            steps.append((call[:1_000], said))
        return Planned(
            problem=f"the model gave no plan within {MOST_STEPS} calls", calls=len(steps)
        )

    def _observe(self, action: str, arguments: dict[str, Any], client: str) -> str:
        if action in _NOT_FOR_PLANNING:
            return f"{action} cannot be used for planning: use another tool"
        return self._desk.answer(action, arguments, client).text


def _finish(arguments: dict[str, Any], calls: int) -> Planned:
    plan = arguments.get("plan")
    problem = None if isinstance(plan, dict) else "the model finished without a plan"
    return Planned(plan if problem is None else None, problem, calls)
