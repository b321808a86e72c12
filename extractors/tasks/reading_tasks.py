"""Defines the three tasks that find a document's attractions, its route, and facts about the
attractions.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from extractors.descriptions import reason_for, stands_beside
from extractors.evidence import fact_problem, field_problem, repair_span
from extractors.tasks.prompting import messages, read_as, rows, sift, span_of, standards, text_of
from extractors.text import fold, locate
from schemas.reading import DocumentKind, Fact, Mention, Route, RouteStop, Span
from schemas.tasks import DocumentInput, Grounded, Ungrounded


class PoiReading(BaseModel, frozen=True):
    """Every mention of an attraction in a document, and the kind of the document."""

    kind: DocumentKind
    cities: tuple[str, ...] = ()
    days_stated: int | None = None
    mentions: tuple[Mention, ...] = ()
    decoys: tuple[str, ...] = ()


class RouteReading(BaseModel, frozen=True):
    """The single route of a document, or None with the reason if the document has no clear
    route.
    """

    route: Route | None = None
    reason: str = ""


class FactReading(BaseModel, frozen=True):
    """The facts that a document gives about its POIs."""

    facts: tuple[Fact, ...] = ()


_POIS = """List the tourist attractions that the document names: sights, parks, museums, temples,
old towns, streets and markets visited as sights. Leave out hotels, restaurants, food, shops,
stations, airports, ordinary roads, districts, cities and generic words.
Answer: {"kind": "route" | "guide" | "diary" | "none", "cities": [..], "days_stated": number or null,
"pois": [{"name": as first written, "role": "visited" | "recommended" | "mentioned" | "rejected",
"parent": containing attraction or null, "reason": exact words beside the name that say why one goes
there, or null}], "decoys": [names that only look like attractions]}.
route = itinerary by days, guide = advice, diary = told journey. visited = done; recommended = a
stop or tip; mentioned = named only; rejected = considered and left out, closed or missed."""  # noqa: E501 - a prompt's lines are part of what answers are kept by


class PoiExtraction:
    """Finds the names of attractions, with role, container and the words that recommend them."""

    name = "poi_extraction"
    version = 2
    input_model = DocumentInput
    output_model = PoiReading

    def prompt(self, item: DocumentInput) -> list[dict[str, str]]:
        """Return the chat messages, with the document at the end."""
        return messages(_POIS, item)

    def parse(self, raw: dict[str, Any], item: DocumentInput) -> PoiReading:
        """Read a raw answer. Raises ValueError, with the reason, if the answer has the wrong
        form.
        """
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
        told = {k: raw[k] for k in ("kind", "cities", "days_stated", "decoys") if k in raw}
        return read_as(PoiReading, {**told, "mentions": mentions}, "a POI reading")

    def check(self, item: DocumentInput, output: PoiReading) -> Grounded[PoiReading]:
        """Keep the mentions whose names occur in the document, with the spans of these names.

        A reason that is not beside its name is set aside. If an answer gives no reason, the
        document is searched for one.
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


_ROUTE = """Give the one route that the document tells or plans: attractions by day, in the order
of the visit. Leave out hotels, stations, meals, and sights merely passed. Where plan and diary
differ, follow the diary. Number the days as the text does. A document of advice without a fixed
order, or with several routes to choose from, has no route.
Answer: {"days": [{"day": number, "visits": [{"name": as written, "remark": exact words
about this stop, or null}]}],
"reason": why there is no route, else ""}. No route: "days": []."""


class TrajectoryExtraction:
    """Finds the route in a document, or the reason why there is none."""

    name = "trajectory_extraction"
    version = 2
    input_model = DocumentInput
    output_model = RouteReading

    def prompt(self, item: DocumentInput) -> list[dict[str, str]]:
        """Return the chat messages, with the document at the end."""
        return messages(_ROUTE, item)

    def parse(self, raw: dict[str, Any], item: DocumentInput) -> RouteReading:
        """Read a raw answer. Raises ValueError, with the reason, if the answer has the wrong
        form.
        """
        text, known = item.document.text, standards(item)
        visits = [
            {"day": day.get("day"), "order": order, "name": name, "span": span_of(name, text),
             "remark": row.get("remark"), "standard": known.get(fold(name))}
            for day in rows(raw, "days")
            for order, row in enumerate(rows(day, "visits"), start=1)
            for name in [text_of(row, "name")]
        ]  # fmt: skip
        route = read_as(Route, {"visits": visits}, "a route") if visits else None
        return RouteReading(route=route, reason=str(raw.get("reason", "")))

    def check(self, item: DocumentInput, output: RouteReading) -> Grounded[RouteReading]:
        """Keep the visits whose names occur in the document, and renumber the stops of each day.

        A remark that does not occur in the document is set aside, but its visit is kept.
        """
        text = item.document.text
        kept: list[RouteStop] = []
        missing: list[Ungrounded] = []
        for visit in output.route.visits if output.route else ():
            span = repair_span(visit.name, visit.span, text)
            if span is None:
                missing.append(Ungrounded(what=visit.name, why="not in the document"))
                continue
            order = 1 + sum(other.day == visit.day for other in kept)
            remark = visit.remark
            if remark and not locate(remark, text):
                missing.append(
                    Ungrounded(what=f"remark on {visit.name}", why="not in the document")
                )
                remark = None
            kept.append(visit.model_copy(update={"span": span, "order": order, "remark": remark}))
        route = Route(visits=tuple(kept)) if kept else None
        reason = output.reason or ("" if route else "no visit stands in the document")
        return Grounded(output=RouteReading(route=route, reason=reason), ungrounded=tuple(missing))


_FACTS = """List what the document states about single attractions. Fields and values:
opening_hours "HH:MM-HH:MM"; last_admission "HH:MM"; closed_days "Mon".."Sun"; ticket_price_cny
number in yuan, free = "0"; duration_hours decimal, "2-3" for a range, a whole day 8, half a day 4,
an evening 3; arrival_time "HH:MM" or an explicit best time such as "dusk"; season
"spring".."winter" or "all year". Prices of transport, bicycles, meals, guides and shows are no
ticket prices. valid_when is "always" unless the text limits the value to months ("Apr-Oct") or a
season. Only what a sentence of the document says is a fact: quote the sentence first.
Answer: {"facts": [{"evidence": exact quote, "poi": as written, "field": .., "value": ..,
"valid_when": ..}]}. Nothing stated: {"facts": []}."""


class FactExtraction:
    """Finds facts about POIs, each with its quote."""

    name = "fact_extraction"
    version = 2
    input_model = DocumentInput
    output_model = FactReading

    def prompt(self, item: DocumentInput) -> list[dict[str, str]]:
        """Return the chat messages, with the document at the end."""
        return messages(_FACTS, item)

    def parse(self, raw: dict[str, Any], item: DocumentInput) -> FactReading:
        """Read a raw answer. Raises ValueError, with the reason, if the answer has the wrong
        form.
        """
        text = item.document.text
        facts = [
            {
                "poi": text_of(row, "poi"),
                "field": text_of(row, "field"),
                "value": text_of(row, "value"),
                "valid_when": row.get("valid_when") or "always",
                "span": span_of(text_of(row, "evidence"), text),
            }
            for row in rows(raw, "facts")
        ]
        return read_as(FactReading, {"facts": facts}, "a list of facts")

    def check(self, item: DocumentInput, output: FactReading) -> Grounded[FactReading]:
        """Keep the facts whose POIs are named and whose quotes contain their numbers."""
        blocks = item.document.blocks
        rows_of_tables = [Span(start=b.start, end=b.start + len(b.text)) for b in blocks
                          if b.kind == "table_row" and b.text]  # fmt: skip
        kept, aside = sift(
            (fact, f"{fact.poi}: {fact.field} = {fact.value}",
             _problem(fact, item, rows_of_tables))
            for fact in output.facts
        )  # fmt: skip
        return Grounded(output=FactReading(facts=kept), ungrounded=aside)


def _problem(fact: Fact, item: DocumentInput, tables: list[Span]) -> str | None:
    """Return the reason why a fact has no evidence, or None if it has evidence."""
    text = item.document.text
    found = fact_problem(fact, text, item.gazetteer)
    if found or any(row.start <= fact.span.start < row.end for row in tables):
        return found
    return field_problem(fact.field, text[fact.span.start : fact.span.end])
