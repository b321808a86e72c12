"""Make a plan that a traveller would follow, at one level of comfort.

The best known sights are spread over the days first, each where it adds the least travel. Other
sights that are worth their travel fill the time between them. Finally, meals get restaurants and
gaps are filled. All scores are whole numbers, so that equal tables give equal plans.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise, permutations

import numpy as np

from schemas.geo import distance_m
from schemas.parameters import queue_parameters
from schemas.plans import Day, Plan
from schemas.taxonomy import BASE_TYPES
from validators.plans.appeal import (
    MUST_SEES,
    WELL_KNOWN,
    VisitStyle,
    is_climb,
    is_day_of_rides,
    is_for_children,
    is_fun,
    is_great_nature,
    is_unasked,
    seeks_quiet,
    visit_of,
    wishes_met,
    wishes_of,
    worth,
)
from validators.plans.comfort import Level, Reach, Riders
from validators.plans.daylight import EARLY_DUSK, dusk_of
from validators.plans.departures import AHEAD_MIN, LEAVING_MIN, journeys_of, nights_of
from validators.plans.kinds import (
    bounds_of,
    fit,
    is_area,
    is_usually_closed,
    kind_of,
    meanings,
    means,
)
from validators.plans.lodging import Lodging
from validators.plans.map import Map
from validators.plans.moving import move_visits
from validators.plans.offers import Demand, Offers
from validators.plans.outing import (
    ALL_DAY_MIN,
    EARLIEST,
    EVENING,
    HALF_DAY_MIN,
    HASTY_MIN,
    Course,
    Frame,
    Ground,
    Here,
    Seat,
    latest_start,
    walk,
)
from validators.plans.renown import Renown
from validators.plans.tables_near import NO_MEAL, SNACKS, NearTables, State
from validators.plans.trip import TripRequest
from validators.plans.world import Journey, Place, World
from validators.plans.writing import Writer
from warehouse.queueing import Queues
from warehouse.ways import Point

#: Sights that are looked at, the best by worth less their way, and more for each day of long trips.
_CANDIDATES, _MORE_A_DAY = 55, 6
#: Points that a minute on the way costs, for the best known, for what is wished for and for others;
#: minutes of visits in a day that cost one; points of another sight of a type.
_WAY_MUST, _WAY_WISHED, _WAY, _EVEN, _ALIKE = 1, 2, 3, 4, 45
#: Orders of a day that are tried with real tables.
_ORDERS = 4
#: The way to the first sight of a day counts by this part: the day has to go somewhere.
_FIRST = 3
#: Least points for which a sight is worth going to.
_WORTHWHILE = 40
#: When a day begins, and when its last visit ends, by pace; with children and old people.
_BEGINS = {"slow": 540, "family": 540, "regular": 510, "special_forces": 480}
_LATEST = {"slow": 1260, "family": 1260, "regular": 1290, "special_forces": 1320}
_LATEST_GENTLE = 1230
#: When it ends for those who wish for night life, and the sights after dinner that they have.
_LATEST_OUT, _SIGHTS_OUT = 1350, 2
#: Minutes of a meal, with children and old people; for bags in a hotel; kept where no date tells a
#: queue.
_MEAL_MIN, _MEAL_GENTLE_MIN, _BAGS_MIN, _NO_DATE_MIN = 60, 75, 10, 10
#: Who has to be at the station before this takes the bags there from the hotel at once.
_EARLY_BACK = 660
#: By when one must be at the hotel; minutes of the way to it after an evening.
_HOME, _LATE_HOME_MIN = 1380, 40
_FULL_DAY_MIN = 660
#: A full day of fewer minutes of visits may have one sight more.
_SHORT_DAY_MIN, _SHORT_SLOW_DAY_MIN = 270, 180
#: Beyond so many sights of a day short ones make room for no other.
_MANY = 4
#: Of the sights of a trip that wishes for some, the best known that are put in before these; points
#: of a sight for an evening without one.
_FIRST_KNOWN, _FOR_THE_EVENING = 3, 80
#: Parts in hundredths of a trip's sights that are kept for what is wished for: a category, types,
#: an occasion.
_OF_CATEGORY, _OF_TYPES, _OF_OCCASION = 90, 75, 65
#: Points that a minute on the way costs where there should be little of it, and a kilometre from
#: the sight that the others should be close to, up to so many.
_POINTS_A_MINUTE, _POINTS_A_KM, _MOST_FOR_NEARNESS = 3, 25, 400
#: How often each wish is met, whatever else a trip has enough of.
_TWICE = 2
#: Candidates that are kept for each wish, however far, of trips to what few know, and for each part
#: of a wish; days that have a sight of each part; points that a usual closing day costs what
#: must be seen.
_OF_A_WISH, _OF_QUIET, _OF_A_PART, _PART_DAYS, _SHUT = 12, 30, 8, 2, 400
#: Sights without room that may replace others, and places in a day's order that are tried for each.
_EXCHANGED, _PLACES = 15, 2
#: Candidates for the evenings, for each day; those by day where night life is wished for.
_EVENINGS_A_DAY, _BY_DAY = 3, 10
#: Of a group of like sights so many are looked at for each that a trip may have.
_CHOICE = 3
#: Points of what must be in the plan, beside its own.
_FORCED = 10**6
#: Metres within which a scenic area is what its sights are; points that each of two of them costs
#: it, or it them.
_AREA_M, _IN_AREA = 1500.0, 110
#: Days from which a trip holds the best known.
_LONG_TRIP = 3
#: Days from which it goes far for them, with and without journeys; well known sights of a day,
#: beside a few; of how many of them one is gone to, whatever is wished for.
_FAR_TRIP, _FAR_STAY, _KNOWN_A_DAY, _KNOWN_ANYWAY, _FLAGSHIPS = 4, 3, 2, 3, 8
#: Minutes of effort from which a sight is far, points that make it worth it, or worth a visit
#: beside one that is asked for by name, and metres to what is seen beside it.
_FAR_AWAY_MIN, _WORTH_FAR, _WORTH_BESIDE, _BESIDE_M = 75, 250, 150, 15_000.0
#: Minutes from the middle beyond which a sight is too far for trips of fewer days that do not ask
#: for its kind; with children and old people for those of one day more.
_VERY_FAR_MIN, _VERY_FAR_TRIP = 120, 5
#: Minutes from the middle up to which no sight is far, however dear the way to it is.
_SHORT_RIDE_MIN = 45
#: Minutes that a day must have for it, of effort from the hotel for an evening after it, and of its
#: visit.
_FAR_DAY_MIN, _NEAR_HOME_MIN, _FILLS_A_DAY_MIN = 480, 35, 120
#: One part of so many of a budget may be spent on the way to a far sight and back.
_FARE_PART = 8
#: Whole days from which a trip that wishes for nature spends one out of town, minutes from which a
#: sight is there, minutes to it at the most, and to one that is well known, and how many are
#: looked at.
_NATURE_DAYS, _OUT_OF_TOWN_MIN, _NATURE_MIN, _GREAT_NATURE = 3, 40, (60, 120), 4
#: Minutes from the middle beyond which nothing is gone to on trips of so many days, unless it is
#: asked for by name.
_SHORT_TRIP_MIN = {1: 35, 2: 45}
#: Minutes of a way beyond which each counts three times where days are compared; what a second
#: sight of a kind counts.
_SHORT_WAY_MIN, _SAME_KIND_MIN = 25, 12
#: Minutes of visits by day beyond which each counts; with children, old people, and those who take
#: it easy.
_TIRED_MIN, _TIRED_GENTLE_MIN = 360, 300
#: Metres between neighbours, minutes that two of them, one after the other, are worth, and points
#: that a sight costs on another day than each of two neighbours.
_NEIGHBOURS_M, _NEIGHBOURS_MIN, _SPLIT = 600.0, 60, 120
#: Minutes that a whole day without a sight for the children of a trip counts, and how far from the
#: middle one is looked for.
_NO_CHILD_MIN, _CHILDREN_MIN = 60, 45
#: Minutes that an evening without a sight counts where orders of a day are compared.
_NO_EVENING_MIN = 45
#: Kinds of which one is enough for most.
_ONCE = frozenset(
    {"boat", "viewpoint", "show", "transport", "bridge", "zoo", "aquarium", "rides", "indoor_fun"}
)
#: Kinds that are as good after dark, of all that are not best then.
_BY_NIGHT = frozenset({"waterside", "square", "viewpoint", "show"})
#: Kinds for which half a day is well spent whatever is wished for.
_ANIMALS = frozenset({"zoo", "aquarium"})
#: Kinds that are dark and cold on winter evenings.
_COLD = frozenset({"waterside", "park", "great_park", "lake", "island", "beach", "nature"})
#: Kinds that are better in the morning.
_BY_MORNING = frozenset({"zoo", "great_wall", "mountain"})
#: Kinds without shade or a roof.
_OUTDOORS = _COLD | {
    "zoo",
    "rides",
    "fun",
    "waterside",
    "grand_garden",
    "garden",
    "mountain",
    "great_wall",
    "old_town",
    "campus",
    "palace",
    "square",
    "bridge",
}
#: When a day begins that goes far and is back at a table for lunch, and minutes to that table at
#: the most.
_FAR_BEGINS, _TO_LUNCH_MIN = 450, 45
#: A gap of a day that is filled with another sight, also for slow travellers and before the journey
#: back, beside the time for bags and station; and how many are tried.
_GAP_MIN, _GAP_SLOW_MIN, _GAP_HOME_MIN, _FILLERS = 80, 150, 60, 60
#: Sights for a gap that are tried in any order of the day.
_TURNED = 6
#: Minutes to a table that is not chosen yet; and that a meal in haste may lie off the way.
_TO_TABLE_MIN, _HASTY_DETOUR_MIN = 15, 40
_TYPE_CODES = {term.zh: term.code for term in BASE_TYPES}


class ReferencePlanner:
    """Makes plans for a trip at any level of comfort."""

    def __init__(self, trip: TripRequest, offers: Offers, world: World, renown: Renown):
        self.trip, self.offers, self.world, self.renown = trip, offers, world, renown
        self._same: dict[tuple[str, str], bool] = {}
        self.known = renown.best(world.all_of("attraction"), WELL_KNOWN)
        self.queues = Queues.of(queue_parameters().to_dicts())
        self.sights = Map(self._wholes(), world.network)
        self.tables = Map(self._tables(), world.network)
        self.snacks = Map(self._tables(NO_MEAL - SNACKS), world.network)

    def _wholes(self) -> tuple[Place, ...]:
        """Return the sights without the parts of well known sights, which are visited as a
        whole.

        A part that the query names is kept.
        """
        named = {name for d in self.offers.demands if d.kind == "attraction" for name in d.names}
        offered = {s.place_id for s in self.offers.attractions}
        wholes = [k for k in self.known if k.place_id in offered]
        ids = {k.place_id for k in wholes}
        return tuple(
            s for s in self.offers.attractions
            if s.place_id in ids or s.name in named
            or not any(self.renown.same_visit(s, whole) for whole in wholes)
        )  # fmt: skip

    def _tables(self, out: frozenset[str] = NO_MEAL) -> tuple[Place, ...]:
        """Return the restaurants for lunch and dinner.

        Places that serve no full meal are left out unless the query asks for them.
        """
        wished = self.trip.list_wished("cuisine")
        named = {name for d in self.offers.demands if d.kind == "restaurant" for name in d.names}
        fit = [
            p for p in self.offers.restaurants
            if p.name in named or p.types & wished or not p.types <= out
        ]  # fmt: skip
        return tuple(fit or self.offers.restaurants)

    def plans(self, level: Level) -> list[Plan]:
        """Return the plan for the best pair of journeys for which a plan exists, or an empty
        list.
        """
        riders = Riders.of(self.trip, level, self.offers.modes)
        centre = self._centre()
        pairs: Sequence[tuple[Journey, Journey] | None] = [None]
        if self.trip.request.round_trip:
            pairs = journeys_of(self.trip, self.offers, self.world, level, riders, centre)
        for pair in pairs:
            hubs = [self.world.point(pair[0].end), self.world.point(pair[1].start)] if pair else []
            nights = nights_of(self.offers, level, centre, [h for h in hubs if h])
            if self.trip.request.days > 1 and not nights:
                continue
            plan = self._plan(level, riders, pair, nights, centre)
            if plan is not None:
                return [plan]
        return []

    def _plan(
        self, level: Level, riders: Riders, pair: tuple[Journey, Journey] | None,
        nights: tuple[Lodging, ...], centre: Point,
    ) -> Plan | None:  # fmt: skip
        """Return the best of up to three attempts.

        The first attempt visits night sights at night. If that plan contains too few of the best
        known sights, the second also visits night sights by day. The third puts the best known
        sights before everything else, unless the trip is about a category.
        """
        found: list[tuple[int, Plan]] = []
        ways = ((True, False), (False, False), (True, True))
        for strict, keen in ways[: 2 if self.trip.category else 3]:
            making = _Making(self, level, riders, pair, nights, centre, strict=strict, keen=keen)
            plan = making.plan()
            if plan is not None:
                found.append((-min(making.count_known(), _FIRST_KNOWN), plan))
                if self.trip.request.days < _LONG_TRIP or making.count_known() >= _FIRST_KNOWN:
                    break
        return min(found, key=lambda f: f[0])[1] if found else None

    def same_visit(self, a: Place, b: Place) -> bool:
        """Check whether one visit covers both sights."""
        key = (a.place_id, b.place_id)
        if key not in self._same:
            self._same[key] = self.renown.same_visit(a, b)
        return self._same[key]

    def near_sight(self) -> Place | None:
        """Return the sight that the others should be close to, if the query names one."""
        return next((s for s in self.offers.attractions if s.name == self.trip.near), None)

    def _centre(self) -> Point:
        """Return the location of the sight that the others should be close to, or the centre of
        the best sights.
        """
        if (sight := self.near_sight()) is not None and sight.point is not None:
            return sight.point
        best = self.renown.best(self.offers.attractions, 12) or list(self.offers.restaurants)
        places = [*best, *(() if best else (x.hotel for x in self.offers.lodgings))]
        lat, lon = np.median([p.point for p in places if p.point] or [(0.0, 0.0)], axis=0)
        return float(lat), float(lon)


class _Making:
    """One plan while it is being made."""

    def __init__(
        self, planner: ReferencePlanner, level: Level, riders: Riders,
        pair: tuple[Journey, Journey] | None, nights: tuple[Lodging, ...], centre: Point,
        *, strict: bool, keen: bool,
    ):  # fmt: skip
        self.strict, self.keen = strict, keen
        self.p, self.level, self.riders, self.pair, self.nights = (
            planner,
            level,
            riders,
            pair,
            nights,
        )
        self.trip, self.request = planner.trip, planner.trip.request
        self.restaurants = planner.snacks if level.snacks else planner.tables
        self.chosen = self._candidates(centre)
        self._nodes(centre)
        self.frames = [self._frame(day) for day in range(1, self.request.days + 1)]
        self.days: list[list[int]] = [[] for _ in self.frames]
        self.failed: set[tuple[int, ...]] = set()
        self.best = {k.place_id for k in planner.known[:MUST_SEES]}
        adults_in_haste = self.request.days < _FAR_TRIP and not self.trip.children
        self.unasked = {
            n for n, s in enumerate(self.chosen)
            if (s.place_id not in self.best and is_unasked(s, self.trip, planner.renown))
            or ((self.trip.category or adults_in_haste) and self._takes_the_day(n))
        }  # fmt: skip

    # -- what there is ---------------------------------------------------------------------

    def _candidates(self, centre: Point) -> list[Place]:
        """Return the sights to choose from: those with the best worth minus travel, and the
        required ones.
        """
        p = self.p
        places = p.sights.places
        if not places:
            return []
        reach = self.riders.reach(p.sights, centre)
        away = reach.efforts
        points = [
            worth(s, self.trip, p.renown, self.level, p.known) - lost
            for s, lost in zip(places, self._lost_by_aims(reach), strict=True)
        ]
        ranked = sorted(
            range(len(places)), key=lambda n: (2 * int(away[n]) - points[n], places[n].name)
        )
        most = _CANDIDATES + _MORE_A_DAY * max(self.request.days - _LONG_TRIP, 0)
        kept = set(self._unlike([places[n] for n in ranked], ranked)[:most])
        known = {k.place_id for k in (self._musts() if self._goes_far() else p.known[:MUST_SEES])}
        kept.update(n for n in ranked if places[n].place_id in known)
        near = sorted(ranked, key=lambda n: (int(away[n]) - points[n], places[n].name))
        most = _OF_QUIET if seeks_quiet(self.trip) else _OF_A_WISH
        for wish in wishes_of(self.trip):
            met = [n for n in near if wish in wishes_met(places[n], self.trip, p.renown)]
            kept.update(met[:most])
            for part in range(meanings(wish) if meanings(wish) > 1 else 0):
                parts = [n for n in near if part in means(places[n], p.renown, wish)]
                kept.update([n for n in parts if n in met][:_OF_A_PART])
        must: set[int] = set()
        for demand in self._sights_demanded():
            must.update([n for n in ranked if places[n].name in demand.names][:6])
        kept |= must
        outside = self._great_nature(places, points, reach)
        kept.update(outside)
        evenings = [n for n in ranked if visit_of(places[n], self.trip, p.renown, None).late]
        kept.update(evenings[: _EVENINGS_A_DAY * self.request.days])
        if self.trip.nights_out:
            late = set(evenings)
            days = [n for n in ranked if n not in late]
            days = self._unlike([places[n] for n in days], days)
            kept.update(days[: _BY_DAY * self.request.days])
        known = {k.place_id for k in p.known}
        good = [n for n in ranked if places[n].place_id in known and points[n] >= _WORTH_FAR]
        kept.update(_beside(places, good, {n for n in kept if away[n] > _FAR_AWAY_MIN}))
        fair = [n for n in ranked if points[n] >= _WORTH_BESIDE]
        kept.update(_beside(places, fair, {n for n in must if away[n] > _FAR_AWAY_MIN}))
        self.worths = {places[n].place_id: points[n] for n in kept}
        chosen = [n for n in ranked if n in kept]
        self.outside = [chosen.index(n) for n in outside]
        return [places[n] for n in chosen]

    def _lost_by_aims(self, reach: Reach) -> list[int]:
        """Return the points that each sight loses because of the trip's objectives.

        The objectives are little time on the way, and sights close to a given one.
        """
        places, near = self.p.sights.places, self.p.near_sight()
        a_minute = _POINTS_A_MINUTE * ("transport_time" in self.trip.objectives)
        lost = [a_minute * int(minutes) for minutes in reach.efforts]
        if near is None:
            return lost
        return [
            more + min(int(_metres(s, near) / 1000 * _POINTS_A_KM), _MOST_FOR_NEARNESS)
            - _MOST_FOR_NEARNESS * (s.name == near.name)
            for s, more in zip(places, lost, strict=True)
        ]  # fmt: skip

    def _great_nature(
        self, places: Sequence[Place], points: Sequence[int], reach: Reach
    ) -> list[int]:
        """Return the great natural sights out of town whose fares fit the budget, best first.

        A sight more than an hour away must be well known, unless the trip may be strenuous.
        """
        budget, known = self.p.offers.budget_cents, {k.place_id for k in self.p.known}
        strong = self.trip.effort == "strenuous"
        found = [
            n for n, s in enumerate(places)
            if _OUT_OF_TOWN_MIN <= reach.minutes[n] <= _NATURE_MIN[s.place_id in known or strong]
            and not (budget and 2 * int(reach.cents[n]) * _FARE_PART > budget)
            and is_great_nature(s, self.trip, self.p.renown)
        ]  # fmt: skip
        return sorted(found, key=lambda n: (-points[n], places[n].name))[:_GREAT_NATURE]

    def _unlike(self, places: Sequence[Place], numbers: Sequence[int]) -> list[int]:
        """Return the numbers of sights, with only a limited choice from each group of similar
        sights.
        """
        had: Counter[str] = Counter()
        found = []
        for place, number in zip(places, numbers, strict=True):
            bounds = self._bounds(kind_of(place, self.p.renown).name)
            had.update(bounds.keys())
            if all(had[group] <= _CHOICE * most for group, most in bounds.items()):
                found.append(number)
        return found

    def _bounds(self, kind: str) -> dict[str, int]:
        """Return the groups of similar sights that a kind belongs to, with the trip's limit for
        each.
        """
        return bounds_of(kind, self.request.days, wishes_of(self.trip))

    def _sights_demanded(self) -> list[Demand]:
        return [d for d in self.p.offers.demands if d.kind == "attraction"]

    def _nodes(self, centre: Point) -> None:
        """Set up candidates, hotels and hubs as nodes, with the travel between them."""
        world = self.p.world
        places = list(self.chosen)
        self.hotels: dict[str, int] = {}
        for lodging in self.nights:
            if lodging.hotel.name not in self.hotels:
                self.hotels[lodging.hotel.name] = len(places)
                places.append(lodging.hotel)
        self.hubs: list[int | None] = [None, None]
        for side, name in enumerate((self.pair[0].end, self.pair[1].start) if self.pair else ()):
            self.hubs[side] = len(places)
            places.append(Place("hub", name, name, world.point(name), frozenset()))
        self.nodes = Map(tuple(places), world.network)
        reach = [self.riders.reach(self.nodes, place.point) for place in places if place.point]
        self.modes = [r.modes.tolist() for r in reach]
        self.efforts = [r.efforts.tolist() for r in reach]
        middle = self.riders.reach(self.nodes, centre)
        self.from_centre, self.fares = middle.efforts.tolist(), middle.cents.tolist()
        self.ways_in = middle.minutes.tolist()
        ranks = {place.place_id: n for n, place in enumerate(self.p.known)}
        self.visits: list[VisitStyle] = [
            visit_of(s, self.trip, self.p.renown, ranks.get(s.place_id), strict=self.strict)
            for s in self.chosen
        ]
        days = range(1, self.request.days + 1)
        self.shut = [
            {n for n, s in enumerate(self.chosen) if is_usually_closed(s, self.p.renown, weekday)}
            for weekday in (self.request.weekday(day) for day in days)
        ]
        self.met = [wishes_met(s, self.trip, self.p.renown) for s in self.chosen]
        self.childish = [n for n, s in enumerate(self.chosen) if is_for_children(s, self.p.renown)]
        self.beside = self._areas()
        self.ground = self._ground(reach, ranks, dusk_of(self.trip, centre))

    def _ground(self, reach: Sequence[Reach], ranks: Mapping[str, int], dusk: int) -> Ground:
        """Return the minutes, stays and properties of the nodes through which a day is
        simulated.
        """
        gentle, dark = self.trip.gentle, dusk < EARLY_DUSK
        remote = all(self.from_centre[hotel] > _NEAR_HOME_MIN for hotel in self.hotels.values())
        return Ground(
            [r.minutes.tolist() for r in reach],
            [v.minutes for v in self.visits],
            [v.evening and not (dark and v.kind in _COLD) for v in self.visits],
            [v.late for v in self.visits],
            [
                bool(m) or ranks.get(s.place_id, MUST_SEES) < MUST_SEES
                for s, m in zip(self.chosen, self.met, strict=True)
            ],
            _MEAL_GENTLE_MIN if gentle else _MEAL_MIN,
            dusk,
            remote and bool(self.hotels),
            frozenset(n for n, v in enumerate(self.visits) if v.lit),
            frozenset(
                n for n, v in enumerate(self.visits) if self.trip.is_hot and v.kind in _OUTDOORS
            ),
            self.trip.nights_out,
            frozenset(n for n, v in enumerate(self.visits) if v.kind in _BY_MORNING),
            ceilings={n: v.ceiling for n, v in enumerate(self.visits) if v.ceiling < 1440},
        )

    def _areas(self) -> list[frozenset[int]]:
        """Return for each sight the sights that contain it or belong to it.

        The names of scenic areas show which sights contain others.
        """
        at = np.array([s.point for s in self.chosen], dtype=float).reshape(-1, 2)
        area = np.array([is_area(s) for s in self.chosen], dtype=bool)
        away = np.asarray(
            distance_m(at[:, None, 0], at[:, None, 1], at[None, :, 0], at[None, :, 1])
        )
        self.near = [frozenset(np.flatnonzero(row < _NEIGHBOURS_M).tolist()) for row in away]
        near = (away < _AREA_M) & (area[:, None] | area[None, :])
        np.fill_diagonal(near, val=False)
        return [frozenset(np.flatnonzero(row).tolist()) for row in near]

    # -- days ------------------------------------------------------------------------------

    def _frame(self, number: int) -> Frame:
        """Return the time of a day that journeys and nights leave free."""
        first, last = number == 1, number == self.request.days
        start, begins = self._start(number)
        end, deadline = self._end(number)
        latest = _LATEST_GENTLE if self.trip.gentle else _LATEST[self.trip.pace]
        latest = max(latest, _LATEST_OUT) if self.trip.nights_out else latest
        if self.pair and last:
            latest = min(latest, deadline)
        leaves = deadline - (self._way_out() if last and self.pair else 0)
        usual = self._meals(begins, leaves, self.ground.meal_min)
        hasty = self._meals(begins, leaves, min(self.ground.meal_min, HASTY_MIN))
        full = max(min(deadline, latest) - begins, 0)
        most = self.trip.sights_a_day
        if first or last:
            most = min(
                most,
                max((most * full + _FULL_DAY_MIN // 2) // _FULL_DAY_MIN, 1 if full > 180 else 0),
            )
        opens, closes = self._opening(number)
        return Frame(
            number,
            start,
            begins,
            end,
            deadline,
            hasty,
            most,
            latest,
            opens,
            closes,
            self._queue(number),
            hasty=frozenset(hasty) - set(usual),
        )

    def _meals(self, begins: int, leaves: int, minutes: int) -> tuple[str, ...]:
        """Return the meals of this length that fit between the day's journeys."""
        return tuple(
            meal for meal in ("lunch", "dinner")
            if begins <= latest_start(meal, minutes) - _TO_TABLE_MIN
            and leaves >= EARLIEST[meal] + minutes + _TO_TABLE_MIN
        )  # fmt: skip

    def _way_out(self) -> int:
        """Return the minutes from the last hotel to the start of the journey back.

        Without a hotel, the way begins at the centre of the sights.
        """
        hub = self.hubs[1]
        assert hub is not None
        if not self.hotels:
            return int(self.ways_in[hub])
        return self.ground.minutes[self._home(self.request.days - 1)][hub]

    def _opening(self, number: int) -> tuple[list[int], list[int]]:
        sights = Map(tuple(self.chosen), self.p.world.network)
        opens, closes = sights.opening(self.request.when(number))
        floors = np.array([v.floor for v in self.visits], dtype=np.int64)
        return np.maximum(opens, floors).tolist(), closes.tolist()

    def _start(self, number: int) -> tuple[int | None, int]:
        if number > 1:
            hotel = self.hotels[self.nights[number - 2].hotel.name]
            begins = _BEGINS[self.trip.pace]
            if number == self.request.days and self.pair:
                _, deadline = self._end(number)
                begins = min(
                    begins, max(deadline - self.ground.minutes[hotel][self.hubs[1] or 0], 0)
                )
            return hotel, begins
        if self.pair is None:
            return None, 540
        out = self.pair[0]
        hub = self.hubs[0]
        assert hub is not None
        free = out.arrives_min + LEAVING_MIN[out.kind]
        # Who would miss a meal for it takes the bags along.
        with_bags = free + self._bags(hub, 0)
        leaves = 1440 if self.request.days > 1 else self._end(1)[1]
        if self._meals(free, leaves, HASTY_MIN) == self._meals(with_bags, leaves, HASTY_MIN):
            return hub, with_bags
        return hub, free

    def _bags(self, hub: int, night: int) -> int:
        """Return the minutes for taking bags to or from a night's hotel, in addition to the
        planned way.
        """
        if not self.nights:
            return 0
        hotel = self.hotels[self.nights[night].hotel.name]
        return min(self.ground.minutes[hub][hotel] // 2, 20) + _BAGS_MIN

    def _end(self, number: int) -> tuple[int | None, int]:
        if number < self.request.days:
            late = number == 1 or self.trip.nights_out
            return self.hotels[self.nights[number - 1].hotel.name], 1439 if late else _HOME
        if self.pair is None:
            return None, _LATEST_OUT if self.trip.nights_out else 1290
        back, hub = self.pair[1], self.hubs[1]
        assert hub is not None
        deadline = back.departs_min - AHEAD_MIN[back.kind]
        out, with_bags = self._way_out(), deadline - self._bags(hub, -1)
        same = self._meals(0, deadline - out, HASTY_MIN) == self._meals(
            0, with_bags - out, HASTY_MIN
        )
        return hub, with_bags if deadline >= _EARLY_BACK and same else deadline

    def _queue(self, number: int) -> Callable[[int, int], int]:
        """Return a function for the minutes in a node's queue at a minute, from TravelEval's
        table.
        """
        date = self.request.date(number)
        codes = [self.p.renown.base_types.get(s.place_id) for s in self.chosen]

        @cache
        def minutes(code: str | None, minute: int) -> int:
            told = None if date is None else self.p.queues.minutes(code, date, minute)
            return _NO_DATE_MIN if told is None else int(told + 0.5)

        return lambda node, minute: minutes(codes[node], minute)

    # -- choosing --------------------------------------------------------------------------

    def plan(self) -> Plan | None:
        """Return the plan, or None if a required place does not fit."""
        self._insert_demanded()
        if not self._all_demanded():
            return None
        wishes = wishes_of(self.trip)
        known = self._best_known()
        best = {n for n in known if self.chosen[n].place_id in self.best}
        flagship = self._flagship(known) if self._goes_far() else None
        if flagship is not None:
            self._insert_best([flagship], _WAY_MUST)
        self._insert_nature()
        self._insert_for_children()
        if self.request.days < _LONG_TRIP:
            self._insert_wished(wishes, rounds=1)
        held = 0
        for n in known:
            first = held < self._first_known() and (n in best or self._is_long())
            if self.keen and first and held < _FIRST_KNOWN and not self._is_day_too_many(n):
                held += self._insert_best([n], _WAY_MUST, forced=True)
            elif not wishes or (first and not self._takes_the_day(n)):
                held += self._insert_best([n], _WAY_MUST)
        self._insert_parts(wishes)
        self._insert_wished(wishes)
        for n in known:
            if n in best or not seeks_quiet(self.trip):
                self._insert_best([n], _WAY_MUST)
        self._move()
        while self._insert_best(range(len(self.chosen)), _WAY):
            pass
        self._move()
        self._exchange()
        self._fill_evenings()
        days = [list(day) for day in self.days]
        plan = self._assemble()
        if plan is None and any(d.kind == "restaurant" for d in self.p.offers.demands):
            self.days = days
            plan = self._assemble(pressing=True)
        return plan

    def _insert_nature(self) -> None:
        """Insert a great natural sight out of town into a whole day of a trip that wishes for
        nature.

        A remote sight gets at least half a day. Nothing is inserted if the trip already has such
        a sight.
        """
        whole = [day for day in range(len(self.frames)) if self._is_whole(day)]
        out = [n for n in self.outside if not self._is_unfit(n)]
        if len(whole) < _NATURE_DAYS or any(n in out for day in self.days for n in day):
            return
        self.failed.clear()
        # A day that begins nowhere would end far from the tables for its lunch.
        days = [day for day in whole if self.frames[day].start is not None]
        for node in out:
            if self._is_far(node):
                stays = list(self.ground.stays)
                stays[node] = max(stays[node], HALF_DAY_MIN)
                self.ground = replace(self.ground, stays=stays)
            if self._insert_best([node], 0, days=days):
                return

    def _insert_for_children(self) -> None:
        """Insert a sight made for children into each whole day, if children are in the party."""
        if not self.trip.children:
            return
        for day in range(len(self.frames)):
            if self._is_whole(day) and not any(n in self.childish for n in self.days[day]):
                near = [n for n in self.childish if self.ways_in[n] <= _CHILDREN_MIN]
                self._insert_best(near, _WAY_WISHED, days=(day,))

    def _first_known(self) -> int:
        """Return how many of the best known sights take precedence over what is wished for.

        The number is small on short trips, where a single full day has one. It grows with each
        day up to half of the sights. All of the best known come first if the trip is only about
        a season, a holiday or the party.
        """
        if self.request.days < _LONG_TRIP:
            return 2 * (self.request.days - 1) or int(self.frames[0].most >= _MANY)
        half = sum(f.most for f in self.frames) // 2
        if self._is_about_the_city():
            return max(MUST_SEES, half)
        known = _FIRST_KNOWN + _KNOWN_A_DAY * (self.request.days - _LONG_TRIP)
        return max(_FIRST_KNOWN, min(known, half))

    def _is_long(self) -> bool:
        """Check whether a trip has time for more than the very best known sights, or is about
        the city.
        """
        return self.request.days > _LONG_TRIP or self._is_about_the_city()

    def _goes_far(self) -> bool:
        """Check whether a trip is long enough for a remote sight.

        Three days are enough without journeys if the trip is about the city in general.
        """
        stays = not self.request.round_trip and (
            not wishes_of(self.trip) or self._is_about_the_city()
        )
        return self.request.days >= (_FAR_STAY if stays else _FAR_TRIP)

    def _is_about_the_city(self) -> bool:
        """Check whether a trip has no other wish than a season, a holiday or its party."""
        return wishes_of(self.trip) == (self.trip.occasion,)

    def _move(self) -> None:
        """Move sights to the days where they fit better."""
        self.days = move_visits(self.days, self._burden, self._hopeless)

    def _burden(self, day: int, order: Sequence[int]) -> int | None:
        """Return the burden of a day in minutes of travel, waiting and monotony, or None if it
        is impossible.
        """
        frame = self.frames[day]
        course = walk(frame, order, self.ground, None)
        if course is None or not self._fits_in(day, order, course):
            return None
        ways = [*(stop.minutes for stop in course.stops), course.to_end]
        minutes = sum(way + 2 * max(way - _SHORT_WAY_MIN, 0) for way in ways) + course.idle // 2
        if frame.start is None and order and self.hotels:
            minutes += self.efforts[order[0]][self._home(day)] // 2
        minutes -= _NEIGHBOURS_MIN * _neighbours(course, self.near)
        minutes += self._weariness(order)
        if self.trip.children and self._is_whole(day):
            minutes += _NO_CHILD_MIN * (not set(order) & set(self.childish))
        kinds = [self.visits[n].kind for n in order]
        early = "dinner" in frame.meals and not (_has_evening(course) or self.trip.seniors)
        return minutes + _NO_EVENING_MIN * early + _SAME_KIND_MIN * (len(kinds) - len(set(kinds)))

    def _weariness(self, order: Sequence[int]) -> int:
        """Return the minutes by which a day's visits, without the evening's, are too long.

        This gives great sights days of their own.
        """
        if self.trip.pace == "special_forces":
            return 0
        light = self.trip.gentle or self.trip.pace == "slow" or self.trip.effort == "light"
        seen = sum(self.ground.stays[n] for n in order if not self.ground.late[n])
        return max(seen - (_TIRED_GENTLE_MIN if light else _TIRED_MIN), 0)

    def _fits_in(self, day: int, order: Sequence[int], course: Course) -> bool:
        """Check whether a day's sights are no more than its pace allows, and may share the day."""
        if len(order) > self._most(day, order) or not self._keeps_evening(course, day, order):
            return False
        if sum(is_fun(self.chosen[n]) for n in order) > 1 or any(
            n in self.shut[day] for n in order
        ):
            return False
        if any(self._is_crowded(n, [o for o in order if o != n]) for n in order):
            return False
        return not any(self._apart(n, day, [o for o in order if o != n]) for n in order)

    def _hopeless(self, node: int, day: int) -> bool:
        """Check whether a sight is closed on a day or far from all other sights of the day."""
        near = [self.efforts[node][o] for o in self.days[day]]
        return node in self.shut[day] or (bool(near) and min(near) > _NEAR_HOME_MIN)

    def _home(self, day: int) -> int:
        """Return the node of the hotel for the night after a day, or for the last night."""
        return self.hotels[self.nights[min(day, len(self.nights) - 1)].hotel.name]

    def _apart(self, node: int, day: int, others: Sequence[int]) -> bool:
        """Check whether a sight and another of the day are too far apart to share the day.

        A remote sight shares its day only with sights beside it, and with an evening near the
        hotel.
        """
        far = self._is_far(node)
        if (far or self.ground.stays[node] >= ALL_DAY_MIN) and not self._is_whole(day):
            return True
        return any(
            (far or self._is_far(other))
            and not self._in_the_evening(other if far else node, day)
            and (
                _metres(self.chosen[node], self.chosen[other]) > _BESIDE_M
                or (self.trip.gentle and self._is_long_visit(node) and self._is_long_visit(other))
            )
            for other in others
        )

    def _is_long_visit(self, node: int) -> bool:
        """Check whether one visit is enough for a remote day with children or old people."""
        return self.ground.stays[node] >= _FILLS_A_DAY_MIN

    def _is_whole(self, day: int) -> bool:
        """Check whether a day has time for a remote sight or a long visit.

        On trips of some days, only days without journeys have.
        """
        frame = self.frames[day]
        travels = self.pair is not None and day in (0, len(self.frames) - 1)
        free = min(frame.deadline, frame.latest) - frame.begins
        return free >= _FAR_DAY_MIN and not (travels and self.request.days >= _LONG_TRIP)

    def _in_the_evening(self, node: int, day: int) -> bool:
        """Check whether a sight may end a day that was spent far away."""
        late = self.ground.late[node] or self.visits[node].kind in _BY_NIGHT
        return late and self._is_near_home(node, day)

    def _is_near_home(self, node: int, day: int) -> bool:
        """Check whether a sight is near the hotel, so that it fits into the time after a remote
        sight.
        """
        near = bool(self.hotels) and self.efforts[node][self._home(day)] <= _NEAR_HOME_MIN
        return near and not self._is_far(node)

    def _best_known(self) -> list[int]:
        """Return the best known sights, those with the highest worth for the party first."""
        ids = {k.place_id for k in self._musts()}
        found = [
            n for n, s in enumerate(self.chosen)
            if s.place_id in ids and not self._is_unfit(n) and self._is_worth_its_way(n)
        ]  # fmt: skip
        return sorted(
            found,
            key=lambda n: (
                self.chosen[n].place_id not in self.best,
                not any(n in shut for shut in self.shut),
                -self.worths[self.chosen[n].place_id],
                n,
            ),
        )

    def _is_far(self, node: int) -> bool:
        """Check whether a sight is so far away that it needs a day of its own."""
        if self.from_centre[node] <= _FAR_AWAY_MIN or self.ways_in[node] <= _SHORT_RIDE_MIN:
            return False
        return any(self.efforts[hotel][node] > _FAR_AWAY_MIN for hotel in self.hotels.values())

    def _is_worth_its_way(self, node: int) -> bool:
        """Check whether a sight is near, or is worth the better part of a day."""
        asked = not wishes_of(self.trip) or bool(self.met[node])
        known = self.chosen[node].place_id in self.best
        budget = self.p.offers.budget_cents
        if self._is_far(node) and budget and 2 * self.fares[node] * _FARE_PART > budget:
            return False
        if self._is_far(node) and "transport_time" in self.trip.objectives:
            return False
        longer = _VERY_FAR_TRIP + self.trip.gentle
        if self.ways_in[node] > _VERY_FAR_MIN and self.request.days < longer and not self.met[node]:
            return False
        return not self._is_far(node) or (
            self.ground.stays[node] >= _FILLS_A_DAY_MIN and (asked or known)
        )

    def _musts(self) -> list[Place]:
        """Return the best known sights that a trip should contain; long trips have more of them."""
        return self.p.known[: _KNOWN_ANYWAY + _KNOWN_A_DAY * self.request.days]

    def _flagship(self, known: Sequence[int]) -> int | None:
        """Return the best known remote sight, or None.

        Trips of some days visit it whatever they wish for.
        """
        ids = {k.place_id for k in self.p.known[:_FLAGSHIPS]}
        return next((n for n in known if self._is_far(n) and self.chosen[n].place_id in ids), None)

    def count_known(self) -> int:
        """Return how many of the best known sights the plan contains."""
        held = [self.chosen[n] for day in self.days for n in day]
        best = self.p.known[:MUST_SEES]
        return sum(any(self.p.same_visit(k, s) for s in held) for k in best)

    def _is_unfit(self, node: int) -> bool:
        """Check whether a sight is a climb on an easy trip, or a day of rides for a party that
        wants none.
        """
        sight, renown = self.chosen[node], self.p.renown
        is_hard = self.trip.effort == "light" and is_climb(sight, renown)
        return is_hard or is_day_of_rides(sight, self.trip, renown)

    def _takes_the_day(self, node: int) -> bool:
        """Check whether a park takes half a day or more from a trip that wishes for other
        sights.
        """
        asked = bool(wishes_of(self.trip)) and not self.met[node]
        animals = self.visits[node].kind in _ANIMALS and self.visits[node].minutes < ALL_DAY_MIN
        fun = is_fun(self.chosen[node]) and not animals
        return asked and fun and self.visits[node].minutes >= HALF_DAY_MIN

    def _is_day_too_many(self, node: int) -> bool:
        """Check whether an adults' trip with other wishes already contains such a park."""
        others = set(wishes_of(self.trip)) - {self.trip.occasion}
        if self.trip.children or not others or not self._takes_the_day(node):
            return False
        return any(self._takes_the_day(n) for day in self.days for n in day)

    def _insert_wished(self, wishes: Sequence[str], rounds: int | None = None) -> None:
        """Insert sights for each wish in turn, until each wish has its share of the trip.

        Sights that match the meaning of a wish come first. ``rounds`` limits the number of
        turns.
        """
        if not wishes:
            return
        part = _OF_TYPES if self.trip.list_wished("attraction_type") else _OF_OCCASION
        part = _OF_CATEGORY if self.trip.category else part
        each = -(-sum(f.most for f in self.frames) * part // (100 * len(wishes)))
        answering = {
            wish: [self._answering(wish, least) for least in (1, 0, -1)] for wish in wishes
        }
        for count in range(1, min(each, rounds or each) + 1):
            for wish in wishes:
                meant = answering[wish][0]
                if count == 1 and not any(n in meant for day in self.days for n in day):
                    self._insert_best(meant, _WAY_MUST)
                good = set(answering[wish][1])
                if sum(n in good for day in self.days for n in day) < count:
                    way = _WAY_MUST if count == 1 else _WAY_WISHED
                    tried = answering[wish] if count == 1 else answering[wish][:-1]
                    tried = [self._of_turn(wish, count), *tried]
                    any(self._insert_best(nodes, way) for nodes in tried)

    def _insert_parts(self, wishes: Sequence[str]) -> None:
        """Insert a sight for each meaning of a wish for every two days."""
        for wish in wishes:
            for part in range(meanings(wish) if meanings(wish) > 1 else 0):
                nodes = self._of_turn(wish, part + 1)
                for _ in range(-(-self.request.days // _PART_DAYS)):
                    if sum(n in nodes for day in self.days for n in day) * _PART_DAYS < (
                        self.request.days
                    ):
                        self._insert_best(nodes, _WAY_MUST)

    def _answering(self, wish: str, least: int) -> list[int]:
        """Return the sights that meet a wish at least as well as ``least``."""
        return [
            n
            for n, met in enumerate(self.met)
            if wish in met and fit(self.chosen[n], self.p.renown, wish) >= least
        ]

    def _of_turn(self, wish: str, count: int) -> list[int]:
        """Return the sights for the meaning of a wish whose turn it is: first art, then
        technology.
        """
        turn = (count - 1) % meanings(wish)
        renown = self.p.renown
        return [n for n in self._answering(wish, 1) if turn in means(self.chosen[n], renown, wish)]

    def _exchange(self) -> None:
        """Replace sights by better ones that did not fit in, best first.

        One of the best known may replace two sights of a day.
        """
        held = {n for day in self.days for n in day}
        known = set(self._best_known())
        left = [n for n in range(len(self.chosen)) if n not in held and not self._is_unfit(n)]
        left.sort(key=lambda n: (-self.worths[self.chosen[n].place_id], n))
        for node in left[:_EXCHANGED]:
            for count in (1, 2) if node in known else (1,):
                found = [
                    swap
                    for day, order in enumerate(self.days)
                    for old in combinations(order, count)
                    if (swap := self._swap(node, old, day)) is not None
                ]
                if found:
                    _, day, order = min(found)
                    self.days[day] = order
                    self.failed.clear()
                    break

    def _swap(self, node: int, old: tuple[int, ...], day: int) -> tuple[int, int, list[int]] | None:
        """Return the loss in points if a sight replaces others, with the day and its new order.

        Return None if the replacement gains too little or is not possible.
        """
        before = self.days[day]
        gain = self._worth_on(node, day) - max(self._worth_on(n, day) for n in old)
        if gain < _WORTHWHILE or not all(self._may_go(n, node, day) for n in old):
            return None
        self.days[day] = rest = [n for n in before if n not in old]
        alike = self._alike(node, day) if self._may_come(node) else None
        lost = max(self._alike(n, day) or 0 for n in old)
        places = sorted((self._detour(day, node, at), at) for at in range(len(rest) + 1))
        self.days[day] = before
        burden = self._burden(day, before)
        if alike is None or burden is None:
            return None
        found = []
        for _, at in places[:_PLACES]:
            order = [*rest[:at], node, *rest[at:]]
            more = self._burden(day, order)
            if more is not None:
                found.append((_WAY * (more - burden) - gain + alike - lost, day, order))
        return min((f for f in found if f[0] <= -_WORTHWHILE), default=None)

    def _may_go(self, old: int, node: int, day: int) -> bool:
        """Check whether one sight may replace another.

        Required and remote sights stay. Sights for children and sights that meet a wish are
        replaced only by the best known, and these only by each other.
        """
        best = self.chosen[node].place_id in self.best
        if old in self.demanded or self._is_far(old):
            return False
        if self.chosen[old].place_id in self.best and not best:
            return False
        held = [n for day in self.days for n in day if n != old]
        if self.trip.children and old in self.childish and node not in self.childish:
            rest = held if best else [n for n in self.days[day] if n != old]
            if not set(rest) & set(self.childish):
                return False
        wishes = self.met[old] - self.met[node]
        twice = all(sum(wish in self.met[n] for n in held) >= _TWICE for wish in wishes)
        return not wishes or (best and twice)

    def _fill_evenings(self) -> None:
        """Add a sight after dinner to days without one, or two on nights out.

        Old people have no evening sights.
        """
        if self.trip.seniors:
            return
        for day, frame in [*enumerate(self.frames)] * self._evening_sights:
            course = walk(frame, self.days[day], self.ground, None)
            had = 0 if course is None else _count_evening(course)
            if course is None or "dinner" not in frame.meals or had >= self._evening_sights:
                continue
            last = len(self.days[day])
            found = sorted(
                (
                    self._detour(day, n, last)
                    - self._worth_on(n, day)
                    - _FOR_THE_EVENING * self.ground.late[n],
                    n,
                )
                for n in range(len(self.chosen))
                if (self.ground.late[n] or self.visits[n].kind in _BY_NIGHT)
                and self._may_come(n)
                and self._alike(n, day) is not None
                and not self._apart(n, day, self.days[day])
                and not self._is_crowded(n, self.days[day])
            )
            for lost, node in found[:_FILLERS]:
                order = [*self.days[day], node]
                course = walk(frame, order, self.ground, None)
                if (
                    lost < 0
                    and course is not None
                    and _count_evening(course) > had
                    and self._comes_home(course)
                ):
                    self.days[day] = order
                    break

    def _insert_demanded(self) -> None:
        self.demanded: set[int] = set()
        for demand in self._sights_demanded():
            here = [n for n, s in enumerate(self.chosen) if s.name in demand.names]
            if any(n in day for day in self.days for n in here):
                self.demanded.update(n for n in here if any(n in day for day in self.days))
                continue
            before = {n for day in self.days for n in day}
            if self._insert_one_of(here) or self._insert_anyway(here):
                self.demanded.update({n for day in self.days for n in day} - before)

    def _insert_anyway(self, nodes: Sequence[int]) -> bool:
        """Insert one of some sights at any distance and hour.

        A remote sight gets half a day, with lunch inside.
        """
        self.failed.clear()
        ground = self.ground
        stays = list(ground.stays)
        for node in filter(self._is_far, nodes):
            stays[node] = max(stays[node], HALF_DAY_MIN)
        self.ground = replace(ground, anyway=ground.anyway | set(nodes), stays=stays)
        if self._insert_one_of(nodes):
            return True
        self.ground = ground
        return False

    def _insert_one_of(self, nodes: Sequence[int]) -> bool:
        """Insert one of some sights, if necessary by force."""
        return any(self._insert_best(nodes, _WAY_MUST, forced=f) for f in (False, True))

    def _free(self, node: int) -> bool:
        sight = self.chosen[node]
        return not any(self.p.same_visit(sight, self.chosen[o]) for day in self.days for o in day)

    def _may_come(self, node: int) -> bool:
        """Check whether a sight is new to the trip, suits the party and adds variety.

        A sight of a kind that the trip has enough of may come if it meets an unmet wish.
        """
        if node in self.unasked or self._is_day_too_many(node) or not self._free(node):
            return False
        return self._is_short_of(node) or not self._has_enough_like(node)

    def _is_short_of(self, node: int) -> bool:
        """Check whether a sight meets a wish that the trip does not yet meet twice."""
        return any(
            sum(wish in self.met[o] for day in self.days for o in day) < _TWICE
            and fit(self.chosen[node], self.p.renown, wish) >= 0
            for wish in self.met[node] - {self.trip.occasion}
        )

    def _insert_best(
        self, nodes: Sequence[int] | range, way: int, *, forced: bool = False,
        days: Sequence[int] = (),
    ) -> bool:  # fmt: skip
        """Insert the sight with the highest worth minus travel into the day where it fits best.

        ``days`` limits the days to try; by default, all days are tried.
        """
        found = [
            (-score, node, day, at)
            for node in nodes
            if (self._free(node) if forced else self._may_come(node))
            for day in days or range(len(self.frames))
            for at, score in self._slots(node, day, way, forced=forced)
        ]
        for _, node, day, at in sorted(found):
            order = [*self.days[day][:at], node, *self.days[day][at:]]
            if (day, *order) in self.failed:
                continue
            course = walk(self.frames[day], order, self.ground, None)
            if course is not None and self._keeps_evening(course, day, order):
                self.days[day] = order
                return True
            self.failed.add((day, *order))
        return False

    def _slots(self, node: int, day: int, way: int, *, forced: bool) -> Iterator[tuple[int, int]]:
        """Yield the positions of a sight in a day, with the points of each position."""
        evening, before = self._opens_evening(node, day), self.days[day]
        full = len(before) >= self._most(day, before) + forced
        off = self.ways_in[node] > _SHORT_TRIP_MIN.get(self.request.days, 1440) and not forced
        if off or (full and not evening) or self._room(day) < self.ground.stays[node]:
            return
        shut = node in self.shut[day]
        alike = self._alike(node, day)
        if (
            alike is None
            or (shut and not forced)
            or (not forced and (self._apart(node, day, before) or self._is_crowded(node, before)))
        ):
            return
        points = self._worth_on(node, day) + _FORCED * forced - _SHUT * shut
        points -= _IN_AREA * min(sum(o in self.beside[node] for d in self.days for o in d), 2)
        points -= alike + sum(self.ground.stays[o] for o in before) // _EVEN
        for at in range(len(before) + 1):
            last = evening and at == len(before)
            if full and not last:
                continue
            more = self._detour(day, node, at)
            score = points - way * (more if before else more // _FIRST) + _FOR_THE_EVENING * last
            if forced or not before or score >= _WORTHWHILE:
                yield at, score

    def _worth_on(self, node: int, day: int) -> int:
        """Return the points of a sight on a day, which are fewer if its neighbours are seen on
        other days.
        """
        near = self.near[node]
        split = sum(o in near for d, seen in enumerate(self.days) if d != day for o in seen)
        return self.worths[self.chosen[node].place_id] - _SPLIT * min(split, 2)

    def _is_crowded(self, node: int, others: Sequence[int]) -> bool:
        """Check whether a day of a trip to little known sights would get a second of the best
        known.
        """
        nodes = (node, *others)
        count = sum(self.chosen[n].place_id in self.best for n in nodes)
        return seeks_quiet(self.trip) and self.chosen[node].place_id in self.best and count > 1

    def _opens_evening(self, node: int, day: int) -> bool:
        """Check whether a sight may follow dinner on a day that has room for an evening sight."""
        if not self.ground.late[node] or "dinner" not in self.frames[day].meals:
            return False
        return sum(self.ground.late[o] for o in self.days[day]) < self._evening_sights

    @property
    def _evening_sights(self) -> int:
        """The number of sights that may follow a dinner."""
        return _SIGHTS_OUT if self.trip.nights_out else 1

    def _keeps_evening(self, course: Course, day: int, order: Sequence[int]) -> bool:
        """Check that a sight beyond the day's pace follows dinner, and that the way home is
        short.
        """
        if not self._comes_home(course):
            return False
        if (
            len(order) <= self._most(day, order) - self._count_late(order, day)
            or not self.ground.late[order[-1]]
        ):
            return True
        return course.stops[-1].node == order[-1] and course.stops[-1].start >= EVENING

    def _comes_home(self, course: Course) -> bool:
        """Check whether an evening's last sight is close enough to the hotel.

        A sight that must be seen may be farther away.
        """
        last = course.stops[-1] if course.stops else None
        if last is None or last.node is None or last.start < EVENING:
            return True
        must = last.node in self.demanded or self.chosen[last.node].place_id in self.best
        return must or self.ground.remote or course.to_end <= _LATE_HOME_MIN

    def _most(self, day: int, order: Sequence[int]) -> int:
        """Return the most sights of a day.

        There is one more if the visits by day are short, and one more after dinner.
        """
        frame, most = self.frames[day], self.trip.stops_a_day
        seen = sum(self.ground.stays[n] for n in order if not self.ground.late[n])
        by_day = len(order) - sum(self.ground.late[n] for n in order)
        short = _SHORT_SLOW_DAY_MIN if self.trip.pace == "slow" else _SHORT_DAY_MIN
        more = 0 < frame.most <= min(by_day, _MANY) and seen < short
        return min(frame.most + more + self._count_late(order, day), most)

    def _count_late(self, order: Sequence[int], day: int) -> int:
        """Return how many of the sights may follow the day's dinner: one, or two on nights out."""
        if "dinner" not in self.frames[day].meals:
            return 0
        return min(sum(self.ground.late[n] for n in order), self._evening_sights)

    def _room(self, day: int) -> int:
        """Return the minutes of a day that are free of visits and meals."""
        frame = self.frames[day]
        taken = sum(self.ground.stays[n] for n in self.days[day])
        taken += len(frame.meals) * self.ground.meal_min
        return min(frame.deadline, frame.latest) - frame.begins - taken

    def _alike(self, node: int, day: int) -> int | None:
        """Return the points that other sights of the same type cost a sight.

        The result is None if the day already has an amusement park.
        """
        sight = self.chosen[node]
        same = [self.chosen[o] for o in self.days[day]]
        if is_fun(sight) and any(is_fun(s) for s in same):
            return None
        base = self.p.renown.base_types
        kind = base.get(sight.place_id)
        again = sum(base.get(s.place_id) == kind for s in same)
        seen = self.visits[node].kind
        once = sum(self.visits[o].kind == seen for d in self.days for o in d) * (seen in _ONCE)
        if self.met[node] - {self.trip.occasion} and not once:
            return again * _ALIKE // 4
        ever = sum(base.get(self.chosen[o].place_id) == kind for d in self.days for o in d)
        return (again + 4 * once) * _ALIKE + ever * _ALIKE // 3

    def _has_enough_like(self, node: int) -> bool:
        """Check whether the trip has reached its limit for a narrow kind.

        The limit does not apply to the very best known sights.
        """
        if self.chosen[node].place_id in self.best:
            return False
        had = Counter(
            group for day in self.days for o in day for group in self._bounds(self.visits[o].kind)
        )
        return any(had[g] >= most for g, most in self._bounds(self.visits[node].kind).items())

    def _detour(self, day: int, node: int, at: int) -> int:
        frame, order = self.frames[day], self.days[day]
        start = self._home(day) if frame.start is None and self.hotels else frame.start
        before = order[at - 1] if at else start
        after = order[at] if at < len(order) else frame.end
        rows = self.efforts
        more = (rows[before][node] if before is not None else 0) + (
            rows[node][after] if after is not None else 0
        )
        return more - (rows[before][after] if before is not None and after is not None else 0)

    # -- writing ---------------------------------------------------------------------------

    def _assemble(self, *, pressing: bool = False) -> Plan | None:
        """Return the plan with restaurants, or None.

        With ``pressing``, required restaurants may be far away.
        """
        demands = [d for d in self.p.offers.demands if d.kind == "restaurant"]
        tables = NearTables(
            self.restaurants, self.nodes, self.trip, self.level, self.riders, demands,
            self.ground.meal_min, pressing,
        )  # fmt: skip
        writer = Writer(
            self.trip, self.nodes, self.restaurants, self.modes, self.p.offers.modes, self.visits,
            self.nights, self.pair, self.p.world.network,
        )  # fmt: skip
        days = []
        for day, frame in enumerate(self.frames):
            course = self._course(day, frame, tables)
            if course is None:
                return None
            days.append(
                Day(day=frame.number, activities=writer.activities(self.frames[day], course))
            )
        if tables.demands or not self._all_demanded():
            return None
        return Plan(
            people_number=self.request.people, start_city=self.request.start_city,
            target_city=self.request.target_city, itinerary=days,
        )  # fmt: skip

    def _all_demanded(self) -> bool:
        names = {self.chosen[n].name for day in self.days for n in day}
        return all(names & d.names for d in self._sights_demanded())

    def _course(self, day: int, frame: Frame, tables: NearTables) -> Course | None:
        """Return the day with real restaurants, or None.

        If the day is impossible, sights are dropped first, then the full time for lunch, then
        meals.
        """
        tables.when = self.request.when(frame.number)
        for fewer in self._with_fewer_meals(frame):
            for order in self._orders(day, fewer):
                before = tables.state()
                early = self._early(fewer, order, tables)
                if early is not None:
                    self.days[day] = list(order)
                    return self._fill(day, early[0], early[1], tables, before)
                course = self._with_meals(fewer, order, tables)
                if course is not None:
                    self.days[day] = list(order)
                    self.frames[day] = replace(frame, begins=fewer.begins, hasty=fewer.hasty)
                    return self._fill(day, fewer, course, tables, before)
        return None

    def _with_fewer_meals(self, frame: Frame) -> Iterator[Frame]:
        """Yield the day with its meals, then with a hasty lunch and the bags at hand, then with
        fewer meals.
        """
        yield frame
        if "lunch" in frame.meals:
            begins = frame.begins
            if frame.number == 1 and self.pair is not None:
                begins = self.pair[0].arrives_min + LEAVING_MIN[self.pair[0].kind]
            yield replace(frame, begins=begins, hasty=frame.hasty | {"lunch"})
        for meals in dict.fromkeys((frame.meals[1:], frame.meals[:1], ())):
            yield replace(frame, meals=meals)

    def _early(
        self, frame: Frame, order: Sequence[int], tables: NearTables
    ) -> tuple[Frame, Course] | None:
        """Return an early start for a remote sight, so that lunch is possible on the way back,
        or None.

        A party with children or old people never starts so early.
        """
        far = bool(order) and self._is_far(order[0]) and self.ground.stays[order[0]] >= HALF_DAY_MIN
        if not far or "lunch" not in frame.meals or self.trip.gentle or frame.number == 1:
            return None
        ground, stays = self.ground, list(self.ground.stays)
        stays[order[0]] = HALF_DAY_MIN
        self.ground = replace(ground, stays=stays)
        frame = replace(frame, begins=min(frame.begins, _FAR_BEGINS), inside=False)
        before = tables.state()
        course = self._with_meals(frame, order, tables)
        if course is not None and all(
            s.minutes <= _TO_LUNCH_MIN for s in course.stops if s.kind == "lunch"
        ):
            self.frames[frame.number - 1] = frame
            return frame, course
        tables.restore(before)
        self.ground = ground
        return None

    def _fill(
        self, day: int, frame: Frame, course: Course, tables: NearTables, before: State
    ) -> Course:
        """Return the course with more sights, as long as it has a long gap and a sight nearby
        fits.
        """
        if frame.most == 0 or not self._has_gap(course, frame):
            return course
        order, after = self.days[day], tables.state()
        found = sorted(
            (self._detour(day, n, at) * _WAY - self._worth_on(n, day), n, at)
            for n in range(len(self.chosen))
            if self._may_come(n)
            and self._worth_on(n, day) >= _WORTHWHILE
            and not (self.trip.nights_out and self.ground.late[n])
            and self._alike(n, day) is not None
            and n not in self.shut[day]
            and (not self._apart(n, day, order) or self._is_near_home(n, day))
            and not self._is_crowded(n, order)
            for at in range(len(order) + 1)
        )
        orders = [(*order[:at], node, *order[at:]) for _, node, at in found[:_FILLERS]]
        for node in list(dict.fromkeys(n for _, n, _ in found))[:_TURNED]:
            orders += self._best_orders(frame, [*order, node])[:1]
        for fuller_order in orders:
            tables.restore(before)
            fuller = self._with_meals(frame, fuller_order, tables)
            if fuller is not None and self._comes_home(fuller):
                self.days[day] = list(fuller_order)
                if len(fuller_order) >= self._most(day, fuller_order):
                    return fuller
                return self._fill(day, frame, fuller, tables, before)
        tables.restore(after)
        return course

    def _has_gap(self, course: Course, frame: Frame) -> bool:
        """Check whether a day has a long time without a plan.

        The gap must be longer for slow travellers and may be shorter before the journey back.
        """
        least = _GAP_SLOW_MIN if self.trip.pace == "slow" else _GAP_MIN
        waits = self.pair is not None and frame.number == self.request.days
        if waits and frame.deadline - course.to_end - course.free >= _GAP_HOME_MIN:
            return True
        return _gap(course, frame, packed=self.trip.pace == "special_forces") >= least

    def _orders(self, day: int, frame: Frame) -> Iterator[tuple[int, ...]]:
        """Yield the best orders of a day's sights, then orders without one or two of the least
        worthy.
        """
        sights, known = self.days[day], set(self._best_known())
        droppable = sorted(
            (n for n in sights if n not in self.demanded),
            key=lambda n: (n in known, self.worths[self.chosen[n].place_id], n),
        )
        for count in range(min(len(droppable), 2) + 1):
            for gone in combinations(droppable, count):
                kept = [n for n in sights if n not in gone]
                yield from self._best_orders(frame, kept)[:_ORDERS]
        yield tuple(n for n in sights if n in self.demanded)

    def _best_orders(self, frame: Frame, nodes: Sequence[int]) -> list[tuple[int, ...]]:
        """Return the possible orders of some sights, those with the least travel and waiting
        first.
        """
        orders = permutations(nodes) if len(nodes) <= 5 else [tuple(nodes)]
        found = []
        for order in orders:
            course = walk(frame, order, self.ground, None)
            if course is not None:
                early = "dinner" in frame.meals and not (_has_evening(course) or self.trip.seniors)
                lost = course.travel + course.idle // 2 + _NO_EVENING_MIN * early
                lost -= _NEIGHBOURS_MIN * _neighbours(course, self.near)
                found.append((lost, order))
        return [order for _, order in sorted(found)]

    def _with_meals(self, frame: Frame, order: Sequence[int], tables: NearTables) -> Course | None:
        kept = tables.state()
        # Where nothing ends the day, it ends in town: nobody dines beside a far sight.
        back = self._point(Here(self._home(frame.number - 1))) if self.hotels else None

        def seater(meal: str, here: Here, free: int, node: int | None) -> Seat | None:
            onward = self._point(Here(node)) or back
            last = meal == "dinner" and node == frame.end
            minutes = frame.meal_min(meal, self.ground)
            seat = tables.seat(meal, self._point(here), free, onward, last=last, meal_min=minutes)
            if seat is None or (meal in frame.hasty and self._leads_off(here, seat, node)):
                return None
            tables.take(seat)
            return seat

        course = walk(frame, order, self.ground, seater)
        if course is None:
            tables.restore(kept)
        return course

    def _leads_off(self, here: Here, seat: Seat, node: int | None) -> bool:
        """Check whether a restaurant is so far off the way that a hasty meal is better left out."""
        if node is None:
            return False
        off = seat.minutes + seat.onward[node] - self.ground.way(here, node)
        return off > _HASTY_DETOUR_MIN

    def _point(self, here: Here) -> Point | None:
        if here.seat is not None:
            return self.restaurants.places[here.seat.at].point
        return None if here.node is None else self.nodes.places[here.node].point


def _beside(places: Sequence[Place], good: Sequence[int], far: set[int]) -> set[int]:
    """Return the sights worth seeing near a remote sight."""
    return {n for n in good for m in far if _metres(places[n], places[m]) < _BESIDE_M}


def _metres(a: Place, b: Place) -> float:
    assert a.point is not None
    assert b.point is not None
    return float(np.asarray(distance_m(*a.point, *b.point)))


def _neighbours(course: Course, near: Sequence[frozenset[int]]) -> int:
    """Return how many sights of a course are followed by a neighbour without a meal in between."""
    nodes = [stop.node for stop in course.stops]
    return sum(a is not None and b is not None and b in near[a] for a, b in pairwise(nodes))


def _has_evening(course: Course) -> bool:
    """Check whether a sight is visited after dinner."""
    return _count_evening(course) > 0


def _count_evening(course: Course) -> int:
    """Return how many sights are visited after dinner."""
    return sum(stop.node is not None and stop.start >= EVENING for stop in course.stops)


def _gap(course: Course, frame: Frame, *, packed: bool) -> int:
    """Return the longest time in minutes without a plan before a stop or before the journey
    back.

    On ``packed`` days, the time before the first opening and the evening also count.
    """
    free, gaps = frame.begins, [0]
    for stop in course.stops:
        waits = stop.node is None or (packed and free == frame.begins)
        gaps.append((stop.start if waits else stop.arrives) - stop.minutes - free)
        free = stop.end
    if frame.deadline < _HOME:
        gaps.append(frame.deadline - course.to_end - free)
    elif packed:
        gaps.append(frame.latest - course.to_end - free)
    return max(gaps)
