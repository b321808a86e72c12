"""What an engine reads in one document: its places, trips and facts.

All engines use this form, and so do readings that a user provides. A reading depends on the
document alone, not on cities, tables or other documents, and it does not say where a place really
is. Spans are half-open ranges of characters of ``Document.text``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.reading import Audience, FactField, Span

#: A list has rows of names and no sentences; other is neither travel nor a list.
Kind = Literal["diary", "route", "guide", "list", "other"]
What = Literal["sight", "food", "lodging", "shop", "station", "area", "fiction", "other"]
#: planned: a stop of a plan that nothing confirms; recommended: advice to others.
Role = Literal["visited", "planned", "recommended", "mentioned", "rejected"]
PartOfDay = Literal["morning", "noon", "afternoon", "evening", "night"]


class _ReadingPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NamedPlace(_ReadingPart):
    """A place that the text names; there is one for all of its occurrences.

    ``name`` is the fullest form in the text, ``also`` the other forms; ``spans`` lists where any of
    them occurs. ``where`` is the city or region to which the *text* assigns it; ``parent`` is the
    number of the place that contains it, if the text says so.
    """

    n: int = Field(ge=1, description="number of the place within the document")
    name: str = Field(min_length=1, max_length=200)
    also: tuple[str, ...] = ()
    spans: tuple[Span, ...] = Field(min_length=1)
    where: str | None = None
    what: What = "sight"
    role: Role = "mentioned"
    why: Span | None = Field(default=None, description="why people visit the place, or do not")
    parent: int | None = Field(default=None, ge=1)
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)

    @property
    def forms(self) -> tuple[str, ...]:
        """List the name and its other forms."""
        return (self.name, *self.also)


class DayStop(_ReadingPart):
    """One stop of a day: the number of its place, and where the text describes it.

    ``remark`` is what the reader quoted from the text about this stop.
    """

    place: int = Field(ge=1)
    span: Span
    remark: Span | None = None
    part_of_day: PartOfDay | None = None
    is_seen_from_afar: bool = False


class JourneyDay(_ReadingPart):
    """One day of a trip. ``number`` and ``where`` are as given in the text."""

    number: int | None = Field(default=None, ge=0)
    label: str | None = None
    where: str | None = None
    stops: tuple[DayStop, ...] = ()
    is_ordered: bool = True


class ReadJourney(_ReadingPart):
    """One journey, made or only planned."""

    days: tuple[JourneyDay, ...] = Field(min_length=1)
    is_planned: bool = False

    @property
    def stops(self) -> Iterator[tuple[int, int, DayStop]]:
        """List each stop with the position of its day and its own position, both from 1."""
        for day, told in enumerate(self.days, 1):
            for order, stop in enumerate(told.stops, 1):
                yield day, order, stop


class StatedFact(_ReadingPart):
    """A fact that the text states about a place, with all its conditions.

    ``spans`` are the line with the fact and, if the name is elsewhere, the heading that names the
    place. A fact with an ``audience``, a ``condition`` or other places is published only together
    with these limits.
    """

    place: int = Field(ge=1)
    field: FactField
    value: str = Field(min_length=1, max_length=200)
    unit: str | None = Field(
        default=None, description="of a price: ISO 4217, if the text states it"
    )
    audience: Audience | None = None
    valid_when: str = Field(default="always", description="always, months, a season or weekdays")
    condition: str | None = Field(
        default=None, description="any further condition, in the words of the text"
    )
    with_places: tuple[int, ...] = Field(default=(), description="of a combined ticket")
    spans: tuple[Span, ...] = Field(min_length=1)

    @property
    def only_for(self) -> Audience | None:
        """Find the only group for which the fact holds.

        None if no group is named: the price for adults counts as the general price.
        """
        return self.audience if self.audience != "adult" else None


class DocumentReading(_ReadingPart):
    """All that one engine read in one document."""

    doc_id: str
    kind: Kind
    days_stated: int | None = Field(default=None, ge=0)
    departure: str | None = Field(
        default=None, description="where the journey starts, as written in the text"
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
            raise ValueError("a list can only give names and columns, not roles or trips")
        return self

    def condition_of(self, fact: StatedFact) -> str | None:
        """Describe what limits a fact, apart from times and groups of people: a condition, or the
        places with which its ticket is shared. None if nothing does."""
        others = ", ".join(self.place(n).name for n in fact.with_places)
        return "; ".join(filter(None, (fact.condition, others and f"with {others}"))) or None

    def place(self, number: int) -> NamedPlace:
        """Find a place by its number. Raises KeyError."""
        return {place.n: place for place in self.places}[number]
