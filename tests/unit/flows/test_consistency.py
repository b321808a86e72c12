"""Whether a document serves a wish whose words it has: asked of a model, once for all queries."""

from __future__ import annotations

from typing import Any

import pytest

from extractors.tasks.consistency import ConsistencyJudgement, Recalled
from flows.pipeline.stages import base, consistency
from flows.pipeline.stages.base import Inputs, Job
from flows.settings.profile import load_profile
from queries.contexts import context_hits
from schemas.cities import find_city
from schemas.tasks import Grounded, Unanswered
from tests.support.extractors.reading_documents import document

PAGE = document("杭州春游\n春天的湖边，春天的花。\n情侣路上有情侣石。\n秋天没有来过。", "zh")


class Model:
    """A model that takes couples' road for no couple, or has no answer."""

    name = "openai"

    def __init__(self, *, silent: bool = False) -> None:
        self.silent, self.asked = silent, list[Recalled]()

    def run(self, task: Any, item: Recalled) -> Grounded[Any]:
        self.asked.append(item)
        if self.silent:
            raise Unanswered("no answer")
        fits = [
            {"number": n, "fits": wish.code != "couple"} for n, wish in enumerate(item.wishes, 1)
        ]
        judging = ConsistencyJudgement()
        return judging.check(item, judging.parse({"wishes": fits}, item))


def judged(
    monkeypatch: pytest.MonkeyPatch, model: Model, engine: str = "openai"
) -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = {
        "contexts": [{"doc_id": PAGE.doc_id, **vars(hit)} for hit in context_hits(PAGE)],
        "names": [],
        "unanswered": [],
    }
    monkeypatch.setattr(base, "engine_named", lambda *_: model)
    inputs = Inputs((find_city("hangzhou"),), load_profile("folder"), engine=engine)
    consistency.judge(Job(inputs, None, "00"), [PAGE], rows)
    return rows


def test_words_of_a_wish_that_the_text_does_not_serve_count_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = Model()
    rows = judged(monkeypatch, model)
    assert {(row["code"], row["weight"] > 0) for row in rows["contexts"]} == {
        ("spring", True), ("couple", False), ("autumn", True),
    }  # fmt: skip
    (item,) = model.asked
    assert [wish.code for wish in item.wishes] == ["spring", "couple"], "one word is no wish"
    assert any("情侣石" in passage for passage in item.wishes[1].passages)


def test_without_an_answer_the_rules_hold_and_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = judged(monkeypatch, Model(silent=True))
    assert all(row["weight"] for row in rows["contexts"])
    assert [(row["task"], row["message"]) for row in rows["unanswered"]] == [
        ("consistency_judgement", "no answer")
    ]


def test_the_rules_ask_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model()
    judged(monkeypatch, model, engine="rules")
    assert model.asked == []


def test_words_within_the_name_of_a_place_are_no_wish() -> None:
    hits = [{"doc_id": PAGE.doc_id, **vars(hit)} for hit in context_hits(PAGE)]
    at = PAGE.text.index("情侣路")
    names = [{"start": at, "end": at + 3}]
    item = consistency.recall_wishes(PAGE, hits, names, 2)
    assert item is not None
    assert "couple" not in {wish.code for wish in item.wishes}
