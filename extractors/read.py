"""Read one document with any engine: the three document tasks, put together."""

from __future__ import annotations

from extractors.tasks import FactExtraction, PoiExtraction, TrajectoryExtraction
from extractors.tasks.outputs import FactReading, PoiReading, RouteReading
from schemas.reading import Mention, Reading, Route
from schemas.tasks import DocumentInput, Engine, Grounded, Out, Task, Unanswered, Ungrounded


def read_document(engine: Engine, item: DocumentInput) -> tuple[Reading, tuple[Ungrounded, ...]]:
    """Everything an engine reads in a document, and what it claimed without evidence.

    A task that stays unanswered is named among the latter; the other tasks' answers stand.
    """
    pois = _run(engine, PoiExtraction(), item, PoiReading(kind="none"))
    route = _run(engine, TrajectoryExtraction(), item, RouteReading())
    facts = _run(engine, FactExtraction(), item, FactReading())
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


def _run(
    engine: Engine, task: Task[DocumentInput, Out], item: DocumentInput, nothing: Out
) -> Grounded[Out]:
    try:
        return engine.run(task, item)
    except Unanswered as error:
        return Grounded(output=nothing, ungrounded=(Ungrounded(what=task.name, why=error.reason),))


def _with_stops(mentions: tuple[Mention, ...], route: Route | None) -> tuple[Mention, ...]:
    """Mentions with day and order where a visit of the route stands at the same span."""
    stops = {visit.span: visit for visit in (route.visits if route else ())}
    return tuple(
        mention.model_copy(update={"day": stop.day, "order": stop.order})
        if (stop := stops.get(mention.span))
        else mention
        for mention in mentions
    )
