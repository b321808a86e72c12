"""Compare the links for careful readings with the true places, for each range of scores.

    python -m benchmarks.careful_links [--held] [--answered] [--wrong] [--write]

The readings and tables are shared data (``TRIPBED_SHARED``). The readings give names as the text
spells them, and add no knowledge from outside the text. The true place is in the readings' fields
``standard`` and ``true_city``. A third of the documents, drawn at random with a fixed seed, is held
out. By default, the run measures the other documents; with ``--held``, it measures the held-out
third. ``--write`` measures both.

A link is correct if the linked place is in the true city and one of its names equals, contains or
is part of a name of the true place. A link is also correct if two readers judged that both names
mean the same place (``same_places.csv``). The second table gives the share of correct links for
each range of scores. The share of correct links should be at least as high as the score.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.careful_answers import CarefulRead
from benchmarks.report import same_places, shared_folder, table, write_section
from extractors.own_readings import read_file
from extractors.tasks import DocumentTask
from geocoding.linking.decide import blocks_of, link_document
from geocoding.linking.index import CityPlaces, PlaceIndex
from geocoding.linking.told import Link, Name, ReadDay, ReadDocument
from geocoding.places import places_from_tables
from schemas.document_reading import DocumentReading, NamedPlace
from schemas.documents import Document
from schemas.tasks import DocumentInput
from sources.tables.registry import cities_with_tables, read_tables
from sources.web.main_text import parse_document

Row = dict[str, Any]
_SEED, _HELD = 20261122, 3
_NOWHERE = ("-", "?")
_NOTE = """
A link counts as right if the reader's name for the place equals, contains or is part of one of the
linked place's names. A link also counts as right if two other readers agreed that the reader's name
and a name of the linked place refer to the same place, such as 净慈禅寺 and 净慈寺.
`benchmarks/same_places.csv` lists the pairs of names that refer to the same place.
"""
#: Ranges of scores in hundredths; links are counted for each range.
_BANDS = ((80, 84), (85, 89), (90, 94), (95, 99), (100, 100))


@dataclass
class Measured:
    """Counts of stops and of places in tables, and the correct links for each range of scores."""

    stops: int = 0
    stops_right: int = 0
    in_tables: int = 0
    found: int = 0
    linked: int = 0
    right: int = 0
    bands: dict[tuple[int, int], list[int]] = field(
        default_factory=lambda: defaultdict(lambda: [0, 0])
    )
    wrong: list[str] = field(default_factory=list)


class Tables:
    """The places of all tables: their names, their cities and the index for linking."""

    def __init__(self, folder: Path) -> None:
        cities = cities_with_tables(folder, "traveleval")
        tables = {
            city.city_id: places_from_tables(
                read_tables(folder, "traveleval", city).attractions, city
            )
            for city in cities
        }
        self.index = PlaceIndex.of(
            {city.city_id: CityPlaces.of(tables[city.city_id], city) for city in cities}
        )
        self.slugs = {city.city_id: city.slug for city in cities}
        self.names: dict[str, set[str]] = defaultdict(set)
        self.city_of: dict[str, str] = {}
        for city_id, places in tables.items():
            for row in places.pois.iter_rows(named=True):
                self.city_of[row["poi_id"]] = city_id
                self.names[row["poi_id"]] |= _fold_names(row["name_zh"], row["name_en"])
            for row in places.aliases.iter_rows(named=True):
                self.names[row["poi_id"]] |= _fold_names(row["alias"])

    def find_places(self, slug: str, forms: set[str]) -> set[str]:
        """Find the places in a city that have any of the given names."""
        return {
            poi_id for poi_id, names in self.names.items()
            if names & forms and self.slugs[self.city_of[poi_id]] == slug
        }  # fmt: skip


def _fold_names(*names: str | None) -> set[str]:
    return {_plain(name or "") for name in names} - {""}


def _plain(name: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKC", name).lower() if sign.isalnum())


_SAME = frozenset((_plain(a), _plain(b)) for a, b in same_places())


def draw_readings(readings: Path, *, held: bool) -> list[Row]:
    """Return the readings that are held out, or all others."""
    rows = [json.loads(line) for line in readings.read_text(encoding="utf-8").splitlines()]
    docs = sorted(row["doc"] for row in rows)
    back = set(random.Random(_SEED).sample(docs, len(docs) // _HELD))
    return [row for row in rows if (row["doc"] in back) == held]


def told_of(document: Document, reading: DocumentReading) -> ReadDocument:
    """Convert a reading into the input of the linking code."""
    names = tuple(
        Name(
            place.n,
            tuple(dict.fromkeys(place.forms)),
            tuple((span.start, span.end) for span in place.spans),
            place.what,
            place.where,
            place.parent,
        )
        for place in reading.places
    )
    days = tuple(
        ReadDay(
            number,
            at,
            day.where,
            tuple(
                (stop.place, stop.span.start) for stop in day.stops if not stop.is_seen_from_afar
            ),
        )
        for number, trip in enumerate(reading.trips, 1)
        for at, day in enumerate(trip.days, 1)
    )
    blocks = blocks_of((block.start, block.kind, block.text) for block in document.blocks)
    return ReadDocument(document.doc_id, document.path, blocks, names, days)


def measure(
    rows: list[Row], readings: Path, docs: Path, tables: Tables, *, answered: bool = False
) -> Measured:
    """Link every document and compare the links with the true places. If ``answered`` is true, the
    readings are first checked as if they were a model's answers.
    """
    found, own = Measured(), read_file(readings)
    for row in rows:
        document = parse_document((docs / row["doc"]).read_bytes(), row["doc"])
        line = own.assign([(document.doc_id, row["doc"])]).lines[document.doc_id]
        reading = line.read(document).reading
        reading = as_answered(document, reading) if answered else reading
        links = link_document(told_of(document, reading), tables.index).links
        stops = {stop.place for trip in reading.trips for _, _, stop in trip.stops}
        for place, truth in _pair_places(reading, row):
            _compare(found, tables, row["doc"], truth, links[place.n], is_stop=place.n in stops)
    return found


def as_answered(document: Document, reading: DocumentReading) -> DocumentReading:
    """Write a reading as a model's answer, and return the parsed and checked answer."""
    task, item = DocumentTask(), DocumentInput(document=document)
    answer = CarefulRead(document, reading).answer(task.name)
    assert answer is not None, "a careful reading must contain an answer to this task"
    return task.check(item, task.parse(answer, item)).output


def _pair_places(reading: DocumentReading, row: Row) -> Iterator[tuple[NamedPlace, Row]]:
    """Yield each place of a reading with its true place, unless its city is unknown."""
    for truth in row["places"]:
        forms = {truth["name"], *truth["also"]}
        place = next((p for p in reading.places if forms & set(p.forms)), None)
        if place is not None and truth["true_city"] not in _NOWHERE:
            yield place, truth


def _compare(
    found: Measured, tables: Tables, doc: str, truth: Row, link: Link, *, is_stop: bool
) -> None:
    slug = tables.slugs.get(link.city_id or "")
    true = truth["true_city"] if truth["true_city"] in tables.slugs.values() else None
    if is_stop:
        found.stops += 1
        found.stops_right += slug == true
        if slug != true:
            found.wrong.append(
                f"city: {truth['name']} in {doc}: {slug}, truly {truth['true_city']}"
            )
    if truth["what"] != "sight":
        return
    forms = _fold_names(truth["standard"], truth.get("standard_en"))
    same = tables.find_places(true, forms) if true else set()
    if same:
        found.in_tables += 1
        found.found += link.poi_id in same
    if link.poi_id is None:
        return
    said = forms | _fold_names(truth["name"], *truth["also"])
    near = any(len(a) > 1 and (a in b or b in a) for a in said for b in tables.names[link.poi_id])
    told = any((form, name) in _SAME for form in said for name in tables.names[link.poi_id])
    is_right = slug == true and (link.poi_id in same or near or told)
    found.linked += 1
    found.right += is_right
    band = next(b for b in _BANDS if b[0] <= link.score <= b[1])
    found.bands[band][0] += is_right
    found.bands[band][1] += 1
    if not is_right:
        found.wrong.append(f"link: {truth['name']} in {doc}: {link.why}")


def report(found: Measured) -> str:
    """Return the table of shares and the table of scores."""
    shares = [
        (
            "stops that were assigned to the right city, or correctly to none",
            found.stops_right,
            found.stops,
        ),
        ("links that lead to the right place in a table", found.right, found.linked),
        (
            "names linked to the right place, among those whose place is in a table",
            found.found,
            found.in_tables,
        ),
    ]
    bands = [
        (f"{low / 100:.2f} to {high / 100:.2f}", right, n, f"{right / n:.3f}")
        for (low, high), (right, n) in sorted(found.bands.items())
    ]
    return "\n".join(
        [
            table(
                ["what", "right", "total", "share"],
                [(*s, f"{s[1] / max(1, s[2]):.3f}") for s in shares],
            ),
            table(["score of a link", "right", "total", "share right"], bands),
        ]
    )


def main() -> None:
    """Measure the links, print the tables and, with ``--write``, write the section."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--held", action="store_true", help="measure the held-back third")
    parser.add_argument(
        "--answered",
        action="store_true",
        help="check the readings as if they were a model's answers",
    )
    parser.add_argument("--wrong", action="store_true", help="print the wrong links")
    parser.add_argument("--write", action="store_true", help="write the figures to docs/benchmarks")
    options = parser.parse_args()
    data = shared_folder("data/readings/careful.jsonl") / "data"
    readings = data / "readings" / "careful.jsonl"
    tables = Tables(data / "traveleval" / "environment" / "database")

    def measure_part(*, held: bool) -> Measured:
        rows = draw_readings(readings, held=held)
        return measure(rows, readings, data / "docs", tables, answered=options.answered)

    found: Mapping[bool, Measured] = {
        held: measure_part(held=held)
        for held in ((False, True) if options.write else (options.held,))
    }
    for one in found.values():
        sys.stdout.write(report(one) + "\n" + "".join(f"{w}\n" for w in one.wrong if options.wrong))
    if options.write:
        body = (
            "The first two tables cover the documents that were examined during development (two"
            f" thirds of all 39 documents):\n\n{report(found[False])}\n"
            "The next two tables cover the documents that were held back (the remaining third):"
            f"\n\n{report(found[True])}\n{_NOTE}"
        )
        write_section(
            "Links of careful readings", "python -m benchmarks.careful_links --write", body
        )


if __name__ == "__main__":
    main()
