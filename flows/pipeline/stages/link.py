"""Runs the stage ``link``, which decides which place in the tables each name refers to.

A document's links depend on the document, the tables and the reviewers' decisions about the links.
The links never depend on the cities of the build or on other documents. A city receives rows only
from documents that name a place in this city. A bucket's slice for a city is a hash of the rows
from documents that name a place in the city. The hash covers the rows of both readings and links. A
change in other cities therefore does not cause the city's shards to run again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict

import polars as pl

from extractors.tasks.name_reviews import DoubtfulNames, LinkReview
from flows.pipeline.doubtful import decide_links, doubtful_names
from flows.pipeline.readings import LINKS_VERSION, LinkStore
from flows.pipeline.shards import SLICES, Frames, Stored
from flows.pipeline.stages import corpus
from flows.pipeline.stages.base import Job, Output, Row, Stage, Upstream, list_stored, only
from flows.pipeline.stages.places import INDEX_FRAMES
from flows.review.apply import Rejection, group_rejections, with_reviews
from geocoding.linking.decide import blocks_of
from geocoding.linking.index import CityPlaces, CityShelf, PlaceIndex
from geocoding.linking.told import Linked, Name, ReadDay, ReadDocument
from schemas import frames as inner
from schemas.arrow import polars_schema_of
from schemas.ids import canonical_json, digest

_OUTPUTS = {
    "links": Output(inner.LINKS),
    "days": Output(inner.LINKED_DAYS),
    "stated": Output(inner.STATED),
}
#: The cities that were looked up last, because consecutive buckets ask for the same cities.
_SHELF = CityShelf()
_SCHEMAS = {name: polars_schema_of(output.table) for name, output in _OUTPUTS.items()}


def compute(job: Job, upstream: Upstream) -> Frames:
    """Return the links of every name, the city of every day, and the cities of each document."""
    documents = list(_list_told(upstream, job.extra.get("assumed", {})))
    parts = [part for part in list_stored(upstream, "index") if part.ref.rows["place_names"]]
    index = _index(job, parts, documents)
    names = _fullest(only(upstream, "read")["names"])
    asked, engine = _list_rejections(job), job.model
    contents = {city_id: held.version for city_id, held in index.cities.items()}
    found: dict[str, Linked] = {}
    doubtful: list[tuple[str, DoubtfulNames]] = []
    with closing(LinkStore(job.inputs.link_store, index, contents)) as store:
        for told in _by_city(documents, index):
            found[told.doc_id] = linked = store.link(told)
            if engine is not None:
                doubtful += [(told.doc_id, q) for q in doubtful_names(told, linked, index)]
    if engine is not None:
        found |= decide_links(engine, doubtful, found, index)
    for doc_id, rejected in asked.items():
        if doc_id in found:
            found[doc_id] = with_reviews(found[doc_id], names[doc_id], rejected, index.city_of)
    rows: dict[str, list[Row]] = {name: [] for name in _SCHEMAS}
    for told in documents:
        _collect(rows, told.doc_id, found[told.doc_id])
    made = {
        name: pl.DataFrame(rows[name], schema=schema, orient="row")
        for name, schema in _SCHEMAS.items()
    }
    return {**made, SLICES: _slices(made["links"], [made, only(upstream, "read")])}


def _index(job: Job, parts: Sequence[Stored], documents: Iterable[ReadDocument]) -> PlaceIndex:
    """Return the places in all tables that the names in these documents may refer to."""

    slugs = {city.slug: city for city in (*job.inputs.cities, *job.inputs.other_cities)}

    def places(part: Stored) -> CityPlaces:
        def read(name: str, columns: Sequence[str] | None) -> pl.DataFrame:
            return part.read(INDEX_FRAMES[name], columns)

        return CityPlaces(slugs[part.ref.shard], read, part.ref.data_digest, _SHELF)

    cities = sorted(map(places, parts), key=lambda held: held.city.city_id)
    forms = {form for told in documents for name in told.names for form in name.forms}
    return PlaceIndex.of({held.city.city_id: held for held in cities}, forms)


def _by_city(documents: Iterable[ReadDocument], index: PlaceIndex) -> list[ReadDocument]:
    """Sort the documents by the city of the places they name, so that each city is loaded once."""

    def city_of(told: ReadDocument) -> tuple[str, str]:
        cities = Counter(
            city for name in told.names for form in name.forms for city, _ in index.exact(form)
        )
        return min(cities, key=lambda city: (-cities[city], city), default=""), told.doc_id

    return sorted(documents, key=city_of)


def _fullest(rows: pl.DataFrame) -> dict[str, dict[int, tuple[str, str]]]:
    """Return the fullest form and the role of each name, by document id and name number."""
    found: dict[str, dict[int, tuple[str, str]]] = defaultdict(dict)
    for doc_id, n, name, role in rows.select("doc_id", "n", "fullest", "role").iter_rows():
        found[doc_id][n] = name, role
    return found


def _list_rejections(job: Job) -> dict[str, list[Rejection]]:
    """Return the links that reviewers rejected in the bucket's documents."""
    return group_rejections(job.inputs.rejections, (file.doc_id for file in job.extra["files"]))


def _list_told(upstream: Upstream, assumed: Mapping[str, str]) -> Iterator[ReadDocument]:
    """Yield the documents in the bucket in the form that linking needs, ordered by id."""
    read = only(upstream, "read")
    names, days = _names(read["names"]), _days(read["stops"])
    for document in corpus.documents(only(upstream, "corpus")):
        yield ReadDocument(
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


def _days(rows: pl.DataFrame) -> dict[str, list[ReadDay]]:
    ordered = rows.sort("doc_id", "trip", "day", "order")
    found: dict[str, list[ReadDay]] = defaultdict(list)
    for (doc_id, trip, day), part in ordered.group_by("doc_id", "trip", "day", maintain_order=True):
        stops = tuple(part.select("n", "start").iter_rows())
        where = next((where for where in part["where"].to_list() if where), None)
        found[str(doc_id)].append(ReadDay(int(str(trip)), int(str(day)), where, stops))
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
    asked = [asdict(one) for ones in _list_rejections(job).values() for one in ones]
    found = {"assumed cities": dict(stated), "reviews": asked}
    return {name: digest(canonical_json(value)) for name, value in found.items() if value}


def _slices(links: pl.DataFrame, parts: Sequence[Frames]) -> pl.DataFrame:
    """For each city and region, return a hash of the rows in all frames that concern the city or
    region."""
    rows: dict[str, list[str]] = defaultdict(list)
    for at, frames in enumerate(parts):
        for name, frame in sorted(frames.items()):
            for doc_id, hashes in _hashes(frame):
                rows[doc_id].append(f"{at}/{name}:{hashes}")
    named = links.select("city_of", "doc_id").drop_nulls().unique().sort("city_of", "doc_id")
    found = [
        (city, digest(*(text for doc_id in documents for text in (doc_id, *rows[doc_id]))))
        for city, documents in named.group_by("city_of", maintain_order=True)
        .agg("doc_id")
        .iter_rows()
    ]
    return pl.DataFrame(found, schema=polars_schema_of(inner.SLICES), orient="row")


def _hashes(frame: pl.DataFrame) -> list[tuple[str, str]]:
    """Return the hashes of each document's rows, in the order of the rows."""
    hashed = frame.select("doc_id", hash=frame.hash_rows(seed=0).cast(pl.String))
    return hashed.group_by("doc_id", maintain_order=True).agg(pl.col("hash").str.join(" ")).rows()


STAGE = Stage(
    "link",
    LINKS_VERSION,
    compute,
    {**_OUTPUTS, SLICES: Output(inner.SLICES)},
    settings=lambda job: job.model_settings("review", LinkReview.version),
    ingredients=_ingredients,
    providers=lambda job: job.services,
    stored=frozenset({"index"}),
)
