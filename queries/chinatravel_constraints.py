"""Draw constraints and objectives for chinatravel queries, as fields and as expressions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from queries.drawing import pick, sample
from queries.grounding import Offer
from queries.plausible import Traveller, apart, avoidable, likely
from schemas.expressions import parse_constraint, parse_objective

Constraint = dict[str, Any]
_MEALS = "{'breakfast', 'lunch', 'dinner'}"
_TYPES = "{{t for a in plan.activities if a.kind {kind} for t in a.types}}"
_NAMES = "{{a.name for a in plan.activities if a.kind {kind}}}"
_KIND = {
    "attraction_type": (_TYPES, "== 'attraction'"), "attraction_name": (_NAMES, "== 'attraction'"),
    "cuisine": (_TYPES, f"in {_MEALS}"), "restaurant_name": (_NAMES, f"in {_MEALS}"),
    "hotel_feature": (_TYPES, "== 'accommodation'"), "hotel_name": (_NAMES, "== 'accommodation'"),
}  # fmt: skip
#: Tags for ways of travelling between cities, with their kinds of activities in a plan.
JOURNEYS = {"高铁": "train", "飞机": "airplane"}
ROOM_TYPES = ("单人间", "大床房", "双床房", "家庭房")
#: Number of people per room; a query asks for as few rooms as the party needs.
_BEDS = dict(zip(ROOM_TYPES, (1, 2, 2, 3), strict=True))
CITY_MODES = {"地铁": "metro", "打车": "taxi", "步行": "walk"}


def draw_constraint(
    kind: str,
    seed: str,
    offer: Offer,
    ways: Sequence[str],
    traveller: Traveller,
    modest_cents: int,
    *,
    refused: bool = False,
) -> Constraint | None:
    """Draw a constraint of the given kind; return None if the city's tables cannot meet any.

    If ``refused`` is true, a constraint that names a place excludes that place.
    """
    match kind:
        case "transport":
            return _make(kind, "all", [pick(ways, seed, kind)]) if ways else None
        case "rooms":
            room = pick(_rooms_for(traveller.party), seed, "room")
            rooms = (sum(traveller.party) + _BEDS[room] - 1) // _BEDS[room]
            return _make(kind, "all", [room], rooms)
        case "budget":
            step = pick(range(5, 13), seed, kind)  # 1.25 to 3 times a modest trip
            return _make(kind, "all", [], yuan_up(modest_cents * step // 4))
        case "city_transport":
            # Nobody walks everywhere in a city for days, nor refuses to walk at all.
            side = pick(("all", "none"), seed, "side")
            return _make(kind, side, [pick(("地铁", "打车"), seed, kind)])
        case "time":
            side, hour = pick(("back", "there"), seed, "side"), pick(range(15, 22), seed, kind)
            return _make(kind, side, [], hour * 60)
        case _:
            return _name_place(kind, seed, offer, traveller, refused=refused)


def _rooms_for(party: tuple[int, int, int]) -> list[str]:
    """Return the room types that suit a party.

    Parties with children do not book single rooms, and parties of two do not book family rooms.
    """
    people, children = sum(party), party[1]
    if people == 1:
        return ["单人间", "大床房"]
    fit = ["双床房"] if people > 2 and not children else ["大床房", "双床房"]
    return [*([] if children else ["单人间"]), *fit, *(["家庭房"] if people > 2 else [])]


def yuan_up(cents: int) -> int:
    """Convert cents to yuan, rounded up to a multiple of 100."""
    return (cents + 9_999) // 10_000 * 100


def infeasible_budget(least_cents: int) -> Constraint:
    """Return a budget that no plan can meet: half the cost of the cheapest trip."""
    return _make("budget", "all", [], max(100, least_cents // 20_000 * 100))


def _name_place(
    kind: str, seed: str, offer: Offer, traveller: Traveller, *, refused: bool
) -> Constraint | None:
    options = {
        "attraction_type": offer.types,
        "attraction_name": offer.attractions,
        "cuisine": offer.cuisines,
        "restaurant_name": offer.restaurants,
        "hotel_feature": tuple(f for f in offer.features if f not in ROOM_TYPES),
        "hotel_name": offer.hotels,
    }[kind]
    one_only = kind in ("hotel_name", "hotel_feature")
    modes = ("all", "none") if one_only else ("all", "all", "any", "none")
    mode = "none" if refused else pick(modes, seed, "mode", kind)
    number = 1 if one_only else {"all": pick((1, 2), seed, "n", kind), "any": 2, "none": 1}[mode]
    if kind.endswith("_name"):
        drawn = sample(options, number, seed, kind)
    else:
        fit = avoidable(options, traveller.party) if mode == "none" else likely(options, traveller)
        drawn = apart(fit, number, seed, kind)
    if len(drawn) < number:
        return None
    return _make(kind, mode, drawn)


@lru_cache(maxsize=10_000)
def _normalise_expression(expression: str) -> str:
    """Return an expression in its normal form; results are cached because many expressions
    recur.
    """
    return parse_constraint(expression).text


def _make(kind: str, mode: str, values: list[str], amount: int | None = None) -> Constraint:
    made = {"kind": kind, "mode": mode, "values": values, "amount": amount}
    return {**made, "expression": _normalise_expression(expression_of(made))}


def expression_of(constraint: Constraint) -> str:
    """Return a constraint as an expression in the language of ``schemas.expressions``.

    The constraint's amount is in yuan, minutes or rooms.
    """
    kind, mode, amount = constraint["kind"], constraint["mode"], constraint["amount"]
    values = [repr(value) for value in constraint["values"]]
    journeys = "for a in plan.activities if a.kind in {'train', 'airplane'}"
    match kind:
        case "transport":
            return f"{{a.kind {journeys}}} == {{'{JOURNEYS[constraint['values'][0]]}'}}"
        case "rooms":
            hotels = "for a in plan.activities if a.kind == 'accommodation'"
            return f"all(a.rooms == {amount} and a.room_type == {values[0]} {hotels})"
        case "budget":
            return f"plan.cost <= cny({amount})"
        case "city_transport":
            way = CITY_MODES[constraint["values"][0]]
            if mode == "none":
                return f"not any(r.mode == '{way}' for r in plan.rides)"
            return f"{{r.mode for r in plan.rides}} <= {{'walk', '{way}'}}"
        case "time":
            end = "plan.start_city" if mode == "back" else "plan.target_city"
            return f"all(a.end <= minutes({amount}) {journeys} and a.destination == {end})"
        case _:
            form, which = _KIND[kind]
            return _membership(mode, values, form.format(kind=which))


def _membership(mode: str, values: list[str], found: str) -> str:
    wanted = "{" + ", ".join(values) + "}"
    if mode == "all":
        return f"{wanted} <= {found}"
    each = [f"{value} in {found}" for value in values]
    return " or ".join(each) if mode == "any" else " and ".join(f"not {e}" for e in each)


_OBJECTIVES = {
    "attractions": ("max", "count(a for a in plan.activities if a.kind == 'attraction')"),
    "transport_time": ("min", "sum(r.duration for r in plan.rides)"),
    "restaurant_time": ("min", f"sum(r.duration for r in plan.rides if r.to_kind in {_MEALS})"),
    "food_share": (
        "max",
        f"sum(a.cost for a in plan.activities if a.kind in {_MEALS}) / plan.cost",
    ),
    "hotel_cost": ("min", "sum(a.cost for a in plan.activities if a.kind == 'accommodation')"),
}


def objective(name: str, seed: str, offer: Offer) -> Constraint:
    """Return an objective as listed in table 7 of ChinaTravel.

    If there are no attractions, ``transport_time`` (the shortest time spent in transport) replaces
    ``near``.
    """
    place = None
    if name == "near" and offer.attractions:
        place, direction = pick(offer.attractions, seed, "near"), "min"
        visits = "for a in plan.activities if a.kind == 'attraction'"
        text = f"sum(distance(a.name, {place!r}) {visits}) / count(a {visits})"
    else:
        name = "transport_time" if name == "near" else name
        direction, text = _OBJECTIVES[name]
    return {
        "name": name,
        "value": place,
        "direction": direction,
        "expression": parse_objective(text).text,
    }
