"""Defines the input and the result of linking for one document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

#: ``linked``: a table's place; ``city``: a place of this city that no table contains; ``review``:
#: a place that a person should confirm; ``unknown``: the text does not show the city.
Outcome = Literal["linked", "city", "review", "unknown"]


@dataclass(frozen=True)
class ReadBlock:
    """A block of main text: its start, and whether it is the title of what follows."""

    start: int
    text: str
    is_head: bool = False

    @property
    def end(self) -> int:
        """Return the offset at which the next block may begin."""
        return self.start + len(self.text)


@dataclass(frozen=True)
class Name:
    """A place that the text names: its forms, fullest first, and the positions of each form."""

    n: int
    forms: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    what: str = "sight"
    where: str | None = None
    parent: int | None = None


@dataclass(frozen=True)
class ReadDay:
    """A day of a trip: the city that the text gives, and its stops as (number of the name,
    start).
    """

    trip: int
    day: int
    where: str | None
    stops: tuple[tuple[int, int], ...]

    @property
    def key(self) -> tuple[int, int]:
        """Return trip and day."""
        return self.trip, self.day


@dataclass(frozen=True)
class ReadDocument:
    """One document as it was read. ``path`` may contain the city after which a folder of documents
    is named.

    ``assumed`` is the city that the user states for the whole document.
    """

    doc_id: str
    path: str
    blocks: tuple[ReadBlock, ...]
    names: tuple[Name, ...]
    days: tuple[ReadDay, ...] = ()
    assumed: str | None = None


@dataclass(frozen=True)
class Link:
    """The place that a name means. ``city_id`` is None if the text does not show it.

    ``score`` and ``margin`` are in hundredths: how certain the link is, and how far the next best
    place is behind, or 100 if no other fits. ``rivals`` are the other places that fit.
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
    """All links of a document by the number of the name, and the city of each day.

    ``stated`` counts, for each city, the blocks that name the city or something in it; ``searched``
    are the cities among whose places a name was searched.
    """

    links: Mapping[int, Link]
    days: Mapping[tuple[int, int], str | None]
    stated: Mapping[str, int] = field(default_factory=dict)
    searched: frozenset[str] = frozenset()
