"""Defines the records that a sandbox returns. The name of a field ends with the field's unit, if
there is one, and None means unknown.

Cents are hundredths of a unit of the record's ``currency`` (ISO 4217), whichever currency that is.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from warehouse.opening import Hours

Point = tuple[float, float]


@dataclass(frozen=True)
class RoomRecord:
    """A room type of a hotel, with its price per night and the number of free rooms."""

    room_type: str
    price_cents: int | None
    stock: int | None


@dataclass(frozen=True)
class _Located:
    """The fields that all places have.

    ``name`` is the Chinese name or, if unknown, the English name.
    """

    place_id: str
    city: str
    name: str
    name_zh: str | None
    name_en: str | None
    lat: float | None
    lon: float | None

    @property
    def point(self) -> Point | None:
        """Return the latitude and longitude, or None if they are unknown."""
        return None if self.lat is None or self.lon is None else (self.lat, self.lon)


@dataclass(frozen=True)
class Attraction(_Located):
    """An attraction. The price is for one adult, and the durations are for a visit."""

    category: str | None = None
    base_type: str | None = None
    trend_types: tuple[str, ...] = ()
    rating: float | None = None
    grade: str | None = None
    price_cents: int | None = None
    currency: str | None = None
    duration_min_min: int | None = None
    duration_max_min: int | None = None
    hours_osm: str | None = None
    closed_weekdays: frozenset[int] = frozenset()
    hours: Hours | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Restaurant(_Located):
    """A restaurant. The price is per person."""

    cuisine: str | None = None
    rating: float | None = None
    price_cents: int | None = None
    currency: str | None = None
    dishes: tuple[str, ...] = ()
    hours_osm: str | None = None
    is_simulated: bool = False
    hours: Hours | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Hotel(_Located):
    """A hotel. ``price_cents`` is the price of the cheapest room, if any price is known."""

    feature: str | None = None
    hotel_class: str | None = None
    stars: float | None = None
    rating: float | None = None
    price_cents: int | None = None
    currency: str | None = None
    rooms: tuple[RoomRecord, ...] = ()
    is_simulated: bool = False


@dataclass(frozen=True)
class Hub(_Located):
    """A railway station or airport."""


Place = Attraction | Restaurant | Hotel | Hub


@dataclass(frozen=True)
class Near:
    """A place and its distance in metres from the given point."""

    place: Place
    distance_m: float


@dataclass(frozen=True)
class Connection:
    """A direct train or flight. Times are minutes after midnight, and the price is for one seat."""

    kind: str
    connection_id: str
    number: str
    train_type: str | None
    origin_city: str
    destination_city: str
    start: str
    end: str
    departure_min: int
    arrival_min: int
    arrival_day_offset: int
    duration_min: int
    price_cents: int | None
    currency: str | None
    is_simulated: bool


@dataclass(frozen=True)
class Stat:
    """A statistic about a city, with the unit and the number of rows from which it was computed."""

    value: float
    unit: str
    n_rows: int


@dataclass(frozen=True)
class Visit:
    """A stop of a trajectory, with its day and its position within the day, both counted from 1."""

    day: int
    order: int
    poi_id: str
    name: str


@dataclass(frozen=True)
class Reference:
    """A reference trajectory for a query, with its scores.

    ``rank`` is the rank by relevance to the query, and ``quality_rank`` is the rank by the scores;
    1 is best.
    """

    trajectory_id: str
    doc_id: str
    rank: int
    score: float
    length_gap_days: int | None
    n_trip_days: int
    visits: tuple[Visit, ...]
    quality_rank: int | None = None
    poi_popularity: float | None = None
    failure_rate: float | None = None
    repetition_rate: float | None = None
    distance_margin_ratio: float | None = None
    length_m: float | None = None
    optimal_m: float | None = None
    optimum_proven: bool | None = None


@dataclass(frozen=True)
class Query:
    """A query in the snapshot. ``structure`` contains what the query asks for.

    If a query was read from a file, it may have a text in only one of the two languages.
    """

    query_id: str
    city: str
    family: str
    split: str
    status: str
    n_days: int | None
    text_zh: str | None
    text_en: str | None
    structure: Mapping[str, Any] = field(compare=False)


@dataclass(frozen=True)
class FactRecord:
    """A fact about an attraction: its kind, when it applies, and its value."""

    fact_id: str
    place_id: str
    kind: str
    valid_when: str
    value: str
    hours_osm: str | None = None
    price_cents: int | None = None
    currency: str | None = None
    duration_min_min: int | None = None
    duration_max_min: int | None = None
    source_date: dt.date | None = None


@dataclass(frozen=True)
class Context:
    """A season, a holiday or a kind of traveller for which places are ranked by popularity."""

    context_id: str
    kind: str
    name_zh: str
    name_en: str


@dataclass(frozen=True)
class Popular:
    """A place with its rank by popularity, where 1 is the most popular."""

    rank: int
    score: float
    place: Place


def as_json(value: Any) -> Any:
    """Convert records to values that ``json.dumps`` accepts; opening hours become OSM text."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Hours):
        return value.text
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: as_json(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, frozenset | set):
        return sorted(as_json(one) for one in value)
    if isinstance(value, Mapping):
        return {str(key): as_json(one) for key, one in value.items()}
    if isinstance(value, dt.date):
        return value.isoformat()
    return [as_json(one) for one in value]
