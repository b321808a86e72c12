"""Decides which names that are missing from the tables are certain enough to become places in a
city.

A name becomes a place if the text treats it as a destination and the name looks like the proper
name of a sight. In addition, there must be evidence besides the name that the place is in the city.

One of these facts is sufficient:

- The text locates the name in a known place in the city.
- The same day has two known stops.
- The same section has known places.
- Known stops come before and after the name.
- The text names the city, and the journey has two known stops.
- Two independent documents mention the name in passages about the city.

All other names remain unlinked and are counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl

from geocoding import lexicon
from geocoding.discover import group_key, holds_no_sight, is_proper_name
from geocoding.names import NameReader, PlaceName
from geocoding.settling import SETTLED_BY_FORM
from schemas.chinese_words import cut_words, word_tags
from schemas.cities import City

#: Roles of places that a text treats as destinations.
GOING = ("visited", "planned", "recommended")
#: Numbers needed as evidence: known stops of the same day in the city, and documents with the name.
LEAST_STOPS, LEAST_DOCUMENTS = 2, 2
#: Readers of documents that a person read: a sight counts, whatever the ending of its name.
BY_PEOPLE = "own"
#: ... and that a model read: a stop of a journey is a sight; a recommended place may be anything.
BY_MODEL = "openai"
#: Kinds of landscape that may be a day trip away from the city, so only stops count as evidence.
_OPEN = lexicon.LANDSCAPE | lexicon.NATURAL | {"peak", "spring", "cave", "town", "village"}

#: A number with its measure word, which does not begin a name.
_PHRASE = re.compile(r"[一二两三四五六七八九十几这那每]+[趟个座条次天日站家处些]")
#: Endings of ordinary roads, which documents give as addresses.
_ROADS = ("路", "大道", "公路", "高速", "街道", "小弄", "小巷", "弄堂")
#: Characters for a position or size, which do not turn ordinary words into a name.
_PLAIN_SIGNS = frozenset("东西南北中前后左右内外上下大小新老古路街巷园树")
#: A Chinese name of so many characters may be a piece of a longer one.
_SHORT = 3
#: Dictionary tags for names of persons, places and institutions.
_NAMES = ("nr", "ns", "nt")
#: ... and tags of words that may begin a name: another proper noun, a number.
_LEADING = frozenset({"nz", "m"})

#: Columns of names: one row for each occurrence, with its link and its document's site.
#: ``is_told`` means that the text itself puts the place in this city.
CANDIDATES = {
    "doc_id": pl.String, "n": pl.Int64, "name": pl.String, "role": pl.String,
    "poi_id": pl.String, "outcome": pl.String, "rivals": pl.Int64, "parent_n": pl.Int64,
    "section": pl.Int64, "kind": pl.String, "site": pl.String, "reader": pl.String,
    "is_told": pl.Boolean,
}  # fmt: skip


def with_forms_of_others(mentions: pl.DataFrame) -> pl.DataFrame:
    """Link a doubtful name without rivals to the place to which other documents link the same name.

    The other documents must all link the name to the same place. A name is left unchanged if a
    model chose none of the places offered for it (score 0).

    ``mentions`` has the columns ``fullest``, ``link_poi_id``, ``outcome``, ``rivals``, ``score``
    and ``link_why``, all for one city.
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
    """Return the names that may become places, with ``doc_id``, ``n``, ``name`` and ``why``.

    ``names`` has the columns of CANDIDATES. ``stops`` has the columns ``doc_id``, ``trip``,
    ``day``, ``order`` and ``n`` for the stops in the city.
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
    known = pl.concat([known, located])  # a name in a known place counts as known too
    if known.is_empty():  # without a table of the city, the stops of a day support each other
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
    """Return the names that people call sights or that a model calls stops."""
    by_people = pl.col("reader") == BY_PEOPLE
    at_stops = going.filter(pl.col("reader") == BY_MODEL).join(
        stops, on=["doc_id", "n"], how="semi"
    )
    return {*going.filter(by_people)["name"], *at_stops["name"]}


def _is_certain(name: PlaceName) -> bool:
    """Check whether a name is a sight's proper name, rather than a road, a phrase or ordinary
    words.
    """
    if not is_proper_name(name) or _PHRASE.match(name.main) or holds_no_sight(name):
        return False
    if name.lang != "zh":
        return True
    return not name.main.endswith(_ROADS) and not _is_ordinary(name.main)


def _is_cut(name: str, others: Iterable[str]) -> bool:
    """Check whether a different name in the city begins or ends with this short Chinese name.

    In that case, the short name may be only a piece of the longer name.
    """
    if not 2 <= len(name) <= _SHORT or name.isascii():
        return False
    return any(
        len(other) > len(name) and (other.startswith(name) or other.endswith(name))
        for other in others
    )


def _is_a_name(name: PlaceName) -> bool:
    """Check whether a name that people call a sight is a complete name.

    A name of two characters is a short form, and dictionary words ("music fountain") do not name a
    particular place.
    """
    if name.is_generic or name.main.endswith(_ROADS):
        return False
    return name.lang != "zh" or (len(name.main) >= _SHORT and not _is_ordinary(name.main))


def _is_open(name: PlaceName) -> bool:
    return name.kind is not None and name.kind.code in _OPEN


def _is_ordinary(text: str) -> bool:
    """Check whether a text consists of dictionary words that are not proper names.

    If the text ends with a word for a kind of place, the part before this word is also checked by
    itself, because a dictionary word may extend across the boundary between the two parts.
    """
    found = lexicon.ending(text)
    core = text.removesuffix(found[0]) if found else text
    return _is_of_words(text) and (len(core) < 2 or _is_of_words(core))


def _is_of_words(text: str) -> bool:
    """Check whether a text consists of dictionary words and does not begin with a proper noun or a
    number.

    A single character does not count as a word, because every Chinese name consists of such
    characters.
    """
    found, tag_of = cut_words(text), word_tags()
    tags = [tag_of.get(word, "ns") for word in found if len(word) > 1]
    singles = {word for word in found if len(word) == 1}
    is_name = any(tag.startswith(_NAMES) for tag in tags)
    is_led = len(found) > 1 and len(found[0]) > 1 and tags[0] in _LEADING
    return not is_name and not is_led and singles <= _PLAIN_SIGNS


def _within(keyed: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """Return the names that the text locates inside a known place."""
    known = names.filter(pl.col("poi_id").is_not_null()).select("doc_id", parent_n="n").unique()
    rows = keyed.join(known, on=["doc_id", "parent_n"], how="semi")
    return _vouch(rows, "it lies in a known place")


def _by_day(stopped: pl.DataFrame, known: pl.DataFrame, stops: pl.DataFrame) -> pl.DataFrame:
    """Return the stops on days that also have stops at known places in the city."""
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
    """Return stops between known places in the city on one journey; both known places may be the
    same.
    """
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
    """Return stops that the text itself locates in the city, if the document's journeys also have
    stops at known places in the city.

    Only names that people or a model read are included, because the rules find the city of a
    passage rather than of a name.
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
    """Return the names in sections that also treat known places as destinations.

    Only names that people read are included, because one in five of the names found by rules was
    only a piece of a name.
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
    """Return the names that occur in documents from more than one site."""
    sites = keyed.group_by("key").agg(n=pl.col("site").n_unique())
    rows = keyed.join(sites.filter(pl.col("n") >= LEAST_DOCUMENTS), on="key", how="semi")
    return _vouch(rows, "several documents put it here")


def _vouch(rows: pl.DataFrame, why: str) -> pl.DataFrame:
    return rows.select("key", why=pl.lit(why)).unique()
