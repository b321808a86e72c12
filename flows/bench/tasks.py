"""Questions for a model: a whole plan at once, or the next step of planning with tools.

Both are tasks of the engine, so that every answer is kept in the ledger, paid for once and within
the budget.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from extractors.tasks.prompting import write_messages
from schemas.tasks import Grounded

_FROZEN = ConfigDict(frozen=True)
#: Characters of what a tool said that a model is shown, and of a whole talk.
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
    """A query, and what a planner is shown beside it."""

    model_config = _FROZEN
    query_id: str
    text: str = Field(max_length=4_000)
    form: str
    days: int
    shown: str = Field(default="", description="places and journeys, for a plan at once")
    tools: str = Field(default="", description="the tools, for planning in steps")
    steps: tuple[tuple[str, str], ...] = Field(default=(), description="calls, and what they said")
    last: bool = Field(default=False, description="whether the plan must come now")


class BenchPlan(BaseModel):
    """A plan in the form that was asked for."""

    model_config = _FROZEN
    plan: dict[str, Any]


class PlannerStep(BaseModel):
    """The next call of a tool, or the plan."""

    model_config = _FROZEN
    thought: str = ""
    action: str = Field(max_length=40)
    arguments: dict[str, Any] = {}


class PlanAtOnce:
    """A plan from what is shown, in one answer."""

    name, version = "plan_at_once", 1
    input_model, output_model = PlannerTask, BenchPlan

    def prompt(self, item: PlannerTask) -> list[dict[str, str]]:
        """Chat messages."""
        rules = (
            "Plan a trip for the query, with places and journeys that are shown and no others. "
            f'{_FORMS[item.form]} Answer: {{"plan": ..}}.'
        )
        return write_messages(rules, f"Query ({item.days} days): {item.text}\n\n{item.shown}")

    def parse(self, raw: dict[str, Any], _item: PlannerTask) -> BenchPlan:
        """Read a raw answer; raises ValueError."""
        return BenchPlan.model_validate(raw)

    def check(self, _item: PlannerTask, output: BenchPlan) -> Grounded[BenchPlan]:
        """Nothing is checked here: what a plan is worth is scored."""
        return Grounded(output=output)


class NextStep:
    """The next step of planning: a call of a tool, or ``finish`` with the plan."""

    name, version = "plan_step", 1
    input_model, output_model = PlannerTask, PlannerStep

    def prompt(self, item: PlannerTask) -> list[dict[str, str]]:
        """Chat messages: the rules and tools first, then the query and the talk so far."""
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
        """Read a raw answer; raises ValueError."""
        return PlannerStep.model_validate(raw)

    def check(self, _item: PlannerTask, output: PlannerStep) -> Grounded[PlannerStep]:
        """Nothing is checked here: a wrong call is answered by the tool."""
        return Grounded(output=output)


def _talk(steps: tuple[tuple[str, str], ...]) -> str:
    """The talk so far, the oldest answers left out where it grows too long."""
    told = [f"Call: {call}\nAnswer: {said[:MOST_OBSERVED]}" for call, said in steps]
    for at in range(len(told)):
        if sum(map(len, told)) <= MOST_TALK:
            break
        told[at] = f"Call: {steps[at][0][:200]}\nAnswer: (left out)"
    return "\n\n".join(told)


def call_text(action: str, arguments: dict[str, Any]) -> str:
    """A call as the talk tells it."""
    return f"{action} {json.dumps(arguments, ensure_ascii=False)}"[:1_000]
