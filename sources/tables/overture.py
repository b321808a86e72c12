"""Read places from Overture Maps, whose data is published as GeoParquet files.

The columns follow Overture's schema for places (docs.overturemaps.org). The location is a WKB point
in ``geometry``, or the centre of ``bbox``. ``sources`` gives the data sets that a place comes from,
with their licences and dates.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from schemas.cities import City
from sources.tables.files import check_types, open_parquet, records
from sources.tables.imported import Imported
from sources.tables.intake import HAN, Provenance, RowError, SourceRow, TableError
from sources.tables.places_files import (
    CategoryKind,
    Gathered,
    files_of,
    overture_kind,
    read_day,
)

ENDINGS = (".parquet", ".geoparquet")
COLUMNS = (
    "id", "geometry", "bbox", "names", "categories", "basic_category", "taxonomy", "confidence",
    "sources", "operating_status",
)  # fmt: skip
#: According to Overture, a place with a lower confidence probably does not exist.
LEAST_CONFIDENCE = 0.5
_CLOSED = "permanently_closed"


def read_overture(directory: Path, city: City) -> Imported:
    """Read the city's tables. Raises TableError if there are no files or a file cannot be read."""
    gathered = Gathered(city)
    for file, is_own in files_of(directory, ENDINGS, city):
        check_file(directory, file)
        for number, record in records(directory, file, COLUMNS):
            take(gathered, file, number, record, is_own)
    return gathered.import_tables()


def check_file(directory: Path, file: str) -> None:
    """Check a file's columns. Raises TableError if the rows do not follow Overture's schema."""
    schema = open_parquet(directory, file).schema_arrow
    # Files from before 2026 have categories, later ones have a taxonomy, and some have both.
    told = (
        "taxonomy"
        if {"taxonomy", "categories"} & set(schema.names) == {"taxonomy"}
        else "categories"
    )
    check_types(
        directory, file, {"id": ("string", "large_string"), "names": ("struct",), told: ("struct",)}
    )  # fmt: skip
    if "geometry" in schema.names:
        check_types(directory, file, {"geometry": ("binary", "large_binary", "extension<geoarrow")})
    elif "bbox" not in schema.names:
        raise TableError(
            f"{directory / file}: the file has neither a column 'geometry' nor a column "
            "'bbox', so it is not a file of Overture places"
        )
    if "confidence" in schema.names:
        check_types(directory, file, {"confidence": ("double", "float")})


def take(gathered: Gathered, file: str, number: int, record: dict[str, Any], own: bool) -> None:
    """Add a place to its table as a row; if the place is not in the city, count it as left out.

    A place whose location cannot be read is added as a broken row.
    """
    categories, taxonomy = record.get("categories") or {}, record.get("taxonomy") or {}
    names = [categories.get("primary"), taxonomy.get("primary"), record.get("basic_category")]
    names = [name for name in names if name]
    names += categories.get("alternate") or []
    # The most specific category comes first: a kind of museum is also a museum.
    names += reversed(taxonomy.get("hierarchy") or [])
    names += taxonomy.get("alternates") or []
    kind = next((k for name in names if name and (k := overture_kind(name)) is not None), None)
    if kind is None:
        gathered.leave(file, f"of category {next(iter(names), 'none')}")
        return
    try:
        place = _point(record)
    except RowError as error:
        cells = {"id": str(record.get("id")), "name": str(record.get("names"))[:200]}
        gathered.add(kind.table, SourceRow(file, number, cells, str(error)))
        return
    if not own and not gathered.is_near(*place):
        gathered.leave(file, "far from the city")
        return
    gathered.add(kind.table, _row(file, number, record, kind, place))


def _point(record: Mapping[str, Any]) -> tuple[float, float]:
    """Return the latitude and longitude. Raises RowError if the geometry is not a WKB point."""
    blob, box = record.get("geometry"), record.get("bbox")
    if isinstance(blob, bytes):
        order = "<" if blob[:1] == b"\x01" else ">"
        try:
            (kind,) = struct.unpack_from(f"{order}I", blob, 1)
            skip = 9 if kind & 0x20000000 else 5  # EWKB carries a reference system
            if kind & 0xFF != 1:
                raise RowError("coordinates", f"geometry is not a point (type {kind & 0xFF})")
            lon, lat = struct.unpack_from(f"{order}2d", blob, skip)
        except struct.error:
            raise RowError("coordinates", "geometry is not WKB") from None
        return lat, lon
    if isinstance(box, dict) and box.get("xmin") is not None and box.get("ymin") is not None:
        lon = (box["xmin"] + box.get("xmax", box["xmin"])) / 2
        return (box["ymin"] + box.get("ymax", box["ymin"])) / 2, lon
    raise RowError("coordinates", "neither geometry nor bbox")


def _row(
    file: str, number: int, record: dict[str, Any], kind: CategoryKind, place: tuple[float, float]
) -> SourceRow:
    names = record.get("names") or {}
    primary = (names.get("primary") or "").strip()
    common = _pairs(names.get("common"))
    is_chinese = bool(HAN.search(primary))
    rules = [rule.get("value") for rule in names.get("rules") or () if isinstance(rule, dict)]
    others = [*common.values(), *rules]
    zh = common.get("zh-Hans") or common.get("zh") or (primary if is_chinese else "")
    en = common.get("en") or ("" if is_chinese else primary)
    cells = {
        "id": f"overture:{record['id']}" if record.get("id") else "",
        "name": primary,
        "name_zh": zh,
        "name_en": en,
        "aliases": "|".join(n for n in dict.fromkeys(others) if n and n not in (zh, en)),
        "lat": str(place[0]),
        "lon": str(place[1]),
        "provider": "overture",
        **_of_table(kind),
    }
    row = SourceRow(file, number, cells, None, [], _provenance(record.get("sources")))
    if record.get("operating_status") == _CLOSED:
        row.refused = ("closed_for_good", f"operating_status is {_CLOSED}")
    confidence = record.get("confidence")
    if confidence is not None and confidence < LEAST_CONFIDENCE:
        row.mark("confidence_low", f"confidence {confidence:.2f} is below {LEAST_CONFIDENCE}")
    return row


def _of_table(kind: CategoryKind) -> dict[str, str]:
    if kind.table == "hotels":
        return {"feature": kind.code, "room_type": ""}
    if kind.table == "restaurants":
        return {"cuisine": kind.code}
    return {"types": kind.code, "category": kind.category}


def _pairs(value: Any) -> dict[str, str]:
    """Return a Parquet map as a dictionary; pyarrow reads such a map as a list of pairs or as a
    dictionary.
    """
    pairs = value.items() if isinstance(value, dict) else value or ()
    return {str(key): text.strip() for key, text in pairs if text}


def _provenance(sources: Any) -> Provenance:
    """Return the data sets, the licences and the newest date given by a place's sources.

    Sources of individual properties count only if no source is about the whole place.
    """
    said = [source for source in sources or () if isinstance(source, dict)]
    whole = [source for source in said if not source.get("property")] or said
    names = sorted({str(s["dataset"]) for s in whole if s.get("dataset")})
    licences = sorted({str(s["license"]) for s in whole if s.get("license")})
    dates = [day for s in whole if (day := read_day(s.get("update_time"))) is not None]
    return Provenance(
        f"Overture Maps: {', '.join(names)}" if names else "Overture Maps",
        " AND ".join(licences) or None,
        max(dates, default=None),
    )
