"""Builds the page at ``/``, where users try tools by hand; the page includes the report's map."""

from __future__ import annotations

import html
import re
from itertools import islice
from statistics import median
from typing import Any

from flows.agents.registry import TOOLS
from flows.agents.words import name_in
from flows.report.one_file import ServedPage, embed_json, served_page
from warehouse.errors import SandboxError
from warehouse.records import Attraction, Place
from warehouse.sandbox import Sandbox

#: Assets of the report that draw the map, and assets of this page.
_MAP = ("dom.js", "projection.js", "map.js", "paint.js")
_OWN = ("marks.js", "form.js", "page.js")
#: The most places of a table that the map shows.
_MOST_SPOTS = 5_000


def make(box: Sandbox) -> ServedPage:
    """Return the HTML page for trying the tools of a sandbox."""
    parts = {"DATA": embed_json(_data(box)), "TITLE": html.escape(", ".join(box.cities))}
    return served_page("flows.agents", _MAP, _OWN, parts)


def _data(box: Sandbox) -> dict[str, Any]:
    shown = [
        {
            "name": t.name,
            "description": t.description,
            "schema": t.schema,
            "example": _example(t.example, box),
        }
        for t in TOOLS.values()
    ]
    return {
        "cities": [{"slug": slug} for slug in box.cities],
        "tools": shown,
        "strings": {},
        "terms": {},
    }


def _example(example: dict[str, Any], box: Sandbox) -> dict[str, Any]:
    """Replace the city, places and query in an example with others from the snapshot."""
    names = _fill_examples(box)
    either = re.compile("|".join(map(re.escape, names)))

    def put(value: Any) -> Any:
        if isinstance(value, list):
            return [put(one) for one in value]
        return either.sub(lambda m: names[m[0]], value) if isinstance(value, str) else value

    return {key: put(value) for key, value in example.items()}


def _fill_examples(box: Sandbox) -> dict[str, str]:
    """Return a name from this snapshot for each name in the examples."""
    city, other = box.cities[0], box.cities[-1]
    sights = _first(box, city, "attractions")
    found = {
        "杭州君悦酒店": _first(box, city, "hotels")[:1],
        "杭州东站": sights[1:2],
        "灵隐寺": sights[1:2],
        "west lake": sights[:1],
        "西湖": sights[:1],
        "杭州": [city],
        "苏州": [other],
        "tprag-hangzhou-generic-3d": [query.query_id for query in islice(box.queries(city), 1)],
    }
    return {ours: theirs[0] for ours, theirs in found.items() if theirs}


def _first(box: Sandbox, city: str, table: str) -> list[str]:
    return [name_in(place, "zh") for place in islice(box.select(city, table, "lat", "known"), 2)]


def spots(box: Sandbox, city: str) -> dict[str, Any]:
    """Collect the points that the map shows for a city, in the format of the report's map.

    Raises SandboxError if no place in the city has known coordinates.
    """
    slug = box.city(city)
    tables: dict[str, list[Place]] = {
        table: list(islice(box.select(slug, table, "lat", "known"), _MOST_SPOTS))
        for table in ("attractions", "restaurants", "hotels")
    }
    if not any(tables.values()):
        raise SandboxError(f"no place in {slug} has known coordinates")
    located = [place for places in tables.values() for place in places]
    centre = [median(p.lat or 0.0 for p in located), median(p.lon or 0.0 for p in located)]
    return {
        "slug": slug,
        "zh": slug,
        "en": slug,
        "at": centre,
        "trajectories": [],
        # For each line: its name, and latitude, longitude and name of its stations.
        "metro": [
            [line, [[*point, name] for name, point in stops]]
            for line, stops in box.metro_lines(slug)
        ],
        "pois": [_poi(place) for place in tables["attractions"]],
        "hotels": [_spot(place) for place in tables["hotels"]],
        "restaurants": [_spot(place) for place in tables["restaurants"]],
    }


def _poi(place: Place) -> dict[str, Any]:
    category = place.category if isinstance(place, Attraction) else None
    return {
        "at": [place.lat, place.lon], "name_zh": place.name_zh, "name_en": place.name_en,
        "category": category, "n_documents": 0, "n_mentions": 0,
    }  # fmt: skip


def _spot(place: Place) -> list[Any]:
    return [place.lat, place.lon, place.name_zh, place.name_en]
