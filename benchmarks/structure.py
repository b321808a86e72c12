"""Compare labels with what the rules read in tables, lists and schema.org data.

    python -m benchmarks.structure [FILE.yaml …] [--show]

The rules were developed with ``first.yaml``. ``second.yaml`` was not used until the rules were
finished.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from extractors.read import read_in_one_form
from extractors.rules import RulesEngine
from extractors.text import fold
from schemas.document_reading import DocumentReading
from schemas.tasks import DocumentInput
from sources.web.main_text import parse_document

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "unit" / "extractors" / "structure"
Item = tuple[Any, ...]


@dataclass
class KindScore:
    """How many items were labelled, read and correct in documents with one kind of structure."""

    labelled: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    read: Counter[str] = field(default_factory=Counter)
    missed: list[Item] = field(default_factory=list)
    wrong: list[Item] = field(default_factory=list)


def cases(path: Path) -> list[dict[str, Any]]:
    """Return the documents of a file with their labels."""
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(found, list)
    return found


def reading_of(case: dict[str, Any]) -> DocumentReading:
    """Read the document of a case with the rules."""
    raw = case["text"].encode()
    document = parse_document(raw, f"{case['id']}.{case['form']}")
    return read_in_one_form(RulesEngine(), DocumentInput(document=document))[0]


def labels(case: dict[str, Any]) -> Iterator[Item]:
    """Yield the labelled visits and facts of a document, with folded names."""
    for day, stops in case.get("visits", {}).items():
        for order, name in enumerate(stops, 1):
            yield "visit", day, order, fold(name)
    for line in case.get("facts", []):
        name, what, value, *limit = (part.strip() for part in line.split(" | "))
        yield "fact", fold(name), what, value, *limit


def answers(reading: DocumentReading) -> Iterator[Item]:
    """Yield the visits and facts of a reading, in the same form as the labels."""
    for trip in reading.trips:
        for at, day in enumerate(trip.days, 1):
            for order, stop in enumerate(day.stops, 1):
                yield "visit", day.number or at, order, fold(reading.place(stop.place).name)
    for fact in reading.facts:
        if fact.field == "arrival_time":
            continue  # a time in the plan, not opening hours of the place
        when = fact.valid_when if fact.valid_when != "always" else None
        limits = [str(limit) for limit in (fact.audience, when, fact.condition) if limit]
        yield "fact", fold(reading.place(fact.place).name), fact.field, fact.value, *limits


def score(paths: list[Path]) -> dict[str, KindScore]:
    """Return the scores of the documents in some files, by kind of structure."""
    found: dict[str, KindScore] = {}
    for case in (case for path in paths for case in cases(path)):
        kind = found.setdefault(case["kind"], KindScore())
        told, read = set(labels(case)), set(answers(reading_of(case)))
        for item in told:
            kind.labelled[item[0]] += 1
        for item in read:
            kind.read[item[0]] += 1
            kind.found[item[0]] += item in told
        kind.missed += [(case["id"], *item) for item in sorted(told - read, key=str)]
        kind.wrong += [(case["id"], *item) for item in sorted(read - told, key=str)]
    return found


def main() -> None:
    """Print how many items were found and how many are correct, for each kind of structure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument(
        "--show", action="store_true", help="print the items that are missing or wrong"
    )
    given = parser.parse_args()
    scores = score(given.files or sorted(FOLDER.glob("*.yaml")))
    print(f"{'kind':20} {'visits found':>14} {'right':>9} {'facts found':>14} {'right':>9}")
    for kind, held in scores.items():
        cells = [
            f"{held.found[what]}/{total[what]}" for what in ("visit", "fact")
            for total in (held.labelled, held.read)
        ]  # fmt: skip
        print(f"{kind:20} {cells[0]:>14} {cells[1]:>9} {cells[2]:>14} {cells[3]:>9}")
        for sign, items in (("-", held.missed), ("+", held.wrong)) if given.show else ():
            for item in items:
                print("   ", sign, *item)


if __name__ == "__main__":
    main()
