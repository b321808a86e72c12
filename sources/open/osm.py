"""Fetch places and boundaries of OpenStreetMap from Overpass, or read them from an extract.

Overpass's answers are stored as GeoJSON with one feature per line, which ``--tables-format osm``
can read. If a box is too large for the server, the box is cut in half, several times if necessary.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import shapely

from schemas.cities import City
from sources.open import osm_extract
from sources.open.area import Area, Boundary, BoundaryCandidate, Box, choose_boundary
from sources.open.asking import Asker
from sources.open.errors import OpenDataError, RequestUnanswered
from sources.open.osm_extract import KEYS, Element, feature
from sources.open.provider import (
    Collected,
    OpenProvider,
    ProviderContext,
    ProviderRows,
    SourceOrigin,
)
from sources.tables import osm as adapter
from sources.tables.places_files import OSM_KINDS, Gathered

NAME = "osm"
SOURCE = "OpenStreetMap"
_ANSWER_BYTES = 500_000_000
_MEMORY_BYTES = 1 << 29
#: A box whose sides are shorter than this, about a kilometre, is not cut further (degrees).
_LEAST_DEG = 0.01
#: Remarks of a server that stopped in the middle of an answer.
_GAVE_UP = re.compile(r"runtime error|timed out|out of memory", re.IGNORECASE)
_SMALLER_HELPS = ("timeout", "too_large", "server_error")
_BATCH_ROWS = 20_000


def find(context: ProviderContext, area: Area, given: str | None) -> ProviderRows:
    """Return the places in an area, from the extract ``given`` or from Overpass.

    Raises OpenDataError if the places cannot be fetched or read.
    """
    collected = Collected(NAME, area)
    if given is not None:
        date = osm_extract.date_of(given)
        features: Iterator[dict[str, Any]] = osm_extract.features(given, area.boxes)
        file, told = Path(given).name, {"extract": Path(given).name}
    else:
        kept = context.store.get(
            NAME, _request(context, area), ".geojsonl",
            lambda path: asyncio.run(_fetch(context, area.boxes, path)),
        )  # fmt: skip
        date, features, file = kept.about["timestamp"], _lines(kept.path), kept.path.name
        told = {"requests": kept.about["requests"]}
    gathered = Gathered(area.city)
    numbered = enumerate(features, 1)
    while batch := list(islice(numbered, _BATCH_ROWS)):
        for number, one in batch:
            adapter.take(gathered, file, number, one, True)
        collected.take(gathered, len(batch))
    origin = SourceOrigin(SOURCE, adapter.LICENCE, date[:10] if date else None, told)
    return ProviderRows(collected.places(), (origin,), collected.account)


def boundary(context: ProviderContext, city: City, given: str | None) -> Boundary | None:
    """Return a city's boundary: a relation that contains the city's centre and has the city's name.

    Returns None if there is no such relation.
    """
    if given is not None:
        candidates, date = osm_extract.boundaries(given), osm_extract.date_of(given)
    else:
        request = {"url": context.settings.overpass_url, "boundary": [city.lat, city.lon]}
        kept = context.store.get(
            f"{NAME}-boundary", request, ".geojsonl",
            lambda path: asyncio.run(_fetch_boundaries(context, city, path)),
        )  # fmt: skip
        date = kept.about["timestamp"]
        candidates = [
            BoundaryCandidate(row["id"], row["names"], shapely.from_wkt(row["wkt"]), row["level"])
            for row in _lines(kept.path)
        ]
    best = choose_boundary(candidates, city)
    if best is None:
        return None
    day = date[:10] if date else None
    return Boundary(
        best.shape, best.names[0], f"{NAME}:{best.source_id}", SOURCE, adapter.LICENCE, day
    )


def places_query(box: Box, timeout_s: int) -> str:
    """Return the Overpass query for all places in a box that have a name and are of a supported
    kind.
    """
    values: dict[str, list[str]] = defaultdict(list)
    for tag in OSM_KINDS:
        key, _, value = tag.partition("=")
        values[key].append(re.escape(value))
    where = f"({box.south:.6f},{box.west:.6f},{box.north:.6f},{box.east:.6f})"
    parts = [f'nwr["{key}"~"^({"|".join(sorted(values[key]))})$"]["name"]{where};' for key in KEYS]
    return f"{_head(timeout_s)}({''.join(parts)});out meta center;"


def _head(timeout_s: int) -> str:
    return f"[out:json][timeout:{timeout_s}][maxsize:{_MEMORY_BYTES}];"


def _request(context: ProviderContext, area: Area) -> dict[str, Any]:
    return {
        "url": context.settings.overpass_url, "boxes": [box.row() for box in area.boxes],
        "query": places_query(Box(0, 0, 0, 0), context.settings.overpass_timeout_s),
    }  # fmt: skip


def _lines(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as handle:
        for line in handle:
            yield json.loads(line)


async def _fetch(context: ProviderContext, boxes: tuple[Box, ...], path: Path) -> dict[str, Any]:
    found: dict[tuple[str, int], Element] = {}
    stamps: set[str] = set()
    requests = 0
    async with _overpass(context) as overpass:
        waiting = list(boxes)
        while waiting:
            box = waiting.pop()
            context.tell(f"{NAME}: {len(found):,} places, {len(waiting) + 1} boxes left")
            requests += 1
            try:
                query = places_query(box, context.settings.overpass_timeout_s)
                answer = await overpass.ask(query)
            except RequestUnanswered as error:
                side = max(box.north - box.south, box.east - box.west)
                if error.code not in _SMALLER_HELPS or side / 2 < _LEAST_DEG:
                    raise
                waiting += reversed(box.halves())
                continue
            stamps.add(_stamp(answer))
            for element in _elements(answer):
                found[element.kind, element.number] = element
    with path.open("w", encoding="utf-8") as handle:
        for _, element in sorted(found.items()):
            line = json.dumps(feature(element), ensure_ascii=False, sort_keys=True)
            handle.write(f"{line}\n")
    # The oldest date is used, because all answers include the changes up to that date.
    return {"timestamp": min(stamps), "requests": requests, "rows": len(found)}


class _Overpass:
    """A client for an Overpass server; it sends one query at a time."""

    def __init__(self, asker: Asker, url: str) -> None:
        self._asker, self._url = asker, url

    async def ask(self, query: str) -> dict[str, Any]:
        """Send a query and return the answer.

        Raises RequestUnanswered if the answer is incomplete.
        """
        body = await self._asker.post(self._url, {"data": query}, _ANSWER_BYTES)
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            raise RequestUnanswered(
                "too_large", f"{NAME}: the answer from {self._url} is incomplete or is not JSON: "
                f"try again later, or check TRIPBED_OVERPASS_URL",
            ) from None  # fmt: skip
        if not isinstance(answer, dict) or not isinstance(answer.get("elements"), list):
            raise OpenDataError(
                f"{NAME}: {self._url} does not answer like an Overpass server: "
                f"check TRIPBED_OVERPASS_URL"
            )
        remark = str(answer.get("remark") or "")
        if _GAVE_UP.search(remark):
            raise RequestUnanswered(
                "too_large", f"{NAME}: the server stopped processing the request"
                f" ({remark[:160]}): try again later, or increase TRIPBED_OVERPASS_TIMEOUT_S",
            )  # fmt: skip
        return answer


@asynccontextmanager
async def _overpass(context: ProviderContext) -> AsyncIterator[_Overpass]:
    """Open a client for the Overpass server in the settings."""
    settings = context.settings
    asking = settings.asking(settings.overpass_url, settings.overpass_timeout_s + 30.0)
    async with Asker(NAME, replace(asking, max_tries=2)) as asker:
        yield _Overpass(asker, settings.overpass_url)


def _stamp(answer: Mapping[str, Any]) -> str:
    said = answer.get("osm3s")
    return str(said.get("timestamp_osm_base") or "") if isinstance(said, dict) else ""


def _elements(answer: Mapping[str, Any]) -> Iterator[Element]:
    """Yield the elements that have tags; elements without a location are set aside later."""
    for raw in answer["elements"]:
        if not isinstance(raw, dict) or not isinstance(raw.get("tags"), dict):
            continue
        point = raw if raw.get("type") == "node" else raw.get("center") or {}
        place = (point["lat"], point["lon"]) if {"lat", "lon"} <= point.keys() else None
        tags = {str(key): str(value) for key, value in raw["tags"].items()}
        yield Element(
            str(raw.get("type")), int(raw.get("id", 0)), tags, place, raw.get("timestamp")
        )


async def _fetch_boundaries(context: ProviderContext, city: City, path: Path) -> dict[str, Any]:
    """Fetch the shapes of all relations that contain a city's centre and have one of its names."""
    head = _head(context.settings.overpass_timeout_s)
    around = f"is_in({city.lat:.6f},{city.lon:.6f})->.a;rel(pivot.a)"
    async with _overpass(context) as overpass:
        context.tell(f"{NAME}: fetching the boundary of {city.name_en}")
        listed = await overpass.ask(f'{head}{around}["boundary"="administrative"];out tags;')
        names = {raw["id"]: _names(raw) for raw in listed["elements"] if raw.get("tags")}
        box = shapely.box(city.lon - 1e-3, city.lat - 1e-3, city.lon + 1e-3, city.lat + 1e-3)
        # With an artificial shape, the choice only depends on whether the name is the city's.
        wanted = [
            number for number, called in names.items()
            if choose_boundary([BoundaryCandidate("", called, shapely.buffer(box, 0.05))], city)
        ]  # fmt: skip
        shapes: list[Any] = []
        if wanted:
            ids = ",".join(map(str, sorted(wanted)))
            shapes = (await overpass.ask(f"{head}rel(id:{ids});out geom;"))["elements"]
    rows = [
        {
            "id": f"relation/{raw['id']}", "names": names[raw["id"]], "level": _level(raw),
            "wkt": shapely.to_wkt(shape, rounding_precision=7),
        }
        for raw in sorted(shapes, key=lambda raw: int(raw["id"]))
        if (shape := _shape(raw)) is not None
    ]  # fmt: skip
    text = "".join(f"{json.dumps(row, ensure_ascii=False, sort_keys=True)}\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return {"timestamp": _stamp(listed), "rows": len(rows)}


def _names(raw: Mapping[str, Any]) -> list[str]:
    tags = raw["tags"]
    named = [str(v) for k, v in tags.items() if k == "name" or k.startswith("name:")]
    first = [str(tags["name"])] if tags.get("name") else []
    return list(dict.fromkeys([*first, *sorted(named)]))


def _level(raw: Mapping[str, Any]) -> int:
    text = str(raw.get("tags", {}).get("admin_level", ""))
    return int(text) if text.isdigit() else 0


def _shape(raw: Mapping[str, Any]) -> shapely.Geometry | None:
    """Return the area between a relation's outer and inner lines, or None if this area is empty."""
    lines: dict[str, list[shapely.Geometry]] = {"outer": [], "inner": []}
    for member in raw.get("members") or ():
        points = [(p["lon"], p["lat"]) for p in member.get("geometry") or () if p]
        if len(points) > 1:
            role = "inner" if member.get("role") == "inner" else "outer"
            lines[role].append(shapely.LineString(points))
    outer = shapely.union_all(shapely.get_parts(shapely.polygonize(lines["outer"])))
    inner = shapely.union_all(shapely.get_parts(shapely.polygonize(lines["inner"])))
    shape = shapely.difference(outer, inner)
    return None if shapely.is_empty(shape) else shape


PROVIDER = OpenProvider(NAME, find, boundary, lambda settings: settings.overpass_url)
