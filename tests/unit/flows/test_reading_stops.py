"""Stops of a reading as rows: what rules cannot tell is left out of theirs, and of theirs only."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from extractors.rules.common.day_lines import tails_of_overviews
from flows.pipeline.stages.read import _collect
from schemas.document_reading import DayStop, DocumentReading, JourneyDay, NamedPlace, ReadJourney
from schemas.reading import Span
from sources.web.main_text import parse_document

STORY = "# 行程\n\nD1：城墙，古塔\n\nD2：湖心亭\n\n到了城墙，天色已晚。\n\n古塔也去了。\n"


@pytest.mark.parametrize(
    ("reader", "days"),
    [("rules", [1, 2]), ("cascade", [1, 2]), ("openai", [1, 2, 2]), ("own", [1, 2, 2])],
)
def test_what_follows_an_overview_is_of_no_day_by_rules(reader: str, days: list[int]) -> None:
    document = parse_document(STORY.encode(), "a.md")
    assert tails_of_overviews(document.text)
    spans = {name: _spans(document.text, name) for name in ("城墙", "湖心亭")}
    first, again = spans["城墙"]
    reading = DocumentReading(
        doc_id=document.doc_id,
        kind="diary",
        places=tuple(
            NamedPlace(n=n, name=name, spans=tuple(spans[name]), role="visited")
            for n, name in enumerate(spans, 1)
        ),
        trips=(
            ReadJourney(
                days=(
                    JourneyDay(number=1, stops=(DayStop(place=1, span=first),)),
                    JourneyDay(
                        number=2,
                        stops=(
                            DayStop(place=2, span=spans["湖心亭"][0]),
                            DayStop(place=1, span=again),
                        ),
                    ),
                )
            ),
        ),
    )
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    _collect(rows, document, reading, (), reader)
    assert [row["day"] for row in rows["stops"]] == days


def _spans(text: str, name: str) -> list[Span]:
    starts = [at for at in range(len(text)) if text.startswith(name, at)]
    return [Span(start=at, end=at + len(name)) for at in starts]
