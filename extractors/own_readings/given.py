"""Defines the parts that a line in a readings file may contain, and how unusable parts are
recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic import ValidationError as PydanticError

from schemas.document_reading import Kind, Role, What
from schemas.reading import FactField

#: Parts that are counted. A remark is a smaller part: its place or line is kept without it.
Part = Literal["place", "stop", "fact", "remark"]
_SHOWN = 60


@dataclass(frozen=True)
class SetAside:
    """A place, stop, fact or detail that is not used. ``why`` explains what the user can do."""

    part: Part
    what: str
    why: str


@dataclass(frozen=True)
class LineTally:
    """How many places, stops and facts a line contains."""

    places: int = 0
    stops: int = 0
    facts: int = 0


@dataclass(frozen=True)
class GivenDay:
    """A day, with the numbers that identify its places, in order."""

    number: int | None
    label: str | None
    where: str | None
    stops: tuple[int, ...]
    is_ordered: bool = True
    is_planned: bool = False


@dataclass(frozen=True)
class LineReading:
    """All parts of a line in a readings file. ``counted`` includes the refused parts."""

    kind: Kind
    days_stated: int | None
    departures: tuple[str, ...]
    places: tuple[GivenPlace, ...]
    trips: tuple[tuple[GivenDay, ...], ...]
    facts: tuple[GivenFact, ...]
    counted: LineTally
    refused: tuple[SetAside, ...]


def show_value(value: object) -> str:
    """Shorten a value for use in a message, because a field may contain megabytes."""
    text = value if isinstance(value, str) else f"{type(value).__name__} {str(value)[:_SHOWN]}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"


_Name = Annotated[
    str, StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=200)
]
_Quote = Annotated[
    str, StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=2000)
]
_Number = Annotated[int, Field(strict=True, ge=1, le=100_000)]
_Day = Annotated[int, Field(strict=True, ge=0, le=999)]
_Flag = Annotated[bool, Field(strict=True)]
#: Our field for each field name of the labelled documents that differs from ours.
FIELD_NAMES = {"visit_duration_hours": "duration_hours"}


def _our_field(name: Any) -> Any:
    return FIELD_NAMES.get(name, name) if isinstance(name, str) else name


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True)


class _AnyPlace(_Row):
    name: _Name
    also: list[_Name] = Field(default=[], max_length=100)
    what: What = "sight"
    role: Role = "mentioned"
    why: _Quote | None = None


class PoiRow(_AnyPlace):
    """A place in the labelled documents; other parts refer to the place by name."""

    standard: _Name | None = None
    parent: _Name | None = None
    city: _Name | None = None


class GivenPlace(_AnyPlace):
    """A numbered place from a line with ``places``; its names have not been looked up yet."""

    n: _Number
    where: _Name | None = None
    parent: _Number | None = None


class PoiDayRow(_Row):
    """A day in the labelled documents."""

    day: _Day | None = None
    city: _Name | None = None


class PlaceDayRow(_Row):
    """A day in a numbered reading; its ``city`` is ignored because it does not come from the
    text.
    """

    day: _Day | None = None
    label: _Name | None = None
    unordered: _Flag = False
    plan: _Flag = False


class _AnyFact(_Row):
    field: Annotated[FactField, BeforeValidator(_our_field)]
    value: _Name
    evidence: _Quote
    condition: _Name | None = None


class PoiFactRow(_AnyFact):
    """A fact in the labelled documents."""

    poi: _Name


class GivenFact(_AnyFact):
    """A fact about a numbered place; ``condition`` is worded as in the file."""

    n: _Number


R = TypeVar("R", bound=_Row)


def row_of(model: type[R], value: Any) -> R | str:
    """Return a row, or explain what is wrong and what to do; null counts as a missing value."""
    if not isinstance(value, dict):
        return f"it is not an object: use an object with the keys {', '.join(model.model_fields)}"
    try:
        return model.model_validate({k: v for k, v in value.items() if v is not None})
    except PydanticError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        return f"`{key}` is wrong: {first['msg'][0].lower()}{first['msg'][1:]}; correct the file"
