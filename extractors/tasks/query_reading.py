"""The task of finding wishes in the parts of a user's query that no rule understood.

A wish counts if its quote occurs in one of these parts and its values are published tags, or names
in the quote. The task does not ask for cities, days and people, because the rules read them.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from extractors.tasks.prompting import number_texts, one_line, read_as, rows, sift, write_messages
from extractors.text import locate
from schemas.tasks import Grounded
from schemas.taxonomy import BASE_TYPES, CUISINES, HOTEL_FEATURES, ROOM_TYPES, TREND_TYPES

WishKind = Literal[
    "attraction_type",
    "attraction_name",
    "cuisine",
    "restaurant_name",
    "hotel_feature",
    "hotel_name",
    "rooms",
    "budget",
]
WishMode = Literal["all", "any", "none"]
LONGEST_REQUEST = 2_000
MOST_WISHES, MOST_VALUES = 20, 10
#: The published tags of each kind of wish that has tags.
TAGS: dict[str, tuple[str, ...]] = {
    "attraction_type": tuple(t.zh for t in (*BASE_TYPES, *TREND_TYPES) if t.code != "other"),
    "cuisine": tuple(t.zh for t in CUISINES if t.code != "other"),
    "hotel_feature": tuple(t.zh for t in HOTEL_FEATURES),
    "rooms": tuple(t.zh for t in ROOM_TYPES),
}
_NAMED = ("attraction_name", "restaurant_name", "hotel_name")


class ReadingRequest(BaseModel, frozen=True):
    """A query, with the parts of it that were not understood."""

    text: str = Field(min_length=1, max_length=LONGEST_REQUEST)
    city: str
    parts: tuple[str, ...] = Field(min_length=1)


class Wish(BaseModel, frozen=True):
    """One wish. ``amount`` is in yuan for the whole party, or it is a number of rooms."""

    kind: WishKind
    mode: WishMode
    values: tuple[str, ...] = Field(default=(), max_length=MOST_VALUES)
    amount: int | None = Field(default=None, ge=1)
    quote: str = Field(min_length=1)


class QueryWishes(BaseModel, frozen=True):
    """All wishes in a query."""

    wishes: tuple[Wish, ...] = ()


class QueryReading:
    """Finds the wishes in the parts that were not understood, each with its quote."""

    name = "query_reading"
    version = 1
    input_model = ReadingRequest
    output_model = QueryWishes

    def prompt(self, item: ReadingRequest) -> list[dict[str, str]]:
        """Return the chat messages."""
        lists = "\n".join(f"{kind}: {'、'.join(tags)}" for kind, tags in TAGS.items())
        rules = (
            "Read the wishes in some parts of a travel request. A wish has a kind, a mode (all of"
            " its values, any of them, none of them), values, an amount, and the words of the part"
            " that say it, copied. Values of these kinds are taken from their list, the nearest"
            f" that means the same, else the wish is left out:\n{lists}\nValues of"
            f" {', '.join(_NAMED)} are names as the part writes them. rooms has one type and the"
            " number of rooms as its amount; budget has no value and the yuan of the whole party;"
            " other kinds have the amount null. What no kind can say is left out. Answer:"
            ' {"wishes": [{"kind": .., "mode": .., "values": [..], "amount": ..,'
            ' "quote": ..}]}.'
        )
        data = (
            f"City: {item.city}\nRequest: {one_line(item.text)}\nParts:\n{number_texts(item.parts)}"
        )
        return write_messages(rules, data)

    def parse(self, raw: dict[str, Any], item: ReadingRequest) -> QueryWishes:
        """Read a raw answer. Raises ValueError if the answer has the wrong form."""
        return read_as(QueryWishes, {"wishes": rows(raw, "wishes")})

    def check(self, item: ReadingRequest, output: QueryWishes) -> Grounded[QueryWishes]:
        """Keep wishes whose quotes occur in a part, and whose values are published or quoted."""
        kept, aside = sift(
            (wish, f"{wish.kind}: {wish.quote}", _problem(wish, item)) for wish in output.wishes
        )
        return Grounded(output=QueryWishes(wishes=kept), ungrounded=aside)


def _problem(wish: Wish, item: ReadingRequest) -> str | None:
    if not any(locate(wish.quote, part) for part in item.parts):
        return "its words stand in none of the parts"
    if wish.kind in TAGS and not set(wish.values) <= set(TAGS[wish.kind]):
        return "its values are not in the list"
    if wish.kind in _NAMED and not all(locate(value, wish.quote) for value in wish.values):
        return "its words do not hold the name"
    if (wish.kind in ("rooms", "budget")) != (wish.amount is not None):
        return "its amount does not fit its kind"
    if (wish.kind == "budget") == bool(wish.values):
        return "its values do not fit its kind"
    if wish.amount is not None and wish.kind == "budget" and str(wish.amount) not in wish.quote:
        return "its words do not hold the amount"
    return None
