"""What stands in for a model's answer, and what an estimate says of sharing."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractors.llm import Ledger, LLMSettings, TokenPrices
from extractors.llm.accounts import Figures
from extractors.read import TASK_NAMES, read_in_one_form
from extractors.rules import RulesEngine
from extractors.tasks import TASKS, DocumentTask, PoiExtraction
from flows.models.counting import CountingEngine
from flows.models.stand_ins import raw_answer, stand_in
from flows.pipeline.estimate import AIM_TOKENS, Estimate
from schemas.tasks import DocumentInput
from tests.support.extractors.contract_cases import BY_NAME, CASES
from tests.support.extractors.reading_documents import document

PAGE = """# 云州两日
## 第一天
上午游览松风寺，门票：成人60元，学生票30元。下午逛镜水湖公园。
## 第二天
参观青石博物馆，松风寺和青石博物馆联票80元，每周一闭馆（节假日除外）。"""
PRICES = TokenPrices.model_validate({"usd_per_mtok_in": 1, "usd_per_mtok_out": 2})
SETTINGS = LLMSettings(base_url="http://127.0.0.1:9/v1", model="m", prices=PRICES)


@pytest.mark.parametrize("name", sorted(task.name for task in TASKS))
def test_an_answer_stands_in_for_every_task_in_its_form(name: str) -> None:
    task, item = BY_NAME[name], CASES[name].item
    answer = stand_in(task, item)
    assert answer != ""
    raw = {"word": answer} if isinstance(answer, str) else answer
    assert isinstance(task.parse(raw, item), task.output_model)


def test_requests_are_counted_once_and_sent_nowhere(tmp_path: Path) -> None:
    item = DocumentInput(document=document(PAGE))
    engine = CountingEngine(SETTINGS, Ledger(tmp_path / "counted.sqlite"))
    first = engine.run(PoiExtraction(), item)
    assert {mention.name for mention in first.output.mentions} >= {"松风寺", "青石博物馆"}
    assert engine.run(PoiExtraction(), item) == first
    figures = engine.tallies["poi_extraction"].spent
    assert figures.requests == 1
    assert figures.micro_usd == figures.tokens_in + 2 * figures.tokens_out > 0
    held = CountingEngine(
        SETTINGS, Ledger(tmp_path / "again.sqlite"), Ledger(tmp_path / "counted.sqlite")
    )
    assert held.run(PoiExtraction(), item) == first
    assert held.tallies == {}, "what the ledger holds costs nothing"


def test_what_sharing_holds_the_aim() -> None:
    found = Estimate(
        {"document_reading": Figures(10, 20_000, 10_000), "translation": Figures(2, 8_000, 2_000)},
        queries=5, documents=10, pairs=50, used=10,
    )  # fmt: skip
    assert "document_reading" in TASK_NAMES
    assert (found.tokens_a_document, found.sharing) == (3_000, 5)
    assert found.tokens_a_query(5) == found.tokens / 5 == 8_000
    assert found.tokens_a_query(1) == 32_000
    least = found.least_sharing()
    assert least == pytest.approx(30_000 / (AIM_TOKENS - 2_000), abs=0.1)


def test_a_reading_written_as_an_answer_comes_back() -> None:
    page = document(PAGE)
    item, task = DocumentInput(document=page), DocumentTask()
    reading, _ = read_in_one_form(RulesEngine(), item)
    back = task.check(item, task.parse(raw_answer(reading, page), item))
    assert back.ungrounded == ()
    told = [
        [
            (
                [(place.name, place.role, place.what) for place in r.places],
                [[(d.number, [s.place for s in d.stops]) for d in t.days] for t in r.trips],
                [
                    (f.place, f.value, f.audience, f.valid_when, f.condition, f.with_places)
                    for f in r.facts
                ],
            )
        ]
        for r in (reading, back.output)
    ]
    assert told[0] == told[1]
    assert {f.audience for f in reading.facts} >= {"adult", "student"}
