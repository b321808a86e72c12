"""Score careful answers to whole-document requests in the same way as an engine's readings.

A folder has ``index.json``, a list of ``[name, document, part, ...]``, and ``answers/NAME.json``,
the answer to the request for that part of the document. Each answer is parsed and checked as a
model's answer would be. The parts of a document are then joined; a journey that appears in several
parts is counted only once. The scores are the same as in ``benchmarks.extraction``.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.extraction import (
    Labels,
    ReaderScore,
    active,
    facts_of,
    match_pois,
    read_labelled,
    route_of,
    score_document,
    translation,
)
from benchmarks.labels import as_labels
from extractors.journeys import one_journey, stops_at_sights
from extractors.passages import join_outputs, lay_back, parts
from extractors.tasks import DocumentTask
from schemas.document_reading import DocumentReading
from schemas.documents import Document
from schemas.tasks import DocumentInput, Ungrounded


@dataclass
class Scored:
    """The score for one file of labels, and the differences in each of its documents."""

    score: ReaderScore = field(default_factory=ReaderScore)
    differences: dict[str, list[str]] = field(default_factory=dict)


def score_folder(answers: Path, gold: Path, documents: Path) -> Scored:
    """Score the answers in a folder. Raises KeyError if a document has no answer."""
    given: dict[str, dict[int, Any]] = defaultdict(dict)
    for name, doc, part, *_ in json.loads((answers / "index.json").read_text(encoding="utf-8")):
        text = (answers / "answers" / f"{name}.json").read_text(encoding="utf-8")
        given[doc][part] = json.loads(text)
    found = Scored()
    for document, labels in read_labelled(gold, documents):
        reading, aside = reading_of(document, given[labels["doc"]])
        ours = as_labels(reading, document)
        score_document(found.score, ours, labels)
        told = [f"refused: {gap.what}: {gap.why}" for gap in aside]
        found.differences[labels["doc"]] = [*_differences(ours, labels), *told]
    return found


def reading_of(
    document: Document, answers: dict[int, Any]
) -> tuple[DocumentReading, tuple[Ungrounded, ...]]:
    """Join the answers for a document's parts into a reading; also return the refused items."""
    task, item = DocumentTask(), DocumentInput(document=document)
    read: list[DocumentReading] = []
    aside: list[Ungrounded] = []
    for number, part in enumerate(parts(task.name, item)):
        answer = task.check(part.item, task.parse(answers[number], part.item))
        read.append(lay_back(answer.output, part))
        aside.extend(answer.ungrounded)
    whole = join_outputs(read, document.text)
    assert isinstance(whole, DocumentReading)
    reading, no_stops = stops_at_sights(one_journey(whole))
    return reading, (*aside, *no_stops)


def _differences(ours: Labels, labels: Labels) -> Iterator[str]:
    """Yield each place, stop and fact that is only in the answer or only in the labels."""
    found, wanted = active(ours), active(labels)
    pairs = match_pois(found, wanted)
    role = {j: ours["pois"][i]["role"] for i, j in match_pois(ours["pois"], labels["pois"]).items()}
    for i, poi in enumerate(found):
        if i not in pairs:
            yield f"place + {poi['name']} ({poi['role']})"
    for j, poi in enumerate(wanted):
        if j not in pairs.values():
            said = role.get(labels["pois"].index(poi), "not named as a sight")
            yield f"place - {poi['standard']} ({poi['role']}; here {said})"
    same = translation(ours, labels)
    days, theirs = route_of(ours, same), route_of(labels, {})
    for at in range(max(len(days), len(theirs))):
        one, other = (route[at] if at < len(route) else [] for route in (days, theirs))
        for mark, names in (("+", set(one) - set(other)), ("-", set(other) - set(one))):
            yield from (f"stop of day {at + 1} {mark} {name}" for name in sorted(names))
    facts, stated = facts_of(ours, same), facts_of(labels, {})
    yield from (f"fact + {' | '.join(fact)}" for fact in sorted(facts - stated))
    yield from (f"fact - {' | '.join(fact)}" for fact in sorted(stated - facts))
