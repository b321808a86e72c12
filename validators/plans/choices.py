"""Choose the journeys and rooms to try for a request, in the order that a style prefers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations_with_replacement

import numpy as np

from schemas.geo import distance_m
from validators.plans.build import Choice, Style
from validators.plans.lodging import Lodging
from validators.plans.offers import Offers
from validators.plans.world import Journey, World
from warehouse.ways import Point

#: The number of journeys in each direction and of hotels that are combined with each other.
_MOST_JOURNEYS, _MOST_HOTELS = 12, 8
#: The minutes in the city that make a day trip worth the journeys.
_A_VISIT_MIN = 120
#: The room types in ChinaTravel's plans, and the penalty that puts all others behind them.
_PUBLISHED, _LAST = ("king", "double"), 1e6


def choices(offers: Offers, world: World, style: Style) -> Iterator[Choice]:
    """Yield journeys and rooms, starting with the best for the style."""
    centre = _centre(offers)
    outs = _rank_journeys(offers, world, offers.outs, centre, style, back=False)
    backs = _rank_journeys(offers, world, offers.backs, centre, style, back=True)
    if offers.request.days == 1:
        yield from (Choice(out, back, ()) for out, back in _within_a_day(outs, backs))
        return
    pairs = _together(outs[:_MOST_JOURNEYS], backs[:_MOST_JOURNEYS])
    for number, (out, back) in enumerate(pairs):
        hub = world.point(out.end)
        points = [p for p in (centre, hub) if p is not None]
        for nights in stays(offers, points, style)[: 3 if number < 3 else 1]:
            yield Choice(out, back, nights)


def _centre(offers: Offers) -> Point:
    """Return the centre of the required places or, if no place is required, of the restaurants."""
    names = {name for demand in offers.demands if len(demand.names) == 1 for name in demand.names}
    places = [p for p in (*offers.attractions, *offers.restaurants) if p.name in names]
    points = [p.point for p in places or offers.restaurants or offers.attractions if p.point]
    if not points:
        hotels = [x.hotel.point for x in offers.lodgings if x.hotel.point]
        points = hotels or [(0.0, 0.0)]
    middle = np.median(np.array(points), axis=0)
    return float(middle[0]), float(middle[1])


def _rank_journeys(
    offers: Offers,
    world: World,
    journeys: Sequence[Journey],
    centre: Point,
    style: Style,
    *,
    back: bool,
) -> list[Journey]:
    """Sort journeys by price, hours in the city, and travel between the station and the centre."""
    people = offers.request.people
    ways: dict[str, float] = {}

    def way(name: str) -> float:
        if name not in ways:
            point = world.point(name)
            assert point is not None
            options = [
                legs[-1].end_min
                + sum(leg.price_cents or 0 for leg in legs) * people / style.cents_a_minute
                for mode in offers.modes
                if (legs := world.network.way((name, point), ("", centre), 0, mode))
            ]
            ways[name] = min(options, default=600.0)
        return ways[name]

    def score(journey: Journey) -> tuple[float, str, str]:
        money = (journey.price_cents or 0) * people / style.cents_a_minute
        lost = 1440 - journey.departs_min if back else journey.arrives_min
        night = max(360 - journey.departs_min, 0) + max(journey.arrives_min - 1380, 0)
        hub = way(journey.start if back else journey.end)
        return money + lost * 0.5 + night * 2 + hub, journey.number, journey.start + journey.end

    return sorted(journeys, key=score)


def _together(outs: Sequence[Journey], backs: Sequence[Journey]) -> list[tuple[Journey, Journey]]:
    """Return pairs of an outward and a return journey, best first."""
    pairs = sorted((i + j, i, j) for i in range(len(outs)) for j in range(len(backs)))
    return [(outs[i], backs[j]) for _, i, j in pairs]


def _within_a_day(
    outs: Sequence[Journey], backs: Sequence[Journey]
) -> list[tuple[Journey, Journey]]:
    """Return pairs of journeys for a day trip.

    Pairs that leave at least two hours in the city come first, sorted from best to worst. Next come
    the pairs that leave less time, sorted from the most time to the least; pairs in which the party
    arrives too late for the return journey are left out.
    """
    early = sorted(outs, key=lambda j: (j.arrives_min, j.number, j.end))[:_MOST_JOURNEYS]
    late = sorted(backs, key=lambda j: (-j.departs_min, j.number, j.start))[:_MOST_JOURNEYS]
    pairs = dict.fromkeys(
        (*_together(outs[:_MOST_JOURNEYS], backs[:_MOST_JOURNEYS]), *_together(early, late))
    )
    time = {pair: pair[1].departs_min - pair[0].arrives_min for pair in pairs}
    long = [pair for pair in pairs if time[pair] >= _A_VISIT_MIN]
    short = [pair for pair in pairs if 0 <= time[pair] < _A_VISIT_MIN]
    return long + sorted(short, key=lambda pair: -time[pair])


def stays(offers: Offers, points: Sequence[Point], style: Style) -> list[tuple[Lodging, ...]]:
    """Return ways to book rooms for all nights that meet the requirements for hotels.

    A comfortable style uses a single hotel if this hotel meets every requirement. In all other
    cases, the result also contains combinations of hotels that meet every requirement together.
    """
    ranked = _lodgings(offers, points, style)
    nights = offers.request.days - 1
    full = (1 << len(offers.beds)) - 1
    meets = {
        lodging: sum(1 << n for n, d in enumerate(offers.beds) if lodging.hotel.name in d.names)
        for lodging, _ in ranked
    }
    whole = [((x,) * nights, score * nights) for x, score in ranked if meets[x] == full]
    first: dict[int, tuple[Lodging, float]] = {}
    for lodging, score in ranked:
        first.setdefault(meets[lodging], (lodging, score))
    mixed = [
        (tuple(x for x, _ in chosen), sum(score for _, score in chosen))
        for chosen in combinations_with_replacement(first.values(), nights)
        if len({meets[x] for x, _ in chosen}) > 1
        and _join_masks(meets[x] for x, _ in chosen) == full
    ]
    found = whole if whole and style.meals == "all" else [*mixed, *whole]
    return [chosen for chosen, _ in sorted(found, key=lambda f: f[1])[:_MOST_HOTELS]]


def _join_masks(masks: Iterable[int]) -> int:
    found = 0
    for mask in masks:
        found |= mask
    return found


def _lodgings(offers: Offers, points: Sequence[Point], style: Style) -> list[tuple[Lodging, float]]:
    """Return rooms with scores that combine the price with the distance to the given points.

    If the style includes all meals, king and double rooms come first, because published plans
    contain no other types of room.
    """
    at = [x.hotel.point or (0.0, 0.0) for x in offers.lodgings]
    lat, lon = (np.array([p[n] for p in at]) for n in (0, 1))
    away = sum(np.asarray(distance_m(lat, lon, p[0], p[1])) for p in points)
    minutes = np.asarray(away) / 1000 / 15 * 60
    money = np.array([x.night_cents for x in offers.lodgings]) / style.cents_a_minute
    scores = minutes + money
    if style.meals == "all":
        scores += _LAST * np.array([x.room_type not in _PUBLISHED for x in offers.lodgings])
    return [(offers.lodgings[int(n)], float(scores[n])) for n in np.argsort(scores, kind="stable")]
