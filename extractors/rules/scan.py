"""Reads names, days, roles, the route and facts in one pass through a document."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from extractors.lists import is_list
from extractors.rules.common.chinese import names_city, names_town
from extractors.rules.common.days import find_days
from extractors.rules.common.dictionary import cut_words
from extractors.rules.common.facts import find_facts
from extractors.rules.common.gazetteer import NameGazetteer
from extractors.rules.common.grouping import (
    Sight,
    places_of,
    same_name,
    without_lead_ins,
    without_overlaps,
    without_tails,
)
from extractors.rules.common.lines import Hit, Line, as_written, hit_at, in_rows, lines_of
from extractors.rules.common.tables import table_statements as tables_zh
from extractors.rules.en import facts as facts_en
from extractors.rules.en import names as names_en
from extractors.rules.en.capitals import candidates, is_place
from extractors.rules.en.plans import find_set_out_days
from extractors.rules.en.tables import table_statements as tables_en
from extractors.rules.roles import assign_roles, kind_of
from extractors.rules.route import build_route
from extractors.rules.zh import facts as facts_zh
from extractors.rules.zh import names as names_zh
from extractors.rules.zh.weighing import WeighedSights, judge
from extractors.tasks.reading_tasks import FactReading, PoiReading, RouteReading
from extractors.text import fold
from schemas.documents import Document
from schemas.reading import DocumentKind, Mention, Route, Span

_CONFIDENCE = {
    "chain": 0.9, "lead": 0.85, "heading": 0.85, "gazetteer": 0.9, "verb": 0.75,
    "suffix": 0.6, "echo": 0.6, "object": 0.4, "logistics": 0.5, "told": 0.7, "judged": 0.6,
}  # fmt: skip


@dataclass(frozen=True)
class ReaderJudgement:
    """A different reader's judgement of a document: additional sights, and names of things other
    than sights.
    """

    further: tuple[Span, ...] = ()
    none: frozenset[str] = frozenset()  # folded names


_NO_JUDGEMENT = ReaderJudgement()


@dataclass(frozen=True)
class Scan:
    """Everything that the rules find in a document; each task returns a part of it."""

    pois: PoiReading
    route: RouteReading
    facts: FactReading


def scan(
    document: Document, gazetteer: NameGazetteer, verdicts: ReaderJudgement = _NO_JUDGEMENT
) -> Scan:
    """Read a document by rules alone, or by rules corrected by a different reader's judgement."""
    lines = lines_of(document)
    lang = "zh" if document.lang == "zh" else "en"
    days = find_days(lines)
    if lang == "en":
        days = find_set_out_days(lines, days)
    find_names = names_zh.find_names if lang == "zh" else names_en.find_names
    facts = facts_zh if lang == "zh" else facts_en
    tables = tables_zh if lang == "zh" else tables_en
    names = find_names(lines, days, gazetteer)
    found = without_overlaps([*names.hits, *_further(verdicts.further, lines)])
    if lang == "zh":
        found = without_lead_ins(found)
    every = _every(found, document.text, lang)
    places = [p for p in every if not {fold(hit.name) for hit in p.hits} <= verdicts.none]
    kind = kind_of(lines, days, lang) if places else "none"
    assign_roles(places, lines, days, kind, lang)
    route, reason = build_route(places, lines, days, kind, lang) if places else (None, "no POI")
    # A list recommends nothing, so it has no roles to judge, and it may name thousands of places.
    if lang == "zh" and places and not is_list(document, has_route=route is not None):
        said = judge(lines, days, kind, places, route, verdicts.none)
        places = _judge_places(said, places, document.text)
        assign_roles(places, lines, days, kind, lang)
        _hold(said, places, kind)
        route, reason = build_route(places, lines, days, kind, lang)
    held = {hit.start for p in places for hit in p.hits}
    fallen = [(p.hits[0].start, p.name) for p in every if p.hits[0].start not in held]
    stated = find_facts(places, lines, facts.statements, facts.LIMITS, tables)
    return Scan(
        PoiReading(
            kind=kind,
            cities=_cities(lines, lang),
            days_stated=days.stated,
            mentions=_mentions(places, route),
            decoys=_decoys([*names.decoys, *fallen], places),
        ),
        RouteReading(route=route, reason=reason),
        FactReading(facts=tuple(stated)),
    )


def _every(found: list[Hit], text: str, lang: str) -> list[Sight]:
    """Return the places for which the hits give enough evidence."""
    every = [p for p in places_of(in_rows(as_written(found, text), text)) if _is_believed(p)]
    if lang == "zh":
        names_of = {hit.name for place in every for hit in place.hits}
        every = without_tails(every, lambda town: town in names_of or names_town(town))
    return every


def _judge_places(said: WeighedSights, places: list[Sight], text: str) -> list[Sight]:
    """Return the rules' places and the additional sights, which replace any places that they
    overlap.
    """
    taken = {at for hit in said.further for at in range(hit.start, hit.end)}
    standing = [
        hit for place in places for hit in place.hits
        if taken.isdisjoint(range(hit.start, hit.end))
    ]  # fmt: skip
    return _every([*standing, *said.further], text, "zh")


def _hold(said: WeighedSights, places: list[Sight], kind: DocumentKind) -> None:
    """Set the roles of places as judged, except the role of places that the text rejects.

    An accepted place that only the judgement added is visited or recommended. A place that is not
    accepted is only mentioned.
    """
    for place in places:
        stands = not said.sights.isdisjoint((hit.start, hit.end) for hit in place.hits)
        added = place.sources == {"judged"}
        if stands and added and place.role != "rejected":
            place.role = "visited" if kind == "diary" else "recommended"
        elif not stands and place.role in ("visited", "recommended"):
            place.role = "mentioned"


def _further(spans: tuple[Span, ...], lines: list[Line]) -> list[Hit]:
    """Return hits for the names that a different reader adds."""
    return [
        hit_at(line, span.start - line.start, span.end - line.start, "told")
        for span in spans
        for line in lines
        if line.start <= span.start and span.end <= line.start + len(line.text)
    ]


def _is_believed(place: Sight) -> bool:
    """Check whether there is enough evidence for a place; a place that was found only as the object
    of a verb must occur at least twice.
    """
    return place.sources != {"object"} or len(place.hits) > 1


def _mentions(places: list[Sight], route: Route | None) -> tuple[Mention, ...]:
    stops = {(v.span.start, v.span.end): v for v in (route.visits if route else ())}
    mentions = []
    for place in places:
        sure = max(_CONFIDENCE[hit.source] for hit in place.hits)
        first = place.name
        for hit in place.hits:
            stop = stops.get((hit.start, hit.end))
            mentions.append(
                Mention(
                    name=hit.name, span=Span(start=hit.start, end=hit.end), role=place.role,
                    standard=place.standard or _alias(hit, first), parent=place.parent,
                    confidence=sure,
                    day=stop.day if stop else None, order=stop.order if stop else None,
                )
            )  # fmt: skip
    return tuple(sorted(mentions, key=lambda m: (m.span.start, m.span.end)))


def _alias(hit: Hit, first: str) -> str | None:
    """Return the first name of a place if the hit has a different name; otherwise, return None."""
    return None if same_name(hit.name, first) else first


def _decoys(found: list[tuple[int, str]], places: list[Sight]) -> tuple[str, ...]:
    names = {
        form for p in places for hit in p.hits for form in (hit.name, hit.standard or hit.name)
    }
    seen = dict.fromkeys(name for _start, name in sorted(found) if name not in names)
    return tuple(seen)


def _cities(lines: list[Line], lang: str) -> tuple[str, ...]:
    """Return the cities in the title and headings, or else the city that occurs most often."""

    def cities_of(text: str) -> list[str]:
        if lang == "zh":
            return [w.removesuffix("市") for w in cut_words(text) if len(w) > 1 and names_city(w)]
        return [text[a:b] for a, b in candidates(text) if is_place(text[a:b])]

    head = [c for line in lines if line.is_head for c in cities_of(line.text)]
    counts = Counter(head) or Counter(c for line in lines for c in cities_of(line.text))
    ranked = sorted(counts, key=lambda c: (-counts[c], c))
    return tuple(ranked[: 3 if head else 1])
