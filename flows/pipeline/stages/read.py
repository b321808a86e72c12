"""Runs the stage ``read``, which reads each document in a bucket separately, and only once.

The reading of a document does not depend on any city. The rules use the names in the tables of all
cities, but only to recognise names. Readings are kept in a store, so a bucket that runs again does
not read its documents again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from extractors.journeys import without_calendars
from extractors.lists import list_ranks, title_lines
from extractors.own_readings import lines_of_pages
from extractors.own_readings.file import ReadingLine
from extractors.read import (
    BY_RULES,
    RULES_LANGUAGES,
    STRUCTURE_LANGUAGES,
    is_unanswered,
    is_unread,
    read_all,
    read_by_one_request,
    read_in_one_form,
    reading_version,
    unread_why,
)
from extractors.rules.common.day_lines import day_numbers, tails_of_overviews
from extractors.rules.common.gazetteer import NameGazetteer, without_brackets
from extractors.text import locate
from flows.models.engines import engine_identity, engine_named
from flows.pipeline.readings import Held, ReadingStore, reading_key
from flows.pipeline.shards import Frames
from flows.pipeline.stages import consistency
from flows.pipeline.stages.base import Job, Output, Stage, Upstream, only
from flows.pipeline.stages.corpus import documents
from flows.pipeline.stages.fact_checks import limit_of
from flows.pipeline.stages.places import places_of
from flows.pipeline.stages.sentences import (
    is_no_stop,
    is_part_of_name,
    is_real,
    is_source_heading,
    only_describes,
    only_locates,
    sentence_of,
    stands_in_data,
    was_shut,
)
from geocoding.places import gazetteer_entries
from queries.contexts import context_hits
from schemas import frames as inner
from schemas.arrow import polars_schema_of
from schemas.document_reading import DocumentReading, ReadJourney
from schemas.documents import Document, code_language
from schemas.ids import canonical_json, digest
from schemas.reading import GazetteerEntry
from schemas.rows import ReadNamesRow, ReadStopsRow, UnreadRow
from schemas.tasks import DocumentInput, Ungrounded

#: Rows that are being collected, by the frame to which they belong.
Rows = dict[str, list[Any]]

_OUTPUTS = {
    "readings": Output(inner.READINGS),
    "names": Output(inner.READ_NAMES),
    "stops": Output(inner.READ_STOPS),
    "facts": Output(inner.READ_FACTS),
    "contexts": Output(inner.READ_CONTEXTS),
    "ungrounded": Output(inner.UNGROUNDED),
    "unread": Output(inner.UNREAD),
    "unanswered": Output(inner.UNANSWERED),
}
_SCHEMAS = {name: polars_schema_of(output.table) for name, output in _OUTPUTS.items()}


def compute(job: Job, upstream: Upstream) -> Frames:
    """Return each document's names, stops and facts, and the words that name a context."""
    items = list(_items(documents(upstream["corpus"][0]), _list_known(job, upstream["places"])))
    rows: Rows = {name: [] for name in _SCHEMAS}
    pages = only(upstream, "corpus")["meta"].select("doc_id", "path", "text_sha256").iter_rows()
    own = {**lines_of_pages(job.extra["own_pages"], pages), **job.extra["own"]}
    brought = [item for item in items if item.document.doc_id in own]
    by_engine: dict[str | None, list[DocumentInput]] = {}
    for item in items:
        if item.document.doc_id not in own:
            by_engine.setdefault(_reader_of(item.document, job.inputs.engine), []).append(item)
    for item in brought:
        told = own[item.document.doc_id].read(item.document)
        _collect(rows, item.document, told.reading, told.ungrounded, "own")
    rows["unread"] = [_unread(item.document) for item in by_engine.pop(None, [])]
    for engine, others in by_engine.items():
        assert engine is not None
        for item, (reading, aside) in _readings(job, engine, others):
            if engine == "rules" and is_unread(item.document, reading):
                rows["unread"].append(_unread(item.document))
                continue
            _collect(rows, item.document, reading, aside, engine)
    read_here = (item.document for item in items if item.document.doc_id not in own)
    consistency.judge(job, read_here, rows)
    order = {item.document.doc_id: place for place, item in enumerate(items)}
    return {
        name: pl.DataFrame(
            sorted(rows[name], key=lambda row: order[row["doc_id"]]), schema=schema, orient="row"
        )
        for name, schema in _SCHEMAS.items()
    }


def _reader_of(document: Document, engine: str) -> str | None:
    """Return the part of an engine that reads a document, or None.

    Rules can read two languages, and recognise the structure of texts in a few more. A model can
    read all languages.
    """
    if engine == "openai" or document.lang in RULES_LANGUAGES:
        return engine
    if engine == "rules" and document.lang in STRUCTURE_LANGUAGES:
        return engine
    return "openai" if engine == "cascade" else None


def _unread(document: Document) -> UnreadRow:
    return {"doc_id": document.doc_id, "check": "language", "message": unread_why(document)}


def _list_known(job: Job, places: list[Frames]) -> tuple[GazetteerEntry, ...]:
    """Return the places in all tables for engines that look for known names; a model needs no
    places, so the result is empty.
    """
    if job.inputs.engine not in ("rules", "cascade"):
        return ()
    entries = (entry for frames in places for entry in gazetteer_entries(places_of(frames)))
    return tuple(dict.fromkeys(entries))


def _items(
    corpus: Iterable[Document], known: tuple[GazetteerEntry, ...]
) -> Iterator[DocumentInput]:
    """Yield each document with the known places that it names, under the names that it uses."""
    gazetteer = NameGazetteer(known)
    for document in corpus:
        standing = {hit.entry for hit in gazetteer.find(document.text)}
        cut = [_as_it_stands(entry, document.text) for entry in standing]
        entries = sorted(set(cut), key=lambda entry: (entry.standard, entry.names))
        yield DocumentInput(document=document, gazetteer=tuple(entries))


def _as_it_stands(entry: GazetteerEntry, text: str) -> GazetteerEntry:
    """Return the entry without the names that do not occur in the text; such names cannot change
    the reading.
    """
    names = tuple(name for name in entry.names if locate(without_brackets(name), text))
    return entry.model_copy(update={"names": names})


def _readings(
    job: Job, reader: str, items: list[DocumentInput]
) -> Iterator[tuple[DocumentInput, Held]]:
    """Yield each document with its reading; a new reading is stored."""
    engine = engine_named(reader, job.inputs.settings, job.inputs.run_id)
    identity = f"{engine_identity(reader, job.inputs.settings)} {_version(job)}"
    store = ReadingStore(job.inputs.reading_store) if job.inputs.reading_store else None
    keys = [reading_key(item, identity) for item in items]
    held = {key: store.get(key) for key in keys} if store else {}
    new = [item for item, key in zip(items, keys, strict=True) if held.get(key) is None]
    read = read_by_one_request if _by_one_request(job) else read_in_one_form
    fresh = ((reading, aside) for _, reading, aside in read_all(engine, new, read))
    try:
        for item, key in zip(items, keys, strict=True):
            found = held.get(key)
            if found is None:
                found = next(fresh)
                if store and not is_unanswered(found[1]):
                    store.put(key, found)
            yield item, found
    finally:
        if store:
            store.close()


def _by_one_request(job: Job) -> bool:
    """Check whether the build sends a single request per document for all tasks."""
    return job.inputs.engine == "openai" and bool(job.inputs.settings.llm_one_request)


def _version(job: Job) -> str:
    return reading_version(by_one_request=_by_one_request(job))


def _collect(
    rows: Rows,
    document: Document,
    reading: DocumentReading,
    aside: tuple[Ungrounded, ...],
    reader: str,
) -> None:
    doc_id, text = document.doc_id, document.text
    reading, calendars = without_calendars(document.title, reading)
    rows["readings"].append({
        "doc_id": doc_id, "kind": reading.kind, "days_stated": reading.days_stated,
        "reader": reader,
    })  # fmt: skip
    counted = day_numbers(text)
    rows["names"] += _name_rows(document, reading, is_ranked=not (counted or reading.trips))
    rows["stops"] += _stop_rows(document, reading, counted, is_by_rules=reader in BY_RULES)
    rows["facts"] += [
        {
            "doc_id": doc_id, "n": fact.place, "poi": reading.place(fact.place).name,
            "field": fact.field, "value": fact.value, "valid_when": fact.valid_when,
            "audience": fact.only_for,
            "condition": limit_of(fact.field, reading.condition_of(fact)),
            "start": fact.spans[0].start, "end": fact.spans[0].end,
        }
        for fact in reading.facts
    ]  # fmt: skip
    rows["contexts"] += [
        {
            "doc_id": doc_id, "kind": hit.kind, "code": hit.code, "start": hit.start,
            "end": hit.end, "weight": hit.weight, "is_title": hit.is_title,
        }
        for hit in context_hits(document)
    ]  # fmt: skip
    rows["unanswered"] += [
        {"doc_id": doc_id, "task": part.what, "message": part.why}
        for part in aside
        if is_unanswered([part])
    ]
    rows["ungrounded"] += [
        {"doc_id": doc_id, "position": position, "what": part.what, "message": part.why}
        for position, part in enumerate((*aside, *calendars))
    ]


def _name_rows(
    document: Document, reading: DocumentReading, *, is_ranked: bool
) -> Iterator[ReadNamesRow]:
    """Yield a document's names, one row per span; ``is_ranked`` means that the document's lists may
    be rankings.
    """
    text, lang, standing = document.text, code_language(document.lang), _Standing(document)
    sights = [place for place in reading.places if place.what == "sight"]
    spans = [(span.start, span.end) for place in sights for span in place.spans]
    # The order of a trip is no rank.
    ranks = list_ranks(document, spans) if is_ranked else {}
    for place in reading.places:
        why = place.why
        for span in place.spans:
            yield {
                "doc_id": document.doc_id, "n": place.n, "name": text[span.start : span.end],
                "fullest": place.name, "lang": lang, "start": span.start, "end": span.end,
                "stands_in": standing.of(span.start, span.end),
                "section": standing.section(span.start), "what": place.what, "role": place.role,
                "where": place.where, "parent_n": place.parent, "confidence": place.confidence,
                "reason_start": why.start if why else None,
                "reason_end": why.end if why else None,
                "list_rank": ranks.get(span.start) if place.what == "sight" else None,
            }  # fmt: skip


def _stop_rows(
    document: Document, reading: DocumentReading, counted: Container[int], *, is_by_rules: bool
) -> Iterator[ReadStopsRow]:
    """Yield the stops on a document's trips.

    ``counted`` contains the days that are numbered in the text.
    """
    text, lang = document.text, code_language(document.lang)
    # After an overview of days, the rules assign all later stops to the last day.
    unsure = tails_of_overviews(text) if is_by_rules else []
    for number, trip in enumerate(reading.trips, 1):
        orders: Counter[int] = Counter()
        for day, told in zip(_day_numbers(trip), trip.days, strict=True):
            for stop in told.stops:
                at, end = stop.span.start, stop.span.end
                if stop.is_seen_from_afar or any(first <= at < last for first, last in unsure):
                    continue
                if is_by_rules and is_no_stop(text, at, end):
                    continue
                orders[day] += 1
                remark = stop.remark
                yield {
                    "doc_id": document.doc_id, "trip": number, "day": day, "order": orders[day],
                    "n": stop.place, "name": text[at:end], "lang": lang, "start": at, "end": end,
                    "where": told.where, "is_planned": trip.is_planned,
                    "is_ordered": told.is_ordered, "is_counted": day in counted,
                    "remark": text[remark.start : remark.end] if remark else None,
                    "remark_start": remark.start if remark else None,
                }  # fmt: skip


class _Standing:
    """Finds out whether a name is in the text, in a heading, or in a line that may be a title of
    another page.
    """

    def __init__(self, document: Document) -> None:
        self._blocks, self._text = document.blocks, document.text
        self._starts = [block.start for block in document.blocks]
        self._titles = title_lines(document)
        heads = [block for block in document.blocks if block.kind == "heading"]
        self._headings = [block.start for block in heads]
        self._sources = {block.start for block in heads if is_source_heading(block.text)}

    def of(self, at: int, end: int) -> str:
        """Return the kind of passage that a name occurs in.

        A name that begins its line is not part of another page's title.
        """
        index = max(0, bisect_right(self._starts, at) - 1)
        block = self._blocks[index]
        if block.kind in ("title", "heading"):
            return "heading"
        if (block.start in self._titles and at > block.start) or self.section(at) in self._sources:
            return "title_line"
        if is_part_of_name(self._text, at, end):
            return "name_part"
        first, last = sentence_of(self._text, at, end)
        is_aside = (
            only_locates(self._text, at, end)
            or only_describes(self._text, at, end)
            or stands_in_data(self._blocks, index, at, end)
            or was_shut(self._text, end)
            or not is_real(self._text[first:last])
        )
        return "aside" if is_aside else "text"

    def section(self, at: int) -> int | None:
        """Return the start of the last heading before a name, or None if there is no heading."""
        before = bisect_right(self._headings, at)
        return self._headings[before - 1] if before else None


def _day_numbers(trip: ReadJourney) -> list[int]:
    """Return the text's day numbers if every day has a number and no number decreases; otherwise,
    return 1, 2, 3, ...

    If two parts of a text describe the same day, both parts get the number of this day.
    """
    stated = [day.number for day in trip.days if day.number is not None]
    if len(stated) == len(trip.days) and stated == sorted(stated):
        return stated
    return list(range(1, len(trip.days) + 1))


def _own_digest(job: Job) -> str:
    lines: Mapping[str, ReadingLine] = job.extra["own"]
    of_files = {doc_id: lines[doc_id].digest for doc_id in sorted(lines)}
    of_pages: dict[str, str] = {line.doc: line.digest for line in reversed(job.extra["own_pages"])}
    return digest(canonical_json([of_files, of_pages] if of_pages else of_files))


STAGE = Stage(
    "read",
    20,
    compute,
    _OUTPUTS,
    settings=lambda job: {
        "engine": engine_identity(job.inputs.engine, job.inputs.settings),
        "reading": _version(job),
        **consistency.settings_of(job),
    },
    ingredients=lambda job: {"own readings": _own_digest(job)},
    is_finished=lambda rows: not rows.get("unanswered"),
    providers=lambda job: job.services,
)
