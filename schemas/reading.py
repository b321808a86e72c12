"""Defines what engines find in one document: mentions, a route and facts, each with its span.

The answers built from these parts are in ``extractors.tasks.reading_tasks``. Spans are half-open
character ranges in ``Document.text``. Names are surface forms; the package ``geocoding`` links them
to places. ``GazetteerEntry`` is a known place that is offered to an engine.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from schemas.documents import FrozenModel

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


class Span(FrozenModel):
    """A half-open range of characters in a document's text."""

    start: int = Field(ge=0)
    end: int = Field(gt=0)

    @model_validator(mode="after")
    def _check_order(self) -> Span:
        if self.end <= self.start:
            raise ValueError(
                f"the span ends at {self.end}, which is not after its start at {self.start}"
            )
        return self


class Mention(FrozenModel):
    """An occurrence of a POI's name in a document.

    If the engine linked the mention, ``standard`` is the name in the gazetteer. If the document
    gives the name as an alias, ``standard`` is the first name of the place. In all other cases,
    ``standard`` is None. ``day`` and ``order`` are set if the mention is a stop of the document's
    route. ``reason`` is the span that says why to visit the place, if the document gives a reason.
    """

    name: str = Field(min_length=1)
    span: Span
    role: Role
    standard: str | None = None
    parent: str | None = None
    day: int | None = Field(default=None, ge=0)
    order: int | None = Field(default=None, ge=1)
    reason: Span | None = None
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)


class RouteStop(FrozenModel):
    """One stop of a route, in the words of the text."""

    day: int = Field(ge=0)
    order: int = Field(ge=1, description="position within the day, counted from 1")
    name: str = Field(min_length=1)
    standard: str | None = None
    span: Span
    remark: str | None = None


class Route(FrozenModel):
    """A document's single route: its visits by day, in order."""

    visits: tuple[RouteStop, ...]

    @property
    def days(self) -> int:
        """Return the number of days that have at least one visit."""
        return len({visit.day for visit in self.visits})


class Fact(FrozenModel):
    """A statement about a POI. ``value`` has the form given in the data dictionary (poi_facts).

    ``ticket_price_cny`` values are numbers that may be amounts in yuan. ``ticket_price`` values are
    numbers with the mark of a different currency, as written ("17 EUR", "20 $"). The currency that
    the mark stands for depends on the city (see ``flows.pipeline.stages.ticket_prices``).
    """

    poi: str = Field(min_length=1, description="surface form or standard name of the POI")
    field: FactField
    value: str = Field(min_length=1)
    valid_when: str = Field(
        default="always",
        description="when the fact applies: `always`, a season, or a range of months",
    )
    audience: Audience | None = None
    condition: str | None = Field(
        default=None, description="any further condition, in the words of the text"
    )
    with_pois: tuple[str, ...] = Field(
        default=(), description="other POIs for which a combined ticket is valid"
    )
    span: Span

    @property
    def is_general(self) -> bool:
        """Check whether the fact applies to all travellers.

        A fact for adults counts as applying to all travellers.
        """
        return not (self.condition or self.with_pois) and self.audience in (None, "adult")


class GazetteerEntry(FrozenModel):
    """A known place that is offered to an engine, with its standard name and its other names."""

    standard: str
    names: tuple[str, ...] = ()
    parent: str | None = None
    kind: Literal["poi", "hotel", "restaurant", "station"] = "poi"
