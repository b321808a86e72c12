"""What an engine reads in one document: its places, its trips and its facts.

One form for every engine and for readings that a user brings. A reading is of the document alone:
no city, no table and no other document changes it, and it says nothing of where a place really
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
    """A place that the text names, once, however often it is named.

    ``name`` is the fullest form as written, ``also`` the other forms as written; ``spans`` is
    every place where one of them stands. ``where`` is the city or region in which the *text* puts
    it; ``parent`` the number of the place that contains it, where the text says so.
    """

    n: int = Field(ge=1, description="number within the document")
    name: str = Field(min_length=1, max_length=200)
    also: tuple[str, ...] = ()
    spans: tuple[Span, ...] = Field(min_length=1)
    where: str | None = None
    what: What = "sight"
    role: Role = "mentioned"
    why: Span | None = Field(default=None, description="why one goes there, or does not")
    parent: int | None = Field(default=None, ge=1)
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)

    @property
    def forms(self) -> tuple[str, ...]:
        """The name and its other forms."""
        return (self.name, *self.also)


class DayStop(_ReadingPart):
    """One stop of a day: the number of its place, and where the text tells of it.

    ``remark`` is what the reader picked out of the text about this stop.
    """

    place: int = Field(ge=1)
    span: Span
    remark: Span | None = None
    part_of_day: PartOfDay | None = None
    is_seen_from_afar: bool = False


class JourneyDay(_ReadingPart):
    """One day of a trip. ``number`` counts as the text does; ``where`` as the text says."""

    number: int | None = Field(default=None, ge=0)
    label: str | None = None
    where: str | None = None
    stops: tuple[DayStop, ...] = ()
    is_ordered: bool = True


class ReadJourney(_ReadingPart):
    """One journey: told, or only planned."""

    days: tuple[JourneyDay, ...] = Field(min_length=1)
    is_planned: bool = False

    @property
    def stops(self) -> Iterator[tuple[int, int, DayStop]]:
        """Each stop with the position of its day and its own, both from 1."""
        for day, told in enumerate(self.days, 1):
            for order, stop in enumerate(told.stops, 1):
                yield day, order, stop


class StatedFact(_ReadingPart):
    """What the text states about a place, with every condition that it states.

    ``spans`` are the line that says it and, where the name stands elsewhere, the heading that
    names the place. A fact with an ``audience``, a ``condition`` or other places is published as
    one that holds on that condition, never made general.
    """

    place: int = Field(ge=1)
    field: FactField
    value: str = Field(min_length=1, max_length=200)
    unit: str | None = Field(default=None, description="of a price: ISO 4217, as far as told")
    audience: Audience | None = None
    valid_when: str = Field(default="always", description="always, months, a season or weekdays")
    condition: str | None = Field(
        default=None, description="any further condition, in the words of the text"
    )
    with_places: tuple[int, ...] = Field(default=(), description="of a combined ticket")
    spans: tuple[Span, ...] = Field(min_length=1)

    @property
    def only_for(self) -> Audience | None:
        """Whom alone it is for. None where nobody is named: the price for an adult is the price."""
        return self.audience if self.audience != "adult" else None


class DocumentReading(_ReadingPart):
    """Everything that one engine read in one document."""

    doc_id: str
    kind: Kind
    days_stated: int | None = Field(default=None, ge=0)
    departure: str | None = Field(default=None, description="where the journey starts, as written")
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
        """What limits a fact apart from a time and from whom it is for: a condition, and the places
        with which its ticket is shared. None where nothing does."""
        others = ", ".join(self.place(n).name for n in fact.with_places)
        return "; ".join(filter(None, (fact.condition, others and f"with {others}"))) or None

    def place(self, number: int) -> NamedPlace:
        """The place of a number. Raises KeyError."""
        return {place.n: place for place in self.places}[number]
