"""Task: which of a few places a name in a text means, asked when the rules are unsure."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from extractors.tasks.prompting import numbered, one_line, read_as, rows, write_messages
from schemas.tasks import Grounded, Ungrounded

LETTERS = "abcdefgh"
MOST_PLACES = len(LETTERS)


class Offered(BaseModel, frozen=True):
    """A place that a name may mean, in words."""

    poi_id: str
    name: str
    also: tuple[str, ...] = ()
    city: str = ""
    kind: str = ""


class DoubtfulName(BaseModel, frozen=True):
    """A name, the words around it, and the places that it may mean."""

    n: int = Field(description="number of the name within its document")
    name: str
    around: str
    places: tuple[Offered, ...] = Field(min_length=1, max_length=MOST_PLACES)


class DoubtfulNames(BaseModel, frozen=True):
    """The doubtful names of one document."""

    names: tuple[DoubtfulName, ...] = Field(min_length=1)


class Chosen(BaseModel, frozen=True):
    """What a name means; None where it is none of the places that were offered."""

    n: int
    poi_id: str | None = None


class ChosenLinks(BaseModel, frozen=True):
    """An answer for each name that was asked about."""

    links: tuple[Chosen, ...] = ()


class LinkReview:
    """The place that each doubtful name means, or none; only offered places count."""

    name = "link_review"
    version = 1
    input_model = DoubtfulNames
    output_model = ChosenLinks

    def prompt(self, item: DoubtfulNames) -> list[dict[str, str]]:
        """Chat messages."""
        rules = (
            "Each numbered name stands in a travel text; below it are places that it may mean. Say"
            " which one it is: the very same place under this or another name. null where it is"
            " none of them: a part of one, what one is a part of, another branch, a place of a like"
            ' name. Answer: {"links": [{"number": .., "place": letter or null}]}.'
        )
        return write_messages(
            rules, "\n".join(_show_name(at, name) for at, name in enumerate(item.names, 1))
        )

    def parse(self, raw: dict[str, Any], item: DoubtfulNames) -> ChosenLinks:
        """Read a raw answer; raises ValueError."""
        found = []
        for row in rows(raw, "links"):
            name, letter = numbered(item.names, row.get("number"), "name"), row.get("place")
            letters = dict(zip(LETTERS, (place.poi_id for place in name.places), strict=False))
            found.append({"n": name.n, "poi_id": letters.get(letter, "") if letter else None})
        return read_as(ChosenLinks, {"links": found})

    def check(self, item: DoubtfulNames, output: ChosenLinks) -> Grounded[ChosenLinks]:
        """One answer a name: the first, and of the places that were offered for it."""
        offered = {name.n: {place.poi_id for place in name.places} for name in item.names}
        kept: dict[int, Chosen] = {}
        missing: list[Ungrounded] = []
        for found in output.links:
            if found.n not in offered or found.n in kept:
                continue
            if found.poi_id is not None and found.poi_id not in offered[found.n]:
                missing.append(Ungrounded(what=f"name {found.n}", why="the place was not offered"))
                continue
            kept[found.n] = found
        return Grounded(
            output=ChosenLinks(links=tuple(kept[n] for n in offered if n in kept)),
            ungrounded=tuple(missing),
        )


def _show_name(number: int, name: DoubtfulName) -> str:
    lines = [f"{number}. {one_line(name.name)} ... in: {one_line(name.around)}"]
    for letter, place in zip(LETTERS, name.places, strict=False):
        also = f"also {', '.join(map(one_line, place.also))}" if place.also else ""
        told = "; ".join(filter(None, (also, place.kind, place.city)))
        lines.append(f"   {letter}) {one_line(place.name)}" + (f" ({told})" if told else ""))
    return "\n".join(lines)
