"""Recorded careful readings as answers to requests: whatever the prompt, whole or in parts."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from benchmarks.careful_answers import NoReading, emptiest
from extractors.hostile import guard_item
from extractors.llm import LLMSettings, TokenPrices
from extractors.llm.answers import answer_schema
from extractors.llm.engine import request_body
from extractors.passages import Passages, halves, join_outputs, lay_back, passages
from extractors.tasks import (
    TASKS,
    DocumentTask,
    FactExtraction,
    PoiExtraction,
    TrajectoryExtraction,
    Translation,
)
from schemas.document_reading import DocumentReading
from schemas.tasks import DocumentInput
from tests.support.extractors.contract_cases import CASES
from tests.support.extractors.reading_documents import document
from tests.support.sources.web.own.model import READINGS, answers
from tests.support.sources.web.own.texts import problems_of, texts

NO_MONEY = LLMSettings(
    model="m", prices=TokenPrices(usd_per_mtok_in=Decimal(0), usd_per_mtok_out=Decimal(0))
)


def asked(task: Any, item: DocumentInput, rules: str | None = None) -> dict[str, Any]:
    """A request as the engine sends it; ``rules``: other words before the document."""
    messages = task.prompt(item)
    if rules is not None:
        shown = messages[-1]["content"]
        messages = [{"role": "user", "content": f"{rules}\n{shown}\nNow answer."}]
    return request_body(NO_MONEY, task, item, messages)


def read(part: Passages, rules: str | None = None) -> DocumentReading:
    """What a document's task makes of the answer."""
    task = DocumentTask()
    found = task.check(part.item, task.parse(answers()(asked(task, part.item, rules)), part.item))
    output = lay_back(found.output, part)
    assert isinstance(output, DocumentReading)
    return output


def whole(name: str) -> Passages:
    """A page as it is asked about."""
    item = guard_item(DocumentInput(document=texts()[name]))
    return passages(item, item.document.blocks)


def held(reading: DocumentReading) -> tuple[set[str], list[str], int]:
    """Its places, its stops in order, and how many facts it has."""
    stops = [reading.place(stop.place).name for trip in reading.trips for _, _, stop in trip.stops]
    return {place.name for place in reading.places}, stops, len(reading.facts)


def test_every_page_has_a_reading_that_stands_in_it() -> None:
    assert problems_of(READINGS) == []
    for name in texts():
        assert read(whole(name)).doc_id == texts()[name].doc_id


@pytest.mark.parametrize("name", ["notes/12", "trips/h", "guide/yu", "lists/en/top"])
def test_another_prompt_has_the_same_answer(name: str) -> None:
    reading = read(whole(name))
    assert reading.places
    assert read(whole(name), "Say in French what you find.") == reading


@pytest.mark.parametrize("name", ["trips/b", "trips/d", "trips/e"])
def test_a_page_in_parts_says_what_the_whole_says(name: str) -> None:
    item = whole(name).item
    pieces = halves(DocumentTask.name, item)
    assert len(pieces) > 1
    found = join_outputs([read(piece) for piece in pieces], item.document.text)
    assert isinstance(found, DocumentReading)
    assert held(found) == held(read(whole(name)))


def test_the_three_requests_say_what_the_one_says() -> None:
    item = whole("trips/i").item
    said = [answers()(asked(task, item)) for task in (
        PoiExtraction(), TrajectoryExtraction(), FactExtraction(),
    )]  # fmt: skip
    places, stops, n_facts = held(read(whole("trips/i")))
    assert {row["name"] for row in said[0]["pois"]} | set(said[0]["decoys"]) == places
    assert [row["name"] for day in said[1]["days"] for row in day["visits"]] == stops
    assert len(said[2]["facts"]) == n_facts > 0


def test_a_document_that_nobody_read_is_an_error() -> None:
    with pytest.raises(NoReading, match="no careful reading"):
        answers()(
            asked(DocumentTask(), DocumentInput(document=document("# 别处\n没有人读过。", "zh")))
        )


def test_names_are_translated_as_readers_know_them() -> None:
    task, shown = Translation(), "Names of places in Shaoxing\n1. 三味书屋\n2. 无名亭"
    body = {
        "messages": [{"role": "user", "content": shown}],
        "response_format": {"json_schema": {"name": task.name, "schema": {}}},
    }
    known, unknown = answers()(body)["texts"]
    assert known["translation"]
    assert unknown["translation"] is None


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_of_any_other_task_nothing_is_known(task: Any) -> None:
    item = CASES[task.name].item if task.name in CASES else whole("notes/01").item
    answer = emptiest(answer_schema(task, item))
    assert isinstance(answer, dict)
    assert all(not value or isinstance(value, str) for value in answer.values())
