"""Task: every attraction that a document names, with its role and why people go there."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from extractors.descriptions import reason_for, stands_beside
from extractors.evidence import repair_span
from extractors.tasks.outputs import PoiReading
from extractors.tasks.prompting import messages, rows, span_of, standards, text_of
from extractors.text import fold
from schemas.reading import Mention
from schemas.tasks import DocumentInput, Grounded, Ungrounded

_RULES = """List the tourist attractions that the document names: sights, parks, museums, temples,
old towns, streets and markets visited as sights. Leave out hotels, restaurants, food, shops,
stations, airports, ordinary roads, districts, cities and generic words.
Answer: {"kind": "route" | "guide" | "diary" | "none", "cities": [..], "days_stated": number or null,
"pois": [{"name": as first written, "role": "visited" | "recommended" | "mentioned" | "rejected",
"parent": containing attraction or null, "reason": exact words beside the name that say why one goes
there, or null}], "decoys": [names that only look like attractions]}.
route = itinerary by days, guide = advice, diary = told journey. visited = done; recommended = a
stop or tip; mentioned = named only; rejected = considered and left out, closed or missed."""  # noqa: E501 - a prompt's lines are part of what answers are kept by


class PoiExtraction:
    """Names of attractions with role, container and the words that recommend them."""

    name = "poi_extraction"
    version = 2
    input_model = DocumentInput
    output_model = PoiReading

    def prompt(self, item: DocumentInput) -> list[dict[str, str]]:
        """Chat messages; the document comes last."""
        return messages(_RULES, item)

    def parse(self, raw: dict[str, Any], item: DocumentInput) -> PoiReading:
        """Read a raw answer; raises ValueError with the reason when it has another form."""
        text = item.document.text
        mentions, known = [], standards(item)
        for row in rows(raw, "pois"):
            name = text_of(row, "name")
            span = span_of(name, text)
            reason = (
                span_of(text_of(row, "reason"), text, span.start) if row.get("reason") else None
            )
            mentions.append(
                {"name": name, "span": span, "role": row.get("role", "mentioned"),
                 "parent": row.get("parent"), "reason": reason, "standard": known.get(fold(name))}
            )  # fmt: skip
        try:
            return PoiReading.model_validate(
                {**{k: raw[k] for k in ("kind", "cities", "days_stated", "decoys") if k in raw},
                 "mentions": mentions}
            )  # fmt: skip
        except ValidationError as error:
            raise ValueError(f"not a POI reading: {error.errors()[0]['msg']}") from error

    def check(self, item: DocumentInput, output: PoiReading) -> Grounded[PoiReading]:
        """Keep the mentions whose name stands in the document, at the span where it stands.

        A reason stands beside its name, or is set aside; where an answer gives none, the words
        of the document that give one are looked for.
        """
        text = item.document.text
        kept: list[Mention] = []
        missing: list[Ungrounded] = []
        for mention in output.mentions:
            span = repair_span(mention.name, mention.span, text)
            if span is None:
                missing.append(Ungrounded(what=mention.name, why="not in the document"))
                continue
            reason = mention.reason
            if reason and not stands_beside(reason, span, text):
                missing.append(Ungrounded(what=f"reason of {mention.name}", why="not beside it"))
                reason = None
            reason = reason or reason_for(span, text, item.document.lang)
            kept.append(mention.model_copy(update={"span": span, "reason": reason}))
        return Grounded(
            output=output.model_copy(update={"mentions": tuple(kept)}), ungrounded=tuple(missing)
        )
