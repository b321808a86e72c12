"""Task: what the names are that a first reading was unsure of."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from extractors.tasks.prompting import FRAME, delimited
from schemas.reading import Span
from schemas.tasks import Grounded, Ungrounded

NameKind = Literal[
    "sight", "hotel", "restaurant", "shop", "station", "road", "district", "city",
    "food", "event", "generic",
]  # fmt: skip

_RULES = """Each numbered passage has one name in 【】. Say what the name is, as the passage uses it:
sight (park, museum, temple, tower, bridge, old town, pedestrian street, campus, scenic area or
another attraction that one visits), hotel, restaurant, shop, station (or airport, metro line),
road, district, city (or province, country), food, event, or generic (no name of a place at all).
Answer with the kind under the number of each passage: {"1": kind, "2": kind, ..}."""

#: Characters before and after a name that its passage shows.
REACH = 60


class ReviewInput(BaseModel):
    """Names to judge, each with the passage that it stands in."""

    model_config = ConfigDict(frozen=True)

    city: str | None = None
    names: tuple[str, ...]
    passages: tuple[str, ...]


class Judged(BaseModel):
    """One name and what it is; the span is the name's within its passage."""

    model_config = ConfigDict(frozen=True)

    name: str
    kind: NameKind
    span: Span


class Review(BaseModel):
    """The judgements on names."""

    model_config = ConfigDict(frozen=True)

    names: tuple[Judged, ...] = ()


class PoiReview:
    """Tells attractions from what only looks like one, name by name."""

    name = "poi_review"
    version = 1
    input_model = ReviewInput
    output_model = Review

    def prompt(self, item: ReviewInput) -> list[dict[str, str]]:
        """Chat messages; the passages come last."""
        shown = []
        for number, (name, passage) in enumerate(zip(item.names, item.passages, strict=True), 1):
            shown.append(f"{number}. {passage.replace(name, f'【{name}】', 1)}")
        city = f"City of interest: {item.city}\n" if item.city else ""
        return [
            {"role": "system", "content": FRAME + _RULES},
            {"role": "user", "content": city + delimited("\n".join(shown))},
        ]

    def parse(self, raw: dict[str, Any], item: ReviewInput) -> Review:
        """Read a raw answer; raises ValueError with the reason when it has another form."""
        judged = []
        for number, (name, passage) in enumerate(zip(item.names, item.passages, strict=True), 1):
            if str(number) in raw:
                start = passage.find(name)
                span = {"start": start, "end": start + len(name)}
                judged.append({"name": name, "kind": raw[str(number)], "span": span})
        if not judged:
            raise ValueError("no passage is answered by its number")
        try:
            return Review.model_validate({"names": judged})
        except ValidationError as error:
            raise ValueError(f"not a review: {error.errors()[0]['msg']}") from error

    def check(self, item: ReviewInput, output: Review) -> Grounded[Review]:
        """Keep the judgements on names that were asked about, the first on each."""
        passages = dict(zip(item.names, item.passages, strict=True))
        kept, missing = [], []
        for judged in output.names:
            passage = passages.get(judged.name, "")
            if passage[judged.span.start : judged.span.end] == judged.name:
                kept.append(judged)
            else:
                missing.append(Ungrounded(what=judged.name, why="not in its passage"))
        return Grounded(output=Review(names=tuple(kept)), ungrounded=tuple(missing))

    def schema(self, item: ReviewInput) -> dict[str, Any]:
        """JSON schema of the answer: one kind for each passage, no more and no less."""
        kind = {"type": "string", "enum": list(get_args(NameKind))}
        numbers = [str(number) for number in range(1, 1 + len(item.names))]
        return {
            "type": "object",
            "properties": dict.fromkeys(numbers, kind),
            "required": numbers,
            "additionalProperties": False,
        }
