"""The engine ``cascade``: rules answer first, and a model judges what the rules leave doubtful.

Names: the model judges doubtful names one at a time and answers with one word. A name is doubtful
if the rules accepted it although its form does not suggest a sight, or if it may be a name but the
rules left it out (at most 60 such names in a document are judged). Rejected names are dropped,
names about which the model is confident are added, and the rules read the document's names and
route again. Routes: the model reads journeys in which the rules found no route. Facts: the model
reads lines that name a sight and seem to state a fact, but in which the rules found no facts. Tasks
without a document go to the model if the rules are unsure.

The model's answers go through the same evidence check as the rules' answers. If the model gives no
answer, the rules' answer is kept and the gap is recorded; any other failure of the model stops the
run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

from extractors.hostile import guard_item
from extractors.passages import join_outputs, lay_back, parts, passages, with_surroundings
from extractors.possible import possible_names
from extractors.rules import RulesEngine
from extractors.rules.common.chinese import suffix_of
from extractors.rules.en.capitals import head_of
from extractors.rules.scan import ReaderJudgement
from extractors.tasks import FactExtraction, FactReading, PoiExtraction, PoiReading, RouteReading
from extractors.tasks.name_reviews import (
    Lang,
    NameInput,
    PoiReview,
)
from extractors.text import fold
from schemas.documents import Block, Document
from schemas.reading import Fact, Mention, Span
from schemas.tasks import DocumentInput, Engine, Grounded, In, Out, Task, Unanswered, Ungrounded

_KEPT = 64
#: The model is asked about at most so many names of one document that the rules left out.
_MOST_NAMES = 60


@dataclass(frozen=True)
class Bars:
    """The lowest odds at which a name is accepted as the name of a sight.

    ``kept`` applies to names that the rules accepted, and ``added`` to names that the rules left
    out.
    """

    kept: float
    added: float


#: Chosen on labelled documents for a model with 1.5 billion parameters (benchmarks/cascade.py).
#: Somewhat higher or lower values give nearly the same results.
BARS: dict[Lang, Bars] = {"zh": Bars(kept=-2.0, added=3.0), "en": Bars(kept=-2.0, added=2.0)}


@dataclass
class _Opinions:
    """The model's verdicts on the doubtful names in one document."""

    further: list[Span] = field(default_factory=list)
    none: set[str] = field(default_factory=set)
    gaps: list[Ungrounded] = field(default_factory=list)

    @property
    def verdicts(self) -> ReaderJudgement:
        return ReaderJudgement(tuple(self.further), frozenset(self.none))


class CascadeEngine:
    """An engine that combines the rules with a model; threads may share it."""

    name = "cascade"

    def __init__(self, rules: RulesEngine, model: Engine, bars: Mapping[Lang, Bars] | None = None):
        self._rules, self._model, self._bars = rules, model, bars or BARS
        #: The model's verdicts on the doubtful names of a document; all tasks share them.
        self._opinions = lru_cache(maxsize=_KEPT)(self._ask)

    @property
    def concurrency(self) -> int:
        """Return the number of requests that may be in flight at once."""
        return int(getattr(self._model, "concurrency", 1))

    def run(self, task: Task[In, Out], item: In) -> Grounded[Out]:
        """Process one item. Raises LookupError if the rules cannot do the task."""
        first = self._rules.run(task, item)
        if isinstance(item, DocumentInput):
            return cast("Grounded[Out]", self._document(task, guard_item(item), first))
        open_question = getattr(task, "unsure", None)
        if open_question is None or not open_question(item, first.output):
            return first
        return self._second(task, item, first)

    def _second(self, task: Task[In, Out], item: In, first: Grounded[Out]) -> Grounded[Out]:
        """Return the model's answer or, if there is none, the rules' answer with a note about the
        gap.
        """
        try:
            return self._model.run(task, item)
        except Unanswered as failed:
            gap = Ungrounded(what=task.name, why=failed.reason)
            return Grounded(output=first.output, ungrounded=(*first.ungrounded, gap))

    def _document(
        self, task: Task[Any, Any], item: DocumentInput, first: Grounded[Any]
    ) -> Grounded[Any]:
        if isinstance(first.output, FactReading):
            return self._facts(item, first)
        opinions = self._opinions(item)
        read = self._rules.correct(task, item, opinions.verdicts)
        if isinstance(first.output, RouteReading):
            return self._route(task, item, read)
        gaps = tuple(opinions.gaps) if isinstance(first.output, PoiReading) else ()
        return Grounded(output=read.output, ungrounded=(*read.ungrounded, *gaps))

    def _route(
        self, task: Task[Any, Any], item: DocumentInput, read: Grounded[RouteReading]
    ) -> Grounded[RouteReading]:
        """Return the rules' route; if the rules find no route in a journey, return the model's
        route.
        """
        if read.output.route is not None:
            return read
        pois = self._rules.run(PoiExtraction(), item).output
        if pois.kind not in ("route", "diary") or not pois.mentions:
            return read
        return cast("Grounded[RouteReading]", self._second(task, item, read))

    def _facts(self, item: DocumentInput, first: Grounded[FactReading]) -> Grounded[FactReading]:
        """Return the rules' facts, and the model's facts from lines where the rules found none."""
        spans = [fact.span for fact in first.output.facts]
        mentions = self._rules.run(PoiExtraction(), item).output.mentions
        places = _lines_of(item, mentions)
        cues = {
            (start, len(block.text))
            for part in parts("fact_extraction", item, most=2**40)
            for (_at, start), block in zip(part.starts, part.item.document.blocks, strict=True)
        }

        def silent(block: Block) -> bool:
            end = block.start + len(block.text)
            told = any(span.start < end and block.start < span.end for span in spans)
            return (block.start, len(block.text)) in cues & places and not told

        chosen = with_surroundings(item.document, silent)
        if not chosen:
            return first
        part = passages(item, chosen)
        task = FactExtraction()
        second = self._second(task, part.item, Grounded(output=FactReading()))
        told = {(fold(f.poi), f.field) for f in first.output.facts}
        more = lay_back(second.output, part)
        fresh = FactReading(
            facts=tuple(
                fact for fact in more.facts
                if (fold(fact.poi), fact.field) not in told and _beside(fact, item, mentions)
            )
        )  # fmt: skip
        both = cast("FactReading", join_outputs([first.output, fresh]))
        checked = task.check(item, both)
        return Grounded(
            output=checked.output,
            ungrounded=(*first.ungrounded, *second.ungrounded, *checked.ungrounded),
        )

    def _ask(self, item: DocumentInput) -> _Opinions:
        """Ask the model about each doubtful name in a document."""
        found, text = _Opinions(), item.document.text
        lang: Lang = "zh" if item.document.lang == "zh" else "en"
        bars = self._bars[lang]
        taken, left_out = doubtful(item.document, self._rules.run(PoiExtraction(), item).output)
        for name in taken:
            odds = self._opinion(found, lang, name)
            if odds is not None and odds < bars.kept:
                found.none.add(fold(name))
        for span in left_out:
            odds = self._opinion(found, lang, text[span.start : span.end])
            if odds is not None and odds >= bars.added:
                found.further.append(span)
        return found

    def _opinion(self, found: _Opinions, lang: Lang, name: str) -> float | None:
        """Return the odds that a name belongs to a sight, or None if the model gives no answer."""
        try:
            answer = self._model.run(PoiReview(), NameInput(lang=lang, name=name))
        except Unanswered as failed:
            found.gaps.append(Ungrounded(what=PoiReview.name, why=failed.reason))
            return None
        found.gaps.extend(answer.ungrounded)
        return answer.output.odds


def doubtful(document: Document, pois: PoiReading) -> tuple[list[str], list[Span]]:
    """Return the accepted names whose form does not suggest a sight, and the names that the rules
    left out.
    """
    taken: dict[str, str] = {}
    for mention in pois.mentions:
        spoken = suffix_of(mention.name) or head_of(mention.name)
        if mention.role in ("visited", "recommended") and not spoken and not mention.standard:
            taken.setdefault(fold(mention.name), mention.name)
    names = [*(mention.name for mention in pois.mentions), *pois.decoys]
    spans = [mention.span for mention in pois.mentions]
    return list(taken.values()), possible_names(document, spans, names)[:_MOST_NAMES]


def _lines_of(item: DocumentInput, mentions: tuple[Mention, ...]) -> set[tuple[int, int]]:
    """Return the start and the length of each block that mentions a POI."""
    starts = [mention.span.start for mention in mentions]
    return {
        (block.start, len(block.text))
        for block in item.document.blocks
        if any(block.start <= at < block.start + len(block.text) for at in starts)
    }


def _beside(fact: Fact, item: DocumentInput, mentions: tuple[Mention, ...]) -> bool:
    """Check whether a fact is about a POI that the rules found in the same line."""
    text = item.document.text
    start = text.rfind("\n", 0, fact.span.start) + 1
    end = text.find("\n", fact.span.end)
    return any(
        fold(mention.name) == fold(fact.poi)
        and start <= mention.span.start < (end if end >= 0 else len(text))
        for mention in mentions
    )
