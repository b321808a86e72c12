"""Draw pairs of names for readers to judge, by shared characters and distance, with a fixed seed.

``benchmarks.pair_sample`` explains what the pairs are for.
"""

from __future__ import annotations

import csv
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.linking import CITIES as LISTED
from benchmarks.linking import names_of
from benchmarks.pairs import LABELS as EARLIER
from schemas.ids import digest

CITIES = ("beijing", "chengdu", "chongqing", "guangzhou", "hangzhou", "nanjing", "shanghai",
          "shenzhen", "suzhou", "wuhan")  # fmt: skip
#: How many of 300 pairs come from each way of drawing.
SHARES = {"documents": 110, "english": 50, "lists": 50, "near": 20, "contain": 25, "alike": 20,
          "stays": 15, "two": 10}  # fmt: skip
COLUMNS = ("pair", "city", "name_a", "lat_a", "lon_a", "name_b", "lat_b", "lon_b", "label",
    "remark")  # fmt: skip
#: Least similarity (at most 2) of two names that are drawn as alike.
_ALIKE = 0.8
_NEAR_DEGREES = 0.005
#: Number of seeds that are tried for a draw without earlier pairs.
_MOST_SEEDS = 5


@dataclass(frozen=True, order=True)
class DrawnName:
    """A name in a city, with its coordinates in degrees (WGS 84) if a table gives them."""

    city: str
    text: str
    lat: float | None = None
    lon: float | None = None


Drawn = tuple[DrawnName, DrawnName]


def _pieces(text: str) -> frozenset[str]:
    plain = "".join(filter(str.isalnum, text.lower()))
    return frozenset(a + b for a, b in pairwise(plain))


def _likeness(one: str, two: str) -> float:
    """Return the likeness of two names: shared character pairs / those of the shorter name + shared
    character pairs / those of either name.
    """
    a, b = _pieces(one), _pieces(two)
    shared = len(a & b)
    return shared / max(1, min(len(a), len(b))) + shared / max(1, len(a | b))


def _partner(name: str, places: Sequence[DrawnName], chance: random.Random) -> DrawnName | None:
    """Draw one of the three most similar places, usually the first, or None if none is similar."""
    ranked = sorted(places, key=lambda place: (-_likeness(name, place.text), place))[:3]
    alike = [place for place in ranked if _pieces(name) & _pieces(place.text)]
    return chance.choices(alike, [6, 2, 1][: len(alike)])[0] if alike else None


def table_names(shared: Path, city: str, *kinds: str) -> list[DrawnName]:
    """Return names with coordinates from a city's tables (attractions, hotels or restaurants)."""
    from schemas.cities import find_city
    from sources.tables.registry import read_tables

    folder = shared / "data" / "traveleval" / "environment" / "database"
    tables = read_tables(folder, "traveleval", find_city(city))
    rows = (row for kind in kinds for row in getattr(tables, kind).iter_rows(named=True))
    return sorted({DrawnName(city, r["name_zh"], r["lat"], r["lon"]) for r in rows if r["name_zh"]})


def _document_names(shared: Path) -> Iterator[tuple[DrawnName, str]]:
    """Yield the names of sights in documents, each with the usual name that the reader gave."""
    text = (shared / "data" / "readings" / "careful.jsonl").read_text(encoding="utf-8")
    for line in text.splitlines():
        for place in json.loads(line)["places"]:
            if place["true_city"] in CITIES and place["what"] == "sight":
                for form in (place["name"], *place["also"]):
                    yield DrawnName(place["true_city"], form), place["standard"]


def _is_chinese(text: str) -> bool:
    return any("一" <= sign <= "鿿" for sign in text)


def drawn_pairs(shared: Path, chance: random.Random) -> dict[str, list[Drawn]]:
    """Return all pairs in random order, grouped by the way in which they were drawn."""
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
                found["lists"].append((DrawnName(city, text), other))
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


def _table_pairs(places: Sequence[DrawnName]) -> Iterator[tuple[DrawnName, DrawnName, str]]:
    for i, one in enumerate(places):
        for two in places[i + 1 :]:
            if one.text in two.text or two.text in one.text:
                yield one, two, "contain"
            elif _likeness(one.text, two.text) >= _ALIKE:
                yield one, two, "alike"
            elif (
                None not in (one.lat, two.lat)
                and abs(one.lat - two.lat) < _NEAR_DEGREES  # type: ignore[operator]  # not None, see above
                and abs(one.lon - two.lon) < _NEAR_DEGREES  # type: ignore[operator]  # not None, see above
            ):
                yield one, two, "near"


def _seen_before(shared: Path) -> set[frozenset[str]]:
    """Return the pairs in earlier samples and in the development list, as hashes."""
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


def _key(one: DrawnName, two: DrawnName) -> frozenset[str]:
    """Return a pair as a set of two hashes, one for each name together with the city or cities."""
    cities = one.city if one.city == two.city else f"{one.city};{two.city}"
    return frozenset(digest(cities, name.text) for name in (one, two))


def draw(
    shared: Path, seed: int, number: int, without: Sequence[tuple[str, Drawn]] = ()
) -> list[tuple[str, Drawn]]:
    """Draw pairs in random order, and return each with the way in which it was drawn; the names in
    each pair are in random order, too.

    Pairs in ``without`` are left out.
    """
    chance = random.Random(seed)
    seen = _seen_before(shared) | {_key(*p) for _, pair in without for p in (pair, pair[::-1])}
    chosen: list[tuple[str, Drawn]] = []
    used: Counter[DrawnName] = Counter()
    found = drawn_pairs(shared, chance)
    for kind, share in SHARES.items():
        wanted = round(number * share / sum(SHARES.values()))
        for one, two in found[kind]:
            key = _key(one, two)
            is_equal = one.city == two.city and _pieces(one.text) == _pieces(two.text)
            if wanted == 0 or key in seen or is_equal or used[two] >= 2 or used[one] >= 2:
                continue
            seen.add(key)
            used.update((one, two))
            wanted -= 1
            chosen.append((kind, (one, two) if chance.random() < 0.5 else (two, one)))
    chance.shuffle(chosen)
    return chosen


def draw_new(
    shared: Path, seed: int, number: int, without: Sequence[tuple[str, Drawn]]
) -> list[tuple[str, Drawn]]:
    """Draw pairs that were not drawn earlier; use the next seeds until there are enough."""
    chosen: list[tuple[str, Drawn]] = []
    for further in range(_MOST_SEEDS):
        had = Counter(kind for kind, _ in chosen)
        for kind, pair in draw(shared, seed + further, number, [*without, *chosen]):
            if had[kind] < round(number * SHARES[kind] / sum(SHARES.values())):
                had[kind] += 1
                chosen.append((kind, pair))
    random.Random(seed).shuffle(chosen)
    return chosen


def cells_of(number: int, one: DrawnName, two: DrawnName) -> list[str]:
    """Return a pair as a row of a sheet, in the order of ``COLUMNS``."""
    city = one.city if one.city == two.city else f"{one.city};{two.city}"
    points = (one.lat, one.lon), (two.lat, two.lon)
    a, b = (["" if x is None else f"{x:.6f}" for x in point] for point in points)
    return [f"p{number:03}", city, one.text, *a, two.text, *b, "", ""]


def write_sheets(folder: Path, pairs: Sequence[tuple[str, Drawn]], seed: int) -> None:
    """Write two unlabelled sheets in two orders, and a file that says how each pair was drawn."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [cells_of(number, *pair) for number, (_, pair) in enumerate(pairs, 1)]
    for letter in "AB":
        write_rows(folder / f"sheet_{letter}.csv", COLUMNS, rows)
        random.Random(f"{seed}{letter}").shuffle(rows)
    kinds = [(f"p{number:03}", kind) for number, (kind, _) in enumerate(pairs, 1)]
    write_rows(folder / "kinds.csv", ("pair", "kind"), kinds)


def write_rows(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a CSV file with a header and rows."""
    with path.open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows([header, *rows])
