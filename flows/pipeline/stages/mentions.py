"""Stage mentions: what the engine reads in the documents about a city, bucket by bucket."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import polars as pl

from extractors.read import read_documents
from flows.models.engines import engine_identity, engine_named
from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import (
    Job,
    Output,
    Stage,
    Upstream,
    only,
    quarantine_row,
    stage_count,
    tables,
)
from flows.pipeline.stages.corpus import documents
from flows.pipeline.stages.places import places_of
from geocoding.places import gazetteer_entries
from queries.contexts import context_hits
from schemas import frames as inner
from schemas.arrow import frame, polars_schema_of
from schemas.cities import City, find_city
from schemas.documents import Document
from schemas.reading import Reading
from schemas.tables import TABLES
from schemas.tasks import DocumentInput
from schemas.taxonomy import TPRAG_CITIES

#: A document is about a city if the times it names the city (a title counts as five) and the
#: different places of the city that it names come to this, ...
MINIMUM_NAMES = 3
#: ... and to this share of the times that it names any other city.
MINIMUM_SHARE = 0.3
_TITLE_WEIGHT = 5

_OUTPUTS = {
    "about": Output(inner.ABOUT, ("corpus", "documents")),
    "mentions": Output(inner.MENTIONS, ("mentions", "poi_mentions")),
    "visits": Output(inner.VISITS),
    "facts": Output(inner.FACTS),
    "contexts": Output(inner.CONTEXT_HITS),
}
_SCHEMAS = {name: polars_schema_of(output.table) for name, output in _OUTPUTS.items()}


def compute(job: Job, upstream: Upstream) -> Frames:
    """Read each document of a bucket that is about the city; the others wait for their own."""
    assert job.city is not None
    city = job.city
    engine = engine_named(job.inputs.engine, job.inputs.settings, job.inputs.run_id)
    gazetteer = gazetteer_entries(places_of(only(upstream, "places")))
    known = sorted({name for entry in gazetteer for name in (entry.standard, *entry.names)})
    corpus = documents(only(upstream, "corpus"))
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in _SCHEMAS}
    quarantined: list[dict[str, Any]] = []
    counts = {"in": 0, "kept": 0}
    is_main = {document.doc_id: about(document, city, known) for document in corpus}
    items = (
        DocumentInput(document=document, city=city.name_zh or city.name_en, gazetteer=gazetteer)
        for document in corpus
        if is_main[document.doc_id] is not None
    )
    for item, reading, ungrounded in read_documents(engine, items):
        document = item.document
        _collect(rows, document, reading, bool(is_main[document.doc_id]))
        counts["kept"] += len(reading.mentions)
        counts["in"] += len(reading.mentions) + len(ungrounded)
        quarantined += [
            quarantine_row(
                city, "mentions", "poi_mentions", f"{document.doc_id}:{number}", "ungrounded",
                f"{part.what}: {part.why}",
            )
            for number, part in enumerate(ungrounded)
        ]  # fmt: skip
    counted = [
        stage_count(
            city, "mentions", "poi_mentions", rows_in=counts["in"], kept=counts["kept"],
            quarantined=len(quarantined),
        ),
        stage_count(
            city, "corpus", "documents", rows_in=len(corpus), kept=len(rows["about"]),
            pending=len(corpus) - len(rows["about"]),
        ),
    ]  # fmt: skip
    return {
        **{
            name: pl.DataFrame(rows[name], schema=schema, orient="row")
            for name, schema in _SCHEMAS.items()
        },
        "quarantine": frame("quarantine", quarantined),
        "counts": pl.DataFrame(counted),
    }


def _collect(
    rows: Mapping[str, list[dict[str, Any]]], document: Document, reading: Reading, is_main: bool
) -> None:
    doc_id, lang = document.doc_id, document.lang
    rows["about"].append(
        {
            "doc_id": doc_id,
            "kind": reading.kind,
            "is_main": is_main,
            "days_stated": reading.days_stated,
        }
    )
    rows["mentions"].extend(
        {
            "doc_id": doc_id, "name": m.name, "standard": m.standard, "lang": lang, "role": m.role,
            "start": m.span.start, "end": m.span.end, "day": m.day, "order": m.order,
            "confidence": m.confidence, "reason_start": m.reason.start if m.reason else None,
            "reason_end": m.reason.end if m.reason else None,
        }
        for m in reading.mentions
    )  # fmt: skip
    rows["visits"].extend(
        {
            "doc_id": doc_id, "day": v.day, "order": v.order, "name": v.name, "standard": v.standard,
            "lang": lang, "start": v.span.start, "end": v.span.end,
        }
        for v in (reading.route.visits if reading.route else ())
    )  # fmt: skip
    rows["facts"].extend(
        {
            "doc_id": doc_id, "poi": f.poi, "field": f.field, "value": f.value,
            "valid_when": f.valid_when, "start": f.span.start, "end": f.span.end,
        }
        for f in reading.facts
    )  # fmt: skip
    rows["contexts"].extend(
        {
            "doc_id": doc_id, "kind": hit.kind, "code": hit.code, "start": hit.start,
            "end": hit.end, "weight": hit.weight,
        }
        for hit in context_hits(document)
    )  # fmt: skip


def about(document: Document, city: City, places: Sequence[str] = ()) -> bool | None:
    """Whether the document is mainly about this city; None if it is not about it at all.

    ``places`` are names of places of the city; a name of one character says nothing.
    """
    text = document.text
    known = sum(1 for name in places if len(name) > 1 and name in text)
    own = _named(document, city) + known
    others = [_named(document, other) for other in _well_known() if other != city]
    if own < MINIMUM_NAMES or own < MINIMUM_SHARE * max(others):
        return None
    return own >= sum(others)


def _named(document: Document, city: City) -> int:
    pattern = _name_pattern(city.name_zh, city.name_en)
    in_title = len(pattern.findall(document.title)) + len(pattern.findall(document.path))
    return len(pattern.findall(document.text)) + _TITLE_WEIGHT * min(in_title, 1)


@lru_cache(maxsize=4096)
def _name_pattern(name_zh: str | None, name_en: str) -> re.Pattern[str]:
    latin = rf"(?<![a-z]){re.escape(name_en)}(?![a-z])"
    return re.compile("|".join([latin, *([re.escape(name_zh)] if name_zh else [])]), re.IGNORECASE)


@lru_cache(maxsize=1)
def _well_known() -> tuple[City, ...]:
    """Cities that a travel document may rather be about."""
    return tuple(find_city(zh) for _slug, zh in TPRAG_CITIES)


STAGE = Stage(
    "mentions",
    18,
    compute,
    {**_OUTPUTS, **tables("quarantine"), "counts": Output(TABLES["stage_counts"])},
    settings=lambda job: {"engine": engine_identity(job.inputs.engine, job.inputs.settings)},
    providers=lambda job: () if job.inputs.engine == "rules" else ("llm",),
)
