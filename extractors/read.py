"""Reads sights, routes and facts in documents with any engine, by three tasks or by one request."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from extractors.journeys import one_journey, stops_at_sights
from extractors.one_form import to_one_form
from extractors.rules.gloss import structure_languages
from extractors.tasks import DocumentTask, FactExtraction, PoiExtraction, TrajectoryExtraction
from extractors.tasks.reading_tasks import FactReading, PoiReading, RouteReading
from schemas.document_reading import DocumentReading
from schemas.documents import LANGUAGE_NAMES, Document
from schemas.tasks import DocumentInput, Engine, Grounded, Out, Task, Unanswered, Ungrounded

R = TypeVar("R")
#: Raised when the rules change what they read: readings of earlier versions are not reused.
RULES_VERSION = 28
#: Languages that the rules read; a model reads any language.
RULES_LANGUAGES = frozenset({"zh", "en"})
#: In these languages, the rules read only tables, schedules, headings of days and page data.
STRUCTURE_LANGUAGES = structure_languages()
#: Engines whose readings come from rules, so that the measured precision of the rules applies.
BY_RULES = frozenset({"rules", "cascade"})
_THREE = (PoiExtraction(), TrajectoryExtraction(), FactExtraction())
_ONE = (DocumentTask(),)

#: A set-aside item with one of these names means that a whole task has no usable answer.
TASK_NAMES = frozenset(task.name for task in (*_THREE, *_ONE))


def unread_why(document: Document) -> str:
    """Return the reason why the rules cannot read a document in this language, and what to do about
    it.
    """
    language = LANGUAGE_NAMES[document.lang]
    beyond = (
        " except for tables, days and names from tables, and it contains none of these"
        if document.lang in STRUCTURE_LANGUAGES
        else ""
    )
    return (
        f"in {language}, which no rule reads{beyond}: read it with a model (--engine openai), or "
        "supply a reading of it (--readings)"
    )


def is_unread(document: Document, reading: DocumentReading) -> bool:
    """Check whether only the structure of a document was read and no place was found."""
    return document.lang in STRUCTURE_LANGUAGES and not reading.places


def reading_version(*, by_one_request: bool = False) -> str:
    """Return the versions of the rules and tasks; readings made with other versions are not
    reused.
    """
    tasks: tuple[Task[Any, Any], ...] = _ONE if by_one_request else _THREE
    return f"v{RULES_VERSION} " + " ".join(f"{task.name} v{task.version}" for task in tasks)


def is_unanswered(aside: Iterable[Ungrounded]) -> bool:
    """Check whether any task received no usable answer at all; another attempt may succeed."""
    return any(part.what in TASK_NAMES for part in aside)


def read_in_one_form(
    engine: Engine, item: DocumentInput
) -> tuple[DocumentReading, tuple[Ungrounded, ...]]:
    """Return an engine's reading of a document, and the claims for which there is no evidence.

    If a task has no answer, the task is listed with the claims that lack evidence, and the answers
    to all other tasks are kept.
    """
    pois = _run(engine, PoiExtraction(), item, PoiReading(kind="none"))
    route = _run(engine, TrajectoryExtraction(), item, RouteReading())
    facts = _run(engine, FactExtraction(), item, FactReading())
    reading = to_one_form(item.document, pois.output, route.output, facts.output)
    return reading, (*pois.ungrounded, *route.ungrounded, *facts.ungrounded)


def read_by_one_request(
    engine: Engine, item: DocumentInput
) -> tuple[DocumentReading, tuple[Ungrounded, ...]]:
    """Return an engine's reading from one combined request, and the claims for which there is no
    evidence.

    If there is no usable answer, the reading is empty, and the reason is listed with the claims
    that lack evidence.
    """
    nothing = DocumentReading(doc_id=item.document.doc_id, kind="other")
    answer = _run(engine, DocumentTask(), item, nothing)
    reading, aside = stops_at_sights(one_journey(answer.output))
    return reading, (*answer.ungrounded, *aside)


Read = Callable[[Engine, DocumentInput], tuple[R, tuple[Ungrounded, ...]]]


def read_all(
    engine: Engine, items: Iterable[DocumentInput], read: Read[R]
) -> Iterator[tuple[DocumentInput, R, tuple[Ungrounded, ...]]]:
    """Read many documents in order; the engine determines how many are read at once."""
    if getattr(engine, "uses_batches", False):
        items = list(items)
        tasks: tuple[Task[Any, Any], ...] = _ONE if read is read_by_one_request else _THREE
        engine.prefetch([(task, item) for item in items for task in tasks])  # type: ignore[attr-defined]  # engines that use batches have it
    workers = int(getattr(engine, "concurrency", 1))
    if workers < 2:
        for item in items:
            yield (item, *read(engine, item))
        return
    waiting: deque[tuple[DocumentInput, Future[tuple[R, tuple[Ungrounded, ...]]]]] = deque()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="reading")
    try:
        for item in items:
            waiting.append((item, pool.submit(read, engine, item)))
            if len(waiting) >= 2 * workers:
                first, future = waiting.popleft()
                yield (first, *future.result())
        while waiting:
            first, future = waiting.popleft()
            yield (first, *future.result())
    finally:
        pool.shutdown(cancel_futures=True)


def _run(
    engine: Engine, task: Task[DocumentInput, Out], item: DocumentInput, nothing: Out
) -> Grounded[Out]:
    try:
        return engine.run(task, item)
    except Unanswered as error:
        return Grounded(output=nothing, ungrounded=(Ungrounded(what=task.name, why=error.reason),))
