"""Simulate one day in a given order: travel, queues, visits and meals, with the time of each.

The course of a day is computed twice. While the sights are being chosen, meals only take time; at
the end, a restaurant is chosen for each meal. The result is None if the sights cannot be visited in
this order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from validators.plans.check_places import MEAL_WINDOWS
from validators.plans.daylight import USUAL_DUSK

#: Minutes to a table that is not chosen yet.
_TO_TABLE_MIN = 15
#: Minutes before closing at which nobody is let in any more, where a place closes before 22:00.
_LAST_ENTRY_MIN, _OPEN_LATE = 60, 1320
#: When meals may begin at the earliest, and after which minute nothing is seen before them.
EARLIEST = {"lunch": 675, "dinner": 1035}
_HUNGRY = {"lunch": 705, "dinner": 1065}
#: Until when one waits for lunch who goes far for half a day.
_HUNGRY_FAR = 780
#: Minutes of a meal between a journey and the hours of meals.
HASTY_MIN = 45
#: A visit that begins in the evening is a stroll; a sight that is better then is worth less before
#: half past four, as if so many minutes were waited.
EVENING, _EVENING_MIN, _EARLY, _TOO_EARLY_MIN = 1065, 90, 960, 200
#: What a visit counts, as minutes waited, of what is seen for its lights where it begins by day,
#: and outdoors in the heat, between these minutes.
_BY_DAY_MIN, _HEAT_MIN, _HEAT = 100, 240, (750, 960)
#: What it counts to come after noon, as minutes waited, where mornings are better.
_AFTER_NOON, _AFTER_NOON_MIN = 720, 90
#: A visit of so many minutes has its lunch inside; one of so many takes the day; one of so many is
#: not begun after a lunch that would be early.
_LUNCH_INSIDE_MIN, ALL_DAY_MIN, HALF_DAY_MIN = 240, 300, 180
#: What takes longer by day is not begun in the evening; and from how far nobody comes for less than
#: half a day.
_STROLL_MIN, _FAR_MIN = 150, 75
#: From so far nobody comes for less than so many minutes.
_AWAY_MIN, _SHORT_MIN = 50, 90
#: Nobody queues longer for what is neither asked for nor among the best known.
_LONG_QUEUE_MIN = 40
#: Between the two sights of a day one has lunch, if the first is left from then on and the second
#: open until then.
_BREAK, _AFTERNOON = 600, 990
#: Minutes that one waits for a sight to open.
_PATIENCE_MIN = 30
#: Who is free from then on has dinner before the sight that ends the day.
_SOON_DINNER = 900


@dataclass(frozen=True)
class Frame:
    """The time available for visits and meals on a day.

    ``start`` and ``end`` are nodes, or None if the day may begin or end anywhere. ``opens`` and
    ``closes`` contain the opening hours of each node on the day's date. ``latest`` is the minute by
    which the last visit must end. If ``inside`` is False, lunch is eaten at a restaurant, however
    long a visit takes. ``hasty`` contains the meals that must be short because of a journey.
    """

    number: int
    start: int | None
    begins: int
    end: int | None
    deadline: int
    meals: tuple[str, ...]
    most: int
    latest: int
    opens: Sequence[int]
    closes: Sequence[int]
    queue: Callable[[int, int], int]
    inside: bool = True
    hasty: frozenset[str] = frozenset()

    def meal_min(self, meal: str, ground: Ground) -> int:
        """Return the length of a meal in minutes."""
        return min(ground.meal_min, HASTY_MIN) if meal in self.hasty else ground.meal_min


@dataclass(frozen=True)
class Seat:
    """A restaurant: its index, the route to it, and the routes from the restaurant to each node."""

    at: int
    mode: int
    minutes: int
    cents: int
    onward: Sequence[int]
    onward_modes: Sequence[int]


Seater = Callable[[str, "Here", int, int | None], Seat | None]


@dataclass(frozen=True)
class Here:
    """The traveller's position: a node or, after a meal, a restaurant."""

    node: int | None
    seat: Seat | None = None


@dataclass(frozen=True)
class OutingStop:
    """A visit to a node, or a meal at a restaurant; the traveller arrives at minute ``arrives``."""

    kind: str
    node: int | None
    seat: Seat | None
    minutes: int
    arrives: int
    start: int
    end: int


@dataclass
class Course:
    """The stops of a day, the minute at which the last stop ends, and the minutes of travel and
    waiting.

    ``idle`` includes extra minutes for visits at an unsuitable time of day.
    """

    stops: list[OutingStop] = field(default_factory=list)
    free: int = 0
    here: Here = Here(None)
    travel: int = 0
    idle: int = 0
    to_end: int = 0


@dataclass(frozen=True)
class Ground:
    """The minutes between nodes, and how long and at what time of day each node should be visited.

    ``evening`` marks sights that may be visited in the evening, and ``late`` marks sights that are
    better in the evening. ``wished`` marks sights that the query asks for or that are among the
    best known. Visits to sights that ``evening`` does not mark must end by ``dusk``. ``remote``
    means that the hotel is far from every sight. ``lit`` contains sights whose lights are worth
    seeing. ``hot`` contains sights that are too hot in the afternoon, and ``early`` contains sights
    that are better in the morning. With ``nights_out``, more than one sight may follow dinner.
    ``anyway`` contains sights that are visited regardless of distance and time of day. For each
    sight, ``ceilings`` contains the latest minute at which a visit may begin.
    """

    minutes: Sequence[Sequence[int]]
    stays: Sequence[int]
    evening: Sequence[bool]
    late: Sequence[bool]
    wished: Sequence[bool]
    meal_min: int = 60
    dusk: int = USUAL_DUSK
    remote: bool = False
    lit: frozenset[int] = frozenset()
    hot: frozenset[int] = frozenset()
    nights_out: bool = False
    early: frozenset[int] = frozenset()
    anyway: frozenset[int] = frozenset()
    ceilings: Mapping[int, int] = field(default_factory=dict)

    def way(self, here: Here, node: int) -> int:
        """Return the minutes from the current position to a node."""
        if here.seat is not None:
            return here.seat.onward[node]
        return 0 if here.node is None else self.minutes[here.node][node]


def walk(
    frame: Frame, order: Sequence[int], ground: Ground, seater: Seater | None
) -> Course | None:
    """Return the course of a day through the nodes in this order, or None if the order is
    impossible.
    """
    course = Course(free=frame.begins, here=Here(frame.start))
    due = list(frame.meals)
    by_day = [node for node in order if not ground.late[node]]
    for at, node in enumerate(order):
        rest = order[at:] if ground.nights_out else order[-1:]
        strolls = node in rest and all(ground.late[n] for n in rest)
        second = by_day[1:] == [node] and frame.closes[node] >= _AFTERNOON
        while due and (
            (second and course.free >= _BREAK and due == ["lunch", "dinner"])
            or _eats_first(frame, node, course, ground, due[0], strolls=strolls)
        ):
            if not _eat(frame, course, due.pop(0), node, ground, seater):
                return None
        if not _visit(frame, course, node, ground):
            return None
        if due[:1] == ["lunch"] and frame.inside and _eats_inside(course.stops[-1]):
            due.pop(0)
    while due:
        if not _eat(frame, course, due.pop(0), frame.end, ground, seater):
            return None
    if frame.end is not None:
        course.to_end = ground.way(course.here, frame.end)
        course.travel += course.to_end
    return course if course.free + course.to_end <= frame.deadline else None


def _eats_inside(stop: OutingStop) -> bool:
    """Check whether a visit is at the right time and long enough to include lunch; at a remote
    sight, a shorter visit is enough.
    """
    far = stop.minutes > _AWAY_MIN
    long, hungry = (HALF_DAY_MIN, _HUNGRY_FAR) if far else (_LUNCH_INSIDE_MIN, _HUNGRY["lunch"])
    return stop.start < hungry < stop.end and stop.end - stop.start >= long


def _eats_first(
    frame: Frame, node: int, course: Course, ground: Ground, meal: str, *, strolls: bool
) -> bool:
    """Check whether a meal is eaten before the visit to a sight.

    ``strolls`` means that the sight may be visited after dinner, at the end of the day.
    """
    soon = course.free >= _SOON_DINNER or frame.opens[node] > course.free + _PATIENCE_MIN
    if meal == "dinner" and strolls and soon and _has_evening(frame, node, course, ground):
        return True
    if meal == "lunch" and ground.stays[node] >= HALF_DAY_MIN and course.free < EARLIEST[meal] - 60:
        return False
    if course.free >= _HUNGRY[meal]:
        return True
    start = _starts(frame, course, node, ground)
    return start + ground.stays[node] + _TO_TABLE_MIN > latest_start(
        meal, frame.meal_min(meal, ground)
    )


def _has_evening(frame: Frame, node: int, course: Course, ground: Ground) -> bool:
    """Check whether a dinner nearby leaves enough time to visit a sight in the evening."""
    seated = max(course.free + _TO_TABLE_MIN, EARLIEST["dinner"])
    free = seated + frame.meal_min("dinner", ground)
    start = free + min(_TO_TABLE_MIN, ground.way(course.here, node))
    start += frame.queue(node, start)
    end = start + min(ground.stays[node], _EVENING_MIN)
    return end <= min(frame.latest, frame.closes[node])


def latest_start(meal: str, minutes: int) -> int:
    """Return the latest minute at which a meal of this length can begin."""
    return MEAL_WINDOWS[meal][1] - minutes


def _starts(frame: Frame, course: Course, node: int, ground: Ground) -> int:
    arrives = max(course.free + ground.way(course.here, node), frame.opens[node])
    return _fives(arrives + frame.queue(node, arrives))


def _visit(frame: Frame, course: Course, node: int, ground: Ground) -> bool:
    way = ground.way(course.here, node)
    if (
        not _comes_in(frame, course, node, ground)
        and _is_too_far(way, node, ground)
        and (course.stops or not ground.remote)
    ):
        return False
    start = _starts(frame, course, node, ground)
    queue = start - max(course.free + way, frame.opens[node])
    if queue > _LONG_QUEUE_MIN and not ground.wished[node]:
        return False
    stay = ground.stays[node]
    if start >= EVENING:
        if stay > _STROLL_MIN:
            return False
        stay = min(stay, _EVENING_MIN)
    end, closes = start + stay, frame.closes[node]
    last_entry = closes - _LAST_ENTRY_MIN if closes < _OPEN_LATE else closes
    if end > closes or start > last_entry or end > frame.latest:
        return False
    if start > ground.ceilings.get(node, 1440) and node not in ground.anyway:
        return False
    if end > ground.dusk and not ground.evening[node]:
        return False
    idle = frame.opens[node] - course.free - way
    if course.stops and idle > _PATIENCE_MIN:
        return False
    course.stops.append(OutingStop("attraction", node, None, way, course.free + way, start, end))
    course.travel += way
    course.idle += max(idle, 0) + max(queue, 0)
    if ground.late[node] and start < _EARLY:
        course.idle += _TOO_EARLY_MIN
    course.idle += _BY_DAY_MIN * (node in ground.lit and start < EVENING)
    course.idle += _HEAT_MIN * (node in ground.hot and start < _HEAT[1] and end > _HEAT[0])
    course.idle += _AFTER_NOON_MIN * (node in ground.early and start >= _AFTER_NOON)
    course.free, course.here = end, Here(node)
    return True


def _comes_in(frame: Frame, course: Course, node: int, ground: Ground) -> bool:
    """Check whether a route leads into town.

    A route into town starts at the station or airport, or at a remote place where the party spent
    the morning.
    """
    if not frame.inside or _goes_home(frame, course, node, ground):
        return True
    if (
        frame.number > 1
        or frame.start == frame.end
        or any(s.node is not None for s in course.stops)
    ):
        return False
    return frame.end is None or ground.minutes[node][frame.end] <= _AWAY_MIN


def _goes_home(frame: Frame, course: Course, node: int, ground: Ground) -> bool:
    """Check whether a sight is on the way from a remote sight back to the hotel."""
    if frame.end is None or course.here.node is None or course.here.node == frame.start:
        return False
    home = ground.way(course.here, frame.end)
    return home > _FAR_MIN and (
        ground.way(course.here, node) + ground.minutes[node][frame.end] <= home + _AWAY_MIN
    )


def _is_too_far(way: int, node: int, ground: Ground) -> bool:
    """Check whether a sight is too far away to be worth a visit as short as the planned one."""
    if node in ground.anyway:
        return False
    if way > _FAR_MIN and ground.stays[node] < HALF_DAY_MIN:
        return True
    return way > _AWAY_MIN and ground.stays[node] < _SHORT_MIN and not ground.wished[node]


def _eat(
    frame: Frame, course: Course, meal: str, node: int | None, ground: Ground,
    seater: Seater | None,
) -> bool:  # fmt: skip
    seat = None
    minutes = frame.meal_min(meal, ground)
    way = _TO_TABLE_MIN
    if seater is not None:
        seat = seater(meal, course.here, course.free, node)
        if seat is None:
            return False
        way = seat.minutes
    start = _fives(max(course.free + way, EARLIEST[meal]))
    wait = start - course.free - way
    if start > latest_start(meal, minutes):
        return False
    end = start + minutes
    course.stops.append(OutingStop(meal, None, seat, way, course.free + way, start, end))
    course.travel += way
    course.idle += wait if course.stops else 0
    course.free = end
    if seat is not None:
        course.here = Here(None, seat)
    return True


def _fives(minute: int) -> int:
    return -(-minute // 5) * 5
