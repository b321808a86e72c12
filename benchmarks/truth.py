"""Compare a snapshot's places and visits from documents with labels made by reading the documents.

    python -m benchmarks.truth SNAPSHOT [--readings READINGS.jsonl] [--write]

The labels are shared data (``TRIPBED_SHARED``, folder ``data/truth``).

- Places: of the places that are known only from documents, the run counts those with a label and
  those labelled as correct. The run also counts all names labelled as correct.
- Visits: the run compares the published stops of each labelled document, in any order, with the
  stops that the writer visited or plans in the city. A stop is found if any of its names matches.
  If the writer spent no day in a city, all stops of a published trajectory there count as wrong.

The maximum possible recall is the share of labelled stops whose place is in the city's table,
because linking finds no other stops. With ``--readings``, the careful readings in a file replace
the labels of visits; use this option for a snapshot that was built from these readings.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.report import same_places, shared_folder, table, write_section
from warehouse.read import Snapshot

Forms = frozenset[str]
#: A reader's marks for a place in an unknown city, and for a name that means no particular place.
_NOWHERE = ("-", "?")


_NOTE = (
    "The first table compares the visits in a snapshot with labels by people who read the"
    " documents. The *highest possible recall* is the share of labelled stops whose place is in the"
    " city's table, because tripbed can link a stop only to a place in this table.\n\n"
    "The second table covers places that are known only from documents. The column *right labels*"
    " gives the number of names that are labelled as correct."
)


def fold(text: str | None) -> str:
    """Reduce a name to its letters and digits, in normal width and lower case."""
    plain = unicodedata.normalize("NFKC", text or "").lower()
    return "".join(sign for sign in plain if sign.isalnum())


@dataclass
class Visits:
    """Counts of the published stops, the labelled stops, and the stops that are in both."""

    right: int = 0
    published: int = 0
    labelled: int = 0
    in_tables: int = 0
    elsewhere: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class PublishedVisits:
    """A snapshot in which the names used in the labels identify cities, documents and places."""

    def __init__(self, snapshot: Path) -> None:
        self._snapshot = Snapshot(snapshot)

    @cached_property
    def slugs(self) -> Mapping[str, str]:
        """Slug of each city, by city id."""
        return dict(self._snapshot.table("cities").select("city_id", "slug").iter_rows())

    @cached_property
    def names(self) -> Mapping[str, set[str]]:
        """The names of each place, simplified by ``fold``."""
        found: dict[str, set[str]] = defaultdict(set)
        for row in self._snapshot.table("pois").select("poi_id", "name_zh", "name_en").iter_rows():
            found[row[0]] |= {fold(name) for name in row[1:] if name}
        for poi_id, alias in (
            self._snapshot.table("poi_aliases").select("poi_id", "alias").iter_rows()
        ):
            found[poi_id].add(fold(alias))
        return found

    @cached_property
    def of_tables(self) -> Mapping[str, set[str]]:
        """For each city's slug, the names of the places in its tables, simplified by ``fold``."""
        found: dict[str, set[str]] = defaultdict(set)
        for row in self._snapshot.table("pois").iter_rows(named=True):
            if row["poi_source"] != "document":
                found[self.slugs[row["city_id"]]] |= self.names[row["poi_id"]]
        return found

    def from_documents(self) -> list[tuple[str, str]]:
        """Return the city's slug and the name of each place that is known only from documents."""
        rows = self._snapshot.table("pois").filter(poi_source="document")
        return [
            (self.slugs[row["city_id"]], row["name_zh"] or row["name_en"])
            for row in rows.sort("city_id", "poi_id").iter_rows(named=True)
        ]

    def journeys(self, doc: str) -> list[dict[str, Any]]:
        """Return a document's trajectories; the document's path ends with ``doc``, or ``doc`` ends
        with the path.
        """
        documents = self._snapshot.table("documents").select("doc_id", "city_id", "path")
        mine = {
            (d, c)
            for d, c, path in documents.iter_rows()
            if doc.endswith(path) or path.endswith(doc)
        }
        rows = self._snapshot.table("trajectories").sort("trajectory_id").to_dicts()
        return [row for row in rows if (row["doc_id"], row["city_id"]) in mine]


def measure_visits(published: PublishedVisits, labels: Iterable[Mapping[str, Any]]) -> Visits:
    """Compare the published and labelled stops of every labelled document."""
    found = Visits()
    for label in labels:
        wanted = _list_wanted(label)
        for slug in set(wanted) & set(published.slugs.values()):
            found.labelled += len(wanted[slug])
            known = published.of_tables[slug]
            found.in_tables += sum(bool(forms & known) for forms in wanted[slug])
        for journey in published.journeys(label["doc"]):
            slug = published.slugs[journey["city_id"]]
            if slug not in wanted:
                found.elsewhere.append(f"{label['doc']} in {slug}")
            left = list(wanted.get(slug, ()))
            for stop in journey["clean_visits"]:
                found.published += 1
                names = published.names[stop["poi_id"]] | {fold(stop["name"])}
                hit = next((forms for forms in left if _is_one(forms, names)), None)
                if hit is None:
                    found.wrong.append(f"{label['doc']} in {slug}: {stop['name']}")
                else:
                    left.remove(hit)
                    found.right += 1
    return found


def _list_wanted(label: Mapping[str, Any]) -> dict[str, list[Forms]]:
    """Return the labelled stops by city, each with all its names."""
    also, official = label.get("also") or {}, label.get("official") or {}
    found: dict[str, list[Forms]] = {}
    for trip in label["trips"]:
        stops = found.setdefault(trip["city"], [])
        for name in (name for day in trip["days"] for name in day["stops"]):
            full = official.get(name) or ()
            others = [*also.get(name, ()), *((full,) if isinstance(full, str) else full)]
            stops.append(frozenset({fold(form) for form in (name, *others)} - {""}))
    return found


def labels_of_readings(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield careful readings in the same form as the labels.

    Each stop gets its usual names and the other names that readers gave to the same place. A stop
    is labelled with the city in which it lies, which is not the day's city if the stop is on a day
    trip.
    """
    same: dict[str, list[str]] = defaultdict(list)
    for name, of_table in same_places():
        same[name].append(of_table)
    for reading in map(json.loads, lines):
        places = {place["n"]: place for place in reading["places"]}
        also = {
            place["name"]: [
                *place["also"],
                place["standard"],
                place.get("standard_en"),
                *same[place["name"]],
            ]
            for place in reading["places"]
        }
        stops = [
            (day["city"] if places[n]["true_city"] in _NOWHERE else places[n]["true_city"], n)
            for trip in reading["trips"] for day in trip["days"] for n in day["stops"]
        ]  # fmt: skip
        trips = [{"city": city, "days": [{"stops": [places[n]["name"]]}]} for city, n in stops]
        yield {"doc": reading["doc"], "trips": trips, "also": also}


def _is_one(forms: Forms, names: set[str]) -> bool:
    """Check whether two sets of names mean the same stop: a name in one set must equal or contain a
    name in the other.
    """
    pairs = ((a, b) for a in forms for b in names if len(a) > 1 and len(b) > 1)
    return bool(forms & names) or any(a in b or b in a for a, b in pairs)


def measure_places(published: PublishedVisits, labels: Path) -> list[list[object]]:
    """Return one table row for each group of cities."""
    with labels.open(encoding="utf-8") as handle:
        right = {(r["city"], r["name"]): r["right"] == "1" for r in csv.DictReader(handle)}
    held = published.from_documents()
    rows: list[list[object]] = []
    for group, is_beijing in (("Beijing", True), ("the other cities", False)):
        mine = [place for place in held if (place[0] == "beijing") == is_beijing]
        judged = [right[place] for place in mine if place in right]
        wanted = [k for k, ok in right.items() if ok and (k[0] == "beijing") == is_beijing]
        share = f"{sum(judged) / len(judged):.2f}" if judged else "-"
        rows.append([group, len(mine), len(judged), sum(judged), share, len(wanted)])
    return rows


def main() -> int:
    """Print precision and recall; the exit code is 2 if the shared data are missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--readings", type=Path, help="use careful readings as labels for visits")
    parser.add_argument("--write", action="store_true", help="write the figures to docs/benchmarks")
    options = parser.parse_args()
    labels = shared_folder("data/truth") / "data" / "truth"
    published = PublishedVisits(options.snapshot)
    source = options.readings or labels / "journeys.jsonl"
    lines = source.read_text(encoding="utf-8").splitlines()
    told = labels_of_readings(lines) if options.readings else map(json.loads, lines)
    visits = measure_visits(published, told)
    body = table(
        [
            "visits",
            "right",
            "published",
            "precision",
            "labelled",
            "recall",
            "highest possible recall",
            "in another city",
        ],
        [
            [
                "in labelled documents",
                visits.right,
                visits.published,
                f"{visits.right / max(1, visits.published):.3f}",
                visits.labelled,
                f"{visits.right / max(1, visits.labelled):.3f}",
                f"{visits.in_tables / max(1, visits.labelled):.3f}",
                len(visits.elsewhere),
            ]
        ],
    )
    body += "\n" + table(
        [
            "places from documents alone",
            "published",
            "labelled",
            "right",
            "precision",
            "right labels",
        ],
        measure_places(published, labels / "places.csv"),
    )
    sys.stdout.write(
        body + "".join(f"wrong: {line}\n" for line in (*visits.elsewhere, *visits.wrong))
    )
    if options.write:
        write_section("Truth", "python -m benchmarks.truth SNAPSHOT --write", f"{_NOTE}\n\n{body}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
