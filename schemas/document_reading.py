"""Defines a reading: the places, trips and facts that an engine finds in one document.

A reading has the same form whether an engine makes it or a user provides it. A reading depends only
on the document. No city, table or other document affects a reading, and a reading does not state
where a place really is. Spans are half-open character ranges in ``Document.text``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.reading import Audience, FactField, Span

#: A ``list`` has rows of names but no sentences; ``other`` is neither about travel nor a list.
Kind = Literal["diary", "route", "guide", "list", "other"]
What = Literal["sight", "food", "lodging", "shop", "station", "area", "fiction", "other"]
#: ``planned`` is a stop of a plan that may not have been carried out; ``recommended`` is advice.
Role = Literal["visited", "planned", "recommended", "mentioned", "rejected"]
PartOfDay = Literal["morning", "noon", "afternoon", "evening", "night"]


class _ReadingPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NamedPlace(_ReadingPart):
    """A place that the text names at least once.

    ``name`` is the longest form of the name, and ``also`` lists the other forms. ``spans`` are the
    positions of all forms. ``where`` is the city or region of the place according to the text.
    ``parent`` is the number of the place that contains this place, if the text names one.
    """

    n: int = Field(ge=1, description="number of the place within the document")
    name: str = Field(min_length=1, max_length=200)
    also: tuple[str, ...] = ()
    spans: tuple[Span, ...] = Field(min_length=1)
    where: str | None = None
    what: What = "sight"
    role: Role = "mentioned"
    why: Span | None = Field(default=None, description="reason for or against visiting the place")
    parent: int | None = Field(default=None, ge=1)
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)

    @property
    def forms(self) -> tuple[str, ...]:
        """Return all forms of the name, the longest first."""
        return (self.name, *self.also)


class DayStop(_ReadingPart):
    """One stop of a day: the number of its place, and the span that mentions the stop.

    ``remark`` is a passage about this stop that the engine selected.
    """

    place: int = Field(ge=1)
    span: Span
    remark: Span | None = None
    part_of_day: PartOfDay | None = None
    is_seen_from_afar: bool = False


class JourneyDay(_ReadingPart):
    """One day of a trip, with the number and city that the text gives for the day."""

    number: int | None = Field(default=None, ge=0)
    label: str | None = None
    where: str | None = None
    stops: tuple[DayStop, ...] = ()
    is_ordered: bool = True


class ReadJourney(_ReadingPart):
    """One journey that the text describes.

    ``is_planned`` is True if the traveller only planned the journey.
    """

    days: tuple[JourneyDay, ...] = Field(min_length=1)
    is_planned: bool = False

    @property
    def stops(self) -> Iterator[tuple[int, int, DayStop]]:
        """Yield the day's position, the stop's position (both counted from 1), and the stop."""
        for day, told in enumerate(self.days, 1):
            for order, stop in enumerate(told.stops, 1):
                yield day, order, stop


class StatedFact(_ReadingPart):
    """A fact that the text states about a place, with all conditions that the text gives.

    ``spans`` contains the line that states the fact and, if the place is named elsewhere, the
    heading that names it. If a fact has an ``audience``, a ``condition`` or further places, these
    are always published with the fact.
    """

    place: int = Field(ge=1)
    field: FactField
    value: str = Field(min_length=1, max_length=200)
    unit: str | None = Field(default=None, description="currency of a price (ISO 4217), if known")
    audience: Audience | None = None
    valid_when: str = Field(
        default="always",
        description="when the fact applies: `always`, or months, a season or weekdays",
    )
    condition: str | None = Field(
        default=None, description="any further condition, in the words of the text"
    )
    with_places: tuple[int, ...] = Field(
        default=(), description="other places for which a combined ticket is valid"
    )
    spans: tuple[Span, ...] = Field(min_length=1)

    @property
    def only_for(self) -> Audience | None:
        """Return the travellers to whom the fact is limited, or None if it applies to everyone.

        A fact for adults counts as applying to everyone.
        """
        return self.audience if self.audience != "adult" else None


class DocumentReading(_ReadingPart):
    """Everything that an engine found in one document."""

    doc_id: str
    kind: Kind
    days_stated: int | None = Field(default=None, ge=0)
    departure: str | None = Field(
        default=None, description="where the journey starts, in the words of the text"
    )
    places: tuple[NamedPlace, ...] = ()
    trips: tuple[ReadJourney, ...] = ()
    facts: tuple[StatedFact, ...] = ()

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        numbers = {place.n for place in self.places}
        if len(numbers) < len(self.places):
            raise ValueError("two places have the same number")
        named = [place.parent for place in self.places if place.parent is not None]
        named += [stop.place for trip in self.trips for _, _, stop in trip.stops]
        named += [n for fact in self.facts for n in (fact.place, *fact.with_places)]
        if missing := sorted(set(named) - numbers):
            raise ValueError(f"no place has the number {missing[0]}")
        if self.kind == "list" and (self.trips or {p.role for p in self.places} - {"mentioned"}):
            raise ValueError("a list gives names and columns, never roles or trips")
        return self

    def condition_of(self, fact: StatedFact) -> str | None:
        """Return, as text, a fact's condition and the other places that its combined ticket covers.

        Returns None if the fact has neither a condition nor other places.
        """
        others = ", ".join(self.place(n).name for n in fact.with_places)
        return "; ".join(filter(None, (fact.condition, others and f"with {others}"))) or None

    def place(self, number: int) -> NamedPlace:
        """Return the place with this number. Raises KeyError if no place has the number."""
        return {place.n: place for place in self.places}[number]
