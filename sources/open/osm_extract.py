"""Read places and boundaries from a local OpenStreetMap extract (``.osm.pbf``, ``.osm``).

Each element becomes a GeoJSON feature that ``sources/tables/osm.py`` can read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import osmium
import shapely
from osmium.filter import KeyFilter, TagFilter

from sources.open.area import BoundaryCandidate, Box
from sources.open.errors import OpenDataError
from sources.tables.places_files import OSM_KINDS

#: Keys of the tags that describe places.
KEYS = tuple(sorted({tag.partition("=")[0] for tag in OSM_KINDS}))
ENDINGS = (".osm.pbf", ".pbf", ".osm", ".osm.bz2", ".osm.gz")


@dataclass(frozen=True)
class Element:
    """A node, way or relation, with its tags, the centre of its bounding box and its timestamp."""

    kind: str
    number: int
    tags: dict[str, str]
    place: tuple[float, float] | None
    timestamp: str | None = None


def feature(element: Element) -> dict[str, Any]:
    """Return an element as a GeoJSON feature whose geometry is a point."""
    point = None
    if element.place is not None:
        lat, lon = element.place
        point = {"type": "Point", "coordinates": [lon, lat]}
    stamp = {"@timestamp": element.timestamp} if element.timestamp else {}
    return {
        "type": "Feature", "id": f"{element.kind}/{element.number}", "geometry": point,
        "properties": {**element.tags, **stamp},
    }  # fmt: skip


def features(path: str, boxes: Sequence[Box]) -> Iterator[dict[str, Any]]:
    """Yield the places in the boxes as features, sorted by element type and number.

    Raises OpenDataError if the file is not an extract.
    """
    found: dict[tuple[str, int], Element] = {}
    for element in _elements(path):
        if element.place is not None and _is_in(element.place, boxes):
            found.setdefault((element.kind, element.number), element)
    for _, element in sorted(found.items()):
        yield feature(element)


def boundaries(path: str) -> list[BoundaryCandidate]:
    """Return the administrative boundaries in an extract.

    Raises OpenDataError if the file is not an extract.
    """
    factory = osmium.geom.WKBFactory()
    found = []
    try:
        filters = TagFilter(("boundary", "administrative"))
        for one in osmium.FileProcessor(_check_path(path)).with_areas(filters).with_filter(filters):
            if not isinstance(one, osmium.osm.Area) or one.from_way():
                continue
            tags = dict(one.tags)
            names = [tags["name"]] if "name" in tags else []
            names += sorted(v for k, v in tags.items() if k.startswith("name:"))
            level = tags.get("admin_level", "")
            try:
                shape = shapely.from_wkb(bytes.fromhex(factory.create_multipolygon(one)))
            except (RuntimeError, shapely.GEOSException):
                continue  # a relation that does not close in this extract
            if names:
                number = int(level) if level.isdigit() else 0
                found.append(BoundaryCandidate(f"relation/{one.orig_id()}", names, shape, number))
    except RuntimeError as error:
        raise _unreadable(path, error) from None
    return found


def date_of(path: str) -> str | None:
    """Return the date of the data in an extract, or None if the header does not give the date."""
    try:
        with osmium.io.Reader(_check_path(path), osmium.osm.osm_entity_bits.NOTHING) as reader:
            stamp = str(reader.header().get("osmosis_replication_timestamp", ""))
    except RuntimeError as error:
        raise _unreadable(path, error) from None
    return stamp[:10] or None


def _elements(path: str) -> Iterator[Element]:
    """Yield the places that have a name; closed ways and relations are treated as areas."""
    keys = KeyFilter(*KEYS)
    try:
        processor = osmium.FileProcessor(_check_path(path)).with_locations().with_areas(keys)
        for one in processor.with_filter(keys).with_filter(KeyFilter("name")):
            kind, number, place = _place(one)
            if kind is not None and not isinstance(one, osmium.osm.Changeset):
                stamp = one.timestamp.strftime("%Y-%m-%dT%H:%M:%SZ") if one.timestamp else None
                yield Element(kind, number, dict(one.tags), place, stamp)
    except RuntimeError as error:
        raise _unreadable(path, error) from None


def _place(one: Any) -> tuple[str | None, int, tuple[float, float] | None]:
    """Return an element's type and number and the centre of its bounding box, as Overpass does."""
    if isinstance(one, osmium.osm.Node):
        return "node", one.id, (one.lat, one.lon)
    if isinstance(one, osmium.osm.Area):
        points = [(n.lat, n.lon) for ring in one.outer_rings() for n in ring if n.location.valid()]
        return "way" if one.from_way() else "relation", one.orig_id(), _middle(points)
    if isinstance(one, osmium.osm.Way) and not one.is_closed():
        return "way", one.id, _middle([(n.lat, n.lon) for n in one.nodes if n.location.valid()])
    return None, 0, None  # a closed way and a relation come again as areas


def _middle(points: list[tuple[float, float]]) -> tuple[float, float] | None:
    if not points:
        return None
    lat, lon = [p[0] for p in points], [p[1] for p in points]
    return (min(lat) + max(lat)) / 2, (min(lon) + max(lon)) / 2


def _is_in(place: tuple[float, float], boxes: Sequence[Box]) -> bool:
    lat, lon = place
    return any(box.meets(lon, lat, lon, lat) for box in boxes)


def _check_path(path: str) -> str:
    if not Path(path).is_file() or not path.endswith(ENDINGS):
        raise OpenDataError(
            f"osm={path}: this is not an OpenStreetMap extract: give an existing file whose name"
            f" ends in {' or '.join(ENDINGS)}"
        )
    return path


def _unreadable(path: str, error: Exception) -> OpenDataError:
    return OpenDataError(
        f"osm={path}: cannot be read ({str(error)[:120]}); check that the file is complete"
    )
