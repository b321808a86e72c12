"""Questions for a judge about each visit, a whole plan, or a plan and its reference plan.

The questions are tasks of the engine, so that the ledger keeps every answer and the budget applies.
The questions follow the papers' appendices (TP-RAG E.2, TripScore H, TourPlanner D.4), but are
worded differently.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from extractors.tasks.prompting import one_line, read_as, write_messages
from schemas.tasks import Grounded
from validators.metrics.judged import Sample

#: The maximum number of visits, and of characters of text, in a plan that a model judges.
MOST_VISITS, MOST_TEXT = 60, 8_000


class _Frozen(BaseModel):
    """A model whose fields cannot be changed."""

    model_config = ConfigDict(frozen=True)


class JudgedVisit(_Frozen):
    """A visit in the form that is shown to a judge.

    ``known`` lists the snapshot's facts about the place.
    """

    day: int
    name: str
    times: str = ""
    known: str = ""


class ShownPlan(_Frozen):
    """A plan to be judged. ``draw`` is the number of the sample; each sample is one request."""

    city: str
    query: str = Field(default="", max_length=4_000)
    visits: tuple[JudgedVisit, ...] = Field(default=(), max_length=MOST_VISITS)
    plan: str = Field(default="", max_length=MOST_TEXT)
    reference: str = Field(default="", max_length=MOST_TEXT)
    draw: int = 0


class Verdict(_Frozen):
    """A verdict on a visit: good or not."""

    number: int
    good: bool


class Verdicts(_Frozen):
    """A verdict for every visit."""

    verdicts: tuple[Verdict, ...]


class Points(_Frozen):
    """The points for a plan, with the reason."""

    reason: str
    points: int = Field(ge=0, le=5)


class TwoPoints(_Frozen):
    """The points for two plans, with the reason."""

    reason: str
    first: int = Field(ge=1, le=5)
    second: int = Field(ge=1, le=5)


class Judging(ABC):
    """A question for a judge. The answer is an opinion, so there is no evidence to check."""

    name: str
    version = 1
    input_model: type[ShownPlan] = ShownPlan
    output_model: type[Any]

    @abstractmethod
    def can(self, shown: ShownPlan) -> bool:
        """Check whether the plan contains what the question is about."""

    @abstractmethod
    def prompt(self, item: ShownPlan) -> list[dict[str, str]]:
        """Return the chat messages, with the rules first and then the plan to judge."""

    @abstractmethod
    def parse(self, raw: dict[str, Any], item: ShownPlan) -> Any:
        """Read a raw answer. Raises ValueError if the answer is not in the requested form."""

    def check(self, _item: ShownPlan, output: Any) -> Grounded[Any]:
        """Accept the opinion without a check."""
        return Grounded(output=output)

    @abstractmethod
    def sample(self, output: Any, shown: ShownPlan) -> Sample:
        """Return the numbers in an answer that the metric uses."""


class JudgeVisits(Judging):
    """A question that the judge answers with yes or no for every visit.

    ``query`` is True if the question needs the query, and ``times`` if it needs the times of the
    visits.
    """

    output_model = Verdicts

    def __init__(self, name: str, rules: str, *, query: bool, times: bool):
        self.name = name
        self._rules, self._query, self._times = rules, query, times

    def can(self, shown: ShownPlan) -> bool:
        """Check whether the plan has visits, and whether it has the times and the query if the
        question needs them.
        """
        timed = all(visit.times for visit in shown.visits) or not self._times
        return bool(shown.visits) and timed and bool(shown.query or not self._query)

    def prompt(self, item: ShownPlan) -> list[dict[str, str]]:
        """Return the chat messages: first the rules, then the query and the visits."""
        rules = (
            f"{self._rules} Judge every visit by itself and leave none out. "
            'Answer: {"verdicts": [{"number": .., "good": true or false}]}.'
        )
        lines = [self._line(number, visit) for number, visit in enumerate(item.visits, 1)]
        head = f"City: {item.city}\n" + (f"Query: {one_line(item.query)}\n" if item.query else "")
        return write_messages(rules, head + "Visits:\n" + "\n".join(lines))

    def _line(self, number: int, visit: JudgedVisit) -> str:
        times = f", {visit.times}" if self._times else ""
        known = f" ({one_line(visit.known)})" if visit.known and self._times else ""
        return f"{number}. day {visit.day}{times}: {one_line(visit.name)}{known}"

    def parse(self, raw: dict[str, Any], item: ShownPlan) -> Verdicts:
        """Read a raw answer. Raises ValueError unless each visit has exactly one verdict."""
        found = read_as(Verdicts, raw)
        if sorted(v.number for v in found.verdicts) != list(range(1, len(item.visits) + 1)):
            raise ValueError(f"there must be a verdict for each of the {len(item.visits)} visits")
        return found

    def sample(self, output: Verdicts, _shown: ShownPlan) -> Sample:
        """Return 1 for each visit with a good verdict and 0 for each other visit, in order."""
        return tuple(int(v.good) for v in sorted(output.verdicts, key=lambda v: v.number))


class JudgePlan(Judging):
    """A question about a whole plan; the judge answers with ``least`` to 5 points."""

    output_model = Points

    def __init__(self, name: str, rules: str, *, query: bool, least: int = 1):
        self.name = name
        self._rules, self._query, self._least = rules, query, least

    def can(self, shown: ShownPlan) -> bool:
        """Check whether the plan is given, and whether the query is given if the question needs
        it.
        """
        return bool(shown.plan) and bool(shown.query or not self._query)

    def prompt(self, item: ShownPlan) -> list[dict[str, str]]:
        """Return the chat messages: first the rules, then the query and the plan."""
        rules = f'{self._rules} Answer: {{"reason": one sentence, "points": {self._least} to 5}}.'
        query = f"Query: {one_line(item.query)}\n" if self._query else ""
        return write_messages(rules, f"City: {item.city}\n{query}Plan:\n{item.plan}")

    def parse(self, raw: dict[str, Any], _item: ShownPlan) -> Points:
        """Read a raw answer. Raises ValueError if the points in the answer are out of range."""
        found = read_as(Points, raw)
        if found.points < self._least:
            raise ValueError(f"points must be from {self._least} to 5")
        return found

    def sample(self, output: Points, _shown: ShownPlan) -> Sample:
        """Return the points as a sample that consists of one number."""
        return (output.points,)


class JudgeBoth(Judging):
    """A question that the judge answers with points for a plan and for its reference plan.

    Odd-numbered samples show the reference plan first.
    """

    name = "judge_both"
    output_model = TwoPoints

    def can(self, shown: ShownPlan) -> bool:
        """Check whether a plan, a reference plan and a query are given."""
        return bool(shown.plan and shown.reference and shown.query)

    def prompt(self, item: ShownPlan) -> list[dict[str, str]]:
        """Return the chat messages: first the rules, then the query and both plans."""
        plans = (item.plan, item.reference)
        first, second = plans[::-1] if item.draw % 2 else plans
        return write_messages(
            _BOTH,
            f"Query: {one_line(item.query)}\n\nFirst plan:\n{first}\n\nSecond plan:\n{second}",
        )

    def parse(self, raw: dict[str, Any], _item: ShownPlan) -> TwoPoints:
        """Read a raw answer. Raises ValueError if the answer is not in the requested form."""
        return read_as(TwoPoints, raw)

    def sample(self, output: TwoPoints, shown: ShownPlan) -> Sample:
        """Return the points for the plan and then those for the reference plan."""
        points = (output.first, output.second)
        return points[::-1] if shown.draw % 2 else points


_BOTH = (
    "Two plans answer the same travel query. Give each points from 1 (misses the query) to 5 (as if"
    " made for these travellers). Look at how well visits, pace, food, hotel and journeys suit what"
    " the query asks; whether money goes where it is worth it within the budget; whether times"
    " follow each other without overlaps, long gaps and missed meals; and whether places repeat."
    ' The order of the plans means nothing. Answer: {"reason": one sentence, "first": 1 to 5,'
    ' "second": 1 to 5}.'
)
_TASKS: tuple[Judging, ...] = (
    JudgeVisits(
        "judge_start_times",
        "Say of each planned visit whether it starts at a suitable time. It must start while the"
        " place is open, and fit the arrival time that is recommended, where these are given; else"
        " go by what such a place is visited for.",
        query=False,
        times=True,
    ),
    JudgeVisits(
        "judge_relevance",
        "Say of each planned place whether it suits the wishes of the travel query: who travels, in"
        " which season, what they want and refuse. A place that nothing in the query speaks against"
        " suits it.",
        query=True,
        times=False,
    ),
    JudgeVisits(
        "judge_schedule",
        "Say of each planned visit whether its day and hours suit the wishes of the travel query:"
        " pace, season, holiday, who travels, times that are asked for.",
        query=True,
        times=True,
    ),
    JudgePlan(
        "judge_landmarks",
        "Say how far the plan covers the sights that the city is best known for, of several kinds,"
        " as far as its days allow. 1: none of them, 2: few, 3: some, 4: most, 5: all.",
        query=False,
    ),
    JudgePlan(
        "judge_diversity",
        "Say how varied the plan is: kinds of sights, things to do, lively and quiet, indoors and"
        " outdoors. Where the city has mainly one kind, be lenient. Points go by how much of the"
        " plan is more of the same. 1: over four fifths, 2: about three fifths, 3: about two"
        " fifths, 4: about a fifth, 5: hardly any.",
        query=False,
    ),
    JudgePlan(
        "judge_request",
        "Say how well the plan does what the travel query asks: cities, dates and days, people,"
        " journeys, hotel, sights, activities, pace, budget, and whatever else it says. 5: all of"
        " it, and with thought; 4: all that matters; 3: most of it; 2: little of what matters; 1:"
        " something else. 0 only where the query asks for nothing in particular.",
        query=True,
        least=0,
    ),
    JudgeBoth(),
)
#: The questions by name.
TASKS: Mapping[str, Judging] = {task.name: task for task in _TASKS}
