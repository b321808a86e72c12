"""Pairs of places that no rule has seen: accuracy of ``tripbed match`` on labels by hand.

    python -m benchmarks.pairs [--write] [--errors SAMPLE]

Pairs were drawn by hash from the shared tables and lists (``TRIPBED_SHARED``), without asking
the matcher: neighbours, names with a common core or piece, names of lists beside the attractions
most like them, hotels and restaurants, one name in two cities. For attractions drawn likewise
another name that people use (English, short, former, of a part) was written down. From the
fifth sample on, pairs were put together as the development list has them: somebody reads the
tables of its ten cities and writes down what is the same, apart, or part of the other, with
popular and English names beside; a name of the tables keeps its coordinates. The fifth and sixth
left out what an earlier sample had and so took lesser-known places; the next did not ("again":
120 of the 292 pairs of the seventh, 57 of the 259 of the eighth, 15 of the 230 of the ninth; of
the others 0.797, 0.802 and 0.879 were right at first sight, F1 0.774, 0.887 and 0.924). All were
labelled from general knowledge before the matcher answered; what the labeller was not sure of was
left out. ``benchmarks/pair_labels.json`` holds the labels; names of the shared data stand there as
hashes of city and name.

The samples were drawn one after the other. Each was measured while nobody had seen its errors
(``FIRST``: what to expect of pairs never seen); then its errors were read, general rules mended,
and the next sample drawn. Of the fifth, two labels that the coordinates contradict were mended or
left out after the first sight. What a sample shows today is therefore better than first sight.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from benchmarks.linking import CITIES as LISTED
from benchmarks.linking import names_of
from benchmarks.report import shared_folder, table, write_section
from schemas.ids import digest

LABELS = Path(__file__).with_name("pair_labels.json")
KINDS = {
    "near": "neighbours", "contain": "a common core", "alike": "a common piece",
    "lists": "table and list", "stays": "hotels, restaurants", "two": "one name, two cities",
    "written": "another name in use", "drawn": "as the development list draws",
    "again": "so, drawn by an earlier sample as well",
}  # fmt: skip
#: Kinds whose names come with the coordinates that the tables give them.
_LOCATED = frozenset({"near", "contain", "alike", "stays", "drawn", "again"})
#: Accuracy and F1 of *same* of each sample before any of its errors was read.
FIRST = {
    "one": (0.800, 0.722),
    "two": (0.836, 0.824),
    "three": (0.800, 0.851),
    "four": (0.850, 0.893),
    "five": (0.732, 0.727),
    "six": (0.797, 0.846),
    "seven": (0.846, 0.890),
    "eight": (0.838, 0.927),
    "nine": (0.887, 0.936),
}
Pair = dict[str, str]
Known = dict[str, tuple[str, float | None, float | None]]


def known_names(shared: Path, cities: Iterable[str]) -> Known:
    """Names of the tables (with coordinates) and lists, by hash of city and name."""
    from schemas.cities import find_city
    from sources.tables.registry import read_tables

    folder = shared / "data" / "traveleval" / "environment" / "database"
    lists = shared / "data" / "docs" / "poi"
    found: Known = {}
    for slug in cities:
        tables = read_tables(folder, "traveleval", find_city(slug))
        for rows in (tables.attractions, tables.hotels, tables.restaurants):
            for row in rows.sort("source_line").iter_rows(named=True):
                name = row["name_zh"] or ""
                found.setdefault(digest(slug, name), (name, row["lat"], row["lon"]))
        own = names_of(lists, slug) if slug in LISTED else ()
        for name in (*own, *_national(lists)):
            found.setdefault(digest(slug, name), (name, None, None))
    return found


def _national(lists: Path) -> Iterator[str]:
    for file in ("Tourism-KG__全国景点__place.txt", "Tourism-KG__entities__景点.txt"):
        text = (lists / "liftkkkk__travelbert" / file).read_text(encoding="utf-8")
        yield from filter(None, map(str.strip, text.splitlines()))


def pairs_of(sample: Sequence[Sequence[str]], known: Known) -> list[Pair]:
    """The pairs of a sample as rows for the matcher, with kind and label."""
    rows = []
    for kind, city, one, two, label in sample:
        a = known.get(one, (one, None, None))
        b = known.get(two, (two, None, None))
        points = (*a[1:], *b[1:]) if kind in _LOCATED else (None,) * 4
        cells = ("" if value is None else str(value) for value in points)
        row = dict(zip(("lat_a", "lon_a", "lat_b", "lon_b"), cells, strict=True))
        rows.append(
            {"kind": kind, "label": label, "city": city, "name_a": a[0], "name_b": b[0], **row}
        )
    return rows


def scored(pairs: Sequence[Pair], answers: Sequence[str]) -> tuple[str, ...]:
    """Number, accuracy, and precision, recall and F1 of *same*, as cells of a table."""
    both = list(zip((pair["label"] for pair in pairs), answers, strict=True))
    right = sum(label == answer for label, answer in both)
    hits = sum(label == answer == "same" for label, answer in both)
    wanted, said = (sum(x == "same" for x in column) for column in zip(*both, strict=True))
    shares = (right / len(both), hits / max(1, said), hits / max(1, wanted),
              2 * hits / max(1, said + wanted))  # fmt: skip
    cells = [f"{share:.3f}" for share in shares]
    return (str(len(both)), cells[0], *(cells[1:] if wanted or said else ("", "", "")))


def answered(pairs: Sequence[Pair]) -> list[str]:
    """The matcher's labels."""
    from geocoding.match import match_pairs

    return [str(answer["label"]) for answer in match_pairs(pairs)]


def _print_errors(pairs: Sequence[Pair]) -> None:
    from geocoding.match import match_pairs

    writer = csv.writer(sys.stdout, delimiter="\t")
    for pair, answer in zip(pairs, match_pairs(pairs), strict=True):
        if pair["label"] != answer["label"]:
            told = (answer["label"], answer["score"], answer["why"])
            writer.writerow(
                [*(pair[k] for k in ("kind", "city", "name_a", "name_b", "label")), *told]
            )


def main() -> int:
    """Print scores by sample and kind; 2 where the shared data are not there."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    parser.add_argument("--errors", help="print the errors of this sample only")
    options = parser.parse_args()
    shared = shared_folder("data/docs/poi")
    samples = json.loads(LABELS.read_text(encoding="utf-8"))
    cities = {slug for sample in samples.values() for row in sample for slug in row[1].split(";")}
    known = known_names(shared, sorted(cities))
    if options.errors:
        _print_errors(pairs_of(samples[options.errors], known))
        return 0
    rows = []
    for name, sample in samples.items():
        pairs = pairs_of(sample, known)
        answers = answered(pairs)
        rows.append((name, "all, today", *scored(pairs, answers)))
        accuracy, f1 = FIRST[name]
        rows.append(
            (name, "all, first sight", str(len(pairs)), f"{accuracy:.3f}", "", "", f"{f1:.3f}")
        )
        for kind, meaning in KINDS.items():
            chosen = [i for i, pair in enumerate(pairs) if pair["kind"] == kind]
            if not chosen:
                continue
            part = scored([pairs[i] for i in chosen], [answers[i] for i in chosen])
            rows.append((name, meaning, *part))
    body = table(("sample", "pairs", "n", "accuracy", "precision", "recall", "F1 of same"), rows)
    sys.stdout.write(body)
    if options.write:
        write_section("Pairs never seen", "python -m benchmarks.pairs --write", body)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
