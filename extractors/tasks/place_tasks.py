"""Tasks that judge places and routes: tags in a context, denoising, consistency with a query.

After TP-RAG, appendix E.1: hours in 24 h form, an arrival window, a duration in hours and a
description of at most 50 words; noisy routes brought to the names of a standard list.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from extractors.evidence import fact_problem
from extractors.tasks.prompting import asked, one_line, read_as, rows, text_of
from extractors.tasks.query_tasks import days_in
from extractors.text import fold, locate
from schemas.descriptions import MOST_WORDS, WORD, word_count
from schemas.reading import Fact, FactField, Span
from schemas.tasks import Grounded, Ungrounded

_FROZEN = ConfigDict(frozen=True)
TagField = Literal["opening_hours", "arrival_time", "duration_hours", "description"]
#: Least share of a description's words that stand in the passages.
LEAST_SHARED = 0.7
#: A capital within a sentence.
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][A-Za-z]+")
TAG_FORMS = {
    "opening_hours": r"\d{1,2}:\d\d-\d{1,2}:\d\d",
    "arrival_time": r"\d{1,2}:\d\d(?:-\d{1,2}:\d\d)?",
    "duration_hours": r"\d+(?:\.\d+)?(?:-\d+(?:\.\d+)?)?",
}
#: Least likeness (rapidfuzz partial ratio, 0 to 100) of a route's name to its standard name.
LEAST_LIKENESS = 60


class ContextInput(BaseModel):
    """A place, a context, and passages about the place. No words: the place in any context."""

    model_config = _FROZEN
    poi: str
    names: tuple[str, ...] = ()
    context_words: tuple[str, ...] = ()
    text: str


class ContextTag(BaseModel):
    """One statement about a place in a context, with its quote's span in the text."""

    model_config = _FROZEN
    field: TagField
    value: str = Field(min_length=1, max_length=400)
    span: Span


class ContextTags(BaseModel):
    """What the passages say about a place in a context."""

    model_config = _FROZEN
    tags: tuple[ContextTag, ...] = ()


class ContextTagging:
    """Hours, arrival window, duration and a short description of a place in a context."""

    name = "context_tagging"
    version = 2
    input_model = ContextInput
    output_model = ContextTags

    def prompt(self, item: ContextInput) -> list[dict[str, str]]:
        """Chat messages."""
        rules = (
            "State what the passages say about one place. Fields: opening_hours HH:MM-HH:MM; "
            "arrival_time, the recommended arrival window, HH:MM-HH:MM; duration_hours, decimal; "
            f"description, at most {MOST_WORDS} words, only from the passages and in their language. "
            "With a context, "
            "give only what a sentence states for that context by name. Leave out what is not "
            'said. Answer: {"tags": [{"field": .., "value": .., "evidence": exact quote}]}.'
        )
        context = f"\nContext: {', '.join(item.context_words)}" if item.context_words else ""
        return asked(rules, f"Place: {item.poi}{context}\nPassages:\n{item.text}")

    def parse(self, raw: dict[str, Any], item: ContextInput) -> ContextTags:
        """Read a raw answer; raises ValueError."""
        found = []
        for row in rows(raw, "tags"):
            at = locate(text_of(row, "evidence"), item.text)
            outside = len(item.text)
            start, end = at or (outside, outside + 1)
            found.append(
                {"field": row.get("field"), "value": text_of(row, "value"),
                 "span": {"start": start, "end": end}}
            )  # fmt: skip
        return read_as(ContextTags, {"tags": found})

    def check(self, item: ContextInput, output: ContextTags) -> Grounded[ContextTags]:
        """Keep what its quote states, of the right form, and where the context is named."""
        kept: dict[str, ContextTag] = {}
        missing: list[Ungrounded] = []
        for tag in output.tags:
            problem = self._problem(item, tag)
            if problem:
                missing.append(Ungrounded(what=f"{item.poi}: {tag.field}", why=problem))
            else:
                kept.setdefault(tag.field, tag)
        return Grounded(output=ContextTags(tags=tuple(kept.values())), ungrounded=tuple(missing))

    def _problem(self, item: ContextInput, tag: ContextTag) -> str | None:
        if tag.span.end > len(item.text):
            return "its quote is not in the passages"
        start, end = sentence_of(item.text, tag.span)
        around = item.text[start:end]
        if item.context_words and not any(locate(word, around) for word in item.context_words):
            return "its sentence does not name the context"
        if not any(locate(name, item.text) for name in (item.poi, *item.names)):
            return "the passages do not name the place"
        if tag.field == "description":
            return _described(tag.value, item.text)
        if not re.fullmatch(TAG_FORMS[tag.field], tag.value):
            return "is not of the field's form"
        named = item.text if locate(item.poi, item.text) else f"{item.text}\n{item.poi}"
        fact = Fact(poi=item.poi, field=_AS_FACT[tag.field], value=tag.value, span=tag.span)
        return fact_problem(fact, named, ())


_AS_FACT: dict[str, FactField] = {
    "opening_hours": "opening_hours",
    "arrival_time": "arrival_time",
    "duration_hours": "duration_hours",
}


def sentence_of(text: str, span: Span) -> tuple[int, int]:
    """The sentence or line that a span stands in."""
    start = max((text.rfind(mark, 0, span.start) for mark in "\n。！？!?"), default=-1) + 1
    ends = [at for mark in "\n。！？!?" if (at := text.find(mark, span.end - 1)) >= 0]
    return start, min(ends, default=len(text))


def _described(value: str, text: str) -> str | None:
    """Why a description is not one: too long, or with a number, a name or many words of its own.

    A name is a Latin word with a capital that does not begin a sentence.
    """
    words = WORD.findall(value)
    if word_count(value) > MOST_WORDS:
        return f"has more than {MOST_WORDS} words"
    if any(number not in text for number in re.findall(r"\d+", value)):
        return "has a number that the passages do not"
    known = set(WORD.findall(fold(text) + " " + text.lower()))
    if any(name.lower() not in known for name in _NAME.findall(value)):
        return "has a name that the passages do not"
    shared = sum(word.lower() in known for word in words)
    return None if words and LEAST_SHARED * len(words) <= shared else "is not said in the passages"


class NoisyVisit(BaseModel):
    """One stop of a route in the document's words."""

    model_config = _FROZEN
    day: int = Field(ge=0)
    order: int = Field(ge=1)
    name: str


class NoisyRoute(BaseModel):
    """A route and the names that its stops may have: standard name with other names."""

    model_config = _FROZEN
    visits: tuple[NoisyVisit, ...] = Field(min_length=1)
    standards: tuple[tuple[str, tuple[str, ...]], ...] = Field(min_length=1)


class CleanVisit(BaseModel):
    """A stop after denoising; ``standard`` is None where it was deleted."""

    model_config = _FROZEN
    day: int
    order: int
    name: str
    standard: str | None = None


class CleanRoute(BaseModel):
    """Every stop of a noisy route, renamed or deleted; none added, none moved."""

    model_config = _FROZEN
    visits: tuple[CleanVisit, ...] = ()


class TrajectoryDenoising:
    """Brings the stops of a route to standard names, and deletes those that have none."""

    name = "trajectory_denoising"
    version = 1
    input_model = NoisyRoute
    output_model = CleanRoute

    def prompt(self, item: NoisyRoute) -> list[dict[str, str]]:
        """Chat messages."""
        rules = (
            "For each numbered stop of a route choose the standard name of the same place, or "
            "null where the list has none or the stop is no attraction. Add and move nothing. "
            'Answer: {"stops": [{"number": .., "standard": name as listed or null}]}.'
        )
        listed = "\n".join(
            f"- {standard}" + (f" (also {', '.join(names)})" if names else "")
            for standard, names in item.standards
        )
        stops = "\n".join(f"{n}. {one_line(v.name)}" for n, v in enumerate(item.visits, 1))
        return asked(rules, f"Standard names:\n{listed}\nStops:\n{stops}")

    def parse(self, raw: dict[str, Any], item: NoisyRoute) -> CleanRoute:
        """Read a raw answer; raises ValueError."""
        chosen: dict[int, Any] = {}
        for row in rows(raw, "stops"):
            number = row.get("number")
            if type(number) is not int or not 1 <= number <= len(item.visits):
                raise ValueError(f"{number!r} is the number of no stop")
            chosen.setdefault(number, row.get("standard"))
        visits = [
            {**visit.model_dump(), "standard": chosen.get(number)}
            for number, visit in enumerate(item.visits, 1)
        ]
        return read_as(CleanRoute, {"visits": visits})

    def check(self, item: NoisyRoute, output: CleanRoute) -> Grounded[CleanRoute]:
        """Keep renamings to listed names that are like the stop's; the others are deleted."""
        names = {standard: (standard, *others) for standard, others in item.standards}
        given = {(v.day, v.order): v.standard for v in output.visits}
        asked_for = {(v.day, v.order) for v in item.visits}
        missing = [
            Ungrounded(what=v.name, why="is no stop of the route")
            for v in output.visits if (v.day, v.order) not in asked_for
        ]  # fmt: skip
        kept = []
        for visit in item.visits:
            standard = given.get((visit.day, visit.order))
            if standard is not None:
                problem = None if standard in names else "is no standard name"
                if problem is None and likeness(visit.name, names[standard]) < LEAST_LIKENESS:
                    problem = f"is not like {standard}"
                if problem:
                    missing.append(Ungrounded(what=f"{visit.name}: {standard}", why=problem))
                    standard = None
            kept.append(
                CleanVisit(day=visit.day, order=visit.order, name=visit.name, standard=standard)
            )
        return Grounded(output=CleanRoute(visits=tuple(kept)), ungrounded=tuple(missing))

    def unsure(self, item: NoisyRoute, output: CleanRoute) -> bool:
        """Whether a stop found no standard name."""
        return any(visit.standard is None for visit in output.visits)


def likeness(name: str, others: tuple[str, ...]) -> float:
    """How alike a name is to the likest of others, 0 to 100."""
    # Only needed here, and not at every start.
    from rapidfuzz import fuzz

    return max(fuzz.partial_ratio(fold(name), fold(other)) for other in others)


class Recalled(BaseModel):
    """Something that was recalled for a query, and its text."""

    model_config = _FROZEN
    item_id: str
    text: str


class ConsistencyInput(BaseModel):
    """A query by its parts, and what was recalled for it."""

    model_config = _FROZEN
    query: str
    city_names: tuple[str, ...] = Field(min_length=1)
    n_days: int | None = None
    constraint_words: tuple[str, ...] = ()
    other_words: tuple[str, ...] = Field(
        default=(), description="words of constraints that exclude the query's"
    )
    items: tuple[Recalled, ...] = Field(min_length=1)


Verdict = Literal["consistent", "inconsistent", "unknown"]


class Judgement(BaseModel):
    """Whether an item fits its query; the span is the quote's in the item's text."""

    model_config = _FROZEN
    item_id: str
    verdict: Verdict
    span: Span | None = None


class Judgements(BaseModel):
    """Verdicts on recalled items."""

    model_config = _FROZEN
    items: tuple[Judgement, ...] = ()


class ConsistencyJudgement:
    """Whether what was recalled fits a query; a verdict without a quote is unknown."""

    name = "consistency_judgement"
    version = 1
    input_model = ConsistencyInput
    output_model = Judgements

    def prompt(self, item: ConsistencyInput) -> list[dict[str, str]]:
        """Chat messages."""
        rules = (
            "Judge for each numbered text whether it fits the travel query: city, days, and wish. "
            "consistent or inconsistent needs a quote that shows it; otherwise unknown. "
            'Answer: {"items": [{"number": .., "verdict": .., "evidence": exact quote or null}]}.'
        )
        shown = "\n".join(f"{n}. {one_line(r.text)}" for n, r in enumerate(item.items, 1))
        return asked(rules, f"Query: {one_line(item.query)}\n{shown}")

    def parse(self, raw: dict[str, Any], item: ConsistencyInput) -> Judgements:
        """Read a raw answer; raises ValueError."""
        found = []
        for row in rows(raw, "items"):
            number = row.get("number")
            if type(number) is not int or not 1 <= number <= len(item.items):
                raise ValueError(f"{number!r} is the number of no text")
            recalled = item.items[number - 1]
            quote = row.get("evidence")
            at = locate(str(quote), recalled.text) if quote else None
            outside = len(recalled.text)
            span = at or ((outside, outside + 1) if quote else None)
            found.append(
                {"item_id": recalled.item_id, "verdict": row.get("verdict"),
                 "span": {"start": span[0], "end": span[1]} if span else None}
            )  # fmt: skip
        return read_as(Judgements, {"items": found})

    def check(self, item: ConsistencyInput, output: Judgements) -> Grounded[Judgements]:
        """One verdict an item; one whose quote does not stand in its text becomes unknown."""
        texts = {recalled.item_id: recalled.text for recalled in item.items}
        kept: dict[str, Judgement] = {}
        missing: list[Ungrounded] = []
        for found in output.items:
            text = texts.get(found.item_id)
            if text is None or found.item_id in kept:
                missing.append(Ungrounded(what=found.item_id, why="was not asked about"))
                continue
            stands = found.span is not None and found.span.end <= len(text)
            if found.verdict != "unknown" and not stands:
                missing.append(Ungrounded(what=found.item_id, why="its quote is not in the text"))
            sure = found.verdict != "unknown" and stands
            kept[found.item_id] = (
                found if sure else Judgement(item_id=found.item_id, verdict="unknown")
            )
        ordered = tuple(
            kept.get(r.item_id, Judgement(item_id=r.item_id, verdict="unknown")) for r in item.items
        )
        return Grounded(output=Judgements(items=ordered), ungrounded=tuple(missing))

    def unsure(self, item: ConsistencyInput, output: Judgements) -> bool:
        """Whether a verdict is unknown."""
        return any(found.verdict == "unknown" for found in output.items)


def days_differ(text: str, n_days: int | None) -> bool:
    """Whether a text states a number of days, and only others than these."""
    said = days_in(text)
    return n_days is not None and bool(said) and n_days not in said
