"""The estimate prices what a build would send: one request a document, or three."""

from __future__ import annotations

import pytest

from extractors.read import read_in_one_form
from extractors.rules import RulesEngine
from extractors.tasks import DocumentTask
from flows.models.estimate import AIM_TOKENS, plan
from flows.models.raw_answers import raw_answer
from flows.models.recorded import RECORDED_SHARING, recorded_costs
from flows.models.request_costs import counted, document_tasks
from flows.settings.profile import load_profile
from schemas.tasks import DocumentInput
from tests.support.extractors.reading_documents import document

PAGE = """# 云州两日
## 第一天
上午游览松风寺，门票：成人60元，学生票30元。下午逛镜水湖公园。
## 第二天
参观青石博物馆，松风寺和青石博物馆联票80元，每周一闭馆（节假日除外）。"""


@pytest.mark.parametrize("by_one_request", [False, True])
def test_the_tasks_of_a_build_are_priced(by_one_request: bool) -> None:
    asked = document_tasks(by_one_request=by_one_request)
    found = counted(lambda: [document(PAGE)], by_one_request=by_one_request)
    assert {task for task in found.costs if task.endswith(("_extraction", "_reading"))} == {*asked}
    assert sum(found.costs[task].requests for task in asked) == len(asked)
    taken = sum(found.costs[task].tokens_in + found.costs[task].tokens_out for task in asked)
    assert found.documents.mean == pytest.approx(taken, abs=0.1)
    recorded = recorded_costs(by_one_request=by_one_request)
    lines = plan(load_profile("tprag-full"), RECORDED_SHARING, recorded.costs, asked)
    assert [line.task for line in lines][: len(asked)] == list(asked)
    assert sum(line.tokens_in + line.tokens_out for line in lines) <= AIM_TOKENS


def test_one_request_takes_at_most_half_of_three() -> None:
    one, three = (recorded_costs(by_one_request=is_one).documents for is_one in (True, False))
    assert one.mean <= three.mean / 2


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
                [(f.place, f.value, f.audience, f.valid_when, f.condition, f.with_places) for f in r.facts],
            )
        ]
        for r in (reading, back.output)
    ]  # fmt: skip
    assert told[0] == told[1]
    assert {f.audience for f in reading.facts} >= {"adult", "student"}
