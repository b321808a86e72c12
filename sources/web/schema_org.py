"""Read the schema.org data in a page, and add the data to the page's main text as table rows.

The data is JSON-LD or microdata about sights (opening hours, prices, address, coordinates) and
about trips with an itinerary. The rows are ordinary text in the document, so that engines can find
names and facts in them and evidence can refer to them. Data that is malformed, too long or too
deeply nested is left out. The module uses json and lxml, because libraries that support every
notation require an RDF store.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from schemas.money import currencies
from sources.web.html_tree import parse_tree
from sources.web.lines import RawBlock, clean, has_words

Node = dict[str, Any]
_MOST_JSON = 1_000_000  # characters of JSON-LD in a page
_MOST_NODES = 20_000
_MOST_ROWS = 200
_MOST_VALUES = 24  # offers, hours and the like of one place
_MOST_TEXT = 120
_MOST_DEPTH = 30
_MOST_PRICE = 10_000_000
_SCRIPT = re.compile(
    r"<script\b[^<>]*application/ld\+json[^<>]*>(.*?)</script\s?>", re.IGNORECASE | re.DOTALL
)
_SIGHTS = frozenset(
    [
        "touristattraction",
        "museum",
        "landmarksorhistoricalbuildings",
        "localbusiness",
        "place",
        "civicstructure",
        "park",
        "zoo",
        "aquarium",
        "artgallery",
        "beach",
        "botanicalgarden",
        "amusementpark",
        "church",
        "catholicchurch",
        "mosque",
        "synagogue",
        "hindutemple",
        "buddhisttemple",
        "placeofworship",
        "castle",
        "historicalsite",
        "touristdestination",
        "library",
        "performingartstheater",
        "operahouse",
        "stadiumorarena",
        "cemetery",
        "mountain",
        "waterfall",
        "bodyofwater",
        "lakebodyofwater",
        "landform",
        "bridge",
        "publicgarden",
        "themepark",
        "planetarium",
        "garden",
        "nationalpark",
        "eventvenue",
    ]
)
_TRIPS = frozenset(("touristtrip", "trip"))
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_HOURS = re.compile(
    r"(?P<days>[A-Za-z]{2,9}(?:\s*[-–,]\s*[A-Za-z]{2,9})*)?\s*(?P<a>\d{1,2}:\d\d)(?::\d\d)?\s*[-–]\s*(?P<b>\d{1,2}:\d\d)(?::\d\d)?"
)
_TIME = re.compile(r"T?([01]\d|2[0-4]):([0-5]\d)")
_TAG = re.compile(r"<[^<>]{0,200}>")
_PLACES_HEAD = "Place | Opening hours | Admission | Address | Coordinates"


def schema_org_blocks(page: str) -> list[RawBlock]:
    """Return the sights and trips in a page as blocks; if there are none, the list is empty."""
    if "schema.org" not in page:
        return []
    nodes = [*_json_ld(page), *_microdata(page)]
    places = list(dict.fromkeys(filter(None, (_place_row(n) for n in nodes if _is(n, _SIGHTS)))))
    blocks = _table(_PLACES_HEAD, places[:_MOST_ROWS])
    for trip in (n for n in nodes if _is(n, _TRIPS)):
        blocks += _table("Day | Stops", _trip_rows(trip)[:_MOST_ROWS], _text(trip.get("name")))
        if len(blocks) > 2 * _MOST_ROWS:
            break
    return blocks


def _table(head: str, rows: list[str], title: str = "") -> list[RawBlock]:
    if not rows:
        return []
    heading = RawBlock("heading", 2, title or "Data of the page")
    return [heading, *(RawBlock("table_row", 0, row) for row in (head, *rows))]


def _json_ld(page: str) -> Iterator[Node]:
    """Yield those nodes in the page's JSON-LD that have a type, in order, skipping invalid JSON."""
    left = _MOST_JSON
    for match in _SCRIPT.finditer(page):
        text = match[1].strip()
        left -= len(text)
        if left < 0:
            return
        try:
            value = json.loads(text.removeprefix("<!--").removesuffix("-->"))
        except (ValueError, RecursionError):
            continue
        yield from _find_typed(value)


def _find_typed(value: Any) -> Iterator[Node]:
    """Yield those nodes in a value that have a type, outer nodes first.

    Nodes inside a trip are not yielded separately.
    """
    waiting = [(value, 0)]
    seen = 0
    while waiting and seen < _MOST_NODES:
        found, depth = waiting.pop()
        seen += 1
        if isinstance(found, list):
            waiting += [(item, depth + 1) for item in reversed(found[:_MOST_NODES])]
        elif isinstance(found, dict) and depth < _MOST_DEPTH:
            if "@type" in found:
                yield found
            if not _is(found, _TRIPS):
                inner = [v for v in found.values() if isinstance(v, dict | list)]
                waiting += [(item, depth + 1) for item in reversed(inner)]


def _microdata(page: str) -> Iterator[Node]:
    """Yield the microdata items that have a schema.org type, in the form of JSON-LD nodes."""
    if "itemscope" not in page:
        return
    tree = parse_tree(page)
    items: dict[HtmlElement, Node] = {}
    for element in tree.iter():
        if not isinstance(element.tag, str) or len(items) > _MOST_NODES:
            continue
        own: Node | None = None
        if element.get("itemscope") is not None:
            kind = re.findall(r"schema\.org/(\w+)", element.get("itemtype", ""))
            own = items[element] = {"@type": kind}
        name = element.get("itemprop")
        holder = _holder(element, items) if name else None
        if name and holder is not None:
            for key in name.split()[:4]:
                values = holder.setdefault(key, [])
                if len(values) < _MOST_VALUES:
                    values.append(own if own is not None else _value_of(element))
    yield from (node for node in items.values() if node["@type"])


def _holder(element: HtmlElement, items: dict[HtmlElement, Node]) -> Node | None:
    """Return the item that contains an element, or None if there is no such item."""
    above = element.iterancestors()
    return next(
        (items[e] for e, _ in zip(above, range(_MOST_DEPTH), strict=False) if e in items), None
    )


def _value_of(element: HtmlElement) -> str:
    stated = [element.get(attribute) for attribute in ("content", "datetime", "value")]
    if element.tag in ("link", "a"):
        stated.append(element.get("href") or None)
    text = etree.tostring(element, method="text", encoding="unicode", with_tail=False)
    return str(next((value for value in stated if value is not None), text))


def _is(node: Node, kinds: frozenset[str]) -> bool:
    return any(
        isinstance(kind, str) and kind.rpartition("/")[2].rpartition(":")[2].lower() in kinds
        for kind in _list(node.get("@type"))
    )


def _list(value: Any) -> list[Any]:
    """Return a value as a list; a single value becomes a list of one."""
    return value[:_MOST_VALUES] if isinstance(value, list) else [] if value is None else [value]


def _text(value: Any) -> str:
    """Return a value as a short text for a cell, or "" if the value is not a string or is too
    long.
    """
    found = next(iter(_list(value)), None)
    if isinstance(found, dict):
        found = found.get("@value") or found.get("name")
    if not isinstance(found, str | int | float) or isinstance(found, bool):
        return ""
    text = clean(_TAG.sub(" ", html.unescape(str(found)[: 4 * _MOST_TEXT])))
    text = " ".join(text.replace("|", "/").split())
    return text if len(text) <= _MOST_TEXT and has_words(text) else ""


def _place_row(node: Node) -> str:
    """Return the row for a place, or "" if the place has no name, or has neither facts nor a type
    of sight; ``Place`` and ``LocalBusiness`` do not count as such a type.
    """
    name = _text(node.get("name"))
    cells = (_hours(node), _prices(node), _address(node.get("address")), _point(node.get("geo")))
    is_sight = _is(node, _SIGHTS - {"place", "localbusiness"})
    return f"{name} | {' | '.join(cells)}" if name and (is_sight or any(cells)) else ""


def _hours(node: Node) -> str:
    """Express opening hours in words, such as "Mon-Fri 09:00-17:00; closed Sun"."""
    found: dict[str, list[int]] = {}
    for value in _list(node.get("openingHours")):
        for match in _HOURS.finditer(value[: 20 * _MOST_TEXT]) if isinstance(value, str) else ():
            span = _span(match["a"].zfill(5), match["b"].zfill(5))
            days = _days(match["days"])
            if span and days is not None:
                found.setdefault(span, []).extend(days)
    for spec in _list(node.get("openingHoursSpecification")):
        if not isinstance(spec, dict) or spec.get("validFrom") or spec.get("validThrough"):
            continue  # these hours are valid for only part of the year
        days = _days(",".join(_text(d).rpartition("/")[2] for d in _list(spec.get("dayOfWeek"))))
        a, b = (_TIME.match(_text(spec.get(key))) for key in ("opens", "closes"))
        if days is None or not (a and b):
            continue
        times = f"{a[1]}:{a[2]}", f"{b[1]}:{b[2]}"
        span = "closed" if times == ("00:00", "00:00") else _span(*times)
        if span:
            found.setdefault(span, []).extend(days)
    return "; ".join(_hours_of(span, days) for span, days in found.items())


def _span(opens: str, closes: str) -> str | None:
    if opens == "00:00" and closes in ("23:59", "24:00", "00:00"):
        return "00:00-24:00"
    valid = _TIME.fullmatch(opens) and _TIME.fullmatch(closes) and opens != closes
    return f"{opens}-{closes}" if valid else None


def _days(words: str | None) -> list[int] | None:
    """Read weekdays such as "Mo-Fr" or "Mo,We"; return all days for no text, and None for
    unreadable text.
    """
    found: list[int] = []
    for part in re.split(r"\s*,\s*", (words or "").strip()):
        if part.lower() in ("publicholidays", "ph"):
            continue
        told = re.split(r"\s*[-–]\s*", part) if part else ["Mo", "Su"]
        ends = [day for day in map(_day, told) if day is not None]
        if len(ends) < len(told) or len(ends) > 2:
            return None
        first, last = ends[0], ends[-1]
        found += [day % 7 for day in range(first, last + 1 if last >= first else last + 8)]
    return sorted(set(found))


def _day(name: str) -> int | None:
    short = name.strip()[:3].title()
    return next((i for i, day in enumerate(_DAYS) if short and day.startswith(short[:2])), None)


def _hours_of(span: str, days: list[int]) -> str:
    held = sorted(set(days))
    names = [_DAYS[day] for day in held]
    if len(held) == 7:
        return span if span == "closed" else f"daily {span}"
    is_row = len(held) > 2 and held[-1] - held[0] == len(held) - 1
    return (
        f"{span} {', '.join(names)}"
        if span == "closed"
        else (f"{names[0]}-{names[-1]} {span}" if is_row else f"{', '.join(names)} {span}")
    )


def _prices(node: Node) -> str:
    """Express prices in words, such as "adult 12 EUR; child 6 EUR" or "free"."""
    told = [*_list(node.get("offers")), *_list(node.get("priceSpecification"))]
    found = dict.fromkeys(filter(None, (_price(o) for o in told if isinstance(o, dict))))
    free = _text(next(iter(_list(node.get("isAccessibleForFree"))), None) is True or "") or str(
        next(iter(_list(node.get("isAccessibleForFree"))), "")
    )
    return "; ".join(found) or ("free" if free.rpartition("/")[2].lower() == "true" else "")


def _price(offer: Node, depth: int = 0) -> str:
    """Express an offer in words; return "" if it has no single price in a known currency."""
    inner = next((s for s in _list(offer.get("priceSpecification")) if isinstance(s, dict)), None)
    if inner is not None and offer.get("price") is None and depth < 2:
        return _price({"name": offer.get("name"), **inner}, depth + 1)
    amount = _number(next(iter(_list(offer.get("price"))), None))
    code = _text(offer.get("priceCurrency")).upper()
    if amount is None or (amount and code not in currencies()):
        return ""
    words = " ".join(
        _text(offer.get(key)) for key in ("name", "category", "eligibleCustomerType", "audience")
    )
    whom = re.sub(r"https?://\S+|[;,/()\d]+", " ", words)
    return " ".join(f"{whom} {'free' if not amount else f'{amount:.2f} {code}'}".split())


def _number(value: Any) -> float | None:
    """Read a price; return None if the price is not a number, is negative or is unreasonably
    high.
    """
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,9}(?:\.\d{1,4})?\s*", value):
        value = float(value)
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 <= value <= _MOST_PRICE
    ):
        return None
    return float(value) if math.isfinite(value) else None


def _address(value: Any) -> str:
    found = next(iter(_list(value)), None)
    if not isinstance(found, dict):
        return _text(found)
    keys = ("streetAddress", "addressLocality", "addressCountry")
    return ", ".join(filter(None, (_text(found.get(key)) for key in keys)))


def _point(value: Any) -> str:
    """Format latitude and longitude in degrees (WGS 84); return "" if they are not valid."""
    found = next(iter(_list(value)), None)
    if not isinstance(found, dict):
        return ""
    try:
        lat, lon = (float(_text(found.get(key))) for key in ("latitude", "longitude"))
    except ValueError:
        return ""
    return f"{lat:.5f}, {lon:.5f}" if abs(lat) <= 90 and abs(lon) <= 180 else ""


def _trip_rows(trip: Node) -> list[str]:
    """Return the stops in an itinerary, each with its day; each trip inside the itinerary counts
    as one day.
    """
    days = [d for d in _parts(trip) if _is(d, _TRIPS)]
    rows = []
    for number, day in enumerate(days or [trip], 1):
        stops = (_text(stop.get("name")) for stop in _parts(day))
        rows += [f"{number} | {name}" for name in filter(None, stops)]
    return rows


def _parts(node: Node, depth: int = 0) -> list[Node]:
    """Return the parts of a trip or list, sorted by position if all parts have a position."""
    held = (_many(node.get(key)) for key in ("itinerary", "subTrip", "itemListElement"))
    found = [part for parts in held for part in parts if isinstance(part, dict)]
    if all(isinstance(part.get("position"), int) for part in found):
        found.sort(key=lambda part: part["position"])
    opened: list[Node] = []
    for part in found[:_MOST_ROWS]:
        item = part.get("item", part)
        is_list = isinstance(item, dict) and _is(item, frozenset(("itemlist",)))
        if is_list and depth < 3:
            opened += _parts(item, depth + 1)
        elif isinstance(item, dict):
            opened.append(item)
    return opened


def _many(value: Any) -> Iterable[Any]:
    return value[:_MOST_ROWS] if isinstance(value, list) else () if value is None else (value,)
