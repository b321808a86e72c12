"""One request for a document, against an endpoint that misbehaves by script."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from extractors.llm import OpenAIEngine, Unanswered
from extractors.read import read_by_one_request
from extractors.tasks import DocumentTask
from schemas.document_reading import DocumentReading
from schemas.documents import Document
from schemas.tasks import DocumentInput
from tests.support.extractors.llm.fixtures import document
from tests.support.extractors.llm.server import Endpoint, Step, completion

Make = Callable[..., OpenAIEngine]
RIGHT: dict[str, Any] = {
    "kind": "route",
    "days": 2,
    "departure": "",
    "places": [
        "1|青鹭寺|planned",
        "2|望潮阁|planned",
        "3|石门古街|planned",
        "4|老灯塔|rejected|||||在维修",
    ],
    "trips": [["plan", "1|第一天||1>2", "2|第二天||3"]],
    "facts": ["3|duration_hours|4||石门古街走半天"],
}
OLD = {"kind": "route", "cities": [], "days_stated": 2, "decoys": [],
       "pois": [{"name": "青鹭寺", "role": "visited", "parent": None, "reason": None}]}  # fmt: skip


def said(answer: Any, finish: str = "stop") -> Step:
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return completion(text, finish=finish)


def test_a_document_is_read_by_one_request(endpoint: Endpoint, engine_of: Make) -> None:
    endpoint.script = [said(RIGHT)]
    reading, aside = read_by_one_request(engine_of(), document())
    assert len(endpoint.bodies) == 1
    assert aside == ()
    assert [p.name for p in reading.places] == ["青鹭寺", "望潮阁", "石门古街", "老灯塔"]
    assert [(day, reading.place(s.place).name) for t in reading.trips for day, _, s in t.stops] == [
        (1, "青鹭寺"), (1, "望潮阁"), (2, "石门古街"),
    ]  # fmt: skip
    assert [(f.field, f.value) for f in reading.facts] == [("duration_hours", "4")]
    asked = json.dumps(endpoint.bodies[0]["messages"], ensure_ascii=False)
    assert "海棠湾" not in asked, "no city is part of the question"


@pytest.mark.parametrize(
    ("answer", "finish", "reason"),
    [
        (OLD, "stop", "wrong JSON"),
        (json.dumps(RIGHT)[:80], "length", "truncated"),
        ("I cannot help with that.", "stop", "broken JSON"),
        ("<html><body>502 Bad Gateway</body></html>", "stop", "broken JSON"),
        ({**RIGHT, "places": [f"{n}|青鹭寺" for n in range(1, 5001)]}, "stop", "wrong JSON"),
        ({**RIGHT, "places": ["1|碧云塔|visited"], "trips": [], "facts": []}, "stop", "ungrounded"),
    ],
)
def test_an_answer_that_is_none_is_said_and_mended_where_it_can_be(
    answer: Any, finish: str, reason: str, endpoint: Endpoint, engine_of: Make
) -> None:
    endpoint.otherwise = said(answer, finish)
    engine = engine_of()
    with pytest.raises(Unanswered) as failed:
        engine.run(DocumentTask(), document())
    assert failed.value.reason == reason
    reading, aside = read_by_one_request(engine, document())
    assert reading == DocumentReading(doc_id=document().document.doc_id, kind="other")
    assert [(gap.what, gap.why) for gap in aside] == [("document_reading", reason)]
    endpoint.script = [said(answer, finish), said(RIGHT)]
    mended, _ = read_by_one_request(engine, document(1))
    assert len(mended.places) == 4


def test_rows_without_sense_are_told_and_the_others_stand(
    endpoint: Endpoint, engine_of: Make
) -> None:
    bad = {**RIGHT, "places": [*RIGHT["places"], 7, "8|" + "寺" * 1_000_000],
           "trips": [["plan", "2|||3", "1|||1"]]}  # fmt: skip
    endpoint.script = [said(bad)]
    reading, aside = read_by_one_request(engine_of(), document())
    assert len(reading.places) == 4
    assert [(d.number, len(d.stops)) for t in reading.trips for d in t.days] == [(2, 1)]
    assert [gap.why for gap in aside] == [
        "not a line of text but int", "a name of 1,000,000 characters; 120 are the most",
        "day 1 after day 2: days run backwards",
    ]  # fmt: skip


class ByParts(Endpoint):
    """Answers each part of a document with the names that it shows."""

    def next_step(self, body: dict[str, Any], key: str | None) -> Step:
        """Places and a day of the names that stand in the request."""
        with self.lock:
            self.bodies.append(body)
        shown = body["messages"][-1]["content"]
        names = [name for name in ("青鹭寺", "石门古街") if name in shown]
        rows = [f"{n}|{name}|visited" for n, name in enumerate(names, 1)]
        trips = [["|||" + ">".join(str(n) for n in range(1, len(names) + 1))]] if names else []
        kind = "diary" if names else "other"
        return said({"kind": kind, "places": rows, "trips": trips, "facts": []})


def test_a_long_document_is_read_in_parts_and_handed_out_as_one(engine_of: Make) -> None:
    from tests.support.extractors.llm.server import serving

    blocks = [("title", 1, "长路", False), ("paragraph", 0, "先到青鹭寺。", False)]
    blocks += [("paragraph", 0, "一路看山看水，走走停停。" * 40, False)] * 30
    blocks += [("paragraph", 0, "最后到石门古街，想起青鹭寺。", False)]
    whole = Document.from_texts("long", "long.md", blocks, lang="zh")  # type: ignore[arg-type]
    server = ByParts()
    with serving(server):
        engine = engine_of(base_url=server.base_url)
        reading, aside = read_by_one_request(engine, DocumentInput(document=whole))
    assert len(server.bodies) >= 2
    assert aside == ()
    assert {p.name: len(p.spans) for p in reading.places} == {"青鹭寺": 2, "石门古街": 1}
    assert [(day, reading.place(s.place).name) for t in reading.trips for day, _, s in t.stops] == [
        (1, "青鹭寺"), (1, "石门古街"),
    ]  # fmt: skip
