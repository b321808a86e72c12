"""Reads the rows of a snapshot for exports: the places in each city, with their facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schemas.cities import UnknownCityError, find_city
from schemas.money import YUAN
from schemas.rows import CitiesRow, MetroFaresRow, WitnessPlansRow
from schemas.taxonomy import BASE_TYPES, CUISINES, HOTEL_FEATURES, TREND_TYPES, Term
from schemas.typed_rows import read_rows
from warehouse.export.account import ExportAccount
from warehouse.facts import CLOSED_DAYS, FACT_COLUMNS, collect_facts
from warehouse.read import Snapshot

Row = dict[str, Any]


def chinese(terms: tuple[Term, ...]) -> dict[str, str]:
    """Return the Chinese names of a taxonomy by code."""
    return {term.code: term.zh for term in terms}


#: The columns with the id and the number of a connection, by table.
CONNECTIONS = {"trains": ("train_id", "train_no"), "flights": ("flight_id", "flight_no")}
BASE_ZH, TREND_ZH = chinese(BASE_TYPES), chinese(TREND_TYPES)
CUISINE_ZH, FEATURE_ZH = chinese(CUISINES), chinese(HOTEL_FEATURES)


@dataclass(frozen=True)
class CityRows:
    """The places in a city, in the order of the source rows."""

    city_id: str
    slug: str
    name_zh: str
    attractions: list[Row]
    hotels: list[Row]
    restaurants: list[Row]
    hubs: list[Row]
    stations: list[Row]
    country_code: str


def cities(snapshot: Snapshot) -> list[CitiesRow]:
    """Return the rows of the table ``cities``, sorted by slug."""
    return read_rows(snapshot.table("cities").sort("slug"), CitiesRow)


def plans_of_kind(snapshot: Snapshot, kind: str) -> dict[str, str]:
    """Return the plans of a kind as JSON, by query id."""
    if "witness_plans" not in snapshot.tables():
        return {}
    rows = read_rows(snapshot.table("witness_plans"), WitnessPlansRow)
    return {
        row["query_id"]: row["plan"]
        for row in rows
        if row["plan_kind"] == kind and row["plan"] is not None
    }


def rows_of_city(snapshot: Snapshot, city: CitiesRow) -> CityRows:
    """Read all places in a city; attractions include the facts that always apply."""
    slug = city["slug"]

    def own(table: str) -> list[Row]:
        return snapshot.table(table, slug).to_dicts() if table in snapshot.tables() else []

    facts = collect_facts(own("poi_facts"), city["currency"])
    lines = {
        row["evidence_id"]: (row["source_file"] or "~", row["source_line"] or 0)
        for row in own("evidence")
    }
    pois = [
        {
            **row,
            "name": name_of(row),
            **dict.fromkeys((*FACT_COLUMNS, CLOSED_DAYS)),
            **facts.get(row["poi_id"], {}),
        }
        for row in own("pois")
        if row["superseded_by"] is None
    ]
    pois.sort(key=lambda row: (*lines.get(row["evidence_id"], ("~", 0)), row["poi_id"]))
    return CityRows(
        city["city_id"], slug, city["name_zh"] or city["name_en"], pois,
        _in_source_order(own("hotels"), "hotel_id"),
        _in_source_order(own("restaurants"), "restaurant_id"),
        own("hubs"), own("metro_stations"), city["country_code"],
    )  # fmt: skip


def leave_fares(snapshot: Snapshot, slug: str, account: ExportAccount) -> None:
    """Record each of a city's metro fares as left out, because the layout has no fares."""
    if "metro_fares" in snapshot.tables():
        for row in read_rows(snapshot.table("metro_fares", slug).sort("fare_id"), MetroFaresRow):
            account.leave_out(
                slug,
                "metro_fares",
                row["fare_id"],
                row["line"] or "",
                "the layout does not include metro fares",
            )


def _in_source_order(rows: list[Row], key: str) -> list[Row]:
    named = [{**row, "name": name_of(row)} for row in rows]
    return sorted(named, key=lambda row: (row["source_file"], row["source_line"], row[key]))


def name_of(row: Mapping[str, Any]) -> str:
    """Return the Chinese name, or else the English name, or else an empty string."""
    return str(row["name_zh"] or row["name_en"] or "").strip()


def connections(snapshot: Snapshot, table: str) -> list[Row]:
    """Return the rows of ``trains`` or ``flights``, each once, sorted by departure."""
    key, number = CONNECTIONS[table]
    order = ("departure_min", "duration_min", number, "origin_station", "destination_station", key)
    return snapshot.table(table).unique(key, keep="first").sort(order).to_dicts()


def tell_connection(row: Row) -> Row:
    """Return a connection in the form that the published sandboxes use."""
    return {
        "From": row["origin_station"], "To": row["destination_station"],
        "BeginTime": clock(row["departure_min"]), "EndTime": clock(row["arrival_min"]),
        "Duration": round(row["duration_min"] / 60, 2), "Cost": units(row["price_cents"]),
    }  # fmt: skip


def city_name_zh(name: str) -> str | None:
    """Return a city's Chinese or else English name, given an id or name; None if unknown."""
    try:
        city = find_city(name)
    except UnknownCityError:
        return None
    return city.name_zh or city.name_en


def city_names_zh(snapshot: Snapshot, rows: Iterable[Mapping[str, Any]]) -> dict[str, str | None]:
    """Return the names of the cities that connections link, by city id, in Chinese if known or else
    in English.
    """
    known = {row["city_id"]: row["name_zh"] or row["name_en"] for row in cities(snapshot)}
    ends = {row[end] for row in rows for end in ("origin_city_id", "destination_city_id")}
    return {
        city_id: known[city_id] if city_id in known else city_name_zh(city_id) for city_id in ends
    }


@dataclass(frozen=True)
class Daily:
    """Opening and closing times on a usual day, in minutes after midnight.

    ``exact`` is True if every day has exactly these hours.
    """

    open_min: int
    close_min: int
    exact: bool


def daily(weekly: Sequence[Mapping[str, int]] | None) -> Daily | None:
    """Return the opening hours on most days of a week, or None if they are unknown.

    If several opening hours are equally frequent, the longest are chosen; if several of these are
    equally long, the earliest are chosen.
    """
    if not weekly:
        return None
    week = _join_nights(weekly)
    spans = Counter((opens, closes) for _, opens, closes in week)
    days = {day for day, _, _ in week}
    best, n_days = min(
        spans.items(), key=lambda entry: (-entry[1], entry[0][0] - entry[0][1], entry[0])
    )
    return Daily(*best, exact=len(spans) == 1 and n_days == 7 and len(days) == 7)


def _join_nights(weekly: Sequence[Mapping[str, int]]) -> list[tuple[int, int, int]]:
    """Return the weekday, opening time and closing time of each span.

    Opening hours that continue from Sunday night to Monday morning are joined into one span.
    """
    week = [(span["weekday"], span["open_min"], span["close_min"]) for span in weekly]
    late = [span for span in week if span[0] == 6 and span[1] > 0 and span[2] == 1440]
    early = [span for span in week if span[:2] == (0, 0) and span[2] <= 720]
    if not late or not early:
        return week
    rest = [span for span in week if span not in (late[0], early[0])]
    return [*rest, (6, late[0][1], 1440 + early[0][2])]


def clock(minute: int, padded: bool = True) -> str:
    """Format minutes after midnight as ``HH:MM`` or ``H:MM``.

    The end of a day is written as 24:00.
    """
    minute = minute if minute <= 1440 else minute - 1440
    return (
        f"{minute // 60:02d}:{minute % 60:02d}" if padded else f"{minute // 60}:{minute % 60:02d}"
    )


def in_yuan(rows: Iterable[Row], account: ExportAccount, city: str, table: str) -> list[Row]:
    """Prepare rows for a layout that has prices in yuan.

    If a price is in a different currency, it becomes unknown, and the change is recorded.
    """
    made = []
    for row in rows:
        if row["currency"] in (None, YUAN):
            made.append(row)
            continue
        name = row.get("name") or row.get("train_no") or row.get("flight_no") or ""
        reason = f"the price is in {row['currency']}, but all prices in the layout must be in yuan"
        account.change(city, table, row[_KEYS[table]], name, "price", reason)
        unpriced = {**row, "price_cents": None}
        if "rooms" in row:
            unpriced["rooms"] = [{**room, "price_cents": None} for room in row["rooms"]]
        made.append(unpriced)
    return made


_KEYS = {
    "attractions": "poi_id", "hotels": "hotel_id", "restaurants": "restaurant_id",
    "trains": "train_id", "flights": "flight_id",
}  # fmt: skip


def city_in_yuan(city: CityRows, account: ExportAccount) -> CityRows:
    """Apply ``in_yuan`` to all places in a city."""
    return replace(
        city,
        attractions=in_yuan(city.attractions, account, city.slug, "attractions"),
        hotels=in_yuan(city.hotels, account, city.slug, "hotels"),
        restaurants=in_yuan(city.restaurants, account, city.slug, "restaurants"),
    )


def units(price_cents: int | None) -> int | float | None:
    """Convert cents to units of the currency, as a whole number if possible."""
    if price_cents is None:
        return None
    return price_cents // 100 if price_cents % 100 == 0 else price_cents / 100


def hours(minutes: int | None) -> int | float | None:
    """Convert minutes to hours: a whole number if possible, or else rounded to four digits."""
    if minutes is None:
        return None
    return minutes // 60 if minutes % 60 == 0 else round(minutes / 60, 4)


#: Texts that pandas reads as missing values, by its documentation. No name may be one of these.
NO_VALUES = frozenset(
    {
        "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
        "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
    }
)  # fmt: skip
_KINDS = (
    ("attractions", "景点", "poi_id"),
    ("restaurants", "餐厅", "restaurant_id"),
    ("hotels", "酒店", "hotel_id"),
)


def unique_names(city: CityRows, account: ExportAccount) -> CityRows:
    """Give every place in a city a unique name; stations and airports keep their names.

    The first place with a name keeps it. The places are in source order, with attractions
    before restaurants and hotels. All later places get their kind in brackets, and then a
    number: 沁园(酒店), 沁园(酒店2). A name that pandas would read as a missing value gets its kind
    in brackets too. Each change is recorded, and ``own_name`` keeps the original name.
    """
    wanted = {row["name"] for table in _tables(city) for row in table}
    taken = {row["name"] for row in city.hubs}
    for (table, kind, key), rows in zip(_KINDS, _tables(city), strict=True):
        for row in rows:
            name = row["own_name"] = row["name"]
            if not name:
                continue
            if name in taken or name in NO_VALUES:
                row["name"] = _free(name, kind, taken | wanted)
                account.change(
                    city.slug,
                    table,
                    row[key],
                    name,
                    "name",
                    f"the layout does not allow this name, so the exported name is {row['name']}",
                )
            taken.add(row["name"])
    return city


def _tables(city: CityRows) -> Iterable[list[Row]]:
    return city.attractions, city.restaurants, city.hotels


def _free(name: str, kind: str, taken: set[str]) -> str:
    number = 1
    while (made := f"{name}({kind}{number if number > 1 else ''})") in taken:
        number += 1
    return made
