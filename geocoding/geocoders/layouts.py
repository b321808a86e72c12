"""Reads files of named places in various formats as one table: Parquet, CSV, GeoJSON, Overture and
GeoNames.

Files are recognised by their content, not by their name. An Overture file has the column ``names``
(with ``primary``), and ``geometry`` (WKB) or ``bbox``. A GeoNames dump has 19 tab-separated columns
and no header. Any other file needs a column for names and two columns for coordinates (or the
column ``position``, latitude first), all with commonly used column names.
"""

from __future__ import annotations

import csv
import json
import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

#: One place of a gazetteer; coordinates as the file gives them.
_COLUMNS: dict[str, Any] = {
    "id": pl.String,
    "name": pl.String,
    "aliases": pl.List(pl.String),
    "lat": pl.Float64,
    "lon": pl.Float64,
    "category": pl.String,
    "city": pl.String,
}
PLACES = pl.Schema(_COLUMNS)
_NAMES = ("name", "name_zh", "name:zh", "name_en", "name:en", "title", "asciiname")
_ALIASES = ("aliases", "alternatenames", "alt_name", "alias")
_LAT, _LON = ("lat", "latitude", "y"), ("lon", "lng", "longitude", "x")
_IDS = ("id", "poi_id", "geonameid", "gid", "uid", "osm_id", "source_id")
_CATEGORIES = ("category", "type", "feature_code", "class")
_CITIES = ("city", "cityname")
_GEONAMES = (
    "geonameid", "name", "asciiname", "alternatenames", "latitude", "longitude", "feature_class",
    "feature_code", "country_code", "cc2", "admin1_code", "admin2_code", "admin3_code",
    "admin4_code", "population", "elevation", "dem", "timezone", "modification_date",
)  # fmt: skip

Row = Mapping[str, Any]


class LayoutError(ValueError):
    """Raised if a file is not a gazetteer; the message says what is missing."""


def read_layout(path: Path) -> tuple[pl.DataFrame, int]:
    """Return the places in a file, and the number of rows without a name or coordinates.

    Raises LayoutError if the file cannot be read or contains no named places.
    """
    try:
        rows = list(_rows(path))
    except OSError as error:
        raise LayoutError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, csv.Error, pl.exceptions.PolarsError) as error:
        raise LayoutError(f"{path} cannot be read as a gazetteer: {error}") from None
    if not rows:
        raise LayoutError(f"{path} contains no rows")
    missing = [
        what
        for what, names in (("name", _NAMES), ("latitude", _LAT), ("longitude", _LON))
        if not any(name in rows[0] for name in names)
    ]
    if missing:
        raise LayoutError(
            f"{path} has no column for the {missing[0]}; its columns are {', '.join(rows[0])}"
        )
    places = [place for position, row in enumerate(rows, 1) for place in _place(row, position)]
    return pl.DataFrame(places, schema=PLACES, orient="row"), len(rows) - len(places)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    suffix = path.suffix.lower()
    if suffix in (".parquet", ".geoparquet"):
        yield from (_flat(row) for row in pl.read_parquet(path).iter_rows(named=True))
    elif suffix in (".json", ".geojson", ".geojsonl", ".ndjson"):
        yield from _features(path)
    else:
        yield from _lines(path)


def _features(path: Path) -> Iterator[dict[str, Any]]:
    text = path.read_text(encoding="utf-8-sig")
    try:
        whole = json.loads(text)
        features = whole["features"] if isinstance(whole, dict) and "features" in whole else whole
    except json.JSONDecodeError:
        features = [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(features, dict):
        features = [features]
    if not isinstance(features, list) or not all(isinstance(f, dict) for f in features):
        raise ValueError("there is no list of features")
    for feature in features:
        if "type" not in feature and "properties" not in feature:
            yield _flat(feature)
            continue
        row = _flat({"id": feature.get("id"), **(feature.get("properties") or {})})
        geometry = feature.get("geometry") or {}
        if geometry.get("type") == "Point":
            row["lon"], row["lat"] = geometry["coordinates"][:2]
        else:
            row.setdefault("lon", None)
            row.setdefault("lat", None)
        yield row


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Read a CSV file with a header, or a GeoNames dump, which has none."""
    with path.open(encoding="utf-8-sig", newline="") as handle:
        first = handle.readline()
        handle.seek(0)
        if first.count("\t") == len(_GEONAMES) - 1 and not first.startswith("geonameid"):
            reader: Iterable[Any] = csv.reader(handle, delimiter="\t", quoting=csv.QUOTE_NONE)
            yield from (dict(zip(_GEONAMES, cells, strict=False)) for cells in reader)
            return
        yield from csv.DictReader(handle, delimiter="\t" if "\t" in first else ",")


def _flat(row: Row) -> dict[str, Any]:
    """Return a row of any layout with plain columns; nested Overture columns are flattened."""
    flat = dict(row)
    names = row.get("names")
    if isinstance(names, Mapping):
        flat["name"] = names.get("primary")
        flat["aliases"] = [*_common(names.get("common")), *_rules(names.get("rules"))]
    categories = row.get("categories")
    if isinstance(categories, Mapping):
        flat["category"] = categories.get("primary")
    addresses = row.get("addresses")
    if isinstance(addresses, list) and addresses and isinstance(addresses[0], Mapping):
        flat["city"] = addresses[0].get("locality")
    if (point := _point(row)) is not None:
        flat["lat"], flat["lon"] = point
    return flat


def _common(common: Any) -> list[str]:
    """Return names by language from a mapping, or from a Parquet list of keys and values."""
    if isinstance(common, Mapping):
        return [str(value) for value in common.values() if value]
    return _rules(common)


def _rules(rules: Any) -> list[str]:
    pairs = rules if isinstance(rules, list) else []
    return [str(p["value"]) for p in pairs if isinstance(p, Mapping) and p.get("value")]


def _point(row: Row) -> tuple[float, float] | None:
    """Return latitude and longitude from two numbers, a WKB point, or the centre of a bounding
    box.
    """
    geometry, box, position = row.get("geometry"), row.get("bbox"), row.get("position")
    if isinstance(position, list) and len(position) == 2:
        return float(position[0]), float(position[1])
    if isinstance(geometry, bytes) and len(geometry) >= 21:
        order = "<" if geometry[0] == 1 else ">"
        kind, lon, lat = struct.unpack(f"{order}Idd", geometry[1:21])
        if kind % 1000 == 1:
            return float(lat), float(lon)
    if isinstance(box, Mapping) and box.get("xmin") is not None:
        return (box["ymin"] + box["ymax"]) / 2, (box["xmin"] + box["xmax"]) / 2
    return None


def _place(row: Row, position: int) -> Iterator[dict[str, Any]]:
    """Yield the row as a place if it has both a name and coordinates."""
    names = list(dict.fromkeys(n for n in (_text(row.get(column)) for column in _NAMES) if n))
    lat, lon = _number(_first(row, _LAT)), _number(_first(row, _LON))
    if not names or lat is None or lon is None:
        return
    aliases = [alias for column in _ALIASES for alias in _list(row.get(column))]
    yield {
        "id": _text(_first(row, _IDS)) or str(position),
        "name": names[0],
        "aliases": [a for a in dict.fromkeys([*names[1:], *aliases]) if a != names[0]],
        "lat": lat,
        "lon": lon,
        "category": _text(_first(row, _CATEGORIES)),
        "city": _text(_first(row, _CITIES)),
    }


def _first(row: Row, columns: Iterable[str]) -> Any:
    return next((row[c] for c in columns if row.get(c) not in (None, "")), None)


def _text(value: Any) -> str | None:
    return str(value).strip() or None if value is not None else None


def _number(value: Any) -> float | None:
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError):
        return None


def _list(value: Any) -> list[str]:
    if isinstance(value, list):
        return [str(v).strip() for v in value if v]
    if not isinstance(value, str):
        return []
    separator = next((s for s in ("|", ";", ",") if s in value), ",")
    return [part.strip() for part in value.split(separator) if part.strip()]
