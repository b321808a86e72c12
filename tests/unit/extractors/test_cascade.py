"""The cascade: what a model may change in the rules' answer, and what it may not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from extractors.cascade import Bars, CascadeEngine
from extractors.possible import possible_names
from extractors.rules import RulesEngine
from extractors.rules.scan import ReaderJudgement
from extractors.tasks import PoiExtraction, TrajectoryExtraction
from extractors.tasks.name_reviews import NameInput, Opinion
from schemas.reading import Span
from schemas.tasks import DocumentInput, Grounded, Unanswered
from tests.support.extractors.reading_documents import document

TEXT = """# 云州两日游
## 第一天
松风寺 → 半日闲 → 竹影公园
## 第二天
上午游览石门古街，晚上回家。
听鹂书舍"""
ITEM = DocumentInput(document=document(TEXT, "zh"))
#: A name that the rules take though its form does not speak for a sight, and one that they leave.
UNSURE, LEFT_OUT = "半日闲", "听鹂书舍"


class Reader:
    """A model that answers in odds, by a function of the name."""

    name = "openai"

    def __init__(self, odds: Callable[[str], float | None]):
        self.odds = odds
        self.asked: list[str] = []

    def run(self, task: Any, item: Any) -> Grounded[Any]:
        """Answer a question of one word."""
        if not isinstance(item, NameInput):
            raise Unanswered("empty")
        self.asked.append(item.name)
        odds = self.odds(item.name)
        if odds is None:
            raise Unanswered("timeout")
        return Grounded(output=Opinion(name=item.name, odds=odds))


def _engine(model: Reader) -> CascadeEngine:
    return CascadeEngine(RulesEngine(), model)


def _names(model: Reader) -> set[str]:
    return {m.name for m in _engine(model).run(PoiExtraction(), ITEM).output.mentions}


def _of_rules() -> set[str]:
    return {m.name for m in RulesEngine().run(PoiExtraction(), ITEM).output.mentions}


@pytest.mark.slow
def test_an_unsure_name_that_is_no_sight_falls_and_is_named_a_decoy() -> None:
    model = Reader(lambda name: -9.0 if name in (UNSURE, LEFT_OUT) else 9.0)
    output = _engine(model).run(PoiExtraction(), ITEM).output
    assert _of_rules() - {m.name for m in output.mentions} == {UNSURE}
    assert UNSURE in output.decoys


def test_a_name_that_the_rules_left_out_is_added_where_the_model_is_sure() -> None:
    assert LEFT_OUT not in _of_rules()
    found = _engine(Reader(lambda _name: 9.0)).run(PoiExtraction(), ITEM).output
    added = [m for m in found.mentions if m.name == LEFT_OUT]
    assert {m.role for m in added} <= {"visited", "recommended"}
    assert added
    assert LEFT_OUT not in _names(Reader(lambda name: -9.0))


def test_a_name_without_an_answer_stays_as_the_rules_have_it() -> None:
    model = Reader(lambda _name: None)
    answer = _engine(model).run(PoiExtraction(), ITEM)
    assert {m.name for m in answer.output.mentions} == _of_rules()
    assert {gap.why for gap in answer.ungrounded} == {"timeout"}


def test_sure_names_are_never_asked_about() -> None:
    model = Reader(lambda _name: -9.0)
    left = _names(model)
    asked = set(model.asked)
    assert {UNSURE} <= asked
    assert left == _of_rules() - {UNSURE}, "what the rules are sure of stands"
    assert not asked & left


def test_both_tasks_share_one_set_of_questions() -> None:
    model = Reader(lambda _name: 9.0)
    engine = _engine(model)
    engine.run(PoiExtraction(), ITEM)
    before = len(model.asked)
    engine.run(TrajectoryExtraction(), ITEM)
    assert before
    assert len(model.asked) == before == len(set(model.asked))


def test_the_route_loses_what_is_no_attraction_and_counts_anew() -> None:
    model = Reader(lambda name: -9.0 if name == UNSURE else 9.0)
    route = _engine(model).run(TrajectoryExtraction(), ITEM).output.route
    assert route is not None
    assert UNSURE not in {visit.name for visit in route.visits}
    for day in {visit.day for visit in route.visits}:
        orders = [visit.order for visit in route.visits if visit.day == day]
        assert orders == list(range(1, len(orders) + 1))


def test_possible_names_are_neither_taken_nor_known_and_stand_where_they_say() -> None:
    found = RulesEngine().run(PoiExtraction(), ITEM).output
    spans = [m.span for m in found.mentions]
    names = [*(m.name for m in found.mentions), *found.decoys]
    offered = possible_names(ITEM.document, spans, names)
    shown = [_shown(span) for span in offered]
    assert LEFT_OUT in shown
    assert not set(shown) & set(names)
    assert len(shown) == len(set(shown))
    assert not any(a.start < b.end and b.start < a.end for a in offered for b in spans)
    assert possible_names(ITEM.document, spans, [*names, LEFT_OUT]) == [
        span for span in offered if _shown(span) != LEFT_OUT
    ]


def _shown(span: Span) -> str:
    """What stands at a span."""
    return ITEM.document.text[span.start : span.end]


def test_a_verdict_on_a_span_outside_every_line_adds_nothing() -> None:
    beyond = Span(start=10**6, end=10**6 + 3)
    rules = RulesEngine()
    by = ReaderJudgement(further=(beyond,))
    assert rules.correct(PoiExtraction(), ITEM, by) == rules.run(PoiExtraction(), ITEM)


def test_a_bar_is_the_least_odds_with_which_a_name_stands() -> None:
    for odds, kept, added in ((1.0, True, False), (2.0, True, True), (0.5, False, False)):
        model = Reader(lambda _name, o=odds: o)  # type: ignore[misc]  # no types for a lambda with a default
        bars = Bars(kept=1.0, added=2.0)
        engine = CascadeEngine(RulesEngine(), model, {"zh": bars, "en": bars})
        names = {m.name for m in engine.run(PoiExtraction(), ITEM).output.mentions}
        assert (UNSURE in names, LEFT_OUT in names) == (kept, added)


def test_a_place_stands_as_long_as_one_of_its_names_does() -> None:
    text = "# 游记\n## 第一天\n云上 → 云上公园 → 松风寺"
    item = DocumentInput(document=document(text, "zh"))
    by = ReaderJudgement(none=frozenset(["云上"]))
    found = RulesEngine().correct(PoiExtraction(), item, by).output
    assert "云上公园" in {m.name for m in found.mentions}
