"""Read a GTFS feed's fare rules: version 2 (``fare_products``) or, failing that, version 1
(``fare_attributes``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from sources.open.gtfs_feed import Feed

#: Highest possible price of a ticket, in units of its currency.
_MOST = Decimal(10_000_000)
_FREE_OF_ANY_NUMBER = "-1"


@dataclass(frozen=True)
class Fare:
    """A fare from a feed; if a route or zone is None, the fare is valid for any route or zone."""

    price: str
    currency: str
    route_id: str | None = None
    from_zone: str | None = None
    to_zone: str | None = None
    transfers: int | None = None


@dataclass
class Fares:
    """The fares from a feed, the zones of each stop, and the rows that were not used."""

    rules: list[Fare] = field(default_factory=list)
    zones: dict[str, frozenset[str]] = field(default_factory=dict)
    rows_in: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    broken: list[tuple[str, str, dict[str, str | None]]] = field(default_factory=list)


def read_fares(feed: Feed, stop_zones: Mapping[str, str]) -> Fares:
    """Read fares in version 2 if the feed has rules for them; otherwise, read fares in version
    1.
    """
    if feed.has("fare_leg_rules.txt"):
        found = _second(feed)
        if found.rules:
            return found
    return _first(feed, stop_zones)


def _first(feed: Feed, stop_zones: Mapping[str, str]) -> Fares:
    """Read fares in version 1, which are valid for the routes and zones named in their rules.

    A fare without rules is valid everywhere.
    """
    found = Fares(zones={stop: frozenset((zone,)) for stop, zone in stop_zones.items()})
    rules = defaultdict(list)
    for rule in feed.read(
        "fare_rules.txt", ("fare_id", "route_id", "origin_id", "destination_id", "contains_id")
    ).iter_rows(named=True):
        rules[rule["fare_id"]].append(rule)
        found.rows_in += 1
    columns = ("fare_id", "price", "currency_type", "transfers")
    for fare in feed.read("fare_attributes.txt", columns).iter_rows(named=True):
        price, changes = _price(fare["price"]), _number(fare["transfers"])
        if price is None or not _is_money(fare["currency_type"]) or changes == -1:
            found.broken.append(
                ("fares", "a fare that lacks a price, a currency or a number of changes", fare)
            )
            found.rows_in += 1
            continue
        own = rules.pop(fare["fare_id"], [])
        if not own:
            found.rows_in += 1
            found.rules.append(Fare(price, fare["currency_type"], transfers=changes))
        for rule in own:
            if rule["contains_id"]:
                found.left_out["fares that depend on the zones through which the ride passes"] += 1
                continue
            found.rules.append(
                Fare(price, fare["currency_type"], rule["route_id"], rule["origin_id"],
                     rule["destination_id"], changes)
            )  # fmt: skip
    for rows in rules.values():
        found.broken += [("fares", "a rule that refers to an unknown fare", row) for row in rows]
    return found


def _second(feed: Feed) -> Fares:
    """Read fares in version 2, in which each leg rule names a fare product."""
    found = Fares()
    areas = defaultdict(set)
    for row in feed.read("stop_areas.txt", ("area_id", "stop_id")).iter_rows(named=True):
        areas[row["stop_id"]].add(row["area_id"])
    found.zones = {stop: frozenset(held) for stop, held in areas.items()}
    routes = defaultdict(list)
    for row in feed.read("route_networks.txt", ("network_id", "route_id")).iter_rows(named=True):
        routes[row["network_id"]].append(row["route_id"])
    for row in feed.read("routes.txt", ("route_id", "network_id")).iter_rows(named=True):
        if row["network_id"]:
            routes[row["network_id"]].append(row["route_id"])
    products, changes = _products(feed), _changes(feed)
    columns = ("leg_group_id", "network_id", "from_area_id", "to_area_id", "fare_product_id",
               "from_timeframe_group_id", "to_timeframe_group_id")  # fmt: skip
    for row in feed.read("fare_leg_rules.txt", columns).iter_rows(named=True):
        found.rows_in += 1
        product = products.get(row["fare_product_id"])
        if row["from_timeframe_group_id"] or row["to_timeframe_group_id"]:
            found.left_out["fares that are valid only at certain hours"] += 1
        elif product is None:
            found.broken.append(
                ("fares", "a rule without a priced product for ordinary riders", row)
            )
        elif row["network_id"] and not routes[row["network_id"]]:
            found.broken.append(("fares", "a rule for a network without routes", row))
        else:
            transfers = changes.get(row["leg_group_id"], 0)
            found.rules += [
                Fare(*product, route, row["from_area_id"], row["to_area_id"], transfers)
                for route in (routes[row["network_id"]] if row["network_id"] else [None])
            ]
    return found


def _products(feed: Feed) -> dict[str, tuple[str, str]]:
    """Return the lowest price of each product for ordinary riders, with the currency.

    A price counts as a price for ordinary riders if it has the default rider category or no
    category.
    """
    usual = {
        row["rider_category_id"]
        for row in feed.read(
            "rider_categories.txt", ("rider_category_id", "is_default_fare_category")
        ).iter_rows(named=True)
        if row["is_default_fare_category"] == "1"
    }
    found: dict[str, tuple[str, str]] = {}
    columns = ("fare_product_id", "rider_category_id", "amount", "currency")
    for row in feed.read("fare_products.txt", columns).iter_rows(named=True):
        price = _price(row["amount"])
        is_ours = row["rider_category_id"] is None or row["rider_category_id"] in usual
        if price is None or not _is_money(row["currency"]) or not is_ours:
            continue
        held = found.get(row["fare_product_id"])
        if held is None or Decimal(price) < Decimal(held[0]):
            found[row["fare_product_id"]] = (price, row["currency"])
    return found


def _changes(feed: Feed) -> dict[str | None, int | None]:
    """Return the number of free transfers within each group of legs; None means any number."""
    columns = ("from_leg_group_id", "to_leg_group_id", "transfer_count", "fare_transfer_type",
               "fare_product_id")  # fmt: skip
    found: dict[str | None, int | None] = {}
    for row in feed.read("fare_transfer_rules.txt", columns).iter_rows(named=True):
        is_free = row["fare_transfer_type"] == "0" and row["fare_product_id"] is None
        if is_free and row["from_leg_group_id"] == row["to_leg_group_id"]:
            count = row["transfer_count"]
            unlimited = count in (None, _FREE_OF_ANY_NUMBER)
            found[row["from_leg_group_id"]] = None if unlimited else max(_number(count) or 0, 0)
    return found


def _price(text: str | None) -> str | None:
    try:
        amount = Decimal(text or "")
    except InvalidOperation:
        return None
    return f"{amount:f}" if amount.is_finite() and 0 <= amount <= _MOST else None


def _is_money(text: str | None) -> bool:
    return text is not None and len(text) == 3 and text.isalpha() and text.isupper()


def _number(text: str | None) -> int | None:
    """Read a number below 100; return None if the text is empty, and -1 for any other text."""
    if text is None:
        return None
    return int(text) if text.isascii() and text.isdigit() and len(text) < 3 else -1


def lines_of(
    rules: list[Fare], lines: Mapping[str, list[str]]
) -> Iterator[tuple[Fare, str | None]]:
    """Yield each fare with each line that the fare's route belongs to; None stands for any line."""
    for rule in rules:
        if rule.route_id is None:
            yield rule, None
        for line in lines.get(rule.route_id or "", ()):
            yield rule, line
