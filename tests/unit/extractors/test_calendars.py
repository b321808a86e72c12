"""What there is on each weekday is no journey of a week."""

from __future__ import annotations

import pytest

from extractors.journeys import without_calendars
from schemas.document_reading import DocumentReading
from schemas.reading import Span


def _week(*labels: str) -> DocumentReading:
    span = {"start": 0, "end": 4}
    place = {"n": 1, "name": "Cove", "spans": [span], "what": "sight", "role": "planned"}
    days = [
        {"label": label, "stops": [{"place": 1, "span": Span(start=0, end=4)}]} for label in labels
    ]
    return DocumentReading.model_validate(
        {
            "doc_id": "d1",
            "kind": "guide",
            "places": [place],
            "trips": [{"days": days, "is_planned": True}],
        }
    )


@pytest.mark.parametrize(
    ("title", "labels", "kept"),
    [
        ("What's on which day", ("Monday", "Tuesday", "Sunday"), 0),
        ("Each day of the week in Larkhaven", ("Monday:", "Friday:"), 0),
        ("A week in Larkhaven", ("Monday", "Tuesday"), 1),
        ("What we did each day", ("Day 1", "Day 2"), 1),
    ],
)
def test_a_calendar_of_weekdays_is_no_trip(title: str, labels: tuple[str, ...], kept: int) -> None:
    reading, aside = without_calendars(title, _week(*labels))
    assert len(reading.trips) == kept
    assert len(aside) == 1 - kept
