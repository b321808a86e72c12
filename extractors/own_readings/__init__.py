"""Readings that a user brings: a file of JSON lines in the place of an engine.

``file`` finds the lines and which document each is of, ``forms`` takes the two accepted forms
apart, ``ground`` looks their names up in the document. What can't be used is refused piece by
piece, told with what to do, and counted: given = kept + set aside.
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
