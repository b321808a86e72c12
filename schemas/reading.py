"""What an engine reads out of one document: mentions, a route and facts, each with its span.

Spans are half-open character ranges into ``Document.text``. Names are the surface forms of
the text; linking them to places is the work of ``geocoding``.
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
            raise ValueError(f"span ends at {self.end}, not after its start {self.start}")
        return self


class Mention(BaseModel):
    """A name that stands for a POI at one place of a document.

    ``standard`` is the gazetteer's name where the engine linked it, or the place's first name
    where the document says that this is another one of it, else None. ``day`` and ``order`` are
    set where the mention is a stop of the document's route. ``reason`` is where the
    document says why one goes there; None where it does not say.
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
    order: int = Field(ge=1, description="1-based within the day")
    name: str = Field(min_length=1)
    standard: str | None = None
    span: Span
    remark: str | None = None


class Route(BaseModel):
    """A document's single route: its visits by day, in order."""

    model_config = ConfigDict(frozen=True)

    visits: tuple[RouteStop, ...]

    @property
    def days(self) -> int:
        """Number of distinct days with a visit."""
        return len({visit.day for visit in self.visits})


class Fact(BaseModel):
    """A statement about a POI; ``value`` in the forms of the data dictionary (poi_facts).

    A ``ticket_price_cny`` is a number that may be of yuan; a ``ticket_price`` is a number and the
    mark of other money as it is written ("17 EUR", "20 $"). Which currency they mean is told by the
    city, see ``flows.pipeline.stages.ticket_prices``.
    """

    model_config = ConfigDict(frozen=True)

    poi: str = Field(min_length=1, description="surface or standard name")
    field: FactField
    value: str = Field(min_length=1)
    valid_when: str = Field(default="always", description="always, or a season / month range")
    audience: Audience | None = None
    condition: str | None = Field(default=None, description="any other, in the words of the text")
    with_pois: tuple[str, ...] = Field(default=(), description="of a combined ticket")
    span: Span

    @property
    def is_general(self) -> bool:
        """Whether nothing but a time limits it; the price for an adult is the price."""
        return not (self.condition or self.with_pois) and self.audience in (None, "adult")


class GazetteerEntry(BaseModel):
    """A known place offered to an engine: its standard name and every other name."""

    model_config = ConfigDict(frozen=True)

    standard: str
    names: tuple[str, ...] = ()
    parent: str | None = None
    kind: Literal["poi", "hotel", "restaurant", "station"] = "poi"
