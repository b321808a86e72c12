"""The deterministic engine: the document tasks by rules, without network or key."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import cast

from extractors.hostile import guarded
from extractors.rules.gazetteer import Gazetteers
from extractors.rules.scan import Scan, scan
from extractors.rules.task_answers import ANSWERS
from extractors.tasks import FactReading, PoiReading, RouteReading
from schemas.documents import Document
from schemas.tasks import DocumentInput, Grounded, In, Out, Task

#: Scans kept, so that the tasks on one document share one.
_KEPT = 64


class RulesEngine:
    """Carries out every task by rules. Safe to share by threads."""

    name = "rules"

    def __init__(self) -> None:
        self._gazetteers = Gazetteers()
        self._scans: OrderedDict[tuple[str, str, int], tuple[Document, Scan]] = OrderedDict()
        self._lock = Lock()

    def run(self, task: Task[In, Out], item: In) -> Grounded[Out]:
        """Answer one item; raises LookupError for a task that rules cannot do."""
        if task.name in ANSWERS:
            return task.check(item, cast("Out", ANSWERS[task.name](item)))
        if task.name not in _ANSWERS:
            raise LookupError(f"the rules engine does not know the task {task.name!r}")
        safe = guarded(cast("DocumentInput", item))
        found = self._scan(safe)
        return task.check(cast("In", safe), cast("Out", _ANSWERS[task.name](found)))

    def _scan(self, item: DocumentInput) -> Scan:
        with self._lock:
            gazetteer = self._gazetteers.get(item.gazetteer)
            document = item.document
            key = (document.doc_id, document.path, gazetteer.serial)
            held = self._scans.get(key)
            if held is None or held[0] != document:
                held = (document, scan(item, gazetteer))
                self._scans[key] = held
            self._scans.move_to_end(key)
            while len(self._scans) > _KEPT:
                self._scans.popitem(last=False)
        return held[1]


def _pois(found: Scan) -> PoiReading:
    return PoiReading(
        kind=found.kind,
        cities=found.cities,
        days_stated=found.days_stated,
        mentions=found.mentions,
        decoys=found.decoys,
    )


def _route(found: Scan) -> RouteReading:
    return RouteReading(route=found.route, reason=found.no_route)


def _facts(found: Scan) -> FactReading:
    return FactReading(facts=found.facts)


_ANSWERS = {
    "poi_extraction": _pois,
    "trajectory_extraction": _route,
    "fact_extraction": _facts,
}
