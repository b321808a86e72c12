"""What a city offers for a request: journeys, rooms, tables and sights that its demands allow.

Every candidate of the full tables stays in; only what a hard requirement or an environment
constraint rules out is left out, so an empty list proves that no plan exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from validators.plans.request import Request, Requirement
from validators.plans.view import journey_types
from validators.plans.world import ROOM_BEDS, Journey, Place, World
from warehouse.ways import MODES, Mode

_CITY_MODES: dict[str, Mode] = {"步行": "walk", "地铁": "metro", "打车": "taxi"}
_JOURNEYS = {"高铁": "train", "飞机": "airplane"}
_ROOM_CODES = {"单人间": "single", "大床房": "king", "双床房": "double", "家庭房": "family"}


class Infeasible(Exception):
    """No plan can exist; the message names the constraints in conflict, in words."""


@dataclass(frozen=True)
class Lodging:
    """Rooms of one type in a hotel for the whole party, cents a night."""

    hotel: Place
    room_type: str
    rooms: int
    night_cents: int


@dataclass(frozen=True)
class Demand:
    """Something that must be in the plan: one place of ``places`` (indices by name)."""

    kind: str
    words: str
    names: frozenset[str]


@dataclass(frozen=True)
class Offers:
    """Candidates of a request, and what a plan must hold."""

    request: Request
    outs: tuple[Journey, ...]
    backs: tuple[Journey, ...]
    lodgings: tuple[Lodging, ...]
    attractions: tuple[Place, ...]
    restaurants: tuple[Place, ...]
    demands: tuple[Demand, ...]
    modes: tuple[Mode, ...]
    budget_cents: int | None
    words: tuple[str, ...] = field(default=())


def offers_of(request: Request, world: World, *, wishes: bool = False) -> Offers:
    """The candidates for a request; with ``wishes`` what is wished for counts as required.

    Raises Infeasible with the reason where a list is empty.
    """
    wanted = request.requirements if wishes else request.hard
    by_kind: dict[str, list[Requirement]] = {}
    for requirement in wanted:
        by_kind.setdefault(requirement.kind, []).append(requirement)
    start, target = world.city_of(request.start_city), world.city_of(request.target_city)
    outs, backs = _journeys(world, start, target, by_kind, request.days)
    attractions = _sights(world, by_kind)
    restaurants = _tables(world, by_kind)
    lodgings = _lodgings(request, world, by_kind)
    demands = [
        *_demands(by_kind, "attraction", ("attraction_type", "attraction_name"), attractions),
        *_demands(by_kind, "restaurant", ("cuisine", "restaurant_name"), restaurants),
    ]
    budgets = [r.amount for r in by_kind.get("budget", ()) if r.amount is not None]
    return Offers(
        request, outs, backs, lodgings, attractions, restaurants, tuple(demands),
        _modes(by_kind), min(budgets) * 100 if budgets else None,
        tuple(requirement.words for requirement in wanted),
    )  # fmt: skip


def _journeys(
    world: World,
    start: str | None,
    target: str | None,
    by_kind: dict[str, list[Requirement]],
    days: int,
) -> tuple[tuple[Journey, ...], tuple[Journey, ...]]:
    found = []
    for name, ends, side in (
        ("there", (start, target), "there"),
        ("back", (target, start), "back"),
    ):
        every = [j for j in world.journeys if (j.origin_city, j.destination_city) == ends]
        if not every:
            raise Infeasible(f"no train or flight leads {name}")
        usable = [
            j for j in every
            if j.same_day and j.price_cents is not None and world.point(j.end if side == "there" else j.start)
        ]  # fmt: skip
        if not usable:
            raise Infeasible(f"no train or flight {name} arrives on the day on which it leaves")
        for requirement in (*by_kind.get("transport", ()), *by_kind.get("time", ())):
            usable = [j for j in usable if _travels(requirement, j, side)]
            if not usable:
                raise Infeasible(f"no train or flight {name} fits: {requirement.words}")
        found.append(tuple(usable))
    outs, backs = found
    if days == 1 and min(j.arrives_min for j in outs) >= max(j.departs_min for j in backs):
        raise Infeasible("on one day no journey back leaves after one there arrives")
    return outs, backs


def _travels(requirement: Requirement, journey: Journey, side: str) -> bool:
    if requirement.kind == "time":
        return requirement.mode != side or journey.arrives_min <= (requirement.amount or 0)
    tags = journey_types(journey.kind, journey.number)
    if requirement.mode == "none":
        return not tags & set(requirement.values)
    if requirement.mode == "any":
        return bool(tags & set(requirement.values))
    return all(journey.kind == _JOURNEYS.get(value) for value in requirement.values)


def _excluded(by_kind: dict[str, list[Requirement]], *kinds: str) -> set[str]:
    return {
        v for kind in kinds for r in by_kind.get(kind, ()) if r.mode == "none" for v in r.values
    }


def _sights(world: World, by_kind: dict[str, list[Requirement]]) -> tuple[Place, ...]:
    types = _excluded(by_kind, "attraction_type")
    names = _excluded(by_kind, "attraction_name")
    return tuple(
        p for p in world.all_of("attraction")
        if p.price_cents is not None and p.point and p.hours and not p.types & types and p.name not in names
    )  # fmt: skip


def _tables(world: World, by_kind: dict[str, list[Requirement]]) -> tuple[Place, ...]:
    cuisines = _excluded(by_kind, "cuisine")
    names = _excluded(by_kind, "restaurant_name")
    return tuple(
        p for p in world.all_of("restaurant")
        if p.price_cents is not None and p.point and p.hours
        and not p.types & cuisines and p.name not in names
    )  # fmt: skip


def _lodgings(
    request: Request, world: World, by_kind: dict[str, list[Requirement]]
) -> tuple[Lodging, ...]:
    if request.days == 1:
        return ()
    hotels = [p for p in world.all_of("hotel") if p.point]
    for requirement in (*by_kind.get("hotel_feature", ()), *by_kind.get("hotel_name", ())):
        hotels = [p for p in hotels if _hosts(requirement, p)]
        if not hotels:
            raise Infeasible(f"no hotel fits: {requirement.words}")
    asked = by_kind.get("rooms", [])
    found = [
        lodging
        for hotel in hotels
        for room_type in sorted(hotel.rooms)
        if (lodging := _lodging(hotel, room_type, request.people, asked)) is not None
    ]
    if not found:
        words = [
            r.words
            for kind in ("hotel_feature", "hotel_name", "rooms")
            for r in by_kind.get(kind, ())
        ]
        raise Infeasible(
            f"no hotel has rooms free for {request.people} people"
            + "".join(f", {w}" for w in words)
        )
    return tuple(sorted(found, key=lambda x: (x.night_cents, x.hotel.name, x.room_type)))


def _hosts(requirement: Requirement, hotel: Place) -> bool:
    has = hotel.types if requirement.kind == "hotel_feature" else {hotel.name}
    if requirement.mode == "none":
        return not has & set(requirement.values)
    if requirement.mode == "any":
        return bool(has & set(requirement.values))
    return set(requirement.values) <= has


def _lodging(
    hotel: Place, room_type: str, people: int, asked: Sequence[Requirement]
) -> Lodging | None:
    room = hotel.rooms[room_type]
    rooms = -(-people // ROOM_BEDS[room_type])
    for requirement in asked:
        if _ROOM_CODES.get(requirement.values[0]) != room_type:
            return None
        rooms = requirement.amount or rooms
    if room.price_cents is None or (room.stock is not None and room.stock < rooms):
        return None
    return Lodging(hotel, room_type, rooms, room.price_cents * rooms)


def _demands(
    by_kind: dict[str, list[Requirement]], kind: str, kinds: Iterable[str], places: Sequence[Place]
) -> list[Demand]:
    found = []
    for requirement in (r for k in kinds for r in by_kind.get(k, ()) if r.mode != "none"):
        named = requirement.kind.endswith("_name")
        groups = (
            [requirement.values]
            if requirement.mode == "any"
            else [(v,) for v in requirement.values]
        )
        for group in groups:
            names = frozenset(
                p.name for p in places
                if (p.name in group if named else p.types & set(group))
            )  # fmt: skip
            if not names:
                raise Infeasible(f"nothing with known hours and price fits: {requirement.words}")
            found.append(Demand(kind, requirement.words, names))
    return found


def _modes(by_kind: dict[str, list[Requirement]]) -> tuple[Mode, ...]:
    modes = list(MODES)
    for requirement in by_kind.get("city_transport", ()):
        named = {_CITY_MODES[value] for value in requirement.values}
        if requirement.mode == "none":
            modes = [m for m in modes if m not in named]
        else:
            modes = [m for m in modes if m in named or m == "walk"]
    return tuple(modes)
