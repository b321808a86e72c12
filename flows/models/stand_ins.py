"""Stand-ins for a model's answers: what the rules know, in the form that the task asks for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

from extractors.read import read_in_one_form
from extractors.rules import RulesEngine
from extractors.tasks import DocumentTask
from flows.models.raw_answers import raw_answer
from schemas.documents import BlockKind, Document
from schemas.tasks import DocumentInput, Task


@lru_cache(maxsize=1)
def _rules() -> RulesEngine:
    return RulesEngine()


def stand_in(task: Task[Any, Any], item: Any) -> dict[str, Any] | str:
    """The answer to a task: JSON, or one word for a task that asks for one.

    Nothing for a task of a command that builds nothing: plans, and judgements of them.
    """
    if isinstance(item, DocumentInput):
        return read_as_shown(task, item.document.text)
    answer = _ANSWERS.get(task.name)
    return answer(task, item) if answer else ""


def read_as_shown(task: Task[Any, Any], text: str) -> dict[str, Any]:
    """What the rules read in the text that a request shows: lines, of which none is a heading."""
    lines: list[tuple[BlockKind, int, str, bool]] = [
        ("paragraph", 0, line, False) for line in text.split("\n")
    ]
    lang: Literal["zh", "en"] = "zh" if any("\u4e00" <= char <= "\u9fff" for char in text) else "en"
    doc_id = hashlib.sha256(text.encode()).hexdigest()[:20]
    item = DocumentInput(document=Document.from_texts(doc_id, "d", lines, lang=lang))
    if task.name == DocumentTask.name:
        return raw_answer(read_in_one_form(_rules(), item)[0], item.document)
    return raw_answer(_rules().run(task, item).output, item.document)


def _by_rules(task: Task[Any, Any], item: Any) -> Any:
    return _rules().run(task, item).output


def _translate(task: Task[Any, Any], item: Any) -> dict[str, Any]:
    """English names by their sound: as long as those in use, and never taken for them."""
    found = {text.text: text.translation for text in _by_rules(task, item).texts}
    return {
        "texts": [
            {"number": number, "translation": found.get(text)}
            for number, text in enumerate(item.texts, 1)
        ]
    }


def _texts(key: str) -> Callable[[Task[Any, Any], Any], dict[str, Any]]:
    def answer(task: Task[Any, Any], item: Any) -> dict[str, Any]:
        return {key: [found.text for found in getattr(_by_rules(task, item), key)]}

    return answer


def _classify(task: Task[Any, Any], item: Any) -> dict[str, Any]:
    """The types that the rules know; the commonest one for the others, as long as another."""
    known = {place.name: place.model_dump() for place in _by_rules(task, item).places}
    return {
        "places": [
            {**known[place.name], "base": known[place.name]["base"] or "historic_site"}
            for place in item.places
        ]
    }


def _judge(task: Task[Any, Any], item: Any) -> dict[str, Any]:
    return {"wishes": [{"number": n, "fits": True} for n, _ in enumerate(item.wishes, 1)]}


def _choose(task: Task[Any, Any], item: Any) -> dict[str, Any]:
    return {"links": [{"number": n, "place": None} for n, _ in enumerate(item.names, 1)]}


def _judge_pairs(task: Task[Any, Any], item: Any) -> dict[str, Any]:
    return {
        "pairs": [
            {"number": n, "answer": "unknown", "why": "the rules know no more"}
            for n, _ in enumerate(item.pairs, 1)
        ]
    }


def _tag(task: Task[Any, Any], item: Any) -> dict[str, Any]:
    return {
        "tags": [
            {"field": tag.field, "value": tag.value,
             "evidence": item.text[tag.span.start : tag.span.end]}
            for tag in _by_rules(task, item).tags
        ]
    }  # fmt: skip


_ANSWERS: dict[str, Callable[[Task[Any, Any], Any], dict[str, Any] | str]] = {
    "attraction_classification": _classify,
    "consistency_judgement": _judge,
    "context_tagging": _tag,
    "link_review": _choose,
    "pair_judgement": _judge_pairs,
    "poi_review": lambda task, item: "是" if item.lang == "zh" else "yes",
    "query_reading": lambda task, item: {"wishes": []},
    "query_rewording": lambda task, item: {"texts": [item.text] * item.number},
    "sub_query_rewriting": _texts("sub_queries"),
    "translation": _translate,
}
