"""Make rows of places with known duplicates: real names and distances, with seeded noise.

The names and coordinates come from the shared tables and lists (``TRIPBED_SHARED``). The data
describes an invented country, whose cities are copies of the cities in the shared lists. Each
copied city is moved, gets a new city name and lacks some of the places. A quarter of the places
then get several rows, whose names and coordinates differ as in real lists. If source rows may be
duplicates of one another (within 100 m, and with the same name apart from brackets), only one of
them is used, so that different places in the data are really different places. Nearby places with
similar names, such as branches and gates, are kept as hard cases.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from pathlib import Path

import polars as pl

SEED = 20_260_301
#: Numbers of extra rows of a place, and the shares of places that have them.
_COPIES = ((0, 0.75), (1, 0.18), (2, 0.07))
_SUFFIXES = ("景区", "风景区", "旅游区", "风景名胜区")
#: The second list of a city is moved, so that its places differ from those of the first.
_SECOND_LIST_DEG = 2.0
_METRE = 1 / 111_195
Base = tuple[str, str, float, float]


def base_places(shared: Path) -> list[Base]:
    """Return the name, city, latitude and longitude of every distinct real place."""
    found: list[Base] = []
    folder = shared / "data" / "traveleval" / "environment" / "database" / "poi"
    for path in sorted(folder.glob("*/poi.json")):
        for row in json.loads(path.read_text(encoding="utf-8")):
            lat, lon = map(float, row["position"])
            found.append((row["name"].strip(), path.parent.name, lat, lon))
    lists = shared / "data" / "docs" / "poi" / "VincentGaoHJ__Spyder-Mafengwo"
    for path in sorted(lists.glob("data__list_all(version_2).txt")):
        for line in path.read_text(encoding="utf-8-sig").splitlines()[1:]:
            cells = line.split("\t")
            if len(cells) >= 5 and cells[3] and cells[4]:
                lat, lon = float(cells[3]) + _SECOND_LIST_DEG, float(cells[4])
                found.append((cells[0].strip(), "beijing-2", lat, lon))
    return list(_once(found))


def _once(places: list[Base]) -> Iterator[Base]:
    """Yield the places, but skip any place that is within 100 m of an earlier one with the same
    name apart from brackets.
    """
    held: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for name, city, lat, lon in places:
        plain = "".join(c for c in name.split("(")[0].split("（")[0].lower() if c.isalnum())
        near = held.setdefault((city, plain), [])
        if not plain or any(math.hypot(lat - y, lon - x) < 100 * _METRE for y, x in near):
            continue
        near.append((lat, lon))
        yield name, city, lat, lon


def make(base: list[Base], size: int, seed: int = SEED) -> pl.DataFrame:
    """Make ``size`` rows: name, city, lat, lon, source_id (null) and truth (the place's number)."""
    rng = random.Random(seed)
    rows: list[tuple[str, str, float | None, float | None, int]] = []
    copy = place = 0
    towns = _towns()
    while len(rows) < size:
        renamed: dict[str, str] = {}
        d_lat, d_lon = -6.0 * (copy % 8), 12.0 * (copy // 8) - 100.0
        for name, city, lat, lon in base:
            if rng.random() > 0.85:
                continue
            town = renamed.setdefault(city, towns[(len(renamed) + 11 * copy) % len(towns)])
            here = (_move_to_town(name, city, town), town, lat + d_lat, lon + d_lon)
            rows.append((*here, place))
            for _ in range(rng.choices([n for n, _ in _COPIES], [w for _, w in _COPIES])[0]):
                rows.append((*_noisy(here, rng), place))
            place += 1
        copy += 1
    rng.shuffle(rows)
    frame = pl.DataFrame(rows[:size], ["name", "city", "lat", "lon", "truth"], orient="row")
    return frame.with_columns(source_id=pl.lit(None, pl.String))


def _towns() -> list[str]:
    from schemas.cities import large_cities

    return sorted({c.name_zh for c in large_cities("CN", 400_000) if c.name_zh})


_CITY_ZH = {
    "beijing": "北京",
    "beijing-2": "北京",
    "chengdu": "成都",
    "chongqing": "重庆",
    "guangzhou": "广州",
    "hangzhou": "杭州",
    "nanjing": "南京",
    "shanghai": "上海",
    "shenzhen": "深圳",
    "suzhou": "苏州",
    "wuhan": "武汉",
}


def _move_to_town(name: str, city: str, town: str) -> str:
    return name.replace(_CITY_ZH.get(city, "\x00"), town)


def _noisy(
    place: tuple[str, str, float, float], rng: random.Random
) -> tuple[str, str, float | None, float | None]:
    """Make a noisy row of a place: one or two changes of its name, and shifted coordinates."""
    name, town, lat, lon = place
    for _ in range(rng.choices((0, 1, 2), (0.25, 0.5, 0.25))[0]):
        name = rng.choice(_CHANGES)(name, town, rng)
    if rng.random() < 0.02:
        return name, town, None, None
    spread = rng.choices((15.0, 60.0, 150.0), (0.6, 0.3, 0.1))[0]
    return (
        name, town, lat + rng.gauss(0, spread) * _METRE,
        lon + rng.gauss(0, spread) * _METRE / math.cos(math.radians(lat)),
    )  # fmt: skip


def _brackets(name: str, town: str, rng: random.Random) -> str:
    table = str.maketrans("()（）", "（）()")
    return name.translate(table)


def _no_bracket(name: str, town: str, rng: random.Random) -> str:
    bare = name.split("(", maxsplit=1)[0].split("（", maxsplit=1)[0]
    return bare if len(bare) >= 4 else name


def _prefix(name: str, town: str, rng: random.Random) -> str:
    return name.removeprefix(town) if name.startswith(town) and len(name) > 4 else f"{town}{name}"


def _suffix(name: str, town: str, rng: random.Random) -> str:
    if name.endswith(_SUFFIXES):
        return next(name.removesuffix(s) for s in _SUFFIXES if name.endswith(s))
    sights = "山湖寺园镇城谷岛海江"
    return name + rng.choice(_SUFFIXES) if name[-1] in sights else name


def _typo(name: str, town: str, rng: random.Random) -> str:
    plain = [at for at in range(1, len(name) - 1) if name[at - 1 : at + 2].isalpha()]
    if len(name) < 5 or not plain:
        return name
    at = rng.choice(plain)
    return (
        name[:at] + name[at + 1 :]
        if rng.random() < 0.5
        else name[:at] + name[at - 1] + name[at + 1 :]
    )


def _traditional(name: str, town: str, rng: random.Random) -> str:
    from opencc import OpenCC

    global _CONVERTER  # noqa: PLW0603 - one converter, made when first asked for
    if _CONVERTER is None:
        _CONVERTER = OpenCC("s2t")
    return str(_CONVERTER.convert(name))


_CONVERTER = None


def _wide(name: str, town: str, rng: random.Random) -> str:
    return "".join(
        chr(ord(c) + 0xFEE0) if "0" <= c <= "9" or ("A" <= c.upper() <= "Z" and c.isascii()) else c
        for c in name
    )


def _dots(name: str, town: str, rng: random.Random) -> str:
    return name.replace("·", "") if "·" in name else name


_CHANGES = (_brackets, _no_bracket, _prefix, _suffix, _typo, _traditional, _wide, _dots)
