"""Describe a plan hour by hour, as a ``PlanStory`` for a web page or as plain text."""

from __future__ import annotations

from calendar import day_name
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from schemas.nouns import count_noun
from schemas.plans import JOURNEYS, MEALS, Activity, Plan
from schemas.taxonomy import ROOM_TYPES
from schemas.values import clock_text
from validators.plans.build import cost_cents
from validators.plans.check import Report
from validators.plans.renown import Renown
from validators.plans.request import Request
from validators.plans.view import table_of
from validators.plans.world import Place, World
from warehouse.ways import Point

_ROOMS = {1: "king", 2: "double", 3: "single", 4: "family"}
assert set(_ROOMS.values()) == {term.code for term in ROOM_TYPES}
#: The parts of a plan's costs, in the order in which they are shown.
PARTS = ("journeys", "nights", "tickets", "meals", "ways")
#: The part of the costs to which each kind of activity belongs; all others are tickets.
_PART_OF = {
    **dict.fromkeys(JOURNEYS, "journeys"),
    **dict.fromkeys(MEALS, "meals"),
    "accommodation": "nights",
}
#: The shortest free time, in minutes, that the description mentions.
_SPARE_MIN = 30
#: The shortest time between an arrival and a visit, in minutes, that the description mentions.
_QUEUE_MIN = 20


@dataclass(frozen=True)
class PlanLine:
    """An activity in the description of a day, with its times and the transport used to reach
    it."""

    kind: str
    start: str
    end: str
    name: str
    details: tuple[str, ...]
    cost_cents: int
    way: str | None = None
    leaves: str | None = None
    arrives: str | None = None
    point: Point | None = None


@dataclass(frozen=True)
class PlanStory:
    """The description of a plan. Costs are in hundredths of a yuan, for all travellers."""

    days: tuple[tuple[str, tuple[PlanLine, ...]], ...]
    costs: Mapping[str, int]
    budget_cents: int | None
    people: int
    verdicts: tuple[tuple[str, bool | None, str], ...] = ()
    unknown: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def total_cents(self) -> int:
        """The total cost in hundredths of a yuan, for all travellers."""
        return sum(self.costs.values())


def tell(
    plan: Plan, world: World, renown: Renown, request: Request | None = None,
    report: Report | None = None, assumed: Sequence[str] = (), notes: Sequence[str] = (),
) -> PlanStory:  # fmt: skip
    """Describe a plan, for use on a page or in a text."""
    budgets = (
        [r.amount for r in request.requirements if r.kind == "budget" and r.amount]
        if request
        else []
    )
    days = []
    for day in plan.itinerary:
        date = request.date(day.day) if request else None
        weekday = request.weekday(day.day) if request else None
        title = f"Day {day.day}" + (f", {day_name[weekday]}" if weekday is not None else "")
        title += f" {date.isoformat()}" if date else ""
        days.append((title, tuple(_items(day.activities, world, renown, plan.people_number))))
    told = PlanStory(
        tuple(days), _costs(plan), min(budgets) * 100 if budgets else None, plan.people_number,
        _verdicts(report), tuple(_unknown(plan, request)), tuple(assumed),
        tuple(notes),
    )  # fmt: skip
    assert told.total_cents == cost_cents(plan), "every cost must belong to exactly one part"
    return told


def _items(
    activities: Sequence[Activity], world: World, renown: Renown, people: int
) -> Iterator[PlanLine]:
    for activity in activities:
        name = activity.position or f"{activity.number}: {activity.start} to {activity.end}"
        place = _place(activity, world)
        end = activity.position or activity.end or ""
        yield PlanLine(
            activity.type,
            clock_text(activity.start_time),
            clock_text(activity.end_time),
            name,
            tuple(_details(activity, place, renown, people)),
            activity.cost,
            _way(activity),
            clock_text(activity.transports[0].start_time) if activity.transports else None,
            clock_text(activity.transports[-1].end_time) if activity.transports else None,
            place.point if place else world.point(end),
        )


def _place(activity: Activity, world: World) -> Place | None:
    kind = table_of(activity.type)
    found = world.find(kind, activity.position or "") if kind else ()
    if activity.type == "breakfast":
        found = world.find("hotel", activity.position or "") or found
    return found[0] if len(found) == 1 else None


def _details(activity: Activity, place: Place | None, renown: Renown, people: int) -> Iterator[str]:
    if place is not None:
        rating = renown.ratings.get(place.place_id)
        if rating is not None:
            yield f"rated {rating:g}"
        if place.types:
            yield "、".join(sorted(place.types))
        if place.kind == "attraction" and place.hours is not None:
            yield f"open {place.hours.text}"
        if place.kind == "attraction" and place.least_min is not None:
            yield f"{place.least_min} to {place.most_min or place.least_min} min recommended"
    if activity.type == "accommodation":
        room = _ROOMS.get(activity.room_type or 0, "room")
        yield f"{activity.rooms} {room} at {_yuan(activity.price)} a night"
    elif activity.type == "breakfast" and not activity.price:
        yield "included"
    elif activity.price:
        yield f"{_yuan(activity.price)} each, {people} {'person' if people == 1 else 'people'}"
    elif activity.type == "attraction":
        yield "free entry"


def _way(activity: Activity) -> str | None:
    legs = activity.transports
    if not legs:
        return None
    minutes = legs[-1].end_time - legs[0].start_time
    mode = next((leg.mode for leg in legs if leg.mode != "walk"), "walk")
    length = sum(leg.distance for leg in legs) / 1000
    cost = sum(leg.cost for leg in legs)
    return f"{mode} {minutes} min, {length:.1f} km" + (f", {_yuan(cost)}" if cost else "")


def _costs(plan: Plan) -> dict[str, int]:
    costs = dict.fromkeys(PARTS, 0)
    for _, activity in plan.activities():
        costs[_PART_OF.get(activity.type, "tickets")] += activity.cost
        costs["ways"] += sum(leg.cost for leg in activity.transports)
    return costs


def _verdicts(report: Report | None) -> tuple[tuple[str, bool | None, str], ...]:
    if report is None:
        return ()
    every = (*report.verdicts, *report.wishes)
    return tuple((v.constraint, v.passed, "; ".join(v.reasons)) for v in every)


def _unknown(plan: Plan, request: Request | None) -> Iterator[str]:
    """List what a traveller would like to know but cannot learn from the tables."""
    if request is not None and request.start_date is None:
        yield "the dates (so queues and public holidays are not taken into account)"
    kinds = {"restaurant": "the ratings of restaurants", "hotel": "the ratings of hotels"}
    used = {table_of(activity.type) for _, activity in plan.activities()}
    yield from (words for kind, words in kinds.items() if kind in used)
    if any(a.type in JOURNEYS for _, a in plan.activities()):
        yield "whether trains and planes still have free seats"


def _yuan(cents: int) -> str:
    return f"{cents / 100:g} yuan"


def text_of(told: PlanStory) -> str:
    """Format the description of a plan as plain text."""
    lines = []
    for title, items in told.days:
        pairs = zip((None, *items), items, strict=False)
        lines += [title, *(line for before, item in pairs for line in _lines(item, before))]
    parts = ", ".join(f"{name} {_yuan(told.costs[name])}" for name in PARTS if told.costs[name])
    budget = (
        "no budget given" if told.budget_cents is None else f"budget {_yuan(told.budget_cents)}"
    )
    lines += [
        f"Costs for {count_noun(told.people, 'person', 'people')}: {_yuan(told.total_cents)}"
        f" ({parts}), {budget}",
        *(f"Note: {note}" for note in told.notes),
        *([f"Assumed: {'; '.join(told.assumed)}"] if told.assumed else ()),
        *([f"Not known: {'; '.join(told.unknown)}"] if told.unknown else ()),
    ]
    return "\n".join(lines)


def _lines(item: PlanLine, before: PlanLine | None) -> Iterator[str]:
    """Format an activity as lines: the free time and transport before it, then the activity."""
    leaves = item.leaves or item.start
    if before is not None and (spare := spare_words(item, before)):
        yield f"  {before.end}  {spare} until {leaves}"
    if item.way:
        yield f"  {item.leaves}  {item.way}"
    if before is not None and item.kind in JOURNEYS:
        arrives = item.arrives or before.end
        yield (
            f"  {arrives}  at {item.name.split(': ')[-1].split(' to ')[0]},"
            f" {minutes_of(item.start) - minutes_of(arrives)} min before departure"
        )
    arrived = item.arrives or (before.end if before is not None else item.start)
    if item.kind == "attraction" and minutes_of(item.start) - minutes_of(arrived) >= _QUEUE_MIN:
        yield f"  {arrived}  queue or wait for opening until {item.start}"
    details = f" ({'; '.join(item.details)})" if item.details else ""
    span = f"{item.start}-{item.end}" if item.kind != "accommodation" else f"{item.start}      "
    yield f"  {span}  {_KINDS.get(item.kind, '')}{item.name}{details}"


def spare_words(item: PlanLine, before: PlanLine) -> str | None:
    """Describe the use of the free time between two activities; return None if this time is
    short."""
    if minutes_of(item.leaves or item.start) - minutes_of(before.end) < _SPARE_MIN:
        return None
    if before.kind in JOURNEYS:
        return "leave the station or airport and take the bags to the hotel,"
    return "free time, rest"


def minutes_of(clock: str) -> int:
    """Return a time such as ``09:30`` as minutes after midnight."""
    return int(clock[:2]) * 60 + int(clock[3:])


_KINDS = {
    "breakfast": "breakfast: ", "lunch": "lunch: ", "dinner": "dinner: ",
    "accommodation": "night: ", "attraction": "", "train": "train ", "airplane": "flight ",
}  # fmt: skip
