"""The typed tasks: on documents, on places and routes, on lists of names, on queries."""

from __future__ import annotations

from typing import Any

from extractors.tasks.document_task import DocumentTask
from extractors.tasks.fact_extraction import FactExtraction
from extractors.tasks.name_tasks import (
    AttractionClassification,
    PoiPurification,
    PopularityRanking,
    Translation,
)
from extractors.tasks.outputs import FactReading, PoiReading, RouteReading
from extractors.tasks.place_tasks import (
    ConsistencyJudgement,
    ContextTagging,
    TrajectoryDenoising,
)
from extractors.tasks.poi_extraction import PoiExtraction
from extractors.tasks.poi_review import PoiReview
from extractors.tasks.query_rewording import QueryRewording
from extractors.tasks.query_tasks import QueryStandard, QueryWriting, SubQueryRewriting
from extractors.tasks.trajectory_extraction import TrajectoryExtraction
from schemas.tasks import Task

#: Every task, in the order of the pipeline.
TASKS: tuple[Task[Any, Any], ...] = (
    QueryStandard(), QueryWriting(), QueryRewording(), SubQueryRewriting(), DocumentTask(),
    PoiExtraction(), PoiReview(), PoiPurification(), ContextTagging(), TrajectoryExtraction(), FactExtraction(),
    TrajectoryDenoising(), AttractionClassification(), ConsistencyJudgement(),
    PopularityRanking(), Translation(),
)  # fmt: skip

#: Names of the tasks that are answered with one word, and its probability where it is told.
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
    "PoiExtraction",
    "PoiPurification",
    "PoiReading",
    "PoiReview",
    "PopularityRanking",
    "QueryRewording",
    "QueryStandard",
    "QueryWriting",
    "RouteReading",
    "SubQueryRewriting",
    "TrajectoryDenoising",
    "TrajectoryExtraction",
    "Translation",
]
