"""A town of few places on the equator, and trips through it, for metrics counted by hand."""

from __future__ import annotations

import datetime as dt
from typing import Any

from schemas.trips import Claims, Event, Rooms, Trip, TripDay, Way
from validators.metrics.case import AskedTrip, Case, WishedValues
from validators.metrics.guide import Guide
from validators.plans.world import Journey, Place, World
from warehouse.opening import Hours
from warehouse.queueing import Queues
from warehouse.ways import Network

ALL = frozenset({"costs", "hotels", "journeys", "ways", "times"})
#: A Wednesday without holidays around it.
WEDNESDAY = dt.date(2026, 3, 11)
QUEUES = Queues(
    {"museum_memorial": 10.0}, {"D:weekday": 1.0, "B:weekend": 7.55},
    {"08:00-10:00": 0.85, "10:00-12:00": 0.9, "12:00-16:00": 1.1, "16:00-20:00": 1.1},
    ("B:weekend", "D:weekday"),
)  # fmt: skip


def place(kind: str, name: str, lon: float | None, **known: Any) -> Place:
    """A place on the equator; a thousandth of a degree is about 111 metres."""
    point = None if lon is None else (0.0, lon)
    return Place(kind, f"id {name}", name, point, known.pop("types", frozenset()), **known)


def open_all_week(start: int, end: int) -> Hours:
    """Open every day from one minute to another."""
    return Hours(tuple(((start, end),) for _ in range(7)))


PLACES = (
    place(
        "attraction",
        "museum",
        0.00,
        types=frozenset({"博物馆/纪念馆"}),
        hours=open_all_week(540, 1020),
        least_min=60,
        most_min=120,
        price_cents=5000,
    ),
    place(
        "attraction",
        "garden",
        0.02,
        types=frozenset({"园林", "网红打卡点"}),
        hours=open_all_week(480, 1080),
        least_min=30,
        most_min=60,
    ),
    place("attraction", "tower", 0.01, types=frozenset({"园林"}), least_min=30, most_min=90),
    place("attraction", "mount 山", 0.40, types=frozenset({"自然风光"})),
    place("restaurant", "table", 0.005, types=frozenset({"火锅"}), price_cents=6000),
    place("restaurant", "bench", 0.006, types=frozenset({"川菜"}), price_cents=4000),
    place("hotel", "inn", 0.0, types=frozenset({"茶室"})),
    place("hotel", "lodge", 0.1, types=frozenset({"温泉"})),
)
JOURNEYS = (
    Journey("train", "G1", "gn1", "gn2", "home station", "away station", 480, 600, 10000),
    Journey("train", "G2", "gn2", "gn1", "away station", "home station", 1080, 1200, 10000),
)


def guide(**changed: Any) -> Guide:
    """The town with ratings, stars and queues."""
    kinds = ("attraction", "restaurant", "hotel")
    places = {kind: {p.name: [p] for p in PLACES if p.kind == kind} for kind in kinds}
    hubs = {"home station": (1.0, 1.0), "away station": (0.0, 0.03)}
    world = World(
        "gn2", "away", ("away",), places, hubs, Network(), JOURNEYS, {"home": "gn1", "away": "gn2"}
    )
    known: dict[str, Any] = {
        "ratings": {"id museum": 4.0, "id garden": 5.0, "id tower": 3.0},
        "stars": {"id inn": 2, "id lodge": 5},
        "base_types": {"id museum": "museum_memorial"},
        "queues": QUEUES,
        "density": {"regular": 3.54, "slow": 2.0, "family": 2.75, "special_forces": 6.0},
    }
    return Guide(world, **(known | changed))


def visit(name: str, start: int | None, end: int | None, day: int = 1, **known: Any) -> Event:
    """A visit to an attraction."""
    return Event(day, "attraction", name, start, end, **known)


def meal(name: str, start: int, end: int, day: int = 1, **known: Any) -> Event:
    """Lunch."""
    return Event(day, "lunch", name, start, end, **known)


def night(name: str, day: int = 1) -> Event:
    """The night at the end of a day."""
    return Event(day, "accommodation", name, 1200, 1439)


def ride(name: str, start: int, end: int, **known: Any) -> Event:
    """A journey by fast train to a station."""
    told: dict[str, Any] = {"price": 100.0, "tickets": 2.0, "vehicle": "高铁"} | known
    return Event(0, "train", name, start, end, **told)


def taxi(cost: float, cars: float = 1, minutes: int = 10) -> Way:
    """A way by taxi."""
    return Way("taxi", minutes, cost, seats=4.0, cars=cars)


def day(number: int, *events: Event, start: str = "inn", ending: Event | None = None) -> TripDay:
    """A day that starts at the inn."""
    return TripDay(number, start, events, ending)


def trip(*days: TripDay, **changed: Any) -> Trip:
    """A trip for two from home, there and back by train, nights in one double room."""
    told: dict[str, Any] = {
        "form": "traveleval",
        "people": 2,
        "start_city": "home",
        "target_city": "away",
        "hotel": "inn",
        "rooms": (Rooms("double", 1, 300.0, len(days) - 1),) if len(days) > 1 else (),
        "nights": float(len(days) - 1),
        "journeys": (ride("away station", 480, 600), ride("home station", 1080, 1200)),
        "claims": Claims(len(days), (), None, within_budget=True),
    }
    return Trip(days=days, tells=ALL, **(told | changed))


def case(*days: TripDay, asked: AskedTrip | None = None, **changed: Any) -> Case:
    """A case of a trip for two, on ordinary workdays."""
    usual = AskedTrip(days=len(days), people=2, start_date=WEDNESDAY)
    return Case(trip(*days, **changed), guide(), asked or usual)


def wishes(
    category: str, wanted: tuple[str, ...] = (), excluded: tuple[str, ...] = (), days: int = 1
) -> AskedTrip:
    """A query for two with wishes in one category."""
    return AskedTrip(
        days=days, people=2, start_date=WEDNESDAY, wishes={category: WishedValues(wanted, excluded)}
    )
