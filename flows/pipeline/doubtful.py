"""Lets a model decide on the links that the rules leave for review.

From a short list, the model chooses the place that a name refers to. If the build has a model, the
stage ``link`` lets the model decide doubtful links. The answer counts only if it is one of the
places that were offered to the model. If the model chooses none of the places or gives no answer,
people review the link.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from extractors.ask_all import ask_all
from extractors.tasks.name_reviews import (
    DoubtfulName,
    DoubtfulNames,
    LinkReview,
    Offered,
)
from geocoding.linking.index import OpenCity, PlaceIndex
from geocoding.linking.told import Link, Linked, Name, ReadDocument
from geocoding.resolve import candidates_for
from schemas.cities import City
from schemas.tasks import Engine, Unanswered

#: Limits of one request: its names, the places offered for each name, the other names given for
#: each place, and the characters on each side of a name.
_TOGETHER, _MOST_OFFERED, _MOST_NAMES, _AROUND = 8, 4, 3, 60
#: How certain a model's choice is, in hundredths (measured by benchmarks/task_worth.py).
_CHOSEN = 90


def decide_links(
    engine: Engine, asked: Sequence[tuple[str, DoubtfulNames]], found: Mapping[str, Linked],
    index: PlaceIndex,
) -> dict[str, Linked]:  # fmt: skip
    """Return each document's links, keyed by the document's id; the model decides on the links that
    were left for review.

    ``asked`` contains the questions about each document. If the engine supports batches, one batch
    contains the questions about several documents.
    """
    links = {doc_id: dict(found[doc_id].links) for doc_id, _ in asked}
    answers = ask_all(engine, LinkReview(), (item for _, item in asked))
    for (doc_id, _), answer in zip(asked, answers, strict=True):
        if isinstance(answer, Unanswered):
            continue
        for chosen in answer.output.links:
            links[doc_id][chosen.n] = _choose_link(links[doc_id][chosen.n], chosen.poi_id, index)
    return {doc_id: replace(found[doc_id], links=mine) for doc_id, mine in links.items()}


def _choose_link(link: Link, poi_id: str | None, index: PlaceIndex) -> Link:
    if poi_id is None:
        return replace(link, score=0, why=f"{link.why}; none of the places, says the model")
    others = tuple(rival for rival in link.rivals if rival != poi_id)
    city_id = link.city_id or index.city_of(poi_id)
    return Link("linked", city_id, poi_id, _CHOSEN, 0, f"{link.why}; chosen by the model", others)


def doubtful_names(told: ReadDocument, linked: Linked, index: PlaceIndex) -> list[DoubtfulNames]:
    """List the sights whose links are left for review, with the places that a name may refer to."""
    names: list[DoubtfulName] = []
    for name in told.names:
        link = linked.links[name.n]
        if link.outcome != "review" or name.what != "sight":
            continue
        offered = tuple(_list_offers(name, link, index))
        if offered:
            around = _around(told, *name.spans[0])
            names.append(DoubtfulName(n=name.n, name=name.forms[0], around=around, places=offered))
    starts = range(0, len(names), _TOGETHER)
    return [DoubtfulNames(names=tuple(names[at : at + _TOGETHER])) for at in starts]


def _list_offers(name: Name, link: Link, index: PlaceIndex) -> list[Offered]:
    city_ids = [link.city_id] if link.city_id else [index.city_of(p) for p in link.rivals]
    found: dict[str, Offered] = {}
    for city_id in dict.fromkeys(city_ids):
        held = index.city(city_id)
        if held is None:
            continue
        near = [] if link.city_id is None else candidates_for(held.opened.index, name.forms)
        mine = [p for p in link.rivals if held.has(p)]
        for poi_id in dict.fromkeys([*near[:_MOST_OFFERED], *mine]):
            found[poi_id] = _in_words(poi_id, held.opened, held.city)
    return list(found.values())[:_MOST_OFFERED]


def _in_words(poi_id: str, held: OpenCity, city: City) -> Offered:
    first, *others = dict.fromkeys(name.raw for name in held.index.names_of(poi_id))
    kinds = " ".join(sorted(held.kinds.get(poi_id, ())))
    return Offered(
        poi_id=poi_id, name=first, also=tuple(others[:_MOST_NAMES]), kind=kinds,
        city=city.name_zh or city.name_en,
    )  # fmt: skip


def _around(told: ReadDocument, start: int, end: int) -> str:
    """Return the words on both sides of a name, within its block of text."""
    block = max((b for b in told.blocks if b.start <= start), key=lambda b: b.start)
    at = start - block.start
    return block.text[max(0, at - _AROUND) : at + end - start + _AROUND]
