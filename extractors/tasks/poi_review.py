"""Task: what the names are that a first reading was unsure of."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from extractors.tasks.prompting import TEXTS_FRAME, delimited, one_line
from schemas.reading import Span
from schemas.tasks import Grounded, Ungrounded

NameKind = Literal[
    "attraction", "hotel", "restaurant", "shop", "transport", "region", "food", "phrase",
]  # fmt: skip

_RULES = """You read passages of a travel document, one name in 【】 in each. For each name choose the kind:
attraction = a certain place that one can visit: park, lake, mountain, museum, temple, palace, hall,
gate, tower, bridge, old town, street, campus;
hotel, restaurant, shop; transport = station, airport, metro line;
region = city, district, province, country, people; food;
phrase = no name of one certain place, only a general expression.
Answer: the name and its kind for every passage, in the same order: {name: kind, ..}."""

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
    version = 2
    input_model = ReviewInput
    output_model = Review

    def prompt(self, item: ReviewInput) -> list[dict[str, str]]:
        """Chat messages; the passages come last."""
        shown = []
        for name, passage in zip(item.names, item.passages, strict=True):
            shown.append(one_line(passage.replace(name, f"【{name}】", 1)))
        city = f"City of interest: {item.city}\n" if item.city else ""
        return [
            {"role": "system", "content": TEXTS_FRAME + _RULES},
            {"role": "user", "content": city + delimited("\n".join(shown))},
        ]

    def parse(self, raw: dict[str, Any], item: ReviewInput) -> Review:
        """Read a raw answer; raises ValueError with the reason when it has another form."""
        judged = []
        for name, passage in zip(item.names, item.passages, strict=True):
            if name in raw:
                start = passage.find(name)
                span = {"start": start, "end": start + len(name)}
                judged.append({"name": name, "kind": raw[name], "span": span})
        if not judged:
            raise ValueError("no name is answered")
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
        """JSON schema of the answer: one kind for each name, in the order of the passages.

        The names stand in the answer, so that a small model knows which one it judges: by
        numbers it took lakes for restaurants.
        """
        kind = {"type": "string", "enum": list(get_args(NameKind))}
        names = list(dict.fromkeys(item.names))
        return {
            "type": "object",
            "properties": dict.fromkeys(names, kind),
            "required": names,
            "additionalProperties": False,
        }
