"""Read a city's stations, lines and fares, and the trains between cities, from a GTFS feed.

No directory lists all feeds, so the user specifies the address or file of a feed with ``gtfs=`` or
``TRIPBED_GTFS_FEED``.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import polars as pl

from schemas.fares import FareRide, FareRule, fare_cents
from sources.open.area import Area
from sources.open.asking import Asker
from sources.open.errors import OpenDataError
from sources.open.gtfs_fares import Fare, Fares, lines_of, read_fares
from sources.open.gtfs_feed import Feed, unpack
from sources.open.gtfs_lines import line_rows
from sources.open.gtfs_timetable import (
    FeedRows,
    FeedTimetable,
    account_calls,
    calls,
    read_timetable,
    stations_in,
)
from sources.open.provider import (
    OpenProvider,
    ProviderContext,
    ProviderRows,
    SourceOrigin,
    schema_of,
)

NAME = "gtfs"
_MOST_BYTES = 4_000_000_000
_STATIONS = pl.Schema(
    {
        "base": pl.String(), "line": pl.String(), "name": pl.String(), "ride_s": pl.Int64(),
        "wait_s": pl.Int64(), "lat": pl.Float64(), "lon": pl.Float64(), "change_s": pl.Int64(),
        "zones": pl.String(), "routes": pl.List(pl.String()),
    }
)  # fmt: skip


def find(context: ProviderContext, area: Area, given: str | None) -> ProviderRows:
    """Return the stations, lines and fares in an area.

    Raises OpenDataError if the feed cannot be read or has no stops in the area.
    """
    with _open_feed(context, given) as (feed, came):
        rows = FeedRows()
        table = read_timetable(feed, rows)
        context.tell(f"{NAME}: {area.city.name_en}, {table.day.date}")
        inside = _inside(table, area, rows)
        account_calls(table, inside, rows)
        fares = read_fares(
            feed, dict(table.stops.drop_nulls("zone").select("stop_id", "zone").iter_rows())
        )
        origin = _origin(context, table, came)
        stations = _stations(table, inside, fares, rows)
        told = _fare_rows(stations, fares, rows)
        tables = {
            "metro_stations": _sign_frame(stations, area, origin),
            "metro_fares": _sign_frame(told, area, origin),
        }
        _finish(feed, rows, table, came)
    return ProviderRows(tables, (origin,), rows.account)


def connect(context: ProviderContext, areas: Sequence[Area], given: str | None) -> ProviderRows:
    """Return the trains between the areas, and the stations where these trains stop.

    Raises OpenDataError if the feed cannot be read.
    """
    with _open_feed(context, given) as (feed, came):
        rows = FeedRows()
        table = read_timetable(feed, FeedRows())
        origin = _origin(context, table, came)
        trains = table.trips.filter("is_rail")
        held = [_label_rows(table, area, number) for number, area in enumerate(areas)]
        inside = pl.concat(held).unique("stop_id", keep="first", maintain_order=True)
        found = calls(table, inside, trains, rows, least=2) if trains.height else pl.DataFrame()
        fares = read_fares(
            feed, dict(table.stops.drop_nulls("zone").select("stop_id", "zone").iter_rows())
        )
        journeys = _journeys(table, inside, found, areas, fares, rows)
        rows.account.rows_in += len(journeys)
        rows.account.kept += len(journeys)
        hubs = _hubs(inside, journeys, areas, origin)
    return ProviderRows(
        {"trains": _sign_rows(journeys, origin), "hubs": hubs}, (origin,), rows.account
    )


@dataclass(frozen=True)
class _Came:
    """A feed's file or address, and the day on which the feed was fetched."""

    called: str
    fetched_on: str | None


@contextmanager
def _open_feed(context: ProviderContext, given: str | None) -> Iterator[tuple[Feed, _Came]]:
    where = given or context.settings.gtfs_feed
    if where is None:
        raise OpenDataError(
            f"{NAME} needs a feed: give its file or address, such as --from gtfs=lisbon.zip, or"
            " set TRIPBED_GTFS_FEED"
        )
    path, came = _locate_feed(context, where)
    with tempfile.TemporaryDirectory(prefix="tripbed-gtfs-") as folder:
        yield unpack(path, came.called, Path(folder)), came


def _locate_feed(context: ProviderContext, where: str) -> tuple[Path, _Came]:
    if urlsplit(where).scheme not in ("http", "https"):
        return Path(where), _Came(Path(where).name, None)

    def make(path: Path) -> Mapping[str, Any]:
        context.tell(f"{NAME}: {where}")
        asyncio.run(_save(context, where, path))
        return {}

    kept = context.store.get(NAME, {"url": where}, ".zip", make)
    parts = urlsplit(where)
    return kept.path, _Came(f"{parts.hostname}{parts.path}", str(kept.about["fetched_on"]))


async def _save(context: ProviderContext, url: str, path: Path) -> None:
    async with Asker(NAME, context.settings.asking(url, timeout_s=300.0)) as asker:
        await asker.save(url, path, _MOST_BYTES)


def _origin(context: ProviderContext, table: FeedTimetable, came: _Came) -> SourceOrigin:
    """Return a feed's publisher, the licence as given by the user, and the day of the timetable."""
    columns = ("feed_publisher_name", "feed_version", "feed_start_date", "feed_end_date")
    info = next(table.feed.read("feed_info.txt", columns).iter_rows(named=True), {})
    agencies = table.feed.read("agency.txt", ("agency_name",))["agency_name"].drop_nulls()
    publisher = info.get("feed_publisher_name") or "; ".join(
        agencies.unique(maintain_order=True)[:3]
    )
    name = f"GTFS of {publisher}" if publisher else f"GTFS {came.called}"
    told = {
        "feed": came.called, "version": info.get("feed_version"), "day": table.day.date.isoformat(),
        "calendar": [table.day.first.isoformat(), table.day.last.isoformat()],
    }  # fmt: skip
    return SourceOrigin(name, context.settings.gtfs_licence, table.day.date.isoformat(), told)


def _finish(feed: Feed, rows: FeedRows, table: FeedTimetable, came: _Came) -> None:
    notes = list(feed.notes)
    today = came.fetched_on or dt.datetime.now(dt.UTC).date().isoformat()
    if table.day.last.isoformat() < today:
        notes.append(
            f"the timetable is out of date: its calendar covers {table.day.first} to "
            f"{table.day.last}. The times for {table.day.date} are used. Look for a newer feed."
        )
    rows.account.notes += notes
    rows.account.check(NAME)


def _inside(table: FeedTimetable, area: Area, rows: FeedRows) -> pl.DataFrame:
    """Return the stops in the area. Raises OpenDataError if the area has no stops."""
    held = _label_rows(table, area, 0)
    rows.account.kept += held.height
    rows.leave(table.stops.height - held.height, "stops outside the city")
    if held.is_empty():
        raise OpenDataError(
            f"{NAME}={table.feed.name}: none of the feed's {table.stops.height:,} stops is in"
            f" {area.city.name_en}: check that the feed is for this city, or give the bounding box"
            " of the city with --bbox"
        )
    return held


def _label_rows(table: FeedTimetable, area: Area, group: int) -> pl.DataFrame:
    stops = table.stops.with_row_index("s")
    inside = area.holds(stops["lat"].to_numpy(), stops["lon"].to_numpy())
    return stations_in(stops, np.asarray(inside)).with_columns(group=pl.lit(group))


def _stations(
    table: FeedTimetable, inside: pl.DataFrame, fares: Fares, rows: FeedRows
) -> pl.DataFrame:
    """Return rows for ``metro_stations``, sorted by the name of the line."""
    found = calls(table, inside, table.trips, rows)
    places = inside.unique("label", keep="first", maintain_order=True)
    change = _change_s(table.feed, inside, rows)
    zones = _zones(inside, fares)
    routes: dict[str, list[str]] = {}
    for route, line in table.lines.items():
        routes.setdefault(line, []).append(route)
    at = {
        label: (lat, lon)
        for label, lat, lon in places.select("label", "at_lat", "at_lon").iter_rows()
    }
    made = [
        {
            **row,
            "lat": at[row["name"]][0],
            "lon": at[row["name"]][1],
            "change_s": change.get(row["name"]),
            "zones": "|".join(sorted(zones.get(row["name"], ()))) or None,
            "routes": routes[row["base"]],
        }
        for row in line_rows(inside, found, table.feed, table.trips)
    ]
    silent = sum(row["ride_s"] is None for row in made) - len({row["line"] for row in made})
    if silent > 0:
        rows.account.marks[
            (
                "pairs of neighbouring stations without a travel time; the time is computed from"
                " the distance at 30 km/h"
            )
        ] += silent
    return pl.DataFrame(made, schema=_STATIONS)


def _zones(inside: pl.DataFrame, fares: Fares) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for stop, station, label in inside.select("stop_id", "station", "label").iter_rows():
        own = fares.zones.get(stop) or fares.zones.get(station) or frozenset()
        found.setdefault(label, set()).update(zone.replace("|", "/") for zone in own if zone)
    return found


def _change_s(feed: Feed, inside: pl.DataFrame, rows: FeedRows) -> dict[str, int]:
    """Return, for each station in ``transfers.txt``, the longest time for a change, in seconds."""
    labels = dict(inside.select("stop_id", "label").iter_rows())
    labels.update(dict(inside.select("station", "label").iter_rows()))
    found: dict[str, int] = {}
    columns = ("from_stop_id", "to_stop_id", "transfer_type", "min_transfer_time")
    for row in feed.read("transfers.txt", columns).iter_rows(named=True):
        rows.account.rows_in += 1
        one, two = labels.get(row["from_stop_id"] or ""), labels.get(row["to_stop_id"] or "")
        text = row["min_transfer_time"] or ""
        if one is None or two is None:
            rows.leave(1, "transfers outside the city")
        elif row["transfer_type"] == "3":
            rows.leave(1, "transfers that the feed marks as impossible")
        elif one != two:
            rows.leave(
                1,
                (
                    "transfers between two stations; tripbed itself adds walks between stations"
                    " within 300 m"
                ),
            )
        elif not (text.isascii() and text.isdigit() and int(text) <= 7200):
            rows.leave(1, "transfers without a time")
        else:
            found[one] = max(found.get(one, 0), int(text))
            rows.account.kept += 1
    return found


def _fare_rows(stations: pl.DataFrame, fares: Fares, rows: FeedRows) -> pl.DataFrame:
    """Return rows for ``metro_fares`` about the city's lines and zones."""
    rows.account.rows_in += fares.rows_in
    for table, why, row in fares.broken:
        rows.quarantine(table, [row], why)
    for why, n in fares.left_out.items():
        rows.leave(n, why)
    lines: dict[str, list[str]] = {}
    for line, routes in (
        stations.unique("line", maintain_order=True).select("line", "routes").iter_rows()
    ):
        for route in routes:
            lines.setdefault(route, []).append(line)
    zones = {zone for text in stations["zones"].drop_nulls() for zone in text.split("|")}
    ours = [(rule, line) for rule, line in lines_of(fares.rules, lines) if _is_ours(rule, zones)]
    # All other rows were read, but some belong to lines or zones outside the city.
    read = fares.rows_in - len(fares.broken) - fares.left_out.total()
    used = min(read, len({rule for rule, _ in ours}))
    rows.account.kept += used
    rows.leave(read - used, "fares for lines or zones outside the city, or repeated fares")
    made = dict.fromkeys(
        (
            line,
            _zone(rule.from_zone),
            _zone(rule.to_zone),
            rule.price,
            rule.currency,
            rule.transfers,
        )
        for rule, line in ours
    )
    schema = {"line": pl.String, "from_zone": pl.String, "to_zone": pl.String, "price": pl.String,
              "currency": pl.String, "transfers": pl.Int64}  # fmt: skip
    return pl.DataFrame(list(made), schema=schema, orient="row")


def _zone(text: str | None) -> str | None:
    return None if text is None else text.replace("|", "/")


def _is_ours(rule: Fare, zones: set[str]) -> bool:
    return all(zone is None or _zone(zone) in zones for zone in (rule.from_zone, rule.to_zone))


def _journeys(
    table: FeedTimetable,
    inside: pl.DataFrame,
    found: pl.DataFrame,
    areas: Sequence[Area],
    fares: Fares,
    rows: FeedRows,
) -> list[dict[str, Any]]:
    """Return rows for ``trains``, one for each pair of a train's stations that are in different
    areas.
    """
    if found.is_empty():
        return []
    named = found.join(
        inside.select("s", "stop_id", "station", "label"), on="s", maintain_order="left"
    )
    numbers = {
        t: (number, line, route)
        for t, number, line, route in (
            table.trips.filter("is_rail")
            .select("t", pl.coalesce("trip_short_name", "base"), "line", "route_id")
            .iter_rows()
        )
    }
    made: dict[tuple[Any, ...], dict[str, Any]] = {}
    for (t,), trip in named.group_by("t", maintain_order=True):
        stops = trip.to_dicts()
        number, line, route = numbers[t]
        for at, one in enumerate(stops):
            for two in stops[at + 1 :]:
                if one["group"] == two["group"]:
                    continue
                if one["dep"] is None or two["arr"] is None or two["arr"] <= one["dep"]:
                    rows.account.marks["trains without readable times"] += 1
                    continue
                row = _journey(number, line, one, two, areas)
                row.update(_fare(route, one, two, areas, fares))
                made.setdefault(tuple(row.values()), row)
    return list(made.values())


def _journey(
    number: str, line: str, one: dict[str, Any], two: dict[str, Any], areas: Sequence[Area]
) -> dict[str, Any]:
    """Return a row for ``trains``; in a feed, times after midnight continue beyond 24:00."""
    leaves, arrives = one["dep"] // 60, -(-two["arr"] // 60)
    days = arrives // 1440 - leaves // 1440
    return {
        "train_id": number,
        "from_city": areas[one["group"]].city.slug,
        "from_station": one["label"],
        "to_city": areas[two["group"]].city.slug,
        "to_station": two["label"],
        "departure": _clock(leaves),
        "arrival": _clock(arrives) + (f"+{days}" if days else ""),
        "duration_min": arrives - leaves,
        "train_type": line,
    }


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def _fare(
    route: str, one: dict[str, Any], two: dict[str, Any], areas: Sequence[Area], fares: Fares
) -> dict[str, Any]:
    """Return the cheapest fare if both cities use the fare's currency; if not, it is unknown."""
    money = areas[one["group"]].city.currency
    rules = [
        FareRule(round(float(rule.price) * 100), None, rule.from_zone, rule.to_zone)
        for rule in fares.rules
        if rule.currency == money and rule.route_id in (None, route)
    ]
    ends = [
        frozenset(fares.zones.get(c["stop_id"]) or fares.zones.get(c["station"]) or ())
        for c in (one, two)
    ]
    cents = fare_cents(rules, [FareRide("", ends[0], ends[1])]) if rules else None
    if cents is None or money != areas[two["group"]].city.currency:
        return {"price": None, "currency": None}
    return {"price": f"{cents / 100:g}" if cents < 10**7 else str(cents // 100), "currency": money}


def _hubs(
    inside: pl.DataFrame,
    journeys: Sequence[dict[str, Any]],
    areas: Sequence[Area],
    origin: SourceOrigin,
) -> pl.DataFrame:
    """Return the stations where the trains stop, with each station's city and location."""
    named = {(j[f"{end}_city"], j[f"{end}_station"]) for j in journeys for end in ("from", "to")}
    places = inside.unique("label", keep="first", maintain_order=True)
    made = [
        {
            "city": city, "id": f"gtfs:{stop}", "name": label, "lat": lat, "lon": lon,
            "provider": NAME, "source": origin.name, "licence": origin.licence,
            "source_date": origin.date,
        }
        for group, stop, label, lat, lon in (
            places.select("group", "station", "label", "at_lat", "at_lon").iter_rows()
        )
        if ((city := areas[group].city.slug), label) in named
    ]  # fmt: skip
    return pl.DataFrame(made, schema={"city": pl.String, **schema_of("hubs")})


def _sign_frame(frame: pl.DataFrame, area: Area, origin: SourceOrigin) -> pl.DataFrame:
    """Add columns for the city and the source to rows."""
    own = frame.drop("base", "routes", strict=False)
    return own.select(pl.lit(area.city.slug).alias("city"), pl.all(), *_write_origin(origin))


def _sign_rows(rows: Sequence[dict[str, Any]], origin: SourceOrigin) -> pl.DataFrame:
    return (
        pl.DataFrame(list(rows), infer_schema_length=None).select(pl.all(), *_write_origin(origin))
        if rows
        else pl.DataFrame()
    )


def _write_origin(origin: SourceOrigin) -> list[pl.Expr]:
    said = {"source": origin.name, "licence": origin.licence, "source_date": origin.date}
    return [pl.lit(value, pl.String).alias(name) for name, value in said.items()]


PROVIDER = OpenProvider(NAME, find, None, lambda settings: settings.gtfs_feed, connect=connect)
