"""What the adapters of OpenStreetMap and Overture share: files of a folder, kinds, rows by table.

A folder ``<city>/`` of files is that city's; files beside such folders serve every city, and a
place is the city's when it lies within ``NEAR_M`` of its centre.

Categories become codes of tripbed's taxonomies. OpenStreetMap: the documented values of
``tourism``, ``historic``, ``leisure``, ``natural``, ``amenity``, ``shop`` and ``cuisine``
(wiki.openstreetmap.org, Map features). Overture: the codes of its place categories
(docs.overturemaps.org, guides/places). The mapping is our reading; a value without an entry is no
place of the sandbox, or of an unknown type.
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
#: OpenStreetMap's ``cuisine`` (and Overture's ``<cuisine>_restaurant``) in the one vocabulary.
CUISINE_WORDS = _LISTS.pairs("cuisine_words")
#: A file without a city's folder holds a region: what lies farther from the centre is not ours.
NEAR_M = 60_000.0


@dataclass(frozen=True)
class CategoryKind:
    """What a category makes of a place: its table, and the code within the table.

    ``code`` is a base type of an attraction, a cuisine of a restaurant, a feature of a hotel, or
    empty. ``category`` is a category of TP-RAG that the base type does not give.
    """

    table: str
    code: str = ""
    category: str = ""


def _kinds(name: str) -> dict[str, CategoryKind]:
    return {
        value: CategoryKind(table, code, category)
        for table, code, category, value in _LISTS.table(name)
    }


#: OpenStreetMap, as ``key=value``; the first tag of a feature in this order decides.
OSM_KINDS = _kinds("osm_kinds")


#: Overture's categories.
OVERTURE_KINDS = _kinds("overture_kinds")


def overture_kind(category: str) -> CategoryKind | None:
    """What an Overture category means; ``<cuisine>_restaurant`` is a restaurant of the cuisine."""
    kind = OVERTURE_KINDS.get(category)
    if kind is None and category.endswith("_restaurant"):
        return CategoryKind(
            "restaurants", CUISINE_WORDS.get(category.removesuffix("_restaurant"), "")
        )
    return kind


def cuisine_of(words: str) -> str | None:
    """Code of the first known cuisine of a list with semicolons; a general word comes last."""
    found = [
        CUISINE_WORDS[word]
        for part in words.split(";")
        if (word := part.strip().casefold().replace(" ", "_")) in CUISINE_WORDS
    ]
    specific = [code for code in found if code not in ("other_chinese", "asian", "western")]
    return next(iter(specific or found), None)


def files_of(directory: Path, endings: tuple[str, ...], city: City) -> list[tuple[str, bool]]:
    """Files that may concern the city, and whether they are the city's own. Raises TableError."""
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
        raise TableError(f"{directory}: there is no file {' or '.join(endings)} of {city.name_en}")
    return found


def city_folders(directory: Path, endings: tuple[str, ...]) -> list[str] | None:
    """Cities that have a folder; None where a file stands beside them, or none has one."""
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
    """Rows by table, and what was left out by file and reason."""

    city: City
    rows: dict[str, list[SourceRow]] = field(default_factory=dict)
    left_out: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, table: str, row: SourceRow) -> None:
        """Take a row into a table."""
        self.rows.setdefault(table, []).append(row)

    def leave(self, file: str, reason: str) -> None:
        """Count a feature that is not read."""
        self.left_out.setdefault(file, Counter())[reason] += 1

    def is_near(self, lat: float, lon: float) -> bool:
        """Whether a place of a regional file is the city's."""
        return bool(distance_m(lat, lon, self.city.lat, self.city.lon) <= NEAR_M)

    def import_tables(self) -> Imported:
        """The tables; what was left out becomes findings."""
        tables = ("attractions", "hotels", "restaurants", "hubs")
        rows = {table: self.rows.get(table, []) for table in tables}
        intakes, _ = canonical.read_rows(rows, self.city)
        for file, reasons in sorted(self.left_out.items()):
            message = "; ".join(f"{n} {reason}" for reason, n in _most(reasons.items()))
            intakes[0].note("mark", "not_ours", file, None, message)
        return assemble(intakes)


def read_day(value: Any) -> dt.date | None:
    """The day with which a time in ISO format begins; None for all else."""
    try:
        return dt.date.fromisoformat(str(value or "")[:10])
    except ValueError:
        return None


def _most(counts: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """The twenty most frequent, and the others as one."""
    ordered = sorted(counts, key=lambda entry: (-entry[1], entry[0]))
    rest = sum(n for _, n in ordered[20:])
    return ordered[:20] + ([("of other kinds", rest)] if rest else [])
