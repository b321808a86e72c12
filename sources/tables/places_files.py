"""Find files and translate categories for the OpenStreetMap and Overture adapters.

The files in a folder ``<city>/`` describe that city. Files outside the cities' folders describe a
region and are read for every city. A place in a file about a region belongs to a city if it is
within ``NEAR_M`` of the city's centre.

Categories are translated into the codes of tripbed's taxonomies. The categories of OpenStreetMap
are the documented values of ``tourism``, ``historic``, ``leisure``, ``natural``, ``amenity``,
``shop`` and ``cuisine`` (wiki.openstreetmap.org, Map features). The categories of Overture are the
codes of its place categories (docs.overturemaps.org, guides/places). tripbed uses its own
translation of the categories. A place is left out if its category has no translation.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from schemas.cities import City
from schemas.geo import distance_m
from schemas.word_lists import Lists
from sources.tables import canonical
from sources.tables.connections import city_named, is_named
from sources.tables.imported import Imported, assemble
from sources.tables.intake import SourceRow, TableError

_LISTS = Lists("sources.tables")
#: Codes of the values of OpenStreetMap's ``cuisine`` and of Overture's ``<cuisine>_restaurant``.
CUISINE_WORDS = _LISTS.pairs("cuisine_words")
#: A place in a file about a region belongs to a city if it is at most this far from its centre.
NEAR_M = 60_000.0


@dataclass(frozen=True)
class CategoryKind:
    """The table to which a category of places belongs, and the code of the category in that table.

    ``code`` is the base type of an attraction, the cuisine of a restaurant, the feature of a hotel,
    or empty. ``category`` is a TP-RAG category that cannot be derived from the base type.
    """

    table: str
    code: str = ""
    category: str = ""


def _kinds(name: str) -> dict[str, CategoryKind]:
    return {
        value: CategoryKind(table, code, category)
        for table, code, category, value in _LISTS.table(name)
    }


#: Kinds by OpenStreetMap tag, written ``key=value``; the first tag in this order decides.
OSM_KINDS = _kinds("osm_kinds")


#: Kinds by Overture category.
OVERTURE_KINDS = _kinds("overture_kinds")


def overture_kind(category: str) -> CategoryKind | None:
    """Return the kind for an Overture category, or None if tripbed has no table for the category.

    The category ``<cuisine>_restaurant`` means a restaurant with that cuisine.
    """
    kind = OVERTURE_KINDS.get(category)
    if kind is None and category.endswith("_restaurant"):
        return CategoryKind(
            "restaurants", CUISINE_WORDS.get(category.removesuffix("_restaurant"), "")
        )
    return kind


def cuisine_of(words: str) -> str | None:
    """Return the code for the first known cuisine in a list separated by semicolons.

    General words, such as "asian", count only if there is no specific cuisine.
    """
    found = [
        CUISINE_WORDS[word]
        for part in words.split(";")
        if (word := part.strip().casefold().replace(" ", "_")) in CUISINE_WORDS
    ]
    specific = [code for code in found if code not in ("other_chinese", "asian", "western")]
    return next(iter(specific or found), None)


def files_of(directory: Path, endings: tuple[str, ...], city: City) -> list[tuple[str, bool]]:
    """Return the files to read for a city, and whether each file is in the city's own folder.

    Raises TableError if there are no files.
    """
    found = []
    for path in sorted(directory.rglob("*")):
        if not path.is_file() or not path.name.endswith(endings):
            continue
        parts = path.relative_to(directory).parts
        folder = parts[0] if len(parts) > 1 else None
        if folder is None or city_named(folder) is None:
            found.append((path.relative_to(directory).as_posix(), False))
        elif is_named(folder, city):
            found.append((path.relative_to(directory).as_posix(), True))
    if not found:
        raise TableError(f"{directory}: there is no {' or '.join(endings)} file for {city.name_en}")
    return found


def city_folders(directory: Path, endings: tuple[str, ...]) -> list[str] | None:
    """Return the cities that have a folder, or None if any file is outside such a folder."""
    folders: set[str] = set()
    for path in directory.rglob("*"):
        if path.is_file() and path.name.endswith(endings):
            parts = path.relative_to(directory).parts
            if len(parts) == 1 or city_named(parts[0]) is None:
                return None
            folders.add(parts[0])
    return sorted(folders) or None


@dataclass
class Gathered:
    """The rows for each table, and the number of places left out, by file and reason."""

    city: City
    rows: dict[str, list[SourceRow]] = field(default_factory=dict)
    left_out: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, table: str, row: SourceRow) -> None:
        """Add a row to a table."""
        self.rows.setdefault(table, []).append(row)

    def leave(self, file: str, reason: str) -> None:
        """Count a place that is left out."""
        self.left_out.setdefault(file, Counter())[reason] += 1

    def is_near(self, lat: float, lon: float) -> bool:
        """Check whether a place is close enough to the city's centre to belong to the city."""
        return bool(distance_m(lat, lon, self.city.lat, self.city.lon) <= NEAR_M)

    def import_tables(self) -> Imported:
        """Build the city's tables, and turn the places that were left out into findings."""
        tables = ("attractions", "hotels", "restaurants", "hubs")
        rows = {table: self.rows.get(table, []) for table in tables}
        intakes, _ = canonical.read_rows(rows, self.city)
        for file, reasons in sorted(self.left_out.items()):
            message = "; ".join(f"{n} {reason}" for reason, n in _most(reasons.items()))
            intakes[0].note("mark", "not_ours", file, None, message)
        return assemble(intakes)


def read_day(value: Any) -> dt.date | None:
    """Return the date at the beginning of an ISO timestamp, or None if there is no date."""
    try:
        return dt.date.fromisoformat(str(value or "")[:10])
    except ValueError:
        return None


def _most(counts: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the twenty most frequent reasons with their counts, and the total for all other
    reasons.
    """
    ordered = sorted(counts, key=lambda entry: (-entry[1], entry[0]))
    rest = sum(n for _, n in ordered[20:])
    return ordered[:20] + ([("of other kinds", rest)] if rest else [])
