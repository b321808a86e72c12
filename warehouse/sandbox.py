"""Answers a planner's questions about places, opening times, routes, connections and queues.

>>> box = Sandbox("snapshots/latest")
>>> box.select("hangzhou", "restaurants", "price_cents", "<", 5000)
>>> box.nearby("hangzhou", "hotels", "杭州东站", k=5)

The sandbox offers all operations of ChinaTravel's environment and some more. Data are read when
they are first needed, and are never written. Many threads can use a sandbox at the same time, and a
sandbox works in forked processes. Pickling a sandbox saves only its path. Unknown values are None
and do not match any comparison.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.cities import AmbiguousCityError, UnknownCityError, find_city
from schemas.geo import arc_m, ellipsoid_xyz
from schemas.money import YUAN, amount_unit
from warehouse.addresses import open_snapshot
from warehouse.columns import PlaceNames, PlaceTable, Rows
from warehouse.errors import SandboxError, nearest_words
from warehouse.knowledge import (
    KINDS,
    TABLE_OF,
    Timetable,
    best,
    read_contexts,
    read_facts,
    read_popularity,
    read_queries,
    read_references,
)
from warehouse.metro import MetroGraph, MetroRoute
from warehouse.moments import Date, Time, date_of, minute_of
from warehouse.places import TABLES, read_places
from warehouse.queueing import Queues
from warehouse.read import Snapshot
from warehouse.records import (
    Connection,
    Context,
    FactRecord,
    Near,
    Place,
    Point,
    Popular,
    Query,
    Reference,
    RoomRecord,
    Stat,
)
from warehouse.transit import Transit, network_of
from warehouse.ways import MODES, Leg, Mode, Network, Station

T = TypeVar("T")
Where = str | Point | Place
#: Longest name, in characters, that is looked up among the world's cities.
_LONGEST_NAME = 80
_PID = os.getpid()


class Sandbox:
    """An open snapshot, in a folder or at an address such as ``s3://bucket/snapshots/latest``.

    Raises SnapshotError if there is no snapshot, and StorageError if the address cannot be read.
    """

    def __init__(self, path: str | Path):
        self.path = open_snapshot(path).resolve()
        self._snapshot = Snapshot(self.path)
        self._held: dict[Any, Any] = {}
        rows = self._snapshot.arrow("cities").to_pylist()
        self._slugs = {row["city_id"]: row["slug"] for row in rows}
        self._ids = {row["slug"]: row["city_id"] for row in rows}
        self._countries = {row["slug"]: str(row["country_code"]) for row in rows}
        self._currencies: dict[str, str | None] = {row["slug"]: row["currency"] for row in rows}
        self._cities = {
            str(name).casefold(): row["slug"]
            for row in rows
            for name in (row["city_id"], row["name_en"], row["name_zh"], row["slug"])
            if name
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return Sandbox, (str(self.path),)

    def __repr__(self) -> str:
        return f"Sandbox({self.path.name}: {', '.join(sorted(self._ids))})"

    def hold(self) -> Snapshot:
        """Keep the snapshot's files in memory, so that the files on disk may be replaced."""
        self._snapshot.hold()
        return self._snapshot

    def _once(self, key: Any, make: Callable[[], T]) -> T:
        """Return the result of ``make``, and keep it for later calls.

        There is no lock: if two threads call ``make``, one of the results is kept.
        """
        if key not in self._held:
            self._held.setdefault(key, make())
        found: T = self._held[key]
        return found

    # --- cities and places ---------------------------------------------------------------

    @property
    def cities(self) -> tuple[str, ...]:
        """Return the slugs of all cities, sorted."""
        return tuple(sorted(self._ids))

    def city(self, name: str) -> str:
        """Return the slug of a city, given by any name that ``find_city`` accepts.

        Raises SandboxError if the sandbox does not contain the city.
        """
        known = self._cities.get(name.casefold()) or self._cities.get(name.removesuffix("市"))
        slug = known or self._city_of_the_world(name)
        if slug is None:
            near = nearest_words(name.casefold(), self._cities)
            raise SandboxError(
                f"the sandbox has no city {name!r}; it has {', '.join(self.cities)}", near
            )
        return str(slug)

    def _city_of_the_world(self, name: str) -> str | None:
        """Look up a name among the cities of the world.

        Return the slug, or None if the name is ambiguous or the sandbox does not contain the city.
        """
        if len(name) > _LONGEST_NAME:
            return None
        try:
            return self._slugs.get(find_city(name).city_id)
        except UnknownCityError:
            return None

    def currency(self, city: str) -> str | None:
        """Return the local currency of a city (ISO 4217); individual records may use others."""
        return self._currencies[self.city(city)]

    def table(self, city: str, table: str) -> PlaceTable:
        """Return the columns of ``attractions``, ``restaurants``, ``hotels`` or ``hubs``.

        Raises SandboxError if the city or the table is unknown.
        """
        slug = self.city(city)
        if table not in TABLES:
            raise SandboxError(
                f"there is no table {table!r}", nearest_words(table, TABLES) or TABLES
            )
        return self._once(
            (table, slug),
            lambda: read_places(
                self._snapshot, table, slug, self.currency(slug), self._countries[slug]
            ),
        )

    def fields(self, city: str, table: str) -> dict[str, str]:
        """Return the fields by which places can be selected, with the fields' types."""
        return {field.name: str(field.type) for field in self.table(city, table).arrow().schema}

    def select(
        self, city: str, table: str, where: Any = None, op: Any = None, value: Any = None
    ) -> Rows[Place]:
        """Return the places of a table that match a predicate, in the order of the table.

        The predicate can be a field, an operator (``==  !=  <  <=  >  >=  in  contains  known
        unknown``) and a value; a field and a function of its value; a function of the record; or a
        polars or Arrow expression over ``fields``. Without a predicate, the method returns all
        places. Raises SandboxError, which suggests similar names, if the city, table, field or
        operator is unknown.
        """
        held = self.table(city, table)
        if where is None:
            return held.rows(np.arange(len(held)))
        if isinstance(where, str):
            if callable(op):
                numbers = [n for n, one in enumerate(_plain(held.values(where))) if op(one)]
                return held.rows(np.array(numbers, np.int64))
            return held.rows(held.where(where, op or "==", value))
        if isinstance(where, pl.Expr):
            return held.rows(self._by_polars(city, table, where))
        if isinstance(where, pc.Expression):
            return held.rows(self._by_arrow(held, where))
        if callable(where):
            chosen = [n for n in range(len(held)) if where(held.record(n))]
            return held.rows(np.array(chosen, np.int64))
        raise SandboxError(
            f"{where!r} is not a predicate: give a field, a function or an expression"
        )

    @staticmethod
    def _by_arrow(held: PlaceTable, where: pc.Expression) -> NDArray[np.int64]:
        numbered = held.arrow().append_column("#", pa.array(np.arange(len(held))))
        try:
            kept = numbered.filter(where)
        except pa.ArrowInvalid as error:
            raise SandboxError(
                f"the expression cannot be used on the table: {error}", held.fields
            ) from None
        return np.asarray(kept.column("#").to_numpy())

    def _by_polars(self, city: str, table: str, where: pl.Expr) -> Any:
        if os.getpid() != _PID:
            raise SandboxError(
                "polars cannot work in a forked process: select by a field, an operator and a"
                " value, or start processes with spawn"
            )
        frame = self.frame(city, table)
        try:
            # Polars returns the row numbers directly, which saves a step; unknown counts as false.
            kept = frame.select(where.arg_true()).to_series()
        except pl.exceptions.ColumnNotFoundError as error:
            raise SandboxError(f"there is no such field: {error}", tuple(frame.columns)) from None
        except pl.exceptions.PolarsError as error:
            raise SandboxError(
                f"the expression is not a predicate: {error}", tuple(frame.columns)
            ) from None
        return kept.to_numpy().astype(np.int64)

    def frame(self, city: str, table: str) -> pl.DataFrame:
        """Return a table as a polars frame."""
        slug = self.city(city)
        return self._once(
            ("frame", table, slug), lambda: pl.DataFrame(self.table(slug, table).arrow())
        )

    def types(self, city: str) -> dict[str, int]:
        """Return the codes of a city's attraction types, and the number of attractions for each."""
        return _counts(self.table(city, "attractions"), "types")

    def cuisines(self, city: str) -> dict[str, int]:
        """Return the codes of a city's cuisines, and the number of restaurants for each."""
        return _counts(self.table(city, "restaurants"), "cuisine")

    def find(self, city: str, name: str, table: str | None = None) -> Place:
        """Find a place by its id, Chinese or English name, or alias, ignoring case and accents.

        Raises SandboxError, which suggests similar names, if no place has this name. Raises
        SandboxError, which lists the ids, if several places have this name.
        """
        slug = self.city(city)
        names = self._once(("names", slug), lambda: self._names(slug))
        found = names.hits(name, table)
        if not found:
            shown = f"{slug} has no place {name!r}" + (f" in {table}" if table else "")
            raise SandboxError(shown, names.near(name, table))
        places = list(dict.fromkeys(self.table(slug, kind).record(n) for kind, n in found))
        if len(places) > 1:
            ids = tuple(place.place_id for place in places)
            raise SandboxError(f"{slug} has {len(places)} places called {name!r}: give an id", ids)
        return places[0]

    def _names(self, slug: str) -> PlaceNames:
        tables = {kind: self.table(slug, kind) for kind in TABLES}
        return PlaceNames(tables, self._snapshot.arrow("poi_aliases", slug))

    def point(self, city: str, where: Where) -> Point:
        """Return the coordinates of a place, of a named place or of a point.

        Raises SandboxError if the coordinates are unknown.
        """
        return self._end(city, where)[1]

    def _end(self, city: str, where: Where) -> tuple[str, Point]:
        if isinstance(where, tuple):
            lat, lon = where
            if not (-90 <= lat <= 90 and -180 <= lon <= 180):
                raise SandboxError(f"{where} is not a point on the globe; give the latitude first")
            return f"{lat:.6f},{lon:.6f}", (float(lat), float(lon))
        place = self.find(city, where) if isinstance(where, str) else where
        if place.point is None:
            raise SandboxError(f"the coordinates of {place.name} are unknown")
        return place.name, place.point

    def nearby(
        self,
        city: str,
        table: str,
        where: Where,
        k: int | None = None,
        radius_m: float | None = None,
    ) -> Rows[Near]:
        """Return the places around a place or point, nearest first, with their distances.

        If both ``k`` and ``radius_m`` are given, the result contains at most ``k`` places within
        the radius. Without a limit, the result contains all places within 2 km. The result also
        contains the place itself. Raises SandboxError if a limit is not positive or if the place is
        unknown.
        """
        if (k is not None and k < 1) or (radius_m is not None and not radius_m >= 0):
            raise SandboxError(
                f"k must be at least 1 and radius_m at least 0, not {k} and {radius_m}"
            )
        held = self.table(city, table)
        radius = 2_000.0 if k is None and radius_m is None else radius_m
        return held.near(self.point(city, where), k, radius)

    # --- time ----------------------------------------------------------------------------

    def is_open(self, city: str, where: str | Place, date: Date, time: Time) -> bool | None:
        """Check whether a place is open at a time on a date, including public holidays.

        At its closing time, a place counts as closed. Returns None if the hours are unknown, for
        example on a public holiday that the hours do not mention (see ``warehouse.opening``). If
        the place is known to be closed on the weekday of the date, the result is always False.
        """
        place = self.find(city, where) if isinstance(where, str) else where
        day, minute = date_of(date), minute_of(time)
        if day.weekday() in getattr(place, "closed_weekdays", ()):
            return False
        hours = getattr(place, "hours", None)
        if hours is None:
            return None
        spans = hours.on(day)
        return None if spans is None else any(opens <= minute < closes for opens, closes in spans)

    def queue_minutes(
        self, city: str, where: str | Place, date: Date, time: Time, grade: str | None = None
    ) -> float | None:
        """Return the queueing time at an attraction in minutes, or None if it is unknown.

        ``where`` is a place, its name, or the code of a base type of attraction. The values come
        from TravelEval, table A5 (see ``warehouse.queueing``).
        """
        queues = self._once(
            "queues", lambda: Queues.of(self._snapshot.arrow("queue_parameters").to_pylist())
        )
        if grade is not None and grade not in queues.date_factor:
            raise SandboxError(
                f"there is no date grade called {grade!r}", tuple(queues.date_factor)
            )
        kind = where if isinstance(where, str) and where in queues.base_min else None
        if kind is None:
            place = self.find(city, where, "attractions") if isinstance(where, str) else where
            kind = getattr(place, "base_type", None)
        return queues.minutes(
            kind, date_of(date), minute_of(time), grade, self._countries[self.city(city)]
        )

    # --- ways ----------------------------------------------------------------------------

    def goto(
        self, city: str, start: Where, end: Where, depart: Time, mode: Mode
    ) -> tuple[Leg, ...] | None:
        """Return the legs of a route from one place to another.

        Times, distances and fares follow ChinaTravel's published rules (see ``warehouse.ways``).
        Prices are per person (metro) or per car (taxi). ChinaTravel's rules give fares in yuan,
        so fares are unknown in a city with a different currency. If a timetable is known, ``metro``
        means the fastest ride by the timetable, with the fare from the timetable's source. Returns
        None if the metro does not connect the two places. Raises SandboxError if a place or the
        mode is unknown.
        """
        if mode not in MODES:
            raise SandboxError(f"there is no mode of transport called {mode!r}", MODES)
        slug = self.city(city)
        network = self._network(slug)
        legs = network.way(self._end(slug, start), self._end(slug, end), minute_of(depart), mode)
        return None if legs is None else tuple(legs)

    def metro_route(self, city: str, start: Where, end: Where) -> MetroRoute | None:
        """Return the fastest metro route between the stations nearest to two places.

        The route lists all stations and changes, and gives the length of the track, the time and
        the fare. Returns None if there is no connection, or if both places have the same nearest
        station.
        """
        first, last = self.station(city, start), self.station(city, end)
        if first is None or last is None:
            return None
        slug = self.city(city)
        table = self._network(slug).timetable
        if isinstance(table, Transit):
            return table.route(first[0].station_id, last[0].station_id)
        graph = self._once(
            ("graph", slug), lambda: MetroGraph(*self._metro(slug), self.currency(slug) == YUAN)
        )
        return graph.route(first[0].station_id, last[0].station_id)

    def metro_lines(self, city: str) -> tuple[tuple[str, tuple[tuple[str, Point], ...]], ...]:
        """Return each metro line with the names and coordinates of its stations, in order."""
        lines: dict[str, list[tuple[str, Point]]] = {}
        rows = sorted(self._metro(self.city(city))[0], key=lambda r: (r["line"], r["sequence"]))
        for row in rows:
            lines.setdefault(row["line"], []).append((row["name"], (row["lat"], row["lon"])))
        return tuple((line, tuple(stops)) for line, stops in lines.items())

    def station(self, city: str, where: Where) -> tuple[Station, float] | None:
        """Return the nearest metro station and its distance in metres, or None if there are no
        stations.
        """
        return self._network(self.city(city)).nearest(self.point(city, where))

    def _network(self, slug: str) -> Network:
        return self._once(
            ("network", slug),
            lambda: network_of(*self._metro(slug), self._fares(slug), self.currency(slug)),
        )

    def _fares(self, slug: str) -> list[dict[str, Any]]:
        if "metro_fares" not in self._snapshot.tables():
            return []
        fares: list[dict[str, Any]] = self._snapshot.arrow("metro_fares", slug).to_pylist()
        return fares

    def _metro(self, slug: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        return self._once(
            ("metro", slug),
            lambda: (
                self._snapshot.arrow("metro_stations", slug).to_pylist(),
                self._snapshot.arrow("metro_edges", slug).to_pylist(),
            ),
        )

    def distance_matrix(self, city: str, places: Sequence[Where]) -> NDArray[np.float64]:
        """Return the straight-line distances in metres between all places, as a matrix."""
        points = np.array([self.point(city, place) for place in places]).reshape(-1, 2)
        xyz = ellipsoid_xyz(points[:, 0], points[:, 1])
        return arc_m(np.linalg.norm(xyz[:, None, :] - xyz[None, :, :], axis=-1))

    def intercity(
        self, origin: str, destination: str, kind: str = "train", earliest: Time = 0
    ) -> Rows[Connection]:
        """Return the direct trains (``train``) or flights (``airplane``) from ``earliest`` on.

        The connections are sorted by departure. One of the two cities may be outside the sandbox.
        Raises SandboxError if the kind or a city is unknown.
        """
        if kind not in KINDS:
            raise SandboxError(f"there is no kind of connection called {kind!r}", KINDS)
        key = kind, self._any_city(origin), self._any_city(destination)
        return self._once(key, lambda: self._timetable(*key)).after(minute_of(earliest))

    def _timetable(
        self, kind: str, origin: tuple[str, str], destination: tuple[str, str]
    ) -> Timetable:
        table = self._snapshot.arrow(TABLE_OF[kind], f"{origin[1]}--{destination[1]}")
        slugs = {**self._slugs, origin[0]: origin[1], destination[0]: destination[1]}
        return Timetable(table, kind, slugs)

    def _any_city(self, name: str) -> tuple[str, str]:
        """Return the id and slug of a city, which may be outside the sandbox."""
        slug = self._cities.get(name.casefold())
        if slug is not None:
            return self._ids[slug], slug
        try:
            city = find_city(name)
        except AmbiguousCityError as error:
            raise SandboxError(
                f"{name!r} does not say which city is meant", error.nearest
            ) from None
        except UnknownCityError as error:
            raise SandboxError(f"no city is called {name!r}", error.nearest) from None
        return city.city_id, city.slug

    def best_trajectories(
        self, query_id: str, m: int | None = None, by: str = "quality"
    ) -> tuple[Reference, ...]:
        """Return the best ``m`` reference trajectories for a query (all by default), best first.

        ``by`` is ``quality`` (TP-RAG's rule metrics) or ``relevance`` to the query. Raises
        SandboxError, which suggests similar ids, if the query is unknown.
        """
        slug = self.query(query_id).city
        held = self._once(("references", slug), lambda: read_references(self._snapshot, slug))
        return best(held.get(query_id, ()), m, by)

    # --- queries, facts, popularity --------------------------------------------------------

    def queries(
        self, city: str | None = None, family: str | None = None, split: str | None = None
    ) -> tuple[Query, ...]:
        """Return the queries, sorted by id, optionally only for one city, family or split.

        Raises SandboxError if the city, family or split is unknown.
        """
        slug = None if city is None else self.city(city)
        every = self._queries().values()
        for field, asked in (("family", family), ("split", split)):
            known = {getattr(query, field) for query in every}
            if asked is not None and asked not in known:
                raise SandboxError(f"no query has the {field} {asked!r}", tuple(sorted(known)))
        return tuple(
            query for query in every
            if slug in (None, query.city) and family in (None, query.family)
            and split in (None, query.split)
        )  # fmt: skip

    def query(self, query_id: str) -> Query:
        """Return one query.

        Raises SandboxError, which suggests similar ids, if the query is unknown.
        """
        held = self._queries()
        if query_id not in held:
            raise SandboxError(f"there is no query {query_id!r}", nearest_words(query_id, held))
        return held[query_id]

    def _queries(self) -> dict[str, Query]:
        return self._once("queries", lambda: read_queries(self._snapshot, self._slugs))

    def facts(self, city: str, where: str | Place) -> tuple[FactRecord, ...]:
        """Return all facts about an attraction, such as hours and prices, with their validity."""
        slug = self.city(city)
        place = self.find(slug, where, "attractions") if isinstance(where, str) else where
        held = self._once(("facts", slug), lambda: read_facts(self._snapshot, slug))
        return held.get(place.place_id, ())

    def rooms(self, city: str, hotel: str | Place) -> tuple[RoomRecord, ...]:
        """Return the room types of a hotel, with prices per night and numbers of free rooms."""
        place = self.find(city, hotel, "hotels") if isinstance(hotel, str) else hotel
        return getattr(place, "rooms", ())

    def contexts(self, city: str) -> tuple[Context, ...]:
        """Return the seasons, holidays and kinds of traveller that ``popular`` accepts."""
        slug = self.city(city)
        return self._once(("contexts", slug), lambda: read_contexts(self._snapshot, slug))

    def popular(self, city: str, context: str = "any:any") -> tuple[Popular, ...]:
        """Return the places ranked for a context, with the most popular place first.

        Raises SandboxError if the city has no ranking for the context.
        """
        slug = self.city(city)
        held = self._once(("popular", slug), lambda: read_popularity(self._snapshot, slug))
        if context not in held:
            near = nearest_words(context, held) or tuple(held)
            raise SandboxError(f"{slug} has no ranking for the context {context!r}", near)
        return tuple(
            Popular(rank, score, self.find(slug, place, "attractions"))
            for rank, place, score in held[context]
        )

    def city_stats(self, city: str, currency: str | None = None) -> Mapping[str, Stat]:
        """Return a city's statistics, such as counts and quantiles of prices, each with its name.

        Prices are in hundredths of the local currency or, if given, of ``currency``.
        """
        slug = self.city(city)
        unit = amount_unit(currency or self.currency(slug) or "")
        return self._once(
            ("stats", slug, unit),
            lambda: {
                row["metric"]: Stat(row["metric_value"], row["unit"], row["n_rows"])
                for row in self._snapshot.arrow("city_stats", slug).to_pylist()
                if row["unit"] == unit or not row["unit"].startswith(amount_unit(""))
            },
        )


def _plain(values: Any) -> Any:
    """Convert an array to a list with None for unknown numbers; leave other values unchanged."""
    if isinstance(values, np.ndarray):
        return [None if math.isnan(one) else one for one in values.tolist()]
    return values


def _counts(held: PlaceTable, field: str) -> dict[str, int]:
    return {key: len(rows) for key, rows in sorted(held.index(field).items())}
