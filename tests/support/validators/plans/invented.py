"""An invented city with its connections, and requests for trips to it."""

from __future__ import annotations

import datetime as dt

from schemas.expressions import parse_constraint
from validators.plans.request import Request, Requirement
from validators.plans.world import Journey, Place, Room, World
from warehouse.opening import Hours
from warehouse.ways import Network, Station

HOME, AWAY = "gn1", "gn2"
#: A Wednesday; the days after it are ordinary workdays.
WEDNESDAY = dt.date(2026, 3, 11)


def hours(start: int, end: int, closed: int | None = None) -> Hours:
    """Open every day but one from one minute to another."""
    return Hours(tuple(() if day == closed else ((start, end),) for day in range(7)))


def _place(
    kind: str, name: str, at: tuple[float, float], price: int | None, opens: Hours | None,
    least: int | None = None, types: frozenset[str] = frozenset(),
) -> Place:  # fmt: skip
    most = None if least is None else least * 2
    return Place(kind, f"id-{name}", name, at, types, price, opens, least, most)


def world() -> World:
    """Twelve sights, ten restaurants, three hotels, two hubs and a metro of three stations."""
    sights = [
        _place(
            "attraction", f"sight {n}", (31.30 + n % 4 * 0.012, 120.60 + n // 4 * 0.015),
            n * 1000, hours(510, 1050 - n % 2 * 90, n % 7), 60 + 10 * (n % 3),
            frozenset({"历史古迹" if n % 2 else "自然风光"}),
        )
        for n in range(12)
    ]  # fmt: skip
    food = [
        _place(
            "restaurant",
            f"table {n}",
            (31.305 + n % 5 * 0.008, 120.605 + n // 5 * 0.012),
            3000 + n * 500,
            hours(600, 1170) if n % 2 else hours(360, 1260),
            types=frozenset({"火锅" if n % 2 else "江浙菜"}),
        )
        for n in range(10)
    ]
    hotels = [
        Place(
            "hotel", f"id-inn {n}", f"inn {n}", (31.31 + n * 0.01, 120.61), frozenset(),
            rooms={
                "double": Room(30000 + 5000 * n, 9), "king": Room(28000 + 5000 * n, None),
                "single": Room(20000 + 5000 * n, 5),
            },
        )
        for n in range(3)
    ]  # fmt: skip
    hubs = {"home station": (32.0, 118.8), "west station": (31.33, 120.58)}
    stations = (
        Station("west gate", (31.329, 120.582), 0),
        Station("old town", (31.315, 120.612), 0),
        Station("lake", (31.305, 120.632), 0),
    )
    there, back = ("home station", "west station"), ("west station", "home station")
    journeys = [
        Journey(
            "train", f"G{10 + n}", HOME, AWAY, *there, 420 + 60 * n, 510 + 60 * n, 9950 + 500 * n
        )
        for n in range(4)
    ] + [
        Journey(
            "train", f"G{20 + n}", AWAY, HOME, *back, 960 + 90 * n, 1050 + 90 * n, 9950 + 500 * n
        )
        for n in range(4)
    ]
    by_kind = {"attraction": sights, "restaurant": food, "hotel": hotels}
    return World(
        AWAY, "away", ("away",),
        {kind: {p.name: [p] for p in places} for kind, places in by_kind.items()},
        hubs, Network(stations), journeys, {"home": HOME, "away": AWAY},
    )  # fmt: skip


def request(days: int = 3, people: int = 2, budget: int = 20000) -> Request:
    """A trip from home to away within a budget of whole yuan."""
    expression = parse_constraint(f"plan.cost <= cny({budget})")
    return Request(
        f"q-{days}-{people}", "home", "away", days, people, WEDNESDAY,
        (Requirement("budget", "all", (), budget, expression),),
    )  # fmt: skip
