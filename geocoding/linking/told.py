"""Defines the input and the result of linking a document's names to places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

#: ``linked``: a table's place; ``city``: a place of this city that no table contains; ``review``:
#: a place that a person should confirm; ``unknown``: the text does not show the city.
Outcome = Literal["linked", "city", "review", "unknown"]


@dataclass(frozen=True)
class ReadBlock:
    """A block of main text, with its start; ``is_head`` is True if the block is the title of the
    text that follows.
    """

    start: int
    text: str
    is_head: bool = False

    @property
    def end(self) -> int:
        """Return the offset at which the next block can start."""
        return self.start + len(self.text)


@dataclass(frozen=True)
class Name:
    """A place named in the text, with its forms (fullest first) and the positions of each form."""

    n: int
    forms: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    what: str = "sight"
    where: str | None = None
    parent: int | None = None


@dataclass(frozen=True)
class ReadDay:
    """A day of a trip: the city given in the text, and the stops as pairs (number of the name,
    start).
    """

    trip: int
    day: int
    where: str | None
    stops: tuple[tuple[int, int], ...]

    @property
    def key(self) -> tuple[int, int]:
        """Return the trip and the day as a key."""
        return self.trip, self.day


@dataclass(frozen=True)
class ReadDocument:
    """The parts of a document that are needed to link its names.

    ``path`` may contain a city if a folder of documents is named after that city.

    ``assumed`` is the city that the user specifies for the whole document.
    """

    doc_id: str
    path: str
    blocks: tuple[ReadBlock, ...]
    names: tuple[Name, ...]
    days: tuple[ReadDay, ...] = ()
    assumed: str | None = None


@dataclass(frozen=True)
class Link:
    """The place that a name means. ``city_id`` is None if the text does not show the city.

    ``score`` (the certainty of the link) and ``margin`` (the lead over the next best score) are in
    hundredths. ``margin`` is 100 if no other place fits. ``rivals`` are the other places that fit.
    """

    outcome: Outcome
    city_id: str | None
    poi_id: str | None = None
    score: int = 0
    margin: int = 100
    why: str = ""
    rivals: tuple[str, ...] = ()


@dataclass(frozen=True)
class Linked:
    """All links of a document, by the number of the name, and the city of each day.

    ``stated`` counts, for each city, the blocks that name the city or a place in the city.
    ``searched`` lists the cities in which names were looked up.
    """

    links: Mapping[int, Link]
    days: Mapping[tuple[int, int], str | None]
    stated: Mapping[str, int] = field(default_factory=dict)
    searched: frozenset[str] = frozenset()
