"""Adds the names that documents use for known places: further names, and names in English.

A form of a name is added if four conditions are met:

- The form itself makes the link certain.
- The document uses only this form for the place.
- No other place in the city has the name.
- The score is high enough.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from geocoding.names import language, name_key
from geocoding.places import TablePlaces
from schemas.arrow import frame, sort_by_key
from schemas.read_hash import value_hash

#: From this score on (hundredths), a form is a name of its place. Below 100, the form itself was
#: compared; at 100, another form of the document may have decided.
LEAST_SCORE, KNOWN_SCORE = 90, 100
#: Columns of forms: one row for each document and form, with the evidence of its first occurrence.
FORMS = {
    "doc_id": pl.String, "name": pl.String, "poi_id": pl.String,
    "score": pl.Int64, "evidence_id": pl.String,
}  # fmt: skip

Row = dict[str, Any]


def with_surface_forms(places: TablePlaces, forms: pl.DataFrame) -> TablePlaces:
    """Return the places, and add the names from ``forms`` that are certain to the places' aliases.

    A place without ``name_en`` gets the English name that occurs in most documents.
    """
    owner = _owners(places)
    sure = forms.filter((pl.col("score") >= LEAST_SCORE) & (pl.col("score") < KNOWN_SCORE))
    told: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in sure.sort("name", "doc_id", "evidence_id").to_dicts():
        if not owner.get(name_key(row["name"]), set()) - {row["poi_id"]}:
            told[row["poi_id"], row["name"]].append(row)
    ambiguous = _borne_by_several(told)
    kept = {key: rows for key, rows in told.items() if name_key(key[1]) not in ambiguous}
    english = _english(places, kept)
    known = set(places.aliases.select("poi_id", "alias").iter_rows())
    aliases = [
        _alias(places, rows[0])
        for (poi_id, name), rows in sorted(kept.items())
        if (poi_id, name) not in known and english.get(poi_id) != name
    ]
    joined = sort_by_key("poi_aliases", pl.concat([places.aliases, frame("poi_aliases", aliases)]))
    return _with_english(replace(places, aliases=joined), english, kept)


def with_translations(places: TablePlaces, english: Mapping[str, str]) -> TablePlaces:
    """Add English names that a model gave for Chinese names, mark these English names as
    translated, and return the places.
    """
    translated = pl.col("name_zh").replace_strict(
        dict(english), return_dtype=pl.String, default=None
    )
    is_new = pl.col("name_en").is_null() & translated.is_not_null()
    pois = places.pois.with_columns(
        name_en=pl.coalesce("name_en", translated),
        name_en_origin=pl.when(is_new).then(pl.lit("translated")).otherwise("name_en_origin"),
    )
    return replace(places, pois=pois)


def _owners(places: TablePlaces) -> dict[str, set[str]]:
    """Map the key of every name to the places that have the name."""
    found: dict[str, set[str]] = defaultdict(set)
    for poi_id, *names in places.pois.select("poi_id", "name_zh", "name_en").iter_rows():
        for name in filter(None, names):
            found[name_key(name)].add(poi_id)
    for poi_id, alias in places.aliases.select("poi_id", "alias").iter_rows():
        found[name_key(alias)].add(poi_id)
    return found


def _borne_by_several(told: Mapping[tuple[str, str], list[Row]]) -> set[str]:
    bearers: dict[str, set[str]] = defaultdict(set)
    for poi_id, name in told:
        bearers[name_key(name)].add(poi_id)
    return {key for key, of in bearers.items() if len(of) > 1}


def _english(places: TablePlaces, kept: Mapping[tuple[str, str], list[Row]]) -> dict[str, str]:
    """Return an English name for each place without one: the name used in most documents or, if
    there is a tie, the longest name.
    """
    without = set(places.pois.filter(pl.col("name_en").is_null())["poi_id"])
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for (poi_id, name), rows in kept.items():
        if poi_id in without and language(name) == "en":
            votes[poi_id][name] = len({row["doc_id"] for row in rows})
    return {
        poi_id: min(names, key=lambda name: (-names[name], -len(name), name))
        for poi_id, names in votes.items()
    }


def _alias(places: TablePlaces, row: Row) -> Row:
    return {
        "poi_id": row["poi_id"],
        "city_id": places.pois["city_id"][0],
        "alias": row["name"],
        "lang": language(row["name"]),
        "alias_source": "document",
        "evidence_id": row["evidence_id"],
    }


def _with_english(
    places: TablePlaces, english: Mapping[str, str], kept: Mapping[tuple[str, str], list[Row]]
) -> TablePlaces:
    """Add English names to the places, each with the document in which the name occurs."""
    named = pl.col("poi_id").replace_strict(dict(english), return_dtype=pl.String, default=None)
    pois = places.pois.with_columns(
        name_en=pl.coalesce("name_en", named),
        name_en_origin=pl.when(named.is_not_null())
        .then(pl.lit("original"))
        .otherwise("name_en_origin"),
    )
    origins = [
        {
            "poi_id": poi_id, "city_id": places.pois["city_id"][0], "poi_field": "name_en",
            "evidence_id": kept[poi_id, name][0]["evidence_id"], "value_hash": value_hash([name]),
        }
        for poi_id, name in sorted(english.items())
    ]  # fmt: skip
    joined = pl.concat([places.origins, frame("poi_origins", origins)])
    return replace(places, pois=pois, origins=sort_by_key("poi_origins", joined))
