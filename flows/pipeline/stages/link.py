"""Stage link: what the names of a bucket's documents stand for, among the places of all tables.

A document's links depend on the document, on the tables and on what reviewers said of them, never on
the cities of the build nor on other documents.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from threading import Lock
from typing import Any

import polars as pl

from flows.pipeline.links import LINKS_VERSION, LinkStore
from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Job, Output, Stage, Upstream, only
from flows.pipeline.stages.corpus import documents
from flows.pipeline.stages.places import places_of
from flows.review.apply import Rejection
from flows.review.links import rejected_links, with_reviews
from geocoding.linking.decide import blocks_of
from geocoding.linking.index import CityPlaces, PlaceIndex
from geocoding.linking.told import Day, Linked, Name, Told
from schemas import frames as inner
from schemas.arrow import polars_schema_of
from schemas.ids import canonical_json, digest

Row = dict[str, Any]

_OUTPUTS = {
    "links": Output(inner.LINKS),
    "days": Output(inner.LINKED_DAYS),
    "stated": Output(inner.STATED),
}
#: The last index and what it was made of: the buckets of a build follow one another.
_HELD: dict[str, Any] = {}
_LOCK = Lock()
_SCHEMAS = {name: polars_schema_of(output.table) for name, output in _OUTPUTS.items()}


def compute(job: Job, upstream: Upstream) -> Frames:
    """Links of every name, the city of every day, and the cities that each document is about."""
    index, contents = _index(job, upstream)
    names = _fullest(only(upstream, "read")["names"])
    asked = _asked(job)
    rows: dict[str, list[Row]] = {name: [] for name in _SCHEMAS}
    store = LinkStore(job.inputs.link_store, index, contents)
    try:
        for told in _told(upstream, job.extra.get("assumed", {})):
            linked = store.linked(told)
            if told.doc_id in asked:
                linked = with_reviews(linked, names[told.doc_id], asked[told.doc_id], index.city_of)
            _collect(rows, told.doc_id, linked)
    finally:
        store.close()
    return {
        name: pl.DataFrame(rows[name], schema=schema, orient="row")
        for name, schema in _SCHEMAS.items()
    }


def _index(job: Job, upstream: Upstream) -> tuple[PlaceIndex, dict[str, str]]:
    """The places of all tables, and what stands for the rows of each city.

    Made once for all buckets of a process: it takes seconds.
    """
    known = {city.city_id: city for city in job.inputs.linked_cities}
    parts = {
        city_id: frames
        for frames in upstream["places"]
        for city_id in frames["pois"]["city_id"].unique().to_list()
    }
    contents = {city_id: _content(frames) for city_id, frames in sorted(parts.items())}
    with _LOCK:
        if _HELD.get("contents") != contents:
            cities = {c: CityPlaces(known[c], places_of(parts[c])) for c in sorted(parts)}
            _HELD.update(contents=contents, index=PlaceIndex.of(cities))
        index: PlaceIndex = _HELD["index"]
        return index, contents


def _content(frames: Frames) -> str:
    """What stands for the rows on which links depend."""
    tables = (frames[name] for name in ("pois", "poi_aliases", "poi_hierarchy"))
    return digest(*(str(rows.hash_rows(seed=0).hash().sum()) for rows in tables))


def _fullest(rows: pl.DataFrame) -> dict[str, dict[int, tuple[str, str]]]:
    """Fullest form and role of every name, by document and number."""
    found: dict[str, dict[int, tuple[str, str]]] = defaultdict(dict)
    for doc_id, n, name, role in rows.select("doc_id", "n", "fullest", "role").iter_rows():
        found[doc_id][n] = name, role
    return found


def _asked(job: Job) -> dict[str, list[Rejection]]:
    """Links of the bucket's documents that reviewers rejected."""
    return rejected_links(job.inputs.rejections, (file.doc_id for file in job.extra["files"]))


def _told(upstream: Upstream, assumed: Mapping[str, str]) -> Iterator[Told]:
    """The documents of the bucket as linking is given them, in the order of their ids."""
    read = only(upstream, "read")
    names, days = _names(read["names"]), _days(read["stops"])
    for document in documents(only(upstream, "corpus")):
        yield Told(
            document.doc_id,
            document.path,
            blocks_of((block.start, block.kind, block.text) for block in document.blocks),
            tuple(names[document.doc_id]),
            tuple(days[document.doc_id]),
            assumed.get(document.doc_id),
        )


def _names(rows: pl.DataFrame) -> dict[str, list[Name]]:
    grouped = rows.sort("doc_id", "n", "start").group_by("doc_id", "n", maintain_order=True)
    found: dict[str, list[Name]] = defaultdict(list)
    for (doc_id, n), part in grouped:
        first, *_ = occurrences = part.to_dicts()
        forms = dict.fromkeys([first["fullest"], *(row["name"] for row in occurrences)])
        spans = tuple((row["start"], row["end"]) for row in occurrences)
        found[str(doc_id)].append(
            Name(int(str(n)), tuple(forms), spans, first["what"], first["where"], first["parent_n"])
        )
    return found


def _days(rows: pl.DataFrame) -> dict[str, list[Day]]:
    ordered = rows.sort("doc_id", "trip", "day", "order")
    found: dict[str, list[Day]] = defaultdict(list)
    for (doc_id, trip, day), part in ordered.group_by("doc_id", "trip", "day", maintain_order=True):
        stops = tuple(part.select("n", "start").iter_rows())
        where = next((where for where in part["where"].to_list() if where), None)
        found[str(doc_id)].append(Day(int(str(trip)), int(str(day)), where, stops))
    return found


def _collect(rows: dict[str, list[Row]], doc_id: str, linked: Linked) -> None:
    rows["links"] += [
        {
            "doc_id": doc_id, "n": n, "outcome": link.outcome, "city_of": link.city_id,
            "link_poi_id": link.poi_id, "score": link.score, "margin": link.margin,
            "rivals": list(link.rivals), "link_why": link.why,
        }
        for n, link in sorted(linked.links.items())
    ]  # fmt: skip
    rows["days"] += [
        {"doc_id": doc_id, "trip": trip, "day": day, "city_of": city}
        for (trip, day), city in sorted(linked.days.items())
    ]
    rows["stated"] += [
        {"doc_id": doc_id, "city_of": city, "n_blocks": n}
        for city, n in sorted(linked.stated.items())
    ]


def _ingredients(job: Job) -> dict[str, str]:
    stated: Mapping[str, str] = job.extra.get("assumed", {})
    asked = [asdict(one) for ones in _asked(job).values() for one in ones]
    found = {"assumed cities": dict(stated), "reviews": asked}
    return {name: digest(canonical_json(value)) for name, value in found.items() if value}


STAGE = Stage("link", LINKS_VERSION, compute, _OUTPUTS, ingredients=_ingredients)
