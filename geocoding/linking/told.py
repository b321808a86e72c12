"""The input of linking for one document, and its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

#: ``linked``: the place of a table; ``city``: a place of this city that no table holds; ``review``:
#: a place that a person should confirm; ``unknown``: the text does not tell the city.
Outcome = Literal["linked", "city", "review", "unknown"]


@dataclass(frozen=True)
class ReadBlock:
    """A block of main text: where it starts, whether it titles what follows."""

    start: int
    text: str
    is_head: bool = False

    @property
    def end(self) -> int:
        """Where the next block may begin."""
        return self.start + len(self.text)


@dataclass(frozen=True)
class Name:
    """A place that the text names: its forms, fullest first, and where each of them stands."""

    n: int
    forms: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    what: str = "sight"
    where: str | None = None
    parent: int | None = None


@dataclass(frozen=True)
class ReadDay:
    """A day of a trip: where the text puts it, and its stops as (number of the name, start)."""

    trip: int
    day: int
    where: str | None
    stops: tuple[tuple[int, int], ...]

    @property
    def key(self) -> tuple[int, int]:
        """Trip and day."""
        return self.trip, self.day


@dataclass(frozen=True)
class ReadDocument:
    """One document as it was read. ``path`` may name the city of a folder of documents.

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
    """What a name stands for. ``city_id`` is None where the text does not tell it.

    ``score`` and ``margin`` count hundredths: how sure the link is, and how far the next best
    place is behind it, 100 where no other fits. ``rivals`` are the other places that fit.
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

    ``stated`` counts, for each city, the blocks that name it or name something in it; ``searched``
    are the cities among whose places a name was looked for.
    """

    links: Mapping[int, Link]
    days: Mapping[tuple[int, int], str | None]
    stated: Mapping[str, int] = field(default_factory=dict)
    searched: frozenset[str] = frozenset()
