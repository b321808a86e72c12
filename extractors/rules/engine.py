"""The deterministic engine, which carries out all tasks by rules, without a network or a key."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter
from threading import Lock
from typing import cast

from extractors.hostile import guard_item
from extractors.rules.answers import ANSWERS
from extractors.rules.common.gazetteer import Gazetteers
from extractors.rules.gloss import Gloss, structure_languages
from extractors.rules.scan import ReaderJudgement, Scan, scan
from extractors.tasks import FactReading, PoiReading, RouteReading
from schemas.tasks import DocumentInput, Grounded, In, Out, Task

#: So many scans are kept, so that the tasks on one document share one scan.
_KEPT = 64
#: For each task, the part of a scan that answers it.
_ANSWERS: dict[str, Callable[[Scan], object]] = {
    "poi_extraction": attrgetter("pois"),
    "trajectory_extraction": attrgetter("route"),
    "fact_extraction": attrgetter("facts"),
}


class RulesEngine:
    """An engine that carries out every task by rules. Threads may share the engine."""

    name = "rules"

    def __init__(self) -> None:
        self._gazetteers = Gazetteers()
        self._scans = lru_cache(maxsize=_KEPT)(scan)
        self._glosses = lru_cache(maxsize=_KEPT)(Gloss)
        self._lock = Lock()

    def run(self, task: Task[In, Out], item: In) -> Grounded[Out]:
        """Process one item. Raises LookupError if the rules cannot do the task."""
        if task.name in ANSWERS:
            return task.check(item, cast("Out", ANSWERS[task.name](item)))
        if task.name not in _ANSWERS:
            raise LookupError(f"the rules engine cannot do the task {task.name!r}")
        return self._read(task, guard_item(cast("DocumentInput", item)), ReaderJudgement())

    def correct(
        self, task: Task[In, Out], item: DocumentInput, by: ReaderJudgement
    ) -> Grounded[Out]:
        """Process a document task using a different reader's judgement of the names in the
        document.
        """
        return self._read(task, guard_item(item), by)

    def _read(self, task: Task[In, Out], item: DocumentInput, by: ReaderJudgement) -> Grounded[Out]:
        if item.document.lang in structure_languages():
            return self._read_structure(task, item, by)
        found = self._scan(item, by)
        return task.check(cast("In", item), cast("Out", _ANSWERS[task.name](found)))

    def _read_structure(
        self, task: Task[In, Out], item: DocumentInput, by: ReaderJudgement
    ) -> Grounded[Out]:
        """Read only the structure of a document, and check the evidence in the document's
        translated form.
        """
        gloss = self._gloss(item)
        inner = item.model_copy(update={"document": gloss.document})
        found = self._scan(inner, by)
        checked = task.check(cast("In", inner), cast("Out", _ANSWERS[task.name](found)))
        read: object = checked.output
        if isinstance(read, PoiReading):
            read = gloss.places(read)
        elif isinstance(read, RouteReading):
            read = gloss.route(read)
        elif isinstance(read, FactReading):
            read = gloss.facts(read, found.pois)
        return Grounded(output=cast("Out", read), ungrounded=checked.ungrounded)

    def _gloss(self, item: DocumentInput) -> Gloss:
        """Return the document with its structural words translated into English; all three tasks
        share it.
        """
        with self._lock:
            return self._glosses(item.document, self._gazetteers.get(item.gazetteer))

    def _scan(self, item: DocumentInput, by: ReaderJudgement) -> Scan:
        with self._lock:
            return self._scans(item.document, self._gazetteers.get(item.gazetteer), by)
