"""Rules, a model and both as a cascade on the same labelled documents, with paired intervals.

    python -m benchmarks.cascade --url http://127.0.0.1:8080/v1 --gold GOLD.jsonl --documents DIR

Documents are taken in the order of their size until ``--seconds`` are spent; what was measured is
the set that all readers finished. Every answer stands in the ledger, so that a second run is free.
With ``--tasks`` the model answers only these tasks and the rules the others: a fact asked of every
line takes a small model on a small machine longer than all else. Intervals are 95 % of the difference in F1 over 2,000 resamples of documents.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path

from benchmarks.extraction import Labels, Score, labelled, row_of, score_document
from benchmarks.report import table, write_section
from extractors.cascade import CascadeEngine
from extractors.gold import to_gold
from extractors.llm import Ledger, LLMSettings, OpenAIEngine, Prices
from extractors.read import read_document
from extractors.rules import RulesEngine
from flows.request_costs import DOCUMENT_TASKS
from schemas.documents import Document
from schemas.tasks import DocumentInput, Engine, Grounded, In, Out, Task

_RESAMPLES = 2000
_HEADER = ["reader", "POI P R F1", "decoys accepted", "trajectory P R F1", "sequence F1",
           "same day", "tau", "facts P R F1", "a document", "tokens a document"]  # fmt: skip


def parts_of(score: Score) -> tuple[float, float, float]:
    """F1 of POIs, trajectories and facts."""
    return score.pois.f1, score.pairs.f1, score.facts.f1


def merged(scores: Sequence[Score]) -> Score:
    """Scores of several documents as one."""
    whole = Score()
    for score in scores:
        for name in ("pois", "pairs", "sequence", "facts"):
            held, more = getattr(whole, name), getattr(score, name)
            held.hit, held.extra, held.missed = (
                held.hit + more.hit, held.extra + more.extra, held.missed + more.missed
            )  # fmt: skip
        for name in ("decoys", "same_day", "order"):
            held, more = getattr(whole, name), getattr(score, name)
            held[0], held[1] = held[0] + more[0], held[1] + more[1]
        whole.seconds += score.seconds
        whole.documents += score.documents
    return whole


def interval(ours: Sequence[Score], theirs: Sequence[Score], part: int) -> tuple[float, float]:
    """Bounds of the difference in F1 when documents are drawn anew, in pairs."""
    draw = random.Random(20)
    gaps = []
    for _ in range(_RESAMPLES):
        picks = [draw.randrange(len(ours)) for _ in ours]
        gaps.append(
            parts_of(merged([ours[i] for i in picks]))[part]
            - parts_of(merged([theirs[i] for i in picks]))[part]
        )
    gaps.sort()
    return gaps[round(0.025 * _RESAMPLES)], gaps[round(0.975 * _RESAMPLES) - 1]


def scored(engine: Engine, document: Document, gold: Labels) -> Score:
    """One document read and compared."""
    score, began = Score(), time.perf_counter()
    reading, _aside = read_document(engine, DocumentInput(document=document))
    score.seconds = time.perf_counter() - began
    score_document(score, to_gold(reading, document), gold)
    return score


class Some:
    """An engine for some tasks, and the rules for the others."""

    def __init__(self, engine: Engine, rules: Engine, tasks: Sequence[str]):
        self.name, self._engine, self._rules, self._tasks = engine.name, engine, rules, tasks

    def run(self, task: Task[In, Out], item: In) -> Grounded[Out]:
        """Answer one item."""
        return (self._engine if task.name in self._tasks else self._rules).run(task, item)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--url", required=True)
    parser.add_argument("--model", default="local")
    parser.add_argument("--gold", type=Path, action="append", required=True)
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--ledger", type=Path, default=Path(".tripbed/benchmark.sqlite"))
    parser.add_argument("--seconds", type=float, default=400)
    parser.add_argument("--engines", default="rules,cascade,openai")
    parser.add_argument("--first", type=int, help="only the so many smallest documents")
    parser.add_argument("--tasks", default=",".join(DOCUMENT_TASKS))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    free = Prices(usd_per_mtok_in=Decimal(0), usd_per_mtok_out=Decimal(0))
    settings = LLMSettings(
        base_url=options.url,
        model=options.model,
        prices=free,
        max_tokens=700,
        concurrency=1,
        read_timeout_s=900,
    )
    ledger = Ledger(options.ledger)
    rules = RulesEngine()
    makers: dict[str, Callable[[OpenAIEngine], Engine]] = {
        "rules": lambda _model: rules,
        "cascade": lambda model: CascadeEngine(rules, model),
        "openai": lambda model: model,
    }
    names = options.engines.split(",")
    models = {name: OpenAIEngine(settings, ledger) for name in names}
    tasks = options.tasks.split(",")
    engines = {name: Some(makers[name](models[name]), rules, tasks) for name in names}
    pairs = [pair for gold in options.gold for pair in labelled(gold, options.documents)]
    pairs.sort(key=lambda pair: (len(pair[0].text), pair[0].path))
    total, pairs = len(pairs), pairs[: options.first]
    until = time.monotonic() + options.seconds
    scores: dict[str, list[Score]] = {name: [] for name in names}
    for document, gold in pairs:
        if time.monotonic() > until:
            break
        for name in names:
            scores[name].append(scored(engines[name], document, gold))
            print(f"{len(document.text):6} characters, {name}: {scores[name][-1].seconds:.1f} s")
    done = len(scores[names[0]])
    rows = [
        [cell.replace("[b]", "").replace("[/b]", "") for cell in row_of(name, merged(scores[name]))]
        + [f"{models[name].spent[0] / max(1, done):.0f} new"]
        for name in names
    ]
    body = (
        f"{done} of {total} labelled documents; asked of the model: {', '.join(tasks)}.\n\n"
        + table(_HEADER, rows)
    )
    lines = []
    for name in names:
        for number, part in enumerate(("POI", "trajectory", "facts")):
            if name != "cascade" and "cascade" in names:
                low, high = interval(scores["cascade"], scores[name], number)
                lines.append([f"cascade - {name}, {part}", f"{low:+.3f}", f"{high:+.3f}"])
    body += "\n" + table(["difference in F1", "from", "to"], lines)
    print(body)
    if options.write:
        command = "python -m benchmarks.cascade --url URL --gold GOLD --documents DIR --write"
        write_section("Rules, a small model, and a cascade of both", command, body)


if __name__ == "__main__":
    main()
