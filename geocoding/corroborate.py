"""Decides which names that are in no table are certain enough to become places of a city.

A name becomes a place if the text treats it as somewhere to go, if it reads like the proper name
of a sight, and if something besides the name puts it in the city: a container that is
known there, two known stops of the same day or places of the same section, known stops before and
after it, two known stops of its journey where the text itself names the city, or two independent
documents whose passages are about the city. The rest stay unresolved and are counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache

import polars as pl

from geocoding import lexicon
from geocoding.discover import group_key, holds_no_sight, is_proper_name
from geocoding.names import NameReader, PlaceName
from geocoding.settling import SETTLED_BY_FORM
from schemas.cities import City

#: Roles in which a text sends somebody somewhere.
GOING = ("visited", "planned", "recommended")
#: Known stops of the same day in the city that vouch for a stop, and documents for a name.
LEAST_STOPS, LEAST_DOCUMENTS = 2, 2
#: Who reads where a person did: a sight is one, whatever its name ends in.
BY_PEOPLE = "own"
#: ... and where a model did: a stop of a journey is one; what it recommends may be anything.
BY_MODEL = "openai"
#: Kinds that lie in the open, which a text about a city may reach in a day: stops alone tell.
_OPEN = lexicon.LANDSCAPE | lexicon.NATURAL | {"peak", "spring", "cave", "town", "village"}

#: What begins no name: a number with its measure word.
_PHRASE = re.compile(r"[一二两三四五六七八九十几这那每]+[趟个座条次天日站家处些]")
#: Endings of plain roads, which documents give as addresses.
_ROADS = ("路", "大道", "公路", "高速", "街道", "小弄", "小巷", "弄堂")
#: Characters that say where or how large, and make no name of ordinary words.
_PLAIN_SIGNS = frozenset("东西南北中前后左右内外上下大小新老古路街巷园树")
#: Characters of a Chinese name that may be a cut of a longer one.
_SHORT = 3
#: Tags of a Chinese dictionary for names of persons, places and institutions.
_NAMES = ("nr", "ns", "nt")
#: ... and what a name may begin with: another proper noun, a number.
_LEADING = frozenset({"nz", "m"})

#: What is asked of names: one row an occurrence, with its link and its document's site;
#: ``is_told``: the text says of the place itself that it is in this city.
CANDIDATES = {
    "doc_id": pl.String, "n": pl.Int64, "name": pl.String, "role": pl.String,
    "poi_id": pl.String, "outcome": pl.String, "rivals": pl.Int64, "parent_n": pl.Int64,
    "section": pl.Int64, "kind": pl.String, "site": pl.String, "reader": pl.String,
    "is_told": pl.Boolean,
}  # fmt: skip


def with_forms_of_others(mentions: pl.DataFrame) -> pl.DataFrame:
    """Mentions in which a doubtful name without rivals has the place that the same name stands for
    in other documents, where it is certain and means one place only. A name that a model looked up
    and found to be no such place (score 0) stays as it is.

    ``mentions`` has the columns fullest, link_poi_id, outcome, rivals, score and link_why, all of
    one city.
    """
    sure = mentions.filter(pl.col("link_poi_id").is_not_null())
    one = (
        sure.group_by("fullest")
        .agg(pl.col("link_poi_id").unique())
        .filter(pl.col("link_poi_id").list.len() == 1)
        .select("fullest", same=pl.col("link_poi_id").list.first())
    )
    is_alone = (pl.col("rivals").list.len() == 0) & (pl.col("score") > 0)
    is_doubtful = (pl.col("outcome") == "review") & is_alone
    is_backed = is_doubtful & pl.col("same").is_not_null()
    why = pl.col("link_why") + "; another document that writes it so means this place"
    return mentions.join(one, on="fullest", how="left", maintain_order="left").with_columns(
        link_poi_id=pl.when(is_backed).then("same").otherwise("link_poi_id"),
        outcome=pl.when(is_backed).then(pl.lit("linked")).otherwise("outcome"),
        score=pl.when(is_backed).then(SETTLED_BY_FORM).otherwise("score"),
        link_why=pl.when(is_backed).then(why).otherwise("link_why"),
    ).drop("same")  # fmt: skip


def certain_names(names: pl.DataFrame, stops: pl.DataFrame, city: City) -> pl.DataFrame:
    """The names (doc_id, n, name) that may become places, and ``why``.

    ``names`` has the columns of CANDIDATES; ``stops`` doc_id, trip, day, order and n of the stops
    in the city.
    """
    reader = NameReader.of(city)
    going = names.filter(
        pl.col("poi_id").is_null() & (pl.col("outcome") == "city") & (pl.col("rivals") == 0)
        & pl.col("role").is_in(GOING) & (pl.col("kind") != "list")
    )  # fmt: skip
    texts = going["name"].unique().to_list()
    known_as = names.filter(pl.col("poi_id").is_not_null())["name"].unique().to_list()
    told = _find_told_sights(going, stops)
    proper = {
        name: group_key(read)
        for name in texts
        if _is_certain(read := reader.read(name)) or (name in told and _is_a_name(read))
    }
    proper = {name: key for name, key in proper.items() if not _is_cut(name, [*known_as, *proper])}
    keyed = going.filter(pl.col("name").is_in(list(proper))).with_columns(
        key=pl.col("name").replace_strict(proper, return_dtype=pl.String, default=None)
    )
    stopped = keyed.join(stops, on=["doc_id", "n"], how="semi")
    known = names.filter(pl.col("poi_id").is_not_null()).select("doc_id", "n", place="poi_id")
    within = _within(keyed, names)
    located = keyed.join(within, on="key", how="semi").select("doc_id", "n", place="key")
    known = pl.concat([known, located])  # what lies in a known place is a located stop itself
    if known.is_empty():  # without a table of the city the stops of a day vouch for each other
        known = keyed.select("doc_id", "n", place="key")
    open_air = [name for name in proper if _is_open(reader.read(name))]
    built = keyed.filter(~pl.col("name").is_in(open_air))
    vouched = pl.concat(
        [
            within,
            _by_day(stopped, known.unique(), stops),
            _between(stopped, known.unique(), stops),
            _by_journey(stopped, known.unique(), stops),
            _by_section(built.filter(pl.col("reader") == BY_PEOPLE), names),
            _by_documents(built),
        ]
    )
    best = vouched.sort("key", "why").unique("key", keep="first")
    return (
        keyed.join(best, on="key")
        .select("doc_id", "n", "name", "why")
        .unique()
        .sort("doc_id", "n", "name")
    )


def _find_told_sights(going: pl.DataFrame, stops: pl.DataFrame) -> set[str]:
    """Names that are sights by the word of who read them: people, or a model at a stop."""
    by_people = pl.col("reader") == BY_PEOPLE
    at_stops = going.filter(pl.col("reader") == BY_MODEL).join(
        stops, on=["doc_id", "n"], how="semi"
    )
    return {*going.filter(by_people)["name"], *at_stops["name"]}


def _is_certain(name: PlaceName) -> bool:
    """Whether a name is a sight's own: no plain road, no phrase, not made of ordinary words."""
    if not is_proper_name(name) or _PHRASE.match(name.main) or holds_no_sight(name):
        return False
    if name.lang != "zh":
        return True
    return not name.main.endswith(_ROADS) and not _is_ordinary(name.main)


def _is_cut(name: str, others: Iterable[str]) -> bool:
    """Whether a short Chinese name begins or ends another name of the city: it may be a cut of
    that.
    """
    if not 2 <= len(name) <= _SHORT or name.isascii():
        return False
    return any(
        len(other) > len(name) and (other.startswith(name) or other.endswith(name))
        for other in others
    )


def _is_a_name(name: PlaceName) -> bool:
    """Whether a name that people read as a sight is a whole one: they tell a sight by itself.

    Two signs are a short form, and words of the dictionary (a music fountain) name no one place.
    """
    if name.is_generic or name.main.endswith(_ROADS):
        return False
    return name.lang != "zh" or (len(name.main) >= _SHORT and not _is_ordinary(name.main))


def _is_open(name: PlaceName) -> bool:
    return name.kind is not None and name.kind.code in _OPEN


def _is_ordinary(text: str) -> bool:
    """Whether a text is made of words of a dictionary, none of them the name of anything.

    So must be what stands before the word for its kind, which a word of the whole may run into.
    """
    found = lexicon.ending(text)
    core = text.removesuffix(found[0]) if found else text
    return _is_of_words(text) and (len(core) < 2 or _is_of_words(core))


def _is_of_words(text: str) -> bool:
    """Whether a dictionary's words make a text, and name nothing: a proper noun or a number in
    front does. A single character is no word: names are made of such."""
    words, tag_of = _dictionary()
    found = list(words(text))
    tags = [tag_of.get(word, "ns") for word in found if len(word) > 1]
    singles = {word for word in found if len(word) == 1}
    is_name = any(tag.startswith(_NAMES) for tag in tags)
    is_led = len(found) > 1 and len(found[0]) > 1 and tags[0] in _LEADING
    return not is_name and not is_led and singles <= _PLAIN_SIGNS


@cache
def _dictionary() -> tuple[Callable[[str], Iterable[str]], Mapping[str, str]]:
    """What cuts a text into words, and the tag of each word."""
    # It takes seconds to load: only where documents know places that no table has.
    import jieba
    from jieba import posseg

    jieba.setLogLevel(60)
    posseg.dt.initialize()
    return (lambda text: jieba.cut(text, HMM=False)), posseg.dt.word_tag_tab


def _within(keyed: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """Names whose container, by the text, is a known place."""
    known = names.filter(pl.col("poi_id").is_not_null()).select("doc_id", parent_n="n").unique()
    rows = keyed.join(known, on=["doc_id", "parent_n"], how="semi")
    return _vouch(rows, "it lies in a known place")


def _by_day(stopped: pl.DataFrame, known: pl.DataFrame, stops: pl.DataFrame) -> pl.DataFrame:
    """Stops of a day on which known places of the city were visited."""
    days = (
        stops.join(known, on=["doc_id", "n"])
        .group_by("doc_id", "trip", "day")
        .agg(n_known=pl.col("place").n_unique())
        .filter(pl.col("n_known") >= LEAST_STOPS)
    )
    spent = (
        stops.join(days, on=["doc_id", "trip", "day"], how="semi").select("doc_id", "n").unique()
    )
    return _vouch(stopped.join(spent, on=["doc_id", "n"], how="semi"), "a stop among known places")


def _between(stopped: pl.DataFrame, known: pl.DataFrame, stops: pl.DataFrame) -> pl.DataFrame:
    """Stops that a journey makes after one known place of the city and before another one, or the
    same again."""
    place, journey = pl.col("place"), ("doc_id", "trip")
    rows = (
        stops.join(known, on=["doc_id", "n"], how="left")
        .sort("doc_id", "trip", "day", "order")
        .with_columns(n_known=place.drop_nulls().n_unique().over(journey))
        .filter(
            place.is_null()
            & place.forward_fill().over(journey).is_not_null()
            & place.backward_fill().over(journey).is_not_null()
            & (pl.col("n_known") >= LEAST_STOPS)
        )
    )
    inside = rows.select("doc_id", "n").unique()
    return _vouch(
        stopped.join(inside, on=["doc_id", "n"], how="semi"), "a stop between known places"
    )


def _by_journey(stopped: pl.DataFrame, known: pl.DataFrame, stops: pl.DataFrame) -> pl.DataFrame:
    """Stops that the text itself puts in the city, of a journey that visits known places there.

    For names that people or a model read: rules tell the place of a passage, not that of a name.
    """
    journeys = (
        stops.join(known, on=["doc_id", "n"])
        .group_by("doc_id")
        .agg(n_known=pl.col("place").n_unique())
        .filter(pl.col("n_known") >= LEAST_STOPS)
    )
    told = stopped.filter("is_told", pl.col("reader").is_in([BY_PEOPLE, BY_MODEL]))
    return _vouch(
        told.join(journeys, on="doc_id", how="semi"),
        "put here by the text, in a journey of known places",
    )


def _by_section(keyed: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """Names under one heading with known places to which the text sends somebody as well.

    For names that people read: of those of rules one in five was a piece of something.
    """
    sections = (
        names.filter(pl.col("poi_id").is_not_null() & pl.col("role").is_in(GOING))
        .group_by("doc_id", "section")
        .agg(n_known=pl.col("poi_id").n_unique())
        .filter(pl.col("section").is_not_null() & (pl.col("n_known") >= LEAST_STOPS))
    )
    rows = keyed.join(sections, on=["doc_id", "section"], how="semi")
    return _vouch(rows, "its section has known places")


def _by_documents(keyed: pl.DataFrame) -> pl.DataFrame:
    """Names that documents of several sites have."""
    sites = keyed.group_by("key").agg(n=pl.col("site").n_unique())
    rows = keyed.join(sites.filter(pl.col("n") >= LEAST_DOCUMENTS), on="key", how="semi")
    return _vouch(rows, "several documents put it here")


def _vouch(rows: pl.DataFrame, why: str) -> pl.DataFrame:
    return rows.select("key", why=pl.lit(why)).unique()
