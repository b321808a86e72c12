"""What a line of a readings file may give in either form, and what of it cannot be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic import ValidationError as PydanticError

from schemas.document_reading import Kind, Role, What
from schemas.reading import FactField

#: What is counted; a remark is a smaller part that is left out while its place or line stays.
Part = Literal["place", "stop", "fact", "remark"]
_SHOWN = 60


@dataclass(frozen=True)
class SetAside:
    """One piece that is not used: a place, stop or fact, or a part of one.
    ``why`` says what to do.
    """

    part: Part
    what: str
    why: str


@dataclass(frozen=True)
class LineTally:
    """Numbers of places, stops and facts."""

    places: int = 0
    stops: int = 0
    facts: int = 0


@dataclass(frozen=True)
class GivenDay:
    """A day with the numbers of its places in order."""

    number: int | None
    label: str | None
    where: str | None
    stops: tuple[int, ...]
    is_ordered: bool = True
    is_planned: bool = False


@dataclass(frozen=True)
class LineReading:
    """All that a line gives. ``counted`` includes what was refused."""

    kind: Kind
    days_stated: int | None
    departures: tuple[str, ...]
    places: tuple[GivenPlace, ...]
    trips: tuple[tuple[GivenDay, ...], ...]
    facts: tuple[GivenFact, ...]
    counted: LineTally
    refused: tuple[SetAside, ...]


def show_value(value: object) -> str:
    """A value as a message shows it, cut: a field may hold megabytes."""
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
#: Field names of the labelled documents where they differ from ours.
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
    """A place of the labelled documents: others refer to it by a name."""

    standard: _Name | None = None
    parent: _Name | None = None
    city: _Name | None = None


class GivenPlace(_AnyPlace):
    """A place by its number, as the careful readings have it; names are not yet looked up."""

    n: _Number
    where: _Name | None = None
    parent: _Number | None = None


class PoiDayRow(_Row):
    """A day of the labelled documents."""

    day: _Day | None = None
    city: _Name | None = None


class PlaceDayRow(_Row):
    """A day of the careful readings; its ``city`` is not from the text and not read."""

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
    """A fact of the labelled documents."""

    poi: _Name


class GivenFact(_AnyFact):
    """A fact of a place by its number; ``condition`` is in the words of the file."""

    n: _Number


R = TypeVar("R", bound=_Row)


def row_of(model: type[R], value: Any) -> R | str:
    """A row, or what is wrong with it and what to do; null counts as left out."""
    if not isinstance(value, dict):
        return f"it is no object: give {{{', '.join(model.model_fields)}}}"
    try:
        return model.model_validate({k: v for k, v in value.items() if v is not None})
    except PydanticError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        return f"`{key}` is wrong: {first['msg'][0].lower()}{first['msg'][1:]}; correct the file"
