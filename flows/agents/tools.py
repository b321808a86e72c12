"""Defines the sandbox's tools, which have short descriptions and short, readable answers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from flows.agents import words
from flows.agents.registry import (
    MOST_PLACES,
    MOST_ROWS,
    City,
    Date,
    InLang,
    Page,
    PlaceName,
    QueryId,
    Rows,
    Session,
    Table,
    Time,
    ToolAnswer,
    Where,
    page_of,
    tool,
    where_of,
)
from flows.agents.words import both_names, line, name_in, number_lines, row_of
from schemas.nouns import count_noun
from schemas.values import clock_text
from warehouse.errors import SandboxError
from warehouse.records import Place, as_json


@tool()
def cities(session: Session) -> ToolAnswer:
    """List the cities in the sandbox, with the currency of each city."""
    rows = [{"city": slug, "currency": session.box.currency(slug)} for slug in session.box.cities]
    return ToolAnswer(
        number_lines(f"{r['city']} (currency {r['currency']})" for r in rows), {"rows": rows}
    )


@tool(city="杭州", table="attractions")
def fields(session: Session, city: City, table: Table) -> ToolAnswer:
    """List the fields of a table that select can compare, with their types. Fields ending in _cents
    are in hundredths of the record's currency, and fields ending in _min are in minutes."""
    held = session.box.fields(city, table)
    shown = {k: v for k, v in held.items() if k not in ("hours_row", "superseded_by")}
    return ToolAnswer(
        number_lines(f"{name}: {kind}" for name, kind in shown.items()), {"fields": shown}
    )


@tool(city="杭州", table="restaurants", field="price_cents", op="<", value=5000)
def select(
    session: Session, city: City, table: Table,
    field: Annotated[
        str | None,
        Field(description="field to compare; if it is left out, all places are listed"),
    ] = None,
    op: Annotated[
        Literal["==", "!=", "<", "<=", ">", ">=", "in", "contains", "known", "unknown"],
        Field(description="type of comparison; unknown values match only 'unknown'"),
    ] = "==",
    value: Annotated[
        str | int | float | list[str | int | float] | None,
        Field(description="value to compare with: a price in cents, or a list for op 'in'"),
    ] = None,
    lang: InLang = "zh", page: Page = 1, rows: Rows = 10,
) -> ToolAnswer:  # fmt: skip
    """List the places of a table, one page at a time: all of them, or those for which a
    comparison of one field is true. Prices are hundredths of the currency's unit (5000 is 50
    yuan)."""
    if isinstance(value, list) and len(value) > 100:
        raise SandboxError("value can be a list of at most 100 values")
    if (op == "in") != isinstance(value, list) and field is not None:
        raise SandboxError("give a list of values with op 'in', and one value with any other op")
    try:
        found = session.box.select(city, table, field, op, value)
    except (TypeError, ValueError) as error:
        if isinstance(error, SandboxError):
            raise
        raise SandboxError(f"{field} cannot be compared using {op} with {value!r}") from None
    return page_of(found, page, rows, lambda p: row_of(p, lang), lambda p: line(p, lang), table)


@tool(city="杭州", name="west lake", lang="en")
def find(
    session: Session, city: City, name: PlaceName,
    table: Annotated[Table | None, Field(description="search only this table")] = None,
    lang: InLang = "zh",
) -> ToolAnswer:  # fmt: skip
    """Find one place by name, alias or id. Case and accents do not matter. Returns its type, hours,
    price and coordinates, and the facts about an attraction."""
    place = session.box.find(city, name, table)
    facts = session.box.facts(city, place)
    told = "".join(f"\n- {words.fact_line(fact)}" for fact in facts[:MOST_ROWS])
    row = {**row_of(place, lang), "facts": as_json(facts[:MOST_ROWS])}
    return ToolAnswer(line(place, lang) + told, row)


@tool(city="杭州", table="hotels", where="西湖", k=5)
def nearby(
    session: Session,
    city: City,
    table: Table,
    where: Where,
    k: Annotated[int | None, Field(description="number of nearest places", ge=1, le=1000)] = None,
    radius_m: Annotated[
        float | None,
        Field(
            description="maximum distance in metres (2000 by default, unless k is given)",
            ge=0,
            le=100_000,
        ),
    ] = None,
    lang: InLang = "zh",
    page: Page = 1,
    rows: Rows = 10,
) -> ToolAnswer:
    """List places from a table near a place or point, nearest first, with the distance to each in
    metres."""
    return page_of(
        session.box.nearby(city, table, where_of(where), k, radius_m), page, rows,
        lambda n: {**row_of(n.place, lang), "distance_m": round(n.distance_m, 1)},
        lambda n: f"{n.distance_m:.0f} m: {line(n.place, lang)}",
        f"{table} near {where}",
    )  # fmt: skip


@tool(city="杭州", where="西湖", date="2026-10-01", time="10:00")
def is_open(session: Session, city: City, where: PlaceName, date: Date, time: Time) -> ToolAnswer:
    """Check whether an attraction or restaurant is open at a time on a date, taking into account
    the public holidays of its country: yes, no, or unknown."""
    place = session.box.find(city, where)
    answer = session.box.is_open(city, place, date, time)
    word = {
        True: "open",
        False: "closed",
        None: "unknown: no source gives the opening hours for that day",
    }[answer]
    hours = getattr(place, "hours", None)
    return ToolAnswer(
        f"{place.name} on {date} at {time}: {word}" + (f" (hours: {hours.text})" if hours else ""),
        {"place_id": place.place_id, "open": answer, "hours": as_json(hours)},
    )


@tool(city="杭州")
def types(session: Session, city: City) -> ToolAnswer:
    """List types of a city's attractions (codes for base_type and trend_types), with the number of
    attractions of each type."""
    return _answer_counts(session.box.types(city))


@tool(city="杭州")
def cuisines(session: Session, city: City) -> ToolAnswer:
    """List cuisines of a city's restaurants (codes of the field cuisine), with counts."""
    return _answer_counts(session.box.cuisines(city))


def _answer_counts(counts: dict[str, int]) -> ToolAnswer:
    return ToolAnswer(
        ", ".join(f"{k}: {n}" for k, n in counts.items()) or "none", {"counts": counts}
    )


@tool(city="杭州", start="西湖", end="灵隐寺", depart="09:00", mode="taxi")
def goto(
    session: Session, city: City, start: Where, end: Where,
    depart: Annotated[str, Field(description="time of departure, HH:MM", max_length=5)],
    mode: Annotated[Literal["walk", "metro", "taxi"], Field(description="means of transport")],
) -> ToolAnswer:  # fmt: skip
    """Find the route between two places of a city: legs with times, metres and fares (cents; per
    car
    for a taxi, per person for the metro)."""
    legs = session.box.goto(city, *(where_of(start), where_of(end)), depart, mode)
    if legs is None:
        return ToolAnswer(
            f"No metro line connects {start} with {end}: try walk or taxi.",
            {"legs": None},
        )
    total = {
        "minutes": legs[-1].end_min - legs[0].start_min,
        "arrive": clock_text(legs[-1].end_min),
    }
    return ToolAnswer("\n".join(map(words.leg_line, legs)), {"legs": as_json(legs), **total})


@tool(city="杭州", start="西湖", end="杭州东站")
def metro_route(session: Session, city: City, start: Where, end: Where) -> ToolAnswer:
    """Find the metro ride between the stations nearest to two places: stations, changes, metres of
    track, minutes, and the fare per person in cents."""
    route = session.box.metro_route(city, *(where_of(start), where_of(end)))
    if route is None:
        return ToolAnswer(
            "No metro line connects the two places: try goto with walk or taxi.", {"route": None}
        )
    rides = [f"{r.line}: {' - '.join(r.stations)} ({r.ride_min} min)" for r in route.rides]
    fare = words.money(route.fare_cents, "CNY") or "fare unknown"
    text = f"{route.total_min} min, {route.distance_m:.0f} m, {fare}\n{number_lines(rides)}"
    return ToolAnswer(text, {"route": as_json(route)})


@tool(origin="杭州", destination="苏州", kind="train", earliest="08:00")
def intercity(
    session: Session, origin: City, destination: City,
    kind: Annotated[Literal["train", "airplane"], Field(description="kind of transport")] = "train",
    earliest: Annotated[str, Field(description="first departure, HH:MM", max_length=5)] = "00:00",
    page: Page = 1, rows: Rows = 10,
) -> ToolAnswer:  # fmt: skip
    """List direct trains or flights from one city to another by departure, with stations, times,
    minutes and the price of a seat in cents. Use another call for the journey back."""
    found = session.box.intercity(origin, destination, kind, earliest)
    title = f"{kind}s from {origin} to {destination}"
    return page_of(found, page, rows, as_json, words.connection_line, title)


@tool(city="杭州", places=["西湖", "灵隐寺"])
def distance_matrix(
    session: Session,
    city: City,
    places: Annotated[
        list[Where], Field(description="names, ids or points", min_length=2, max_length=MOST_PLACES)
    ],
) -> ToolAnswer:
    """Return the straight-line distances in metres between up to 30 places, in the given order."""
    asked = [where_of(where) for where in places]
    metres = session.box.distance_matrix(city, asked).round(1).tolist()
    lines = [
        f"{name}: {', '.join(f'{m:.0f}' for m in row)}"
        for name, row in zip(places, metres, strict=True)
    ]
    return ToolAnswer(
        "distances in metres, in the order of your request\n" + number_lines(lines),
        {"places": places, "metres": metres},
    )


@tool(city="杭州")
def city_stats(
    session: Session,
    city: City,
    currency: Annotated[
        str | None,
        Field(
            description="currency of the prices (ISO 4217); by default, the city's own",
            max_length=3,
        ),
    ] = None,
) -> ToolAnswer:
    """Return counts and price quantiles for a city, each with its unit and the number of rows on
    which it is based.
    """
    found = session.box.city_stats(city, currency)
    text = "\n".join(
        f"{name}: {s.value:g} {s.unit} ({count_noun(s.n_rows, 'row')})" for name, s in found.items()
    )
    return ToolAnswer(text or "there are no prices in that currency", {"stats": as_json(found)})


@tool(city="杭州", where="西湖", date="2026-10-01", time="10:00")
def queue_minutes(
    session: Session,
    city: City,
    where: PlaceName,
    date: Date,
    time: Time,
    grade: Annotated[
        str | None,
        Field(
            description=(
                "TravelEval's grade for how busy the date is; by default, derived from the date"
            ),
            max_length=40,
        ),
    ] = None,
) -> ToolAnswer:
    """Return the waiting time at an attraction in minutes, by TravelEval's model."""
    minutes = session.box.queue_minutes(city, where, date, time, grade)
    told = (
        "unknown: TravelEval's model does not cover this type of attraction or this hour"
        if minutes is None
        else f"{minutes:g} min"
    )
    return ToolAnswer(f"{where}: {told}", {"minutes": minutes})


@tool(split="test", lang="en")
def queries(
    session: Session,
    city: Annotated[City | None, Field(description="list only queries for this city")] = None,
    family: Annotated[str | None, Field(description="family of the queries", max_length=40)] = None,
    split: Annotated[str | None, Field(description="split of the queries", max_length=40)] = None,
    lang: InLang = "zh", page: Page = 1, rows: Rows = 10,
) -> ToolAnswer:  # fmt: skip
    """List the travellers' queries in the sandbox, one page at a time."""
    found = session.box.queries(city, family, split)
    return page_of(found, page, rows, as_json, lambda q: words.query_line(q, lang), "queries")


@tool(query_id="tprag-hangzhou-generic-3d")
def query(session: Session, query_id: QueryId) -> ToolAnswer:
    """Return one query: its text in both languages, and fields with what the query asks for."""
    found = session.box.query(query_id)
    row = as_json(found)
    asked = "\n".join(f"- {k}: {v}" for k, v in row["structure"].items() if v not in (None, [], {}))
    return ToolAnswer(
        words.short("\n".join(filter(None, (found.text_zh, found.text_en, asked))), 4000), row
    )


@tool(query_id="tprag-hangzhou-generic-3d", m=3)
def best_trajectories(
    session: Session, query_id: QueryId,
    m: Annotated[int, Field(description="number of routes", ge=1, le=20)] = 4,
    by: Annotated[Literal["quality", "relevance"], Field(description="sort order")] = "quality",
) -> ToolAnswer:  # fmt: skip
    """Return the best routes from travellers' documents for a query, with places by day."""
    found = session.box.best_trajectories(query_id, m, by)
    return ToolAnswer(
        number_lines(map(words.reference_line, found)) or "none", {"rows": as_json(found)}
    )


@tool(city="杭州", where="西湖")
def facts(session: Session, city: City, where: PlaceName) -> ToolAnswer:
    """List the facts about an attraction from sources and documents: hours, ticket prices,
    durations and seasons. For each fact, also return the period for which it is valid and the date
    of the source."""
    found = session.box.facts(city, where)[:MOST_ROWS]
    return ToolAnswer(
        number_lines(map(words.fact_line, found)) or "no facts are known", {"rows": as_json(found)}
    )


@tool(city="杭州", lang="en")
def popular(
    session: Session,
    city: City,
    context: Annotated[
        str,
        Field(description="a season, holiday or kind of traveller: see contexts", max_length=80),
    ] = "any:any",
    lang: InLang = "zh",
    page: Page = 1,
    rows: Rows = 10,
) -> ToolAnswer:
    """List attractions by how often and how early documents name them, the most popular first."""
    found = session.box.popular(city, context)
    return page_of(
        found, page, rows, lambda p: {"rank": p.rank, "score": p.score, **row_of(p.place, lang)},
        lambda p: line(p.place, lang), f"popular ({context})",
    )  # fmt: skip


@tool(city="杭州")
def contexts(session: Session, city: City) -> ToolAnswer:
    """List the seasons, holidays and kinds of travellers that the tool 'popular' accepts."""
    found = session.box.contexts(city)
    text = number_lines(f"{c.context_id} ({c.name_zh}, {c.name_en})" for c in found)
    return ToolAnswer(text or "none", {"rows": as_json(found)})


@tool(city="杭州", hotel="杭州君悦酒店")
def rooms(session: Session, city: City, hotel: PlaceName, lang: InLang = "zh") -> ToolAnswer:
    """List the room types of a hotel, with the price per night in cents and the number of free
    rooms."""
    place: Place = session.box.find(city, hotel, "hotels")
    money = getattr(place, "currency", None)
    found = session.box.rooms(city, place)
    lines = "\n".join(words.room_line(room, money) for room in found)
    head = {"place_id": place.place_id, "name": name_in(place, lang), "currency": money}
    return ToolAnswer(f"{both_names(place, lang)}\n{lines}", {**head, "rooms": as_json(found)})


@tool(seconds=60.0, command="attractions_nearby('杭州', '西湖', 5, 2)")
def chinatravel(
    session: Session,
    command: Annotated[
        str,
        Field(
            description="one call as text; its arguments must be plain values or filters "
            "(lambda x: ...)",
            max_length=2000,
        ),
    ],
) -> ToolAnswer:
    """Answer a call to ChinaTravel's environment, written as ChinaTravel's agents write it, with
    ChinaTravel's columns and texts: attractions_select, accommodations_nearby,
    restaurants_id_is_open, goto, intercity_transport_select, nextpage_of() and so on. Calls are not
    run as Python."""
    environment = session.environment()
    if session.memory is None:
        session.memory = environment.memory()
    found = environment.answer(command, session.memory)
    return ToolAnswer(str(found), {"success": found.success, "str": str(found)})
