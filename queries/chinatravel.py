"""Plan the queries in the chinatravel family, which set one to five constraints on the plan.

The levels follow ChinaTravel, appendix D.3 to D.5 and tables 6 and 7. An easy query has one
constraint, and a medium query has several constraints. The number of constraints in a query is a
setting, because the paper gives both 2-5 and 3-5. A preference query is a medium query with an
additional objective. A plan must meet all constraints of its query. If a constraint has several
tags, its mode shows whether the plan needs all of the tags ("all"), at least one of them ("any") or
none of them ("none"). Objectives are soft: no plan is rejected because of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from queries.chinatravel_constraints import (
    Constraint,
    draw_constraint,
    infeasible_budget,
    objective,
)
from queries.chinatravel_text import text_en, text_zh
from queries.drawing import deal, draw_share, pick, shuffle
from queries.grounding import Destination, Offer, Origin
from queries.journeys import least_cents, modest_cents, origins_for, ways_of
from queries.plausible import Traveller
from queries.rows import Distinct, Row, assign_splits, pair_of_cities, query_row
from queries.settings import ChinaTravelSettings, PlanningError, SplitSettings
from queries.traveleval import draw_party
from queries.wording import Party

Plan = dict[str, Any]
#: Kinds of constraints; a query has at most one constraint of each kind.
KINDS = (
    "transport", "attraction_type", "attraction_name", "cuisine", "restaurant_name",
    "hotel_feature", "hotel_name", "rooms", "budget", "city_transport", "time",
)  # fmt: skip
#: Kinds of constraints that name places, and kinds whose values must be in the city's tables. Every
#: city can meet the others: rooms, budgets, city transport and times.
_NAMED = frozenset({"attraction_name", "restaurant_name", "hotel_name"})
_GROUNDED = _NAMED | {"attraction_type", "cuisine", "hotel_feature", "transport"}
_UNDATED = frozenset({"undated"})
OBJECTIVES = (
    "attractions", "transport_time", "restaurant_time", "food_share", "hotel_cost", "near",
)  # fmt: skip


def plan(
    places: Sequence[Destination],
    settings: ChinaTravelSettings,
    splits: SplitSettings = SplitSettings(),
    prefix: str = "chinatravel-",
) -> list[Row]:
    """Plan queries at all three levels, balanced across destinations, days and kinds of
    constraints.

    Raises PlanningError if no destination can be reached, or if the settings cannot be satisfied.
    """
    _check(places, settings)
    rows: list[Row] = []
    seen = Distinct()
    for level in ("easy", "medium", "preference"):
        rows += _level(level, places, settings, prefix, seen)
    assign_splits(rows, pair_of_cities, splits, [place.city for place in places])
    return rows


def _check(places: Sequence[Destination], settings: ChinaTravelSettings) -> None:
    low, high = settings.medium_constraints
    if not 1 <= low <= high <= len(KINDS):
        raise PlanningError(
            ("queries", "chinatravel", "medium_constraints"),
            f"must be two numbers from 1 to {len(KINDS)}, the smaller one first,"
            f" not {low} and {high}",
        )
    if settings.infeasible_share and not any(_has_prices(place.offer) for place in places):
        raise PlanningError(
            ("queries", "chinatravel", "infeasible_share"),
            "no destination has prices in yuan, so tripbed cannot determine which budgets are too"
            " low: give --tables, or set infeasible_share to 0",
        )
    if not any(place.offer.origins for place in places):
        raise PlanningError(
            ("queries", "cities"),
            "no destination can be reached from another city: give at least two cities",
        )


def _has_prices(offer: Offer) -> bool:
    return bool(
        offer.room_cents or offer.meal_cents or any(o.round_trip_cents for o in offer.origins)
    )


def _level(
    level: str,
    places: Sequence[Destination],
    settings: ChinaTravelSettings,
    prefix: str,
    seen: Distinct,
) -> list[Row]:
    count = getattr(settings, level)
    reachable = [place for place in places if place.offer.origins]
    destinations = deal(reachable, count, prefix, level, "destinations")
    days = deal(settings.days, count, prefix, level, "days")
    sizes = _sizes(level, count, settings, prefix)
    chosen = _kinds(sizes, prefix, level)
    hopeless = draw_share(count, settings.infeasible_share, prefix, level, "infeasible")
    rows: list[Row] = []
    for number, place in enumerate(destinations):
        uid = f"{level[0].upper()}{number + 1:05d}"
        make = partial(
            _row, uid=uid, level=level, place=place, n_days=days[number], kinds=chosen[number],
            hopeless=hopeless[number],
        )  # fmt: skip
        rows += seen.draw(make, prefix, ("queries", "chinatravel", level))
    return rows


def _row(
    prefix: str,
    uid: str,
    level: str,
    place: Destination,
    n_days: int,
    kinds: Sequence[str],
    hopeless: bool,
) -> list[Row]:
    origin = pick(origins_for(place.city, place.offer, n_days), prefix + uid, "origin")
    structure = _structure(prefix, uid, level, place, origin, n_days, kinds)
    named = dict.fromkeys(_values(structure, _NAMED))
    if names_en := {zh: place.offer.names_en[zh] for zh in named if zh in place.offer.names_en}:
        structure["names_en"] = names_en
    lacking = place.lacks(_values(structure, _GROUNDED), origin)
    if lacking:
        structure["ungrounded"] = lacking
    status, reason = place.status(lacking), None
    if hopeless and _make_hopeless(structure, place, origin):
        status, reason = "infeasible", "by design: the budget is below the cheapest trip"
    ends = (origin.city, place.city)
    texts = (
        text_zh(
            structure,
            ends[0].name_zh or ends[0].name_en,
            ends[1].name_zh or ends[1].name_en,
            prefix,
        ),
        (
            text_en(structure, ends[0].name_en, ends[1].name_en, prefix)
            if named.keys() == structure.get("names_en", {}).keys()
            else None
        ),
    )
    stratum = f"{level}/{len(structure['constraints'])}c/{n_days}d"
    return [query_row(
        prefix + uid, place.city, "chinatravel", "level", level, n_days, texts, structure, stratum,
        status, reason,
    )]  # fmt: skip


def _values(structure: Plan, kinds: frozenset[str]) -> list[str]:
    """Return the values of all constraints of the given kinds, and the places in the objectives."""
    found = [v for c in structure["constraints"] if c["kind"] in kinds for v in c["values"]]
    return found + [goal["value"] for goal in structure["objectives"] if goal["value"]]


def _make_hopeless(structure: Plan, place: Destination, origin: Origin) -> bool:
    """Lower the query's budget below the cost of the cheapest trip, and return whether this was
    possible.

    The budget can be lowered only if the query has a budget and the prices in the city are known.
    """
    least = least_cents(
        place.offer, origin.round_trip_cents, structure["days"], structure["people_number"]
    )
    kinds = [constraint["kind"] for constraint in structure["constraints"]]
    if "budget" not in kinds or least < 40_000:
        return False
    structure["constraints"][kinds.index("budget")] = infeasible_budget(least)
    structure["infeasible_by_design"] = True
    return True


def _sizes(level: str, count: int, settings: ChinaTravelSettings, prefix: str) -> list[int]:
    if level == "easy":
        return [1] * count
    low, high = settings.medium_constraints
    return deal(range(low, high + 1), count, prefix, level, "sizes")


def _kinds(sizes: Sequence[int], *seed: str) -> list[list[str]]:
    """Choose the kinds of constraints for each query so that all kinds are equally frequent.

    If several kinds are equally suitable, the pairs of kinds are balanced as well.
    """
    used = dict.fromkeys(KINDS, 0)
    pairs: Counter[frozenset[str]] = Counter()
    found = []
    for number, size in enumerate(sizes):
        order = {kind: i for i, kind in enumerate(shuffle(KINDS, *seed, str(number)))}
        chosen: list[str] = []
        while len(chosen) < size:
            free = [kind for kind in KINDS if kind not in chosen]
            chosen.append(
                min(
                    free,
                    key=lambda k: (
                        used[k],
                        sum(pairs[frozenset((k, c))] for c in chosen),
                        order[k],
                    ),
                )
            )
            for other in chosen[:-1]:
                pairs[frozenset((other, chosen[-1]))] += 1
            used[chosen[-1]] += 1
        found.append(sorted(chosen, key=KINDS.index))
    return found


def _structure(
    prefix: str,
    uid: str,
    level: str,
    place: Destination,
    origin: Origin,
    n_days: int,
    kinds: Sequence[str],
) -> Plan:
    seed = prefix + uid
    party = draw_party(seed, most=4)
    people = sum(party)
    constraints = _constraints(seed, kinds, place, origin, n_days, party)
    objectives = [_objective(seed, constraints, place.offer)] if level == "preference" else []
    return {
        "uid": uid,
        "tag": level,
        "start_city": origin.city.slug,
        "target_city": place.city.slug,
        "days": n_days,
        "people_number": people,
        "people_composition": dict(zip(("adults", "children", "seniors"), party, strict=True)),
        "constraints": constraints,
        "objectives": objectives,
    }


def _objective(seed: str, constraints: Sequence[Constraint], offer: Offer) -> Constraint:
    """Draw an objective whose result the constraints do not already determine.

    If a constraint names the hotel, the cost of the hotel is not used as an objective. If a
    constraint names a place, staying near that place is not used as an objective.
    """
    named = {value for c in constraints if c["kind"].endswith("_name") for value in c["values"]}
    books = any((c["kind"], c["mode"]) == ("hotel_name", "all") for c in constraints)
    open_ones = [name for name in OBJECTIVES if not (books and name == "hotel_cost")]
    free = tuple(name for name in offer.attractions if name not in named)
    return objective(pick(open_ones, seed, "objective"), seed, replace(offer, attractions=free))


def _constraints(
    seed: str, kinds: Sequence[str], place: Destination, origin: Origin, n_days: int, party: Party
) -> list[Constraint]:  # fmt: skip
    """Draw a constraint of each kind; if the tables cannot meet one kind, a different kind
    replaces it.
    """
    found: dict[str, Constraint] = {}
    spare = [kind for kind in shuffle(KINDS, seed, "spare") if kind not in kinds]
    traveller = Traveller(party, also=_UNDATED)
    ways = ways_of(place.city, origin)
    modest = modest_cents(place.city, place.offer, origin, n_days, sum(party))
    # The budget is drawn first so that the other constraints can fit it.
    for kind in sorted([*kinds, *spare], key=lambda kind: (kind in spare, kind != "budget")):
        if len(found) == len(kinds):
            break
        # A traveller who names a hotel does not ask for a hotel feature as well.
        refused = kind == "hotel_name" and "hotel_feature" in kinds
        made = draw_constraint(kind, seed, place.offer, ways, traveller, modest, refused=refused)
        if made is not None:
            found[kind] = made
            if kind == "budget":
                daily = made["amount"] // (sum(party) * n_days)
                traveller = Traveller(party, daily, _UNDATED)
    return [found[kind] for kind in sorted(found, key=KINDS.index)]
