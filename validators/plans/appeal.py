"""Rate in points what each sight is worth to a trip's travellers, and decide when to visit it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from validators.plans.comfort import Level
from validators.plans.kinds import OCCASIONS, SightKind, answers, fit, kind_of, months_of, suits
from validators.plans.outing import EVENING
from validators.plans.renown import Renown
from validators.plans.trip import NIGHT_LIFE, TripRequest
from validators.plans.world import Place

#: The best known sights of a city, and how many are well known; more points for each five of these.
MUST_SEES, WELL_KNOWN = 5, 15
_KNOWN = (170, 110, 60)
#: More points of another well known sight that wants a ticket of so many cents: no square or street
#: does.
_TICKETED, _TICKET_CENTS = 40, 2000
#: Points of the first wish that a sight meets, and of each further one.
_WISHED, _FURTHER = 170, 40
#: More points of a sight whose name says that it is what is wished for, and fewer where nobody
#: means it.
_CORE, _WEAK = 90, -150
#: Points of a sight that suits the occasion, beside those that the list gives it.
_SUITS = 60
#: Most points of what suits the season of a trip that does not ask for it.
_IN_SEASON = 60
#: Points that what blooms in other months costs, and where no month is told.
_OUT_OF_BLOOM, _PERHAPS_IN_BLOOM = 350, 80
#: Points from which a sight suits the occasion of a trip.
_SUITED = 50
#: What is seldom open to visitors, or seldom what a trip is made for.
_PLAIN = {"university_campus": -160, "library": -80, "other": -50, "commercial_district": -20}
#: Points that halls and single events cost: seldom open, seldom what a trip is made for.
_SELDOM = 250
#: What a rating below this costs beside its own points.
_WELL_RATED, _ILL_RATED = 4.5, 80
#: What a rating costs of which visitors warn.
_WARNED_OF, _WARNING = 4.0, 250
#: A ticket of the best known, and of what is meant by a wish, may be so many times the level's
#: dearest.
_FOR_THE_BEST, _FOR_A_WISH = 3, 2
#: Points that a ticket beyond the level costs, and a whole day of rides on a short trip that does
#: not ask for it.
_TOO_DEAR, _A_DAY_GONE, _HALF_A_DAY_GONE = 600, 450, 150
_NIGHT, _FUN = NIGHT_LIFE, "游乐园/体育娱乐"
#: What is a landmark of the evening is seen for its lights, if it is of one of these kinds.
_LANDMARK, _LIT = (
    "城市地标",
    frozenset({"view", "tourism_area", "waterside", "night_sight", "boat"}),
)
_FAMILY = "亲子友好"
#: Wishes for which a day of rides is spent.
_RIDES_WISHED = frozenset({_FUN, _FAMILY, "parent_child"})
#: A ticket of so many cents is for so many minutes at least; half an hour of a visit may be added.
_DEAR_CENTS, _DEAR_MIN = 10_000, 180
#: A scenic area that wants a ticket of so many cents is seen by day, for so many minutes.
_GATED_CENTS, _GATED = 5_000, (120, 180)
#: Points that so dear a ticket costs what nobody wished for; days from which adults have time for a
#: zoo.
_DEAR_FILLER, _TIME_FOR_ANIMALS = 200, 3
#: A park or zoo whose ticket costs so many cents takes the day: so many minutes from and until.
_WHOLE_DAY_CENTS, _WHOLE_DAY = 20_000, (300, 360)
#: A park of rides whose ticket costs less is no whole day: so many minutes from and until.
_RIDES_CENTS, _FEW_RIDES = 15_000, (150, 240)
#: Kinds that climb, for those who want to or cannot.
_CLIMBS = frozenset({"mountain", "great_wall"})
#: Kinds that are not visited after dark, unless for their night life.
_NOT_IN_THE_DARK = frozenset({"tourism_area", "creative", "park", "library"})
#: Before these minutes streets, shows and night sights are not visited.
_FLOORS = {"late": 630, "show": 1095, "night": 1095}
#: After these minutes no visit to animals begins, in warm and cool months.
_LAST_ANIMALS, _COOL = (900, 870), frozenset({11, 12, 1, 2, 3})
#: After this minute no visit begins in dark months to what has walls, and to what does if it wants
#: a ticket.
_LAST_GARDEN, _DARK = 960, frozenset({11, 12, 1, 2})
_WALLED = frozenset({"garden", "grand_garden"})
_OFTEN_WALLED = frozenset({"park", "great_park", "lake", "palace"})
#: Before this minute night sights are not visited, where days can be made without.
_NIGHT_FLOOR = 960
#: What closes before this is no night sight, whatever its types say.
_OPEN_LATE = 1230
#: Kinds that fill time more than they are travelled for.
_FILLERS = {
    "trick": 150, "bridge": 60, "great_bridge": 100, "port": 250, "pool": 250, "shop": 200,
    "library": 200, "station": 100, "transport": 40, "office": 250,
    "open_stage": 80, "park": 40, "campus": 60, "show": 100, "former_home": 60,
    "square": 50, "reservoir": 60, "town_of_a_park": 150,
}  # fmt: skip
#: Water parks and pools are for these months; what is made for children.
_WET, _WARM = frozenset({"water_rides", "pool"}), frozenset({6, 7, 8, 9})
_FOR_CHILDREN = frozenset({"aquarium", "indoor_fun", "science_hall", "zoo"})
#: Kinds that no type or category means, whatever the tables say.
_NEVER_MEANT = frozenset({"port", "pool", "shop", "office"})
#: Wishes that are about nature alone, kinds that trips with no other wish hardly have, and points
#: that these cost.
_NATURE = frozenset({"自然风光", "公园", "natural_landscape"})
_NOT_NATURE, _OFF_NATURE = (
    frozenset({"rides", "fun", "indoor_fun", "viewpoint", "museum", "science_hall", "gallery"}),
    150,
)
#: Kinds that trips about nature rather fill their time with, and points more of these.
_GREEN, _RATHER_GREEN = frozenset({"park", "great_park", "garden", "waterside", "lake"}), 150
#: Wishes for which some day of a long trip is spent out in nature, kinds that are it, and from
#: which rating and points a sight is great.
_OUT_IN_NATURE = frozenset({"自然风光", "natural_landscape"})
_NATURAL = frozenset({"mountain", "lake", "nature", "great_park", "island", "beach"})
_GREAT_RATING, _GREAT_POINTS = 4.6, 170
#: The wish for what few know, types of what is crowded, and points that it then costs.
_QUIET, _CROWDED, _CROWD = "小众秘境", frozenset({"网红打卡点", _NIGHT, "商业街区"}), 300
#: Kinds that want legs, for those who want little effort, and the points that it costs.
_LEGS, _LEGS_POINTS = frozenset({"zoo", "great_park", "palace", "nature"}), 90


@dataclass(frozen=True)
class VisitStyle:
    """How and when a sight is visited; ``most_min`` is the maximum duration.

    ``evening`` means that the visit may last beyond dusk, and ``late`` means that the visit is
    better after dusk. ``lit`` means that people visit the sight for its lights. The visit never
    begins before ``floor`` or after ``ceiling``.
    """

    kind: str
    minutes: int
    most_min: int
    evening: bool
    late: bool
    floor: int = 0
    lit: bool = False
    ceiling: int = 1440


def must_sees(places: Iterable[Place], renown: Renown) -> list[Place]:
    """Return the best known sights in a city."""
    return renown.best(list(places), MUST_SEES)


def wishes_met(place: Place, trip: TripRequest, renown: Renown) -> frozenset[str]:
    """Return the wishes that a sight meets: types, the category and the occasion."""
    wished = trip.list_wished("attraction_type")
    met = set(place.types & wished) | {w for w in wished if answers(place, renown, w)}
    if trip.category is not None and renown.categories.get(place.place_id) == trip.category:
        met.add(trip.category)
    if trip.category is not None and answers(place, renown, trip.category):
        met.add(trip.category)
    if trip.occasion is not None and suits(place, renown, (trip.occasion,)) >= _SUITED:
        met.add(trip.occasion)
    return frozenset(met)


def wishes_of(trip: TripRequest) -> tuple[str, ...]:
    """Return the wishes for kinds of sights in a fixed order: types, the category, the occasion."""
    told = (trip.category, trip.occasion if trip.occasion in OCCASIONS else None)
    return (*sorted(trip.list_wished("attraction_type")), *(w for w in told if w is not None))


def worth(place: Place, trip: TripRequest, renown: Renown, level: Level, known: list[Place]) -> int:
    """Return a sight's points; ``known`` contains the best known sights, best known first."""
    rank = next((n for n, p in enumerate(known) if p.place_id == place.place_id), None)
    met = wishes_met(place, trip, renown)
    return (
        _points_of_renown(place, trip, renown, rank)
        + _points_of_wishes(place, trip, renown, met)
        + _points_of_season(place, trip, renown, rank)
        - _lost_by_kind(place, trip, renown, met, rank)
        - _lost_by_price(place, trip, renown, level, met, rank)
    )


def _is_must(rank: int | None) -> bool:
    """Check whether a sight is one of the best known sights."""
    return rank is not None and rank < MUST_SEES


def _points_of_renown(place: Place, trip: TripRequest, renown: Renown, rank: int | None) -> int:
    """Return points for how well known a sight is.

    If the query asks for little known sights, crowded sights lose points instead of gaining them.
    """
    points = renown.points.get(place.place_id, 0)
    rating = renown.ratings.get(place.place_id)
    if rating is not None and rating < _WELL_RATED:
        points -= _ILL_RATED if rating >= _WARNED_OF else _WARNING
    if seeks_quiet(trip):
        crowded = bool(place.types & _CROWDED) and _QUIET not in place.types
        return points - _CROWD * (crowded and not _is_must(rank))
    if rank is None or not (_is_must(rank) or not _is_of_nature(trip)):
        return points
    ticketed = not _is_must(rank) and (place.price_cents or 0) >= _TICKET_CENTS
    return points + _KNOWN[min(rank // MUST_SEES, len(_KNOWN) - 1)] + _TICKETED * ticketed


def _points_of_wishes(place: Place, trip: TripRequest, renown: Renown, met: frozenset[str]) -> int:
    """Return points for the wishes that a sight meets, and for how well it meets them."""
    asked = met - {trip.occasion}
    points = _WISHED + _FURTHER * (len(asked) - 1) if asked else 0
    points += _SUITS * (trip.occasion in met)
    fits = [fit(place, renown, wish) for wish in asked]
    points += _CORE if 1 in fits else _WEAK if fits and max(fits) < 0 else 0
    return points + 2 * _WISHED * (place.name in trip.list_wished("attraction_name"))


def _points_of_season(place: Place, trip: TripRequest, renown: Renown, rank: int | None) -> int:
    """Return points for how well a sight suits a trip's occasion, party and months."""
    points = max(min(suits(place, renown, trip.occasions), 250), -300)
    points += max(min(suits(place, renown, trip.seasons), _IN_SEASON), -300)
    points -= _not_in_bloom(place, trip)
    points -= _OUT_OF_BLOOM * (is_unasked(place, trip, renown) and not _is_must(rank))
    return points - 40 * (trip.gentle and place.types <= {_NIGHT, "商业街区"})


def _lost_by_kind(
    place: Place, trip: TripRequest, renown: Renown, met: frozenset[str], rank: int | None
) -> int:
    """Return the points that a sight loses because of its kind, for example if it takes a whole
    day.
    """
    kind = kind_of(place, renown)
    lost = 0 if met else -_PLAIN.get(renown.base_types.get(place.place_id) or "", 0)
    lost += _SELDOM * (kind.name == "event" or (kind.name == "venue" and rank is None))
    filler = rank is None and (not met - {trip.occasion} or kind.name in _NEVER_MEANT)
    lost += _FILLERS.get(kind.name, 0) * (filler or kind.name == "town_of_a_park")
    if _is_of_nature(trip) and not met:
        lost += _OFF_NATURE * (kind.name in _NOT_NATURE) - _RATHER_GREEN * (kind.name in _GREEN)
    if kind.name in _CLIMBS:
        lost += {"light": 400, "moderate": 0, "strenuous": 0 if met else 40}[trip.effort]
    lost += _LEGS_POINTS * (trip.effort == "light" and kind.name in _LEGS and not met)
    if kind.when == "rides" and not _wants_rides(met) and _has_no_day(trip):
        lost += _A_DAY_GONE
    if not met and (wishes_of(trip) or trip.seniors) and _takes_half_a_day(place, kind, trip):
        lost += _HALF_A_DAY_GONE
    return lost


def _lost_by_price(
    place: Place, trip: TripRequest, renown: Renown, level: Level, met: frozenset[str],
    rank: int | None,
) -> int:  # fmt: skip
    """Return the points that a sight loses because of its ticket price at a level of comfort."""
    price, asked = place.price_cents or 0, met - {trip.occasion}
    best = _is_must(rank) and trip.level != "economy"
    lost = _DEAR_FILLER * (price >= _WHOLE_DAY_CENTS and not (best or trip.children or bool(asked)))
    meant = any(fit(place, renown, wish) == 1 for wish in asked)
    most = level.ticket_cents * (_FOR_THE_BEST if best else _FOR_A_WISH if meant else 1)
    if price > most and place.name not in trip.list_wished("attraction_name"):
        lost += _TOO_DEAR
    return lost + price // 1000 * level.ticket_points


def seeks_quiet(trip: TripRequest) -> bool:
    """Check whether the query asks for little known sights."""
    return _QUIET in wishes_of(trip)


def is_unasked(place: Place, trip: TripRequest, renown: Renown) -> bool:
    """Check whether a sight that meets no wish is unsuitable for the season or the party.

    Examples are bathing places outside the warm months, and sights for children if all travellers
    are adults.
    """
    kind = kind_of(place, renown).name
    if kind in _WET and not (trip.months and trip.months <= _WARM):
        return True
    if kind not in _FOR_CHILDREN or trip.children:
        return False
    asked = wishes_met(place, trip, renown) - {trip.occasion}
    return all(fit(place, renown, wish) < 0 for wish in asked)


def is_for_children(place: Place, renown: Renown) -> bool:
    """Check whether a sight is designed for children, rather than merely suitable for them."""
    return kind_of(place, renown).name in _FOR_CHILDREN or fit(place, renown, _FAMILY) > 0


def _is_of_nature(trip: TripRequest) -> bool:
    """Check whether all wishes for a trip concern nature."""
    wishes = set(wishes_of(trip)) - {trip.occasion}
    return bool(wishes) and wishes <= _NATURE


def is_great_nature(place: Place, trip: TripRequest, renown: Renown) -> bool:
    """Check whether a sight is a great natural sight and the trip has wishes for nature."""
    wishes = wishes_met(place, trip, renown) & _OUT_IN_NATURE
    return (
        any(fit(place, renown, wish) >= 0 for wish in wishes)
        and kind_of(place, renown).name in _NATURAL
        and renown.ratings.get(place.place_id, 0) >= _GREAT_RATING
        and renown.points.get(place.place_id, 0) >= _GREAT_POINTS
    )


def _not_in_bloom(place: Place, trip: TripRequest) -> int:
    """Return the points that a sight such as a cherry garden loses outside its season."""
    months = months_of(place.name)
    if not months or months & trip.months:
        return 0
    return _OUT_OF_BLOOM if trip.months else _PERHAPS_IN_BLOOM


def _takes_half_a_day(place: Place, kind: SightKind, trip: TripRequest) -> bool:
    """Check whether a park takes too much time from a trip that has other wishes.

    A zoo takes too much time only if the trip is short and has no children.
    """
    adults = kind.name == "zoo" and not trip.children and trip.request.days < _TIME_FOR_ANIMALS
    return adults or is_dear_fun(place, kind) or is_dear_day(place, kind)


def _wants_rides(met: frozenset[str]) -> bool:
    """Check whether the wishes that a park meets include one for a day of amusement rides."""
    return bool(met & _RIDES_WISHED)


def is_day_of_rides(place: Place, trip: TripRequest, renown: Renown) -> bool:
    """Check whether visiting a sight means a day of amusement rides that neither suits the party
    nor meets a wish.
    """
    if kind_of(place, renown).when != "rides" or _wants_rides(wishes_met(place, trip, renown)):
        return False
    return _is_not_for_rides(trip)


def _is_not_for_rides(trip: TripRequest) -> bool:
    """Check whether the budget, old people or a slow pace rule out a day of amusement rides."""
    if trip.level == "economy" or (trip.seniors and not trip.children):
        return True
    return not trip.children and (trip.pace == "slow" or trip.effort == "light")


def _has_no_day(trip: TripRequest) -> bool:
    """Check whether a trip that does not ask for amusement rides is unsuitable or too short for
    them.
    """
    if _is_not_for_rides(trip):
        return True
    return trip.request.days <= (4 if wishes_of(trip) else 2)


def visit_of(
    place: Place, trip: TripRequest, renown: Renown, rank: int | None, *, strict: bool = False
) -> VisitStyle:
    """Return how a sight is visited, which depends on its kind and on the recommendation in its
    source.

    The best known sights get the maximum duration for their kind. Sights that meet a wish well, and
    well known sights on slow trips, get at least the average duration for their kind. Night sights
    are visited in the late afternoon or in the evening. If the trip has a wish for nightlife, night
    sights are visited only in the evening. For the best known sights, the times for night sights
    apply only if ``strict`` is true.
    """
    kind = kind_of(place, renown)
    least, most = _span(place, kind)
    told = ((place.least_min or least) + (place.most_min or place.least_min or most)) // 2
    minutes = min(max(told, least), (least + most) // 2)
    best = rank is not None and rank < MUST_SEES
    if best or (trip.pace == "slow" and rank is not None):
        gentle = trip.effort == "light" or trip.children
        minutes = most if best and not gentle else max(minutes, (least + most) // 2)
    if trip.pace == "special_forces":
        minutes = max(least, minutes - 30)
    asked = wishes_met(place, trip, renown) - {trip.occasion}
    if any(fit(place, renown, wish) == 1 for wish in asked):
        minutes = max(minutes, (least + most) // 2)
    night = _NIGHT in place.types and _is_open_late(place) and not _is_gated(place, kind)
    late = kind.when in ("late", "show", "night") or (kind.when == "any" and night)
    evening = (
        late
        or night
        or (kind.when in ("any", "show", "rides") and kind.name not in _NOT_IN_THE_DARK)
    )
    minutes = max(minutes // 5 * 5, 20)
    floor = _FLOORS.get(kind.when, 0)
    if late and night and (strict or not best):
        floor = max(floor, EVENING if trip.nights_out else _NIGHT_FLOOR)
    lit = late and night and _LANDMARK in place.types and kind.name in _LIT
    ceiling = _ceiling(place, kind.name, trip.months)
    return VisitStyle(kind.name, minutes, max(most, minutes), evening, late, floor, lit, ceiling)


def _ceiling(place: Place, kind: str, months: frozenset[int]) -> int:
    """Return the latest minute for starting a visit to a zoo or garden in the trip's months."""
    if kind == "zoo":
        return _LAST_ANIMALS[bool(months) and months <= _COOL]
    walled = kind in _WALLED or (kind in _OFTEN_WALLED and bool(place.price_cents))
    return _LAST_GARDEN if walled and months and months <= _DARK else 1440


def _is_open_late(place: Place) -> bool:
    """Check whether a sight is open on any evening; a sight with unknown hours counts as open."""
    spans = [span for day in (place.hours.days(None) if place.hours else []) for span in day]
    return not spans or max(close for _, close in spans) >= _OPEN_LATE


def _span(place: Place, kind: SightKind) -> tuple[int, int]:
    if is_dear_day(place, kind):
        return _WHOLE_DAY
    if is_dear_fun(place, kind):
        return _DEAR_MIN, max(kind.most_min, _DEAR_MIN + 60)
    if _is_gated(place, kind):
        return _GATED
    if kind.when == "rides" and 0 < (place.price_cents or 0) < _RIDES_CENTS:
        return _FEW_RIDES
    return kind.least_min, kind.most_min


def _is_gated(place: Place, kind: SightKind) -> bool:
    """Check whether a sight is a gated scenic area, for which an evening is too short."""
    return kind.name == "tourism_area" and (place.price_cents or 0) >= _GATED_CENTS


def is_dear_fun(place: Place, kind: SightKind) -> bool:
    """Check whether a sight is a park with a ticket price that justifies half a day."""
    return (place.price_cents or 0) >= _DEAR_CENTS and kind.name in ("fun", "tourism_area")


def is_dear_day(place: Place, kind: SightKind) -> bool:
    """Check whether a sight is a park or zoo with a ticket price that justifies most of a day."""
    return (place.price_cents or 0) >= _WHOLE_DAY_CENTS and kind.name in ("zoo", "tourism_area")


def is_fun(place: Place) -> bool:
    """Check whether a sight is an amusement or sports park; one such park a day is enough."""
    return _FUN in place.types


def is_climb(place: Place, renown: Renown) -> bool:
    """Check whether a visit to a sight involves climbing."""
    return kind_of(place, renown).name in _CLIMBS
