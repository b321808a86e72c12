"""Read one document with any engine: the three document tasks, put together."""

from __future__ import annotations

from extractors.tasks import FactExtraction, PoiExtraction, TrajectoryExtraction
from schemas.reading import Mention, Reading, Route
from schemas.tasks import DocumentInput, Engine, Ungrounded


def read_document(engine: Engine, item: DocumentInput) -> tuple[Reading, tuple[Ungrounded, ...]]:
    """Everything an engine reads in a document, and what it claimed without evidence."""
    pois = engine.run(PoiExtraction(), item)
    route = engine.run(TrajectoryExtraction(), item)
    facts = engine.run(FactExtraction(), item)
    found = pois.output
    reading = Reading(
        doc_id=item.document.doc_id,
        kind=found.kind,
        cities=found.cities,
        days_stated=found.days_stated,
        mentions=_with_stops(found.mentions, route.output.route),
        route=route.output.route,
        facts=facts.output.facts,
        decoys=found.decoys,
    )
    return reading, (*pois.ungrounded, *route.ungrounded, *facts.ungrounded)


def _with_stops(mentions: tuple[Mention, ...], route: Route | None) -> tuple[Mention, ...]:
    """Mentions with day and order where a visit of the route stands at the same span."""
    stops = {visit.span: visit for visit in (route.visits if route else ())}
    return tuple(
        mention.model_copy(update={"day": stop.day, "order": stop.order})
        if (stop := stops.get(mention.span))
        else mention
        for mention in mentions
    )
