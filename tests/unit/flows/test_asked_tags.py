"""Tags in context by a model: grounded, beside the facts,
or the rules' own where it has no answer.
"""

from __future__ import annotations

from typing import Any

import pytest

from flows.pipeline.stages import base
from flows.pipeline.stages.base import Inputs, Job
from flows.pipeline.stages.context_tags import TagMaterial, quote_tags
from flows.pipeline.stages.tagging import TagAnswers, ask_tags
from flows.pipeline.stages.tellings import ANY, NAMED, Telling
from flows.settings.profile import Profile
from schemas.cities import find_city
from schemas.ids import span_evidence_id, text_sha256
from schemas.tasks import Grounded, Unanswered

CITY = find_city("hangzhou")
DOC = "d" + "1" * 20
POI = "poi_" + "0" * 16
TEXT = "国庆游记\n青鹭寺人山人海，门口排了很长的队。\n青鹭寺始建于唐代。"
SAID, OTHER = (TEXT.index("青鹭寺人"), 26), (TEXT.index("青鹭寺始"), len(TEXT))
HOLIDAY = "holiday:national_day"
NAMES: dict[str, tuple[str, ...]] = {POI: ("青鹭寺", "Egret Temple")}


def telling(context: str, at: tuple[int, int], named_at: tuple[int, int] | None = None) -> Telling:
    return Telling(POI, context, DOC, *at, named_at, NAMED)


KNOWN = TagMaterial(
    CITY, frozenset({(ANY, POI), (HOLIDAY, POI)}),
    {(ANY, POI): {"duration_hours": {
        "duration_min_min": 60, "duration_max_min": 60, "evidence_id": "ev_table"}}},
    {(HOLIDAY, POI): [telling(HOLIDAY, (SAID[0], TEXT.index("。") + 1), (0, 2))],
     (ANY, POI): [telling(ANY, OTHER)]},
    {DOC: TEXT},
)  # fmt: skip


class Model:
    """An engine whose raw answers are given by whether a context is asked for."""

    concurrency = 2

    def __init__(self, **answers: list[dict[str, str]] | None):
        self.answers = answers
        self.asked: list[str] = []

    def run(self, task: Any, item: Any) -> Grounded[Any]:
        self.asked.append(item.text)
        tags = self.answers["holiday" if item.context_words else "any"]
        if tags is None:
            raise Unanswered("gave no usable answer")
        answer: Grounded[Any] = task.check(item, task.parse({"tags": tags}, item))
        return answer


def ask(model: Model, monkeypatch: pytest.MonkeyPatch, engine: str = "openai") -> TagAnswers:
    monkeypatch.setattr(base, "engine_named", lambda *args: model)
    return ask_tags(
        Job(Inputs((CITY,), Profile(name="p"), engine=engine), CITY, "all"), KNOWN, NAMES
    )


def rows_of(asked: TagAnswers) -> dict[str, dict[str, Any]]:
    return {row["context_id"]: row for row in asked.tags.rows}


def tag(field: str, value: str, evidence: str) -> dict[str, str]:
    return {"field": field, "value": value, "evidence": evidence}


CROWDS = tag("description", "门口排了很长的队，人山人海。", "人山人海，门口排了很长的队")


def test_rules_ask_nobody_and_quote(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model()
    asked = ask(model, monkeypatch, "rules")
    assert (model.asked, asked.unanswered, asked.aside) == ([], {}, [])
    row = rows_of(asked)[HOLIDAY]
    assert row["description"] == "青鹭寺人山人海，门口排了很长的队。"
    assert asked.tags.evidence[row["description_evidence_id"]]["quote_sha256"] == text_sha256(
        row["description"]
    )
    assert row["context_evidence_id"] == span_evidence_id(CITY.city_id, DOC, 0, 2)


def test_an_answer_has_its_quote_as_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ask(Model(holiday=[CROWDS], any=[]), monkeypatch)
    row = rows_of(asked)[HOLIDAY]
    assert (row["description"], row["tagged_by"]) == (CROWDS["value"], "model")
    proof = asked.tags.evidence[row["description_evidence_id"]]
    assert TEXT[proof["start"] : proof["end"]] == CROWDS["evidence"]
    assert row["context_evidence_id"] == span_evidence_id(CITY.city_id, DOC, 0, 2)


def test_each_place_and_context_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model(holiday=[CROWDS], any=[])
    ask(model, monkeypatch)
    assert sorted(model.asked) == sorted(
        ["(National Day) 青鹭寺人山人海，门口排了很长的队。", "青鹭寺始建于唐代。"]
    )


def test_facts_hold_before_what_a_model_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ask(
        Model(holiday=[], any=[tag("duration_hours", "3", "青鹭寺始建于唐代")]), monkeypatch
    )
    row = rows_of(asked)[ANY]
    assert (row["duration_max_min"], row["duration_evidence_id"]) == (60, "ev_table")


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (
            tag("description", "建于1368年。", "青鹭寺始建于唐代"),
            "a number that the passages do not",
        ),
        (tag("description", "始建于唐代。", "青鹭寺建于宋代"), "quote is not in the passages"),
        (
            tag("description", "满山的枫叶红了很好看", "青鹭寺始建于唐代"),
            "not said in the passages",
        ),
        (tag("opening_hours", "09:00-17:00", "青鹭寺始建于唐代"), ""),
        (tag("arrival_time", "early", "青鹭寺始建于唐代"), "not of the field's form"),
    ],
)
def test_what_the_passages_do_not_say_is_set_aside(
    wrong: dict[str, str], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ask(Model(holiday=[CROWDS], any=[wrong]), monkeypatch)
    ((key, _, told),) = asked.aside
    assert key == (ANY, POI)
    assert why in told
    assert "description" not in rows_of(asked)[ANY], "the facts stay"


def test_without_an_answer_the_rules_tag_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ask(Model(holiday=None, any=[]), monkeypatch)
    assert asked.unanswered == {(HOLIDAY, POI): "gave no usable answer"}
    assert rows_of(asked)[HOLIDAY] == next(
        row for row in quote_tags(KNOWN).rows if row["context_id"] == HOLIDAY
    )


def test_an_answer_of_nothing_makes_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ask(Model(holiday=[], any=[]), monkeypatch)
    assert [(row["context_id"], row["tagged_by"]) for row in asked.tags.rows] == [(ANY, "rules")]
    assert asked.tags.evidence == {}, "a passage that stands in no row is no evidence"
