"""Turns attraction rows into one row for each place, with aliases, containers, facts and
evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from geocoding import records
from geocoding.blocking import Located
from geocoding.dedupe import Decision, clusters, decide, parents
from geocoding.names import NameReader
from schemas import ids, taxonomy
from schemas.arrow import frame
from schemas.cities import City
from schemas.places import ATTRACTIONS
from schemas.reading import GazetteerEntry
from schemas.rows import PlaceDecisionsRow, PoiAliasesRow, PoiHierarchyRow, PoisRow
from schemas.typed_rows import read_rows

_CATEGORIES = frozenset(taxonomy.codes(taxonomy.POI_CATEGORIES))
_BASE_TYPES = frozenset(taxonomy.codes(taxonomy.BASE_TYPES))
_PAYLOAD_CHARS = 2_000


@dataclass(frozen=True)
class TablePlaces:
    """The places in a city, as rows of the published tables. ``merged`` counts duplicate rows."""

    pois: pl.DataFrame
    aliases: pl.DataFrame
    hierarchy: pl.DataFrame
    facts: pl.DataFrame
    origins: pl.DataFrame
    decisions: pl.DataFrame
    evidence: pl.DataFrame
    quarantine: pl.DataFrame
    merged: int


def places_from_tables(attractions: pl.DataFrame, city: City) -> TablePlaces:
    """Make the places in a city from the city's attraction rows (``schemas.places.ATTRACTIONS``).

    Rows for the same place are merged. The first row in source order determines the identity, and
    every field gets its first known value. The number of input rows equals the number of places
    plus the numbers of merged and quarantined rows.
    """
    reader = NameReader.of(city)
    good, bad = _check_rows(attractions, city)
    located = [_locate(row, reader) for row in good]
    decisions = decide(located)
    groups = _without_equal_anchors(good, clusters(located, decisions), city)
    members = [[good[position] for position in group] for group in groups]
    pois = [records.poi_row(city.city_id, group) for group in members]
    owner = {p: poi["poi_id"] for group, poi in zip(groups, pois, strict=True) for p in group}
    pairs = list(zip(pois, members, strict=True))
    hierarchy = _hierarchy(good, located, decisions, owner, city)
    places = TablePlaces(
        pois=frame("pois", pois),
        aliases=frame(
            "poi_aliases", [a for p, m in pairs for a in records.alias_rows(p, m, reader)]
        ),
        hierarchy=frame("poi_hierarchy", hierarchy),
        facts=frame("poi_facts", [f for p, m in pairs for f in records.fact_rows(p, m)]),
        origins=frame("poi_origins", [o for p, m in pairs for o in records.origin_rows(p, m)]),
        decisions=frame("place_decisions", _decisions(good, decisions, owner, hierarchy, city)),
        evidence=_evidence(good, city),
        quarantine=frame("quarantine", bad),
        merged=len(good) - len(pois),
    )
    _assert_whole(places, attractions.height)
    return places


def _assert_whole(places: TablePlaces, rows_in: int) -> None:
    accounted = places.pois.height + places.merged + places.quarantine.height
    if accounted != rows_in:
        raise AssertionError(
            f"{rows_in} attraction rows were read, but {accounted} are accounted for"
        )
    if places.pois["poi_id"].n_unique() != places.pois.height:
        raise AssertionError("two places have the same poi_id")


# --- Reading rows ----------------------------------------------------------------------------


def _check_rows(
    attractions: pl.DataFrame, city: City
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the usable rows in the order of the source, and quarantine rows for the other rows."""
    rows = attractions.select(list(ATTRACTIONS)).sort(
        ["source_file", "source_line", "name_zh", "name_en", "source_id"], nulls_last=True
    )
    good: list[dict[str, Any]] = []
    bad: list[dict[str, Any]] = []
    for row in rows.iter_rows(named=True):
        problem = _problem(row)
        if problem is None:
            good.append(_trim(row))
        else:
            bad.append(_set_aside(row, *problem, city))
    return good, bad


def _trim(row: Mapping[str, Any]) -> dict[str, Any]:
    texts = ("name_zh", "name_en", "source_id")
    return {**row, **{column: (row[column] or "").strip() or None for column in texts}}


def _problem(row: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the check that failed and the message, for the first problem that makes a row
    unusable.
    """
    if not (row["name_zh"] or "").strip() and not (row["name_en"] or "").strip():
        return "name_missing", "the row has no name"
    if not row["source_file"] or row["source_line"] is None:
        return "source_missing", "the row does not say where it stands"
    lat, lon = row["lat"], row["lon"]
    if (lat is None) != (lon is None):
        return "coordinates_incomplete", "one of latitude and longitude is missing"
    if lat is not None and not (-90 <= lat <= 90 and -180 <= lon <= 180):
        return "coordinates_out_of_range", f"{lat}, {lon} is not on the globe"
    if row["category"] is not None and row["category"] not in _CATEGORIES:
        return "unknown_code", f"category {row['category']!r} is not in the taxonomy"
    if row["base_type"] is not None and row["base_type"] not in _BASE_TYPES:
        return "unknown_code", f"base_type {row['base_type']!r} is not in the taxonomy"
    return None


def _set_aside(row: Mapping[str, Any], check: str, message: str, city: City) -> dict[str, Any]:
    payload = ids.canonical_json(dict(row))
    row_id = f"{row['source_file']}:{row['source_line']}:{ids.digest(payload)}"
    shown = payload[:_PAYLOAD_CHARS]
    said = (row_id, check, message, shown)
    return {
        "quarantine_id": ids.quarantine_id(city.city_id, "pois", "pois", *said),
        "city_id": city.city_id,
        "stage": "pois",
        "table": "pois",
        "row_id": row_id,
        "check": check,
        "message": message,
        "payload": shown,
        "source_file": row["source_file"],
        "source_line": row["source_line"],
    }


def _locate(row: Mapping[str, Any], reader: NameReader) -> Located:
    names = dict.fromkeys(n for n in (row["name_zh"], row["name_en"], *(row["aliases"] or ())) if n)
    return Located(tuple(reader.read(n) for n in names), row["lat"], row["lon"])


def _without_equal_anchors(
    rows: Sequence[Mapping[str, Any]], groups: list[list[int]], city: City
) -> list[list[int]]:
    """Merge groups whose first rows have the same anchor, because the source gives them the same
    id.
    """
    by_anchor: dict[str, list[int]] = {}
    for group in groups:
        by_anchor.setdefault(records.anchor(city.city_id, rows[group[0]]), []).extend(group)
    return [sorted(group) for group in by_anchor.values()]


def _evidence(rows: Sequence[Mapping[str, Any]], city: City) -> pl.DataFrame:
    found = [records.row_evidence(city.city_id, row) for row in rows]
    found += [made for row in rows if (made := records.type_evidence(city.city_id, row))]
    return frame("evidence", {row["evidence_id"]: row for row in found}.values())


# --- Decisions ---


def _decisions(
    rows: Sequence[Mapping[str, Any]],
    decisions: Sequence[Decision],
    owner: Mapping[int, str],
    hierarchy: Sequence[PoiHierarchyRow],
    city: City,
) -> list[PlaceDecisionsRow]:
    """Return every comparison of two rows with its values and its result."""
    nested = {(row["poi_id"], row["parent_poi_id"]) for row in hierarchy}
    found: dict[tuple[str, str], PlaceDecisionsRow] = {}
    for decision in decisions:
        one, two = rows[decision.first], rows[decision.second]
        poi_id, other = owner[decision.first], owner[decision.second]
        is_nested = (poi_id, other) in nested or (other, poi_id) in nested
        evidence = [records.row_evidence(city.city_id, row)["evidence_id"] for row in (one, two)]
        score = round(decision.verdict.score, 3)
        said = (decision.verdict.label, score, decision.verdict.why)
        found[evidence[0], evidence[1]] = {
            "comparison_id": ids.comparison_id(evidence[0], evidence[1], *said),
            "city_id": city.city_id,
            "poi_id": poi_id,
            "other_poi_id": other,
            "name_a": records.standard_name(one),
            "name_b": records.standard_name(two),
            "distance_m": None if decision.distance_m is None else round(decision.distance_m, 1),
            "verdict": decision.verdict.label,
            "score": score,
            "outcome": "merged" if poi_id == other else "part_of" if is_nested else "kept_apart",
            "reason": decision.verdict.why,
            "evidence_id": evidence[0],
            "other_evidence_id": evidence[1],
        }
    return list(found.values())


# --- Containers ------------------------------------------------------------------------------


def _hierarchy(
    rows: Sequence[Mapping[str, Any]],
    located: Sequence[Located],
    decisions: Sequence[Decision],
    owner: Mapping[int, str],
    city: City,
) -> list[PoiHierarchyRow]:
    """Return one container for each place that has one: the container that the source gives or,
    failing that, one found by name and position.
    """
    stated = _find_stated_parents(rows, owner)
    read = parents(located, decisions)
    found: dict[str, tuple[str, str]] = dict(stated)
    for position in sorted(read):
        decision = read[position]
        part = owner[position]
        whole = owner[decision.first if decision.second == position else decision.second]
        if part not in found and not _above(part, whole, found):
            found[part] = (whole, f"{decision.verdict.why} ({decision.verdict.score:.2f})")
    return [
        {
            "poi_id": part,
            "city_id": city.city_id,
            "parent_poi_id": whole,
            "relation": "part_of",
            "reason": reason,
        }
        for part, (whole, reason) in found.items()
    ]


def _find_stated_parents(
    rows: Sequence[Mapping[str, Any]], owner: Mapping[int, str]
) -> dict[str, tuple[str, str]]:
    """Return the containers that the source gives by id; if they form a cycle, drop the last row
    in the cycle.
    """
    by_source = {row["source_id"]: owner[p] for p, row in enumerate(rows) if row["source_id"]}
    found: dict[str, tuple[str, str]] = {}
    for position, row in enumerate(rows):
        part, whole = owner[position], by_source.get(row["parent_source_id"])
        if whole is not None and part not in found and not _above(part, whole, found):
            found[part] = (whole, explain_part(row["source_id"], row["parent_source_id"]))
    return found


def explain_part(part: str | None, whole: str) -> str:
    """Return the reason for assigning a place to the container that the source names, with the
    source's ids.
    """
    return f"the source names it: {whole}" + (f", of {part}" if part else "")


def _above(part: str, whole: str, found: Mapping[str, tuple[str, str]]) -> bool:
    """Check whether ``part`` and ``whole`` are the same place, or ``part`` already contains
    ``whole``.
    """
    while whole != part and whole in found:
        whole = found[whole][0]
    return whole == part


# --- For the reading of documents ------------------------------------------------------------


def gazetteer_entries(places: TablePlaces) -> tuple[GazetteerEntry, ...]:
    """Return the places as a gazetteer, with their standard names, their other names and their
    containers' standard names.
    """
    rows = {row["poi_id"]: row for row in read_rows(places.pois, PoisRow)}
    standard = {poi_id: records.standard_name(row) for poi_id, row in rows.items()}
    names = {key: {row["name_en"]} if row["name_en"] else set() for key, row in rows.items()}
    for alias in read_rows(places.aliases, PoiAliasesRow):
        names[alias["poi_id"]].add(alias["alias"])
    parent = {
        part["poi_id"]: standard[part["parent_poi_id"]]
        for part in read_rows(places.hierarchy, PoiHierarchyRow)
    }
    return tuple(
        GazetteerEntry(
            standard=standard[key],
            names=tuple(sorted(names[key] - {standard[key]})),
            parent=parent.get(key),
        )
        for key in sorted(rows)
    )
