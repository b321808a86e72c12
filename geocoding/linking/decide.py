"""Decides which place each name in a document means: it first finds the city of each block, then
the places.

Certainty comes before completeness. A name is linked only if the text shows the city, and if
exactly one place in that city has the same name. ``geocoding.pairs`` has the rules for equal names.
A name that begins with the name of one city is never linked to a place in a different city. Scores
are in hundredths and ties are broken by id, so that links depend only on the document and the
tables.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from geocoding import lexicon
from geocoding.linking.index import OpenCity, PlaceIndex, is_telling
from geocoding.linking.path import NOWHERE, best_path
from geocoding.linking.quarters import as_part_of, is_beside, quarter_of
from geocoding.linking.told import Link, Linked, Name, ReadBlock, ReadDay, ReadDocument
from geocoding.linking.world import (
    Spot,
    city_in_front,
    outings,
    place_told,
    spot_of,
    spots,
    spots_in_path,
)
from geocoding.names import NameReader, name_key
from geocoding.resolve import LINKED, REVIEW, Resolution
from geocoding.settling import (
    SETTLED_BY_KIND,
    SETTLED_BY_PLACE,
    is_excluded,
    nearest_among,
    nearest_beside,
)
from schemas.cities import City

#: Evidence for a city: its name in a heading, in a text, in the document's path; the city that the
#: reading gives a day; a name in one city's table, rare or common, or in several tables.
IN_HEAD, IN_TEXT, IN_PATH, IN_PATH_THROUGHOUT, OF_DAY = 60, 20, 40, 6, 80
TELLING, COMMON = 30, 12
#: Evidence that a region gives for itself, and for its cities.
REGION, IN_REGION = 15, 8
#: A likely place is the stop if the journey has so many known stops in the city; its confidence.
LEAST_KNOWN, IN_JOURNEY = 2, 85
#: From this score (0 to 1) on, a form is the place's name, whatever other forms the text has.
SURE = 0.9
#: Names of cities add at most this much to one block.
MOST_IN_TEXT = 40
#: A name shared with a city abroad is looked up among the quarters of so many of the main cities.
_MOST_LIKELY = 3
#: So many names before a name may precede it in a table's longer name.
_NAMES_BEFORE = 30
#: A Chinese name, or a part of it, with so many characters hardly belongs to two places.
_LONG_NAME = 6
_PLAIN = NameReader.of(None)


def link_document(told: ReadDocument, index: PlaceIndex) -> Linked:
    """Return the links of all names in a document, and the city of each day of its trips."""
    return _Document(told, index).link()


class _Document:
    def __init__(self, told: ReadDocument, index: PlaceIndex) -> None:
        self._told, self._index = told, index
        self._searched: set[str] = set()
        self._wholes: dict[tuple[str, str], str | None] = {}
        #: Names in a place that is not known, so that their surroundings say nothing about them.
        self._apart: set[int] = set()
        self._starts = [block.start for block in told.blocks]
        self._names = {name.n: name for name in told.names}
        self._order = {name.n: at for at, name in enumerate(told.names)}
        self._exact = {name.n: self._exact_of(name) for name in told.names}
        named = Counter(city for places in self._exact.values() for city, _ in places)
        self._likely = sorted(named, key=lambda city: (-named[city], city))[:_MOST_LIKELY]
        self._spots = list(self._find_spots())
        self._outings = [tuple(outings(block.text)) for block in told.blocks]
        self._path = self._best_path()
        self._stated = Counter(state for state in self._path if state != NOWHERE)

    def link(self) -> Linked:
        """Link all names, find the city of each day, and then link the stops using the cities of
        the days.
        """
        links: dict[int, Link] = {}
        for name in self._in_order():
            links[name.n] = self._decide(name, links)
        links = self._settle(links)
        days = {day.key: self._city_of_day(day, links) for day in self._told.days}
        for day in self._told.days:
            for n, _start in day.stops:
                links[n] = self._link_stop(self._names[n], links, days[day.key])
        links = self._settle(self._in_journey(self._settle(links), days))
        return Linked(links, days, dict(self._stated), frozenset(self._searched))

    def _in_order(self) -> Iterator[Name]:
        """Return the names in an order in which every container precedes its parts."""
        done: set[int] = set()
        for name in self._told.names:
            chain = [name]
            while (above := chain[-1].parent) in self._names and self._names[above] not in chain:
                chain.append(self._names[above])
            for each in reversed(chain):
                if each.n not in done:
                    done.add(each.n)
                    yield each

    # --- The city of each block ---

    def _exact_of(self, name: Name) -> frozenset[tuple[str, str]]:
        """Return all places, from any table, whose name matches one of the forms of a name."""
        return frozenset(found for form in name.forms for found in self._index.exact(form))

    def _block_of(self, at: int) -> int:
        return max(0, bisect_right(self._starts, at) - 1)

    def _find_spots(self) -> Iterator[tuple[int, Spot]]:
        """Yield each mention of a city or region that is not part of a sight's name, with its
        block.
        """
        masked: dict[int, list[tuple[int, int]]] = defaultdict(list)
        sights = (name for name in self._told.names if name.what != "area")
        for start, end in (span for name in sights for span in name.spans):
            at = self._block_of(start)
            masked[at].append((start - self._starts[at], end - self._starts[at]))
        for at, block in enumerate(self._told.blocks):
            for spot in spots(block.text, masked[at]):
                yield at, self._whole(spot, block.text)

    def _whole(self, spot: Spot, text: str) -> Spot:
        """Return the city if the spot is one of the city's quarters; otherwise, return the spot
        itself.

        ``text`` is the spot's name.
        """
        key = spot.place, text[spot.start : spot.end]
        if key not in self._wholes:
            self._wholes[key], asked = quarter_of(spot, key[1], self._index, self._likely)
            self._searched |= asked
        whole = self._wholes[key]
        return as_part_of(spot, whole) if whole else spot

    def _place_told(self, text: str | None) -> Spot | None:
        """Return the city or region in which a text locates something."""
        spot = place_told(text) if text else None
        return self._whole(spot, text) if spot is not None and text else None

    def _best_path(self) -> list[str]:
        if self._told.assumed:
            return [self._told.assumed] * len(self._told.blocks)
        evidence: list[Counter[str]] = [Counter() for _ in self._told.blocks]
        heads: list[set[str]] = [set() for _ in self._told.blocks]
        self._add_cities(evidence, heads)
        self._add_names(evidence)
        self._add_days(evidence)
        self._add_path(evidence)
        self._add_regions(evidence)
        return best_path(evidence, [frozenset(head) for head in heads])

    def _add_cities(self, evidence: list[Counter[str]], heads: list[set[str]]) -> None:
        for at, spot in self._spots:
            block = self._told.blocks[at]
            if spot.is_city and block.is_head:
                evidence[at][spot.place] += IN_HEAD
                heads[at].add(spot.place)
            elif spot.is_city:
                evidence[at][spot.place] = min(MOST_IN_TEXT, evidence[at][spot.place] + IN_TEXT)

    def _add_names(self, evidence: list[Counter[str]]) -> None:
        for name in self._told.names:
            cities = {city for city, _ in self._exact[name.n]}
            if not cities or name.what in ("area", "fiction"):
                continue
            share = (TELLING if self._is_telling(name) else COMMON) // len(cities)
            if share == 0:  # too many cities have it
                continue
            for at in sorted({self._block_of(start) for start, _ in name.spans}):
                for city in cities:
                    evidence[at][city] += share

    def _add_days(self, evidence: list[Counter[str]]) -> None:
        for day in self._told.days:
            spot = self._place_told(day.where)
            blocks = [self._block_of(start) for _, start in day.stops]
            if spot is not None and blocks:
                for at in range(min(blocks), max(blocks) + 1):
                    evidence[at][spot.place] += OF_DAY

    def _add_path(self, evidence: list[Counter[str]]) -> None:
        for large in spots_in_path(self._told.path) if evidence else ():
            spot = self._whole(large, "")
            evidence[0][spot.place] += IN_PATH
            for found in evidence:
                found[spot.place] += IN_PATH_THROUGHOUT

    def _add_regions(self, evidence: list[Counter[str]]) -> None:
        """Add the evidence for a region to the region itself and to those of its cities that the
        document mentions.
        """
        areas = {spot.place: spot.area for _, spot in self._spots if spot.is_city}
        for city_id, held in self._index.cities.items():
            areas[city_id] = (held.city.country_code, held.city.admin1_code)
        home = {held.city.country_code for held in self._index.cities.values()}
        spoken = {state for found in evidence for state in found}
        for at, spot in self._spots:
            if spot.is_city:
                continue
            country, code = spot.area
            inside = [c for c, (of, region) in areas.items()
                      if c in spoken and of == country and code in (None, region)]  # fmt: skip
            for city in inside:
                evidence[at][city] += IN_REGION
            if code is not None or country not in home:
                evidence[at][spot.place] += REGION

    def _is_telling(self, name: Name) -> bool:
        return any(is_telling(_PLAIN.read(form)) for form in name.forms)

    # --- What a name stands for ---

    def _decide(self, name: Name, links: Mapping[int, Link]) -> Link:
        fixed = self._find_fixed(name, links)
        local = self._local(name)
        if fixed is not None and fixed.is_city:
            return (
                self._in_city(name, fixed.place)
                or self._beside(name, fixed, local)
                or Link("city", fixed.place, why="the text says so")
            )
        if fixed is not None:
            local = [city for city in local if self._lies_in(city, fixed)]
        for city in local:
            if (found := self._in_city(name, city)) is not None:
                return found
        return self._elsewhere(name, fixed) or self._explain_unlinked(name, local, fixed)

    def _beside(self, name: Name, town: Spot, local: Sequence[str]) -> Link | None:
        """Return the place in a city's table that is near a named town which has no table of its
        own.

        A place near the town may be in the city's table, because tables also contain places outside
        their city.
        """
        if town.place in self._index.cities:
            return None
        for city in local:
            found = self._in_city(name, city)
            if found is not None and found.outcome == "linked":
                points = self._index.cities[city].opened.points
                if is_beside(town, points.get(found.poi_id or "")):
                    return found
        return None

    def _find_fixed(self, name: Name, links: Mapping[int, Link]) -> Spot | None:
        """Return the city or region specified by the name itself, the reading or the container."""
        for form in name.forms:
            front = city_in_front(form)
            if front is not None and not self._bears(name, self._local(name)):
                return self._whole(front, form)
        if spot := self._place_told(name.where):
            return spot
        above = links.get(name.parent or 0)
        return spot_of(above.city_id) if above is not None and above.city_id else None

    def _bears(self, name: Name, cities: Sequence[str]) -> bool:
        return any(city in cities for city, _ in self._exact[name.n])

    def _local(self, name: Name) -> list[str]:
        """Return the cities of the blocks in which the name occurs, starting with the most
        frequent city.
        """
        states = Counter(self._path[self._block_of(start)] for start, _ in name.spans)
        del states[NOWHERE]
        return sorted(states, key=lambda state: (-states[state], state))

    def _lies_in(self, city: str, area: Spot) -> bool:
        held = self._index.city(city)
        country, code = area.area
        if held is None:
            return city == area.place
        return held.city.country_code == country and code in (None, held.city.admin1_code)

    def _in_city(self, name: Name, city_id: str) -> Link | None:
        """Return a certain or doubtful link to a place in a city, or None if no place fits."""
        held = self._index.city(city_id)
        if held is None:
            return None
        self._searched.add(city_id)
        places = held.opened
        found = [places.resolve(form) for form in name.forms]
        best = max(found, key=lambda one: one.score)
        if best.poi_id is not None and best.score >= LINKED:
            if best is not found[0] and _is_other_kind(name, best, places):
                return Link(
                    "review", city_id, None, 79, why=f"{best.why}; its full name is of another kind"
                )
            return _as_link(best, city_id)
        for place in (self._in_company(name, held.city, places), _ends_one(name, places)):
            if place is not None:
                return Link("linked", city_id, *place)
        return _as_link(best, city_id) if best.score >= REVIEW else None

    def _in_company(
        self, name: Name, city: City, held: OpenCity
    ) -> tuple[str, int, int, str] | None:
        """Return the place whose name consists of a nearby name or the city's name, followed by
        this name.
        """
        own = set(name.forms)
        before = [form for other in self._near(name) for form in other.forms if form not in own]
        reader = held.index.reader
        before += [*reader.city_zh, *_latin_fronts(city), *([name.where] if name.where else [])]
        keys = [name_key(front + form) for form in name.forms for front in before]
        keys += [name_key(full) for form in name.forms for full in _of_province(form, reader)]
        found = held.index.bearing(keys)
        if len(found) != 1:
            return None
        return found.pop(), 90, 100, "its name there has the name of another place in front"

    def _near(self, name: Name) -> list[Name]:
        """Return the names directly before a name in the text, and the name of its container."""
        at = self._order[name.n]
        near = self._told.names[max(0, at - _NAMES_BEFORE) : at]
        above = self._names.get(name.parent or 0)
        return [*near, above] if above else list(near)

    def _elsewhere(self, name: Name, fixed: Spot | None) -> Link | None:
        """Return the link to a place that is only in a different city's table.

        The link is certain if the text names that city.
        """
        places = self._exact[name.n]
        if fixed is not None:
            places = frozenset(place for place in places if self._lies_in(place[0], fixed))
        if len(places) != 1 or not self._is_telling(name):
            return None
        ((city, poi_id),) = places
        if self._stated[city] or any(spot.place == city for _, spot in self._spots):
            return Link(
                "linked", city, poi_id, 85, why="the only place of the name; its city is named"
            )
        return Link("review", None, None, 70, why="the only place of the name, in a city not named",
                    rivals=(poi_id,))  # fmt: skip

    def _explain_unlinked(self, name: Name, local: Sequence[str], fixed: Spot | None) -> Link:
        if fixed is None and name.where and not self._knows(name.where, local):
            self._apart.add(name.n)
            return Link(
                "unknown", None, why=f"the text puts it in {name.where}, which is not known"
            )
        if fixed is None and self._is_away(name):
            self._apart.add(name.n)
            return Link("unknown", None, why="the text goes there from a city and back")
        if local:
            return Link("city", local[0], why="the passage is about this city")
        if fixed is not None:
            return Link("city", fixed.place, why="the text says so")
        return Link("unknown", None, why="the text does not tell the city")

    def _is_away(self, name: Name) -> bool:
        """Check whether the text mentions a name as a stop on an outing from a city and back, or
        whether the name belongs to a part of a place outside the city.
        """
        placed = ((self._block_of(start), start, end) for start, end in name.spans)
        return name.parent in self._apart or any(
            leaving <= start - self._starts[at] and end - self._starts[at] <= back
            for at, start, end in placed
            for leaving, back in self._outings[at]
        )

    def _knows(self, where: str, cities: Sequence[str]) -> bool:
        """Check whether a place in these cities has this name or a longer name that contains it."""
        key = name_key(where)
        for city in cities:
            held = self._index.city(city)
            if held is None:
                return True
            self._searched.add(city)
            if not key or held.opened.holds(key):
                return True
        return False

    # --- Days ---

    def _city_of_day(self, day: ReadDay, links: Mapping[int, Link]) -> str | None:
        """Return the city in which most of a day's stops are, unless the text specifies a
        different city.
        """
        votes: Counter[str] = Counter()
        spot = self._place_told(day.where)
        if spot is not None and spot.is_city:
            votes[spot.place] += 8
        for n, start in day.stops:
            link = links[n]
            if n in self._apart:
                votes[NOWHERE] += 2
                continue
            if link.city_id:
                is_told = (
                    link.outcome == "linked" or self._find_fixed(self._names[n], links) is not None
                )
                votes[link.city_id] += 3 if is_told else 1
            state = self._path[self._block_of(start)]
            if state != NOWHERE:
                votes[state] += 1
        best = min(votes, key=lambda city: (-votes[city], city), default=NOWHERE)
        return None if best == NOWHERE else best

    def _link_stop(self, name: Name, links: Mapping[int, Link], city: str | None) -> Link:
        """Link a stop once the city of its day is known."""
        link = links[name.n]
        if (
            city is None
            or link.outcome == "linked"
            or link.city_id == city
            or name.n in self._apart
            or self._find_fixed(name, links) is not None
        ):
            return link
        found = self._in_city(name, city)
        if found is not None and found.outcome == "linked":
            return found
        return (
            link if link.outcome == "review" else Link("city", city, why="its day is spent there")
        )

    def _in_journey(
        self, links: dict[int, Link], days: Mapping[tuple[int, int], str | None]
    ) -> dict[int, Link]:
        """On journeys with known stops, link each stop for which only one place in the day's city
        is likely.
        """
        known: dict[tuple[int, str | None], set[str]] = defaultdict(set)
        for day in self._told.days:
            places = (links[n] for n, _ in day.stops if links[n].city_id == days[day.key])
            known[day.trip, days[day.key]] |= {p.poi_id for p in places if p.poi_id is not None}
        found = dict(links)
        for day in self._told.days:
            held = self._index.city(days[day.key])
            if held is None or len(known[day.trip, days[day.key]]) < LEAST_KNOWN:
                continue
            for n, _start in day.stops:
                if links[n].outcome == "review" and links[n].city_id == days[day.key]:
                    found[n] = _likely(self._names[n], links[n], held.opened)
        return found

    # --- Names of several places ---

    def _settle(self, links: dict[int, Link]) -> dict[int, Link]:
        """Choose between places with the same name in one city: first by kind, then by distance
        to other places.
        """
        open_links = {
            n: link
            for n, link in links.items()
            if link.outcome == "review" and len(link.rivals) > 1 and link.city_id
        }
        chosen = {n: self._choose(self._names[n], link, links) for n, link in open_links.items()}
        return links | {n: link for n, link in chosen.items() if link is not None}

    def _choose(self, name: Name, link: Link, links: Mapping[int, Link]) -> Link | None:
        held = self._index.cities[link.city_id or ""].opened
        read = held.index.reader.read(name.forms[0])
        left = [p for p in link.rivals if not is_excluded(read, held.kinds[p])]
        whole = [
            p for p in left if any(n.ending in lexicon.GENERIC for n in held.index.names_of(p))
        ]
        for places, why in ((left, "only one is of its kind"), (whole, "one is all of it")):
            if len(places) == 1:
                said = f"{link.why}; {why}"
                return Link("linked", link.city_id, places[0], SETTLED_BY_KIND, 0, said)
        rivals = {p: held.points[p] for p in left if p in held.points}
        if len(rivals) < len(left):
            return None
        for names, nearest, what in (
            (self._on_its_days(name), nearest_among, "among the other stops of its day"),
            (self._on_its_days(name), nearest_beside, "beside another stop of its day"),
            (set(links), nearest_among, "among the other places of the document"),
        ):
            points = _points((links[n] for n in names), link.city_id, held)
            if (poi_id := nearest(points, rivals)) is not None:
                others = tuple(p for p in left if p != poi_id)
                why = f"{link.why}; it lies {what}"
                return Link("linked", link.city_id, poi_id, SETTLED_BY_PLACE, 0, why, others)
        return None

    def _on_its_days(self, name: Name) -> set[int]:
        """Return the names of all stops on the days that have this name as a stop."""
        stops = ({n for n, _ in day.stops} for day in self._told.days)
        return set().union(*(day for day in stops if name.n in day))


def _latin_fronts(city: City) -> tuple[str, ...]:
    """Return words that people omit from the front of local names, such as New York in New York
    Public Library.
    """
    return tuple({city.name_en: None, city.name_en.removesuffix(" City"): None})


def _points(
    links: Iterable[Link], city_id: str | None, held: OpenCity
) -> list[tuple[float, float]]:
    """Return the positions of the linked places in a city, each place once."""
    linked = {link.poi_id for link in links if link.outcome == "linked" and link.city_id == city_id}
    return [held.points[p] for p in sorted(p for p in linked if p) if p in held.points]


def _as_link(found: Resolution, city_id: str) -> Link:
    score, margin = int(100 * found.score), round(100 * found.margin)
    if found.poi_id is not None and found.score >= LINKED:
        return Link("linked", city_id, found.poi_id, score, margin, found.why, found.rivals)
    return Link("review", city_id, None, score, margin, found.why, found.rivals)


def _likely(name: Name, link: Link, held: OpenCity) -> Link:
    """Link a stop among known stops to the only place that the stop can mean."""
    best = max((held.resolve(form) for form in name.forms), key=lambda one: one.score)
    if best.likely is None:
        return link
    why = f"{best.why}; a stop among known places"
    return Link("linked", link.city_id, best.likely, IN_JOURNEY, link.margin, why)


def _is_other_kind(name: Name, found: Resolution, held: OpenCity) -> bool:
    """Check whether the fullest form of a name contains a word for one kind of place (such as a
    museum), but the place's names contain only words for other kinds.

    The check matters if a shorter form merely resembles the place's name.
    """
    kind = held.index.reader.read(name.forms[0]).kind
    if kind is None or found.score >= SURE or found.poi_id is None:
        return False
    kinds = {other.kind.code for other in held.index.names_of(found.poi_id) if other.kind}
    return bool(kinds) and kind.code not in kinds


def _of_province(form: str, reader: NameReader) -> Iterator[str]:
    """Return a name such as 省博物馆 (provincial museum) with the name of the province in front."""
    for city in ("", *reader.city_zh):
        if form.startswith(f"{city}省") and reader.province:
            yield reader.province + form.removeprefix(city)


def _ends_one(name: Name, held: OpenCity) -> tuple[str, int, int, str] | None:
    """If a name from the text is long, return the only place in a city whose name ends with it."""
    for form in name.forms:
        read = held.index.reader.read(form)
        if read.lang != "zh" or len(read.bare) < _LONG_NAME or read.tail:
            continue
        found = held.index.ending_in(read.bare)
        if len(found) == 1:
            return found.pop(), 85, 100, "the one name there that ends in it"
    return None


def blocks_of(rows: Iterable[tuple[int, str, str]]) -> tuple[ReadBlock, ...]:
    """Make the blocks of a document from rows of (start, kind, text)."""
    return tuple(ReadBlock(start, text, kind in ("title", "heading")) for start, kind, text in rows)
