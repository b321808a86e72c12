"""The cascade: what a model may change in the rules' answer, and what it may not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from extractors.cascade import SURE, CascadeEngine
from extractors.rules import RulesEngine
from extractors.tasks import PoiExtraction, TrajectoryExtraction
from extractors.tasks.poi_review import Judged, NameKind, Review, ReviewInput
from schemas.reading import Span
from schemas.tasks import DocumentInput, Grounded, Unanswered
from tests.extractors.reading_documents import document

TEXT = """# 云州两日游
## 第一天
上午去了松风寺，下午看到竹影公园，远处是层峦叠嶂大山。
## 第二天
上午游览石门古街，晚上回家。"""
ITEM = DocumentInput(document=document(TEXT, "zh"))


class Reviewer:
    """A model that judges names by a function of the name and of its place in the list."""

    name = "openai"

    def __init__(self, kind: Callable[[str, int], NameKind | None]):
        self.kind, self.asked = kind, 0

    def run(self, task: object, item: object) -> Grounded[Review]:
        """Answer a review."""
        if not isinstance(item, ReviewInput):
            raise Unanswered("empty")
        self.asked += 1
        judged = []
        for place, (name, passage) in enumerate(zip(item.names, item.passages, strict=True)):
            start = passage.find(name)
            kind = self.kind(name, place)
            if kind:
                span = Span(start=start, end=start + len(name))
                judged.append(Judged(name=name, kind=kind, span=span))
        return Grounded(output=Review(names=tuple(judged)))


@pytest.fixture
def unsure() -> list[str]:
    """Names that the rules are unsure of; two at least, so that an order has a meaning."""
    found = RulesEngine().run(PoiExtraction(), ITEM).output.mentions
    names = list(dict.fromkeys(m.name for m in found if m.confidence < SURE))
    assert len(names) >= 2, found
    return names


def _names(model: Reviewer) -> set[str]:
    engine = CascadeEngine(RulesEngine(), model)  # type: ignore[arg-type]
    return {m.name for m in engine.run(PoiExtraction(), ITEM).output.mentions}


def test_what_a_model_twice_takes_for_no_attraction_is_left_out(unsure: list[str]) -> None:
    model = Reviewer(lambda name, _place: "phrase" if name == unsure[0] else "attraction")
    everything = _names(Reviewer(lambda _name, _place: "attraction"))
    assert everything - _names(model) == {unsure[0]}
    assert model.asked == 2


def test_a_guess_that_hangs_on_the_order_changes_nothing(unsure: list[str]) -> None:
    model = Reviewer(lambda _name, place: "region" if place == 0 else "attraction")
    assert _names(model) == _names(Reviewer(lambda _name, _place: "attraction"))
    assert model.asked == 2


def test_a_model_that_agrees_with_the_rules_is_asked_once(unsure: list[str]) -> None:
    model = Reviewer(lambda _name, _place: "attraction")
    assert set(unsure) <= _names(model)
    assert model.asked == 1


def test_a_name_without_a_judgement_stays(unsure: list[str]) -> None:
    assert set(unsure) <= _names(Reviewer(lambda _name, _place: None))


def test_sure_names_are_never_asked_about(unsure: list[str]) -> None:
    seen: list[str] = []

    def note(name: str, _place: int) -> NameKind:
        seen.append(name)
        return "phrase"

    left = _names(Reviewer(note))
    assert set(seen) == set(unsure)
    assert left, "what the rules are sure of stands"


def test_the_route_loses_what_is_no_attraction_and_counts_anew(unsure: list[str]) -> None:
    model = Reviewer(lambda name, _place: "phrase" if name == unsure[0] else "attraction")
    engine = CascadeEngine(RulesEngine(), model)  # type: ignore[arg-type]
    route = engine.run(TrajectoryExtraction(), ITEM).output.route
    assert route is not None
    assert unsure[0] not in {visit.name for visit in route.visits}
    for day in {visit.day for visit in route.visits}:
        orders = [visit.order for visit in route.visits if visit.day == day]
        assert orders == list(range(1, len(orders) + 1))
