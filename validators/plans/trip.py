"""Read the request, party, pace and level of a whole trip from a query of any family.

Only the families ``traveleval`` and ``chinatravel`` state cities, people and a budget. TripTailor's
budget is for one person. TP-RAG and TripScore state neither an origin nor the number of people, so
no journeys to and from the city are planned. ``assumed`` lists the assumptions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from schemas.cities import UnknownCityError, find_city
from schemas.money import YUAN
from schemas.parameters import ATTRACTIONS_A_DAY
from schemas.taxonomy import TRIPTAILOR_CUISINES
from validators.plans.request import (
    FAMILIES,
    Request,
    RequestError,
    Requirement,
    make_requirement,
    request_of,
)

Pace = Literal["slow", "family", "regular", "special_forces"]
#: The paces of the table ``density_baseline``, by the words in queries.
_PACES: dict[str, Pace] = {
    "慢游": "slow",
    "特种兵式": "special_forces",
    "special_forces": "special_forces",
    "relaxed": "slow",
    "moderate": "regular",
    "compact": "special_forces",
    "packed": "special_forces",
}
#: The first and last minute of each part of the day, as we understand TripTailor's words.
_PARTS = {
    "early morning": (300, 540), "late morning": (540, 720), "afternoon": (720, 1080),
    "evening": (1080, 1440),
}  # fmt: skip
#: The seasons, starting with the one that begins in December.
_SEASONS = ("winter", "spring", "summer", "autumn")
#: The months of each occasion that indicates a season.
_MONTHS = {
    "winter": (12, 1, 2), "spring": (3, 4, 5), "summer": (6, 7, 8), "autumn": (9, 10, 11),
    "spring_festival": (1, 2), "qingming": (4,), "labor_day": (5,), "dragon_boat": (6,),
    "mid_autumn": (9,), "national_day": (10,),
}  # fmt: skip
#: The months with hot afternoons.
_HOT = frozenset({7, 8})
#: The type of sights for the evening and the night.
NIGHT_LIFE = "夜经济热点"
#: The number of days and of people if a query does not state them.
_DAYS, _PEOPLE = 3, 2
#: The most sights on a day if the query asks for little effort, for a moderate pace, or for
#: neither.
_LIGHT_STOPS, _MODERATE_STOPS, _NO_LIMIT = 3, 4, 99
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
#: The first weekday of a trip without dates. Travellers can choose Tuesday to Sunday, when museums
#: are open.
_FREE_START = 1
_ANY_START = "no dates: days that begin on a Tuesday"


@dataclass(frozen=True)
class TripRequest:
    """A request with the preferences that a plan should respect.

    ``occasion`` is a season, a holiday or a type of traveller. ``leaves`` and ``returns`` are the
    time ranges in which the journeys should depart. If ``measured`` is True, the query asks for a
    moderate pace. ``objectives`` contains the quantities to maximise or minimise, under
    ChinaTravel's names. ``near`` is the sight that the other sights should be close to.
    """

    request: Request
    pace: Pace = "regular"
    children: bool = False
    seniors: bool = False
    measured: bool = False
    level: Literal["economy", "moderate", "luxury"] | None = None
    effort: Literal["light", "moderate", "strenuous"] = "moderate"
    category: str | None = None
    occasion: str | None = None
    leaves: tuple[int, int] | None = None
    returns: tuple[int, int] | None = None
    objectives: frozenset[str] = frozenset()
    near: str | None = None
    assumed: tuple[str, ...] = ()

    @property
    def gentle(self) -> bool:
        """Whether the party includes children or old people."""
        return self.children or self.seniors

    @property
    def occasions(self) -> tuple[str, ...]:
        """The occasions that sights should suit: the requested one, children and old people."""
        party = ("parent_child",) * self.children + ("senior",) * self.seniors
        told = (self.occasion,) if self.occasion and self.occasion not in party else ()
        return told + party

    @property
    def seasons(self) -> tuple[str, ...]:
        """The season in which a trip to a Chinese city begins, if the query names no occasion."""
        date = self.request.start_date
        if date is None or self.occasion or self.request.currency != YUAN:
            return ()
        return (_SEASONS[date.month % 12 // 3],)

    @property
    def months(self) -> frozenset[int]:
        """The months of a trip to a Chinese city, if the dates or the occasion determine them."""
        if self.request.currency != YUAN:
            return frozenset()
        days = (self.request.date(day) for day in range(1, self.request.days + 1))
        told = frozenset(day.month for day in days if day is not None)
        return told or frozenset(_MONTHS.get(self.occasion or "", ()))

    @property
    def is_hot(self) -> bool:
        """Whether afternoons are too hot to be outdoors.

        On a summer trip, afternoons are too hot; for children and old people, they are too hot in
        all hot months.
        """
        asked = self.occasion == "summer"
        return asked or (self.gentle and bool(self.months & _HOT))

    @property
    def sights_a_day(self) -> int:
        """The maximum number of sights on a full day: the rounded mean for the pace in
        ``density_baseline``.
        """
        mean, _ = ATTRACTIONS_A_DAY[self.pace]
        return int(mean + 0.5)

    @property
    def stops_a_day(self) -> int:
        """The maximum number of sights per day, including the evening.

        The maximum is lower if the query asks for little effort or a moderate pace.
        """
        if self.pace == "special_forces":
            return _NO_LIMIT
        if self.effort == "light":
            return _LIGHT_STOPS
        return _MODERATE_STOPS if self.measured else _NO_LIMIT

    @property
    def nights_out(self) -> bool:
        """Whether a party of adults wants nightlife and therefore has long evenings."""
        return not self.gentle and NIGHT_LIFE in self.list_wished("attraction_type")

    def list_wished(self, kind: str) -> frozenset[str]:
        """Return the values of one kind in the query's requirements and wishes."""
        return frozenset(
            value
            for r in self.request.requirements
            if r.kind == kind and r.mode != "none"
            for value in r.values
        )


def trip_of(row: Mapping[str, Any]) -> TripRequest:
    """Return the trip that a query in any family asks for.

    Raises RequestError if the structure lacks fields that its family requires, or names several
    cities.
    """
    structure = row["structure"]
    if isinstance(structure, str):
        structure = json.loads(structure)
    if row["family"] in FAMILIES:
        return _whole(row, structure)
    read = {"triptailor": _triptailor, "tripscore": _tripscore, "tprag": _tprag}[row["family"]]
    return read(row, structure)


def any_request(row: Mapping[str, Any]) -> Request:
    """Return the request in a query of any family, with the hard requirements of that family.

    Raises RequestError if the structure lacks fields that its family requires, or names several
    cities.
    """
    return trip_of(row).request


def _whole(row: Mapping[str, Any], structure: Mapping[str, Any]) -> TripRequest:
    request = request_of(row)
    assert request is not None, "the family asks for a whole plan"
    party = structure.get("people_composition") or {}
    children, seniors = bool(party.get("children")), bool(party.get("seniors"))
    rhythm = (structure.get("rhythm") or {}).get("preferences") or ()
    pace: Pace = next((_PACES[r] for r in rhythm if r in _PACES), "regular")
    if pace == "regular" and (children or seniors):
        pace = "family"
    aims = {o["name"]: o.get("value") for o in structure.get("objectives") or ()}
    objectives = frozenset(aims)
    if pace == "regular" and "attractions" in objectives:
        pace = "special_forces"
    trip = TripRequest(
        request, pace, children, seniors, objectives=objectives, near=aims.get("near")
    )
    if request.start_date is not None:
        return trip
    free = replace(request, first_weekday=_FREE_START)
    return replace(trip, request=free, assumed=(_ANY_START,))


def _triptailor(row: Mapping[str, Any], structure: Mapping[str, Any]) -> TripRequest:
    """Read a TripTailor query: its days, weekdays and budget are hard requirements, and its
    interests and cuisines are wishes.
    """
    wishes = [make_requirement("budget", "all", (), int(structure["budget"]))]
    wishes += [
        make_requirement("attraction_type", "any", (v,), hard=False) for v in structure["interests"]
    ]
    words = {term.zh: term.words for term in TRIPTAILOR_CUISINES}
    wishes += [
        make_requirement("cuisine", "any", tuple(words.get(value) or (value,)), hard=False)
        for value in structure["cuisines"]
    ]
    request = Request(
        row["query_id"], structure["start_city"], structure["target_city"],
        int(structure["days"]), 1, None, tuple(wishes), first_weekday=_weekday(structure),
    )  # fmt: skip
    return TripRequest(
        request,
        _PACES.get(structure["intensity"], "regular"),
        measured=structure["intensity"] == "moderate",
        leaves=_PARTS.get(structure["departure_part"]),
        returns=_PARTS.get(structure["return_part"]),
        assumed=("one traveller: the budget is one person's", "weekdays without dates"),
    )


def _weekday(structure: Mapping[str, Any]) -> int | None:
    told = structure.get("departure_day")
    return _WEEKDAYS.index(told) if told in _WEEKDAYS else None


def _tripscore(row: Mapping[str, Any], structure: Mapping[str, Any]) -> TripRequest:
    """Read a TripScore query: its destinations and days are hard requirements, and its types,
    level, pace and effort are wishes.
    """
    cities = structure["destinations"]
    if len(cities) != 1:
        raise RequestError(
            f"{row['query_id']}: a plan is for one city, the query names {', '.join(cities)}"
        )
    wishes = _types_wished(structure.get("attraction_types") or ())
    return TripRequest(
        _stay(row, cities[0], int(structure["days"]), wishes),
        _PACES.get(structure["pacing"], "regular"),
        measured=structure["pacing"] == "moderate",
        level=structure["budget"],
        effort=structure["physical_effort"],
        assumed=(
            "no origin: journeys there and back are not planned",
            f"{_PEOPLE} people",
            _ANY_START,
        ),
    )


def _tprag(row: Mapping[str, Any], structure: Mapping[str, Any]) -> TripRequest:
    """Read a TP-RAG query, which has a city, days and a constraint.

    The constraint is a category, a season, a holiday, the party or the pace.
    """
    code, days = structure.get("constraint"), structure.get("days")
    kind = structure.get("constraint_kind")
    children, seniors = code == "parent_child", code == "senior"
    people = {"single": 1, "parent_child": 3}.get(code or "", _PEOPLE)
    assumed = [
        "no origin: journeys there and back are not planned",
        f"{people} {'person' if people == 1 else 'people'}",
        _ANY_START,
    ]
    if days is None:
        assumed.append(f"{_DAYS} days")
    return TripRequest(
        _stay(row, _slug(structure["city"]), days or _DAYS, (), people),
        "family" if children or seniors else _PACES.get(code or "", "regular"), children, seniors,
        category=code if kind == "poi_category" else None,
        occasion=code if kind in ("season", "holiday", "traveller") else None,
        assumed=tuple(assumed),
    )  # fmt: skip


def _stay(
    row: Mapping[str, Any],
    city: str,
    days: int,
    wishes: tuple[Requirement, ...],
    people: int = _PEOPLE,
) -> Request:
    """Return a request for a trip that begins and ends in the city itself."""
    return Request(
        row["query_id"],
        city,
        city,
        days,
        people,
        None,
        wishes,
        round_trip=False,
        first_weekday=_FREE_START,
    )


def _slug(city: str) -> str:
    """Return the slug of a city, or the name in the query if the city is unknown."""
    try:
        return find_city(city).slug
    except UnknownCityError:
        return city


def _types_wished(types: tuple[str, ...] | list[str]) -> tuple[Requirement, ...]:
    return (make_requirement("attraction_type", "any", tuple(types), hard=False),) if types else ()


def unmet_hours(trip: TripRequest, departures: tuple[int, int]) -> tuple[str, ...]:
    """Return notes on journeys that do not leave in the requested part of the day."""
    told = []
    for name, window, minute in zip(
        ("there", "back"), (trip.leaves, trip.returns), departures, strict=True
    ):
        if window is not None and not window[0] <= minute < window[1]:
            asked = next(part for part, span in _PARTS.items() if span == window)
            told.append(
                f"no journey {name} that leaves in the {asked} and arrives on the same day in time"
                " was found"
            )
    return tuple(told)
