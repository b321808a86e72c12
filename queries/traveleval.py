"""Plan the queries in the traveleval family; each query requests a trip to another city.

Rules and quotas follow TravelEval, table A1 and appendix C. A query asks only for tags in the
destination's tables, and its budget always covers the cheapest journey, room and meals. A plan
should meet at least one of the wishes in each category, and must contain nothing that the query
excludes. Budget, dates and exclusions are hard constraints; wishes are soft. Each draw depends on a
hash of the query's id and the draw's name, so the same input always produces the same queries.
"""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from queries.drawing import deal, draw_share, pick, shuffle
from queries.grounding import Destination, Offer, Origin
from queries.journeys import distance_m, least_cents, modest_cents, origins_for, ways_of
from queries.plausible import ECONOMY_YUAN, Traveller, avoidable
from queries.preferences import CATEGORIES, easier, preferences
from queries.rows import Distinct, Row, assign_splits, pair_of_cities, query_row
from queries.settings import PlanningError, SplitSettings, TravelEvalSettings
from queries.traveleval_text import text_en, text_zh
from schemas.arrow import frame
from schemas.cities import City
from schemas.money import YUAN, price_scale
from schemas.seasons import NORTHERN_MONTHS, season_of

Plan = dict[str, Any]
DAYS = range(2, 8)
DIFFICULTIES = ("easy", "medium", "hard")
#: Lowest and highest cost per person and day, and cost of the journey, in yuan, by class (appendix
#: C, rule III).
CLASSES = {"economy": (100, 500, 500), "medium": (500, 1000, 1200), "high": (1000, 5000, 2000)}
#: Highest budget per person and day in yuan, with the journey included, unless even the cheapest
#: trip of the high class costs more.
MOST_YUAN = 1_500
#: Up to this distance in metres, a high-speed train is not expensive.
NEAR_M = 700_000
#: Share of the cost of a modest trip that is enough for the economy class.
FRUGAL = 0.8
_DUOS = ((2, 0, 0), (1, 1, 0), (1, 0, 1))
#: The ten destinations of the published quotas (table A1).
PUBLISHED_CITIES = (
    "beijing", "chengdu", "chongqing", "guangzhou", "hangzhou", "nanjing", "shanghai", "shenzhen",
    "suzhou", "wuhan",
)  # fmt: skip


def plan_queries(
    city: City, offer: Offer, settings: TravelEvalSettings | None = None
) -> pl.DataFrame:
    """Plan one city's queries (a tenth of the quotas) as rows of the table ``queries``.

    A city without an origin gets no rows. Raises PlanningError if the tables have too few tags;
    ``meetable`` avoids this error.
    """
    if not offer.origins:
        return frame("queries", [])
    asked = settings or TravelEvalSettings()
    tenth = {name: _tenth(city, getattr(asked, name)) for name in (*DIFFICULTIES, "groups")}
    place = Destination(city, offer)
    rows = plan([place], asked.model_copy(update=tenth), prefix=f"traveleval-{city.slug}-")
    return frame("queries", rows)


def _tenth(city: City, quotas: Sequence[int]) -> tuple[int, ...]:
    """Return one city's tenth of the quotas.

    The queries for all quotas are numbered, and the city gets every tenth query. Together, the ten
    published cities meet the quotas exactly.
    """
    names = PUBLISHED_CITIES
    place = names.index(city.slug) if city.slug in names else pick(range(len(names)), city.city_id)
    days = [cell for cell, quota in enumerate(quotas) for _ in range(quota)]
    own = days[place :: len(names)]
    return tuple(own.count(cell) for cell in range(len(quotas)))


def meetable(city: City, offer: Offer, settings: TravelEvalSettings) -> TravelEvalSettings:
    """Return the settings without the difficulty levels that require more tags than the city
    has.
    """
    beyond = _beyond(Destination(city, offer), settings)
    return settings.model_copy(update={name: (0,) * len(DAYS) for name in beyond})


def plan(
    places: Sequence[Destination],
    settings: TravelEvalSettings,
    splits: SplitSettings = SplitSettings(),
    prefix: str = "traveleval-",
) -> list[Row]:
    """Plan the queries in groups A and B, distributed evenly over all destinations.

    Raises PlanningError if no destination can be reached, or if a destination has too few tags.
    """
    journeys = _journeys(places, settings)
    seen = Distinct()
    rows = _group_a(journeys, settings, prefix, seen)
    rows += _group_b(journeys[len(rows) :], settings, prefix, seen)
    assign_splits(rows, pair_of_cities, splits, [place.city for place in places])
    return rows


def _journeys(
    places: Sequence[Destination], settings: TravelEvalSettings
) -> list[tuple[Destination, Origin]]:
    """Return a destination and an origin for each query, distributed evenly over the
    destinations.
    """
    reachable = [place for place in places if place.offer.origins]
    if not reachable:
        raise PlanningError(
            ("queries", "cities"),
            "no destination can be reached from another city: give at least two cities",
        )
    _check_tags(reachable, settings)
    lengths = [
        n_days
        for name in (*DIFFICULTIES, "groups")
        for n_days, quota in zip(DAYS, getattr(settings, name), strict=True)
        for _ in range(quota)
    ]
    used: Counter[tuple[str, tuple[Origin, ...]]] = Counter()
    found = []
    for place, n_days in zip(deal(reachable, len(lengths), "destinations"), lengths, strict=True):
        origins = origins_for(place.city, place.offer, n_days)
        key = (place.city.city_id, origins)
        turn, number = divmod(used[key], len(origins))
        found.append((place, shuffle(origins, key[0], "origins", str(turn))[number]))
        used[key] += 1
    return found


def _check_tags(places: Sequence[Destination], settings: TravelEvalSettings) -> None:
    """Raise PlanningError if a destination has too few tags for the planned queries."""
    for place in places:
        for name in _beyond(place, settings):
            tagged = sum(map(bool, _fewest_tags(place)))
            raise PlanningError(
                ("queries", "traveleval", name),
                f"{place.city.name_en} has too few tags: its tables cover only {tagged} of the"
                " categories accommodations, diet and attractions; give tables that cover more"
                " categories, or leave the city out",
            )


def _beyond(place: Destination, settings: TravelEvalSettings) -> list[str]:
    """Return the planned difficulty levels that require more tags than a destination has."""
    tags = _fewest_tags(place)
    tagged = sum(map(bool, tags))
    excludable = any(len(some) > 1 and avoidable(some) for some in tags)
    # A query can always wish for a pace, in addition to tags.
    return [
        name
        for name, number in (("medium", 1), ("hard", 3), ("groups", 3))
        if sum(getattr(settings, name))
        and (tagged + 1 < number or (number == 3 and not excludable))
    ]


def _fewest_tags(place: Destination) -> tuple[tuple[str, ...], ...]:
    """Return the hotel features, the cuisines, and the attraction types of the season with the
    fewest types.
    """
    offer = place.offer
    types = min((offer.types_in(season) for season in NORTHERN_MONTHS), key=len)
    return offer.features, offer.cuisines, types


def _group_a(
    journeys: Sequence[tuple[Destination, Origin]],
    settings: TravelEvalSettings,
    prefix: str,
    seen: Distinct,
) -> list[Row]:
    rows: list[Row] = []
    for difficulty in DIFFICULTIES:
        quotas = getattr(settings, difficulty)
        economy = draw_share(sum(quotas), settings.economy_share, prefix, difficulty, "economy")
        days = [n for n, quota in zip(DAYS, quotas, strict=True) for _ in range(quota)]
        for number, n_days in enumerate(days):
            place, origin = journeys[len(rows)]
            uid = f"T{len(rows) + 1:04d}"
            tight = difficulty == "hard" and economy[number]
            make = partial(
                _alone, uid=uid, difficulty=difficulty, place=place, origin=origin, n_days=n_days,
                settings=settings, tight=tight,
            )  # fmt: skip
            rows += seen.draw(make, prefix, ("queries", "traveleval", difficulty))
    return rows


def _alone(
    prefix: str, uid: str, difficulty: str, place: Destination, origin: Origin, n_days: int,
    settings: TravelEvalSettings, tight: bool,
) -> list[Row]:  # fmt: skip
    core = _core(prefix + uid, place, origin, n_days, settings, tight=tight)
    ways = _ways(place, origin, _traveller(core))
    wanted = preferences(prefix + uid, _in_season(place, core), ways, difficulty, _traveller(core))
    return [_row(prefix, uid, difficulty, place, origin, {**core, **wanted}, "A")]


def _group_b(
    journeys: Sequence[tuple[Destination, Origin]],
    settings: TravelEvalSettings,
    prefix: str,
    seen: Distinct,
) -> list[Row]:
    """Plan groups of three queries for the same trip, with an increasing number of preferences."""
    total = sum(settings.groups)
    economy = draw_share(total, settings.economy_share, prefix, "groups", "economy")
    days = [n for n, quota in zip(DAYS, settings.groups, strict=True) for _ in range(quota)]
    rows: list[Row] = []
    for number, n_days in enumerate(days):
        place, origin = journeys[number]
        make = partial(
            _three, group=f"G{number + 1:02d}", place=place, origin=origin, n_days=n_days,
            settings=settings, tight=economy[number],
        )  # fmt: skip
        rows += seen.draw(make, prefix, ("queries", "traveleval", "groups"))
    return rows


def _three(
    prefix: str,
    group: str,
    place: Destination,
    origin: Origin,
    n_days: int,
    settings: TravelEvalSettings,
    tight: bool,
) -> list[Row]:
    core = _core(prefix + group, place, origin, n_days, settings, tight=tight)
    ways = _ways(place, origin, _traveller(core))
    hard = preferences(prefix + group, _in_season(place, core), ways, "hard", _traveller(core))
    nothing: Plan = {category: {} for category in CATEGORIES}
    steps: tuple[Plan, ...] = (nothing, easier(prefix + group, hard), hard)
    return [
        _row(prefix, f"{group}-{step}", difficulty, place, origin, {**core, **wanted}, "B")
        for step, (difficulty, wanted) in enumerate(zip(DIFFICULTIES, steps, strict=True), 1)
    ]


def _in_season(place: Destination, core: Plan) -> Offer:
    """Return everything that a query can ask for in the season in which the trip begins."""
    season = season_of(int(core["dates"][5:7]), place.city.lat)
    return replace(place.offer, types=place.offer.types_in(season))


def _traveller(core: Plan) -> Traveller:
    party = core["people_composition"]
    daily = core["budget"] // (core["people_number"] * core["days"])
    return Traveller((party["adults"], party["children"], party["seniors"]), daily)


def _ways(place: Destination, origin: Origin, traveller: Traveller) -> tuple[str, ...]:
    """Return the ways to travel that a query may wish for; with a tight budget, only cheap ways."""
    ways = ways_of(place.city, origin)
    if traveller.daily_yuan is None or traveller.daily_yuan >= ECONOMY_YUAN:
        return ways
    return tuple(way for way in ways if way == "高铁" and distance_m(place.city, origin) < NEAR_M)


def _core(
    seed: str,
    place: Destination,
    origin: Origin,
    n_days: int,
    settings: TravelEvalSettings,
    *,
    tight: bool,
) -> Plan:
    """Draw the cities, days, party, budget and dates of a trip."""
    party = draw_party(seed)
    first = dt.date(settings.first_year, 1, 1)
    start = first + dt.timedelta(days=pick(range(360 - n_days), seed, "date"))
    return {
        "start_city": origin.city.slug,
        "target_city": place.city.slug,
        "days": n_days,
        "people_number": sum(party),
        "people_composition": dict(zip(("adults", "children", "seniors"), party, strict=True)),
        "budget": _budget(seed, place, origin, n_days, sum(party), tight=tight),
        "dates": f"{start} to {start + dt.timedelta(days=n_days - 1)}",
        **({} if place.offer.currency == YUAN else {"currency": place.offer.currency}),
    }


def _row(
    prefix: str,
    uid: str,
    difficulty: str,
    place: Destination,
    origin: Origin,
    structure: Plan,
    group: str,
) -> Row:
    plan = {"uid": uid, "tag": difficulty, **structure}
    asked = [tag for c in CATEGORIES if c != "rhythm" for side in plan[c].values() for tag in side]
    lacking = place.lacks(asked, origin)
    if lacking:
        plan["ungrounded"] = lacking
    seeded = {**plan, "uid": prefix + uid}
    ends = (origin.city, place.city)
    texts = (
        text_zh(seeded, *(c.name_zh or c.name_en for c in ends)),
        text_en(seeded, *(c.name_en for c in ends)),
    )
    days = plan["days"]
    return query_row(
        prefix + uid, place.city, "traveleval", "difficulty", difficulty, days, texts, plan,
        f"{difficulty}/{days}d" if group == "A" else f"group/{difficulty}/{days}d",
        place.status(lacking),
    )  # fmt: skip


def draw_party(seed: str, most: int = 6) -> tuple[int, int, int]:
    """Draw the numbers of adults (at least 1), children (at most 3) and seniors (at most 2)."""
    people = pick(range(1, most + 1), seed, "people")
    if people == 1:
        return (1, 0, 0)
    if people == 2:
        return pick(_DUOS, seed, "duo")
    groups = [
        (people - children - seniors, children, seniors)
        for children in range(4)
        for seniors in range(3)
        if people - children - seniors >= 1
    ]
    return pick(groups, seed, "group")


def _budget(
    seed: str, place: Destination, origin: Origin, n_days: int, people: int, *, tight: bool
) -> int:
    """Draw the whole party's budget: (m · days + n) · people, rounded according to the rules.

    The daily cost m is drawn so that the budget covers a modest trip (a frugal trip in the economy
    class) but is not implausibly high. If no budget in a class is high enough, the next class is
    tried, and finally the highest budget. The figures are in yuan; for other currencies, they are
    multiplied by ``price_scale``.
    """
    names = sorted(CLASSES)
    first = "economy" if tight else pick(names, seed, "class")
    order = [first, *(name for name in ("economy", "medium", "high") if name != first)]
    modest = modest_cents(place.city, place.offer, origin, n_days, people) / 100
    least = least_cents(place.offer, origin.round_trip_cents, n_days, people) / 100
    scale = price_scale(place.offer.currency) or 1.0
    for name in order:
        low, high, journey = (round(amount * scale) for amount in CLASSES[name])
        enough = max(least, modest * (FRUGAL if name == "economy" else 1))
        needed = math.ceil((enough / people - journey) / n_days)
        low = max(low, needed)
        high = min(high, max(low, round(MOST_YUAN * scale - journey / n_days)))
        for draw in range(8):
            days = range(low, high + 1, max(1, round(10 * scale)))
            if not days:
                break
            budget = round_budget(
                (pick(days, seed, "daily", name, str(draw)) * n_days + journey) * people, scale
            )
            if budget >= enough:
                return budget
    return round_budget(
        round((CLASSES["high"][1] * n_days + CLASSES["high"][2]) * people * scale), scale
    )


def round_budget(budget: int, scale: float = 1.0) -> int:
    """Round a budget below 10,000 yuan to the nearest 500 yuan, and any other to the nearest 2,000
    yuan.

    ``scale`` is the number of units of the currency that equal one yuan.
    """
    step = max(1, round((500 if budget < 10_000 * scale else 2_000) * scale))
    return (budget + step // 2) // step * step
