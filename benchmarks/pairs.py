"""Measure the accuracy of ``tripbed match`` on hand-labelled pairs that are new to its rules.

    python -m benchmarks.pairs [--write] [--errors SAMPLE]

The first four samples were drawn by hash from the shared tables and lists (``TRIPBED_SHARED``),
without the matcher. A pair is one of the following: two neighbours; two names with a common core or
part; a name from a list and one of the attractions with the most similar names; two hotels or
restaurants; or equal names in two cities. The first four samples also contain pairs of an
attraction and another name in use: an English, short or former name of the attraction, or the name
of one of its parts.

From the fifth sample on, the pairs are of the same kinds as in the development list. The fifth and
later samples were compiled from the tables of ten cities, and also contain popular and English
names. The two places in a pair are the same or different, or one is a part of the other. Names from
the tables keep their coordinates. The fifth and sixth samples left out the pairs in earlier
samples, and therefore contain lesser-known places. From the seventh sample on, the kind ``again``
marks pairs from earlier samples: 120 of 292 pairs in the seventh, 57 of 259 in the eighth and 15 of
230 in the ninth. For pairs that are not marked ``again``, the first measurements of the seventh,
eighth and ninth samples gave accuracies of 0.797, 0.802 and 0.879, and F1 scores of 0.774, 0.887
and 0.924.

All pairs were labelled from general knowledge before the matcher judged them. Pairs about which the
labeller was unsure were left out. The labels are in ``benchmarks/pair_labels.json``, which contains
hashes of city and name instead of names from the shared data.

Each sample was measured before anyone had seen its errors. The figures of the first measurements
(``FIRST``) show what to expect for new pairs. After each measurement, the errors were used to
correct general rules before the next sample was drawn. In the fifth sample, two labels that
contradicted the coordinates were corrected or removed after the first measurement. The current
results for a sample are therefore better than the first measurement of that sample.
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
_NOTE = (
    "All pairs were labelled before `tripbed match` judged them. The rows named *first measurement*"
    " give the results that were measured before anybody had looked at the errors in the sample."
    " You can expect similar results for new pairs. The errors in each sample were then used to"
    " correct the rules, so the results in the rows named *current rules* are better. The other"
    " rows give the results of the current rules for each kind of pair."
)
KINDS = {
    "near": "neighbours", "contain": "names with a common core",
    "alike": "names with a common part",
    "lists": "table and list", "stays": "hotels, restaurants", "two": "same name in two cities",
    "written": "another name in use", "drawn": "drawn in the same way as the development list",
    "again": "drawn in the same way as the development list, and also in an earlier sample",
}  # fmt: skip
#: Kinds of pairs that keep the coordinates from the tables.
_LOCATED = frozenset({"near", "contain", "alike", "stays", "drawn", "again"})
#: The accuracy and the F1 of *same* for each sample before anybody had seen its errors.
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
    """Map hashes to names from tables (with coordinates) and from lists."""
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
    """Return the pairs of a sample as rows for the matcher, with their kind and label."""
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


def score_answers(pairs: Sequence[Pair], answers: Sequence[str]) -> tuple[str, ...]:
    """Return table cells with the number of pairs, the accuracy, and the precision, recall and F1
    of *same*.
    """
    both = list(zip((pair["label"] for pair in pairs), answers, strict=True))
    right = sum(label == answer for label, answer in both)
    hits = sum(label == answer == "same" for label, answer in both)
    wanted, said = (sum(x == "same" for x in column) for column in zip(*both, strict=True))
    shares = (right / len(both), hits / max(1, said), hits / max(1, wanted),
              2 * hits / max(1, said + wanted))  # fmt: skip
    cells = [f"{share:.3f}" for share in shares]
    return (str(len(both)), cells[0], *(cells[1:] if wanted or said else ("", "", "")))


def answer_pairs(pairs: Sequence[Pair]) -> list[str]:
    """Return the matcher's labels."""
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
    """Print scores by sample and kind; the exit code is 2 if the shared data are missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write the figures to docs/benchmarks")
    parser.add_argument("--errors", metavar="SAMPLE", help="print only the errors in this sample")
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
        answers = answer_pairs(pairs)
        rows.append((name, "all, current rules", *score_answers(pairs, answers)))
        accuracy, f1 = FIRST[name]
        rows.append(
            (
                name,
                "all, first measurement",
                str(len(pairs)),
                f"{accuracy:.3f}",
                "",
                "",
                f"{f1:.3f}",
            )
        )
        for kind, meaning in KINDS.items():
            chosen = [i for i, pair in enumerate(pairs) if pair["kind"] == kind]
            if not chosen:
                continue
            part = score_answers([pairs[i] for i in chosen], [answers[i] for i in chosen])
            rows.append((name, meaning, *part))
    header = ("sample", "pairs", "n", "accuracy", "precision", "recall", "F1 of same")
    body = f"{_NOTE}\n\n{table(header, rows)}"
    sys.stdout.write(body)
    if options.write:
        write_section("Pairs never seen", "python -m benchmarks.pairs --write", body)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
