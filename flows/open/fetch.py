"""Fetches open data for ``tripbed sources fetch``, and for builds with ``--from``.

The command prints the progress and counts on standard error and, at the end, the path of the
folder.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console

from flows.console import print_json
from flows.errors import SettingsError
from flows.open.folder import (
    OTHERS,
    append_places,
    append_rows,
    append_table,
    check_target,
    merge,
    whole,
    write_accounts,
    write_boundary,
    write_sources,
)
from flows.settings.environment import Settings
from schemas.cities import City, find_city
from schemas.nouns import count_noun
from sources.open.area import Area, Boundary, boxes_of
from sources.open.errors import OpenDataError
from sources.open.kept import Store
from sources.open.provider import PLACES, ProviderContext, ProviderRows, SourceOrigin
from sources.open.registry import ProviderChoice, parse_providers
from sources.open.settings import OpenSettings

SET_ASIDE = "set_aside.csv"
#: Half the size, in degrees, of the box around a centre that a message proposes.
_PROPOSED_DEG = 0.1


@dataclass(frozen=True)
class FetchRequest:
    """The options for open data: the providers, the cities, an area, and the folder where answers
    are kept.
    """

    asked: Sequence[ProviderChoice]
    cities: Sequence[City]
    bbox: str | None
    archive: Path
    settings: Settings
    offline: bool = False
    refresh: bool = False


@dataclass
class FetchedPlaces:
    """The result of a fetch: places by city and table, and the counts of each provider."""

    folder: Path
    cities: dict[str, dict[str, Any]] = field(default_factory=dict)
    between: list[dict[str, Any]] = field(default_factory=list)


def wish(
    sources: Sequence[str], cities: Sequence[str], bbox: str | None, archive: Path,
    settings: Settings, *, offline: bool, refresh: bool,
) -> FetchRequest:  # fmt: skip
    """Check the options before any request is sent, and return them.

    Raises SettingsError or OpenDataError if an option is wrong.
    """
    asked = [one for text in sources for one in parse_providers(text)]
    if not asked:
        raise SettingsError("choose a provider of open data with --from")
    if offline and refresh:
        raise SettingsError(
            "--refresh needs the network, but --offline forbids its use: give only one of the two"
        )
    found = list({city.city_id: city for city in map(find_city, cities)}.values())
    if bbox is not None:
        boxes_of(bbox)
        if len(found) > 1:
            raise SettingsError("--bbox is for a single city: give only one city with --city")
    return FetchRequest(asked, found, bbox, archive, settings, offline, refresh)


def fetch(
    asked: FetchRequest, out: Path, tell: Callable[[str], None] = lambda _step: None
) -> FetchedPlaces:
    """Fetch and merge open data about cities, and write a folder of tables.

    An earlier folder at ``out`` stays in place until the new folder is complete. Raises
    SettingsError if the folder cannot be used, and OpenDataError if a provider does not answer.
    """
    check_target(out)
    store = Store(asked.archive, offline=asked.offline, refresh=asked.refresh)
    context = ProviderContext(asked.settings.part(OpenSettings), store, tell)
    result = FetchedPlaces(out)
    origins: list[SourceOrigin] = []
    with whole(out) as folder:
        areas = []
        for city in asked.cities:
            area = _area(context, asked, city)
            areas.append(area)
            write_boundary(folder, area)
            found = [(one, one.provider.find(context, area, one.given)) for one in asked.asked]
            tell(f"{city.name_en}: merging")
            counts = {
                table: _merge(folder, table, city, [rows for _, rows in found]) for table in PLACES
            }
            counts |= _others(folder, [rows for _, rows in found])
            result.cities[city.slug] = {
                "area": _tell_area(area),
                "tables": counts,
                "providers": [_account(one, rows) for one, rows in found],
            }
            for _, rows in found:
                origins += rows.origins
                aside = [{"city": city.slug, **row} for row in rows.account.set_aside]
                append_rows(folder / SET_ASIDE, pl.DataFrame(aside))
        if len(areas) > 1:
            result.between = _write_connections(folder, context, asked.asked, areas)
        write_sources(folder, origins)
        write_accounts(folder, {"cities": result.cities, "between": result.between})
    return result


def _area(context: ProviderContext, asked: FetchRequest, city: City) -> Area:
    """Return the box given for a city; if there is none, return the boundary from the first
    provider that has one.

    Raises OpenDataError if no provider has a boundary.
    """
    boundary = _boundary(context, asked.asked, city)
    if asked.bbox is not None:
        return Area(city, boxes_of(asked.bbox), boundary)
    if boundary is None:
        west, south = city.lon - _PROPOSED_DEG, city.lat - _PROPOSED_DEG
        east, north = city.lon + _PROPOSED_DEG, city.lat + _PROPOSED_DEG
        names = ", ".join(one.provider.name for one in asked.asked)
        raise OpenDataError(
            f"no boundary of {city.name_en} was found ({names}): give a bounding box, such as "
            f"--bbox={west:.2f},{south:.2f},{east:.2f},{north:.2f}"
        )
    return Area(city, boundary.boxes(), boundary)


def _boundary(
    context: ProviderContext, asked: Sequence[ProviderChoice], city: City
) -> Boundary | None:
    found = (
        one.provider.boundary(context, city, one.given)
        for one in asked
        if one.provider.boundary is not None
    )
    return next((boundary for boundary in found if boundary is not None), None)


def _merge(folder: Path, table: str, city: City, found: Sequence[ProviderRows]) -> dict[str, int]:
    frames = [rows.tables[table] for rows in found if table in rows.tables]
    if not frames:
        return {"rows": 0, "merged": 0, "places": 0}
    rows = sum(frame.height for frame in frames)
    places = merge(city, frames)
    append_places(folder, table, city, places)
    return {"rows": rows, "merged": rows - places.height, "places": places.height}


def _others(folder: Path, found: Sequence[ProviderRows]) -> dict[str, dict[str, int]]:
    """Write the rows about metro lines and fares unchanged, and count them."""
    counts = {}
    for table in OTHERS:
        frames = [rows.tables[table] for rows in found if table in rows.tables]
        n = sum(frame.height for frame in frames)
        for frame in frames:
            append_table(folder, table, frame)
        if frames:
            counts[table] = {"rows": n, "merged": 0, "places": n}
    return counts


def _write_connections(
    folder: Path, context: ProviderContext, asked: Sequence[ProviderChoice], areas: Sequence[Area]
) -> list[dict[str, Any]]:
    """Write the trains between the cities, and the stations of these trains.

    Returns the counts of each provider.
    """
    told = []
    for one in asked:
        if one.provider.connect is not None:
            rows = one.provider.connect(context, areas, one.given)
            for table in ("trains", "hubs"):
                append_table(folder, table, rows.tables[table])
            counts = {table: frame.height for table, frame in rows.tables.items()}
            told.append({**_account(one, rows), "tables": counts})
    return told


def _tell_area(area: Area) -> dict[str, Any]:
    boundary = area.boundary
    return {
        "boxes": [box.row() for box in area.boxes],
        "boundary": boundary and {
            "name": boundary.name, "id": boundary.source_id, "source": boundary.source,
            "licence": boundary.licence, "date": boundary.date,
        },
    }  # fmt: skip


def _account(one: ProviderChoice, found: ProviderRows) -> dict[str, Any]:
    account = found.account
    return {
        "provider": one.provider.name,
        "rows": account.rows_in,
        "kept": account.kept,
        "set_aside": len(account.set_aside),
        "left_out": dict(sorted(account.left_out.items(), key=lambda e: (-e[1], e[0]))),
        "marks": dict(sorted(account.marks.items())),
        "notes": account.notes,
        "sources": [
            {"name": o.name, "licence": o.licence, "date": o.date, **o.told} for o in found.origins
        ],
    }


#: The number of reasons for omitted rows that are shown; ``accounts.json`` contains all.
_SHOWN = 5


def fetch_quietly(asked: FetchRequest, out: Path, *, quiet: bool) -> FetchedPlaces:
    """Fetch data; print the progress (on one line) and the counts on standard error."""
    console = Console(stderr=True, quiet=quiet, highlight=False)
    with console.status("open data") as status:
        found = fetch(asked, out, status.update)
    for line in lines(found):
        console.print(line, markup=False, soft_wrap=True)
    return found


def run(asked: FetchRequest, out: Path, *, as_json: bool) -> None:
    """Fetch data and print the results."""
    found = fetch_quietly(asked, out, quiet=as_json)
    if as_json:
        print_json({"path": str(found.folder), "cities": found.cities})
    else:
        sys.stdout.write(f"{found.folder}\n")


def lines(found: FetchedPlaces) -> list[str]:
    """Describe the counts, with one line per provider and one per city."""
    told = []
    for slug, city in found.cities.items():
        boundary = city["area"]["boundary"]
        where = (
            f"within {boundary['name']} ({boundary['source']})" if boundary else "within the box"
        )
        told.append(f"{slug}, {where}")
        for one in city["providers"]:
            told += [
                f"  {_provider(one)}",
                *(f"  {one['provider']}: {note}" for note in one["notes"]),
            ]
        tables = ", ".join(
            f"{counts['places']:,} {table}" for table, counts in city["tables"].items()
        )
        merged = sum(counts["merged"] for counts in city["tables"].values())
        told.append(f"  {tables}; {count_noun(merged, 'row')} merged into other rows")
    for one in found.between:
        trains, hubs = one["tables"].get("trains", 0), one["tables"].get("hubs", 0)
        told.append(
            f"for journeys between the cities: {count_noun(trains, 'train')},"
            f" {count_noun(hubs, 'station')}"
        )
    return told


def _provider(one: dict[str, Any]) -> str:
    left = list(one["left_out"].items())
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in left[:_SHOWN])
    rest = sum(n for _, n in left[_SHOWN:])
    more = f", and {rest:,} for other reasons" if rest else ""
    dates = ", ".join(sorted({str(source["date"]) for source in one["sources"] if source["date"]}))
    return (
        f"{one['provider']}{f' ({dates})' if dates else ''}: {count_noun(one['rows'], 'row')}, "
        f"{one['kept']:,} kept, {one['set_aside']:,} set aside"
        + (f"; left out: {reasons}{more}" if left else "")
    )
