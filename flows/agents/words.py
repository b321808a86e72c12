"""Formats records as lines of text for a model, adding units and leaving out unknown values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal

from schemas.values import clock_text
from warehouse.records import (
    Attraction,
    Connection,
    FactRecord,
    Hotel,
    Place,
    Query,
    Reference,
    Restaurant,
    RoomRecord,
    as_json,
)
from warehouse.ways import Leg

Lang = Literal["zh", "en"]
_DISHES, _MOST_TEXT = 8, 300
#: Places whose row and line are kept, because the same places are requested again and again.
_PLACES_KEPT = 20_000


def name_in(place: Place, lang: Lang) -> str:
    """Return a place's name in a language, or in the other language if that name is unknown."""
    first, second = (
        (place.name_zh, place.name_en) if lang == "zh" else (place.name_en, place.name_zh)
    )
    return first or second or place.place_id


@lru_cache(maxsize=_PLACES_KEPT)
def row_of(place: Place, lang: Lang) -> Mapping[str, Any]:
    """Return a place as plain values; callers must not change these values.

    ``name`` is in the language ``lang``.
    """
    row: dict[str, Any] = as_json(place)
    row["name"] = name_in(place, lang)
    return {key: value for key, value in row.items() if value is not None}


def both_names(place: Place, lang: Lang) -> str:
    """Format a place's name in a language, with its name in the other language in brackets."""
    name = name_in(place, lang)
    other = place.name_en if lang == "zh" else place.name_zh
    return f"{name} ({other})" if other and other != name else name


def money(cents: int | None, currency: str | None) -> str | None:
    """Format an amount in its currency; return None if the amount is unknown."""
    if cents is None:
        return None
    return "free" if cents == 0 else f"{cents / 100:g} {currency or ''}".strip()


@lru_cache(maxsize=_PLACES_KEPT)
def line(place: Place, lang: Lang) -> str:
    """Describe a place in one line."""
    parts: list[str | None] = [f"{both_names(place, lang)} [{place.place_id}]"]
    price = money(getattr(place, "price_cents", None), getattr(place, "currency", None))
    if isinstance(place, Attraction):
        parts += [place.base_type, price and f"ticket {price}", _stay(place)]
    elif isinstance(place, Restaurant):
        parts += [place.cuisine, price and f"{price} per person"]
        parts += [f"dishes: {', '.join(place.dishes[:_DISHES])}" if place.dishes else None]
    elif isinstance(place, Hotel):
        parts += [
            place.feature,
            f"{place.stars:g} stars" if place.stars else None,
            price and f"from {price} per night",
        ]
    hours, rating = getattr(place, "hours", None), getattr(place, "rating", None)
    parts += [f"open {hours.text}" if hours else None, f"rating {rating:g}" if rating else None]
    if closed := sorted(getattr(place, "closed_weekdays", ())):
        parts.append(f"closed on {', '.join(_WEEKDAYS[day] for day in closed)}")
    if place.point is not None:
        parts.append(f"at {place.lat:.5f},{place.lon:.5f}")
    return short("; ".join(str(part) for part in parts if part))


_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _stay(place: Attraction) -> str | None:
    least, most = place.duration_min_min, place.duration_max_min
    if least is None and most is None:
        return None
    return f"stay {least or '?'} to {most or '?'} min"


def connection_line(one: Connection) -> str:
    """Describe a train or flight in one line."""
    arrives = clock_text(one.arrival_min % 1440) + (
        f" (+{one.arrival_day_offset} day)" if one.arrival_day_offset else ""
    )
    price = money(one.price_cents, one.currency) or "price unknown"
    return (
        f"{one.number}: {one.start} {clock_text(one.departure_min)} - {one.end} {arrives};"
        f" {one.duration_min} min; {price}"
    )


def leg_line(leg: Leg) -> str:
    """Describe one leg of a route in one line; a taxi fare is per car, and a metro fare is per
    person."""
    whose = {"taxi": " per car", "metro": " per person"}.get(leg.mode, "")
    price = "fare unknown" if leg.price_cents is None else money(leg.price_cents, "CNY")
    return (
        f"{leg.mode} {clock_text(leg.start_min)}-{clock_text(leg.end_min)}: {leg.start} -"
        f" {leg.end}, {leg.distance_m:.0f} m, {price}{whose if leg.price_cents else ''}"
    )


def fact_line(fact: FactRecord) -> str:
    """Describe a fact in one line."""
    dated = f" ({fact.source_date.isoformat()})" if fact.source_date else ""
    when = "" if fact.valid_when == "always" else f" [{fact.valid_when}]"
    return short(f"{fact.kind}{when}: {fact.value}{dated}")


def room_line(room: RoomRecord, currency: str | None) -> str:
    """Describe a room type in one line."""
    free = "unknown" if room.stock is None else str(room.stock)
    return (
        f"{room.room_type}: {money(room.price_cents, currency) or 'price unknown'} per night, rooms"
        f" free: {free}"
    )


def query_line(query: Query, lang: Lang) -> str:
    """Describe a query in one line."""
    text = (query.text_zh if lang == "zh" else query.text_en) or query.text_zh or query.text_en
    return short(f"{query.query_id} ({query.city}, {query.family}, {query.split}): {text}")


def reference_line(reference: Reference) -> str:
    """Describe a reference trajectory in one line: its places, day by day."""
    days: dict[int, list[str]] = {}
    for visit in reference.visits:
        days.setdefault(visit.day, []).append(visit.name)
    told = "; ".join(f"day {day}: {', '.join(names)}" for day, names in sorted(days.items()))
    return f"{reference.trajectory_id}: {told}"


def number_lines(lines: Iterable[str], first: int = 1) -> str:
    """Number the lines and join them into one text."""
    return "\n".join(f"{n}. {text}" for n, text in enumerate(lines, first))


def short(text: str, most: int = _MOST_TEXT) -> str:
    """Shorten a text that is too long."""
    return text if len(text) <= most else text[: most - 1] + "…"
