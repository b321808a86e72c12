"""Compare the results of engines with hand-made labels of documents and with simple baselines.

    python -m benchmarks.extraction --engine rules --gold GOLD.jsonl --documents DIR [--tables DIR]

The engine is ``rules``, ``openai`` or ``cascade``. The engines ``openai`` and ``cascade`` need the
same settings as a build (OPENAI_BASE_URL, OPENAI_MODEL, ...). GOLD contains one labelled document
per line, as a JSON object. The paths of the documents are relative to DIR. With ``--tables``, the
gazetteer consists of the names in ``attractions/<city>/attractions.csv`` and in the tables of
hotels and restaurants. The run prints micro-averaged precision, recall and F1.

* POIs: visited and recommended POIs are matched one to one if any of their folded names agree.
* Decoys: the share of the labelled decoys that the engine returns as visited or recommended.
* Trajectory: pairs of a POI and the number of its day. The sequence F1 is computed from the longest
  common subsequence of each day. Day accuracy and Kendall's tau cover POIs that both routes visit.
* Facts: triples of POI, field and value; remarks in a value are ignored.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.labels import as_labels
from benchmarks.report import table, write_section
from extractors.llm import OpenAIEngine
from extractors.read import read_in_one_form
from extractors.rules import RulesEngine
from extractors.text import fold
from flows.models.engines import engine_named
from flows.settings.checks import ENGINES
from flows.settings.environment import load_settings
from schemas.documents import Document
from schemas.reading import GazetteerEntry
from schemas.tasks import DocumentInput, Engine
from sources.web.main_text import parse_document

Labels = dict[str, Any]
_NOTE = (
    "The documents were labelled by hand. The rules were developed with these documents, so you can"
    " expect more errors in other documents. Decoys are strings that look like the names of sights"
    " but are not. The column *decoys* shows the share of decoys that were accepted as sights.\n\n"
    "A trajectory is scored as a set of pairs. Each pair consists of a POI and the number of the"
    " day on which the POI is visited. *Sequence* is an F1 score that also takes the order of the"
    " stops on each day into account. The columns *same day* and *tau* cover only POIs that occur"
    " in both the labelled and the extracted trajectory. *Same day* is the share of these POIs that"
    " are on the right day, and *tau* shows how well their order agrees."
)
_FIELDS = {"visit_duration_hours": "duration_hours"}
_HOURS = {"full day": "8", "whole day": "8", "half day": "4"}
_TABLES = {
    "poi": "attractions/*/attractions.csv",
    "hotel": "accommodations/*/*.csv",
    "restaurant": "restaurants/*/*.csv",
}


@dataclass
class MatchCounts:
    """True positives, false positives and false negatives."""

    hit: int = 0
    extra: int = 0
    missed: int = 0

    def add(self, hit: int, found: int, wanted: int) -> None:
        """Add the counts of one document."""
        self.hit, self.extra, self.missed = (
            self.hit + hit, self.extra + found - hit, self.missed + wanted - hit
        )  # fmt: skip

    @property
    def precision(self) -> float:
        """Share of the found items that are correct."""
        return self.hit / max(1, self.hit + self.extra)

    @property
    def recall(self) -> float:
        """Share of the labelled items that were found."""
        return self.hit / max(1, self.hit + self.missed)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.hit / max(1, 2 * self.hit + self.extra + self.missed)


@dataclass
class ReaderScore:
    """All scores of one reader."""

    pois: MatchCounts = field(default_factory=MatchCounts)
    decoys: list[int] = field(default_factory=lambda: [0, 0])
    pairs: MatchCounts = field(default_factory=MatchCounts)
    sequence: MatchCounts = field(default_factory=MatchCounts)
    same_day: list[int] = field(default_factory=lambda: [0, 0])
    order: list[int] = field(default_factory=lambda: [0, 0])
    facts: MatchCounts = field(default_factory=MatchCounts)
    seconds: float = 0.0
    documents: int = 0


def names_of(poi: Labels) -> set[str]:
    """Return the folded names of a POI."""
    return {fold(n) for n in (poi["name"], poi["standard"], *poi["also"]) if n}


def active(labels: Labels) -> list[Labels]:
    """Return the visited and recommended POIs of a document."""
    return [p for p in labels["pois"] if p["role"] in ("visited", "recommended")]


def match_pois(found: list[Labels], wanted: list[Labels]) -> dict[int, int]:
    """Match POIs in ``found`` one to one with POIs in ``wanted`` that share a name; return the
    pairs of indexes.
    """
    pairs: dict[int, int] = {}
    for i, poi in enumerate(found):
        names = names_of(poi)
        for j, other in enumerate(wanted):
            if j not in pairs.values() and names & names_of(other):
                pairs[i] = j
                break
    return pairs


def score_document(score: ReaderScore, found: Labels, gold: Labels) -> None:
    """Add one document to a score."""
    ours, theirs = active(found), active(gold)
    score.pois.add(len(match_pois(ours, theirs)), len(ours), len(theirs))
    accepted = {n for p in ours for n in names_of(p)}
    decoys = {fold(d) for d in gold["decoys"]}
    score.decoys[0] += len(decoys & accepted)
    score.decoys[1] += len(decoys)
    same = translation(found, gold)
    _score_route(score, route_of(found, same), route_of(gold, {}))
    facts, wanted = facts_of(found, same), facts_of(gold, {})
    score.facts.add(len(facts & wanted), len(facts), len(wanted))
    score.documents += 1


def translation(found: Labels, gold: Labels) -> dict[str, str]:
    """Map the standard names in ``found`` to those in ``gold``."""
    pairs = match_pois(found["pois"], gold["pois"])
    return {
        fold(found["pois"][i]["standard"]): fold(gold["pois"][j]["standard"])
        for i, j in pairs.items()
    }


def route_of(labels: Labels, same: dict[str, str]) -> list[list[str]]:
    """Return the stops of every day that has stops; ``same`` maps their standard names."""
    days = sorted(labels["trajectory"] or [], key=lambda d: d["day"])
    return [[same.get(fold(v), fold(v)) for v in d["visits"]] for d in days if d["visits"]]


def _score_route(score: ReaderScore, ours: list[list[str]], theirs: list[list[str]]) -> None:
    rank = [{(i, v) for i, day in enumerate(route) for v in day} for route in (ours, theirs)]
    score.pairs.add(len(rank[0] & rank[1]), len(rank[0]), len(rank[1]))
    days = max(len(ours), len(theirs))
    common = sum(
        _common(ours[i] if i < len(ours) else [], theirs[i] if i < len(theirs) else [])
        for i in range(days)
    )
    score.sequence.add(common, sum(map(len, ours)), sum(map(len, theirs)))
    at = [
        {v: (i, k) for i, day in reversed(list(enumerate(r))) for k, v in enumerate(day)}
        for r in (ours, theirs)
    ]
    shared = sorted(at[0].keys() & at[1].keys())
    score.same_day[0] += sum(at[0][v][0] == at[1][v][0] for v in shared)
    score.same_day[1] += len(shared)
    for a, b in combinations(shared, 2):
        agree = (at[0][a] < at[0][b]) == (at[1][a] < at[1][b])
        score.order[0] += 1 if agree else -1
        score.order[1] += 1


def _common(a: list[str], b: list[str]) -> int:
    """Return the length of the longest common subsequence."""
    row = [0] * (len(b) + 1)
    for x in a:
        last = 0
        for j, y in enumerate(b, start=1):
            last, row[j] = row[j], last + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


def facts_of(labels: Labels, same: dict[str, str]) -> set[tuple[str, str, str]]:
    """Return the place, field and value of each fact; ``same`` maps the places' standard names."""
    return {
        (
            same.get(fold(f["poi"]), fold(f["poi"])),
            _FIELDS.get(f["field"], f["field"]),
            core(f["value"]),
        )
        for f in labels["facts"]
    }


def core(value: str) -> str:
    """Normalise the spelling of a value and drop its remarks in brackets."""
    bare = re.sub(r"\s*[（(].*?[)）]", "", value).strip().lower().replace("–", "-")
    return _HOURS.get(bare, bare)


def gazetteer_of(tables: Path | None) -> tuple[GazetteerEntry, ...]:
    """Return the names in the tables of all cities as gazetteer entries."""
    import polars as pl

    entries: list[GazetteerEntry] = []
    for kind, pattern in _TABLES.items() if tables else ():
        for path in sorted(tables.glob(pattern)) if tables else ():
            frame = pl.read_csv(path, infer_schema=False, encoding="utf8-lossy")
            column = next(c for c in frame.columns if c.strip("\ufeff") == "name")
            entries.extend(
                GazetteerEntry.model_validate({"standard": name.strip(), "kind": kind})
                for name in frame[column].drop_nulls().to_list()
                if name.strip()
            )
    return tuple(entries)


def plain_names(document: Document) -> list[str]:
    """As a baseline, find names by jieba's place tags (Chinese) or by capital letters (English)."""
    if document.lang != "zh":
        return re.findall(r"[A-Z][\w’'-]+(?: (?:of |the )?[A-Z][\w’'-]+)+", document.text)
    import jieba.posseg

    return [
        w.word
        for w in jieba.posseg.cut(document.text)
        if w.flag in ("ns", "nt") and len(w.word) > 1
    ]


def known_names(document: Document, entries: tuple[GazetteerEntry, ...]) -> list[str]:
    """As a baseline, return every POI name in the gazetteer that the text contains."""
    return [e.standard for e in entries if e.kind == "poi" and e.standard in document.text]


def baseline(names: list[str]) -> Labels:
    """Return labels in which every name is a recommended POI and there is no route."""
    pois = [
        {"name": n, "standard": n, "also": [], "role": "recommended"} for n in dict.fromkeys(names)
    ]
    return {"pois": pois, "trajectory": None, "facts": []}


def measure(
    documents: list[tuple[Document, Labels]], read: Callable[[Document], Labels], score: ReaderScore
) -> ReaderScore:
    """Score one reader on all documents, and add the results to ``score``."""
    for document, gold in documents:
        begin = time.perf_counter()
        found = read(document)
        score.seconds += time.perf_counter() - begin
        score_document(score, found, gold)
    return score


def read_labelled(gold: Path, documents: Path) -> Iterator[tuple[Document, Labels]]:
    """Yield each labelled document with its labels."""
    for line in gold.read_text(encoding="utf-8").splitlines():
        labels = json.loads(line)
        raw = (documents / labels["doc"]).read_bytes()
        yield parse_document(raw, labels["doc"]), labels


def rules_reader(entries: tuple[GazetteerEntry, ...]) -> Callable[[Document], Labels]:
    """Return a function that reads documents with the rules."""
    return engine_reader(RulesEngine(), entries)


def engine_reader(
    engine: Engine, entries: tuple[GazetteerEntry, ...]
) -> Callable[[Document], Labels]:
    """Return a function that reads documents with an engine."""

    def read(document: Document) -> Labels:
        reading, _ = read_in_one_form(engine, DocumentInput(document=document, gazetteer=entries))
        return as_labels(reading, document)

    return read


def tokens_of(engine: str) -> int:
    """Return the number of tokens that the model has used so far; the rules use none."""
    if engine == "rules":
        return 0
    model = engine_named("openai", load_settings())
    assert isinstance(model, OpenAIEngine)
    return model.spent[0]


def row_of(name: str, score: ReaderScore) -> list[str]:
    """Return the table row of one reader."""
    facts, pairs, pois = score.facts, score.pairs, score.pois
    return [
        name,
        f"{pois.precision:.2f} {pois.recall:.2f} {pois.f1:.2f}",
        f"{100 * score.decoys[0] / max(1, score.decoys[1]):.1f} %",
        f"{pairs.precision:.2f} {pairs.recall:.2f} {pairs.f1:.2f}",
        f"{score.sequence.f1:.2f}",
        f"{score.same_day[0] / max(1, score.same_day[1]):.2f}",
        f"{score.order[0] / max(1, score.order[1]):.2f}",
        f"{facts.precision:.2f} {facts.recall:.2f} {facts.f1:.2f}",
        f"{score.seconds / max(1, score.documents):.3f} s",
    ]


HEADER = ["reader", "POI P R F1", "decoys", "trajectory P R F1", "sequence", "same day", "tau",
          "facts P R F1", "time per document", "tokens"]  # fmt: skip


def compare_readers(
    engine: str, documents: list[tuple[Document, Labels]], entries: tuple[GazetteerEntry, ...]
) -> list[list[str]]:
    """Return table rows for the engine without and with tables, and for each baseline."""
    warm = rules_reader(entries)
    warm(documents[0][0])  # load the dictionaries and the automaton once
    asked = engine_named(engine, load_settings())
    readers: dict[str, Callable[[Document], Labels]] = {engine: engine_reader(asked, ())}
    if entries:
        readers[f"{engine} + tables"] = warm if engine == "rules" else engine_reader(asked, entries)
        readers["gazetteer match"] = lambda d: baseline(known_names(d, entries))
    readers["plain baseline"] = lambda d: baseline(plain_names(d))
    rows = []
    for name, read in readers.items():
        before = tokens_of(engine)
        score = measure(documents, read, ReaderScore())
        tokens = (tokens_of(engine) - before) / max(1, score.documents)
        rows.append([*row_of(name, score), f"{tokens:,.0f}"])
    return rows


def main() -> None:
    """Run the measurements and print the results; with ``--write``, also write them to the docs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--engine", choices=ENGINES, default="rules")
    parser.add_argument(
        "--gold", type=Path, required=True, action="append", help="labels (may be repeated)"
    )
    parser.add_argument("--documents", type=Path, required=True, help="the folder of documents")
    parser.add_argument(
        "--tables", type=Path, help="the folder that contains the tables for the gazetteer"
    )
    parser.add_argument("--write", action="store_true", help="write the figures to docs/benchmarks")
    options = parser.parse_args()
    entries = gazetteer_of(options.tables)
    parts = []
    for gold in options.gold:
        documents = list(read_labelled(gold, options.documents))
        rows = compare_readers(options.engine, documents, entries)
        shown = Table(*HEADER, title=f"{gold.name}: {len(documents)} documents")
        for row in rows:
            shown.add_row(*row)
        Console(width=160).print(shown)
        parts.append(f"`{gold.name}`, {len(documents)} documents:\n\n{table(HEADER, rows)}")
    if options.write:
        given = " ".join(f"--gold {gold.name}" for gold in options.gold)
        tables = " --tables TABLES" if options.tables else ""
        command = (
            f"python -m benchmarks.extraction --engine {options.engine} {given} --documents"
            f" DOCS{tables}"
        )
        write_section(f"Extraction: {options.engine}", command, f"{_NOTE}\n\n" + "\n".join(parts))


if __name__ == "__main__":
    main()
