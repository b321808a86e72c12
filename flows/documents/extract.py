"""The command ``tripbed extract``, which reads a folder of documents without a build."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from operator import itemgetter
from pathlib import Path
from typing import Any

from extractors.own_readings import Assigned, LineProblem, read_file, write_reading
from extractors.read import (
    RULES_LANGUAGES,
    STRUCTURE_LANGUAGES,
    is_unread,
    read_all,
    read_by_one_request,
    read_in_one_form,
    unread_why,
)
from flows.console import build_progress, print_json
from flows.errors import SettingsError
from flows.models.engines import engine_named
from flows.settings.checks import check_engine, check_layout
from flows.settings.environment import Settings
from geocoding.places import gazetteer_entries, places_from_tables
from schemas.cities import City, find_city
from schemas.documents import Document
from schemas.nouns import count_noun
from schemas.reading import GazetteerEntry
from schemas.tasks import DocumentInput, Engine
from sources.tables.registry import available_cities, read_tables
from sources.web.corpus import Corpus, CorpusFile, read_folder
from sources.web.errors import UnreadableDocument

Row = dict[str, Any]


def extract_folder(
    documents: Path, out: Path, cities: Sequence[str], tables: Path | None, tables_format: str,
    engine_name: str, settings: Settings, done: Callable[[Any], None],
    readings: Path | None = None,
) -> tuple[dict[str, int], list[str]]:  # fmt: skip
    """Read every document below a folder, and write one JSON object per document.

    Returns messages, and the numbers of documents read, documents rejected, places, routes and
    facts. The tables serve as a gazetteer, either for the given cities or for all cities in the
    tables. The engine skips documents that have a reading in ``readings``.

    Raises CorpusError, TableError or ReadingsError if the folder, the tables or the file of
    readings cannot be read. Raises UnknownCityError if a city is unknown. Raises SettingsError if
    the engine or the format of the tables is unknown, or if the city is missing.
    """
    check_engine(engine_name)
    extraction = _Extraction(read_folder([documents]), engine_name, settings, readings)
    gazetteer = _gazetteer(tables, tables_format, cities)
    about = find_city(cities[0]) if len(cities) == 1 else None
    engine = engine_named(engine_name, settings)
    rows = merge(
        extraction.read_by_engine(engine, about, gazetteer), extraction.read_brought(),
        key=itemgetter("doc"),
    )  # fmt: skip
    aside, counts = out.with_name(f".{out.name}.{os.getpid()}"), extraction.counts
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with aside.open("w", encoding="utf-8") as lines:
            for row in rows:
                done("reading")
                lines.write(json.dumps(row, ensure_ascii=False) + "\n")
                counts["read"] += 1
                counts["pois"] += len(row["pois"])
                counts["routes"] += int(row["trajectory"] is not None)
        os.replace(aside, out)
    finally:
        aside.unlink(missing_ok=True)
    return counts, extraction.told


class _Extraction:
    """Reads the documents in a folder, counts the results and collects messages."""

    def __init__(
        self, corpus: Corpus, engine_name: str, settings: Settings, readings: Path | None
    ) -> None:
        self._corpus, self._engine, self._readings = corpus, engine_name, readings
        by_one_request = engine_name == "openai" and settings.llm_one_request
        self._read = read_by_one_request if by_one_request else read_in_one_form
        own = read_file(readings) if readings else None
        self._given = own.assign(corpus.list_names()) if own else Assigned({}, ())
        problems = (*(own.problems if own else ()), *self._given.problems)
        self.told = [f"{readings}: {problem}" for problem in problems]
        rejected = len(corpus.rejected)
        self.counts = {"read": 0, "rejected": rejected, "pois": 0, "routes": 0, "facts": 0}

    def read_by_engine(
        self, engine: Engine, about: City | None, gazetteer: tuple[GazetteerEntry, ...]
    ) -> Iterator[Row]:
        """Yield one row for each document that has no reading from the user."""
        name = (about.name_zh or about.name_en) if about else None
        items = (
            DocumentInput(document=document, city=name, gazetteer=gazetteer)
            for document in self._find_readable()
        )
        for item, reading, _ungrounded in read_all(engine, items, self._read):
            if self._engine == "rules" and is_unread(item.document, reading):
                self._reject(item.document)
            else:
                self.counts["facts"] += len(reading.facts)
                yield write_reading(reading, item.document)

    def read_brought(self) -> Iterator[Row]:
        """Yield one row for each document that has a reading from the user."""
        for document in self._load(brought=True):
            line = self._given.lines[document.doc_id]
            reading = line.read(document)
            self.told.extend(
                f"{self._readings}: {LineProblem(line.number, a.part + ' ' + a.what, a.why)}"
                for a in reading.set_aside
            )
            self.counts["facts"] += reading.kept.facts
            yield write_reading(reading.reading, document)

    def _find_readable(self) -> Iterator[Document]:
        for document in self._load(brought=False):
            if self._engine != "rules" or document.lang in (RULES_LANGUAGES | STRUCTURE_LANGUAGES):
                yield document
            else:
                self._reject(document)

    def _load(self, *, brought: bool) -> Iterator[Document]:
        for file, path in _paths(self._corpus):
            if (file.doc_id in self._given.lines) != brought:
                continue
            try:
                yield self._corpus.load(file).model_copy(update={"path": path})
            except UnreadableDocument:
                self.counts["rejected"] += 1

    def _reject(self, document: Document) -> None:
        self.counts["rejected"] += 1
        self.told.append(f"{document.path}: {unread_why(document)}")


def _paths(corpus: Corpus) -> list[tuple[CorpusFile, str]]:
    """List every file below the folder with its path, sorted by path.

    If a file has the same content as an earlier file, its path is listed with the earlier file.
    """
    found = [(file, file.path_rel) for file in corpus.files]
    by_path = {file.path_rel: file for file in corpus.files}
    found += [(by_path[copy.original_path_rel], copy.path_rel) for copy in corpus.duplicates]
    return sorted(found, key=lambda item: item[1])


def _gazetteer(
    tables: Path | None, layout: str, cities: Sequence[str]
) -> tuple[GazetteerEntry, ...]:
    if tables is None:
        return ()
    check_layout(layout)
    names = cities or available_cities(tables, layout)
    if not names:
        raise SettingsError("these tables do not name their city: give the city with --city")
    return tuple(
        entry
        for city in map(find_city, names)
        for entry in gazetteer_entries(
            places_from_tables(read_tables(tables, layout, city).attractions, city)
        )
    )


def extract(
    documents: Path, out: Path, cities: Sequence[str], tables: Path | None, tables_format: str,
    engine: str, settings: Settings, as_json: bool, readings: Path | None = None,
) -> None:  # fmt: skip
    """Read a folder of documents, write one JSON object per document, and print the counts."""
    with build_progress(None, quiet=as_json) as done:
        counts, told = extract_folder(
            documents, out, cities, tables, tables_format, engine, settings, done, readings
        )
    for problem in told:
        print(problem, file=sys.stderr)
    if as_json:
        print_json(counts)
    else:
        print(
            f"{count_noun(counts['read'], 'document')} read, {counts['rejected']} rejected,"
            f" {count_noun(counts['pois'], 'place')}, {count_noun(counts['routes'], 'route')},"
            f" {count_noun(counts['facts'], 'fact')}\n{out}"
        )
