"""Uses the rules to imitate a model's answers, so that the cost of a build can be estimated."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Literal

from extractors.read import read_in_one_form
from extractors.rules import RulesEngine
from extractors.tasks import DocumentTask, FactReading, PoiReading, RouteReading
from extractors.tasks.document_answer import PLAN
from schemas.document_reading import DayStop, DocumentReading, NamedPlace, ReadJourney, StatedFact
from schemas.documents import BlockKind, Document
from schemas.reading import Route, Span
from schemas.tasks import DocumentInput, Task

#: The maximum number of characters in a reason.
REASON = 60


def raw_answer(reading: Any, document: Document) -> dict[str, Any]:
    """Return the raw answer that a task would turn into the given reading."""
    text = document.text
    if isinstance(reading, DocumentReading):
        return _whole(reading, text)
    if isinstance(reading, PoiReading):
        pois = {
            m.name: {"name": m.name, "role": m.role, "parent": m.parent,
                     "reason": _of(m.reason, text)}
            for m in reversed(reading.mentions)
        }  # fmt: skip
        return {"kind": reading.kind, "cities": list(reading.cities),
                "days_stated": reading.days_stated, "pois": list(pois.values())[::-1],
                "decoys": list(reading.decoys)[:30]}  # fmt: skip
    if isinstance(reading, RouteReading):
        return {"days": _days(reading.route), "reason": reading.reason}
    assert isinstance(reading, FactReading)
    return {"facts": [
        {"evidence": text[f.span.start : f.span.end], "poi": f.poi, "field": f.field,
         "value": f.value, "valid_when": f.valid_when} for f in reading.facts
    ]}  # fmt: skip


def _of(reason: Span | None, text: str) -> str | None:
    return text[reason.start : reason.end][:REASON] if reason else None


def _days(route: Route | None) -> list[dict[str, Any]]:
    days: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for visit in route.visits if route else ():
        days[visit.day].append({"name": visit.name, "remark": visit.remark})
    return [{"day": day, "visits": visits} for day, visits in sorted(days.items())]


def _whole(reading: DocumentReading, text: str) -> dict[str, Any]:
    """Return the answer to a request about a whole document, as lines of cells.

    The answer has the form of ``extractors.tasks.document_answer``.
    """
    return {
        "kind": reading.kind,
        "days": reading.days_stated or 0,
        "places": [_line(*_place(place, text)) for place in reading.places],
        "trips": [list(_trip(trip)) for trip in reading.trips],
        "facts": [_line(*_fact(fact, text)) for fact in reading.facts],
    }


def _line(*cells: object) -> str:
    return "|".join("" if cell is None else str(cell) for cell in cells).rstrip("|")


def _place(place: NamedPlace, text: str) -> tuple[object, ...]:
    role = None if place.role == "mentioned" else place.role
    what = None if place.what == "sight" else place.what
    return (place.n, place.name, role, what, place.where, ";".join(place.also), place.parent,
            _of(place.why, text))  # fmt: skip


def _trip(trip: ReadJourney) -> Iterator[str]:
    if trip.is_planned:
        yield PLAN
    for day in trip.days:
        stops = (">" if day.is_ordered else ",").join(map(_stop, day.stops))
        yield _line(day.number, day.label, day.where, stops)


def _stop(stop: DayStop) -> str:
    afar = "afar" if stop.is_seen_from_afar else None
    return " ".join(filter(None, (str(stop.place), stop.part_of_day, afar)))


def _fact(fact: StatedFact, text: str) -> tuple[object, ...]:
    field = "ticket_price" if fact.field == "ticket_price_cny" else fact.field
    others = ",".join(map(str, fact.with_places))
    limits = (
        f"who={fact.audience}" if fact.audience else "",
        f"when={fact.valid_when}" if fact.valid_when != "always" else "",
        f"with={others}" if others else "",
        f"if={fact.condition}" if fact.condition else "",
    )
    value = " ".join(filter(None, (fact.value, fact.unit)))
    quotes = " // ".join(text[span.start : span.end] for span in fact.spans)
    return fact.place, field, value, ";".join(filter(None, limits)), quotes


@lru_cache(maxsize=1)
def _rules() -> RulesEngine:
    return RulesEngine()


def stand_in(task: Task[Any, Any], item: Any) -> dict[str, Any] | str:
    """Return an answer to a task, either in JSON or, if the task requires it, as a single word.

    The answer is empty for tasks that no build uses, such as judging plans.
    """
    if isinstance(item, DocumentInput):
        return read_as_shown(task, item.document.text)
    answer = _ANSWERS.get(task.name)
    return answer(task, item) if answer else ""


def read_as_shown(task: Task[Any, Any], text: str) -> dict[str, Any]:
    """Use the rules to read the text in a request. Each line of the text counts as a paragraph."""
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
    """Write Chinese names in pinyin, so that English names have a realistic length."""
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
    """Return the types of places that the rules find. Places without a type get the most common
    type."""
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
            {"number": n, "answer": "unknown", "why": "the rules cannot decide this pair"}
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
