"""Write notes on the wishes in a query that its reference plan meets or fails to meet."""

from __future__ import annotations

from calendar import day_name
from collections import Counter
from collections.abc import Iterator

from schemas.plans import JOURNEYS, Plan
from schemas.taxonomy import (
    BASE_TYPES,
    CUISINES,
    HOLIDAYS,
    HOTEL_FEATURES,
    POI_CATEGORIES,
    SEASONS,
    TRAVELLERS,
    TREND_TYPES,
)
from validators.plans.appeal import must_sees, wishes_met, wishes_of
from validators.plans.demands import hosts_of
from validators.plans.kinds import OCCASIONS, fit, is_usually_closed
from validators.plans.offers import allowed_modes
from validators.plans.outing import HALF_DAY_MIN
from validators.plans.renown import Renown
from validators.plans.trip import TripRequest
from validators.plans.view import table_of
from validators.plans.world import Place, World

_EN = {
    key: term.en
    for terms in (
        BASE_TYPES,
        TREND_TYPES,
        CUISINES,
        HOTEL_FEATURES,
        POI_CATEGORIES,
        SEASONS,
        HOLIDAYS,
        TRAVELLERS,
    )
    for term in terms
    for key in (term.zh, term.code)
}
#: Journeys before the first or after the second of these minutes are mentioned in a note.
_DAWN, _MIDNIGHT = 360, 1410
#: The minute by which travellers think of lunch, even far from the city.
_HUNGRY = 780
#: Travellers who leave later than this minute have dinner before or during the journey.
_EARLY_EVENING = 1050
#: A wish is met poorly if fewer than one sight in ``_THIN`` meets it. A sight is rated poorly below
#: this rating, and is far away if the way takes more than these minutes.
_THIN, _POORLY_RATED, _FAR_MIN = 2, 4.0, 60
#: Journeys of this many minutes leave little of a day.
_LONG_MIN = 480


def notes_of(trip: TripRequest, plan: Plan, world: World, renown: Renown) -> tuple[str, ...]:
    """Return a plan's notes on sights, meals, rooms, omitted sights and journeys."""
    return (
        *_sights(trip, plan, world, renown),
        *_left_out(trip, plan, world, renown),
        *_others(trip, plan, world, "cuisine", "meals"),
        *_others(trip, plan, world, "hotel_feature", "the hotel"),
        *_closings(trip, plan, world, renown),
        *_meals(plan),
        *_journeys(plan),
    )


def _sights(trip: TripRequest, plan: Plan, world: World, renown: Renown) -> Iterator[str]:
    """Yield the plan's sights that meet each wish; if there are none, count those in the tables."""
    seen = _places(plan, world, "attraction")
    if trip.occasion is not None and trip.occasion not in OCCASIONS:
        yield (
            f"what suits {_EN.get(trip.occasion, trip.occasion)!r} is not known, so sights are"
            " chosen as for any time"
        )
    for wish in wishes_of(trip):
        met = [p.name for p in seen if wish in wishes_met(p, trip, renown)]
        known = sum(wish in wishes_met(p, trip, renown) for p in world.all_of("attraction"))
        words = f"{_EN.get(wish, wish)!r}: {len(met)} of {len(seen)} sights"
        if met:
            thin = len(met) * _THIN < len(seen)
            why = _why_so_few(wish, seen, trip, world, renown) if thin else ""
            yield f"{words} ({', '.join(met)}){why}"
        elif known:
            yield f"{words}; the tables contain {known}, but none was found that fits these days"
        else:
            yield f"{words}; the tables contain none"


def _why_so_few(
    wish: str, seen: list[Place], trip: TripRequest, world: World, renown: Renown
) -> str:
    """Count the reasons why other sights that meet a wish are not in the plan."""
    reasons: Counter[str] = Counter()
    lacking: list[Place] = []
    for place in world.all_of("attraction"):
        if place in seen or wish not in wishes_met(place, trip, renown):
            continue
        if any(renown.same_visit(place, other) for other in seen):
            reasons["part of a sight in the plan"] += 1
        elif place.hours is None or place.price_cents is None:
            lacking.append(place)
        elif fit(place, renown, wish) < 0:
            reasons["hardly what is meant"] += 1
        elif renown.ratings.get(place.place_id, 5.0) < _POORLY_RATED:
            reasons["rated below 4.0"] += 1
        else:
            reasons["less known or farther away"] += 1
    told = [f"{count} {reason}" for reason, count in reasons.items()]
    if lacking:
        best = renown.best([p for p in lacking if fit(p, renown, wish) >= 0], 1)
        such_as = "".join(f", such as {p.name}" for p in best)
        told.append(f"{len(lacking)} without opening hours or a price{such_as}")
    return f"; others in the tables: {', '.join(told)}" if told else "; the tables have no others"


def _left_out(trip: TripRequest, plan: Plan, world: World, renown: Renown) -> Iterator[str]:
    """Yield the best known sights that are missing from a plan, with the reason.

    A sight may be missing because the query excludes it, because it is too far away, or because the
    tables lack its hours or price.
    """
    seen = _places(plan, world, "attraction")
    for place in must_sees(world.all_of("attraction"), renown):
        if any(renown.same_visit(place, other) for other in seen):
            continue
        known = f"{place.name} is among the city's best known sights, but"
        facts = (("opening hours", place.hours), ("price", place.price_cents))
        lacks = [what for what, value in facts if value is None]
        if not hosts_of(place, trip.request.requirements):
            yield f"{known} the query does not want places of its kind"
        elif lacks:
            yield f"{known} the tables do not give its {' and '.join(lacks)}; add it where it fits"
        elif (minutes := _way_min(place, trip, plan, world)) > _FAR_MIN:
            yield f"{known} the way there takes {minutes} minutes"


def _way_min(place: Place, trip: TripRequest, plan: Plan, world: World) -> int:
    """Return the minutes from the plan's hotel to a place by the fastest allowed mode of travel."""
    hotels = _places(plan, world, "hotel")
    if place.point is None or not hotels or hotels[0].point is None:
        return 0
    start, end = (hotels[0].name, hotels[0].point), (place.name, place.point)
    modes = set(allowed_modes(trip.request.requirements)) & set(world.network.modes)
    ways = [world.network.way(start, end, 0, mode) for mode in modes]
    return min((legs[-1].end_min for legs in ways if legs), default=0)


def _others(trip: TripRequest, plan: Plan, world: World, kind: str, what: str) -> Iterator[str]:
    """Yield a note on each cuisine that the query wishes for, and on each hotel feature that the
    query wishes for but the plan lacks.
    """
    wished = trip.list_wished(kind)
    if not wished:
        return
    table = "restaurant" if kind == "cuisine" else "hotel"
    held = _places(plan, world, table)
    for value in sorted(wished):
        met = [p.name for p in held if value in p.types]
        if kind == "cuisine" and met:
            yield f"{_EN.get(value, value)!r}: {len(met)} of {len(held)} {what}"
        elif not met:
            known = [p for p in world.all_of(table) if value in p.types]
            why = f"the tables contain {len(known)}" if known else "the tables contain none"
            yield f"{_EN.get(value, value)!r} is not met by {what}; {why}"


def _closings(trip: TripRequest, plan: Plan, world: World, renown: Renown) -> Iterator[str]:
    """Yield the visits on a weekday on which sights of the same kind are usually closed.

    If visits were moved to other days to avoid usual closing days, a different note says so.
    """
    kept_off = False
    for day in plan.itinerary:
        weekday = trip.request.weekday(day.day)
        for place in _places(plan, world, "attraction"):
            here = any(a.position == place.name for a in day.activities)
            shut = is_usually_closed(place, renown, weekday)
            if here and shut:
                yield (
                    f"day {day.day} is a {day_name[weekday or 0]}, on which places like"
                    f" {place.name} are usually closed, so ask beforehand"
                )
            kept_off |= shut and not here
    if kept_off:
        yield (
            "museums and galleries whose hours name no weekday are not visited on Mondays, when"
            " such places are usually closed"
        )


def _meals(plan: Plan) -> Iterator[str]:
    """Yield the days without lunch, and the dinners that fall during the return journey."""
    last = len(plan.itinerary)
    back = [a for a in plan.itinerary[-1].activities if a.type in JOURNEYS]
    dines = any(a.type == "dinner" for a in plan.itinerary[-1].activities)
    if back and not dines and back[-1].start_time > _EARLY_EVENING:
        yield f"day {last}: dinner is eaten at the station or airport, or on the way home"
    for day in plan.itinerary:
        kinds = {a.type for a in day.activities}
        stays = [a for a in day.activities if a.type not in JOURNEYS]
        if not stays:
            continue
        ends = day.activities[-1].start_time if day.day == last else 1440
        here = day.activities[0].end_time if day.activities[0].type in JOURNEYS else 0
        if "lunch" not in kinds and here < 840 and ends > 780:
            inside = any(
                a.type == "attraction"
                and a.start_time < _HUNGRY < a.end_time
                and a.end_time - a.start_time >= HALF_DAY_MIN
                for a in stays
            )
            yield f"day {day.day}: lunch " + (
                "is eaten inside the sight" if inside else "is eaten on the way, for lack of time"
            )


def _journeys(plan: Plan) -> Iterator[str]:
    """Yield journeys at night and journeys that take most of a day."""
    for _, activity in plan.activities():
        if activity.type not in JOURNEYS:
            continue
        length = activity.end_time - activity.start_time
        if activity.start_time < _DAWN or activity.end_time > _MIDNIGHT:
            yield f"{activity.number} travels at night"
        elif length >= _LONG_MIN:
            yield f"{activity.number} takes {length // 60} hours, most of a day"


def _places(plan: Plan, world: World, kind: str) -> list[Place]:
    """Return the places of one kind that a plan visits, each once, in the order of the plan."""
    names = dict.fromkeys(
        a.position or "" for _, a in plan.activities() if table_of(a.type) == kind
    )
    return [found[0] for name in names if len(found := world.find(kind, name)) == 1]
