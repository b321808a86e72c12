"""A parsed line of a readings file: what it gives, and which parts of it cannot be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
class GivenPlace:
    """A place by its number; names are not yet looked up."""

    n: int
    name: str
    also: tuple[str, ...] = ()
    where: str | None = None
    what: What = "sight"
    role: Role = "mentioned"
    parent: int | None = None
    why: str | None = None


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
class GivenFact:
    """A fact with its quote; ``condition`` is in the words of the file."""

    place: int
    field: FactField
    value: str
    evidence: str
    condition: str | None = None


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
