"""Task: the single route of a document, by day and in order."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from extractors.evidence import repair_span
from extractors.tasks.outputs import RouteReading
from extractors.tasks.prompting import messages, rows, span_of, standards, text_of
from extractors.text import fold, locate
from schemas.reading import Route, RouteStop
from schemas.tasks import DocumentInput, Grounded, Ungrounded

_RULES = """Give the one route that the document tells or plans: attractions by day, in the order
of the visit. Leave out hotels, stations, meals, and sights merely passed. Where plan and diary
differ, follow the diary. Number the days as the text does. A document of advice without a fixed
order, or with several routes to choose from, has no route.
Answer: {"days": [{"day": number, "visits": [{"name": as written, "remark": exact words
about this stop, or null}]}],
"reason": why there is no route, else ""}. No route: "days": []."""


class TrajectoryExtraction:
    """The route of a document, or the reason why it has none."""

    name = "trajectory_extraction"
    version = 2
    input_model = DocumentInput
    output_model = RouteReading

    def prompt(self, item: DocumentInput) -> list[dict[str, str]]:
        """Chat messages; the document comes last."""
        return messages(_RULES, item)

    def parse(self, raw: dict[str, Any], item: DocumentInput) -> RouteReading:
        """Read a raw answer; raises ValueError with the reason when it has another form."""
        text, known = item.document.text, standards(item)
        visits: list[dict[str, Any]] = []
        for day in rows(raw, "days"):
            for order, row in enumerate(rows(day, "visits"), start=1):
                name = text_of(row, "name")
                visits.append(
                    {"day": day.get("day"), "order": order, "name": name,
                     "span": span_of(name, text), "remark": row.get("remark"),
                     "standard": known.get(fold(name))}
                )  # fmt: skip
        try:
            route = Route.model_validate({"visits": visits}) if visits else None
        except ValidationError as error:
            raise ValueError(f"not a route: {error.errors()[0]['msg']}") from error
        return RouteReading(route=route, reason=str(raw.get("reason", "")))

    def check(self, item: DocumentInput, output: RouteReading) -> Grounded[RouteReading]:
        """Keep the visits whose name stands in the document, and number each day anew.

        A remark that the document does not make is set aside; its visit stays.
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
