"""Task: what the names are that a first reading was unsure of."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from extractors.tasks.prompting import FRAME, delimited, rows, text_of
from extractors.text import fold, locate
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
Answer: {"names": [{"name": as given, "kind": ..}]}, one object for each passage, in their order."""

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
        where = dict(zip(map(fold, item.names), item.passages, strict=True))
        judged = []
        for row in rows(raw, "names"):
            name = text_of(row, "name").strip("【】")
            found = locate(name, where.get(fold(name), ""))
            span = {"start": found[0], "end": found[1]} if found else {"start": 0, "end": 1}
            judged.append({"name": name, "kind": row.get("kind"), "span": span})
        try:
            return Review.model_validate({"names": judged})
        except ValidationError as error:
            raise ValueError(f"not a review: {error.errors()[0]['msg']}") from error

    def check(self, item: ReviewInput, output: Review) -> Grounded[Review]:
        """Keep the judgements on names that were asked about, the first on each."""
        asked = {fold(name): name for name in reversed(item.names)}
        kept: dict[str, Judged] = {}
        missing: list[Ungrounded] = []
        for judged in output.names:
            key = fold(judged.name)
            if key in asked:
                kept.setdefault(key, judged.model_copy(update={"name": asked[key]}))
            else:
                missing.append(Ungrounded(what=judged.name, why="was not asked about"))
        return Grounded(output=Review(names=tuple(kept.values())), ungrounded=tuple(missing))
