"""Collect the journeys, rooms, restaurants and sights that a city offers for a request.

Every row in the full tables is a candidate. The only exceptions are rows that a hard requirement
excludes, and rows that lack facts which the checker needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from validators.plans.demands import groups_of, hosts_of, travels
from validators.plans.lodging import Lodging, rooms_of
from validators.plans.request import Request, Requirement
from validators.plans.view import journey_types
from validators.plans.world import Journey, Place, World
from warehouse.ways import MODES, Mode

_CITY_MODES: dict[str, Mode] = {"步行": "walk", "地铁": "metro", "打车": "taxi"}


class NoOffer(Exception):
    """Raised if the tables do not contain enough for a plan; the message says what is missing."""


@dataclass(frozen=True)
class Demand:
    """The requirement that a plan contains one of the places in ``names``."""

    kind: str
    words: str
    names: frozenset[str]


@dataclass(frozen=True)
class Offers:
    """The candidates for a request, and what a plan must contain."""

    request: Request
    outs: tuple[Journey, ...]
    backs: tuple[Journey, ...]
    lodgings: tuple[Lodging, ...]
    attractions: tuple[Place, ...]
    restaurants: tuple[Place, ...]
    demands: tuple[Demand, ...]
    beds: tuple[Demand, ...]
    modes: tuple[Mode, ...]
    budget_cents: int | None
    words: tuple[str, ...]


def offers_of(request: Request, world: World, *, wishes: bool = False) -> Offers:
    """Return the candidates for a request; with ``wishes``, the wishes count as requirements.

    Raises NoOffer if a list of candidates is empty.
    """
    wanted = request.requirements if wishes else request.hard
    start, target = world.city_of(request.start_city), world.city_of(request.target_city)
    known = {
        kind: _list_known(world, kind, wanted) for kind in ("attraction", "restaurant", "hotel")
    }
    lodgings = [x for hotel in known["hotel"] for x in rooms_of(hotel, request.people, wanted)]
    if request.days > 1 and not lodgings:
        raise NoOffer("no hotel with a known location and price fits")
    hosts = tuple(lodging.hotel for lodging in lodgings)
    budgets = [r.amount for r in wanted if r.kind == "budget" and r.amount is not None]
    travelled = request.round_trip
    return Offers(
        request=request,
        outs=_journeys(world, (start, target), wanted, "there") if travelled else (),
        backs=_journeys(world, (target, start), wanted, "back") if travelled else (),
        lodgings=tuple(sorted(lodgings, key=lambda x: (x.night_cents, x.hotel.name, x.room_type))),
        attractions=known["attraction"],
        restaurants=known["restaurant"],
        demands=(
            *_demands(wanted, "attraction", known["attraction"]),
            *_demands(wanted, "restaurant", known["restaurant"]),
        ),
        beds=_demands(wanted, "hotel", hosts) if request.days > 1 else (),
        modes=tuple(mode for mode in allowed_modes(wanted) if mode in world.network.modes),
        budget_cents=min(budgets) * 100 if budgets else None,
        words=tuple(requirement.words for requirement in wanted),
    )


def _list_known(world: World, kind: str, wanted: Sequence[Requirement]) -> tuple[Place, ...]:
    """Return the places with known facts and an unambiguous location, except those that a
    requirement excludes.
    """
    return tuple(
        place
        for place in world.all_of(kind)
        if place.point is not None
        and world.point(place.name) == place.point
        and hosts_of(place, wanted)
        and (kind == "hotel" or (place.price_cents is not None and place.hours is not None))
    )


def _journeys(
    world: World, ends: tuple[str | None, str | None], wanted: Sequence[Requirement], side: str
) -> tuple[Journey, ...]:
    usable = tuple(
        j for j in world.journeys
        if (j.origin_city, j.destination_city) == ends and j.same_day and j.price_cents is not None
        and world.point(j.end if side == "there" else j.start)
        and all(travels(r, j, side) and _is_chosen(r, j) for r in wanted)
    )  # fmt: skip
    if not usable:
        raise NoOffer(f"no train or flight {side} with a known price and station fits")
    return usable


def _is_chosen(requirement: Requirement, journey: Journey) -> bool:
    """Check whether a journey uses one of the means of transport that a requirement names."""
    if requirement.kind != "transport" or requirement.mode != "any":
        return True
    return bool(journey_types(journey.kind, journey.number) & set(requirement.values))


def _demands(
    wanted: Sequence[Requirement], kind: str, places: Sequence[Place]
) -> tuple[Demand, ...]:
    found = []
    for group in (g for r in wanted for g in groups_of(r, kind)):
        names = frozenset(place.name for place in places if group.meets(place))
        if not names:
            raise NoOffer(f"the tables do not give the hours, price or location of {group.words}")
        found.append(Demand(kind, group.words, names))
    return tuple(found)


def allowed_modes(wanted: Sequence[Requirement]) -> tuple[Mode, ...]:
    """Return the means of transport in the city that the requirements allow."""
    modes = list(MODES)
    for requirement in wanted:
        if requirement.kind != "city_transport":
            continue
        named = {_CITY_MODES[value] for value in requirement.values}
        if requirement.mode == "none":
            modes = [m for m in modes if m not in named]
        else:
            modes = [m for m in modes if m in named or m == "walk"]
    return tuple(modes)
