"""Compare the rules, a model, and a cascade of both on the same labelled documents.

    python -m benchmarks.cascade --url http://127.0.0.1:8080/v1 --gold GOLD.jsonl --documents DIR

The run reads documents in order of size until ``--seconds`` have passed, and measures the documents
that were finished in time. Every answer is stored in the ledger, so a second run costs nothing.

The cascade asks the model only about names. Routes and facts come from the rules, which use the
model's answers when they read the document again. The thresholds for the log odds in a document are
chosen on all other documents in the same language. A further row gives the results with the
engine's default thresholds. The run also computes 95 % intervals for the difference in F1 from
2,000 resamples of the documents.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from benchmarks.extraction import Labels, ReaderScore, read_labelled, row_of, score_document
from benchmarks.labels import as_labels
from benchmarks.report import table, write_section
from benchmarks.unseen import by_hash, full
from extractors.cascade import BARS, Bars, CascadeEngine
from extractors.llm import Ledger, LLMSettings, OpenAIEngine, TokenPrices
from extractors.read import read_in_one_form
from extractors.rules import RulesEngine
from schemas.documents import Document
from schemas.tasks import DocumentInput, Engine, Grounded, In, Out, Task, Unanswered
from sources.web.main_text import parse_document

_RESAMPLES = 2000
_HEADER = ["reader", "POI P R F1", "decoys accepted", "trajectory P R F1", "sequence F1",
           "same day", "tau"]  # fmt: skip
_NEVER = 99.0
_BARS = [Bars(-2.0, added) for added in (2.0, 3.0, 4.0, _NEVER)]
Labelled = tuple[Document, Labels]


def add_scores(scores: Sequence[ReaderScore]) -> ReaderScore:
    """Add the scores of several documents."""
    whole = ReaderScore()
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


def f1_of(scores: Sequence[ReaderScore], part: str) -> float:
    """Return the F1 of ``pois`` or ``pairs`` over several documents."""
    return float(getattr(add_scores(scores), part).f1)


def interval(
    ours: Sequence[ReaderScore], theirs: Sequence[ReaderScore], part: str
) -> tuple[float, float]:
    """Return the interval for the difference in F1 from a paired bootstrap over documents."""
    draw = random.Random(20)
    gaps = []
    for _ in range(_RESAMPLES):
        picks = [draw.randrange(len(ours)) for _ in ours]
        gaps.append(f1_of([ours[i] for i in picks], part) - f1_of([theirs[i] for i in picks], part))
    gaps.sort()
    return gaps[round(0.025 * _RESAMPLES)], gaps[round(0.975 * _RESAMPLES) - 1]


def score_reading(engine: Engine, document: Document, gold: Labels) -> ReaderScore:
    """Read one document and score the reading."""
    score, began = ReaderScore(), time.perf_counter()
    reading, _aside = read_in_one_form(engine, DocumentInput(document=document))
    score.seconds = time.perf_counter() - began
    score_document(score, as_labels(reading, document), gold)
    return score


def held_out(tried: dict[Bars, list[ReaderScore]]) -> list[ReaderScore]:
    """Score each document with the thresholds that give the best POI F1 on all other documents."""
    totals = {bars: add_scores(scores).pois for bars, scores in tried.items()}

    def rest(bars: Bars, left: int) -> float:
        whole, own = totals[bars], tried[bars][left].pois
        hit = whole.hit - own.hit
        wrong = whole.extra - own.extra + whole.missed - own.missed
        return 2 * hit / max(1, 2 * hit + wrong)

    def best(left: int) -> Bars:
        return max(tried, key=lambda b: (round(rest(b, left), 9), b.added, -b.kept))

    size = len(next(iter(tried.values())))
    return [tried[best(left)][left] for left in range(size)]


class Only:
    """An engine that passes the given tasks to one engine, and all other tasks to a second engine,
    if there is one.
    """

    def __init__(self, engine: Engine, tasks: Sequence[str], rest: Engine | None = None):
        self.name, self._engine, self._tasks, self._rest = engine.name, engine, tasks, rest

    def run(self, task: Task[In, Out], item: In) -> Grounded[Out]:
        """Answer an item. Raises Unanswered if no engine is given for the task."""
        if task.name in self._tasks:
            return self._engine.run(task, item)
        if self._rest is None:
            raise Unanswered("not asked")
        return self._rest.run(task, item)


def unseen(documents: Path) -> Iterator[Labelled]:
    """Yield the additional documents and their labels from ``unseen_labels.jsonl``."""
    files = by_hash(documents)
    labels = Path(__file__).with_name("unseen_labels.jsonl").read_text(encoding="utf-8")
    for line in labels.splitlines():
        row: dict[str, Any] = full(json.loads(line))
        path = files[row["sha256"]]
        yield parse_document(path.read_bytes(), str(path.relative_to(documents))), row


def in_time(pairs: list[Labelled], model: Engine, until: float) -> list[Labelled]:
    """Return the documents that were read in time, from the smallest to the largest."""
    engine, done = CascadeEngine(RulesEngine(), model), []
    for document, gold in pairs:
        if time.monotonic() > until:
            break
        score_reading(engine, document, gold)
        done.append((document, gold))
    return done


def compare_readers(
    title: str, readers: dict[str, list[ReaderScore]], against: Sequence[tuple[str, str]]
) -> str:
    """Return the tables that compare readers of the same documents."""
    rows = [
        [cell.replace("[b]", "").replace("[/b]", "") for cell in row_of(name, add_scores(scores))][
            :7
        ]
        for name, scores in readers.items()
    ]
    lines = []
    for ours, theirs in against:
        for part, shown in (("pois", "POI"), ("pairs", "trajectory")):
            gap = f1_of(readers[ours], part) - f1_of(readers[theirs], part)
            low, high = interval(readers[ours], readers[theirs], part)
            lines.append(
                [f"{ours} - {theirs}, {shown}", f"{gap:+.3f}", f"{low:+.3f}", f"{high:+.3f}"]
            )
    intervals = table(["difference in F1", "measured", "from", "to"], lines)
    return f"{title}:\n\n{table(_HEADER, rows)}\n{intervals}"


def main() -> None:
    """Measure, print and, with ``--write``, write the section."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--url", required=True, help="the address of the model server")
    parser.add_argument("--model", default="local")
    parser.add_argument(
        "--gold", type=Path, action="append", required=True, help="labels (may be repeated)"
    )
    parser.add_argument("--documents", type=Path, required=True, help="the folder of documents")
    parser.add_argument(
        "--unseen",
        action="store_true",
        help="also read the documents that are labelled in unseen_labels.jsonl",
    )
    parser.add_argument("--ledger", type=Path, default=Path(".tripbed/benchmark.sqlite"))
    parser.add_argument("--seconds", type=float, default=400, help="when to stop reading")
    parser.add_argument(
        "--alone", type=int, default=0, metavar="N",
        help="also read the N shortest documents in each language with the model alone",
    )  # fmt: skip
    parser.add_argument("--write", action="store_true", help="write the figures to docs/benchmarks")
    options = parser.parse_args()
    free = TokenPrices(usd_per_mtok_in=Decimal(0), usd_per_mtok_out=Decimal(0))
    settings = LLMSettings(
        base_url=options.url, model=options.model, prices=free, max_tokens=700, concurrency=1,
        read_timeout_s=900,
    )  # fmt: skip
    model, rules = OpenAIEngine(settings, Ledger(options.ledger)), RulesEngine()
    asked = Only(model, ["poi_review"])
    alone = Only(model, ["poi_extraction", "trajectory_extraction"], rules)
    pairs = [pair for gold in options.gold for pair in read_labelled(gold, options.documents)]
    pairs += unseen(options.documents) if options.unseen else []
    pairs.sort(key=lambda pair: (len(pair[0].text), pair[0].path))
    done = in_time(pairs, asked, time.monotonic() + options.seconds)
    parts = []
    for lang in ("zh", "en"):
        mine = [pair for pair in done if pair[0].lang == lang]
        if not mine:
            continue
        tried = {
            bars: [
                score_reading(CascadeEngine(rules, asked, {"zh": bars, "en": bars}), *p)
                for p in mine
            ]
            for bars in _BARS
        }
        both = {
            "rules": [score_reading(rules, *pair) for pair in mine],
            "cascade": held_out(tried),
            "cascade, default thresholds": [
                score_reading(CascadeEngine(rules, asked), *p) for p in mine
            ],
        }
        parts.append(
            compare_readers(f"`{lang}`, {len(mine)} documents", both, [("cascade", "rules")])
        )
        few = mine[: options.alone]
        if few:
            single = [score_reading(alone, *pair) for pair in few]
            three = {"rules": both["rules"][: len(few)], "cascade": both["cascade"][: len(few)]}
            pairs_of = [("cascade", "rules"), ("cascade", "openai")]
            title = (
                f"`{lang}`, the {len(few)} shortest documents, which the model also read on its own"
            )
            parts.append(compare_readers(title, {**three, "openai": single}, pairs_of))
    zh, en = BARS["zh"], BARS["en"]
    body = (
        "The documents were read in order of size, starting with the smallest, until a time limit"
        f" was reached. By then, {len(done)} of {len(pairs)} labelled documents had been read. In"
        " this comparison, the cascade asks the model only about names. In the rows named"
        " `cascade`, the thresholds for each document were derived from all other documents in the"
        " same language. The columns *from* and *to* give a 95 % confidence interval for the"
        " difference in F1.\n\n"
        "The thresholds apply to the model's log odds for a name. For Chinese documents, the"
        f" default thresholds are {zh.kept:g} and {zh.added:g}. If the rules accept a name, the"
        f" cascade keeps the name only if its log odds are at least {zh.kept:g}. If the rules leave"
        f" a name out, the cascade adds the name only if its log odds are at least {zh.added:g}."
        f" For English documents, the default thresholds are {en.kept:g} and"
        f" {en.added:g}.\n\n" + "\n".join(parts)
    )
    print(body)
    if options.write:
        command = (
            "python -m benchmarks.cascade --url URL --gold GOLD --documents DIR --unseen --write"
        )
        write_section("Rules, a small model, and a cascade of both", command, body)


if __name__ == "__main__":
    main()
