"""What a file gives stands in the reading, with spans: in small, and on the labelled documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from extractors.own_readings import OwnReading, read_file
from extractors.own_readings.written import write_reading
from schemas.document_reading import DocumentReading
from schemas.documents import Document
from sources.web.main_text import parse_document
from tests.support.extractors.reading_documents import document
from tests.unit.extractors.own_readings.test_bad_input import PAGE, file_of, line

#: Names and stops that stand in captions of pictures only, which are no text of a document.
CAPTIONS = {
    "gold_dev_zh.jsonl": (0, 0),
    "gold_dev_en.jsonl": (0, 0),
    "readings/careful.jsonl": (20, 3),
}


def test_a_name_stands_where_no_longer_name_does(tmp_path: Path) -> None:
    page = document("# 山\n香山公园很大。香山很高，香山公园门口有店。")
    rows = [{"name": "香山公园"}, {"name": "香山"}, {"name": "公园门口"}]
    (held,) = read_file(file_of(tmp_path, line(pois=rows))).lines
    park, hill, gate = held.read(page).reading.places
    assert [span.start for span in park.spans] == [2, 14]
    assert [span.start for span in hill.spans] == [9]
    assert [span.start for span in gate.spans] == [16]


def test_a_place_inside_longer_names_alone_keeps_its_spans(tmp_path: Path) -> None:
    page = document("# 山\n香山公园很大。")
    (held,) = read_file(
        file_of(tmp_path, line(pois=[{"name": "香山公园"}, {"name": "香山"}]))
    ).lines
    assert [len(place.spans) for place in held.read(page).reading.places] == [1, 1]


def test_stops_follow_the_text(tmp_path: Path) -> None:
    days = [
        {"label": "第一天", "stops": [1, 2]},
        {"label": "第二天", "stops": [1, 3, 2], "unordered": True},
    ]
    rows = [{"n": 1, "name": "白鹭公园"}, {"n": 2, "name": "青岩古镇"}, {"n": 3, "name": "云栖寺"}]
    row = {"doc": "lake.md", "places": rows, "trips": [{"days": days}]}
    (held,) = read_file(file_of(tmp_path, row)).lines
    first, second = held.read(PAGE).reading.trips[0].days
    text = PAGE.text
    starts = [[stop.span.start for stop in day.stops] for day in (first, second)]
    assert starts[0] == [text.index("白鹭公园"), text.index("青岩古镇")]
    # The old town is not named after the temple: its first place is taken.
    assert starts[1] == [text.rindex("白鹭公园"), text.index("云栖寺"), text.index("青岩古镇")]
    assert (first.is_ordered, second.is_ordered) == (True, False)


@pytest.mark.parametrize(
    ("value", "condition", "held"),
    [
        ("30", None, ("30", None, "always", None)),
        ("30 (Apr-Oct)", None, ("30", None, "Apr-Oct", None)),
        ("30 (学生, 旺季)", None, ("30", "student", "peak season", None)),
        ("30", "04-10", ("30", None, "Apr-Oct", None)),
        ("30", "fri, sat", ("30", None, "Fri, Sat", None)),
        ("30", "weekday, 4 hours", ("30", None, "weekday", "4 hours")),
        ("30", "child, student", ("30", None, "always", "child, student")),
        ("30", "park only", ("30", None, "always", "park only")),
    ],
)
def test_a_condition_is_never_made_general(
    tmp_path: Path, value: str, condition: str | None, held: tuple[Any, ...]
) -> None:
    fact = {
        "poi": "白鹭公园",
        "field": "ticket_price_cny",
        "value": value,
        "evidence": "门票 30 元",
    }
    row = line(facts=[{**fact, "condition": condition}])
    (found,) = read_file(file_of(tmp_path, row)).lines[0].read(PAGE).reading.facts
    assert (found.value, found.audience, found.valid_when, found.condition) == held
    assert [PAGE.text[span.start : span.end] for span in found.spans] == ["门票 30 元"]


def test_a_quote_may_have_the_marks_of_the_file(tmp_path: Path) -> None:
    page = document("# 表\n塔 | 20 | 9:00-17:00\n别处：[塔]")
    fact = {"n": 1, "field": "ticket_price", "value": "20 CNY", "evidence": "- **塔** |20|"}
    row = {"doc": "page.md", "places": [{"n": 1, "name": "塔"}], "facts": [fact]}
    (found,) = read_file(file_of(tmp_path, row)).lines[0].read(page).reading.facts
    span = found.spans[0]
    assert (page.text[span.start : span.end], found.unit) == ("塔 | 20", "CNY")


def test_a_fact_away_from_its_name_has_the_name_before_it_too(tmp_path: Path) -> None:
    page = document("# 云栖寺\n门票 30 元")
    fact = {"poi": "云栖寺", "field": "ticket_price_cny", "value": "30", "evidence": "门票 30 元"}
    row = line(pois=[{"name": "云栖寺"}], facts=[fact])
    (found,) = read_file(file_of(tmp_path, row)).lines[0].read(page).reading.facts
    assert [page.text[span.start : span.end] for span in found.spans] == ["门票 30 元", "云栖寺"]


@pytest.mark.parametrize("name", sorted(CAPTIONS))
def test_labelled_documents_come_back(shared: Path, tmp_path: Path, name: str) -> None:
    places, stops = CAPTIONS[name]
    file = read_file(shared / "data" / name)
    assert not file.problems
    rows = [json.loads(raw) for raw in (shared / "data" / name).read_text("utf-8").splitlines()]
    again = []
    for held, row in zip(file.lines, rows, strict=True):
        page = parse_document((shared / "data" / "docs" / held.doc).read_bytes(), held.doc)
        own = held.read(page)
        asides = [aside.part for aside in own.set_aside]
        places, stops = places - asides.count("place"), stops - asides.count("stop")
        assert "fact" not in asides
        _same(row, own, page)
        again.append((write_reading(own.reading, page), own.reading, page))
    assert (places, stops) == (0, 0)
    second = read_file(file_of(tmp_path, *(row for row, _, _ in again)))
    for held, (_, reading, page) in zip(second.lines, again, strict=True):
        assert _told(held.read(page).reading) == _told(reading)


def _same(row: dict[str, Any], own: OwnReading, page: Document) -> None:
    """Names, days and facts are those of the line; each span holds what it is of."""
    reading = own.reading
    given = {
        place.get("n", n): place for n, place in enumerate(row.get("pois", row.get("places")), 1)
    }
    lost = {n for n in given if n not in {place.n for place in reading.places}}
    for place in reading.places:
        # Where the name itself does not stand, another form does, which then is the name.
        unheard = {aside.what for aside in own.set_aside if aside.part == "remark"}
        name, also = given[place.n]["name"], given[place.n]["also"]
        assert place.name == name or (name in unheard and place.name in also)
    if "pois" in row:
        numbers = {place["standard"]: n for n, place in reversed(given.items())}
        days = [
            (day["day"], [numbers[name] for name in day["visits"]])
            for day in row["trajectory"] or ()
        ]
    else:
        days = [(None, day["stops"]) for trip in row["trips"] for day in trip["days"]]
    told = [
        (day.number, [stop.place for stop in day.stops])
        for trip in reading.trips
        for day in trip.days
        if day.stops
    ]
    wanted = [(number, [n for n in stops if n not in lost]) for number, stops in days]
    assert told == [day for day in wanted if day[1]]
    values = [fact["value"].partition(" (")[0] for fact in row["facts"]]
    assert [fact.value.partition(" (")[0] for fact in reading.facts] == values
    for place in reading.places:
        forms = {"".join(form.split()).casefold() for form in place.forms}
        for span in place.spans:
            assert page.text[span.start : span.end].strip()
        assert any(
            "".join(page.text[s.start : s.end].split()).casefold() in forms for s in place.spans
        )
    for trip in reading.trips:
        for _, _, stop in trip.stops:
            assert stop.span in reading.place(stop.place).spans


def _told(reading: DocumentReading) -> tuple[Any, ...]:
    """What must survive writing and reading again."""
    names = {place.n: place.name for place in reading.places}
    return (
        reading.kind,
        [(p.name, p.also, p.spans, p.role, p.what) for p in reading.places],
        [[names[s.place] for s in day.stops] for t in reading.trips for day in t.days if day.stops],
        [
            (names[f.place], f.field, f.value, f.audience, f.valid_when, f.spans[0])
            for f in reading.facts
        ],
    )
