"""A long document is read in overlapping parts and joined; a plan and its diary are one trip."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from extractors.joining import join_readings
from extractors.journeys import one_journey, stops_at_sights
from extractors.passages import OVERLAP, halves, join_outputs, lay_back, nothing, parts
from extractors.tasks import DocumentTask
from schemas.document_reading import DocumentReading
from schemas.reading import Span
from schemas.tasks import DocumentInput
from tests.support.extractors.reading_documents import document

FILLING = "路上走走停停，看了看风景，聊了聊天。" * 6
LONG = "\n".join(
    [
        "# 云州五日",
        "## 第一天",
        "去了松风寺。",
        *[FILLING] * 6,
        "## 第二天",
        "去了镜湖公园，门票15元。",
        "又去了沉星塔。",
        *[FILLING] * 6,
        "## 第三天",
        "再看松风寺，最后去白石街。",
    ]
)
PLACES = {"松风寺": 2, "镜湖公园": 1, "沉星塔": 1, "白石街": 1}


def item(text: str = LONG) -> DocumentInput:
    return DocumentInput(document=document(text))


def read_part(given: DocumentInput) -> DocumentReading:
    """What a careful reader of one part says: the names that it sees, day by day."""
    task, text = DocumentTask(), given.document.text
    seen = [name for name in PLACES if name in text]
    days: dict[str, list[int]] = {}
    day = ""
    for line in text.split("\n"):
        if line.startswith("第") and line.endswith("天"):
            day = line
        for n, name in enumerate(seen, 1):
            if name in line:
                days.setdefault(day, []).append(n)
    count = {"第一天": "1", "第二天": "2", "第三天": "3"}
    rows = [f"{count.get(d, '')}|{d}||{'>'.join(map(str, stops))}" for d, stops in days.items()]
    facts = [f"{n}|ticket_price|15||门票15元" for n, name in enumerate(seen, 1)
             if name == "镜湖公园" and "门票15元" in text]  # fmt: skip
    raw = {
        "kind": "diary" if seen else "other",
        "places": [f"{n}|{name}|visited" for n, name in enumerate(seen, 1)],
        "trips": [rows] if rows else [],
        "facts": facts,
    }
    return task.check(given, task.parse(raw, given)).output


def told(reading: DocumentReading) -> Any:
    names = {place.n: place.name for place in reading.places}
    return [[(day.label, [names[s.place] for s in day.stops]) for day in trip.days]
            for trip in reading.trips]  # fmt: skip


@pytest.mark.parametrize("most", [300, 450, 700, 1000])
def test_parts_joined_read_as_the_whole(most: int) -> None:
    whole, text = item(), item().document.text
    pieces = parts("document_reading", whole, most)
    assert len(pieces) > 1
    found = [lay_back(read_part(piece.item), piece) for piece in pieces]
    reading = join_outputs(found, text)
    assert isinstance(reading, DocumentReading)
    checked = DocumentTask().check(whole, reading)
    assert checked.ungrounded == ()
    expected = read_part(whole)
    assert told(checked.output) == told(expected)
    assert {p.name: len(p.spans) for p in checked.output.places} == PLACES
    assert len(checked.output.facts) == 1, "the same fact of two parts counts once"
    assert join_outputs(found, text) == reading


def test_parts_overlap_and_hold_everything_under_its_headings() -> None:
    whole = item()
    pieces = parts("document_reading", whole, 1200)
    texts = [piece.item.document.text for piece in pieces]
    for before, after in itertools.pairwise(texts):
        assert "云州五日" in after, "the title stands above every part"
        assert before.split("\n")[-1] in after.split("\n"), "the end of the part before"
    shared = sum(map(len, texts)) - len(whole.document.text)
    assert 0 < shared < len(texts) * (OVERLAP + 50)
    apart = parts("poi_extraction", whole, 1200)
    assert sum(len(p.item.document.text) + 1 for p in apart) - 1 == len(whole.document.text)


def test_a_part_maps_back_whatever_it_repeats() -> None:
    whole = item()
    for piece in [*parts("document_reading", whole, 500), *halves("document_reading", whole)]:
        text = piece.item.document.text
        for at in range(0, len(text) - 1, 7):
            back = piece.back(Span(start=at, end=at + 1))
            assert whole.document.text[back.start] == text[at]


def reading(*places: str, trips: list[Any] | None = None, kind: str = "diary") -> DocumentReading:
    given = item()
    raw = {"kind": kind, "places": list(places), "trips": trips or []}
    return DocumentTask().parse(raw, given)


def test_one_place_of_two_parts_has_its_fullest_name_and_strongest_role() -> None:
    first = reading("1|松风寺|recommended", "2|公园")
    second = reading("1|镜湖公园|visited||云州|公园", "2|松风寺|visited|||||去了松风寺|")
    found = join_readings([first, second], item().document.text)
    assert [(p.n, p.name, p.also, p.role) for p in found.places] == [
        (1, "松风寺", (), "visited"), (2, "镜湖公园", ("公园",), "visited"),
    ]  # fmt: skip


def test_a_short_form_alone_makes_no_two_places_one() -> None:
    first = reading("1|松风寺||||云州")
    second = reading("1|镜湖公园||||云州")
    assert len(join_readings([first, second], item().document.text).places) == 2


def test_days_that_begin_anew_are_another_journey() -> None:
    first = reading("1|松风寺", trips=[["1|||1", "2|||1"]])
    second = reading("1|白石街", trips=[["1|||1"]])
    assert len(join_readings([first, second], item().document.text).trips) == 2
    unsaid = reading("1|白石街", trips=[["|||1"]])
    (trip,) = join_readings([first, unsaid], item().document.text).trips
    assert [len(day.stops) for day in trip.days] == [1, 2], "it goes on with the last day"


def test_a_list_in_one_part_does_not_take_the_journey_of_another() -> None:
    diary = reading("1|松风寺|visited", trips=[["1|||1"]])
    rows = reading("1|白石街", kind="list")
    found = join_readings([rows, diary], item().document.text)
    assert (found.kind, len(found.trips)) == ("diary", 1)
    only = join_readings([rows, rows], item().document.text)
    assert (only.kind, len(only.places)) == ("list", 1)


def test_a_text_without_content_says_nothing() -> None:
    found = nothing(DocumentReading, item().document)
    assert found == DocumentReading(doc_id=item().document.doc_id, kind="other")


NAMES = ("1|松风寺|visited", "2|镜湖公园|visited", "3|沉星塔|mentioned", "4|白石街|rejected")


def test_a_plan_that_is_told_is_one_trip_and_the_diary_holds() -> None:
    found = one_journey(reading(*NAMES, trips=[["plan", "1|||1>2>3>4"], ["1|||2", "2|||1"]]))
    (trip,) = found.trips
    assert (trip.is_planned, [s.place for _, _, s in trip.stops]) == (False, [2, 1])
    roles = {p.name: p.role for p in found.places}
    assert roles["沉星塔"] == "planned", "what the diary does not confirm"
    assert roles["白石街"] == "rejected"
    assert one_journey(found) == found


def test_a_plan_of_another_journey_stays() -> None:
    other = reading(*NAMES, trips=[["plan", "1|||2>3>4"], ["1|||1"]])
    assert one_journey(other) == other
    only = reading(*NAMES, trips=[["plan", "1|||1>2"]])
    assert one_journey(only) == only
    assert json.loads(only.model_dump_json())["trips"][0]["is_planned"] is True


def test_a_stop_is_a_sight_and_what_is_none_is_told() -> None:
    rows = [
        "1|云州|visited|area",
        "2|松风寺|visited||云州",
        "3|白石街|visited|area|云州",
        "4|松鹤楼|visited|food",
        "5|旧书铺|visited|shop",
        "6|云州站||station",
    ]
    text = "到云州站，松风寺、白石街、旧书铺都在云州，松鹤楼吃饭。"
    given = item(text)
    raw = {"kind": "diary", "places": rows, "trips": [["1|||6>1>2>3>4", "2|||4"], ["1|||3"]]}
    found = DocumentTask().parse(raw, given)
    kept, aside = stops_at_sights(found)
    assert told(kept) == [[(None, ["松风寺", "白石街"])], [(None, ["白石街"])]]
    assert [kept.place(n).what for n in (1, 3, 4, 5)] == ["area", "sight", "food", "shop"]
    assert [gap.what for gap in aside] == ["stop at 云州", "stop at 松鹤楼", "stop at 云州站"]
    assert "region" in aside[0].why
    assert stops_at_sights(kept) == (kept, ())
