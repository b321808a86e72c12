"""Why one goes to a place: words of the document, beside the name."""

from __future__ import annotations

import pytest

from extractors.descriptions import reason_for, stands_beside
from extractors.rules import RulesEngine
from extractors.tasks import PoiExtraction
from schemas.reading import Span
from schemas.tasks import DocumentInput
from tests.support.extractors.reading_documents import document

ZH = """# 云州两日
## Day1
上午去了松风寺，这是云州最著名的古寺，值得一看。
下午路过竹影公园。"""
EN = "# Two days\n## Day 1\nWe went to Heron Park. The Glass Tower is a must-see. We ate noodles."


def _span(name: str, text: str) -> Span:
    return Span(start=text.index(name), end=text.index(name) + len(name))


@pytest.mark.parametrize(
    ("name", "text", "lang", "reason"),
    [
        ("松风寺", ZH, "zh", "上午去了松风寺，这是云州最著名的古寺，值得一看。"),
        ("竹影公园", ZH, "zh", None),
        ("Glass Tower", EN, "en", "The Glass Tower is a must-see."),
        ("Heron Park", EN, "en", None),
    ],
)
def test_the_sentence_that_recommends_is_the_reason(
    name: str, text: str, lang: str, reason: str | None
) -> None:
    span = reason_for(_span(name, text), text, lang)
    assert (text[span.start : span.end] if span else None) == reason


def test_a_reason_is_no_longer_than_a_sentence_may_be() -> None:
    text = "很" * 500 + "松风寺值得一看" + "好" * 500
    span = reason_for(_span("松风寺", text), text, "zh")
    assert span is not None
    assert span.start <= text.index("松风寺") < span.end
    assert span.end - span.start <= 320


def test_the_rules_give_reasons_and_places_without_one_have_none() -> None:
    item = DocumentInput(document=document(ZH, "zh"))
    found = RulesEngine().run(PoiExtraction(), item).output
    text = item.document.text
    reasons = {m.name: text[m.reason.start : m.reason.end] if m.reason else None
               for m in found.mentions}  # fmt: skip
    assert reasons["松风寺"] == "上午去了松风寺，这是云州最著名的古寺，值得一看。"
    assert reasons.get("竹影公园") is None


def test_a_reason_that_a_model_invents_or_takes_from_elsewhere_is_set_aside() -> None:
    far = (
        ZH + "\n" + "\n".join("这一段说的是别的事情。" * 10 for _ in range(3)) + "\n可以租船游湖。"
    )
    item = DocumentInput(document=document(far, "zh"))
    task = PoiExtraction()
    raw = {"kind": "diary", "pois": [
        {"name": "松风寺", "role": "visited", "reason": "云州最著名的古寺"},
        {"name": "竹影公园", "role": "visited", "reason": "可以租船游湖"},
        {"name": "云州", "role": "mentioned", "reason": "千年古都"},
    ]}  # fmt: skip
    checked = task.check(item, task.parse(raw, item))
    text = item.document.text
    first, second, third = checked.output.mentions
    assert first.reason is not None
    assert text[first.reason.start : first.reason.end] == "云州最著名的古寺"
    assert second.reason is None
    assert third.reason is None
    assert [u.what for u in checked.ungrounded] == ["reason of 竹影公园", "reason of 云州"]


def test_a_reason_stands_near_its_name() -> None:
    text = "松风寺" + "。" * 300 + "值得一看"
    assert not stands_beside(_span("值得一看", text), _span("松风寺", text), text)
    assert stands_beside(_span("松风寺", text), _span("松风寺", text), text)
    assert not stands_beside(Span(start=0, end=len(text) + 1), _span("松风寺", text), text)
