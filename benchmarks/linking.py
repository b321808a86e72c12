"""Link names from independent lists of sights to the tables, and compare the links with labels.

    python -m benchmarks.linking [--write]

The lists and tables are shared data (``TRIPBED_SHARED``). The labels in
``benchmarks/linking_labels.json`` were made by hand from general knowledge. A label states which
attraction a name in a list means, or that the name means none. The label file contains hashes
instead of cities, names and attractions, so that it does not repeat the lists. For each list, a
random sample (seed 7) was labelled: up to 40 linked names, and up to 45 unlinked names that
resemble an attraction. The figures for the sample are scaled to the whole list. ``recall`` counts
only names that were linked without a person's help; ``with review`` also counts names that are left
for review.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from benchmarks.report import shared_folder, table, write_section
from schemas.ids import digest

LABELS = Path(__file__).with_name("linking_labels.json")
CITIES = ("beijing", "chengdu", "shanghai")


_NOTE = (
    "The benchmark links names from independent lists of sights to the attractions in the tables. A"
    " random sample of each list was labelled by hand, and the figures were scaled up to the whole"
    " list. *Recall* counts only names that were linked without a person's help. *With review* also"
    " counts names that are left for review."
)


def names_of(lists: Path, city: str) -> Iterator[str]:
    """Yield the names in the independent lists of a city."""
    if city == "beijing":
        file = lists / "VincentGaoHJ__Spyder-Mafengwo" / "data__list_all(version_2).txt"
        for line in file.read_text(encoding="utf-8-sig").splitlines()[1:]:
            yield line.split("\t", maxsplit=1)[0].strip()
    elif city == "chengdu":
        file = lists / "JIEYI22__hkbu-big-data-media" / "HW3__chengdupage_recommend.csv"
        with file.open(encoding="utf-8-sig") as handle:
            yield from (row["spot"] for row in csv.DictReader(handle))
    else:
        file = lists / "PPsteven__shanghai-view-tourist-realtime" / "25.jsonl"
        first = json.loads(file.read_text(encoding="utf-8").splitlines()[0])
        yield from (row["NAME"] for row in first["data"]["rows"])
        for lang in ("zh", "en"):
            file = lists / "YihongT__ITINERA" / f"model__data__shanghai_{lang}.csv"
            with file.open(encoding="utf-8") as handle:
                yield from (row["name"] for row in csv.DictReader(handle))


def resolve_lists(shared: Path, city_name: str) -> pl.DataFrame:
    """Return, for each name in the lists, how the name was resolved and which place it was linked
    to.
    """
    from geocoding.name_index import NameIndex
    from geocoding.places import places_from_tables
    from geocoding.resolve import resolve_name
    from schemas.cities import find_city
    from sources.tables.registry import read_tables

    city = find_city(city_name)
    folder = shared / "data" / "traveleval" / "environment" / "database"
    places = places_from_tables(read_tables(folder, "traveleval", city).attractions, city)
    names = sorted(set(filter(None, names_of(shared / "data" / "docs" / "poi", city_name))))
    index = NameIndex.of(places, city)
    found = [(name, resolve_name(index, name)) for name in names]
    rows = [(name, one.poi_id, one.resolution) for name, one in found]
    schema = {"name": pl.String, "poi_id": pl.String, "resolution": pl.String}
    resolved = pl.DataFrame(rows, schema=schema, orient="row")
    standard = places.pois.select("poi_id", standard=pl.coalesce("name_zh", "name_en"))
    return resolved.join(standard, on="poi_id", how="left")


def scores(city: str, found: pl.DataFrame, labels: dict[str, str | None]) -> dict[str, float]:
    """Return the precision and recall for a city, scaled from the sample to all its names.

    The value of a label shows whether its name was drawn from the linked or the unlinked names.
    """
    counts: dict[str, list[int]] = {"linked": [0, 0, 0], "open": [0, 0, 0]}
    n_right = n_linked = 0
    for row in found.iter_rows(named=True):
        key = digest(city, row["name"])
        if key not in labels:
            continue
        drawn, _, wanted = (labels[key] or "").partition(":")
        is_linked = row["standard"] is not None
        is_right = is_linked and digest(city, row["standard"]) == wanted
        n_linked += is_linked
        n_right += is_right
        if wanted:
            counts[drawn][0] += 1
            counts[drawn][1] += is_right
            counts[drawn][2] += is_right or row["resolution"] == "review"
    weight = {drawn: totals(labels, city, drawn) for drawn in counts}
    wanted_all = sum(weight[d] * counts[d][0] for d in counts)
    return {
        "precision": n_right / max(1, n_linked),
        "recall": sum(weight[d] * counts[d][1] for d in counts) / wanted_all,
        "with review": sum(weight[d] * counts[d][2] for d in counts) / wanted_all,
        "labelled": float(sum(1 for key in labels if labels[key] is not None and key in
                              {digest(city, n) for n in found["name"]})),
    }  # fmt: skip


def totals(labels: dict[str, str | None], city: str, drawn: str) -> float:
    """Return how many names each label in a sample stands for, as recorded in the label file."""
    return float(labels[f"{city}/{drawn}"] or 1)


def main() -> int:
    """Print precision and recall by city; the exit code is 2 if the shared data are missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write the figures to docs/benchmarks")
    options = parser.parse_args()
    shared = shared_folder("data/docs/poi")
    labels = json.loads(LABELS.read_text(encoding="utf-8"))
    rows = []
    for city in CITIES:
        found = resolve_lists(shared, city)
        figures = scores(city, found, labels)
        linked = found.filter(pl.col("resolution") == "linked").height
        review = found.filter(pl.col("resolution") == "review").height
        shown = (f"{figures[k]:.3f}" for k in ("precision", "recall", "with review"))
        rows.append((city, found.height, linked, review, f"{figures['labelled']:.0f}", *shown))
    header = ("list", "names", "linked", "review", "labelled", "precision", "recall", "with review")
    body = f"{_NOTE}\n\n{table(header, rows)}"
    sys.stdout.write(body)
    if options.write:
        write_section("Independent lists", "python -m benchmarks.linking --write", body)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
