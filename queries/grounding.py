"""Find the tags, places, origins and prices in a city's tables that are suitable for queries."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import polars as pl

from queries.plausible import unseen
from schemas.cities import City, find_city
from schemas.geo import geodesic_m
from schemas.hours import weekly_spans
from schemas.money import YUAN
from schemas.seasons import NORTHERN_MONTHS, season_months
from schemas.taxonomy import BASE_TYPES, CUISINES, HOTEL_FEATURES, TREND_TYPES, Term
from schemas.word_lists import Lists

#: A query may ask for a tag if at least this many rows of the city's tables have it.
MINIMUM_ROWS = 3
#: Tags that are too vague to ask for.
VAGUE = frozenset({"other", "other_chinese"})
#: Number of places of each kind that a query may name; those with the best ratings are chosen.
NAMES_TO_CHOOSE = 60
#: Number of people that a named hotel must have room for, and number of beds by room type.
PARTY = 4
_BEDS = {"single": 1, "king": 2, "double": 2, "family": 3}
#: Shortest distance in metres for which flights are assumed if there is no table of flights.
LEAST_FLIGHT_M = 600_000
_WITHOUT_AIRPORT = frozenset(Lists("queries").words("without_airport"))
#: Cuisines of restaurants where nobody plans a meal, and words in the names of such restaurants.
_NO_MEAL = {
    of: tuple(word for kind, word, _ in Lists("queries").table("no_meals") if kind == of)
    for of in ("cuisine", "name")
}
#: The form of English names that can be used in a sentence.
_NAME_EN = r"^[A-Z][A-Za-z0-9'’&-]*(?: [A-Za-z0-9'’&-]+){1,7}$"
#: The form of the numbers of high-speed trains, which begin with G, D or C.
_FAST = r"^[GDC]"
#: A Monday near the middle of each month.
_MIDDLE = {
    month: dt.date(2026, month, 15) - dt.timedelta(days=dt.date(2026, month, 15).weekday())
    for month in range(1, 13)
}
#: Opening hours that depend on the season contain one of these words.
_MONTH = re.compile(r"Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|week|easter")


@dataclass(frozen=True)
class Origin:
    """A city where a trip can start, with the lowest price per person for the round trip."""

    city: City
    by_train: bool
    by_flight: bool
    round_trip_cents: int


@dataclass(frozen=True)
class Offer:
    """Everything that queries about a destination may ask for; amounts are in hundredths of
    ``currency``.
    """

    features: tuple[str, ...]
    cuisines: tuple[str, ...]
    types: tuple[str, ...]
    origins: tuple[Origin, ...]
    room_cents: int
    meal_cents: int
    attractions: tuple[str, ...] = ()
    restaurants: tuple[str, ...] = ()
    hotels: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    by_season: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    currency: str = YUAN
    sights: int = 0
    names_en: Mapping[str, str] = field(default_factory=dict)

    def types_in(self, season: str | None) -> tuple[str, ...]:
        """Return the types of the attractions that are open in a season, or all types if this is
        not known.
        """
        return self.by_season.get(season or "", self.types)


@dataclass(frozen=True)
class Destination:
    """A destination, with everything that queries about it may ask for.

    If queries may ask for more than the tables contain, ``shown`` holds what the tables contain. A
    destination without tables is not ``grounded``.
    """

    city: City
    offer: Offer
    grounded: bool = True
    shown: Offer | None = None

    @property
    def tables(self) -> Offer | None:
        """Return the contents of the tables, or None if there are no tables."""
        return (self.shown or self.offer) if self.grounded else None

    def lacks(self, tags: Iterable[str], origin: Origin | None = None) -> list[str]:
        """Return the tags that are missing from all tables; ways to travel also count as tags."""
        held = self.tables
        known: set[str] = set()
        if held:
            known = {*held.features, *held.cuisines, *held.types}
            known |= {*held.attractions, *held.restaurants, *held.hotels}
            for other in held.origins:
                if origin and other.city.city_id == origin.city.city_id:
                    known |= {
                        t for t, ok in (("高铁", other.by_train), ("飞机", other.by_flight)) if ok
                    }
        return list(dict.fromkeys(tag for tag in tags if tag not in known))

    def status(self, ungrounded: Sequence[str] = ()) -> str:
        """Return the status of a query; ``ungrounded`` lists the tags in the query that no table
        contains.
        """
        return "kept" if self.grounded and not ungrounded else "ungrounded"


def offer_published(city: City, origins: Sequence[City]) -> Offer:
    """Return what queries may ask for in a city without tables: the published tags, and all other
    cities as origins.

    Tags that only some cities can have, such as a view of the sea, are left out.
    """
    rare = unseen()
    return Offer(
        features=tuple(term.zh for term in HOTEL_FEATURES if term.zh not in rare),
        cuisines=tuple(term.zh for term in CUISINES if term.code not in VAGUE),
        types=tuple(
            t.zh for t in (*BASE_TYPES, *TREND_TYPES) if t.code not in VAGUE and t.zh not in rare
        ),
        origins=tuple(
            Origin(other, by_train=True, by_flight=_flown(city, other), round_trip_cents=0)
            for other in origins
            if other.city_id != city.city_id
        ),
        room_cents=0,
        meal_cents=0,
        currency=city.currency or YUAN,
    )


def _flown(city: City, other: City) -> bool:
    """Check whether people would fly between two cities, which must be far apart and have
    airports.
    """
    if {city.slug, other.slug} & _WITHOUT_AIRPORT:
        return False
    return geodesic_m(city.lat, city.lon, other.lat, other.lon) >= LEAST_FLIGHT_M


def offer_of(city: City, tables: dict[str, pl.DataFrame]) -> Offer:
    """Return the wishes that a city's tables can meet; a field stays empty if its table is
    empty.
    """
    money = city.currency or YUAN
    tables = {name: _in_money(table, money) for name, table in tables.items()}
    attractions = tables["attractions"]
    categories = dict(attractions["category"].drop_nulls().value_counts().iter_rows())
    rooms = tables["hotels"].explode("rooms").unnest("rooms") if tables["hotels"].height else None
    sights, kitchens = (
        _names(_select_judgeable(tables["attractions"])),
        _names(_meals(_select_judgeable(tables["restaurants"]))),
    )
    hotels = _names(_roomy(tables["hotels"]))
    return Offer(
        features=_frequent(tables["hotels"]["feature"], HOTEL_FEATURES),
        cuisines=_frequent(tables["restaurants"]["cuisine"], CUISINES),
        types=_types(attractions),
        origins=_origins(city, tables["trains"], tables["flights"]),
        room_cents=_low(rooms["price_cents"]) if rooms is not None else 0,
        meal_cents=_low(tables["restaurants"]["price_cents"]),
        attractions=tuple(sights),
        restaurants=tuple(kitchens),
        hotels=tuple(hotels),
        names_en={zh: en for zh, en in (sights | kitchens | hotels).items() if en},
        categories=tuple(sorted(c for c, n in categories.items() if n >= MINIMUM_ROWS)),
        by_season={
            season: _types(_open_in(attractions, months))
            for season in NORTHERN_MONTHS
            if (months := season_months(season, city.lat))
        },
        currency=money,
        sights=attractions.height,
    )


def _in_money(rows: pl.DataFrame, money: str) -> pl.DataFrame:
    """Return all rows, without the prices in other currencies, because prices are not converted."""
    if "currency" not in rows.columns:
        return rows
    other = pl.col("currency").ne_missing(money)
    if "price_cents" in rows.columns:
        return rows.with_columns(price_cents=pl.when(other).then(None).otherwise("price_cents"))
    room = pl.element().struct
    unpriced = pl.col("rooms").list.eval(
        pl.struct(
            room.field("room_type"),
            pl.lit(None, pl.Int64).alias("price_cents"),
            room.field("stock"),
        )
    )
    return rows.with_columns(rooms=pl.when(other).then(unpriced).otherwise("rooms"))


def _types(attractions: pl.DataFrame) -> tuple[str, ...]:
    types = pl.concat([attractions["base_type"], attractions["trend_types"].explode()])
    return _frequent(types, (*BASE_TYPES, *TREND_TYPES))


def _open_in(attractions: pl.DataFrame, months: tuple[int, ...]) -> pl.DataFrame:
    """Return the attractions that are open in these months, or whose opening hours are unknown."""
    hours = attractions["hours_osm"].to_list()
    return attractions.filter(pl.Series([_opens(text, months) for text in hours], dtype=pl.Boolean))


@lru_cache(maxsize=10_000)
def _opens(expression: str | None, months: tuple[int, ...]) -> bool:
    if expression is None or not _MONTH.search(expression):
        return True
    weeks = [weekly_spans(expression, _MIDDLE[month]) for month in months]
    return any(spans is None or spans for spans in weeks)


def _names(rows: pl.DataFrame) -> dict[str, str | None]:
    """Map the Chinese names that queries can use to English names, starting with the best-rated
    places.

    A Chinese name must be unique and must consist only of Chinese characters. If some places also
    have a usable English name, only those places are returned, because both texts of a query can
    then name them.
    """
    once = rows.drop_nulls("name_zh").filter(
        pl.col("name_zh").is_unique() & pl.col("name_zh").str.contains(r"^[\p{Han}]{3,10}$")
    )
    # A text with a verb is a sentence and not a name.
    a_name = pl.col("name_en").str.contains(_NAME_EN) & ~pl.col("name_en").str.contains(
        r" (?:is|are) "
    )
    english = a_name & pl.col("name_en").is_unique()
    named = once.with_columns(name_en=pl.when(english).then("name_en"))
    with_both = named.drop_nulls("name_en")
    once = with_both if with_both.height else named
    rated = once if "rating" in once.columns else once.with_columns(rating=None)
    ranked = rated.sort("rating", "name_zh", descending=[True, False], nulls_last=True)
    return dict(ranked.select("name_zh", "name_en").head(NAMES_TO_CHOOSE).iter_rows())


def _select_judgeable(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with opening hours, a price and a location, which are needed to check
    plans.
    """
    needed = [c for c in ("hours_osm", "price_cents", "lat", "lon") if c in rows.columns]
    return rows.drop_nulls(needed)


def _meals(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the restaurants whose cuisine and name suggest that they serve full meals."""
    odd = pl.col("cuisine").is_in(_NO_MEAL["cuisine"]).fill_null(value=False)
    odd |= pl.col("name_zh").str.contains("|".join(_NO_MEAL["name"])).fill_null(value=False)
    return rows.filter(~odd)


def _roomy(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the hotels that have a location and enough free rooms of one type for four people."""
    if not rows.height:
        return rows
    room = pl.element().struct
    beds = room.field("room_type").replace_strict(_BEDS, default=0, return_dtype=pl.Int64)
    free = room.field("stock").fill_null(PARTY) * beds >= PARTY
    hosts = pl.col("rooms").list.eval(free & room.field("price_cents").is_not_null()).list.any()
    return rows.filter(hosts).drop_nulls(["lat", "lon"])


def _frequent(codes: pl.Series, terms: tuple[Term, ...]) -> tuple[str, ...]:
    """Return the published tags that occur in enough rows, except vague tags."""
    counts = dict(codes.drop_nulls().value_counts(name="n").iter_rows())
    return tuple(
        term.zh
        for term in terms
        if term.code not in VAGUE and counts.get(term.code, 0) >= MINIMUM_ROWS
    )


def _low(prices: pl.Series) -> int:
    """Return the 10th percentile of the prices, or 0 if no price is known."""
    known = prices.drop_nulls()
    return int(known.quantile(0.1, "nearest") or 0) if known.len() else 0


def _origins(city: City, trains: pl.DataFrame, flights: pl.DataFrame) -> tuple[Origin, ...]:
    fast = _round_trips(city, trains.filter(pl.col("train_no").str.contains(_FAST)))
    rail = _round_trips(city, trains)
    air = _round_trips(city, flights)
    return tuple(
        Origin(
            city=find_city(city_id),
            by_train=city_id in fast,
            by_flight=city_id in air,
            round_trip_cents=min(p[city_id] for p in (rail, air) if city_id in p),
        )
        for city_id in sorted({*rail, *air})
    )


def _round_trips(city: City, rows: pl.DataFrame) -> dict[str, int]:
    """Return the price of the cheapest round trip for each origin that has journeys in both
    directions.

    Only journeys that arrive on the day of departure count, because each day of a plan ends at
    midnight.
    """
    daily = rows.filter(pl.col("arrival_day_offset") == 0).drop_nulls("price_cents")
    ends = ("origin_city_id", "destination_city_id")
    there, back = (
        dict(
            daily.filter(pl.col(own) == city.city_id)
            .group_by(other)
            .agg(pl.col("price_cents").min())
            .iter_rows()
        )
        for other, own in (ends, ends[::-1])
    )
    both = sorted(set(there) & set(back) - {city.city_id})
    return {city_id: there[city_id] + back[city_id] for city_id in both}
