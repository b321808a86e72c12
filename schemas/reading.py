"""What an engine reads in one document: mentions, a route and facts, each with its span.

Spans are half-open character ranges into ``Document.text``. Names are as written in the text;
``geocoding`` links them to places.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Role = Literal["visited", "recommended", "mentioned", "rejected"]
DocumentKind = Literal["route", "guide", "diary", "none"]
Audience = Literal["adult", "child", "student", "senior"]
FactField = Literal[
    "opening_hours",
    "last_admission",
    "closed_days",
    "ticket_price_cny",
    "ticket_price",
    "duration_hours",
    "arrival_time",
    "season",
]


class Span(BaseModel):
    """A half-open range of characters in a document's text."""

    model_config = ConfigDict(frozen=True)

    start: int = Field(ge=0)
    end: int = Field(gt=0)

    @model_validator(mode="after")
    def _check_order(self) -> Span:
        if self.end <= self.start:
            raise ValueError(f"span ends at {self.end}, which is not after its start {self.start}")
        return self


class Mention(BaseModel):
    """A name that refers to a POI at one position in a document.

    ``standard`` is the gazetteer's name if the engine linked it, or the place's first name if the
    document says that this is another name for it; otherwise, it is None. ``day`` and ``order`` are
    given if the mention is a stop of the document's route. ``reason`` is the span that says why
    people visit the place; None if there is none.
    """

    model_config = ConfigDict(frozen=True)

    name: str = Field(min_length=1)
    span: Span
    role: Role
    standard: str | None = None
    parent: str | None = None
    day: int | None = Field(default=None, ge=0)
    order: int | None = Field(default=None, ge=1)
    reason: Span | None = None
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)


class RouteStop(BaseModel):
    """One stop of a route, in the words of the text."""

    model_config = ConfigDict(frozen=True)

    day: int = Field(ge=0)
    order: int = Field(ge=1, description="position within the day, counted from 1")
    name: str = Field(min_length=1)
    standard: str | None = None
    span: Span
    remark: str | None = None


class Route(BaseModel):
    """The single route of a document: its visits by day, in order."""

    model_config = ConfigDict(frozen=True)

    visits: tuple[RouteStop, ...]

    @property
    def days(self) -> int:
        """Count the distinct days with a visit."""
        return len({visit.day for visit in self.visits})


class Fact(BaseModel):
    """A statement about a POI; ``value`` has the form given in the data dictionary (poi_facts).

    A ``ticket_price_cny`` is a number that may be in yuan; a ``ticket_price`` is a number with the
    mark of another currency as written ("17 EUR", "20 $"). The city determines which currency they
    mean; see ``flows.pipeline.stages.ticket_prices``.
    """

    model_config = ConfigDict(frozen=True)

    poi: str = Field(min_length=1, description="name as in the text, or standard name")
    field: FactField
    value: str = Field(min_length=1)
    valid_when: str = Field(default="always", description="always, or a season or range of months")
    audience: Audience | None = None
    condition: str | None = Field(
        default=None, description="any other condition, in the words of the text"
    )
    with_pois: tuple[str, ...] = Field(default=(), description="of a combined ticket")
    span: Span

    @property
    def is_general(self) -> bool:
        """Whether nothing but a time limits the fact; the price for adults counts as general."""
        return not (self.condition or self.with_pois) and self.audience in (None, "adult")


class GazetteerEntry(BaseModel):
    """A known place that an engine is given: its standard name and every other name."""

    model_config = ConfigDict(frozen=True)

    standard: str
    names: tuple[str, ...] = ()
    parent: str | None = None
    kind: Literal["poi", "hotel", "restaurant", "station"] = "poi"
