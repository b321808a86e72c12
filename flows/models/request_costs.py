"""Tokens that each task takes, counted on the requests that real documents would lead to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import sqrt
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from extractors.cascade import doubtful
from extractors.llm import LLMSettings, Prices
from extractors.llm.engine import request_body
from extractors.llm.tokens import answer_tokens, request_tokens
from extractors.passages import parts
from extractors.read import read_in_one_form
from extractors.rules import RulesEngine
from extractors.tasks import TASKS, PoiReading, RouteReading
from extractors.tasks.name_tasks import (
    Attractions,
    Described,
    Names,
    RankingRequest,
    TranslationRequest,
)
from extractors.tasks.place_tasks import (
    ConsistencyInput,
    ContextInput,
    NoisyRoute,
    NoisyVisit,
    Recalled,
)
from extractors.tasks.poi_review import Lang, NameInput
from extractors.tasks.query_tasks import QueryRequest, RewriteRequest
from flows.errors import SettingsError
from flows.models.raw_answers import raw_answer
from schemas.documents import Document
from schemas.reading import Route
from schemas.tasks import DocumentInput
from sources.web.corpus import read_folder
from sources.web.errors import UnreadableDocument

#: Names in one request of a task on lists, and characters of a place's passages.
NAMES_A_REQUEST = 40
PASSAGE_CHARACTERS = 1_200
_DESCRIPTION_CHARACTERS = 100
_RECALLED, _RECALLED_CHARACTERS = 8, 240
_BY_NAME = {task.name: task for task in TASKS}
_THREE = ("poi_extraction", "trajectory_extraction", "fact_extraction")
_ONE = ("document_reading",)


def document_tasks(*, by_one_request: bool) -> tuple[str, ...]:
    """The tasks that a build asks a model of a document."""
    return _ONE if by_one_request else _THREE


@dataclass(frozen=True)
class Cost:
    """Requests and tokens of one unit: a document, a place, a route, a query."""

    requests: float
    tokens_in: float
    tokens_out: float


@dataclass(frozen=True)
class Spread:
    """Tokens that reading one document takes: its mean, deviation, and tenth and ninetieth in 100."""

    mean: float
    deviation: float
    low: float
    high: float

    def margin(self, documents: float) -> float:
        """Share by which the mean of so many other documents may be off, 95 times in 100."""
        return 1.96 * self.deviation / max(1.0, self.mean) / sqrt(max(1.0, documents))


@dataclass(frozen=True)
class Counted:
    """What requests take, by task; the spread over documents; and what it was counted on."""

    costs: dict[str, Cost]
    documents: Spread
    source: str


class Counter:
    """Counts requests as an engine of these settings would send them."""

    def __init__(self, *, by_one_request: bool) -> None:
        self._document_tasks = document_tasks(by_one_request=by_one_request)
        free = Prices(usd_per_mtok_in=Decimal(0), usd_per_mtok_out=Decimal(0))
        self._settings = LLMSettings(model="estimate", prices=free)
        self._rules = RulesEngine()
        self._sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0, 0.0])
        self._read: list[float] = []

    def count(self, task: str, item: Any, answer: Any, units: float) -> None:
        """Add one request that serves so many units."""
        body = request_body(self._settings, _BY_NAME[task], item, _BY_NAME[task].prompt(item))
        sums = self._sums[task]
        sums[0] += units
        sums[1] += 1
        sums[2] += request_tokens(body)
        sums[3] += answer_tokens(answer)

    def document(self, document: Document) -> PoiReading:
        """Count the tasks on a document; returns its POIs as the rules read them."""
        item = DocumentInput(document=document)
        before = self._tokens()
        for name in self._document_tasks:
            pieces = parts(name, item)
            self._sums[name][0] += 1
            for piece in pieces:
                output = self._output(name, piece.item)
                self.count(name, piece.item, raw_answer(output, piece.item.document), 0)
        self._read.append(self._tokens() - before)
        reading = self._rules.run(_BY_NAME["poi_extraction"], item).output
        assert isinstance(reading, PoiReading)
        self._doubts(document, reading)
        route = self._rules.run(_BY_NAME["trajectory_extraction"], item).output
        if isinstance(route, RouteReading) and route.route:
            self._route(route.route)
        return reading

    def _output(self, name: str, item: DocumentInput) -> Any:
        """What the rules read in the place of a task's answer."""
        if name in _ONE:
            return read_in_one_form(self._rules, item)[0]
        return self._rules.run(_BY_NAME[name], item).output

    def _doubts(self, document: Document, reading: PoiReading) -> None:
        """Count what a cascade asks about the names of a document, one by one."""
        taken, left_out = doubtful(document, reading)
        names = [*taken, *(document.text[s.start : s.end] for s in left_out)]
        lang: Lang = "zh" if document.lang == "zh" else "en"
        self._sums["poi_review"][0] += 1
        for name in names:
            self.count("poi_review", NameInput(lang=lang, name=name), "是", 0)

    def _route(self, route: Route) -> None:
        names = sorted({visit.name for visit in route.visits})
        visits = tuple(NoisyVisit(day=v.day, order=v.order, name=v.name) for v in route.visits)
        item = NoisyRoute(visits=visits, standards=tuple((name, ()) for name in names))
        answer = [{"number": n, "standard": v.name} for n, v in enumerate(visits, 1)]
        self.count("trajectory_denoising", item, {"stops": answer}, 1)

    def places(self, passages: dict[str, str]) -> None:
        """Count the tasks on places, whose passages are given by name."""
        for name, text in passages.items():
            item = ContextInput(poi=name, text=text)
            quote = text[:60]
            tags = [{"field": f, "value": "09:00-17:00", "evidence": quote}
                    for f in ("opening_hours", "arrival_time", "duration_hours")]  # fmt: skip
            tags.append({"field": "description", "value": text[:120], "evidence": quote})
            self.count("context_tagging", item, {"tags": tags}, 1)
        names = list(passages)
        for start in range(0, len(names), NAMES_A_REQUEST):
            self._names(names[start : start + NAMES_A_REQUEST], passages)

    def _names(self, some: list[str], passages: dict[str, str]) -> None:
        n = len(some)
        drop = [{"name": x, "reason": "not_attraction", "of": None} for x in some[::5]]
        self.count("poi_purification", Names(city="城市", names=tuple(some)), {"drop": drop}, n)
        described = tuple(
            Described(name=x, description=passages[x][:_DESCRIPTION_CHARACTERS]) for x in some
        )
        types = [{"name": x, "base": "historic_site",
                  "trends": [{"code": "city_landmark", "evidence": x}]} for x in some]  # fmt: skip
        self.count("attraction_classification", Attractions(places=described), {"places": types}, n)
        pairs = [{"number": i, "translation": "Name of the Place"} for i in range(1, n + 1)]
        request = TranslationRequest(source="zh", texts=tuple(some))
        self.count("translation", request, {"texts": pairs}, n)
        texts = tuple(passages[x][:_RECALLED_CHARACTERS] for x in some[:_RECALLED])
        ranked = RankingRequest(city="城市", names=tuple(some), texts=texts)
        self.count("popularity_ranking", ranked, {"ranking": some}, 1)

    def queries(self, texts: Sequence[str]) -> None:
        """Count the tasks on a query, with documents of this kind recalled for it."""
        asked = QueryRequest(city_zh="杭州", city_en="Hangzhou", constraint_kind="season",
                             constraint_code="spring", n_days=3)  # fmt: skip
        self.count("query_writing", asked, {"queries": ["杭州春季三日游"]}, 1)
        rewrite = RewriteRequest(query="杭州春季三日游", city_zh="杭州", city_en="Hangzhou",
                                 purpose="route", number=3)  # fmt: skip
        three = ["杭州春季三日游 行程安排 路线"] * 3
        self.count("sub_query_rewriting", rewrite, {"sub_queries": three}, 1)
        items = tuple(
            Recalled(item_id=str(n), text=text[:_RECALLED_CHARACTERS])
            for n, text in enumerate(texts[:_RECALLED])
        )
        verdicts = [{"number": n, "verdict": "consistent", "evidence": item.text[:12]}
                    for n, item in enumerate(items, 1)]  # fmt: skip
        judged = ConsistencyInput(query="杭州春季三日游", city_names=("杭州",), items=items)
        self.count("consistency_judgement", judged, {"items": verdicts}, 1)

    def _tokens(self) -> float:
        return sum(sum(self._sums[name][2:]) for name in self._document_tasks)

    def spread(self) -> Spread:
        """Tokens of a document over the documents that were counted, at least one."""
        read = sorted(self._read)
        tenth = len(read) // 10
        return Spread(
            mean=round(fmean(read), 1), deviation=round(pstdev(read), 1),
            low=read[tenth], high=read[-1 - tenth],
        )  # fmt: skip

    def costs(self) -> dict[str, Cost]:
        """Mean cost of a unit by task."""
        return {
            task: Cost(*(round(value / max(1.0, sums[0]), 2) for value in sums[1:]))
            for task, sums in sorted(self._sums.items())
        }


def costs_of(roots: Sequence[Path], *, by_one_request: bool) -> Counted:
    """Costs counted on all documents below folders, and what they were counted on.

    Raises SettingsError where there is nothing to count, CorpusError for a missing folder.
    """
    corpus = read_folder(list(roots))

    def documents() -> Iterable[Document]:
        for file in corpus.files:
            try:
                yield corpus.load(file)
            except UnreadableDocument:
                continue

    return counted(documents, by_one_request=by_one_request)


def counted(documents: Callable[[], Iterable[Document]], *, by_one_request: bool) -> Counted:
    """Costs counted on documents, and what they were counted on."""
    counter, texts = Counter(by_one_request=by_one_request), []
    passages: dict[str, str] = {}
    number = 0
    for document in documents():
        reading = counter.document(document)
        number += 1
        if reading.mentions:
            texts.append(document.text)
        for mention in reading.mentions:
            held = passages.get(mention.name, "")
            if len(held) < PASSAGE_CHARACTERS:
                start = max(0, mention.span.start - 100)
                more = document.text[start : mention.span.end + 200]
                passages[mention.name] = f"{held}\n{more}".strip()[:PASSAGE_CHARACTERS]
    if not passages:
        raise SettingsError("the documents name no place: there is nothing to estimate on")
    counter.places(passages)
    counter.queries(texts)
    source = f"{number} documents and {len(passages)} names"
    return Counted(counter.costs(), counter.spread(), source)
