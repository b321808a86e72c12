"""Rows of a snapshot as an export needs them: places with their facts, by city."""

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
    """Chinese names of a taxonomy by code."""
    return {term.code: term.zh for term in terms}


#: Id and number of a connection, by table.
CONNECTIONS = {"trains": ("train_id", "train_no"), "flights": ("flight_id", "flight_no")}
BASE_ZH, TREND_ZH = chinese(BASE_TYPES), chinese(TREND_TYPES)
CUISINE_ZH, FEATURE_ZH = chinese(CUISINES), chinese(HOTEL_FEATURES)


@dataclass(frozen=True)
class CityRows:
    """A city's places, in the order of their source rows."""

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
    """Rows of ``cities`` by slug."""
    return read_rows(snapshot.table("cities").sort("slug"), CitiesRow)


def plans_of_kind(snapshot: Snapshot, kind: str) -> dict[str, str]:
    """The plan of a kind (``plan_kind`` of ``witness_plans``) by its query, as JSON."""
    if "witness_plans" not in snapshot.tables():
        return {}
    rows = read_rows(snapshot.table("witness_plans"), WitnessPlansRow)
    return {
        row["query_id"]: row["plan"]
        for row in rows
        if row["plan_kind"] == kind and row["plan"] is not None
    }


def rows_of_city(snapshot: Snapshot, city: CitiesRow) -> CityRows:
    """All tables of a city; attractions carry the facts that always hold of them."""
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
    """Say of each fare of a city that a layout has no table for them."""
    if "metro_fares" in snapshot.tables():
        for row in read_rows(snapshot.table("metro_fares", slug).sort("fare_id"), MetroFaresRow):
            account.leave_out(
                slug,
                "metro_fares",
                row["fare_id"],
                row["line"] or "",
                "the layout has no fares of the metro",
            )


def _in_source_order(rows: list[Row], key: str) -> list[Row]:
    named = [{**row, "name": name_of(row)} for row in rows]
    return sorted(named, key=lambda row: (row["source_file"], row["source_line"], row[key]))


def name_of(row: Mapping[str, Any]) -> str:
    """Chinese name, else the English one; empty for a place without a name."""
    return str(row["name_zh"] or row["name_en"] or "").strip()


def connections(snapshot: Snapshot, table: str) -> list[Row]:
    """Rows of ``trains`` or ``flights``, each once, by departure."""
    key, number = CONNECTIONS[table]
    order = ("departure_min", "duration_min", number, "origin_station", "destination_station", key)
    return snapshot.table(table).unique(key, keep="first").sort(order).to_dicts()


def tell_connection(row: Row) -> Row:
    """A connection as the published sandboxes write it."""
    return {
        "From": row["origin_station"], "To": row["destination_station"],
        "BeginTime": clock(row["departure_min"]), "EndTime": clock(row["arrival_min"]),
        "Duration": round(row["duration_min"] / 60, 2), "Cost": units(row["price_cents"]),
    }  # fmt: skip


def city_name_zh(name: str) -> str | None:
    """Chinese (else English) name of any city, by its id or a name; None where it is unknown."""
    try:
        city = find_city(name)
    except UnknownCityError:
        return None
    return city.name_zh or city.name_en


def city_names_zh(snapshot: Snapshot, rows: Iterable[Mapping[str, Any]]) -> dict[str, str | None]:
    """Chinese (else English) name by city id, of the cities that connections lead from and to."""
    known = {row["city_id"]: row["name_zh"] or row["name_en"] for row in cities(snapshot)}
    ends = {row[end] for row in rows for end in ("origin_city_id", "destination_city_id")}
    return {
        city_id: known[city_id] if city_id in known else city_name_zh(city_id) for city_id in ends
    }


@dataclass(frozen=True)
class Daily:
    """One opening span for every day, minutes; ``exact`` where every day has just this one."""

    open_min: int
    close_min: int
    exact: bool


def daily(weekly: Sequence[Mapping[str, int]] | None) -> Daily | None:
    """The span that most days of a week have (then the longer, then the earlier);
    None if unknown.
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
    """Weekday, opening and closing; a night that the week's end cuts in two is whole again."""
    week = [(span["weekday"], span["open_min"], span["close_min"]) for span in weekly]
    late = [span for span in week if span[0] == 6 and span[1] > 0 and span[2] == 1440]
    early = [span for span in week if span[:2] == (0, 0) and span[2] <= 720]
    if not late or not early:
        return week
    rest = [span for span in week if span not in (late[0], early[0])]
    return [*rest, (6, late[0][1], 1440 + early[0][2])]


def clock(minute: int, padded: bool = True) -> str:
    """Minutes as a clock of 24 hours, ``HH:MM`` or ``H:MM``; midnight at the end stays 24:00."""
    minute = minute if minute <= 1440 else minute - 1440
    return (
        f"{minute // 60:02d}:{minute % 60:02d}" if padded else f"{minute // 60}:{minute % 60:02d}"
    )


def in_yuan(rows: Iterable[Row], account: ExportAccount, city: str, table: str) -> list[Row]:
    """Rows for a layout that counts in yuan:
    what other money a row costs is unknown, and listed.
    """
    made = []
    for row in rows:
        if row["currency"] in (None, YUAN):
            made.append(row)
            continue
        name = row.get("name") or row.get("train_no") or row.get("flight_no") or ""
        reason = f"in {row['currency']}: the layout counts in yuan"
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
    """The city's places as ``in_yuan`` has them."""
    return replace(
        city,
        attractions=in_yuan(city.attractions, account, city.slug, "attractions"),
        hotels=in_yuan(city.hotels, account, city.slug, "hotels"),
        restaurants=in_yuan(city.restaurants, account, city.slug, "restaurants"),
    )


def units(price_cents: int | None) -> int | float | None:
    """An amount in units of its currency, whole where it is."""
    if price_cents is None:
        return None
    return price_cents // 100 if price_cents % 100 == 0 else price_cents / 100


def hours(minutes: int | None) -> int | float | None:
    """Minutes as hours, whole where it is, with enough digits to come back."""
    if minutes is None:
        return None
    return minutes // 60 if minutes % 60 == 0 else round(minutes / 60, 4)


#: What pandas reads as "no value": no name may be one of these (its documented list).
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
    """The city with every place under a name of its own; stations and airports keep theirs.

    The first of a name keeps it: attractions before restaurants before hotels, in source order.
    The next get the kind in brackets, then a number: 沁园(酒店), 沁园(酒店2). Each change is
    listed. A name that pandas takes for an empty cell gets the kind as well. ``own_name`` keeps the
    first.
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
                    city.slug, table, row[key], name, "name", f"the name is taken: {row['name']}"
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
