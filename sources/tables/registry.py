"""The layouts of structured sources by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from schemas.cities import City
from sources.tables import mapped, osm, overture, traveleval, tripbed_csv
from sources.tables.connections import city_named
from sources.tables.imported import Imported, TableError
from sources.tables.provenance import with_sources


@dataclass(frozen=True)
class Layout:
    """How a layout is read, and which cities a folder of it names (None if it names none)."""

    read: Callable[[Path, City], Imported]
    cities: Callable[[Path], list[str] | None]


LAYOUTS: dict[str, Layout] = {
    "traveleval": Layout(traveleval.read_traveleval, traveleval.city_folders),
    "tripbed": Layout(tripbed_csv.read_tripbed, tripbed_csv.city_names),
    "overture": Layout(overture.read_overture, overture.city_names),
    "osm": Layout(osm.read_osm, osm.city_names),
    "mapped": Layout(mapped.read_mapped, mapped.city_names),
}


def _layout(name: str) -> Layout:
    if name not in LAYOUTS:
        raise TableError(f"unknown table layout {name!r}; the known ones are {', '.join(LAYOUTS)}")
    return LAYOUTS[name]


def read_tables(directory: Path, layout: str, city: City) -> Imported:
    """The city's tables from a folder. Raises TableError, also for an unknown layout."""
    chosen = _layout(layout)
    if not directory.is_dir():
        raise TableError(f"{directory}: the folder does not exist")
    return with_sources(chosen.read(directory, city), directory, city)


def available_cities(directory: Path, layout: str) -> list[str] | None:
    """Names of the cities that a folder has tables of, in order; None where it does not say.

    Raises TableError, also for an unknown layout.
    """
    chosen = _layout(layout)
    if not directory.is_dir():
        raise TableError(f"{directory}: the folder does not exist")
    return chosen.cities(directory)


def cities_with_tables(directory: Path, layout: str) -> tuple[City, ...]:
    """The cities that a folder has tables of, by slug; names that no city bears are left out.

    Raises TableError, also for an unknown layout.
    """
    named = map(city_named, available_cities(directory, layout) or ())
    found = {city.city_id: city for city in named if city is not None}
    return tuple(sorted(found.values(), key=lambda city: city.slug))
