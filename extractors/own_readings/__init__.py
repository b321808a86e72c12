"""Readings that a user supplies in a JSON Lines file, instead of readings by an engine.

``file`` finds the lines and their documents, ``forms`` parses the two accepted forms, and
``ground`` looks up the names in the documents. Each part that cannot be used is refused
individually, with advice on how to fix it. Refused parts are counted too, so that given = kept +
set aside.
"""

from __future__ import annotations

from extractors.own_readings.file import (
    Assigned,
    LineProblem,
    OwnReadings,
    ReadingsError,
    lines_of_pages,
    read_file,
)
from extractors.own_readings.given import LineTally, SetAside
from extractors.own_readings.ground import OwnReading
from extractors.own_readings.written import write_reading

__all__ = [
    "Assigned",
    "LineProblem",
    "LineTally",
    "OwnReading",
    "OwnReadings",
    "ReadingsError",
    "SetAside",
    "lines_of_pages",
    "read_file",
    "write_reading",
]
