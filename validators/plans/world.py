"""Read a snapshot's data about a city, so that the names in a plan can be checked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from schemas.cities import UnknownCityError, find_city
from schemas.mainland import MAINLAND
from schemas.money import YUAN
from schemas.taxonomy import BASE_TYPES, CUISINES, HOTEL_FEATURES, TREND_TYPES
from warehouse.facts import CLOSED_DAYS, FACT_COLUMNS, collect_facts, read_closed_weekdays
from warehouse.opening import Hours
from warehouse.read import Snapshot
from warehouse.transit import FARED, TIMED, network_of
from warehouse.ways import Network, Point

#: The number of people in a room of each type.
ROOM_BEDS = {"single": 1, "king": 2, "double": 2, "family": 3}
#: Chinese names by code, by kind of place: ``other`` is the code of a type and of a cuisine.
_ATTRACTION_ZH = {t.code: t.zh for t in (*BASE_TYPES, *TREND_TYPES)}
_CUISINE_ZH = {t.code: t.zh for t in CUISINES}
_FEATURE_ZH = {t.code: t.zh for t in HOTEL_FEATURES}


@dataclass(frozen=True)
class Room:
    """A room type in a hotel, with the price per night and the number of free rooms (None if
    unknown).
    """

    price_cents: int | None
    stock: int | None


@dataclass(frozen=True)
class Place:
    """An attraction, restaurant or hotel; unknown values are None."""

    kind: str
    place_id: str
    name: str
    point: Point | None
    types: frozenset[str]
    price_cents: int | None = None
    hours: Hours | None = None
    least_min: int | None = None
    most_min: int | None = None
    rooms: Mapping[str, Room] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Journey:
    """A train or flight between two cities; the arrival time is in minutes from the start of the
    day of departure.
    """

    kind: str
    number: str
    origin_city: str
    destination_city: str
    start: str
    end: str
    departs_min: int
    arrives_min: int
    price_cents: int | None
    train_type: str | None = None

    @property
    def same_day(self) -> bool:
        """Whether the journey arrives before midnight; plans can contain no other journeys."""
        return self.arrives_min <= 1440


@dataclass(frozen=True)
class World:
    """One city in a snapshot, with the journeys to and from the city.

    Prices are in ``currency``, the currency of the city's country (None if unknown). ``country``
    (ISO 3166-1) determines which public holidays apply.
    """

    city_id: str
    slug: str
    names: tuple[str, ...]
    places: Mapping[str, Mapping[str, Sequence[Place]]]
    hubs: Mapping[str, Point]
    network: Network
    journeys: Sequence[Journey]
    city_ids: Mapping[str, str] = field(default_factory=dict)
    currency: str | None = YUAN
    country: str = MAINLAND

    def city_of(self, name: str) -> str | None:
        """Return the id of a city with this name, or None if the city is unknown."""
        if name in self.city_ids:
            return self.city_ids[name]
        try:
            return find_city(name).city_id
        except UnknownCityError:
            return None

    def find(self, kind: str, name: str) -> Sequence[Place]:
        """Return the places of a kind with this name; there may be several."""
        return self.places[kind].get(name, ())

    def all_of(self, kind: str) -> list[Place]:
        """Return the places of a kind with a unique name, sorted by name."""
        return [found[0] for _, found in sorted(self.places[kind].items()) if len(found) == 1]

    def point(self, name: str) -> Point | None:
        """Return the coordinates of the only hub or place with this name.

        Returns None if no place, or more than one, has this name.
        """
        if name in self.hubs:
            return self.hubs[name]
        found = [p for kind in self.places for p in self.find(kind, name)]
        points = {p.point for p in found}
        return points.pop() if len(points) == 1 else None

    @cached_property
    def journeys_by_number(self) -> Mapping[str, list[Journey]]:
        """The journeys, grouped by train or flight number."""
        found: dict[str, list[Journey]] = defaultdict(list)
        for journey in self.journeys:
            found[journey.number].append(journey)
        return found

    @cached_property
    def points(self) -> Mapping[str, Point]:
        """The coordinates of places by name, for distances in expressions."""
        names = [*self.hubs, *(name for kind in self.places.values() for name in kind)]
        return {name: point for name in names if (point := self.point(name)) is not None}


def city_names(cities: pl.DataFrame) -> dict[str, str]:
    """Map the slugs and names of cities to city ids."""
    return {
        name: row["city_id"]
        for row in cities.to_dicts()
        for name in (row["slug"], row["name_zh"], row["name_en"])
        if name
    }


_NAMED = ("name_zh", "name_en", "lat", "lon")
_PRICE = ("price_cents", "currency")
_TIMES = ("departure_min", "arrival_min", "arrival_day_offset", *_PRICE)
_ENDS = ("origin_city_id", "destination_city_id", "origin_station", "destination_station")
#: The tables from which a city's world is built, with the columns that are read.
OWN: dict[str, tuple[str, ...]] = {
    "pois": ("poi_id", *_NAMED, "base_type", "trend_types", "superseded_by"),
    "poi_facts": (
        "fact_id",
        "poi_id",
        "fact_field",
        "value",
        "valid_when",
        "source_date",
        *FACT_COLUMNS,
    ),
    "restaurants": ("restaurant_id", *_NAMED, "cuisine", *_PRICE, "hours_osm", "hours_weekly"),
    "hotels": ("hotel_id", *_NAMED, "feature", "rooms", "currency"),
    "metro_stations": ("station_id", "line", "sequence", "name", "lat", "lon", *TIMED),
    "metro_edges": ("line", "from_id", "to_id", "distance_m", "ride_s"),
    "metro_fares": FARED,
    "hubs": ("name", "lat", "lon"),
}
CONNECTIONS: dict[str, tuple[str, ...]] = {
    "trains": ("train_id", "train_no", "train_type", *_ENDS, *_TIMES),
    "flights": ("flight_id", "flight_no", *_ENDS, *_TIMES),
}
#: All tables and columns that a world reads. Nothing else can change a plan.
COLUMNS = {
    **OWN,
    **CONNECTIONS,
    "cities": ("city_id", "slug", "name_zh", "name_en", "country_code", "currency"),
}


_LATER = frozenset((*TIMED, "ride_s"))


def read_world(snapshot: Snapshot, city_id: str) -> World:
    """Read the world for a city.

    Raises KeyError if the snapshot does not contain the city.
    """
    cities = snapshot.table("cities")
    slugs = cities.filter(pl.col("city_id") == city_id)["slug"].to_list()
    if not slugs:
        raise KeyError(city_id)
    known = snapshot.tables()
    own = {name: snapshot.table(name, slugs[0]) for name in OWN if name in known}
    return world_of(
        {**own, **{name: snapshot.table(name) for name in CONNECTIONS}}, cities, city_id
    )


def world_of(tables: Mapping[str, pl.DataFrame], cities: pl.DataFrame, city_id: str) -> World:
    """Build the world for a city from the city's tables, with all its journeys.

    Raises KeyError if ``cities`` does not contain the city.
    """
    found = cities.filter(pl.col("city_id") == city_id).to_dicts()
    if not found:
        raise KeyError(city_id)
    city = found[0]
    # Snapshots of before the timetables lack their columns.
    read = {
        name: tables[name].select(
            c for c in columns if c in tables[name].columns or c not in _LATER
        )
        for name, columns in COLUMNS.items()
        if name in tables
    }
    journeys = [
        journey
        for kind, table in (("train", "trains"), ("airplane", "flights"))
        for journey in _journeys(read[table], kind, city)
    ]
    hubs = read.get("hubs")
    return World(
        city_id,
        city["slug"],
        tuple(n for n in (city["slug"], city["name_zh"], city["name_en"]) if n),
        {
            "attraction": _by_name(_attractions(read["pois"], read["poi_facts"], city)),
            "restaurant": _by_name(_restaurants(read["restaurants"], city)),
            "hotel": _by_name(_hotels(read["hotels"], city)),
        },
        {r["name"]: (r["lat"], r["lon"]) for r in hubs.to_dicts()} if hubs is not None else {},
        network_of(
            read["metro_stations"].to_dicts(),
            read["metro_edges"].to_dicts(),
            read["metro_fares"].to_dicts() if "metro_fares" in read else (),
            city["currency"],
        ),
        sorted(journeys, key=lambda j: (j.departs_min, j.arrives_min, j.number, j.start, j.end)),
        city_names(cities),
        city["currency"],
        city["country_code"],
    )


def _by_name(places: Sequence[Place]) -> dict[str, list[Place]]:
    found: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        found[place.name].append(place)
    return dict(found)


def _point(row: Mapping[str, Any]) -> Point | None:
    return None if row["lat"] is None or row["lon"] is None else (row["lat"], row["lon"])


def _types(names: Mapping[str, str], *codes: str | None) -> frozenset[str]:
    return frozenset(names.get(code, code) for code in codes if code)


def _cents(row: Mapping[str, Any], money: str | None) -> int | None:
    """Return a row's price in cents, or None if it is not in the city's currency.

    Plans use the city's currency, and no amount is converted.
    """
    return row.get("price_cents") if money and row.get("currency") == money else None


def _attractions(pois: pl.DataFrame, facts: pl.DataFrame, city: Mapping[str, Any]) -> list[Place]:
    known = collect_facts(facts.iter_rows(named=True), city["currency"])
    return [
        Place(
            "attraction", row["poi_id"], row["name_zh"] or row["name_en"], _point(row),
            _types(_ATTRACTION_ZH, row["base_type"], *row["trend_types"]),
            _cents(fact, city["currency"]),
            Hours.of(
                fact.get("hours_osm"), fact.get("hours_weekly"),
                read_closed_weekdays(fact.get(CLOSED_DAYS)), city["country_code"],
            ),
            fact.get("duration_min_min"), fact.get("duration_max_min"),
        )
        for row in pois.filter(pl.col("superseded_by").is_null()).to_dicts()
        if row["name_zh"] or row["name_en"]
        for fact in (known.get(row["poi_id"], {}),)
    ]  # fmt: skip


def _restaurants(rows: pl.DataFrame, city: Mapping[str, Any]) -> list[Place]:
    return [
        Place(
            "restaurant", row["restaurant_id"], row["name_zh"] or row["name_en"], _point(row),
            _types(_CUISINE_ZH, row["cuisine"]), _cents(row, city["currency"]),
            Hours.of(row["hours_osm"], row["hours_weekly"], country=city["country_code"]),
        )
        for row in rows.to_dicts()
        if row["name_zh"] or row["name_en"]
    ]  # fmt: skip


def _hotels(rows: pl.DataFrame, city: Mapping[str, Any]) -> list[Place]:
    return [
        Place(
            "hotel", row["hotel_id"], row["name_zh"] or row["name_en"], _point(row),
            _types(_FEATURE_ZH, row["feature"]),
            rooms={
                r["room_type"]: Room(
                    _cents({**r, "currency": row["currency"]}, city["currency"]), r["stock"]
                )
                for r in row["rooms"]
            },
        )
        for row in rows.to_dicts()
        if row["name_zh"] or row["name_en"]
    ]  # fmt: skip


def _journeys(rows: pl.DataFrame, kind: str, city: Mapping[str, Any]) -> list[Journey]:
    city_id = city["city_id"]
    concerned = rows.filter(
        (pl.col("origin_city_id") == city_id) | (pl.col("destination_city_id") == city_id)
    )
    number = "train_no" if kind == "train" else "flight_no"
    return [
        Journey(
            kind, row[number], row["origin_city_id"], row["destination_city_id"],
            row["origin_station"], row["destination_station"], row["departure_min"],
            row["arrival_min"] + 1440 * row["arrival_day_offset"], _cents(row, city["currency"]),
            row.get("train_type"),
        )
        for row in concerned.unique(f"{'train' if kind == 'train' else 'flight'}_id").to_dicts()
    ]  # fmt: skip
