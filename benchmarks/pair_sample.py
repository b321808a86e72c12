"""A fresh sample of pairs for two readers, and what the matcher makes of their labels.

    python -m benchmarks.pair_sample draw FOLDER [--seed N] [--number N]
    python -m benchmarks.pair_sample score SHEET SHEET [--write]

``draw`` takes names of documents (as careful people read them, ``readings/careful.jsonl``), names
of independent lists, and the attractions, hotels and restaurants of the tables, all shared data
(``TRIPBED_SHARED``), and pairs them by characters that they share and by distance: it never asks
the matcher, nor the blocking that the matcher's callers use. A name of a document is paired
through the usual name that its reader gave, so that English names have partners too. Pairs of the development list and of
earlier samples are left out, and so are names that are equal. The seed decides the draw and the
order. ``sheet_A.csv`` and ``sheet_B.csv`` hold the same pairs in two orders, unlabelled; which kind
of draw a pair comes from is not on them.

``score`` joins the readers' sheets, takes the pairs on which they agree and neither is unsure, and
asks the matcher. ``part`` counts as different where only same or not is asked; for the three labels
the matcher is asked both ways round, since a reader does not say which of two is the whole.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.linking import CITIES as LISTED
from benchmarks.linking import names_of
from benchmarks.pairs import LABELS as EARLIER
from benchmarks.pairs import answered, scored
from benchmarks.report import shared_folder, table, write_section
from schemas.ids import digest

CITIES = ("beijing", "chengdu", "chongqing", "guangzhou", "hangzhou", "nanjing", "shanghai",
          "shenzhen", "suzhou", "wuhan")  # fmt: skip
#: How many of 300 pairs each way of drawing gives.
SHARES = {"documents": 110, "english": 50, "lists": 50, "near": 20, "contain": 25, "alike": 20,
          "stays": 15, "two": 10}  # fmt: skip
COLUMNS = ("pair", "city", "name_a", "lat_a", "lon_a", "name_b", "lat_b", "lon_b", "label", "remark")  # fmt: skip
ANSWERS = ("same", "part", "different", "unsure")
#: From this likeness on (of at most 2), two names are drawn as alike.
_ALIKE = 0.8
_NEAR_DEGREES = 0.005


@dataclass(frozen=True, order=True)
class Name:
    """A name in a city, with its point in degrees (WGS 84) where a table gives one."""

    city: str
    text: str
    lat: float | None = None
    lon: float | None = None


Drawn = tuple[Name, Name]


def _pieces(text: str) -> frozenset[str]:
    plain = "".join(filter(str.isalnum, text.lower()))
    return frozenset(a + b for a, b in pairwise(plain))


def _likeness(one: str, two: str) -> float:
    """Share of the smaller name's character pairs that the other has (0 to 1), then of both."""
    a, b = _pieces(one), _pieces(two)
    shared = len(a & b)
    return shared / max(1, min(len(a), len(b))) + shared / max(1, len(a | b))


def _partner(name: str, places: Sequence[Name], chance: random.Random) -> Name | None:
    """One of the three places most like a name, mostly the first; None where none shares a pair."""
    ranked = sorted(places, key=lambda place: (-_likeness(name, place.text), place))[:3]
    alike = [place for place in ranked if _pieces(name) & _pieces(place.text)]
    return chance.choices(alike, [6, 2, 1][: len(alike)])[0] if alike else None


def table_names(shared: Path, city: str, *kinds: str) -> list[Name]:
    """Names with points in the tables of a city; ``kinds`` are attractions, hotels, restaurants."""
    from schemas.cities import find_city
    from sources.tables.registry import read_tables

    folder = shared / "data" / "traveleval" / "environment" / "database"
    tables = read_tables(folder, "traveleval", find_city(city))
    rows = (row for kind in kinds for row in getattr(tables, kind).iter_rows(named=True))
    return sorted({Name(city, r["name_zh"], r["lat"], r["lon"]) for r in rows if r["name_zh"]})


def _document_names(shared: Path) -> Iterator[tuple[Name, str]]:
    """Sights as documents write them, with the usual name that their reader gave."""
    text = (shared / "data" / "readings" / "careful.jsonl").read_text(encoding="utf-8")
    for line in text.splitlines():
        for place in json.loads(line)["places"]:
            if place["true_city"] in CITIES and place["what"] == "sight":
                for form in (place["name"], *place["also"]):
                    yield Name(place["true_city"], form), place["standard"]


def _is_chinese(text: str) -> bool:
    return any("一" <= sign <= "鿿" for sign in text)


def drawn_pairs(shared: Path, chance: random.Random) -> dict[str, list[Drawn]]:
    """Every pair that each way of drawing may give, in random order."""
    sights = {city: table_names(shared, city, "attractions") for city in CITIES}
    found: dict[str, list[Drawn]] = defaultdict(list)
    for name, usual in sorted(set(_document_names(shared))):
        other = _partner(usual or name.text, sights[name.city], chance)
        if other is not None:
            found["documents" if _is_chinese(name.text) else "english"].append((name, other))
    for city in LISTED:
        names = sorted(set(filter(None, names_of(shared / "data" / "docs" / "poi", city))))
        for text in chance.sample(names, min(150, len(names))):
            other = _partner(text, sights[city], chance)
            if other is not None and _likeness(text, other.text) >= _ALIKE:
                found["lists"].append((Name(city, text), other))
    for city, places in sights.items():
        for one, two, kind in _table_pairs(places):
            found[kind].append((one, two))
        stays = table_names(shared, city, "hotels", "restaurants")
        for one in chance.sample(stays, min(20, len(stays))):
            other = _partner(one.text, [place for place in stays if place != one], chance)
            if other is not None:
                found["stays"].append((one, other))
    texts = defaultdict(list)
    for place in (place for places in sights.values() for place in places):
        texts[place.text].append(place)
    found["two"] = [(same[0], same[1]) for same in texts.values() if same[0].city != same[-1].city]
    for pairs in found.values():
        chance.shuffle(pairs)
    return found


def _table_pairs(places: Sequence[Name]) -> Iterator[tuple[Name, Name, str]]:
    for i, one in enumerate(places):
        for two in places[i + 1 :]:
            if one.text in two.text or two.text in one.text:
                yield one, two, "contain"
            elif _likeness(one.text, two.text) >= _ALIKE:
                yield one, two, "alike"
            elif (
                None not in (one.lat, two.lat)
                and abs(one.lat - two.lat) < _NEAR_DEGREES  # type: ignore[operator]
                and abs(one.lon - two.lon) < _NEAR_DEGREES  # type: ignore[operator]
            ):
                yield one, two, "near"


def _seen_before(shared: Path) -> set[frozenset[str]]:
    """Pairs of earlier samples and of the development list, as hashes of city and name."""
    seen = set()
    for sample in json.loads(EARLIER.read_text(encoding="utf-8")).values():
        for _, city, one, two, _ in sample:
            keys = (x if len(x) == 16 and x.isalnum() else digest(city, x) for x in (one, two))
            seen.add(frozenset(keys))
    with (shared / "data" / "entity_pairs_dev.csv").open(encoding="utf-8-sig") as lines:
        for row in csv.DictReader(lines):
            names = (row["name_a"], row["name_b"])
            seen.add(frozenset(digest(row["city"], name) for name in names))
    return seen


def draw(shared: Path, seed: int, number: int) -> list[tuple[str, Drawn]]:
    """Pairs with the way that they were drawn, in random order, both names in random order."""
    chance = random.Random(seed)
    seen = _seen_before(shared)
    chosen: list[tuple[str, Drawn]] = []
    used: Counter[Name] = Counter()
    found = drawn_pairs(shared, chance)
    for kind, share in SHARES.items():
        wanted = round(number * share / sum(SHARES.values()))
        for one, two in found[kind]:
            cities = one.city if one.city == two.city else f"{one.city};{two.city}"
            key = frozenset(digest(cities, name.text) for name in (one, two))
            is_equal = one.city == two.city and _pieces(one.text) == _pieces(two.text)
            if wanted == 0 or key in seen or is_equal or used[two] >= 2 or used[one] >= 2:
                continue
            seen.add(key)
            used.update((one, two))
            wanted -= 1
            chosen.append((kind, (one, two) if chance.random() < 0.5 else (two, one)))
    chance.shuffle(chosen)
    return chosen


def _cells(number: int, one: Name, two: Name) -> list[str]:
    city = one.city if one.city == two.city else f"{one.city};{two.city}"
    points = (one.lat, one.lon), (two.lat, two.lon)
    a, b = (["" if x is None else f"{x:.6f}" for x in point] for point in points)
    return [f"p{number:03}", city, one.text, *a, two.text, *b, "", ""]


def write_sheets(folder: Path, pairs: Sequence[tuple[str, Drawn]], seed: int) -> None:
    """Two unlabelled sheets in two orders, and beside them how each pair was drawn."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [_cells(number, *pair) for number, (_, pair) in enumerate(pairs, 1)]
    for letter in "AB":
        _write(folder / f"sheet_{letter}.csv", COLUMNS, rows)
        random.Random(f"{seed}{letter}").shuffle(rows)
    kinds = [(f"p{number:03}", kind) for number, (kind, _) in enumerate(pairs, 1)]
    _write(folder / "kinds.csv", ("pair", "kind"), kinds)


def _write(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows([header, *rows])


Sheet = dict[str, dict[str, str]]


def read_sheet(path: Path) -> Sheet:
    """The rows of a labelled sheet by their number. Raises SystemExit for a label it cannot read."""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        rows = {row["pair"]: row for row in csv.DictReader(lines)}
    wrong = [key for key, row in rows.items() if row["label"] not in ANSWERS]
    if wrong:
        raise SystemExit(f"{path}: {wrong[0]} has no label of {', '.join(ANSWERS)}")
    return rows


def cohen(pairs: Sequence[tuple[str, str]]) -> float:
    """Cohen's kappa of two readers' labels: agreement beyond chance (Cohen 1960)."""
    n = len(pairs)
    first, second = (Counter(labels) for labels in zip(*pairs, strict=True))
    by_chance = sum(first[label] * second[label] for label in first) / n**2
    agreed = sum(one == two for one, two in pairs) / n
    return 1.0 if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


def answers_to(rows: Sequence[dict[str, str]]) -> list[str]:
    """What the matcher says of the pairs: same, part or different."""
    turned = [
        {**row, **{f"{key}_{side}": row[f"{key}_{other}"] for key in ("name", "lat", "lon")
                   for side, other in ("ab", "ba")}, "city": ";".join(row["city"].split(";")[::-1])}
        for row in rows
    ]  # fmt: skip
    both = zip(answered(rows), answered(turned), strict=True)
    return ["part" if "parent-of" in (one, two) and one != "same" else one for one, two in both]


def score(first: Sheet, second: Sheet) -> str:
    """What the matcher makes of the pairs on which both readers agree, and how far they do.

    It is asked all pairs at once, as they were drawn.
    """
    answers = dict(zip(first, answers_to(list(first.values())), strict=True))
    labels = {key: (row["label"], second[key]["label"]) for key, row in first.items()}
    plain = {key: (_plainly(one), _plainly(two)) for key, (one, two) in labels.items()}
    lines = []
    for question, told, read in (
        ("same or not", plain, _plainly),
        ("same, part or different", labels, str),
    ):
        agreed = [key for key, (one, two) in told.items() if one == two != "unsure"]
        right = [{"label": told[key][0]} for key in agreed]
        lines.append((question, *scored(right, [read(answers[key]) for key in agreed])))
    header = ("question", "pairs", "accuracy", "precision", "recall", "F1 of same")
    return (
        f"{table(header, lines)}\nPairs on which both readers agree and are sure, of {len(first)} drawn. "
        f"Cohen's kappa: {cohen(list(plain.values())):.3f} same or not, "
        f"{cohen(list(labels.values())):.3f} all labels.\n"
    )


def _plainly(label: str) -> str:
    """A label where only same or not is asked."""
    return "different" if label == "part" else label


def main() -> int:
    """Draw a sample, or score its labels."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("folder", type=Path)
    drawing.add_argument("--seed", type=int, default=22)
    drawing.add_argument("--number", type=int, default=300)
    scoring = commands.add_parser("score")
    scoring.add_argument("sheets", type=Path, nargs=2)
    scoring.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    options = parser.parse_args()
    if options.command == "draw":
        pairs = draw(shared_folder("data/readings"), options.seed, options.number)
        write_sheets(options.folder, pairs, options.seed)
        return 0
    body = score(*(read_sheet(path) for path in options.sheets))
    sys.stdout.write(body)
    if options.write:
        write_section(
            "A fresh sample of pairs", "python -m benchmarks.pair_sample score A B --write", body
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
