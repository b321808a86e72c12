"""Measure what is lost, and how many tokens are used, when a model reads each document with one
request.

    python -m benchmarks.readings --rendered --readings READINGS.jsonl --documents DIR
    python -m benchmarks.readings --answers DIR --gold GOLD.jsonl ... --documents DIR

READINGS contains careful readings: one document per line, as a JSON object. The paths of the
documents are relative to the folder ``--documents``. With ``--rendered``, each reading is written
in the form of a model's answer, and is then parsed and checked. The run prints how many of the
places, stops and facts in the readings remain, and why the others are lost. Names and quotes that
are not in the document are errors in the labels and are listed separately. ``--tokens`` compares
the tokens of the single request with those of three separate requests. Both token counts assume
that the model's answer is the careful reading.

With ``--answers``, the places, routes and facts in careful answers to the single request are scored
against labels, in the same way as ``benchmarks.extraction`` scores engines. The run also prints
each difference (+ only in the answer, - only in the labels) and each item that the parser or the
check refused. The folder of answers has ``index.json``, a list of ``[NAME, document, part]``, and
``answers/NAME.json``, one answer for each part of each document.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.reading_scores import Scored, score_folder
from extractors.llm import LLMSettings, TokenPrices
from extractors.llm.engine import request_body
from extractors.llm.money import request_tokens, tokens
from extractors.passages import parts
from extractors.tasks import DocumentTask, FactExtraction, PoiExtraction, TrajectoryExtraction
from extractors.tasks.document_answer import PLAN
from extractors.tasks.document_values import price_of, write_value
from extractors.text import locate
from schemas.document_reading import DocumentReading
from schemas.documents import Document
from schemas.tasks import DocumentInput, Ungrounded
from sources.web.main_text import parse_document

Labels = dict[str, Any]
KINDS = ("places", "stops", "facts")
_AUDIENCES = ("adult", "child", "student", "senior")
_TIME = re.compile(
    r"(?:\d\d(?:-\d\d)?|weekends?|weekdays?|(?:(?:mon|tue|wed|thu|fri|sat|sun)[,\s-]*)+|spring|"
    r"summer|autumn|winter)"
)


@dataclass
class ItemLoss:
    """How many items of one kind there are before and after the checks, and why items were lost."""

    went_in: int = 0
    came_out: int = 0
    ours: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Share of the items in the documents that remain after the checks."""
        return self.came_out / max(1, self.went_in - len(self.labels))


def read_labelled(readings: Path, documents: Path) -> Iterator[tuple[Document, Labels]]:
    """Yield the documents with their careful readings."""
    for line in readings.read_text(encoding="utf-8").splitlines():
        labels = json.loads(line)
        yield parse_document((documents / labels["doc"]).read_bytes(), labels["doc"]), labels


def render(labels: Labels) -> dict[str, Any]:
    """Write a careful reading in the form of a model's answer."""
    trips = []
    for trip in labels["trips"]:
        days = [day for day in trip["days"] if day["stops"]]
        if days:
            plan = [PLAN] if all(day.get("plan") for day in days) else []
            trips.append(plan + [_day(day) for day in days])
    return {
        "kind": labels["kind"],
        "days": 0,
        "places": [_place(place) for place in labels["places"]],
        "trips": trips,
        "facts": [_fact(fact) for fact in labels["facts"]],
    }


def _place(place: Labels) -> str:
    what = "" if place["what"] == "sight" else place["what"]
    role = "" if place["role"] == "mentioned" else place["role"]
    cells = (place["n"], place["name"], role, what, place["where"],
             ";".join(place["also"]), place["parent"], place["why"])  # fmt: skip
    return "|".join("" if cell is None else str(cell) for cell in cells).rstrip("|")


def _day(day: Labels) -> str:
    between = "," if day.get("unordered") else ">"
    return f"|{day['label'] or ''}||{between.join(map(str, day['stops']))}"


def _fact(fact: Labels) -> str:
    condition = fact["condition"] or ""
    if condition:
        key = "who" if condition in _AUDIENCES else "when" if _TIME.fullmatch(condition) else "if"
        condition = f"{key}={condition}"
    value = fact["value"].removesuffix(" CNY")
    return f"{fact['n']}|{fact['field']}|{value}|{condition}|{as_read(fact['evidence'])}"


def as_read(quote: str) -> str:
    """Return a quote without Markdown marks, because the reader of a page does not see them."""
    bare = re.sub(r"\*\*|<br/?>", " ", quote)
    return re.sub(r"^[\s|>#-]+|[\s|]+$", "", bare)


def measure(documents: list[tuple[Document, Labels]]) -> dict[str, ItemLoss]:
    """Parse and check the rendered answers, and count the losses by kind."""
    losses = {kind: ItemLoss() for kind in KINDS}
    task = DocumentTask()
    for document, labels in documents:
        item = DocumentInput(document=document)
        answer = task.check(item, task.parse(render(labels), item))
        _compare(losses, document, labels, answer.output, answer.ungrounded)
    return losses


def _compare(
    losses: dict[str, ItemLoss], document: Document, labels: Labels, found: DocumentReading,
    aside: tuple[Ungrounded, ...],
) -> None:  # fmt: skip
    text = document.text
    names = {place["n"]: place["name"] for place in labels["places"]}
    lost = {n for n, name in names.items() if not locate(name, text)}
    why = "; ".join(f"{gap.what}: {gap.why}" for gap in aside) or "no reason"

    kept = {place.n for place in found.places}
    for n, name in names.items():
        _count(losses["places"], n in kept, n in lost, f"{document.path}: {name}", why)
    stops = Counter(stop.place for trip in found.trips for _, _, stop in trip.stops)
    for n in (n for trip in labels["trips"] for day in trip["days"] for n in day["stops"]):
        stops[n] -= 1
        _count(losses["stops"], stops[n] >= 0, n in lost, f"{document.path}: {names[n]}", why)
    facts = Counter((fact.place, fact.field, fact.value) for fact in found.facts)
    for fact in labels["facts"]:
        value = write_value(fact["field"], fact["value"])
        if fact["field"] == "ticket_price":
            value = price_of(fact["value"], "")[0]
        key = (fact["n"], fact["field"], value)
        facts[key] -= 1
        is_lost = fact["n"] in lost or not locate(as_read(fact["evidence"]), text)
        told = f"{document.path}: {names[fact['n']]} {fact['field']} = {fact['value']}"
        _count(losses["facts"], facts[key] >= 0, is_lost, told, why)


def _count(loss: ItemLoss, is_out: bool, is_labels_fault: bool, what: str, why: str) -> None:
    loss.went_in += 1
    if is_out:
        loss.came_out += 1
    elif is_labels_fault:
        loss.labels.append(what)
    else:
        loss.ours.append(f"{what} ({why[:400]})")


def old_answers(labels: Labels) -> dict[str, dict[str, Any]]:
    """Write a careful reading as the answers to three requests, which ask only about sights."""
    places = {place["n"]: place for place in labels["places"]}
    sights = [place for place in places.values() if place["what"] == "sight"]
    role = {"planned": "recommended"}
    pois = [{"name": p["name"], "role": role.get(p["role"], p["role"]),
             "parent": places[p["parent"]]["name"] if p["parent"] in places else None,
             "reason": p["why"]} for p in sights]  # fmt: skip
    days = [{"day": at, "visits": [{"name": places[n]["name"], "remark": None} for n in d["stops"]]}
            for trip in labels["trips"] for at, d in enumerate(trip["days"], 1)]  # fmt: skip
    facts = [{"evidence": f["evidence"], "poi": places[f["n"]]["name"], "field": f["field"],
              "value": f["value"], "valid_when": f["condition"] or "always"}
             for f in labels["facts"]]  # fmt: skip
    decoys = [p["name"] for p in places.values() if p["what"] in ("food", "lodging", "station")]
    return {
        "poi_extraction": {"kind": labels["kind"], "cities": [], "days_stated": None,
                           "pois": pois, "decoys": decoys},
        "trajectory_extraction": {"days": days, "reason": ""},
        "fact_extraction": {"facts": facts},
    }  # fmt: skip


def _count_answer_tokens(answer: Any) -> int:
    return tokens(json.dumps(answer, ensure_ascii=False))


def tokens_of(document: Document, labels: Labels) -> tuple[int, int]:
    """Count the tokens needed to read a document with three requests, and with a single request."""
    item, old = DocumentInput(document=document), old_answers(labels)
    three = sum(
        _count_request_tokens(task, item) + _count_answer_tokens(old[task.name])
        for task in (PoiExtraction(), TrajectoryExtraction(), FactExtraction())
    )
    return three, _count_request_tokens(DocumentTask(), item) + _count_answer_tokens(render(labels))


def _count_request_tokens(task: Any, item: DocumentInput) -> int:
    """Count the input tokens of all requests that a task sends for a document."""
    free = TokenPrices(usd_per_mtok_in=Decimal(0), usd_per_mtok_out=Decimal(0))
    settings = LLMSettings(model="count", prices=free)
    return sum(
        request_tokens(request_body(settings, task, part.item, task.prompt(part.item)))
        for part in parts(task.name, item)
    )


def _show(name: str, found: Scored) -> None:
    """Print a score and the differences in each document."""
    score = found.score
    print(f"{name}: {score.documents} documents")
    for kind, counts in (("places", score.pois), ("routes", score.pairs), ("facts", score.facts)):
        print(f"  {kind}: F1 {counts.f1:.3f} (precision {counts.precision:.3f}, "
              f"recall {counts.recall:.3f})")  # fmt: skip
    for document, differences in found.differences.items():
        print(f"  {document}")
        for difference in differences:
            print(f"    {difference}")


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rendered", action="store_true")
    parser.add_argument("--tokens", action="store_true")
    parser.add_argument("--readings", type=Path)
    parser.add_argument("--answers", type=Path)
    parser.add_argument("--gold", type=Path, nargs="+", default=[])
    parser.add_argument("--documents", type=Path, required=True)
    options = parser.parse_args()
    if (options.rendered or options.tokens) and not options.readings:
        parser.error("--rendered and --tokens need --readings READINGS.jsonl")
    if options.answers and not options.gold:
        parser.error("--answers needs --gold GOLD.jsonl")
    for gold in options.gold if options.answers else ():
        _show(gold.name, score_folder(options.answers, gold, options.documents))
    documents = list(read_labelled(options.readings, options.documents)) if options.readings else []
    if options.rendered:
        for kind, loss in measure(documents).items():
            print(
                f"{kind}: {loss.came_out} of {loss.went_in} labelled items were kept; of the"
                f" items that are in the text, the share kept is {loss.share:.3f}"
            )
            print(f"  items that the text does not contain: {len(loss.labels)}")
            for told in loss.ours:
                print(f"  lost: {told}")
            for told in loss.labels:
                print(f"  not in the text: {told}")
    if options.tokens:
        counted = [tokens_of(document, labels) for document, labels in documents]
        three, one = (fmean(pair[i] for pair in counted) for i in (0, 1))
        print(
            f"tokens per document: {three:,.0f} with three requests, {one:,.0f} with one"
            f" ({one / three:.2f})"
        )


if __name__ == "__main__":
    main()
