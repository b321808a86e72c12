"""Fetch places and boundaries from the public bucket of Overture Maps.

The bucket has one folder per release (``release/2026-10-21.0/theme=places/type=place/``). Each
folder contains GeoParquet files with a column ``bbox``. The row groups in these files are sorted by
location.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import shapely

from schemas.cities import City
from sources.open.area import NEAR_DEG, Area, Boundary, BoundaryCandidate, Box, choose_boundary
from sources.open.asking import Asker
from sources.open.buckets import Bucket
from sources.open.errors import OpenDataError
from sources.open.kept import Kept
from sources.open.provider import (
    Collected,
    OpenProvider,
    ProviderContext,
    ProviderRows,
    SourceOrigin,
)
from sources.tables import overture as adapter
from sources.tables.places_files import Gathered

NAME = "overture"
PLACES, DIVISIONS = "theme=places/type=place", "theme=divisions/type=division_area"
#: The licence of most of Overture's places; each row states its own licence.
LICENCE = "CDLA-Permissive-2.0"
DIVISION_COLUMNS = ("id", "geometry", "bbox", "names", "subtype", "class")
#: Number of requests that are sent to the bucket at the same time.
_AT_ONCE = 8
_BATCH_ROWS = 20_000
_RELEASE = re.compile(r"\d{4}-\d{2}-\d{2}\.\d+")


def find(context: ProviderContext, area: Area, given: str | None) -> ProviderRows:
    """Return the places in an area.

    Raises OpenDataError if the places cannot be fetched or read.
    """
    kept = _keep_rows(context, PLACES, area.boxes, adapter.COLUMNS)
    if kept.about["rows"] == 0:
        raise OpenDataError(
            f"{NAME}: release {kept.about['release']} has no place within {area.boxes[0].row()}:"
            " check --bbox and --city"
        )
    collected = Collected(NAME, area)
    gathered = Gathered(area.city)
    directory, file = kept.path.parent, kept.path.name
    adapter.check_file(directory, file)
    number = 0
    for batch in pq.ParquetFile(kept.path).iter_batches(_BATCH_ROWS):
        for record in batch.to_pylist():
            number += 1
            adapter.take(gathered, file, number, record, True)
        collected.take(gathered, batch.num_rows)
    release = str(kept.about["release"])
    origin = SourceOrigin("Overture Maps", LICENCE, release[:10], {"release": release})
    return ProviderRows(collected.places(), (origin,), collected.account)


def boundary(context: ProviderContext, city: City, given: str | None) -> Boundary | None:
    """Return a city's boundary: a division that contains the city's centre and has the city's name.

    Returns None if there is no such division.
    """
    here = Box(city.lon - NEAR_DEG, city.lat - NEAR_DEG, city.lon + NEAR_DEG, city.lat + NEAR_DEG)
    kept = _keep_rows(context, DIVISIONS, (here,), DIVISION_COLUMNS)
    candidates = []
    for record in pq.read_table(kept.path).to_pylist():
        names = record.get("names") or {}
        called = [names.get("primary"), *dict(names.get("common") or ()).values()]
        try:
            shape = shapely.from_wkb(record["geometry"])
        except (shapely.GEOSException, TypeError):
            continue
        if record.get("class") in (None, "land"):
            candidates.append(BoundaryCandidate(record["id"], [n for n in called if n], shape))
    best = choose_boundary(candidates, city)
    if best is None:
        return None
    release = str(kept.about["release"])
    return Boundary(
        best.shape, best.names[0], f"{NAME}:{best.source_id}", "Overture Maps divisions",
        "ODbL-1.0", release[:10],
    )  # fmt: skip


def _keep_rows(
    context: ProviderContext, kind: str, boxes: Sequence[Box], columns: Sequence[str]
) -> Kept:
    """Return the stored rows of one kind in the boxes, in Overture's schema; fetch the rows if
    needed.
    """
    settings = context.settings
    request = {
        "url": settings.overture_url, "release": settings.overture_release or "newest",
        "kind": kind, "boxes": [box.row() for box in boxes], "columns": list(columns),
    }  # fmt: skip

    def make(path: Path) -> Mapping[str, Any]:
        return asyncio.run(_fetch(context, kind, boxes, columns, path))

    return context.store.get(NAME, request, ".parquet", make)


async def _fetch(
    context: ProviderContext, kind: str, boxes: Sequence[Box], columns: Sequence[str], path: Path
) -> dict[str, Any]:
    url = context.settings.overture_url
    async with Asker(NAME, context.settings.asking(url), at_once=_AT_ONCE) as asker:
        bucket = Bucket(asker, url)
        release = context.settings.overture_release or await _newest(bucket, url)
        files = await bucket.files(f"release/{release}/{kind}/", ".parquet")
        if not files:
            raise OpenDataError(
                f"{NAME}: no file of type {kind} was found in release {release} at {url}: check "
                f"TRIPBED_OVERTURE_RELEASE, or leave it unset to use the newest release"
            )
        writer: pq.ParquetWriter | None = None
        schema: pa.Schema | None = None
        rows = 0
        try:
            for number, file in enumerate(files, 1):
                context.tell(f"{NAME}: file {number} of {len(files)}, {rows:,} rows")
                async for table in bucket.tables(file, boxes, columns):
                    inside = _inside(table, boxes)
                    if writer is None:
                        schema = inside.schema.remove_metadata()
                        writer = pq.ParquetWriter(path, schema, compression="zstd")
                    writer.write_table(_as(inside, schema, file.key))
                    rows += inside.num_rows
        finally:
            if writer is not None:
                writer.close()
    if writer is None:
        pq.write_table(pa.table({}), path)
    return {"release": release, "rows": rows, "files": len(files)}


async def _newest(bucket: Bucket, url: str) -> str:
    names = [name.removesuffix("/").rsplit("/", 1)[-1] for name in await bucket.folders("release/")]
    releases = [name for name in names if _RELEASE.fullmatch(name)]
    if not releases:
        raise OpenDataError(f"{NAME}: no release was found at {url}: check TRIPBED_OVERTURE_URL")
    return max(releases, key=lambda name: (name[:10], int(name[11:])))


def _inside(table: pa.Table, boxes: Sequence[Box]) -> pa.Table:
    """Return the rows whose bounding box overlaps one of the boxes."""
    if "bbox" not in table.column_names:
        raise OpenDataError(
            f"{NAME}: a file has no column 'bbox', so it is not a GeoParquet file from Overture"
        )
    side = {name: pc.struct_field(table["bbox"], name) for name in ("xmin", "xmax", "ymin", "ymax")}
    met = pa.array([False] * table.num_rows, pa.bool_())
    for box in boxes:
        one = pc.and_(
            pc.less_equal(side["xmin"], box.east), pc.greater_equal(side["xmax"], box.west)
        )
        two = pc.and_(
            pc.less_equal(side["ymin"], box.north), pc.greater_equal(side["ymax"], box.south)
        )
        met = pc.or_(met, pc.fill_null(pc.and_(one, two), True))
    return table.filter(met)


def _as(table: pa.Table, schema: pa.Schema | None, key: str) -> pa.Table:
    """Give a table the same columns and types as the first table.

    Raises OpenDataError if the tables have different columns.
    """
    assert schema is not None
    try:
        columns = [
            table[name].cast(kind) if name in table.column_names
            else pa.nulls(table.num_rows, kind)
            for name, kind in zip(schema.names, schema.types, strict=True)
        ]  # fmt: skip
    except (pa.ArrowException, KeyError) as error:
        raise OpenDataError(
            f"{NAME}: {key} has different columns from the files before it ({error})"
        ) from None
    return pa.table(columns, schema=schema)


PROVIDER = OpenProvider(NAME, find, boundary, lambda settings: settings.overture_url)
