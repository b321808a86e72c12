"""What a sandbox answers: frozen records, units in the names, None for unknown.

Cents are hundredths of the unit of the record's ``currency`` (ISO 4217), whatever it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from warehouse.opening import Hours

Point = tuple[float, float]


@dataclass(frozen=True)
class Room:
    """A room type of a hotel: cents a night in the hotel's currency, and rooms free."""

    room_type: str
    price_cents: int | None
    stock: int | None


@dataclass(frozen=True)
class _Located:
    """What all places have: WGS 84 degrees, and the Chinese or else the English name."""

    place_id: str
    city: str
    name: str
    name_zh: str | None
    name_en: str | None
    lat: float | None
    lon: float | None

    @property
    def point(self) -> Point | None:
        """Latitude and longitude; None where unknown."""
        return None if self.lat is None or self.lon is None else (self.lat, self.lon)


@dataclass(frozen=True)
class Attraction(_Located):
    """A sight: types are codes, price is cents an adult, a visit takes minutes."""

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
    """A restaurant: cents a head."""

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
    """A hotel; ``price_cents`` is that of its cheapest room of known price."""

    feature: str | None = None
    hotel_class: str | None = None
    stars: float | None = None
    rating: float | None = None
    price_cents: int | None = None
    currency: str | None = None
    rooms: tuple[Room, ...] = ()
    is_simulated: bool = False


@dataclass(frozen=True)
class Hub(_Located):
    """A railway station or airport."""


Place = Attraction | Restaurant | Hotel | Hub


@dataclass(frozen=True)
class Near:
    """A place and the metres to it, straight on the ellipsoid."""

    place: Place
    distance_m: float


@dataclass(frozen=True)
class Connection:
    """A direct train or flight: minutes after midnight of the day of departure, cents a seat."""

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
    """A figure of a city, its unit and the rows behind it."""

    value: float
    unit: str
    n_rows: int


@dataclass(frozen=True)
class Visit:
    """A stop of a trajectory: the day counted from 1, and its order within the day."""

    day: int
    order: int
    poi_id: str
    name: str


@dataclass(frozen=True)
class Reference:
    """A reference trajectory of a query. Scores are shares and ratios, lengths metres.

    ``rank`` is that by relevance to the query, ``quality_rank`` that by the scores; 1 is best.
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
