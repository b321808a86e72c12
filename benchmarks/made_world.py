"""From a seed, generate places in many cities and documents that name some of these places.

The names are combined at random from Chinese characters and kinds of places, so no real data is
copied. The cities are real cities from GeoNames, and the numbers of places in them follow a Zipf
law. Each place has a Chinese name. One place in ten has an English name, and one in five has an
alias. A few park names occur in all cities.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.corpus import BUCKETS
from flows.pipeline.stages.places import PLACE_FRAMES
from geocoding.names import pinyin
from schemas import frames as inner
from schemas.arrow import frame, polars_schema_of
from schemas.cities import City, large_cities
from schemas.ids import digest
from schemas.tables import TABLES

Row = dict[str, Any]

#: Characters of invented names.
SIGNS = (
    "青白红玉金石松竹梅兰云月星雨风雪春秋长安平宁永和福寿康乐文武天龙凤鹤鹿虎马牛羊莲荷桂柳桃杏枫桐"
    "槐柏清明光华祥瑞德仁义礼智信忠孝廉正通达远高深广大中上下东西南北前后古新朝阳夕晨晓晴虹霞岚峰岭"
    "泉溪涧潭洲渡津浦港湾沙滩丰盛隆昌泰兴旺富贵荣锦绣绮罗丝棉麻茶酒米盐铜铁银珠宝琴棋书画诗歌舞笛鼓"
)
#: Kinds of places: the Chinese ending, the English ending, and the type in tables.
KINDS = (
    ("公园", "Park", "park"), ("博物馆", "Museum", "museum_memorial"),
    ("寺", "Temple", "historic_site"), ("古镇", "Ancient Town", "cultural_tourism_area"),
    ("山", "Mountain", "natural_scenery"), ("湖", "Lake", "natural_scenery"),
    ("塔", "Pagoda", "historic_site"), ("广场", "Square", "cultural_landscape"),
    ("书院", "Academy", "historic_site"), ("纪念馆", "Memorial Hall", "museum_memorial"),
    ("老街", "Old Street", "commercial_district"), ("桥", "Bridge", "historic_site"),
)  # fmt: skip
COMMON = ("人民公园", "中山公园", "儿童公园", "滨河公园", "文化广场")
_SMALLEST_CITY, _ENGLISH, _WITH_ALIAS = 100_000, 0.10, 0.20
#: How documents write a name: as in the table, after the name of the city, without the kind of
#: place, as its alias, in English, with a typing error, or with another word after it.
_FORMS, _WEIGHTS = (
    ("same", "city", "core", "alias", "english", "slip", "area"),
    (45, 12, 10, 10, 8, 8, 7),
)
_STOPS_A_DAY = 6


@dataclass(frozen=True)
class MadeWorld:
    """The places in all cities, generated from a seed."""

    n_places: int
    n_cities: int = 500
    seed: int = 19

    @cached_property
    def cities(self) -> tuple[City, ...]:
        """The largest Chinese cities; each name occurs once."""
        by_name: dict[str, City] = {}
        for city in sorted(large_cities("CN", _SMALLEST_CITY), key=lambda city: -city.population):
            if city.name_zh:
                by_name.setdefault(city.name_zh, city)
        return tuple(by_name.values())[: self.n_cities]

    @cached_property
    def sizes(self) -> list[int]:
        """Number of places in each city."""
        shares = 1 / (np.arange(len(self.cities)) + 20)
        return [int(n) for n in np.ceil(self.n_places * shares / shares.sum())]

    def places(self, at: int) -> pl.DataFrame:
        """Generate a city's places: id, core of the name, kind, names in both languages, alias,
        position.
        """
        n, city = self.sizes[at], self.cities[at]
        chance = np.random.default_rng([self.seed, at])
        signs = chance.integers(len(SIGNS), size=(n, 3))
        is_long, kinds = chance.random(n) < 0.7, chance.integers(len(KINDS), size=n)
        core = [
            SIGNS[a] + SIGNS[b] + (SIGNS[c] if long else "")
            for (a, b, c), long in zip(signs.tolist(), is_long.tolist(), strict=True)
        ]
        syllables = [pinyin(sign) for sign in SIGNS]
        latin = [
            "".join(syllables[i] for i in (row if long else row[:2])).capitalize()
            for row, long in zip(signs.tolist(), is_long.tolist(), strict=True)
        ]
        ids = [f"poi_{x:016x}" for x in chance.integers(2**63, size=n).tolist()]
        rows = pl.DataFrame({
            "poi_id": ids, "core": core, "latin": latin, "kind": kinds,
            "lat": city.lat + chance.normal(0, 0.1, n), "lon": city.lon + chance.normal(0, 0.1, n),
            "english": chance.random(n) < _ENGLISH, "has_alias": chance.random(n) < _WITH_ALIAS,
        }).with_columns(
            pl.col("kind").replace_strict(dict(enumerate(k[x] for k in KINDS))).alias(name)
            for x, name in enumerate(("ending", "english_kind", "base_type"))
        )  # fmt: skip
        rows = rows.with_columns(
            name_zh=pl.col("core") + pl.col("ending"),
            name_en=pl.when("english").then(pl.col("latin") + " " + pl.col("english_kind")),
            alias=pl.when("has_alias").then(pl.lit("老") + pl.col("core") + pl.lit("园")),
        )
        common = rows.head(len(COMMON)).with_columns(
            name_zh=pl.Series(COMMON[: rows.height]), name_en=pl.lit(None, pl.String),
            alias=pl.lit(None, pl.String), base_type=pl.lit("park"),
        )  # fmt: skip
        return pl.concat([common, rows[common.height :]]).unique("name_zh", maintain_order=True)


def place_frames(city: City, made: pl.DataFrame) -> Frames:
    """Return invented places in the form that the stage ``places`` produces."""
    empty = {name: frame(name, []) for name in PLACE_FRAMES}
    aliases = made.filter(pl.col("alias").is_not_null())
    return {
        **empty,
        "pois": _as("pois", made.with_columns(city_id=pl.lit(city.city_id))),
        "poi_aliases": _as("poi_aliases", aliases.with_columns(city_id=pl.lit(city.city_id))),
    }


def _as(table: str, rows: pl.DataFrame) -> pl.DataFrame:
    schema = polars_schema_of(TABLES[table])
    missing = [
        pl.lit(None, kind).alias(name) for name, kind in schema.items() if name not in rows.columns
    ]
    return rows.with_columns(missing).select(list(schema)).cast(schema)


class Documents:
    """Made-up documents, each of which describes two days in randomly chosen cities and names
    places.
    """

    def __init__(self, world: MadeWorld, number: int) -> None:
        self._world, self._chance = world, random.Random(world.seed)
        cities, sizes = range(len(world.cities)), world.sizes
        self._days = [tuple(self._chance.choices(cities, sizes, k=2)) for _ in range(number)]
        self._named: dict[tuple[int, int], list[str]] = {}

    def draw(self, at: int, made: pl.DataFrame) -> None:
        """Draw the names that documents mention for each day in a city."""
        city = self._world.cities[at]
        chance = random.Random(f"{self._world.seed} {at}")
        for document, days in enumerate(self._days):
            for day, where in enumerate(days):
                if where == at:
                    rows = [
                        made.row(chance.randrange(made.height), named=True)
                        for _ in range(_STOPS_A_DAY)
                    ]
                    names = [_write_name(row, city, chance) for row in rows]
                    unknown = "".join(chance.choices(SIGNS, k=4)) + chance.choice(KINDS)[0]
                    self._named[document, day] = [*names, chance.choice(COMMON), unknown]

    def buckets(self, number: int) -> Iterator[tuple[Frames, Frames]]:
        """Yield the documents bucket by bucket, in the form that the stages ``corpus`` and ``read``
        produce.
        """
        parts: list[list[int]] = [[] for _ in range(BUCKETS)]
        for document in range(number):
            parts[document % BUCKETS].append(document)
        for part in parts:
            made = [self._document(document) for document in part]
            corpus = {"blocks": inner.BLOCKS, "meta": inner.META}
            read = {"names": inner.READ_NAMES, "stops": inner.READ_STOPS}
            yield tuple(  # type: ignore[misc]  # of two, as both sets of frames
                {name: pl.DataFrame([row for rows in made for row in rows[name]],
                                    schema=polars_schema_of(table), orient="row")
                 for name, table in frames.items()}
                for frames in (corpus, read)
            )  # fmt: skip

    def _document(self, document: int) -> Mapping[str, Sequence[Row]]:
        doc_id = f"d{digest('made', str(document), length=20)}"
        rows: dict[str, list[Row]] = {name: [] for name in ("blocks", "meta", "names", "stops")}
        start, n = 0, 0
        for day, where in enumerate(self._days[document]):
            city = self._world.cities[where].name_zh
            lines: list[tuple[str, str | None]] = [(f"第{'一二'[day]}天 {city}", None)]
            lines += [(f"去{name},走了一圈。", name) for name in self._named[document, day]]
            for order, (text, name) in enumerate(lines):
                rows["blocks"].append(
                    {
                        "doc_id": doc_id,
                        "position": len(rows["blocks"]),
                        "strong": False,
                        "text": text,
                        "kind": "paragraph" if name else "heading",
                        "level": 0 if name else 2,
                        "start": start,
                    }
                )
                if name:
                    n += 1
                    place = {
                        "doc_id": doc_id,
                        "n": n,
                        "name": name,
                        "lang": "zh",
                        "start": start + 1,
                        "end": start + 1 + len(name),
                    }
                    rows["names"].append(
                        {
                            **place,
                            "fullest": name,
                            "stands_in": "text",
                            "what": "sight",
                            "role": "visited",
                            "confidence": 1.0,
                        }
                    )
                    rows["stops"].append({
                        **place, "trip": 1, "day": day + 1, "order": order, "is_planned": False,
                        "is_ordered": True,
                    })  # fmt: skip
                start += len(text) + 1
        rows["meta"].append(
            {
                "doc_id": doc_id,
                "path": f"{doc_id}.md",
                "lang": "zh",
                "size_bytes": 3 * start,
                "n_chars": start,
            }
        )
        return rows


def _write_name(place: Row, city: City, chance: random.Random) -> str:
    """Return the name of a place as a document might write it."""
    name = str(place["name_zh"])
    form = chance.choices(_FORMS, _WEIGHTS)[0]
    at = chance.randrange(len(name))
    slip = name[:at] + chance.choice(SIGNS) + name[at + 1 :]
    written = {
        "city": f"{city.name_zh}{name}", "core": place["core"], "alias": place["alias"],
        "english": place["name_en"], "slip": slip, "area": f"{name}景区",
    }  # fmt: skip
    return str(written.get(form) or name)
