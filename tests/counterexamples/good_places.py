"""The good snapshot: places, what lies where, and what was decided of them."""

from __future__ import annotations

import h3

from schemas.findings import MESSAGES, always
from schemas.geo import distance_m
from schemas.ids import comparison_id
from tests.counterexamples.town import (
    FACTS,
    PLACES,
    Row,
    Town,
    span_evidence,
    table_evidence,
)


def city(town: Town) -> Row:
    return {
        "city_id": town.city_id, "slug": town.slug, "name_zh": town.zh, "name_en": town.en,
        "country_code": "CN", "admin1_code": "02", "time_zone": "Asia/Shanghai",
        "lat": town.lat, "lon": town.lon, "h3_cell": h3.latlng_to_cell(town.lat, town.lon, 8),
        "population": 800_000, "currency": "CNY",
    }  # fmt: skip


def places(town: Town) -> dict[str, list[Row]]:
    made = [_poi(town, name) for name in PLACES]
    by_name = dict(zip(PLACES, made, strict=True))
    by_name["old_lake"]["superseded_by"] = town.poi("lake")
    by_name["old_lake"].update(geocode_status="unresolved", location_tier="city")
    for name, n_documents in (("lake", 2), ("temple", 1), ("park", 2), ("museum", 1)):
        by_name[name].update(n_documents=n_documents, n_mentions=n_documents)
    return {
        "pois": made,
        "poi_aliases": [
            {
                "poi_id": town.poi("park"), "city_id": town.city_id, "alias": "柳岸", "lang": "zh",
                "alias_source": "document", "evidence_id": span_evidence(town, "route_zh", 80, 2),
            },
            {
                "poi_id": town.poi("lake"), "city_id": town.city_id, "alias": "镜湖", "lang": "zh",
                "alias_source": "table", "evidence_id": table_evidence(town, 2),
            },
        ],
        "poi_hierarchy": [
            {
                "poi_id": town.poi("hall"), "city_id": town.city_id,
                "parent_poi_id": town.poi("temple"), "relation": "part_of",
                "reason": "the second adds 钟楼 to the first (0.85)",
            }
        ],
    }  # fmt: skip


def _poi(town: Town, name: str) -> Row:
    zh, en, north, east, category, base_type = PLACES[name]
    located = north is not None and east is not None
    lat = None if north is None else town.lat + north
    lon = None if east is None else town.lon + east
    return {
        "poi_id": town.poi(name),
        "city_id": town.city_id,
        "name_zh": zh,
        "name_en": en,
        "name_zh_origin": "original",
        "name_en_origin": "translated" if en else "unknown",
        "category": category,
        "base_type": base_type,
        "trend_types": ["city_landmark", "hidden_gem"] if name == "lake" else [],
        "lat": lat,
        "lon": lon,
        "location_tier": "located" if located else "city",
        "geocode_status": "resolved" if located else "unresolved",
        "coordinate_provider": "table" if located else None,
        "datum_original": "gcj02" if located else None,
        "h3_cell": h3.latlng_to_cell(lat, lon, 8) if located else None,
        "rating": 4.5 if located else None,
        "poi_source": "table",
        "anchor": f"{town.slug}/{name}",
        "n_documents": 0,
        "n_mentions": 0,
        "evidence_id": table_evidence(town, 2 + list(PLACES).index(name)),
    }


def space(town: Town) -> dict[str, list[Row]]:
    located = [name for name, place in PLACES.items() if place[2] is not None]
    spots = {name: (town.lat + PLACES[name][2], town.lon + PLACES[name][3]) for name in located}  # type: ignore[operator]
    return {
        "distances": [
            {
                "city_id": town.city_id, "from_id": town.poi(a), "to_id": town.poi(b),
                "distance_method": "straight",
                "distance_m": round(float(distance_m(*spots[a], *spots[b])), 1),
            }
            for a in located
            for b in located
            if a != b
        ],
        "clusters": [
            {
                "city_id": town.city_id, "n_days_planned": n_days, "poi_id": town.poi(name),
                "cluster": (0, 0, 0, 0, 0, 1, 1, 1, 1, -1)[number], "epsilon_m": 2000.0,
            }
            for n_days in range(2, 8)
            for number, name in enumerate(located)
        ],
    }  # fmt: skip


def decisions(town: Town) -> dict[str, list[Row]]:
    """Where values come from, what was compared, what was found, and what lies where."""
    here = {"city_id": town.city_id}
    return {
        "poi_origins": [
            {
                **here,
                "poi_id": town.poi(name),
                "poi_field": field,
                "evidence_id": table_evidence(town, 2 + number),
            }
            for number, name in enumerate(PLACES)
            for field in _fields_of(name)
        ],
        "place_decisions": [
            {
                **here,
                "comparison_id": comparison(town, "apart"),
                "poi_id": town.poi("lake"),
                "other_poi_id": town.poi("temple"),
                "name_a": "月影湖",
                "name_b": "古松寺",
                "distance_m": _apart(town, "lake", "temple"),
                "verdict": "different",
                "score": 0.85,
                "outcome": "kept_apart",
                "reason": f"different names, {_apart(town, 'lake', 'temple'):.0f} m apart",
                "evidence_id": table_evidence(town, 2),
                "other_evidence_id": table_evidence(town, 3),
            },
            {
                **here,
                "comparison_id": comparison(town, "nested"),
                "poi_id": town.poi("temple"),
                "other_poi_id": town.poi("hall"),
                "name_a": "古松寺",
                "name_b": "古松寺钟楼",
                "distance_m": _apart(town, "temple", "hall"),
                "verdict": "parent-of",
                "score": 0.85,
                "outcome": "part_of",
                "reason": "the second adds 钟楼 to the first",
                "evidence_id": table_evidence(town, 3),
                "other_evidence_id": table_evidence(town, 4),
            },
        ],
        "stay_clusters": [
            {
                **here,
                "n_days_planned": n_days,
                "table": "hotels",
                "row_id": f"hotel_{town.slug}_1",
                "cluster": 0,
                "distance_m": _to_hotel(town),
            }
            for n_days in range(2, 8)
        ],
        "nearest_stations": [
            {
                **here,
                "table": "hotels",
                "row_id": f"hotel_{town.slug}_1",
                "station_id": town.station("中街"),
                "distance_m": 0.0,
            }
        ],
        "findings": [
            {
                **here,
                "table": table,
                "finding": finding,
                "n_rows": 1 if finding == "sub_attraction" else 0,
                "message": MESSAGES[finding],
            }
            for table, finding in always()
        ],
    }


def comparison(town: Town, which: str) -> str:
    """Id of one of the two comparisons: lake and temple apart, the hall nested in the temple."""
    apart = f"different names, {_apart(town, 'lake', 'temple'):.0f} m apart"
    first, said = {
        "apart": (2, ("different", 0.85, apart)),
        "nested": (3, ("parent-of", 0.85, "the second adds 钟楼 to the first")),
    }[which]
    return comparison_id(table_evidence(town, first), table_evidence(town, first + 1), *said)


def _fields_of(name: str) -> list[str]:
    """Fields of a place that its line gives; the English name is a translation."""
    _, _, north, _, category, _ = PLACES[name]
    located = ["coordinates", "rating"] if north is not None else []
    typed = ["category", "base_type"] if category else []
    facts = [fact[1] for fact in FACTS if fact[0] == name and fact[4] is None]
    return ["name_zh", *typed, *located, *facts]


def _apart(town: Town, here: str, there: str) -> float:
    (_, _, a, b, *_), (_, _, c, d, *_) = PLACES[here], PLACES[there]
    assert None not in (a, b, c, d)
    return round(float(distance_m(town.lat + a, town.lon + b, town.lat + c, town.lon + d)), 1)  # type: ignore[operator]


def _to_hotel(town: Town) -> float:
    """From the first hotel to the place nearest to it, the museum."""
    north, east = PLACES["museum"][2:4]
    assert None not in (north, east)
    return round(float(distance_m(town.lat + 0.01, town.lon, town.lat + north, town.lon + east)), 1)  # type: ignore[operator]
