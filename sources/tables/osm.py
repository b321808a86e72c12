"""Read OpenStreetMap data from GeoJSON: a FeatureCollection, or one feature per line.

The tags of a feature are in its ``properties``, or in an object called ``tags`` or ``other_tags``
inside ``properties``. The list ``osm_kinds`` defines the meaning of each tag. OpenStreetMap data is
licensed under the ODbL 1.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from schemas.cities import City
from schemas.money import money_of
from sources.tables.files import cell_text, read_json, read_text
from sources.tables.imported import Imported
from sources.tables.intake import HAN, Provenance, SourceRow, TableError
from sources.tables.places_files import (
    OSM_KINDS,
    CategoryKind,
    Gathered,
    cuisine_of,
    files_of,
    read_day,
)

ENDINGS = (".geojson", ".geojsonl", ".geojsonseq", ".geojsons")
LICENCE = "ODbL-1.0"
_ALIASES = ("alt_name", "old_name", "official_name", "short_name", "loc_name")


def read_osm(directory: Path, city: City) -> Imported:
    """Read the city's tables. Raises TableError if there are no files or a file cannot be read."""
    gathered = Gathered(city)
    for file, is_own in files_of(directory, ENDINGS, city):
        for number, feature in _features(directory, file):
            take(gathered, file, number, feature, is_own)
    return gathered.import_tables()


def _features(directory: Path, file: str) -> Iterator[tuple[int, Any]]:
    """Yield each feature with its position in the collection or with its line number."""
    if file.endswith(".geojson"):
        document = read_json(directory, file)
        features = document.get("features") if isinstance(document, dict) else None
        if not isinstance(features, list):
            raise TableError(
                f"{directory / file}:1: the file must contain a GeoJSON FeatureCollection"
            )
        yield from enumerate(features, 1)
        return
    for line, text in enumerate(read_text(directory, file).split("\n"), 1):
        bare = text.strip().lstrip("\x1e")
        if bare:
            try:
                yield line, json.loads(bare)
            except (ValueError, RecursionError) as error:
                yield line, error


def take(gathered: Gathered, file: str, number: int, feature: Any, is_own: bool) -> None:
    """Add a feature to its table as a row; if it is not a place in the city, count it as left out.

    A value that is not a GeoJSON feature is added as a broken row.
    """
    if not isinstance(feature, dict) or not isinstance(feature.get("properties"), dict):
        row = SourceRow(
            file, number, {"feature": str(feature)[:200]}, "this is not a GeoJSON feature"
        )
        gathered.add("attractions", row)
        return
    tags = _tags(feature["properties"])
    kind = _kind(tags)
    if kind is None:
        gathered.leave(file, "without a tag for a place")
    elif not (tags.get("name") or tags.get("name:zh") or tags.get("name:en")):
        gathered.leave(file, f"of {kind.table} without a name")
    else:
        place = centre(feature.get("geometry"))
        if place is not None and not is_own and not gathered.is_near(*place):
            gathered.leave(file, "far from the city")
        else:
            home = gathered.city.currency
            gathered.add(kind.table, _row(file, number, feature, tags, kind, place, home))


def _tags(properties: dict[str, Any]) -> dict[str, str]:
    inner = properties.get("tags", properties.get("other_tags"))
    merged = {**properties, **inner} if isinstance(inner, dict) else properties
    return {str(key): cell_text(value).strip() for key, value in merged.items()}


def _kind(tags: dict[str, str]) -> CategoryKind | None:
    """Return the kind of place that the tags describe, or None for a subway station."""
    if tags.get("station") == "subway" or tags.get("subway") == "yes":
        return None
    keys = ("tourism", "historic", "leisure", "natural", "waterway", "boundary", "amenity",
            "shop", "railway", "aeroway")  # fmt: skip
    pairs = {f"{key}={tags[key]}" for key in keys if tags.get(key)}
    found = next((kind for pair, kind in OSM_KINDS.items() if pair in pairs), None)
    if found == CategoryKind("attractions") and "amenity=place_of_worship" in pairs:
        return OSM_KINDS["amenity=place_of_worship"]
    return found


def _row(
    file: str,
    number: int,
    feature: dict[str, Any],
    tags: dict[str, str],
    kind: CategoryKind,
    place: tuple[float, float] | None,
    home: str | None,
) -> SourceRow:
    name = tags.get("name", "")
    is_chinese = bool(HAN.search(name))
    cells = {
        "id": _id(feature, tags),
        "name": name or tags.get("name:zh", "") or tags.get("name:en", ""),
        "name_zh": tags.get("name:zh") or tags.get("name:zh-Hans") or (name if is_chinese else ""),
        "name_en": tags.get("name:en") or ("" if is_chinese else name),
        "aliases": "|".join(tags[key].replace(";", "|") for key in _ALIASES if tags.get(key)),
        "lat": "" if place is None else str(place[0]),
        "lon": "" if place is None else str(place[1]),
        "opening_hours": tags.get("opening_hours", ""),
        "provider": "openstreetmap",
        **_of_table(tags, kind, home),
    }
    said = Provenance(
        "OpenStreetMap", LICENCE, read_day(tags.get("@timestamp") or tags.get("timestamp"))
    )
    return SourceRow(file, number, cells, None, [], said)


def _of_table(tags: dict[str, str], kind: CategoryKind, home: str | None) -> dict[str, str]:
    if kind.table == "hotels":
        stars = tags.get("stars", "")
        return {"stars": stars, "feature": kind.code, "room_type": ""}
    if kind.table == "restaurants":
        return {"cuisine": cuisine_of(tags.get("cuisine", "")) or kind.code}
    price = _price(tags, home)
    return {
        "types": kind.code, "category": kind.category, **price,
        "wikidata": tags.get("wikidata", "").partition(";")[0].strip(),
    }  # fmt: skip


def _price(tags: dict[str, str], home: str | None) -> dict[str, str]:
    """Return the price: 0 for ``fee=no``, or the charge if this is a single amount in a known
    currency.
    """
    if tags.get("fee") == "no":
        return {"price": "0"}
    found = money_of(tags.get("charge", ""), home)
    if found is None or found[1] is None:
        return {}
    return {"price": str(found[0]), "currency": found[1]}


def _id(feature: dict[str, Any], tags: dict[str, str]) -> str:
    stated = feature.get("id") or tags.get("@id") or tags.get("id") or tags.get("osm_id")
    if stated:
        return f"osm:{stated}"
    return f"wikidata:{tags['wikidata']}" if tags.get("wikidata") else ""


def centre(geometry: Any) -> tuple[float, float] | None:
    """Return the latitude and longitude of a point, an area's centroid or a line's middle node.

    Returns None if the geometry cannot be read. Coordinates that are not on the globe are returned
    unchanged.
    """
    if not isinstance(geometry, dict):
        return None
    inner: Any = geometry.get("coordinates")
    try:
        match geometry.get("type"):
            case "Point":
                return float(inner[1]), float(inner[0])
            case "LineString":
                middle = inner[len(inner) // 2]
                return float(middle[1]), float(middle[0])
            case "Polygon":
                return _centroid(inner[0])
            case "MultiPolygon":
                rings = (part[0] for part in inner)
                return _centroid(max(rings, key=lambda ring: abs(_area(ring))))
    except (TypeError, IndexError, ValueError, KeyError):
        pass
    return None


def _area(ring: list[Any]) -> float:
    """Return the signed area of a ring in square degrees."""
    return float(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise(ring))) / 2


def _centroid(ring: list[Any]) -> tuple[float, float]:
    """Return the centroid of a ring, or the mean of its corners if its area is zero."""
    x0, y0 = ring[0][0], ring[0][1]
    shifted = [(p[0] - x0, p[1] - y0) for p in ring]
    area = _area(shifted)
    if area == 0:
        return y0 + sum(p[1] for p in shifted) / len(ring), x0 + sum(p[0] for p in shifted) / len(
            ring
        )
    lon = lat = 0.0
    for a, b in pairwise(shifted):
        cross = a[0] * b[1] - b[0] * a[1]
        lon += (a[0] + b[0]) * cross
        lat += (a[1] + b[1]) * cross
    return y0 + lat / (6 * area), x0 + lon / (6 * area)
