"""The engine ``cascade``: rules first, and a model for what the rules are unsure of.

What the rules are sure of stands. A model is shown the passages of unsure names, the document of
a journey whose route the rules did not find, and the lines that may state a fact and gave none.
Its answers pass the same evidence check. Where the model has no answer the rules' answer stands
and the gap is named; what stops the model stops the run.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any, cast

from extractors.hostile import guarded
from extractors.passages import joined, laid_back, parts, passages, with_surroundings
from extractors.tasks import FactExtraction, FactReading, PoiExtraction, PoiReading, RouteReading
from extractors.tasks.poi_review import REACH, PoiReview, Review, ReviewInput
from extractors.text import fold
from schemas.documents import Block
from schemas.reading import Fact, Mention, Route, Visit
from schemas.tasks import DocumentInput, Engine, Grounded, In, Out, Task, Unanswered, Ungrounded

#: Mentions below this confidence are shown to the model, unless a gazetteer knows them.
SURE = 0.7
#: Names in one request.
_NAMES_A_REQUEST = 25
_KEPT = 64
#: What a name is that is no attraction.
_NO_SIGHTS = frozenset(["hotel", "restaurant", "shop", "transport", "region", "food", "phrase"])


class CascadeEngine:
    """Rules and a model behind one engine. Safe to share by threads."""

    name = "cascade"

    def __init__(self, rules: Engine, model: Engine):
        self._rules, self._model = rules, model
        self._reviews: OrderedDict[str, Grounded[Review]] = OrderedDict()
        self._lock = Lock()

    @property
    def concurrency(self) -> int:
        """Requests that may be in flight at once."""
        return int(getattr(self._model, "concurrency", 1))

    def run(self, task: Task[In, Out], item: In) -> Grounded[Out]:
        """Answer one item; raises LookupError for a task that rules cannot do."""
        first = self._rules.run(task, item)
        if isinstance(item, DocumentInput):
            return cast("Grounded[Out]", self._document(task, guarded(item), first))
        open_question = getattr(task, "unsure", None)
        if open_question is None or not open_question(item, first.output):
            return first
        return self._second(task, item, first)

    def _second(self, task: Task[In, Out], item: In, first: Grounded[Out]) -> Grounded[Out]:
        """The model's answer, else the rules' with the gap named."""
        try:
            return self._model.run(task, item)
        except Unanswered as failed:
            gap = Ungrounded(what=task.name, why=failed.reason)
            return Grounded(output=first.output, ungrounded=(*first.ungrounded, gap))

    def _document(
        self, task: Task[Any, Any], item: DocumentInput, first: Grounded[Any]
    ) -> Grounded[Any]:
        output = first.output
        if isinstance(output, PoiReading):
            return self._pois(item, Grounded(output=output, ungrounded=first.ungrounded))
        if isinstance(output, RouteReading):
            return self._route(task, item, Grounded(output=output, ungrounded=first.ungrounded))
        if isinstance(output, FactReading):
            return self._facts(item, Grounded(output=output, ungrounded=first.ungrounded))
        return first

    def _pois(self, item: DocumentInput, first: Grounded[PoiReading]) -> Grounded[PoiReading]:
        """Mentions without those that the model knows for something else."""
        output = first.output
        review = self._review(item, output.mentions)
        no_sights = _no_sights(review.output)
        kept = tuple(m for m in output.mentions if fold(m.name) not in no_sights)
        gone = [m.name for m in output.mentions if fold(m.name) in no_sights]
        changed = output.model_copy(
            update={"mentions": kept, "decoys": tuple(dict.fromkeys([*output.decoys, *gone]))}
        )
        return Grounded(output=changed, ungrounded=(*first.ungrounded, *review.ungrounded))

    def _route(
        self, task: Task[Any, Any], item: DocumentInput, first: Grounded[RouteReading]
    ) -> Grounded[RouteReading]:
        """The rules' route without what is no attraction; the model's where there is none."""
        pois = self._rules.run(PoiExtraction(), item).output
        if first.output.route is None:
            if pois.kind not in ("route", "diary") or not pois.mentions:
                return first
            return cast("Grounded[RouteReading]", self._second(task, item, first))
        no_sights = _no_sights(self._review(item, pois.mentions).output)
        visits: list[Visit] = []
        for visit in first.output.route.visits:
            if fold(visit.name) not in no_sights:
                order = 1 + sum(held.day == visit.day for held in visits)
                visits.append(visit.model_copy(update={"order": order}))
        route = Route(visits=tuple(visits)) if visits else None
        reason = first.output.reason if route else "no visit is an attraction"
        return Grounded(
            output=RouteReading(route=route, reason=reason), ungrounded=first.ungrounded
        )

    def _facts(self, item: DocumentInput, first: Grounded[FactReading]) -> Grounded[FactReading]:
        """The rules' facts, and the model's from lines that may state one and gave none."""
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
        more = laid_back(second.output, part)
        fresh = FactReading(
            facts=tuple(
                fact for fact in more.facts
                if (fold(fact.poi), fact.field) not in told and _beside(fact, item, mentions)
            )
        )  # fmt: skip
        both = cast("FactReading", joined([first.output, fresh]))
        checked = task.check(item, both)
        return Grounded(
            output=checked.output,
            ungrounded=(*first.ungrounded, *second.ungrounded, *checked.ungrounded),
        )

    def _review(self, item: DocumentInput, mentions: tuple[Mention, ...]) -> Grounded[Review]:
        """What the model takes the unsure names of a document for, asked once for all tasks."""
        unsure: dict[str, Mention] = {}
        for mention in mentions:
            if mention.confidence < SURE and mention.standard is None:
                unsure.setdefault(fold(mention.name), mention)
        found: list[Grounded[Review]] = []
        names = list(unsure.values())
        for start in range(0, len(names), _NAMES_A_REQUEST):
            found.append(self._agreed(_question(item, names[start : start + _NAMES_A_REQUEST])))
        judged = tuple(name for part in found for name in part.output.names)
        aside = tuple(gap for part in found for gap in part.ungrounded)
        return Grounded(output=Review(names=judged), ungrounded=aside)

    def _agreed(self, question: ReviewInput) -> Grounded[Review]:
        """What the model says of names in one order and again in the other.

        A guess hangs on the place in the list, knowledge does not: where the two differ, the
        model is unsure as well, and the rules' answer stands.
        """
        first = self._asked(question)
        if not _no_sights(first.output):
            return first
        turned = question.model_copy(
            update={"names": question.names[::-1], "passages": question.passages[::-1]}
        )
        second = self._asked(turned)
        kinds = {judged.name: judged.kind for judged in second.output.names}
        same = tuple(j for j in first.output.names if kinds.get(j.name) == j.kind)
        return Grounded(
            output=Review(names=same), ungrounded=(*first.ungrounded, *second.ungrounded)
        )

    def _asked(self, question: ReviewInput) -> Grounded[Review]:
        key = question.model_dump_json()
        with self._lock:
            held = self._reviews.get(key)
        if held is None:
            held = self._second(PoiReview(), question, Grounded(output=Review()))
            with self._lock:
                self._reviews[key] = held
                while len(self._reviews) > _KEPT:
                    self._reviews.popitem(last=False)
        return held


def _question(item: DocumentInput, names: list[Mention]) -> ReviewInput:
    text = item.document.text
    shown = []
    for mention in names:
        start, end = mention.span.start, mention.span.end
        before = text[max(0, start - REACH) : start].rsplit("\n", 1)[-1]
        after = text[end : end + REACH].split("\n", 1)[0]
        shown.append(f"{before}{text[start:end]}{after}")
    return ReviewInput(city=item.city, names=tuple(m.name for m in names), passages=tuple(shown))


def _no_sights(review: Review) -> set[str]:
    return {fold(judged.name) for judged in review.names if judged.kind in _NO_SIGHTS}


def _lines_of(item: DocumentInput, mentions: tuple[Mention, ...]) -> set[tuple[int, int]]:
    """Start and length of the blocks that name a POI."""
    starts = [mention.span.start for mention in mentions]
    return {
        (block.start, len(block.text))
        for block in item.document.blocks
        if any(block.start <= at < block.start + len(block.text) for at in starts)
    }


def _beside(fact: Fact, item: DocumentInput, mentions: tuple[Mention, ...]) -> bool:
    """Whether a fact is about a POI that the rules know and that its own line names."""
    text = item.document.text
    start = text.rfind("\n", 0, fact.span.start) + 1
    end = text.find("\n", fact.span.end)
    return any(
        fold(mention.name) == fold(fact.poi)
        and start <= mention.span.start < (end if end >= 0 else len(text))
        for mention in mentions
    )
