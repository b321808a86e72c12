"""An element of OpenStreetMap as a feature of GeoJSON, as ``sources/tables/osm.py`` reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sources.tables.open_codes import OSM_KINDS

#: Keys of the tags that make a place.
KEYS = tuple(sorted({tag.partition("=")[0] for tag in OSM_KINDS}))


@dataclass(frozen=True)
class Element:
    """A node, way or relation: its tags, the middle of its box, and when it was changed."""

    kind: str
    number: int
    tags: dict[str, str]
    place: tuple[float, float] | None
    timestamp: str | None = None


def feature(element: Element) -> dict[str, Any]:
    """The element as a feature with a point."""
    point = None
    if element.place is not None:
        lat, lon = element.place
        point = {"type": "Point", "coordinates": [lon, lat]}
    stamp = {"@timestamp": element.timestamp} if element.timestamp else {}
    return {
        "type": "Feature", "id": f"{element.kind}/{element.number}", "geometry": point,
        "properties": {**element.tags, **stamp},
    }  # fmt: skip
