"""Adds places that occur only in documents, and counts the mentions of each place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from geocoding import lexicon
from geocoding.blocking import Located
from geocoding.dedupe import decide, parents
from geocoding.names import NameReader, PlaceName, name_key
from geocoding.places import TablePlaces
from geocoding.records import category_of, standard_name, type_of_name
from schemas import ids
from schemas.arrow import frame, sort_by_key
from schemas.cities import City
from schemas.rows import PoisRow
from schemas.tables import TABLES
from schemas.typed_rows import read_rows
from schemas.word_lists import Lists

_LISTS = Lists("geocoding")

#: Endings of names of things that are never attractions, even if visited.
_NOT_SIGHTS = _LISTS.words("no_sights")
#: Kinds of things that do not become places by a document alone.
_MINOR_KINDS = frozenset({"branch", "boat", "entrance", "pier", "deck", "cableway"})
_LONGEST_NAME = 24, 60


#: Columns of names that become places, with the position of each occurrence.
FOUND_NAMES = {"doc_id": pl.String, "name": pl.String, "start": pl.Int64, "end": pl.Int64}


@dataclass(frozen=True)
class _Found:
    """A name and the spans where it occurs in the documents."""

    name: PlaceName
    spans: tuple[tuple[str, int, int], ...]

    @property
    def n_documents(self) -> int:
        return len({doc for doc, _, _ in self.spans})


def add_places(
    places: TablePlaces, names: pl.DataFrame, city: City
) -> tuple[TablePlaces, dict[str, str]]:
    """Add names (``FOUND_NAMES``) as new places; all spellings of a name become one place.

    The id of a place depends only on the city and the name, so more documents do not change
    existing ids. Returns all places, including the new ones, and the place for each name.
    """
    groups = _groups(names, NameReader.of(city))
    poi_ids = {key: ids.poi_id(_anchor(city, key)) for key in groups}
    known = set(places.pois["poi_id"])
    new = [
        _new_place(key, group, city)
        for key, group in sorted(groups.items())
        if poi_ids[key] not in known
    ]
    found = {one.name.raw: poi_ids[key] for key, group in groups.items() for one in group}
    if not new:
        return places, found
    pois = frame("pois", [row for row, _, _ in new])
    grown = replace(
        places,
        pois=_join("pois", places.pois, pois),
        aliases=_join(
            "poi_aliases", places.aliases, frame("poi_aliases", [a for _, x, _ in new for a in x])
        ),
        origins=_join("poi_origins", places.origins, frame("poi_origins", _origins(pois))),
        evidence=_join(
            "evidence", places.evidence, frame("evidence", [e for _, _, x in new for e in x])
        ),
    )
    added = _hierarchy(places, pois, NameReader.of(city), city)
    return replace(grown, hierarchy=_join("poi_hierarchy", places.hierarchy, added)), found


def _origins(pois: pl.DataFrame) -> list[dict[str, object]]:
    """Return the evidence for each name of a new place."""
    return [
        {
            "poi_id": row["poi_id"],
            "city_id": row["city_id"],
            "poi_field": column,
            "evidence_id": row["evidence_id"],
        }
        for row in read_rows(pois, PoisRow)
        for column, name in (("name_zh", row["name_zh"]), ("name_en", row["name_en"]))
        if name is not None
    ]


def _join(table: str, old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    both = pl.concat([old, new]).unique(TABLES[table].key, keep="first", maintain_order=True)
    return sort_by_key(table, both)


def _groups(names: pl.DataFrame, reader: NameReader) -> dict[str, list[_Found]]:
    """Group spellings by their common key, with the most frequent spelling first."""
    spans: dict[str, set[tuple[str, int, int]]] = defaultdict(set)
    for row in names.iter_rows(named=True):
        spans[row["name"]].add((row["doc_id"], row["start"], row["end"]))
    groups: dict[str, list[_Found]] = defaultdict(list)
    for raw in sorted(spans):
        found = _Found(reader.read(raw), tuple(sorted(spans[raw])))
        groups[group_key(found.name)].append(found)
    for group in groups.values():
        group.sort(key=lambda f: (-f.n_documents, -len(f.spans), len(f.name.raw), f.name.raw))
    return dict(groups)


def group_key(name: PlaceName) -> str:
    """Return a key that all spellings of a name share, ignoring the city, generic endings, width
    and case.
    """
    if name.tail or name.lang != "zh":
        return name_key(name.raw)
    return (
        name.core if name.ending in lexicon.GENERIC and len(name.core) >= 2 else name_key(name.bare)
    )


def is_proper_name(name: PlaceName) -> bool:
    """Check whether a name is the proper name of a sight, and not a fragment or a generic word.

    The name must also show the kind of the sight.
    """
    limit = _LONGEST_NAME[0] if name.lang == "zh" else _LONGEST_NAME[1]
    if not 2 <= len(name.main) <= limit or name.lang == "other" or name.is_generic:
        return False
    is_kind = name.kind is not None and name.kind.code not in _MINOR_KINDS
    return is_kind and not name.main.endswith(_NOT_SIGHTS)


def holds_no_sight(name: PlaceName) -> bool:
    """Check whether a Chinese name contains the word for a canteen, hotel or station."""
    words = [word for word in _NOT_SIGHTS if len(word) > 1]
    return name.lang == "zh" and any(word in name.main for word in words)


def _anchor(city: City, key: str) -> str:
    return f"{city.city_id}|doc|{key}"


def _new_place(
    key: str, group: Sequence[_Found], city: City
) -> tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]:
    """Return a new place's row, its alias rows and its evidence rows."""
    shown = group[0].name
    anchor = _anchor(city, key)
    first = min(span for found in group for span in found.spans)
    text = min(found.name.raw for found in group if first in found.spans)
    evidence = {first: _evidence(city, first, text)}
    is_zh = shown.lang == "zh"
    base_type = type_of_name(shown.raw)
    poi = {
        "poi_id": ids.poi_id(anchor),
        "city_id": city.city_id,
        "name_zh": shown.raw if is_zh else None,
        "name_zh_origin": "original" if is_zh else "unknown",
        "name_en": None if is_zh else shown.raw,
        "name_en_origin": "unknown" if is_zh else "original",
        "category": category_of(shown.main, base_type),
        "base_type": base_type,
        "trend_types": [],
        "geocode_status": "unresolved",
        "poi_source": "document",
        "anchor": anchor,
        "n_documents": 0,
        "n_mentions": 0,
        "evidence_id": evidence[first]["evidence_id"],
    }
    aliases = []
    for found in group[1:]:
        span = found.spans[0]
        evidence[span] = _evidence(city, span, found.name.raw)
        aliases.append(
            {
                "poi_id": poi["poi_id"],
                "city_id": city.city_id,
                "alias": found.name.raw,
                "lang": found.name.lang,
                "alias_source": "document",
                "evidence_id": evidence[span]["evidence_id"],
            }
        )
    return poi, aliases, list(evidence.values())


def _evidence(city: City, span: tuple[str, int, int], name: str) -> dict[str, Any]:
    doc, start, end = span
    return {
        "evidence_id": ids.span_evidence_id(city.city_id, doc, start, end),
        "city_id": city.city_id,
        "evidence_kind": "document",
        "doc_id": doc,
        "start": start,
        "end": end,
        "quote_sha256": ids.text_sha256(name),
    }


def _hierarchy(
    known: TablePlaces, new: pl.DataFrame, reader: NameReader, city: City
) -> pl.DataFrame:
    """Find the places that contain the new places by comparing names."""
    rows = [*read_rows(known.pois, PoisRow), *read_rows(new, PoisRow)]
    located = [Located((reader.read(standard_name(r)),), r["lat"], r["lon"]) for r in rows]
    found = []
    for part, decision in sorted(parents(located, decide(located)).items()):
        if part < known.pois.height:
            continue
        whole = decision.first if decision.second == part else decision.second
        found.append(
            {
                "poi_id": rows[part]["poi_id"],
                "city_id": city.city_id,
                "parent_poi_id": rows[whole]["poi_id"],
                "relation": "part_of",
                "reason": f"{decision.verdict.why} ({decision.verdict.score:.2f})",
            }
        )
    return frame("poi_hierarchy", found)


def count_mentions(places: TablePlaces, resolved_mentions: pl.DataFrame) -> TablePlaces:
    """Return the places with ``n_documents`` and ``n_mentions`` counted from mentions.

    ``resolved_mentions`` has one row for each mention, with ``doc_id`` and ``poi_id`` (null if
    unlinked).
    """
    counts = (
        resolved_mentions.filter(pl.col("poi_id").is_not_null())
        .group_by("poi_id")
        .agg(
            pl.col("doc_id").n_unique().cast(pl.Int64).alias("n_documents"),
            pl.len().cast(pl.Int64).alias("n_mentions"),
        )
    )
    pois = places.pois.drop("n_documents", "n_mentions").join(counts, on="poi_id", how="left")
    pois = pois.with_columns(pl.col("n_documents", "n_mentions").fill_null(0))
    return replace(places, pois=sort_by_key("pois", pois))
