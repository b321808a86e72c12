"""Which names that no table holds are certain enough to become places of a city.

A name becomes a place where the text treats it as somewhere to go, where it reads as the proper
name of a sight, and where something besides the name puts it in the city: a container that is
known there, two known stops of the same day, or two independent documents whose passages are about
the city. The rest stay unresolved and are counted.
"""

from __future__ import annotations

import re
from functools import cache

import polars as pl

from geocoding.discover import group_key, is_proper_name
from geocoding.names import NameReader, PlaceName
from schemas.cities import City

#: Roles in which a text sends somebody somewhere.
GOING = ("visited", "planned", "recommended")
#: Known stops of the same day in the city that vouch for a stop, and documents for a name.
LEAST_STOPS, LEAST_DOCUMENTS = 2, 2

#: What begins no name: a number with its measure word.
_PHRASE = re.compile(r"[一二两三四五六七八九十几这那每]+[趟个座条次天日站家处些]")
#: Endings of plain roads, which documents give as addresses.
_ROADS = ("路", "大道", "公路", "高速", "环路", "街道")
#: Tags of a Chinese dictionary for names of persons, places and other things.
_NAMES = ("nr", "ns", "nt", "nz")

#: What is asked of names: one row an occurrence, with its link and its document's site.
CANDIDATES = {
    "doc_id": pl.String, "n": pl.Int64, "name": pl.String, "role": pl.String,
    "poi_id": pl.String, "outcome": pl.String, "rivals": pl.Int64, "parent_n": pl.Int64,
    "kind": pl.String, "site": pl.String,
}  # fmt: skip


def certain_names(names: pl.DataFrame, stops: pl.DataFrame, city: City) -> pl.DataFrame:
    """The names (doc_id, n, name) that may become places, and ``why``.

    ``names`` has the columns of CANDIDATES; ``stops`` doc_id, day, order and n of the stops in the
    city.
    """
    reader = NameReader.of(city)
    going = names.filter(
        pl.col("poi_id").is_null() & (pl.col("outcome") == "city") & (pl.col("rivals") == 0)
        & pl.col("role").is_in(GOING) & (pl.col("kind") != "list")
    )  # fmt: skip
    texts = going["name"].unique().to_list()
    proper = {
        name: group_key(reader.read(name)) for name in texts if is_proper_name(reader.read(name))
    }
    keyed = going.filter(pl.col("name").is_in(list(proper))).with_columns(
        key=pl.col("name").replace_strict(proper, return_dtype=pl.String, default=None)
    )
    vouched = pl.concat([_within(keyed, names), _by_day(keyed, names, stops), _by_documents(keyed)])
    best = vouched.sort("key", "why").unique("key", keep="first")
    return (
        keyed.join(best, on="key")
        .select("doc_id", "n", "name", "why")
        .unique()
        .sort("doc_id", "n", "name")
    )


def _is_certain(name: PlaceName) -> bool:
    """Whether a name is a sight's own: no ordinary word before a kind, no plain road, no phrase."""
    if not is_proper_name(name) or _PHRASE.match(name.main):
        return False
    if name.lang != "zh":
        return True
    return not name.main.endswith(_ROADS) and not _is_ordinary(name.core)


@cache
def _is_ordinary(word: str) -> bool:
    """Whether a dictionary has the word, and not as a name of a person or place."""
    # Its dictionary takes a second to load: only where documents know places that no table has.
    from jieba import posseg, setLogLevel

    setLogLevel(60)
    posseg.dt.initialize()
    tag = posseg.dt.word_tag_tab.get(word, "nz")
    return len(word) > 1 and not tag.startswith(_NAMES)


def _within(keyed: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """Names whose container, by the text, is a known place."""
    known = names.filter(pl.col("poi_id").is_not_null()).select("doc_id", parent_n="n").unique()
    rows = keyed.join(known, on=["doc_id", "parent_n"], how="semi")
    return _vouched(rows, "it lies in a known place")


def _by_day(keyed: pl.DataFrame, names: pl.DataFrame, stops: pl.DataFrame) -> pl.DataFrame:
    """Stops of a day on which known places of the city were visited just before or after."""
    known = names.select("doc_id", "n", known=pl.col("poi_id").is_not_null()).unique(
        ["doc_id", "n"]
    )
    along = stops.join(known, on=["doc_id", "n"], how="left").sort("doc_id", "day", "order")
    is_known = pl.col("known").fill_null(value=False).cast(pl.Int64)
    near = [is_known.shift(step).over("doc_id", "day") for step in (-2, -1, 1, 2)]
    counted = along.with_columns(
        n_known=pl.sum_horizontal(part.fill_null(0) for part in near),
        n_near=pl.sum_horizontal(part.is_not_null() for part in near),
    )
    vouched = counted.filter(
        (pl.col("n_known") >= LEAST_STOPS) & (pl.col("n_near") - pl.col("n_known") <= 1)
    )
    spent = vouched.select("doc_id", "n").unique()
    return _vouched(keyed.join(spent, on=["doc_id", "n"], how="semi"), "a stop among known places")


def _by_documents(keyed: pl.DataFrame) -> pl.DataFrame:
    """Names that documents of several sites have."""
    sites = keyed.group_by("key").agg(n=pl.col("site").n_unique())
    rows = keyed.join(sites.filter(pl.col("n") >= LEAST_DOCUMENTS), on="key", how="semi")
    return _vouched(rows, "several documents put it here")


def _vouched(rows: pl.DataFrame, why: str) -> pl.DataFrame:
    return rows.select("key", why=pl.lit(why)).unique()
