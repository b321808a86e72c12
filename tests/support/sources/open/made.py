"""Invented places of a small city, in the schemas of Overture and of OpenStreetMap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import shapely

#: Évora, a small city of Portugal; its made boundary is a square without its north-east corner.
LAT, LON = 38.56667, -7.9
RELEASE = "2026-10-21.0"
_SIDE = 0.05
RING = [
    (LON - _SIDE, LAT - _SIDE), (LON + _SIDE, LAT - _SIDE), (LON + _SIDE, LAT),
    (LON, LAT + _SIDE), (LON - _SIDE, LAT + _SIDE), (LON - _SIDE, LAT - _SIDE),
]  # fmt: skip

BBOX = pa.struct([(name, pa.float32()) for name in ("xmin", "xmax", "ymin", "ymax")])
NAMES = pa.struct(
    [
        ("primary", pa.string()),
        ("common", pa.map_(pa.string(), pa.string())),
        ("rules", pa.list_(pa.struct([("variant", pa.string()), ("value", pa.string())]))),
    ]
)
SOURCES = pa.list_(
    pa.struct(
        [
            ("property", pa.string()), ("dataset", pa.string()), ("license", pa.string()),
            ("record_id", pa.string()), ("update_time", pa.string()), ("confidence", pa.float64()),
        ]
    )
)  # fmt: skip
PLACES = pa.schema(
    [
        ("id", pa.string()), ("geometry", pa.binary()), ("bbox", BBOX), ("version", pa.int32()),
        ("sources", SOURCES), ("names", NAMES),
        ("categories", pa.struct([("primary", pa.string()), ("alternate", pa.list_(pa.string()))])),
        ("basic_category", pa.string()),
        ("taxonomy", pa.struct([("primary", pa.string()), ("hierarchy", pa.list_(pa.string())),
                                ("alternates", pa.list_(pa.string()))])),
        ("confidence", pa.float64()), ("websites", pa.list_(pa.string())),
        ("operating_status", pa.string()),
    ]
)  # fmt: skip
DIVISIONS = pa.schema(
    [
        ("id", pa.string()), ("geometry", pa.binary()), ("bbox", BBOX), ("names", NAMES),
        ("subtype", pa.string()), ("class", pa.string()), ("country", pa.string()),
    ]
)  # fmt: skip


def box(west: float, south: float, east: float, north: float) -> dict[str, float]:
    """A row's own box."""
    return {"xmin": west, "xmax": east, "ymin": south, "ymax": north}


def place(
    name: str, category: str, lat: float = LAT, lon: float = LON, **changed: Any
) -> dict[str, Any]:
    """A place of Overture."""
    said = {"property": "", "dataset": "made up", "license": "CDLA-Permissive-2.0",
            "update_time": "2026-09-03T00:00:00.000Z"}  # fmt: skip
    return {
        "id": f"id-{name}",
        "geometry": shapely.to_wkb(shapely.Point(lon, lat)),
        "bbox": box(lon, lat, lon, lat),
        "version": 1,
        "sources": [said],
        "names": {"primary": name, "common": [], "rules": []},
        "categories": {"primary": category, "alternate": None},
        "basic_category": None,
        "taxonomy": None,
        "confidence": 0.9,
        "websites": None,
        "operating_status": "open",
        **changed,
    }


def division(
    name: str, shape: shapely.Geometry, subtype: str = "locality", **changed: Any
) -> dict[str, Any]:
    """An area of Overture's divisions."""
    return {
        "id": f"division-{name}-{subtype}", "geometry": shapely.to_wkb(shape),
        "bbox": box(*shapely.bounds(shape).tolist()), "country": "PT",
        "names": {"primary": name, "common": [], "rules": []}, "subtype": subtype, "class": "land",
        **changed,
    }  # fmt: skip


def write_release(
    folder: Path,
    places: list[dict[str, Any]],
    divisions: list[dict[str, Any]],
    *,
    release: str = RELEASE,
    group_rows: int = 4,
    schema: pa.Schema = PLACES,
) -> None:
    """A release as the bucket holds it: the places in two files, a few rows a group."""
    half = (len(places) + 1) // 2
    for number, part in enumerate((places[:half], places[half:])):
        path = folder / f"release/{release}/theme=places/type=place/part-{number:05}.zstd.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(part, schema), path, row_group_size=group_rows)
    path = folder / f"release/{release}/theme=divisions/type=division_area/part-00000.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(divisions, DIVISIONS), path, row_group_size=1)


def boundary() -> shapely.Geometry:
    """The made boundary of the city."""
    return shapely.Polygon(RING)


def node(number: int, name: str, lat: float = LAT, lon: float = LON, **tags: str) -> dict[str, Any]:
    """A node as Overpass answers it."""
    return {
        "type": "node", "id": number, "lat": lat, "lon": lon, "timestamp": "2026-08-01T00:00:00Z",
        "tags": {"name": name, **tags},
    }  # fmt: skip


def way(number: int, name: str, lat: float = LAT, lon: float = LON, **tags: str) -> dict[str, Any]:
    """A way as Overpass answers it with ``out center``."""
    return {
        "type": "way", "id": number, "center": {"lat": lat, "lon": lon},
        "timestamp": "2026-08-02T00:00:00Z", "tags": {"name": name, **tags},
    }  # fmt: skip


def relation(number: int, name: str, level: int, ring: list[tuple[float, float]]) -> dict[str, Any]:
    """An administrative relation as Overpass answers it with ``out geom``: two outer ways."""
    half = len(ring) // 2
    ways = [ring[: half + 1], ring[half:]]
    members = [
        {
            "type": "way",
            "ref": n,
            "role": "outer",
            "geometry": [{"lat": y, "lon": x} for x, y in part],
        }
        for n, part in enumerate(ways)
    ]
    return {
        "type": "relation", "id": number, "members": members,
        "tags": {"name": name, "boundary": "administrative", "admin_level": str(level)},
    }  # fmt: skip
