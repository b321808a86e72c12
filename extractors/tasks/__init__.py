"""The typed tasks for documents, places, routes, lists of names, and queries."""

from __future__ import annotations

from typing import Any

from extractors.tasks.consistency import ConsistencyJudgement
from extractors.tasks.document_task import DocumentTask
from extractors.tasks.name_reviews import LinkReview, PoiReview
from extractors.tasks.name_tasks import (
    AttractionClassification,
    Translation,
)
from extractors.tasks.pair_judgement import PairJudgement
from extractors.tasks.place_tasks import ContextTagging
from extractors.tasks.query_reading import QueryReading
from extractors.tasks.query_tasks import QueryRewording, SubQueryRewriting
from extractors.tasks.reading_tasks import (
    FactExtraction,
    FactReading,
    PoiExtraction,
    PoiReading,
    RouteReading,
    TrajectoryExtraction,
)
from schemas.tasks import Task

#: All tasks, in the order of the pipeline.
TASKS: tuple[Task[Any, Any], ...] = (
    QueryReading(),
    QueryRewording(),
    SubQueryRewriting(),
    DocumentTask(),
    PoiExtraction(),
    PoiReview(),
    TrajectoryExtraction(),
    FactExtraction(),
    ConsistencyJudgement(),
    LinkReview(),
    PairJudgement(),
    AttractionClassification(),
    Translation(),
    ContextTagging(),
)

#: Names of the tasks with one-word answers, which may come with probabilities.
ONE_WORD = frozenset(task.name for task in TASKS if getattr(task, "one_word", False))

__all__ = [
    "ONE_WORD",
    "TASKS",
    "AttractionClassification",
    "ConsistencyJudgement",
    "ContextTagging",
    "DocumentTask",
    "FactExtraction",
    "FactReading",
    "LinkReview",
    "PairJudgement",
    "PoiExtraction",
    "PoiReading",
    "PoiReview",
    "QueryReading",
    "QueryRewording",
    "RouteReading",
    "SubQueryRewriting",
    "TrajectoryExtraction",
    "Translation",
]
