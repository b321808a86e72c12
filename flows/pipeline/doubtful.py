"""What a model is asked about links that the rules leave for review: which place a name means."""

from __future__ import annotations

from extractors.tasks.link_review import DoubtfulName, DoubtfulNames, Offered
from geocoding.linking.index import OpenCity, PlaceIndex
from geocoding.linking.told import Link, Linked, Name, Told
from geocoding.resolve import candidates_for
from schemas.cities import City

#: Names of one request, places offered for each, other names told of each, and characters on each
#: side of a name.
_TOGETHER, _MOST_OFFERED, _MOST_NAMES, _AROUND = 8, 4, 3, 60


def doubtful_names(told: Told, linked: Linked, index: PlaceIndex) -> list[DoubtfulNames]:
    """The sights of a document whose links are for review, with the places that they may mean."""
    names: list[DoubtfulName] = []
    for name in told.names:
        link = linked.links[name.n]
        if link.outcome != "review" or name.what != "sight":
            continue
        offered = tuple(_offered(name, link, index))
        if offered:
            around = _around(told, *name.spans[0])
            names.append(
                DoubtfulName(n=name.n, name=name.forms[0], around=around, places=offered)
            )
    starts = range(0, len(names), _TOGETHER)
    return [DoubtfulNames(names=tuple(names[at : at + _TOGETHER])) for at in starts]


def _offered(name: Name, link: Link, index: PlaceIndex) -> list[Offered]:
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


def _around(told: Told, start: int, end: int) -> str:
    """The words on both sides of a name, within its block."""
    block = max((b for b in told.blocks if b.start <= start), key=lambda b: b.start)
    at = start - block.start
    return block.text[max(0, at - _AROUND) : at + end - start + _AROUND]
