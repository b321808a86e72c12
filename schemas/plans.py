"""Reads and writes plans in ChinaTravel's JSON form: days, activities and transport between them.

The models follow the published form exactly, including the order of the fields (ChinaTravel,
appendix D and its public output schema). In JSON, clock times are written as ``HH:MM``, money in
yuan and distances in kilometres. In memory, times are minutes after midnight, money is in whole
cents, and distances are in metres.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    model_validator,
)

from schemas.values import MINUTES_PER_DAY, cents, clock_text

MEALS = ("breakfast", "lunch", "dinner")
JOURNEYS = ("train", "airplane")
#: Numbers of the room types in the published form. ChinaTravel defines 1 and 2 (figure 8). Because
#: the form allows only whole numbers, tripbed adds 3 and 4 for the other types in the tables.
ROOM_NUMBERS = {"king": 1, "double": 2, "single": 3, "family": 4}


class PlanError(ValueError):
    """Raised if a plan cannot be read. ``problems`` lists each faulty element with the reason."""

    def __init__(self, problems: list[str]):
        self.problems = problems
        super().__init__("; ".join(problems))


def _clock(value: Any) -> Any:
    match = re.fullmatch(r"(\d\d):(\d\d)", value, re.ASCII) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"must be a clock time HH:MM, not {value!r}")
    hours, minutes = map(int, match.groups())
    total = hours * 60 + minutes
    if minutes > 59 or total > MINUTES_PER_DAY:
        raise ValueError(f"must be a clock time from 00:00 to 24:00, not {value!r}")
    return total


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"must be a number, not {value!r}")
    return value


def _cents(value: Any) -> int:
    yuan = _number(value)
    if not 0 <= yuan < 1e9:
        raise ValueError(f"must be an amount in yuan, not {value!r}")
    return cents(yuan)


def _metres(value: Any) -> float:
    kilometres = _number(value)
    if not 0 <= kilometres < 1e5:
        raise ValueError(f"must be a distance in kilometres, not {value!r}")
    return round(float(kilometres) * 1000, 3)  # the precision with which plans are written


def _yuan(value: int) -> int | float:
    return value // 100 if value % 100 == 0 else value / 100


def _kilometres(value: float) -> float:
    return round(value / 1000, 6)


Clock = Annotated[int, BeforeValidator(_clock), PlainSerializer(clock_text)]
Money = Annotated[int, BeforeValidator(_cents), PlainSerializer(_yuan)]
Metres = Annotated[float, BeforeValidator(_metres), PlainSerializer(_kilometres)]
Count = Annotated[int, Field(strict=True, ge=0)]
Name = Annotated[str, Field(min_length=1)]


class _PlanPart(BaseModel):
    model_config = ConfigDict(extra="ignore", populate_by_name=True)


class Transport(_PlanPart):
    """One leg within a city.

    ``price`` is for one person or car, and ``cost`` is the total, both in cents.
    """

    start: Name
    end: Name
    mode: Literal["walk", "metro", "taxi"]
    start_time: Clock
    end_time: Clock
    price: Money
    cost: Money
    distance: Metres
    tickets: Count | None = None
    cars: Count | None = None


class Activity(_PlanPart):
    """An activity between two times. ``transports`` lists the legs to the place.

    A journey by train or plane has a ``start``, an ``end`` and a number. An activity of any other
    type has a ``position``.
    """

    type: Literal[
        "train", "airplane", "attraction", "breakfast", "lunch", "dinner", "accommodation"
    ]
    start_time: Clock
    end_time: Clock
    position: Name | None = None
    start: Name | None = None
    end: Name | None = None
    train_id: Name | None = Field(None, alias="TrainID")
    flight_id: Name | None = Field(None, alias="FlightID")
    price: Money
    cost: Money
    tickets: Count | None = None
    rooms: Count | None = None
    room_type: Count | None = None
    transports: list[Transport]

    @model_validator(mode="after")
    def _fields_of_its_type(self) -> Activity:
        """Check that the activity has exactly the fields of its type."""
        journey = self.type in JOURNEYS
        number = {"train": "train_id", "airplane": "flight_id"}.get(self.type)
        need = ("start", "end", number) if journey else ("position",)
        unwanted = ("position",) if journey else ("start", "end", "train_id", "flight_id")
        for name in need:
            if name and getattr(self, name) is None:
                raise ValueError(f"{self.type} needs {_publish_name(name)}")
        for name in unwanted:
            if getattr(self, name) is not None:
                raise ValueError(f"{self.type} has no {_publish_name(name)}")
        return self

    @property
    def number(self) -> str | None:
        """Return the number of the train or flight."""
        return self.train_id or self.flight_id

    @property
    def begins_at(self) -> str:
        """Return the name of the place where the activity begins."""
        return (self.start or self.position or "") if self.type in JOURNEYS else self.position or ""

    @property
    def ends_at(self) -> str:
        """Return the name of the place where the activity ends."""
        return (self.end or "") if self.type in JOURNEYS else self.position or ""


class Day(_PlanPart):
    """One day of the trip, counted from 1."""

    day: Annotated[int, Field(strict=True, ge=1)]
    activities: list[Activity]


class Plan(_PlanPart):
    """The plan of a whole trip in ChinaTravel's form."""

    people_number: Annotated[int, Field(strict=True, ge=1)]
    start_city: Name
    target_city: Name
    itinerary: Annotated[list[Day], Field(min_length=1)]

    def activities(self) -> list[tuple[int, Activity]]:
        """List each activity with its day number, in order."""
        return [(day.day, activity) for day in self.itinerary for activity in day.activities]

    def to_json(self) -> dict[str, Any]:
        """Return the plan in the published form, without fields that do not apply."""
        return self.model_dump(by_alias=True, exclude_none=True, mode="json")

    def to_text(self) -> str:
        """Return the published form as one line of JSON; equal plans give equal text."""
        return json.dumps(self.to_json(), ensure_ascii=False, separators=(",", ":"))


def _publish_name(name: str) -> str:
    return {"train_id": "TrainID", "flight_id": "FlightID"}.get(name, name)


def read_plan(value: Any) -> Plan:
    """Read a plan in ChinaTravel's form.

    Raises PlanError, which lists each faulty element with the reason.
    """
    if not isinstance(value, dict):
        raise PlanError([f"the plan: must be an object, not {type(value).__name__}"])
    try:
        return Plan.model_validate(value)
    except ValidationError as error:
        raise PlanError(problems_of(error)) from None


def problems_of(error: ValidationError) -> list[str]:
    """List each problem as ``where: why``, with the path of the element in the JSON."""
    return [f"{_path(e['loc'])}: {_why(dict(e))}" for e in error.errors(include_url=False)]


#: What is expected, by the type of pydantic's error. Pydantic gives the values in braces.
_EXPECTED = {
    "int_type": "a whole number", "greater_than_equal": "a whole number of at least {ge}",
    "string_type": "a string", "string_too_short": "a non-empty string",
    "list_type": "a list", "too_short": "a non-empty list",
    "literal_error": "one of {expected}", "model_type": "an object",
    "model_attributes_type": "an object",
}  # fmt: skip
_SHOWN_CHARACTERS = 60


def _why(problem: dict[str, Any]) -> str:
    if problem["type"] == "missing":
        return "is missing"
    expected = _EXPECTED.get(problem["type"])
    if expected is None:
        return str(problem["msg"]).removeprefix("Value error, ")
    given = json.dumps(problem["input"], ensure_ascii=False, default=str)[:_SHOWN_CHARACTERS]
    return f"must be {expected.format(**problem.get('ctx', {}))}, not {given}"


def _path(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "the plan"
