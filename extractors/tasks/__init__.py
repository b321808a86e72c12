"""The typed tasks on documents: POIs, trajectory, facts."""

from __future__ import annotations

from extractors.tasks.fact_extraction import FactExtraction
from extractors.tasks.outputs import FactReading, PoiReading, RouteReading
from extractors.tasks.poi_extraction import PoiExtraction
from extractors.tasks.trajectory_extraction import TrajectoryExtraction

__all__ = [
    "FactExtraction",
    "FactReading",
    "PoiExtraction",
    "PoiReading",
    "RouteReading",
    "TrajectoryExtraction",
]
